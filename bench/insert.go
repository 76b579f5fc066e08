package main

import (
	"fmt"
	"os"
	"strings"
)

// insert puts a text between the two markers of that name in a file, which has
// to have them, in place of what was there.
func insert(path, name, text string) error {
	p, err := placeIn(path, name)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(p.before+"\n\n"+text+"\n"+p.after), 0o644)
}

// place is what stands before and after a text to come, markers included.
type place struct{ before, after string }

func placeIn(path, name string) (place, error) {
	old, err := os.ReadFile(path)
	if err != nil {
		return place{}, err
	}
	begin := fmt.Sprintf("<!-- bench-search: %s -->", name)
	end := fmt.Sprintf("<!-- bench-search: end of %s -->", name)
	before, rest, found := strings.Cut(string(old), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return place{}, fmt.Errorf("%s lacks the lines %q and %q, in this order: nothing was written", path, begin, end)
	}
	return place{before + begin, end + after}, nil
}

// insertable tells before anything is measured whether insert will work.
func insertable(path, name string) error {
	if _, err := placeIn(path, name); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return file.Close()
}
