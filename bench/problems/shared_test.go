package problems_test

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/gctune/gctune/bench/problems"
	"github.com/gctune/gctune/tuner/sampler"
	"github.com/gctune/gctune/tuner/space"
)

// problemsVariable names the environment variable with the path of a program
// that defines further problems: a Python file which answers --space NAME and
// evaluates settings line by line, beside a refs.json with their fronts.
const problemsVariable = "GCTUNE_SEARCH_PROBLEMS"

// published are figures of other searches on those problems after 20, 30, 50 and
// 100 trials.
var published = []struct {
	problem            string
	logarithmic        bool // whether the score is taken in logarithms
	random, chebyshev4 [4]float64
}{
	{"mri_blog", true, [4]float64{.91, .93, .96, .97}, [4]float64{.91, .94, .96, .97}},
	{"gen8", true, [4]float64{.34, .39, .52, .69}, [4]float64{.36, .46, .57, .76}},
	{"gen8_noisy", true, [4]float64{.34, .39, .52, .69}, [4]float64{.31, .43, .56, .71}},
	{"zdt1l", false, [4]float64{.30, .35, .37, .47}, [4]float64{.31, .43, .54, .69}},
}

// tolerance covers the error of a mean over the seeds and the rounding of the
// published figures.
const tolerance = 0.03

func TestDefaultSamplerAgainstPublishedFigures(t *testing.T) {
	path := os.Getenv(problemsVariable)
	if path == "" {
		t.Skip(problemsVariable + " is not set")
	}
	for _, p := range published {
		t.Run(p.problem, func(t *testing.T) {
			t.Parallel()
			means := averageOverSeeds(t, path, p.problem, p.logarithmic)
			t.Logf("auto %.3f, random %.2f, goptuna's TPE %.2f", means, p.random, p.chebyshev4)
			for i, budget := range problems.Budgets {
				if floor := max(p.random[i], p.chebyshev4[i]) - tolerance; means[i] < floor {
					t.Errorf("after %d trials %.3f, want at least %.3f", budget, means[i], floor)
				}
			}
		})
	}
}

func averageOverSeeds(t *testing.T, path, name string, logarithmic bool) [4]float64 {
	const seeds = 20
	var means [4]float64
	for seed := range seeds {
		scores, err := problems.Run(openShared(t, path, name, seed, logarithmic), sampler.Default(nil), uint64(seed), 100)
		if err != nil {
			t.Fatal(err)
		}
		for i, budget := range problems.Budgets {
			means[i] += scores[budget-1] / seeds
		}
	}
	return means
}

// openShared starts the program for one seed of a problem.
func openShared(t *testing.T, path, name string, seed int, logarithmic bool) problems.Problem {
	t.Helper()
	ask := startShared(t, path, name, strconv.Itoa(seed))
	s, reference, best := describeShared(t, path, name)
	told := reference
	if !logarithmic {
		told = []float64{-math.Log(-reference[0]), math.Log(reference[1])}
	}
	return problems.Problem{
		Name: name, Space: s, Reference: told, ScoreReference: reference, Best: best,
		Evaluate: func(setting space.Setting, _ uint64, _ int) (problems.Outcome, error) {
			answer, err := ask(setting)
			if err != nil {
				return problems.Outcome{}, err
			}
			outcome := problems.Outcome{
				Losses: []float64{-math.Log(answer.Throughput), math.Log(answer.Memory)},
				True:   []float64{-math.Log(answer.TrueThroughput), math.Log(answer.TrueMemory)},
			}
			if !logarithmic {
				outcome.True = []float64{-answer.TrueThroughput, answer.TrueMemory}
			}
			return outcome, nil
		},
	}
}

type sharedAnswer struct {
	Throughput     float64 `json:"throughput"`
	Memory         float64 `json:"memory"`
	TrueThroughput float64 `json:"true_throughput"`
	TrueMemory     float64 `json:"true_memory"`
}

// startShared returns a function that sends a setting and reads the answer.
func startShared(t *testing.T, path string, args ...string) func(space.Setting) (sharedAnswer, error) {
	t.Helper()
	command := exec.Command("python3", append([]string{path}, args...)...)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := command.Wait(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	})
	return exchange(json.NewEncoder(in), bufio.NewReader(out))
}

func exchange(in *json.Encoder, out *bufio.Reader) func(space.Setting) (sharedAnswer, error) {
	return func(setting space.Setting) (sharedAnswer, error) {
		var answer sharedAnswer
		if err := in.Encode(setting); err != nil {
			return answer, err
		}
		line, err := out.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return answer, err
		}
		return answer, json.Unmarshal(line, &answer)
	}
}

// describeShared reads the search space, the reference point and the hypervolume
// of the dense front.
func describeShared(t *testing.T, path, name string) (space.Space, []float64, float64) {
	t.Helper()
	output, err := exec.Command("python3", path, "--space", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	var listed []struct {
		Name      string
		Low, High float64
	}
	if err := json.Unmarshal(output, &listed); err != nil {
		t.Fatal(err)
	}
	var parameters []space.Parameter
	for _, p := range listed {
		parameters = append(parameters, space.Parameter{Name: p.Name, Scale: space.Log, Min: p.Low, Max: p.High})
	}
	s, err := space.New(parameters)
	if err != nil {
		t.Fatal(err)
	}
	reference, best := sharedReference(t, path, name)
	return s, reference, best
}

func sharedReference(t *testing.T, path, name string) ([]float64, float64) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(filepath.Dir(path), "refs.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]struct {
		Ref []float64
		HV  float64
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	entry, ok := all[name]
	if !ok { // a noisy problem has the front of the one without noise
		entry, ok = all[name[:max(len(name)-len("_noisy"), 0)]]
	}
	if !ok {
		t.Fatalf("refs.json has no problem %s", name)
	}
	return entry.Ref, entry.HV
}
