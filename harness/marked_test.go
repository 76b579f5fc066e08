package harness_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// marked lists the processes whose environment carries a marker, found without
// the help of the code under test.
func marked(t *testing.T, marker string) []string {
	t.Helper()
	var found []string
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(text), "GCTUNE_RUN="+marker) {
			found = append(found, filepath.Dir(file))
		}
	}
	return found
}

func waitForMarker(t *testing.T, marker string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
		if len(marked(t, marker)) > 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("the program was never started")
}
