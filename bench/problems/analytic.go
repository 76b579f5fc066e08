package problems

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/gctune/gctune/tuner/pareto"
	"github.com/gctune/gctune/tuner/space"
)

// model is a problem as a formula: throughput and memory of a setting's values,
// false when the setting is infeasible, and a list of settings dense enough on
// the front to measure it by.
type model struct {
	name       string
	parameters []space.Parameter
	reference  [2]float64 // throughput and memory
	formula    func(map[string]float64) (throughput, memory float64, feasible bool)
	front      func() []map[string]float64
	best       float64    // hypervolume of the front, where there is no list of it
	noise      [2]float64 // standard deviations, relative to throughput and memory
	linear     bool       // whether losses are taken without logarithms
}

// All returns the analytic problems. An error is a fault in their tables.
func All() ([]Problem, error) {
	var all []Problem
	for _, m := range slices.Concat(published(), []model{heapModel(), workersModel(), valleyModel()}, heldOut()) {
		p, err := m.problem()
		if err != nil {
			return nil, fmt.Errorf("problem %s: %w", m.name, err)
		}
		all = append(all, p)
	}
	return all, nil
}

func (m model) problem() (Problem, error) {
	s, err := space.New(m.parameters)
	if err != nil {
		return Problem{}, err
	}
	p := Problem{
		Name: m.name, Space: s, Reference: m.losses(m.reference[0], m.reference[1]), Best: m.best,
		Evaluate: func(setting space.Setting, seed uint64, trial int) (Outcome, error) {
			return m.evaluate(setting, seed, trial)
		},
	}
	if m.front != nil {
		p.Best = pareto.Hypervolume2D(m.densePoints(), p.Reference)
	}
	return p, nil
}

func (m model) densePoints() []pareto.Point {
	var dense []pareto.Point
	for _, values := range m.front() {
		if throughput, memory, ok := m.formula(values); ok {
			dense = append(dense, pareto.Point{ID: len(dense), Losses: m.losses(throughput, memory)})
		}
	}
	return dense
}

// losses are what a search is told and its score is made of.
func (m model) losses(throughput, memory float64) []float64 {
	if m.linear {
		return []float64{-throughput, memory}
	}
	return []float64{-math.Log(throughput), math.Log(memory)}
}

func (m model) evaluate(setting space.Setting, seed uint64, trial int) (Outcome, error) {
	values := map[string]float64{}
	for _, p := range m.parameters {
		if p.Kind == space.Choice {
			values[p.Name] = float64(slices.Index(p.Values, setting[p.Name]))
			continue
		}
		value, err := strconv.ParseFloat(setting[p.Name], 64)
		if err != nil {
			return Outcome{}, fmt.Errorf("%s: %w", p.Name, err)
		}
		values[p.Name] = value
	}
	throughput, memory, ok := m.formula(values)
	if !ok {
		return Outcome{Infeasible: true}, nil
	}
	outcome := Outcome{True: m.losses(throughput, memory)}
	throughput *= 1 + m.noise[0]*gauss(seed, uint64(trial), 0)
	memory *= 1 + m.noise[1]*gauss(seed, uint64(trial), 1)
	outcome.Losses = m.losses(throughput, memory)
	return outcome, nil
}

// geometric returns n values from low to high in equal ratios.
func geometric(low, high float64, n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = low * math.Pow(high/low, float64(i)/float64(n-1))
	}
	return values
}
