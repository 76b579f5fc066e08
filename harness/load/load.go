// Package load sends HTTP requests to a server and says what came back: how
// many answers were the expected ones, how long they took, and what the
// sending itself cost.
//
// A Plan says what to send; a Driver sends it, in a closed loop (Concurrency
// requests at a time, each as soon as the one before is answered) or in an
// open loop (Rate requests a second, whether or not they are answered). The
// order of requests is a function of the plan alone, so that every run of a
// plan sends the same sequence.
//
// A request that fails is data: it is counted in one of two classes, and the
// first failure is described in one line. A Go error means that the plan is
// wrong or that the run was ended by its context.
//
// The driver speaks HTTP/1.1 over its own connections and leaves the parsing
// of answers to net/http. It does not use net/http's Transport, which costs
// twice as much CPU for each request (two goroutines a connection).
package load

import "time"

// DefaultTimeout is the time that a request may take when the plan sets none.
const DefaultTimeout = 30 * time.Second

// DefaultOpenConcurrency is the most requests under way at once in an open
// loop whose plan sets no Concurrency. Beyond it requests wait for a
// connection, and the wait counts as latency.
const DefaultOpenConcurrency = 256

// Plan is a load: where it goes, what is sent, and how fast.
type Plan struct {
	// Target is the server's address, as in "http://127.0.0.1:3000".
	Target string
	// Requests are sent in turn, each in proportion to its weight.
	Requests []Request
	// Headers are sent with each request; Host is honoured. A request's own
	// headers win.
	Headers map[string]string
	// Concurrency is the most requests under way at once. 0 means 1 in a
	// closed loop and DefaultOpenConcurrency in an open one.
	Concurrency int
	// Rate is the requests begun per second in an open loop; 0 means a
	// closed loop.
	Rate float64
	// Timeout is the longest that one request may take, from connecting to
	// the last byte of the body. 0 means DefaultTimeout.
	Timeout time.Duration
}

// Request is one page of a plan.
type Request struct {
	// Method is the HTTP method in capitals; empty means GET.
	Method string
	// Path begins with "/" and is sent as it is, query included.
	Path string
	// Weight is this request's share of the sequence; 0 means 1.
	Weight int
	// Headers are sent with this request, in addition to the plan's.
	Headers map[string]string
	// Body is sent with its length.
	Body string
	// Expect says which answer is the right one.
	Expect Expect
}

// Expect is what an answer must be in order to count.
type Expect struct {
	// Status is the status code; 0 means 200.
	Status int
	// Contains is a text that the body must hold, byte for byte; empty means
	// that any body will do.
	Contains string
}

// Until says when a run ends: after a number of requests, or when a duration
// has passed, whichever comes first. Zero means no such limit; one must be
// set. Requests under way when the duration ends are finished and counted.
type Until struct {
	Requests int
	Duration time.Duration
}
