package load_test

import (
	"net"
	"sync"
	"testing"

	"github.com/gctune/gctune/harness/load"
)

// tenThenNothing answers ten requests on each connection and closes it at the
// eleventh, without a word, as Puma 4 does.
func tenThenNothing() func(net.Conn) bool {
	var mu sync.Mutex
	answered := map[net.Conn]int{}
	return func(c net.Conn) bool {
		mu.Lock()
		defer mu.Unlock()
		if answered[c]++; answered[c] > 10 {
			return false
		}
		return say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", true)(c)
	}
}

func runAgainst(t *testing.T, target, method string) load.Report {
	t.Helper()
	driver, err := load.New(load.Plan{Target: target, Requests: []load.Request{{Method: method, Path: "/"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer driver.Close()
	report, err := driver.Run(t.Context(), load.Until{Requests: 45})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestConnectionsClosedWithoutAWord(t *testing.T) {
	got := runAgainst(t, rawServer(t, tenThenNothing()), "GET")
	if got.Expected != 45 || got.ConnectionErrors != 0 || got.Connections != 5 {
		t.Errorf("got %v", got)
	}
	// What may not be repeated is an error, and shows.
	got = runAgainst(t, rawServer(t, tenThenNothing()), "POST")
	if got.ConnectionErrors != 4 || got.Expected != 41 {
		t.Errorf("POST: got %v", got)
	}
}

// A server that answers nothing is not asked for ever.
func TestRepeatedOnce(t *testing.T) {
	got := runAgainst(t, rawServer(t, func(net.Conn) bool { return false }), "GET")
	if got.Expected != 0 || got.ConnectionErrors != 45 || got.Connections != 45 {
		t.Errorf("got %v", got)
	}
}
