package load

import (
	"context"
	"io"
	"net"
	"time"
)

// SetDial makes a driver use connections that a test provides.
func (d *Driver) SetDial(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	d.dial = dial
}

// Cycle, Drain, Due and Total are the parts that are checked as arithmetic.
var Cycle = cycle

// Drain is drain with a buffer of its own.
func Drain(body io.Reader, texts ...[]byte) (int64, []bool, int, error) {
	n, found, buf, err := drain(body, nil, texts...)
	return n, found, len(buf), err
}

// Due is when request i of an open loop is due after its start.
func Due(rate float64, i int) time.Duration {
	return pace{time.Time{}, rate}.due(i).Sub(time.Time{})
}

// Total is the number of requests of an open loop.
func Total(rate float64, until Until) int { return pace{rate: rate}.total(until) }
