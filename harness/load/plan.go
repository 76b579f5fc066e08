package load

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// ErrPlan is wrapped by every error that is the plan's own fault: it must be
// changed before anything can be sent.
var ErrPlan = errors.New("load")

// ParseRequest reads the short form of a request, "METHOD /path".
func ParseRequest(text string) (Request, error) {
	words := strings.Fields(text)
	if len(words) != 2 {
		return Request{}, fmt.Errorf("%w: request %q is not of the form METHOD /path, as in GET /index", ErrPlan, text)
	}
	r := Request{Method: words[0], Path: words[1]}
	if err := r.check(); err != nil {
		return Request{}, fmt.Errorf("%w: request %q: %w", ErrPlan, text, err)
	}
	return r, nil
}

// Name is the request in a few words: "GET /index".
func (r Request) Name() string { return r.method() + " " + r.Path }

func (r Request) method() string {
	if r.Method == "" {
		return http.MethodGet
	}
	return r.Method
}

func (r Request) weight() int { return max(r.Weight, 1) }

func (r Request) status() int {
	if r.Expect.Status == 0 {
		return http.StatusOK
	}
	return r.Expect.Status
}

// check says what is wrong with a request by itself.
func (r Request) check() error {
	if err := checkMethod(r.method()); err != nil {
		return err
	}
	if err := checkPath(r.Path); err != nil {
		return err
	}
	if r.Weight < 0 {
		return fmt.Errorf("weight %d is negative: leave it out or give 1 or more", r.Weight)
	}
	if s := r.status(); s < 200 || s > 599 {
		return fmt.Errorf("expected status %d is not a status of a final answer (200 to 599)", s)
	}
	return checkHeaders(r.Headers)
}

func checkMethod(method string) error {
	if method == http.MethodConnect {
		return errors.New("method CONNECT asks for a tunnel, not for a page")
	}
	for _, c := range method {
		if c < 'A' || c > 'Z' {
			return fmt.Errorf("method %q is not a word in capitals: write GET, POST, …", method)
		}
	}
	return nil
}

func checkPath(path string) error {
	if !strings.HasPrefix(path, "/") {
		return fmt.Errorf("path %q does not begin with /", path)
	}
	for _, c := range []byte(path) {
		if c <= ' ' || c >= 0x7f {
			return fmt.Errorf("path %q holds a character that must be percent-encoded (%%%02X)", path, c)
		}
		if c == '#' {
			return fmt.Errorf("path %q has a fragment (#), which is never sent: remove it or write %%23", path)
		}
	}
	return nil
}

// checkHeaders refuses what would break the message's framing.
func checkHeaders(headers map[string]string) error {
	seen := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		key := http.CanonicalHeaderKey(name)
		if name == "" || strings.ContainsFunc(name, notToken) {
			return fmt.Errorf("header name %q is not a word of letters, digits and hyphens", name)
		}
		if strings.ContainsAny(headers[name], "\r\n\x00") {
			return fmt.Errorf("header %s has a line break in its value", name)
		}
		if key == "Content-Length" || key == "Transfer-Encoding" {
			return fmt.Errorf("header %s is set from the body: remove it", name)
		}
		if other, twice := seen[key]; twice {
			return fmt.Errorf("headers %s and %s are the same header: keep one", other, name)
		}
		seen[key] = name
	}
	return nil
}

// notToken reports whether c may not stand in a header's name (RFC 9110,
// section 5.6.2).
func notToken(c rune) bool {
	letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	return !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", c)
}

// check says what is wrong with a plan, naming the request.
func (p Plan) check() error {
	if len(p.Requests) == 0 {
		return fmt.Errorf("%w: no requests: list at least one, as in GET /index", ErrPlan)
	}
	for i, r := range p.Requests {
		if err := r.check(); err != nil {
			return fmt.Errorf("%w: request %d (%q): %w", ErrPlan, i+1, r.Name(), err)
		}
	}
	if err := checkHeaders(p.Headers); err != nil {
		return fmt.Errorf("%w: %w", ErrPlan, err)
	}
	if p.Concurrency < 0 {
		return fmt.Errorf("%w: concurrency %d is negative: give 1 or more", ErrPlan, p.Concurrency)
	}
	if math.IsNaN(p.Rate) || p.Rate < 0 || p.Rate > 1e6 {
		return fmt.Errorf("%w: rate %v is not between 0 and a million requests per second", ErrPlan, p.Rate)
	}
	if p.Timeout < 0 {
		return fmt.Errorf("%w: timeout %v is negative", ErrPlan, p.Timeout)
	}
	return nil
}

// address is the target as host:port.
func (p Plan) address() (string, error) {
	u, err := url.Parse(p.Target)
	if err != nil {
		return "", fmt.Errorf("%w: target is not of the form http://HOST:PORT: %w", ErrPlan, err)
	}
	if u.Scheme == "https" {
		return "", fmt.Errorf("%w: target %q: TLS is not spoken: measure the server behind it by http://", ErrPlan, p.Target)
	}
	if u.Scheme != "http" || u.Hostname() == "" || u.User != nil || strings.Trim(u.RequestURI(), "/") != "" {
		return "", fmt.Errorf("%w: target %q is not of the form http://HOST:PORT", ErrPlan, p.Target)
	}
	if u.Port() == "" {
		return net.JoinHostPort(u.Hostname(), "80"), nil
	}
	return u.Host, nil
}
