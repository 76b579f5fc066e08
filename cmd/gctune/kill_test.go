package main

import (
	"math/rand/v2"
	"testing"
	"time"
)

// gctune is killed at ten random moments; each time the same command goes on.
// What was finished is neither lost nor measured again, and nothing of an
// earlier run is left once the next has begun.
func TestKilledStudiesGoOn(t *testing.T) {
	s := newStudy(t, server(`puma, -b, "tcp://127.0.0.1:{port}", -t, "1:1", -w, "2", config.ru`))
	seed := uint64(time.Now().UnixNano())
	t.Logf("moments from seed %d", seed)
	moments := rand.New(rand.NewPCG(seed, 0))
	// Two studies have not the same log, of which a model would expect different things.
	optimize := []string{"optimize", "--no-confirm", "--no-foresight", "--budget", "6", "--seed", "5"}
	finished := map[int]trialJSON{}
	for range 10 {
		cmd := s.command(optimize...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(moments.Int64N(int64(4 * time.Second)))) // the moment is the test's input
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		s.checkFinished(finished)
	}
	orphans := s.left()
	s.output(optimize...)
	s.checkFinished(finished)
	if left := s.left(); len(left) > 0 {
		t.Errorf("left running: %v (before the last start: %v)", left, orphans)
	}
	if len(finished) != 6 {
		t.Errorf("%d trials are finished, want 6", len(finished))
	}
	unbroken := newStudy(t, server(pumaSingle))
	for i, trial := range parseTrials(t, unbroken.output(append(optimize, "--format", "json")...)) {
		if i < 3 && trial.Setting.Key() != finished[i].Setting.Key() { // later ones depend on what was measured
			t.Errorf("trial %d: %s in the killed study, %s in an unbroken one", i, finished[i].Setting.Key(), trial.Setting.Key())
		}
	}
}

// checkFinished sees that each trial that was ever finished is there as it was.
func (s study) checkFinished(finished map[int]trialJSON) {
	s.t.Helper()
	now := map[int]trialJSON{}
	cmd := s.command("trials", "--format", "json")
	out, err := cmd.Output()
	if err != nil {
		if len(finished) > 0 {
			s.t.Fatalf("the store cannot be read after a kill: %v", err)
		}
		return // killed before there was a store
	}
	settings := map[string]int{}
	for _, trial := range parseTrials(s.t, string(out)) {
		if other, twice := settings[trial.Setting.Key()]; twice {
			s.t.Errorf("trials %d and %d measure one setting: %s", other, trial.Trial, trial.Setting.Key())
		}
		settings[trial.Setting.Key()] = trial.Trial
		if trial.State == "complete" || trial.State == "infeasible" {
			now[trial.Trial] = trial
		}
	}
	for number, was := range finished {
		is, there := now[number]
		if !there || number > 0 && *is.Throughput != *was.Throughput {
			s.t.Errorf("trial %d was %+v and is %+v", number, was, is)
		}
	}
	for number, trial := range now {
		finished[number] = trial
	}
}
