package process_test

import (
	"testing"
	"time"

	"github.com/gctune/gctune/harness/process"
)

// A read that has to wait half a second for its turn, as on a busy machine, costs no
// CPU time: the next ones follow at the interval, and not ten seconds later.
func TestAReadThatWaitsDoesNotBlindTheSampler(t *testing.T) {
	began, reads, fifth := time.Now(), 0, make(chan time.Duration, 1)
	s := process.StartSampling(func() (process.Memory, error) {
		switch reads++; reads {
		case 1:
			time.Sleep(500 * time.Millisecond) // the wait is what is tried
		case 5:
			fifth <- time.Since(began)
		}
		return process.Memory{PSS: 1, RSS: 1, HavePSS: true}, nil
	}, time.Millisecond)
	defer s.Stop()
	select {
	case after := <-fifth:
		t.Logf("five reads took %s", after)
	case <-time.After(5 * time.Second):
		t.Fatal("after a read that waited, four more were not seen within 5 s")
	}
}

func TestSpacingOfSamples(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct{ interval, cpu, elapsed, want time.Duration }{
		{20 * ms, ms / 3, time.Second, 20 * ms},   // a small tree: the interval
		{20 * ms, 13 * ms, time.Minute, 260 * ms}, // a large one: a twentieth of a core
		{20 * ms, 13 * ms, time.Second, 100 * ms}, // early in the run: a tenth of it
		{20 * ms, 13 * ms, 50 * ms, 20 * ms},      // and never below the interval
		{200 * ms, 13 * ms, time.Minute, 260 * ms},
	} {
		if got := process.Spacing(c.interval, c.cpu, c.elapsed); got != c.want {
			t.Errorf("interval %s, CPU %s, after %s: %s, want %s", c.interval, c.cpu, c.elapsed, got, c.want)
		}
	}
}
