package load

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// message is a request made ready: the bytes to send are built once, so that
// sending costs one write.
type message struct {
	name     string
	wire     []byte
	status   int
	contains []byte
	// final says that the connection is not to be used again.
	final bool
	// shape tells net/http's parser which method the answer answers.
	shape *http.Request
}

// repeatable says that sending the message twice does no more than sending it
// once.
func (m message) repeatable() bool {
	return m.shape.Method == http.MethodGet || m.shape.Method == http.MethodHead
}

// compile builds the message of each request of a checked plan.
func compile(p Plan, address string) []message {
	messages := make([]message, len(p.Requests))
	for i, r := range p.Requests {
		headers := headers(r, p.Headers, address)
		messages[i] = message{
			name:     r.Name(),
			wire:     wire(r, headers),
			final:    strings.EqualFold(headers.Get("Connection"), "close"),
			status:   r.status(),
			contains: []byte(r.Expect.Contains),
			shape:    &http.Request{Method: r.method()},
		}
	}
	return messages
}

func headers(r Request, common map[string]string, address string) http.Header {
	headers := http.Header{}
	headers.Set("User-Agent", "gctune")
	headers.Set("Accept", "*/*")
	headers.Set("Host", address)
	for name, value := range common {
		headers.Set(name, value)
	}
	for name, value := range r.Headers {
		headers.Set(name, value)
	}
	if r.Body != "" || bodyExpected(r.method()) {
		headers.Set("Content-Length", strconv.Itoa(len(r.Body)))
	}
	return headers
}

func wire(r Request, headers http.Header) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", r.method(), r.Path)
	// A bytes.Buffer takes every write.
	_ = headers.Write(&b)
	b.WriteString("\r\n" + r.Body)
	return b.Bytes()
}

// bodyExpected reports whether a server may insist on a length even when the
// body is empty (RFC 9110, section 8.6).
func bodyExpected(method string) bool {
	return method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
}
