package load

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// ErrClosed is returned when a driver is used after Close.
var ErrClosed = errors.New("load: driver is closed")

// Driver sends the requests of one plan to one server, and keeps the
// connections between runs. Its methods may be called concurrently.
type Driver struct {
	plan     Plan
	address  string
	messages []message
	order    []int
	timeout  time.Duration
	dial     dialFunc

	mu     sync.Mutex
	idle   []*client
	closed bool
}

// New makes the driver of a plan. Nothing is sent yet. Errors wrap ErrPlan.
func New(p Plan) (*Driver, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	address, err := p.address()
	if err != nil {
		return nil, err
	}
	weights := make([]int, len(p.Requests))
	for i, r := range p.Requests {
		weights[i] = r.weight()
	}
	order, err := cycle(weights)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPlan, err)
	}
	timeout := p.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	return &Driver{
		plan: p, address: address, messages: compile(p, address), order: order, timeout: timeout,
		// TCP's own probes are of no use to connections that live for
		// minutes, and cost four system calls for each.
		dial: (&net.Dialer{KeepAlive: -1}).DialContext,
	}, nil
}

// Close closes the idle connections, and the others as their requests end.
func (d *Driver) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, c := range d.idle {
		c.hangUp()
	}
	d.idle = nil
}

// One sends request i of the sequence (0 is the first; it goes on without
// end) and waits for what becomes of it. The error is that of the context, or
// ErrClosed.
func (d *Driver) One(ctx context.Context, i int) (Outcome, error) {
	c, giveBack, err := d.borrow(ctx)
	if err != nil {
		return Outcome{}, err
	}
	defer giveBack()
	return d.send(ctx, c, i)
}

// borrow takes the connection that was used last, or the place for a new one.
// Until it is given back, the end of ctx interrupts it.
func (d *Driver) borrow(ctx context.Context) (_ *client, giveBack func(), err error) {
	c, err := d.take()
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, c.interrupt)
	return c, func() { d.put(c, stop()) }, nil
}

func (d *Driver) take() (*client, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, ErrClosed
	}
	n := len(d.idle)
	if n == 0 {
		return &client{dial: d.dial, address: d.address}, nil
	}
	c := d.idle[n-1]
	d.idle = d.idle[:n-1]
	return c, nil
}

// put keeps a client for later, or drops it when it was interrupted.
func (d *Driver) put(c *client, whole bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || !whole {
		c.hangUp()
		return
	}
	d.idle = append(d.idle, c)
}

// send is one request of the sequence on a borrowed client.
func (d *Driver) send(ctx context.Context, c *client, i int) (Outcome, error) {
	return d.deliver(ctx, c, d.messages[d.order[i%len(d.order)]])
}

func (d *Driver) deliver(ctx context.Context, c *client, m message) (Outcome, error) {
	start := time.Now()
	r, err := c.exchange(ctx, m, start.Add(d.timeout))
	took := time.Since(start)
	if err != nil && ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	o := judge(m, r, err, d.timeout)
	o.Latency = took
	return o, nil
}
