package main

import "testing"

// Each kind of server that people run is tuned for five trials.
func TestServersAreTuned(t *testing.T) {
	for name, c := range map[string]struct {
		command   string
		processes float64
	}{
		"puma single":        {pumaSingle, 1},
		"puma cluster of 2":  {`puma, -b, "tcp://127.0.0.1:{port}", -t, "1:1", -w, "2", --preload, config.ru`, 3},
		"unicorn, 2 workers": {`unicorn, -l, "127.0.0.1:{port}", -c, unicorn.rb, config.ru`, 3},
		"webrick":            {`"{ruby}", webrick.rb, "{port}"`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStudy(t, server(c.command))
			trials := parseTrials(t, s.output("optimize", "--no-confirm", "--budget", "5", "--seed", "1", "--format", "json"))
			if len(trials) != 5 {
				t.Fatalf("%d trials, want 5", len(trials))
			}
			for _, trial := range trials {
				checkServerTrial(t, trial, c.processes)
			}
			if left := s.left(); len(left) > 0 {
				t.Errorf("left running: %v", left)
			}
		})
	}
}

func checkServerTrial(t *testing.T, trial trialJSON, processes float64) {
	t.Helper()
	m := trial.Metrics
	if trial.State != "complete" {
		t.Errorf("trial %d is %s: %s", trial.Trial, trial.State, trial.Reason)
		return
	}
	if m["requests"] != 100 || m["error_share"] != 0 || m["processes"] != processes {
		t.Errorf("trial %d: requests %v, errors %v, processes %v", trial.Trial, m["requests"], m["error_share"], m["processes"])
	}
	if *trial.Throughput != m["requests_per_cpu_second"] || *trial.Memory != m["memory_pss_peak_bytes"] {
		t.Errorf("trial %d: throughput %v and memory %v are not the objectives' metrics", trial.Trial, *trial.Throughput, *trial.Memory)
	}
	// Workers forked from one master share most of its pages.
	if processes > 1 && m["memory_pss_peak_bytes"] > 0.9*m["memory_rss_peak_bytes"] {
		t.Errorf("trial %d: PSS %v, RSS %v: shared pages count more than once", trial.Trial, m["memory_pss_peak_bytes"], m["memory_rss_peak_bytes"])
	}
}
