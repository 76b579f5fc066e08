package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEnvFilesAreBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.env")
	if err := os.WriteFile(path, []byte("\ufeffA=1\r\n# B=2\nexport C=3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	text, err := readEnvFile(path)
	if got := strings.Join(settingLines(text), " "); err != nil || got != "A=1 C=3" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := readEnvFile("/dev/zero"); err == nil || !strings.Contains(err.Error(), "more than 1 MiB") {
		t.Errorf("a file without an end: %v", err)
	}
}
