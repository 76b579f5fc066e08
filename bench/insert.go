package main

import (
	"fmt"
	"os"
	"strings"
)

// insert puts a text between the two markers of that name in a file, which has
// to have them, in place of what was there.
func insert(path, name, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	begin := fmt.Sprintf("<!-- bench-search: %s -->", name)
	end := fmt.Sprintf("<!-- bench-search: end of %s -->", name)
	before, rest, found := strings.Cut(string(old), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return fmt.Errorf("%s lacks the lines %q and %q, in this order: nothing was written", path, begin, end)
	}
	return os.WriteFile(path, []byte(before+begin+"\n\n"+text+"\n"+end+after), 0o644)
}
