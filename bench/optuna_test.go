package main

import (
	"slices"
	"testing"

	"github.com/gctune/gctune/bench/problems"
	"github.com/gctune/gctune/tuner/sampler"
)

func openOptuna(t *testing.T) *optuna {
	t.Helper()
	python, err := newOptuna("")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(python.close)
	return python
}

// Every search of Optuna proposes valid settings of every kind of parameter,
// survives trials that fail, and does the same again in the process that it has
// used before.
func TestOptunaCanBeRepeated(t *testing.T) {
	python := openOptuna(t)
	p := problems.WithVoids(problem(t, "workers"), 0.2)
	for _, name := range optunaNames() {
		e := newOptunaEntrant(name, python)
		var records [3]problems.Record
		for i, seed := range []uint64{3, 3, 4} {
			var err error
			if records[i], err = e.run(p, seed, 52); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for trial, o := range records[i].History {
				if err := p.Space.Check(o.Setting); err != nil {
					t.Errorf("%s, trial %d: %v", name, trial, err)
				}
			}
		}
		if !slices.Equal(records[0].Scores, records[1].Scores) || slices.Equal(records[0].Scores, records[2].Scores) {
			t.Errorf("%s: want the same for the same seed, and something else for another one", name)
		}
		if cost, ok, err := e.cost(p, nil); cost <= 0 || !ok || err != nil {
			t.Errorf("%s: a proposal costs %v, %v, %v", name, cost, ok, err)
		}
	}
}

// Optuna's estimator learns from what it is told over the pipe, the reference
// point too: then it finds more than chance does, by far.
func TestOptunaLearns(t *testing.T) {
	python := openOptuna(t)
	p := problem(t, "zdt1l")
	gain := 0.0
	for seed := range uint64(2) {
		got, err := newOptunaEntrant("optuna-tpe-told", python).run(p, seed, 100)
		if err != nil {
			t.Fatal(err)
		}
		random, err := problems.Run(p, sampler.Random{}, seed, 100)
		if err != nil {
			t.Fatal(err)
		}
		gain += (got.Scores[99] - random.Scores[99]) / 2
	}
	if gain < 0.1 {
		t.Errorf("it finds %.3f more than chance after 100 trials, want 0.1 at least", gain)
	}
}
