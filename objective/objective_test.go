package objective_test

import (
	"errors"
	"math"
	"testing"

	"github.com/gctune/gctune/objective"
)

var blog = objective.Objectives{Throughput: "requests_per_cpu_second", Memory: "memory_pss_peak_bytes"}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

func TestLossesAreMinimisedLogarithms(t *testing.T) {
	losses, err := blog.Losses(map[string]float64{"requests_per_cpu_second": math.E, "memory_pss_peak_bytes": math.E * math.E})
	if err != nil {
		t.Fatal(err)
	}
	if !near(losses[0], -1, 1e-12) || !near(losses[1], 2, 1e-12) {
		t.Errorf("losses %v, want [-1 2]", losses)
	}
}

func TestLossesRefuseWhatHasNoLogarithm(t *testing.T) {
	for name, metrics := range map[string]map[string]float64{
		"zero":     {"requests_per_cpu_second": 0, "memory_pss_peak_bytes": 1},
		"negative": {"requests_per_cpu_second": 1, "memory_pss_peak_bytes": -1},
		"infinite": {"requests_per_cpu_second": math.Inf(1), "memory_pss_peak_bytes": 1},
		"NaN":      {"requests_per_cpu_second": math.NaN(), "memory_pss_peak_bytes": 1},
	} {
		if _, err := blog.Losses(metrics); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	var missing *objective.MissingMetricError
	if _, err := blog.Losses(map[string]float64{"x": 1}); !errors.As(err, &missing) || missing.Metric != "requests_per_cpu_second" {
		t.Errorf("missing metric: got %v", err)
	}
}

func TestParseConstraint(t *testing.T) {
	for text, want := range map[string]objective.Constraint{
		"error_share <= 0":             {Metric: "error_share", AtMost: true, Value: 0},
		"latency_p99_seconds<=300ms":   {Metric: "latency_p99_seconds", AtMost: true, Value: 0.3},
		"memory <= 512MB":              {Metric: "memory", AtMost: true, Value: 512e6},
		"memory <= 512MiB":             {Metric: "memory", AtMost: true, Value: 512 * 1024 * 1024},
		"throughput >= 40.5":           {Metric: "throughput", Value: 40.5},
		"memory_rss_peak_bytes <= 2GB": {Metric: "memory_rss_peak_bytes", AtMost: true, Value: 2e9},
	} {
		got, err := objective.ParseConstraint(text)
		want.Text = got.Text
		if err != nil || got != want {
			t.Errorf("%q: got %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "memory < 5", "memory <= ", "<= 5", "memory <= 5 MB", "latency_p99_seconds <= 5MB", "error_share <= 3s", "memory = 5", "memory <= NaN", "throughput >= -Inf"} {
		if c, err := objective.ParseConstraint(text); err == nil {
			t.Errorf("%q was accepted as %+v", text, c)
		}
	}
}

func TestViolationsAndLimits(t *testing.T) {
	var constraints []objective.Constraint
	for _, text := range []string{"memory <= 200MB", "memory <= 150MB", "throughput >= 10", "latency_p99_seconds <= 300ms"} {
		c, err := objective.ParseConstraint(text)
		if err != nil {
			t.Fatal(err)
		}
		constraints = append(constraints, c)
	}
	metrics := map[string]float64{"memory_pss_peak_bytes": 180e6, "requests_per_cpu_second": 9, "latency_p99_seconds": 0.3}
	broken, err := blog.Violations(constraints, metrics)
	if err != nil {
		t.Fatal(err)
	}
	if len(broken) != 2 || broken[0].String() != "violates memory <= 150MB (measured 180 MB)" || broken[1].Constraint.Metric != "throughput" {
		t.Errorf("got %v", broken)
	}
	if limit, ok := blog.Limit(constraints, "memory"); !ok || limit != 150e6 {
		t.Errorf("memory limit %v %v, want 150e6", limit, ok)
	}
	if limit, ok := blog.Limit(constraints, "throughput"); !ok || limit != 10 {
		t.Errorf("throughput limit %v %v, want 10", limit, ok)
	}
	if _, ok := blog.Limit(nil, "memory"); ok {
		t.Error("a limit without constraints")
	}
}

func TestMeanMetrics(t *testing.T) {
	got := blog.MeanMetrics([]map[string]float64{
		{"requests_per_cpu_second": 2, "gc_count": 2},
		{"requests_per_cpu_second": 8, "gc_count": 8, "only_here": 3},
	})
	if !near(got["requests_per_cpu_second"], 4, 1e-12) || got["gc_count"] != 5 || got["only_here"] != 3 {
		t.Errorf("got %v", got)
	}
}

// The expected interval was computed by hand from the t table: four ratios with
// logarithms 0.1, 0.2, 0.3, 0.4 have mean 0.25, standard deviation 0.129099,
// standard error 0.0645497; t(3) at 97.5 % is 3.18245.
func TestPairedRatio(t *testing.T) {
	baseline := []float64{10, 20, 30, 40}
	variant := make([]float64, 4)
	for i, l := range []float64{0.1, 0.2, 0.3, 0.4} {
		variant[i] = baseline[i] * math.Exp(l)
	}
	got, err := objective.PairedRatio(baseline, variant, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	want := objective.Interval{Estimate: math.Exp(0.25), Low: math.Exp(0.25 - 0.205426), High: math.Exp(0.25 + 0.205426)}
	if !near(got.Estimate, want.Estimate, 1e-9) || !near(got.Low, want.Low, 1e-4) || !near(got.High, want.High, 1e-4) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if objective.ThroughputVerdict(got) != objective.Better || objective.MemoryVerdict(got) != objective.Worse {
		t.Error("an interval above 1 is more throughput, and worse memory")
	}
	// Seen of two equal servers: certain, and of no interest to anyone.
	tiny := objective.Interval{Estimate: 1.00036, Low: 1.000003, High: 1.0007}
	if objective.ThroughputVerdict(tiny) != objective.None || objective.MemoryVerdict(tiny) != objective.None {
		t.Error("a difference of .04 % got a verdict")
	}
	small := objective.Interval{Estimate: 0.996, Low: 0.995, High: 0.997}
	if objective.ThroughputVerdict(small) != objective.Worse || objective.MemoryVerdict(small) != objective.Better {
		t.Error("a difference of .4 % that is certain got no verdict")
	}
	if objective.ThroughputVerdict(objective.Interval{Estimate: 1.01, Low: 0.99, High: 1.03}) != objective.None {
		t.Error("an interval around 1 must be no significant difference")
	}
	if _, err := objective.PairedRatio([]float64{1}, []float64{1}, 0.95); !errors.Is(err, objective.ErrTooFewPairs) {
		t.Errorf("one pair: %v", err)
	}
	if _, err := objective.PairedRatio([]float64{1, 0}, []float64{1, 1}, 0.95); err == nil {
		t.Error("a zero was accepted")
	}
}

// Two groups: logarithms {0, 0.2} (variance 0.02, 1 degree) and {0, 0.1, 0.2}
// (variance 0.01, 2 degrees) pool to (0.02 + 0.02) / 3.
func TestRepeatNoise(t *testing.T) {
	noise := objective.RepeatNoise(
		[]float64{1, math.Exp(0.2)},
		[]float64{5, 5 * math.Exp(0.1), 5 * math.Exp(0.2)},
		[]float64{7})
	if noise.Degrees != 3 || !near(noise.SD, math.Sqrt(0.04/3), 1e-12) {
		t.Errorf("got %+v", noise)
	}
	interval, ok := noise.Interval(100, 1)
	wantLow := 100 * math.Exp(-3.182446*math.Sqrt(0.04/3))
	if !ok || !near(interval.Low, wantLow, 0.01) {
		t.Errorf("interval %+v, want low %v", interval, wantLow)
	}
	if _, ok := (objective.Noise{}).Interval(100, 1); ok {
		t.Error("an interval from unknown noise")
	}
}

func FuzzParseConstraint(f *testing.F) {
	f.Add("memory <= 512MB")
	f.Add("latency_p99_seconds >= 1h3m")
	f.Add("throughput >= inf")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := objective.ParseConstraint(text)
		if err != nil {
			return
		}
		if math.IsNaN(c.Value) || math.IsInf(c.Value, 0) {
			t.Errorf("%q gave the limit %v", text, c.Value)
		}
		again, err := objective.ParseConstraint(c.Text)
		if err != nil || again != c {
			t.Errorf("%q read back as %+v, %v", c.Text, again, err)
		}
	})
}

// The standard error of the difference is 0.05 of 0.03 and 0.04.
func TestClearlyBelow(t *testing.T) {
	front := objective.Estimate{Log: 4, Error: 0.03}
	for log, want := range map[float64]bool{4.1: false, 3.93: false, 3.92: true} {
		if got := (objective.Estimate{Log: log, Error: 0.04}).ClearlyBelow(front); got != want {
			t.Errorf("%v beside 4: %v", log, got)
		}
	}
}
