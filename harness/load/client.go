package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// longestHead bounds the memory that a status line and headers may take.
const longestHead = 1 << 20

// mostInterim bounds the interim answers (100 Continue, 103 Early Hints)
// before the final one.
const mostInterim = 16

var (
	errHeadTooLong = fmt.Errorf("headers longer than %d bytes", longestHead)
	errInterim     = errors.New("interim answers (status 1xx) without end")
)

// dialFunc connects to a server; it is net.Dialer's DialContext but in tests.
type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// client is one keep-alive connection, or the place for one. It is used by
// one goroutine at a time, but interrupt may be called from any.
type client struct {
	dial    dialFunc
	address string
	reader  *bufio.Reader
	head    headLimit
	buf     []byte

	// mu guards what interrupt touches.
	mu          sync.Mutex
	conn        net.Conn
	interrupted bool
}

// reply is what came back of one exchange. Status is 0 when nothing did.
type reply struct {
	status   int
	location string
	encoding string
	length   int64
	contains bool
	blocked  bool
	dialled  bool
}

// exchange sends a message and reads the answer to its end. A server may close a
// kept connection at any time, and some do so every ten requests without a word
// (Puma 4): a request that can be repeated, and met a kept connection that closed
// before a byte of answer, is sent once more, as RFC 9112 section 9.3.1 allows and
// browsers do.
func (c *client) exchange(ctx context.Context, m message, deadline time.Time) (reply, error) {
	r, err := c.attempt(ctx, m, deadline)
	unanswered := !r.dialled && c.head.left == longestHead && !errors.Is(err, os.ErrDeadlineExceeded)
	if err != nil && unanswered && m.repeatable() && ctx.Err() == nil {
		return c.attempt(ctx, m, deadline)
	}
	return r, err
}

func (c *client) attempt(ctx context.Context, m message, deadline time.Time) (reply, error) {
	var r reply
	c.head.left = longestHead
	var err error
	if r.dialled, err = c.ready(ctx, deadline); err != nil {
		c.hangUp()
		return r, err
	}
	if _, err = c.conn.Write(m.wire); err != nil {
		c.hangUp()
		return r, err
	}
	keep, err := c.receive(m, &r)
	if err != nil || !keep || m.final || c.reader.Buffered() > 0 {
		// Bytes beyond the answer's end would be read as the next answer.
		c.hangUp()
	}
	return r, err
}

// ready makes sure of a connection that the server has not closed, and sets
// its deadline. It reports whether a new one was made.
func (c *client) ready(ctx context.Context, deadline time.Time) (bool, error) {
	if c.conn != nil {
		if err := c.adopt(c.conn, deadline); err != nil {
			return false, err
		}
		if silent(c.conn) {
			return false, nil
		}
		c.hangUp()
	}
	dialCtx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	conn, err := c.dial(dialCtx, "tcp", c.address)
	if err != nil {
		return true, err
	}
	c.head.conn, c.head.ended = conn, false
	if c.reader == nil {
		c.reader = bufio.NewReaderSize(&c.head, 16<<10)
	}
	c.reader.Reset(&c.head)
	return true, c.adopt(conn, deadline)
}

// adopt takes conn as the client's own and sets its deadline, unless the
// client has been interrupted.
func (c *client) adopt(conn net.Conn, deadline time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conn = conn
	if c.interrupted {
		return context.Canceled
	}
	return conn.SetDeadline(deadline)
}

// receive reads one final answer and reports whether the connection can be
// kept.
func (c *client) receive(m message, r *reply) (keep bool, err error) {
	answer, err := c.finalAnswer(m)
	if err != nil {
		return false, err
	}
	c.head.left = math.MaxInt64
	r.status = answer.StatusCode
	r.location = answer.Header.Get("Location")
	r.encoding = answer.Header.Get("Content-Encoding")
	texts := [][]byte{m.contains}
	if answer.StatusCode == http.StatusForbidden {
		texts = append(texts, blockedHostTexts()...)
	}
	var found []bool
	r.length, found, c.buf, err = drain(answer.Body, c.buf, texts...)
	r.contains = found[0]
	for _, f := range found[1:] {
		r.blocked = r.blocked || f
	}
	return !answer.Close && answer.StatusCode != http.StatusSwitchingProtocols, err
}

func (c *client) finalAnswer(m message) (*http.Response, error) {
	for range mostInterim {
		answer, err := http.ReadResponse(c.reader, m.shape)
		if err != nil && c.head.ended {
			// The parser sees a line that makes no sense: it was cut.
			return nil, io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		interim := answer.StatusCode >= 100 && answer.StatusCode < 200
		if !interim || answer.StatusCode == http.StatusSwitchingProtocols {
			return answer, nil
		}
	}
	return nil, errInterim
}

// hangUp closes the connection, if there is one. The peer may have closed it
// before, so that an error says nothing.
func (c *client) hangUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

// interrupt ends the exchange under way and refuses further ones.
func (c *client) interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.interrupted = true
	if c.conn != nil {
		// Only a closed connection refuses, and that one is idle anyway.
		_ = c.conn.SetDeadline(time.Unix(1, 0))
	}
}

// headLimit reads from a connection, at most `left` bytes: a server that
// sends headers without end must not fill the memory.
type headLimit struct {
	conn io.Reader
	left int64
	// ended says that the server has closed its side.
	ended bool
}

func (h *headLimit) Read(p []byte) (int, error) {
	if h.left <= 0 {
		return 0, errHeadTooLong
	}
	n, err := h.conn.Read(p)
	h.left -= int64(n)
	h.ended = err == io.EOF
	return n, err
}
