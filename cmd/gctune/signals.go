package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/gctune/gctune/harness/process"
)

// interrupts knows what has to be killed when the user will not wait.
type interrupts struct {
	// prefix begins the markers of what is running now; a string.
	prefix atomic.Value
}

type interruptsKey struct{}

// interruptible returns a context that the first interrupt ends, so that the
// work can be wound up. A second interrupt ends the program and all that it
// started at once.
func interruptible(stderr io.Writer) (context.Context, func()) {
	i := &interrupts{}
	base := context.WithValue(context.Background(), interruptsKey{}, i)
	ctx, cancel := context.WithCancelCause(base)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	// A reader of our output that goes away must be an error like any other, not
	// an end without clearing up.
	signal.Ignore(syscall.SIGPIPE)
	go func() {
		<-signals
		fmt.Fprintln(stderr, "gctune: interrupted: stopping what runs (once more to stop at once)")
		cancel(errInterrupted)
		<-signals
		i.kill()
		os.Exit(exitInterrupted)
	}()
	return ctx, func() { signal.Stop(signals); cancel(nil) }
}

// kill ends what runs of a study, and what runs outside of one, as builds do.
func (i *interrupts) kill() {
	prefixes := []string{}
	if prefix, _ := i.prefix.Load().(string); prefix != "" {
		prefixes = append(prefixes, prefix)
	}
	if once, err := process.OnceMarker(); err == nil {
		prefixes = append(prefixes, once)
	}
	for _, prefix := range prefixes {
		_, _ = process.Sweep(prefix) // nothing can be done about an error here
	}
}

// onSecondInterruptKill names the processes that a second interrupt kills.
func onSecondInterruptKill(ctx context.Context, prefix string) {
	if i, ok := ctx.Value(interruptsKey{}).(*interrupts); ok {
		i.prefix.Store(prefix)
	}
}
