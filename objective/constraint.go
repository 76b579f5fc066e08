package objective

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// Constraint is a limit on a metric, such as "latency_p99_seconds <= 300ms".
type Constraint struct {
	// Metric is a metric's name, or "throughput" or "memory" for an objective.
	Metric string `json:"metric"`
	// AtMost is true for "<=", false for ">=".
	AtMost bool `json:"at_most"`
	// Value is the limit in the metric's base unit (seconds, bytes, …).
	Value float64 `json:"value"`
	// Text is the constraint as the user wrote it, blanks normalised.
	Text string `json:"text"`
}

// Violation is a constraint that a measurement breaks.
type Violation struct {
	Constraint Constraint
	// Measured is the metric's value, in its base unit.
	Measured float64
}

func (v Violation) String() string {
	return fmt.Sprintf("violates %s (measured %s)", v.Constraint.Text, formatMetric(v.Constraint.Metric, v.Measured))
}

var constraintForm = regexp.MustCompile(`^\s*([A-Za-z_][A-Za-z0-9_]*)\s*(<=|>=)\s*(\S+)\s*$`)

// ParseConstraint reads METRIC <= VALUE or METRIC >= VALUE. A value is a plain
// number, a duration such as 300ms for a metric in seconds, or a size such as
// 512MB or 512MiB for a metric in bytes or for "memory".
func ParseConstraint(text string) (Constraint, error) {
	m := constraintForm.FindStringSubmatch(text)
	if m == nil {
		return Constraint{}, fmt.Errorf("constraint %q is not of the form METRIC <= VALUE or METRIC >= VALUE", text)
	}
	value, err := ParseQuantity(m[1], m[3])
	if err != nil {
		return Constraint{}, fmt.Errorf("constraint %q: %w", text, err)
	}
	return Constraint{
		Metric: m[1],
		AtMost: m[2] == "<=",
		Value:  value,
		Text:   strings.Join(m[1:], " "),
	}, nil
}

// ParseQuantity reads a value in the unit that the metric's name ends in and
// returns it in the base unit.
func ParseQuantity(metric, text string) (float64, error) {
	if value, err := strconv.ParseFloat(text, 64); err == nil {
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return 0, fmt.Errorf("%q is not a finite number", text)
		}
		return value, nil
	}
	switch {
	case strings.HasSuffix(metric, "_seconds"):
		d, err := time.ParseDuration(text)
		if err != nil {
			return 0, fmt.Errorf("%q is neither a number of seconds nor a duration such as 300ms", text)
		}
		return d.Seconds(), nil
	case strings.HasSuffix(metric, "_bytes"), metric == "memory":
		size, err := humanize.ParseBytes(text)
		if err != nil {
			return 0, fmt.Errorf("%q is neither a number of bytes nor a size such as 512MB or 512MiB", text)
		}
		return float64(size), nil
	}
	return 0, fmt.Errorf("%q is not a number", text)
}

func formatMetric(metric string, value float64) string {
	switch {
	case strings.HasSuffix(metric, "_seconds"):
		return time.Duration(value * float64(time.Second)).Round(10 * time.Microsecond).String()
	case (strings.HasSuffix(metric, "_bytes") || metric == "memory") && value >= 1000:
		return humanize.Bytes(uint64(value))
	}
	return strconv.FormatFloat(value, 'g', 4, 64)
}

// Violations returns the constraints that the metrics break, in the order
// given. A constraint on a metric that was not measured is an error, as it can
// be neither kept nor broken.
func (o Objectives) Violations(constraints []Constraint, metrics map[string]float64) ([]Violation, error) {
	var broken []Violation
	for _, c := range constraints {
		name := o.Metric(c.Metric)
		value, ok := metrics[name]
		if !ok {
			_, err := positive(metrics, name)
			return nil, fmt.Errorf("constraint %s: %w", c.Text, err)
		}
		if c.AtMost && value > c.Value || !c.AtMost && value < c.Value {
			broken = append(broken, Violation{Constraint: c, Measured: value})
		}
	}
	return broken, nil
}

// Limit returns the tightest limit that the constraints put on an objective
// ("throughput" or "memory", or the metric that stands for it), and whether
// there is one.
func (o Objectives) Limit(constraints []Constraint, objective string) (float64, bool) {
	var limits []float64
	for _, c := range constraints {
		if o.Metric(c.Metric) == o.Metric(objective) && c.AtMost == (o.Metric(objective) == o.Memory) {
			limits = append(limits, c.Value)
		}
	}
	if len(limits) == 0 {
		return 0, false
	}
	if o.Metric(objective) == o.Memory {
		return slices.Min(limits), true
	}
	return slices.Max(limits), true
}
