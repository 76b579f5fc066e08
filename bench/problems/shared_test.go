package problems_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gctune/gctune/bench/problems"
	"github.com/gctune/gctune/tuner/pareto"
	"github.com/gctune/gctune/tuner/space"
)

// problemsVariable names the environment variable with the path of a Python
// program that has the published problems.
const problemsVariable = "GCTUNE_SEARCH_PROBLEMS"

// shared runs that program, with settings on its standard input, one a line.
func shared(t *testing.T, settings []space.Setting, args ...string) []byte {
	t.Helper()
	var in bytes.Buffer
	for _, s := range settings {
		if err := json.NewEncoder(&in).Encode(s); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command("python3", append([]string{os.Getenv(problemsVariable)}, args...)...)
	command.Stdin, command.Stderr = &in, os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v", command.Args, err)
	}
	return output
}

// The problems here are those of the program: the same spaces, the same figures,
// noise included, and the same scores.
func TestPublishedProblemsAreThoseOfTheProgram(t *testing.T) {
	if os.Getenv(problemsVariable) == "" {
		t.Skip(problemsVariable + " is not set")
	}
	listed := strings.Fields(string(shared(t, nil, "--list")))
	compared := 0
	for _, p := range analytic(t) {
		if !slices.Contains(listed, p.Name) {
			continue
		}
		compared++
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			compareSpaces(t, p)
			settings := randomSettings(p.Space, 2000)
			for _, seed := range []uint64{0, 5} {
				compareFigures(t, p, settings, seed)
			}
			compareScores(t, p, settings[:300])
		})
	}
	if compared < len(published) {
		t.Errorf("the program has %d of the problems here, want %d at least", compared, len(published))
	}
}

func compareSpaces(t *testing.T, p problems.Problem) {
	t.Helper()
	var listed []struct {
		Name, Scale, Type string
		Low, High         float64
	}
	if err := json.Unmarshal(shared(t, nil, "--space", p.Name), &listed); err != nil {
		t.Fatal(err)
	}
	var want []space.Parameter
	for _, l := range listed {
		if l.Scale != "log" || l.Type != "int" {
			t.Fatalf("%s is of the unknown kind %s, %s", l.Name, l.Scale, l.Type)
		}
		want = append(want, space.Parameter{Name: l.Name, Kind: space.Int, Scale: space.Log, Min: l.Low, Max: l.High})
	}
	if got := p.Space.Parameters(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the space is %v, want %v", got, want)
	}
}

// randomSettings has the corners of the space among them.
func randomSettings(s space.Space, n int) []space.Setting {
	rng := rand.New(rand.NewPCG(8, 8))
	settings := make([]space.Setting, n)
	for k := range settings {
		u := make([]float64, s.Dim())
		for i := range u {
			u[i] = rng.Float64()
			if k%10 == 0 {
				u[i] = math.Round(u[i])
			}
		}
		settings[k] = s.Decode(u)
	}
	return settings
}

func compareFigures(t *testing.T, p problems.Problem, settings []space.Setting, seed uint64) {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace(shared(t, settings, p.Name, strconv.FormatUint(seed, 10))), []byte("\n"))
	if len(lines) != len(settings) {
		t.Fatalf("%d answers to %d settings", len(lines), len(settings))
	}
	for trial, line := range lines {
		var want struct {
			Throughput     float64
			Memory         float64
			TrueThroughput float64 `json:"true_throughput"`
			TrueMemory     float64 `json:"true_memory"`
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		got, err := p.Evaluate(settings[trial], seed, trial)
		if err != nil {
			t.Fatal(err)
		}
		told := []float64{-math.Log(want.Throughput), math.Log(want.Memory)}
		truth := []float64{-math.Log(want.TrueThroughput), math.Log(want.TrueMemory)}
		if p.Name == "zdt1l" { // whose hypervolume is taken without logarithms
			told, truth = []float64{-want.Throughput, want.Memory}, []float64{-want.TrueThroughput, want.TrueMemory}
		}
		if !close(got.Losses, told) || !close(got.True, truth) {
			t.Fatalf("seed %d, trial %d, %v: %v and %v, want %+v", seed, trial, settings[trial], got.Losses, got.True, want)
		}
	}
}

// close compares to 1e-12: of a figure, where a loss is its logarithm.
func close(got, want []float64) bool {
	return slices.EqualFunc(got, want, func(a, b float64) bool {
		return math.Abs(a-b) <= 1e-12*max(1, math.Abs(b))
	})
}

// compareScores takes the settings for the trials of a search. The program rounds
// to five digits.
func compareScores(t *testing.T, p problems.Problem, settings []space.Setting) {
	t.Helper()
	var points []pareto.Point
	words := strings.Fields(string(shared(t, settings, "--score", p.Name)))
	if len(words) != 2*len(settings) {
		t.Fatalf("%d scores for %d settings", len(words)/2, len(settings))
	}
	for trial, setting := range settings {
		outcome, err := p.Evaluate(setting, 0, trial)
		if err != nil {
			t.Fatal(err)
		}
		points = append(points, pareto.Point{ID: trial, Losses: outcome.True})
		got := pareto.Hypervolume2D(points, p.Reference) / p.Best
		if want, err := strconv.ParseFloat(words[2*trial+1], 64); err != nil || math.Abs(got-want) > 0.6e-5 {
			t.Fatalf("the score of trial %d is %.6f, want %s", trial, got, words[2*trial+1])
		}
	}
}
