package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gctune/gctune/bench/problems"
	"github.com/gctune/gctune/tuner/sampler"
)

// bench runs the command and returns what it prints; it has to end well.
func bench(t *testing.T, args ...string) (out, errOut string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if err := run(t.Context(), args, &stdout, &stderr); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, &stderr)
	}
	return stdout.String(), stderr.String()
}

// cells are those of the first row of a Markdown table that begins with the name.
func cellsOf(t *testing.T, text, name string) []string {
	t.Helper()
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "| "+name+" |"); ok {
			cells := strings.Split(strings.TrimSuffix(strings.TrimSpace(rest), "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			return cells
		}
	}
	t.Fatalf("no row of %s in\n%s", name, text)
	return nil
}

func problem(t *testing.T, name string) problems.Problem {
	t.Helper()
	all, err := problems.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("there is no problem %s", name)
	return problems.Problem{}
}

// The figures are those of two searches that are run here, whichever came first.
func TestTableOfScores(t *testing.T) {
	out, errOut := bench(t, "-problems", "heap", "-samplers", "sobol,tpe", "-seeds", "2", "-trials", "60", "-format", "markdown")
	for name, s := range map[string]sampler.Sampler{"sobol": sampler.Sobol{}, "tpe": sampler.TPE{}} {
		var scores [2][]float64
		for seed := range scores {
			record, err := problems.Run(problem(t, "heap"), s, uint64(seed), 60)
			if err != nil {
				t.Fatal(err)
			}
			scores[seed] = record.Scores
		}
		row := cellsOf(t, out, name)
		for i, budget := range []int{20, 30, 50} {
			a, b := scores[0][budget-1], scores[1][budget-1]
			// Of two values, half of their difference is the standard error.
			if want := fmt.Sprintf("%.3f ± %.3f", (a+b)/2, math.Abs(a-b)/2); row[i] != want {
				t.Errorf("%s after %d trials: %s, want %s", name, budget, row[i], want)
			}
		}
		if worst := fmt.Sprintf("%.3f", min(scores[0][49], scores[1][49])); row[3] != "–" || row[4] != worst || row[5] != "over 60" {
			t.Errorf("%s: %q, want nothing at 100, the worst at 50 to be %s, and over 60 trials needed", name, row, worst)
		}
		if row[6] == "–" || row[6] == "0" {
			t.Errorf("%s: a proposal costs %q", name, row[6])
		}
	}
	if !strings.Contains(errOut, "2 of 2") {
		t.Errorf("progress is %q, want it to end with 2 of 2", errOut)
	}
}

func TestAllSamplersTakePart(t *testing.T) {
	out, errOut := bench(t, "-problems", "workers", "-seeds", "1", "-trials", "20", "-format", "markdown", "-python", "/nonexistent")
	for _, name := range sampler.Names() {
		cellsOf(t, out, name)
	}
	if !strings.Contains(errOut, "apt-get install python3-optuna") {
		t.Errorf("without Optuna it says %q, want what to install", errOut)
	}
}

// With a fifth of the space infeasible, chance has some 6 of 30 trials there, and
// a search that avoids them fewer.
func TestTableOfInfeasibleTrials(t *testing.T) {
	out, _ := bench(t, "-problems", "mri_blog", "-samplers", "random,tpe", "-seeds", "6", "-trials", "50", "-infeasible", "-format", "markdown")
	mean := map[string]float64{}
	for _, name := range []string{"random", "tpe"} {
		var value float64
		if _, err := fmt.Sscanf(cellsOf(t, out, name)[0], "%f", &value); err != nil {
			t.Fatal(err)
		}
		mean[name] = value
	}
	if mean["random"] < 4 || mean["random"] > 8 || mean["tpe"] > 3 {
		t.Errorf("%v infeasible trials of 30, want some 6 at random and 3 of tpe at most", mean)
	}
}

// Where nothing is void there is nothing to lose, and a search that does not learn
// loses no more than the trials.
func TestTableOfVoidTrials(t *testing.T) {
	out, _ := bench(t, "-problems", "mri_blog", "-samplers", "random", "-seeds", "2", "-trials", "50", "-void", "0.5", "-format", "markdown")
	var all, some, drop float64
	row := cellsOf(t, out, "random")
	for i, value := range []*float64{&all, &some, &drop} {
		if _, err := fmt.Sscanf(row[i], "%f", value); err != nil {
			t.Fatal(err)
		}
	}
	if some >= all || math.Abs(all-some-drop) > 0.0011 {
		t.Errorf("%v, want less with void trials, and the difference", row)
	}
}

