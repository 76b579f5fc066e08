package config_test

import (
	"path/filepath"
	"testing"

	"github.com/gctune/gctune/config"
)

// Every example's configuration is one.
func TestExamplesCanBeRead(t *testing.T) {
	files, err := filepath.Glob("../examples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	folders, err := filepath.Glob("../examples/*/gctune.yaml")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, folders...)
	if len(files) < 3 {
		t.Fatalf("only %v", files)
	}
	for _, file := range files {
		if _, err := config.Read(file); err != nil {
			t.Error(err)
		}
	}
}

// The published figures of the study, as its table has them.
func TestFourRubiesHaveThePublishedFigures(t *testing.T) {
	c, err := config.Read("../examples/four-rubies.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][6]float64{ // requests/s and MB of the simple page, the blog home, the article
		"stock":                {106, 39, 1.69, 136, 2.20, 136},
		"railsbench, hand-set": {125, 60, 2.81, 179, 3.61, 179},
		"mbari":                {160, 35, 1.96, 103, 2.47, 103},
		"mbari, rebuilt":       {173, 60, 2.90, 158, 3.73, 158},
	}
	if len(c.Compare.Variants) != len(want) {
		t.Fatalf("%d variants", len(c.Compare.Variants))
	}
	for _, v := range c.Compare.Variants {
		for i, page := range []string{"GET /simple", "GET /blog", "GET /article"} {
			got := v.Published[page]
			if float64(got.RequestsPerSecond) != want[string(v.Name)][2*i] || float64(got.Memory) != 1e6*want[string(v.Name)][2*i+1] {
				t.Errorf("%s, %s: %+v", v.Name, page, got)
			}
		}
	}
}
