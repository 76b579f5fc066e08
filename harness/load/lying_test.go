package load_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/load"
)

// rawServer answers each request on each connection with what speak writes;
// speak reports whether the connection stays open.
func rawServer(t *testing.T, speak func(c net.Conn) bool) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
			go serveRaw(conn, speak)
		}
	}()
	return "http://" + listener.Addr().String()
}

func serveRaw(conn net.Conn, speak func(c net.Conn) bool) {
	reader := bufio.NewReader(conn)
	for {
		r, err := http.ReadRequest(reader)
		if err != nil {
			break
		}
		if _, err = io.Copy(io.Discard, r.Body); err != nil || !speak(conn) {
			break
		}
	}
	conn.Close()
}

func say(text string, keep bool) func(net.Conn) bool {
	return func(c net.Conn) bool {
		_, err := io.WriteString(c, text)
		return err == nil && keep
	}
}

func reset(c net.Conn) bool {
	_ = c.(*net.TCPConn).SetLinger(0)
	return false
}

// hang leaves the client waiting: the next read ends when the client gives up.
func hang(c net.Conn) bool {
	_, _ = io.Copy(io.Discard, c)
	return false
}

// drip sends one byte at a time, for ever: each read succeeds, the whole
// never ends.
func drip(c net.Conn) bool {
	_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
	for err == nil {
		time.Sleep(time.Millisecond)
		_, err = io.WriteString(c, "x")
	}
	return false
}

// endlessHead sends headers for ever.
func endlessHead(c net.Conn) bool {
	_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\n")
	line := strings.Repeat("x", 1000)
	for i := 0; err == nil; i++ {
		_, err = fmt.Fprintf(c, "X-%d: %s\r\n", i, line)
	}
	return false
}

func endlessInterim(c net.Conn) bool {
	var err error
	for err == nil {
		_, err = io.WriteString(c, "HTTP/1.1 103 Early Hints\r\n\r\n")
	}
	return false
}

// nowhere is an address at which nothing listens.
func nowhere(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return "http://" + listener.Addr().String()
}

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

func TestOutcomesOfLyingServers(t *testing.T) {
	chunked := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for name, c := range map[string]struct {
		speak   func(net.Conn) bool
		class   load.Class
		status  int
		failure string
	}{
		"plain":             {say(ok, true), load.Expected, 200, ""},
		"text across chunk": {say(chunked+"3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", true), load.Expected, 200, ""},
		"until close":       {say("HTTP/1.1 200 OK\r\n\r\nhello", false), load.Expected, 200, ""},
		"HTTP/1.0":          {say("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", false), load.Expected, 200, ""},
		"100 continue":      {say("HTTP/1.1 100 Continue\r\n\r\n"+ok, true), load.Expected, 200, ""},
		"surplus":           {say(ok+"garbage", true), load.Expected, 200, ""},
		"keeps no promise":  {say("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello", true), load.Expected, 200, ""},
		"wrong status":      {say("HTTP/1.1 404 Nope\r\nContent-Length: 0\r\n\r\n", true), load.HTTPError, 404, "GET /x: 404 Not Found"},
		"no content":        {say("HTTP/1.1 204 No Content\r\n\r\n", true), load.HTTPError, 204, "204 No Content"},
		"redirect":          {say("HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n", true), load.HTTPError, 302, `302 Found, redirect to "/login"`},
		"other content":     {say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhallo", true), load.HTTPError, 200, `200 OK, but the body (5 bytes) does not contain "hello"`},
		"upgrade":           {say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", true), load.HTTPError, 101, "101 Switching Protocols"},
		"closes at once":    {say("", false), load.ConnectionError, 0, "connection closed by the server before the answer was complete"},
		"closes in head":    {say("HTTP/1.1 200 OK\r\nConte", false), load.ConnectionError, 0, "connection closed by the server"},
		"closes in body":    {say("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello", false), load.ConnectionError, 200, "200 OK, then after 5 bytes of body: connection closed"},
		"closes in chunk":   {say(chunked+"ff\r\nhello", false), load.ConnectionError, 200, "connection closed"},
		"closes in 500":     {say("HTTP/1.1 500 X\r\nContent-Length: 50\r\n\r\n", false), load.ConnectionError, 500, "500 Internal Server Error, then"},
		"bad chunk":         {say(chunked+"zz\r\nhello\r\n0\r\n\r\n", false), load.ConnectionError, 200, "not a valid HTTP answer"},
		"garbage":           {say("SSH-2.0-OpenSSH\r\n\x1b[2J\r\n\r\n", false), load.ConnectionError, 0, "not a valid HTTP answer"},
		"bad header":        {say("HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", false), load.ConnectionError, 0, "not a valid HTTP answer: malformed header"},
		"two lengths":       {say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", false), load.ConnectionError, 0, "not a valid HTTP answer"},
		"reset":             {reset, load.ConnectionError, 0, "connection reset by the server"},
		"never answers":     {hang, load.ConnectionError, 0, "no complete answer within 300ms"},
		"slow drip":         {drip, load.ConnectionError, 200, "no complete answer within 300ms"},
		"endless head":      {endlessHead, load.ConnectionError, 0, "headers longer than"},
		"endless interim":   {endlessInterim, load.ConnectionError, 0, "without end"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := load.Plan{Target: rawServer(t, c.speak), Timeout: 300 * time.Millisecond, Requests: []load.Request{
				{Path: "/x", Expect: load.Expect{Contains: "hello"}}}}
			if !strings.Contains(c.failure, "within") {
				p.Timeout = time.Minute // Only a timeout may depend on the clock.
			}
			checkTwice(t, p, c.class, c.status, c.failure)
		})
	}
	checkTwice(t, load.Plan{Target: nowhere(t), Requests: []load.Request{{Path: "/x"}}},
		load.ConnectionError, 0, "GET /x: connection refused at 127.0.0.1:")
}

// checkTwice sends two requests, so that a connection left in disorder shows.
func checkTwice(t *testing.T, p load.Plan, class load.Class, status int, failure string) {
	t.Helper()
	d := newDriver(t, p)
	for i := range 2 {
		o, err := d.One(context.Background(), i)
		if err != nil {
			t.Fatal(err)
		}
		if o.Class != class || o.Status != status || !strings.Contains(o.Failure, failure) || (failure == "") != (o.Failure == "") {
			t.Errorf("request %d: %v, status %d, %q; want %v, %d, %q", i, o.Class, o.Status, o.Failure, class, status, failure)
		}
		if strings.ContainsAny(o.Failure, "\r\n\x1b") || len(o.Failure) > 310 {
			t.Errorf("%q is not one short line", o.Failure)
		}
		if timedOut := strings.Contains(failure, "within"); o.TimedOut != timedOut {
			t.Errorf("timed out: %v", o.TimedOut)
		}
	}
}

func newDriver(t *testing.T, p load.Plan) *load.Driver {
	t.Helper()
	d, err := load.New(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}
