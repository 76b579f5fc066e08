package process_test

import (
	"fmt"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/process"
)

// turns is two processes that take 64 MB and give it back, each when it is told
// to through a socket, and say when they have.
const turns = `require "socket"
fork { loop { sleep } }
2.times do
  fork do
    c = UNIXSocket.new(ARGV[0])
    while (line = c.gets)
      case line.chomp
      when "take" then text = "x" * (64 << 20)
      when "give" then text.clear; text = nil; GC.start
      end
      c.puts "done"
    end
  end
end
sleep`

// Two processes that have 64 MB one after the other make a peak of 64 MB, and not
// one of 128: the peak is that of the tree at one moment.
func TestPeakIsOfOneMoment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	tree := start(t, process.Spec{Marker: marker(t)}, ruby(t), "--disable=gems", "-e", turns, path)
	var workers [2]net.Conn
	for i := range workers {
		if workers[i], err = listener.Accept(); err != nil {
			t.Fatal(err)
		}
		defer workers[i].Close()
	}
	tell := func(worker net.Conn, what string) {
		var answer string
		fmt.Fprintln(worker, what)
		if _, err := fmt.Fscan(worker, &answer); err != nil || answer != "done" {
			t.Fatalf("%q, %v", answer, err)
		}
	}
	sampler := tree.StartSampling(5 * time.Millisecond)
	for _, worker := range workers {
		tell(worker, "take")
		had, err := tree.Memory()
		if err != nil || had.RSS < 64*mb {
			t.Fatalf("one that has 64 MB: %+v, %v", had, err)
		}
		awaitSample(t)
		tell(worker, "give")
	}
	got := sampler.Stop()
	// Beside the 64 MB there are four interpreters of some 10 MB, most of it shared.
	if got.PSS.Peak < 64*mb || got.PSS.Peak > 120*mb || got.RSS.Peak < 64*mb || got.RSS.Peak > 160*mb {
		t.Errorf("peaks: PSS %d MB, RSS %d MB", got.PSS.Peak/mb, got.RSS.Peak/mb)
	}
	highest := int64(0)
	for i, s := range got.Times {
		highest = max(highest, s.PSS)
		if i > 0 && s.Seconds <= got.Times[i-1].Seconds {
			t.Errorf("sample %d is not later than the one before", i)
		}
	}
	if highest != got.PSS.Peak || len(got.Times) != got.Samples {
		t.Errorf("%d samples with a peak of %d; the summary says %d and %d", len(got.Times), highest, got.Samples, got.PSS.Peak)
	}
}

// awaitSample leaves the sampler time for some samples, of which each takes a few
// milliseconds: what is waited for cannot be seen from here.
func awaitSample(t *testing.T) {
	t.Helper()
	time.Sleep(200 * time.Millisecond)
}
