package harness_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gctune/gctune/harness"
)

// Who waits for a page that is not there hears of it long before the time is up, and
// what can be done about it.
func TestAPageThatIsNotThereIsTold(t *testing.T) {
	s := puma(t)
	s.Ready.Path = "/nowhere"
	s.Ready.Expect.Status = 200
	s.ReadyTimeout = 6 * time.Second
	var told []string
	s.Tell = func(text string) { told = append(told, text) }
	got := measure(t, s, nil)
	wantState(t, got, harness.Failed)
	const advice = "GET /nowhere: 404 Not Found\": it is up, so name a page that answers 200 in server.ready.path"
	if len(told) != 1 || !strings.Contains(told[0], "5s of at most 6s") || !strings.Contains(told[0], advice) {
		t.Errorf("told %q", told)
	}
	if !strings.Contains(got.Reason, "was not ready within 6s") || !strings.Contains(got.Reason, advice) {
		t.Errorf("reason %q", got.Reason)
	}
}

// Nobody is told of a server that starts at once.
func TestAQuickStartIsNotTold(t *testing.T) {
	s := puma(t)
	s.Tell = func(text string) { t.Errorf("told %q", text) }
	wantState(t, measure(t, s, nil), harness.Complete)
}

// Nobody is told either of one that takes its time to answer at all.
func TestASlowStartIsNotTold(t *testing.T) {
	s := server(t, "sh", "-c", "sleep 6; exec puma -b tcp://127.0.0.1:$1 -t 1:1 config.ru", "sh", "{port}")
	s.Tell = func(text string) { t.Errorf("told %q", text) }
	wantState(t, measure(t, s, nil), harness.Complete)
}

// A reminder comes after five seconds, ten, twenty, forty and so on, once each.
func TestReminders(t *testing.T) {
	due := harness.Reminders()
	for _, c := range []struct {
		waited time.Duration
		want   bool
	}{
		{4900 * time.Millisecond, false}, {5 * time.Second, true}, {5 * time.Second, false}, {9 * time.Second, false},
		{10 * time.Second, true}, {11 * time.Second, false}, {45 * time.Second, true}, {79 * time.Second, false}, {80 * time.Second, true},
	} {
		if got := due(c.waited); got != c.want {
			t.Errorf("after %s: %v", c.waited, got)
		}
	}
}