// A search that is told the truth beforehand needs no trials to find it; one that
// does not listen finds what it would have found.
func TestTableOfGuesses(t *testing.T) {
	out, _ := bench(t, "-problems", "gen8", "-samplers", "model,random", "-seeds", "2", "-trials", "50", "-guess", "exact", "-format", "markdown")
	row := cellsOf(t, out, "model")
	var without, told float64
	for i, value := range []*float64{&without, &told} {
		if _, err := fmt.Sscanf(row[i], "%f", value); err != nil {
			t.Fatal(err)
		}
	}
	if told < 0.9 || without > told {
		t.Errorf("%v after ten trials, want .9 at least where the losses are told", row)
	}
	if row = cellsOf(t, out, "random"); row[0] != row[1] || row[4] != row[5] {
		t.Errorf("%v of random search, want the same with and without", row)
	}
}

// The model is done with an easy problem before the end.
func TestTableOfStableSearches(t *testing.T) {
	out, _ := bench(t, "-problems", "workers", "-samplers", "model", "-seeds", "2", "-trials", "60", "-until-stable", "-format", "markdown")
	var figures [4]float64
	row := cellsOf(t, out, "model")
	for i := range figures {
		if _, err := fmt.Sscanf(row[i], "%f", &figures[i]); err != nil {
			t.Fatal(err)
		}
	}
	trials, fewest, cost, highest := figures[0], figures[1], figures[2], figures[3]
	if fewest < sampler.StableFrom || fewest > trials || trials >= 60 || cost > highest || highest > 0.1 {
		t.Errorf("%v, want an end between %d and 60 trials and a cost of 0.1 at most", row, sampler.StableFrom)
	}
}

func TestTableIsWrittenBetweenItsMarkers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "search.md")
	const before, after = "# Prose\n\n<!-- bench-search: scores -->", "<!-- bench-search: end of scores -->\n\nmore prose\n"
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := func() string {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	args := []string{"-problems", "workers", "-samplers", "random", "-seeds", "1", "-trials", "30", "-write", path}
	write(before + "\nold figures\n" + after)
	for range 2 { // the second time over the first
		if out, _ := bench(t, args...); out != "" {
			t.Errorf("it also prints %q", out)
		}
		text := read()
		if !strings.HasPrefix(text, before) || !strings.HasSuffix(text, after) || strings.Contains(text, "old figures") {
			t.Errorf("the file is now\n%s", text)
		}
		if strings.Count(text, "| random |") != 1 {
			t.Errorf("want one row in\n%s", text)
		}
	}
	write("no markers")
	if err := run(t.Context(), args, &bytes.Buffer{}, &bytes.Buffer{}); err == nil || read() != "no markers" {
		t.Errorf("without markers: %v, and the file is %q, want an error and the file as it was", err, read())
	}
}

// The document has the place of each table.
func TestDocumentHasTheMarkers(t *testing.T) {
	text, err := os.ReadFile("../docs/search.md")
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "search.md")
	if err := os.WriteFile(copied, text, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, o := range []options{{}, {infeasible: true}, {void: 0.1}, {untilStable: true}, {guess: "near"}, {guess: "wrong"}} {
		if err := insert(copied, o.kind().name, "figures"); err != nil {
			t.Error(err)
		}
	}
}

func TestWrongUse(t *testing.T) {
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"-samplers", "best"}, "nsga2"},
		{[]string{"-samplers", "best"}, "optuna-tpe"},
		{[]string{"-samplers", "optuna-tpe", "-python", "/nonexistent"}, "python3-optuna"},
		{[]string{"-problems", "gen9"}, "gen8_noisy"},
		{[]string{"-seeds", "0"}, "at least 1"},
		{[]string{"-format", "csv"}, "markdown"},
		{[]string{"-void", "1"}, "below 1"},
		{[]string{"-void", "NaN"}, "below 1"},
		{[]string{"-void", "-0.1"}, "below 1"},
		{[]string{"-problems", ""}, "names none"},
		{[]string{"-samplers", ","}, "names none"},
		{[]string{"-no-such-flag"}, "not defined"},
		{[]string{"-write", "/nonexistent/search.md"}, "no such file"},
		{[]string{"-write", "main.go"}, "lacks the lines"},
		{[]string{"-void", "0.1", "-infeasible"}, "one of them"},
		{[]string{"-infeasible", "-trials", "40"}, "50"},
		{[]string{"-infeasible", "-until-stable"}, "one of them"},
		{[]string{"-guess", "right"}, "near"},
		{[]string{"-guess", "near", "-void", "0.1"}, "one of them"},
		{[]string{"-guess", "near", "-trials", "40"}, "50"},
		{[]string{"gen8"}, "by flags"},
	} {
		// Nothing is measured: that would be refused.
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := run(ctx, test.args, &bytes.Buffer{}, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%v: %v, want it to say %q", test.args, err, test.says)
		}
		if code := exitCode(err); code != 2 {
			t.Errorf("%v: exit status %d, want 2", test.args, code)
		}
	}
}
