package load

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
)

// SetupError is a request that does not bring the answer that it should when
// it is tried before measuring.
type SetupError struct {
	// Outcome is what became of the request.
	Outcome Outcome
	// Hint says what to do about it.
	Hint string
}

// Error is what happened and what to do next, in one line.
func (e *SetupError) Error() string { return e.Outcome.Failure + ": " + e.Hint }

// Check sends each request of a plan once, without measuring, and reports
// those that do not bring what they should: errors.Join of a *SetupError for
// each. When a new connection brings no answer at all, the requests after it
// are not tried. Errors of
// the plan itself wrap ErrPlan.
func Check(ctx context.Context, p Plan) error {
	d, err := New(p)
	if err != nil {
		return err
	}
	defer d.Close()
	c, giveBack, err := d.borrow(ctx)
	if err != nil {
		return err
	}
	defer giveBack()
	var problems []error
	for _, m := range d.messages {
		o, err := d.deliver(ctx, c, m)
		if err != nil {
			return err
		}
		if o.Class != Expected {
			problems = append(problems, &SetupError{Outcome: o, Hint: hint(o)})
		}
		if o.unconnected() {
			break
		}
	}
	return errors.Join(problems...)
}

// Get sends one request on a connection of its own, as is right for asking
// whether a server is ready: each connection may meet another worker. The
// error is that of the context or of the request; a server that does not
// answer is an Outcome.
func Get(ctx context.Context, target string, r Request, timeout time.Duration) (Outcome, error) {
	d, err := New(Plan{Target: target, Requests: []Request{r}, Timeout: timeout,
		Headers: map[string]string{"Connection": "close"}})
	if err != nil {
		return Outcome{}, err
	}
	defer d.Close()
	return d.One(ctx, 0)
}

// blockedHostTexts are what applications say to a Host header that they don't
// know: Rails (ActionDispatch::HostAuthorization) and Sinatra
// (Rack::Protection::HostAuthorization).
func blockedHostTexts() [][]byte {
	return [][]byte{[]byte("Blocked host"), []byte("Host not permitted")}
}

// hint says what to do about a failure seen before the first trial.
func hint(o Outcome) string {
	if o.Class == ConnectionError {
		return connectionHint(o)
	}
	switch status := o.Status; {
	case o.Location != "" && status >= 300 && status < 400:
		return redirectHint(o.Location)
	case o.reply.blocked:
		return "set load.headers.Host to a name that the application allows"
	case status == http.StatusForbidden && o.reply.length == 0:
		return "Rails answers so, without a word, to a host that it does not know: set load.headers.Host to a name that the application allows"
	case status == http.StatusForbidden || status == http.StatusUnauthorized:
		return "the page needs credentials: send them in load.headers"
	case status == http.StatusNotFound:
		return "check the path, and that the Host header names this application"
	case status >= 500:
		return "the application failed: see the server's output"
	case o.reply.encoding != "":
		return "the body is compressed (Content-Encoding: " + oneLine(o.reply.encoding) + "): ask for a plain one, without Accept-Encoding"
	}
	return "if this answer is right, say so in the request's expect"
}

func redirectHint(location string) string {
	switch lower := strings.ToLower(location); {
	case strings.HasPrefix(lower, "https:"):
		return "the application insists on TLS: send the header X-Forwarded-Proto: https as its proxy would, or turn that off"
	case strings.Contains(lower, "login") || strings.Contains(lower, "sign_in") || strings.Contains(lower, "session"):
		return "the page needs a session: send one in load.headers.Cookie, or choose a public page"
	}
	return "redirects are not followed: request that page instead, or expect this status"
}

func connectionHint(o Outcome) string {
	switch {
	case o.TimedOut:
		return "see whether the server is stuck, or allow more time"
	case o.Status != 0:
		return "the answer broke off: see the server's output"
	}
	return "see whether the server runs, and whether it listens at the target's address for HTTP"
}
