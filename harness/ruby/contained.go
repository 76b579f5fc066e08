package ruby

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
)

// contained reports which of some texts are strings of the interpreter's
// program: of the file that it executes, and of the shared library that holds
// the rest of it, where there is one.
func contained(in Interpreter, texts []string) (map[string]bool, error) {
	found := map[string]bool{}
	for _, path := range []string{cmp.Or(in.Executable, in.Path), in.Library} {
		if path == "" {
			continue
		}
		binary, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("look for the names that %s reads: %w", in.Path, err)
		}
		for _, text := range texts {
			found[text] = found[text] || containsString(binary, text)
		}
	}
	return found, nil
}

// containsString looks for a C string: ended by NUL, and not the end of a
// longer name. It need not begin after a NUL, since linkers let one string be
// the end of another.
func containsString(binary []byte, text string) bool {
	want := append([]byte(text), 0)
	for {
		at := bytes.Index(binary, want)
		if at < 0 {
			return false
		}
		if at == 0 || !nameByte(binary[at-1]) {
			return true
		}
		binary = binary[at+1:]
	}
}

func nameByte(b byte) bool {
	return b == '_' || 'A' <= b && b <= 'Z' || 'a' <= b && b <= 'z' || '0' <= b && b <= '9'
}
