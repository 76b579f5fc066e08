//go:build unix

package sampler_test

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/gctune/gctune/tuner/sampler"
	"github.com/gctune/gctune/tuner/space"
)

// BenchmarkPropose shows what a proposal costs and how that grows with the
// history, in a space of eight parameters. CPU time is of all threads, and tells
// more than wall time where other programs run.
func BenchmarkPropose(b *testing.B) {
	var parameters []space.Parameter
	for i := range 8 {
		parameters = append(parameters, space.Parameter{Name: fmt.Sprint("P", i), Scale: space.Log, Min: 1000, Max: 1_000_000})
	}
	s, err := space.New(parameters)
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range sampler.Names() {
		for _, trials := range []int{50, 500, 2000} {
			b.Run(fmt.Sprintf("%s/%d", name, trials), func(b *testing.B) {
				search, err := sampler.New(name, nil)
				if err != nil {
					b.Fatal(err)
				}
				r := sampler.Request{Space: s, Seed: 1, Reference: []float64{1, 2}, History: longHistory(s, trials)}
				if name == "cmaes" { // it passes trials over that are not its own
					r.History = ownHistory(b, search, r)
				}
				before := processCPU(b)
				for b.Loop() {
					if _, err := search.Propose(r); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64((processCPU(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
			})
		}
	}
}

// processCPU is the CPU time of this process so far.
func processCPU(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// longHistory has settings that gather towards the front, as those of a search do.
func longHistory(s space.Space, trials int) []sampler.Observation {
	rng := rand.New(rand.NewPCG(1, 1))
	history := make([]sampler.Observation, trials)
	for n := range history {
		u := make([]float64, s.Dim())
		height := 0.0
		for i := range u {
			u[i] = rng.Float64()
			if i > 0 {
				u[i] = 0.5 + (u[i]-0.5)*10/float64(10+n)
				height += (u[i] - 0.5) * (u[i] - 0.5)
			}
		}
		history[n] = sampler.Observation{
			Setting: s.Decode(u), Losses: []float64{u[0] + height, 1 - u[0]*u[0] + height}}
	}
	return history
}

// ownHistory is as long as the request's, and all of it proposed by the sampler.
func ownHistory(b *testing.B, search sampler.Sampler, r sampler.Request) []sampler.Observation {
	b.Helper()
	trials := len(r.History)
	r.History = nil
	for range trials {
		setting, err := search.Propose(r)
		if err != nil {
			b.Fatal(err)
		}
		u := r.Space.Encode(setting)
		r.History = append(r.History, sampler.Observation{Setting: setting, Losses: []float64{u[0] + u[1], 1 - u[0] + u[1]}})
	}
	return r.History
}
