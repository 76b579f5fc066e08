// Package objective turns the metrics of a measured trial into losses, checks
// constraints, and compares settings. It is pure: no clock, no files, no
// context.
package objective

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Objectives names the two metrics a study trades against each other.
type Objectives struct {
	// Throughput is the metric to maximise.
	Throughput string `json:"throughput"`
	// Memory is the metric to minimise.
	Memory string `json:"memory"`
}

// MissingMetricError says that a measurement lacks the metric of an objective
// or of a constraint.
type MissingMetricError struct {
	// Metric is the name that was looked for.
	Metric string
	// Have are the names that were measured, sorted.
	Have []string
}

func (e *MissingMetricError) Error() string {
	return fmt.Sprintf("metric %q was not measured (measured: %s)", e.Metric, strings.Join(e.Have, ", "))
}

// Metric resolves the aliases "throughput" and "memory" to the metrics that
// stand for them; any other name is returned as it is.
func (o Objectives) Metric(name string) string {
	switch name {
	case "throughput":
		return o.Throughput
	case "memory":
		return o.Memory
	}
	return name
}

// Losses returns what a search minimises: the negative natural logarithm of
// the throughput, and the natural logarithm of the memory. Logarithms make a
// gain of 10 % weigh the same at every size, and turn multiplicative noise into
// additive noise. A missing metric, or one that is not a positive finite
// number, is an error.
func (o Objectives) Losses(metrics map[string]float64) ([]float64, error) {
	throughput, err := positive(metrics, o.Throughput)
	if err != nil {
		return nil, err
	}
	memory, err := positive(metrics, o.Memory)
	if err != nil {
		return nil, err
	}
	return []float64{-math.Log(throughput), math.Log(memory)}, nil
}

// Reference returns the reference point, in losses, that belongs to a
// throughput and a memory: the corner beyond which a setting is worth nothing.
func Reference(throughput, memory float64) []float64 {
	return []float64{-math.Log(throughput), math.Log(memory)}
}

func positive(metrics map[string]float64, name string) (float64, error) {
	value, ok := metrics[name]
	if !ok {
		return 0, &MissingMetricError{Metric: name, Have: slices.Sorted(maps.Keys(metrics))}
	}
	if !(value > 0) || math.IsInf(value, 1) {
		return 0, fmt.Errorf("metric %q is %v: an objective must be a positive number", name, value)
	}
	return value, nil
}

// MeanMetrics averages each metric over the runs of one trial: objectives by
// their geometric mean, as they are modelled on a logarithmic scale, all others
// by the arithmetic mean of the runs that have them.
func (o Objectives) MeanMetrics(runs []map[string]float64) map[string]float64 {
	values := map[string][]float64{}
	for _, run := range runs {
		for name, value := range run {
			values[name] = append(values[name], value)
		}
	}
	mean := make(map[string]float64, len(values))
	for name, vs := range values {
		if name == o.Throughput || name == o.Memory {
			mean[name] = geometricMean(vs)
		} else {
			mean[name] = arithmeticMean(vs)
		}
	}
	return mean
}

func arithmeticMean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// geometricMean falls back to the arithmetic mean where a logarithm does not
// exist; Losses refuses such values anyway.
func geometricMean(values []float64) float64 {
	if len(values) == 1 {
		return values[0] // exactly, not by way of its logarithm
	}
	sum := 0.0
	for _, v := range values {
		if v <= 0 {
			return arithmeticMean(values)
		}
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}
