package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"
)

// Class says how a request counts.
type Class int

const (
	// Expected: a complete answer came, and it was the right one.
	Expected Class = iota
	// HTTPError: a complete answer came, with another status than expected
	// (a redirect included) or without the expected content.
	HTTPError
	// ConnectionError: no complete answer came. The connection was refused,
	// reset or cut off, the time was up, or what came was not HTTP.
	ConnectionError
)

// String is the class in words.
func (c Class) String() string {
	switch c {
	case Expected:
		return "expected answer"
	case HTTPError:
		return "HTTP error"
	case ConnectionError:
		return "connection error"
	}
	return fmt.Sprintf("class %d", int(c))
}

// Outcome is what became of one request.
type Outcome struct {
	Class Class
	// Status is the answer's status code; 0 when no head of an answer came.
	Status int
	// Location is where a redirect points to.
	Location string
	// Failure describes what went wrong, in one line that begins with the
	// request, as in "GET /x: 404 Not Found"; empty for an expected answer.
	Failure string
	// Latency is the time from sending (in an open loop: from when sending
	// was due) to the last byte of the body or to the failure. Making a
	// connection is part of it when one had to be made.
	Latency time.Duration
	// TimedOut is set when the plan's Timeout ended the request.
	TimedOut bool

	reply reply
}

// unconnected reports whether a new connection failed before any answer: the
// server is most likely not there.
func (o Outcome) unconnected() bool {
	return o.Class == ConnectionError && o.Status == 0 && o.reply.dialled
}

// judge compares what came with what was expected.
func judge(m message, r reply, err error, timeout time.Duration) Outcome {
	o := Outcome{Status: r.status, Location: r.location, reply: r}
	switch {
	case err != nil:
		o.Class = ConnectionError
		o.TimedOut = isTimeout(err)
		o.Failure = describeError(r, err, timeout)
	case r.status != m.status:
		o.Class = HTTPError
		o.Failure = describeStatus(r, m.status)
	case !r.contains:
		o.Class = HTTPError
		o.Failure = fmt.Sprintf("%s, but the body (%d bytes) does not contain %q", statusText(r.status), r.length, m.contains)
	default:
		return o
	}
	o.Failure = oneLine(m.name + ": " + o.Failure)
	return o
}

func describeStatus(r reply, expected int) string {
	text := statusText(r.status)
	if expected != http.StatusOK {
		text += fmt.Sprintf(" (expected %s)", statusText(expected))
	}
	switch {
	case r.status >= 300 && r.status < 400 && r.location != "":
		text += fmt.Sprintf(", redirect to %q", r.location)
	case r.blocked:
		text += ", the server blocks this host name"
	}
	return text
}

func describeError(r reply, err error, timeout time.Duration) string {
	text := connectionText(r, err, timeout)
	if r.status != 0 {
		text = fmt.Sprintf("%s, then after %d bytes of body: %s", statusText(r.status), r.length, text)
	}
	return text
}

func connectionText(r reply, err error, timeout time.Duration) string {
	switch {
	case isTimeout(err):
		return fmt.Sprintf("no complete answer within %v", timeout)
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused" + peer(err)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return "no local port is left for another connection: the server seems to close each one"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "connection reset by the server" + kept(r)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection closed by the server before the answer was complete" + kept(r)
	case errors.As(err, new(*net.OpError)):
		return err.Error()
	}
	return fmt.Sprintf("what came is not a valid HTTP answer: %s", strings.Replace(err.Error(), "malformed MIME header", "malformed header", 1))
}

// peer is the address that a connection could not be made to.
func peer(err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Addr != nil {
		return " at " + op.Addr.String()
	}
	return ""
}

// kept tells a server that drops idle connections unannounced, at the moment
// at which they are used, from one that fails while answering.
func kept(r reply) string {
	if r.dialled || r.status != 0 {
		return ""
	}
	return " on a kept connection (if the server drops these unannounced, send the header Connection: close)"
}

func isTimeout(err error) bool {
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded)
}

// statusText does not repeat the server's own wording, which may be anything.
func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

// longestFailure keeps a description readable as one line.
const longestFailure = 300

// oneLine makes a text fit for one line of a terminal, whatever a server put
// into it.
func oneLine(text string) string {
	clean := strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(text, "\uFFFD"))
	if len(clean) > longestFailure {
		clean = strings.ToValidUTF8(clean[:longestFailure], "") + "…"
	}
	return clean
}
