package main

import (
	"context"
	"errors"
	"io"

	"github.com/gctune/gctune/config"
	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/harness/ruby"
)

// findVariant finds or builds a variant's interpreter and checks its setting.
// One that cannot be set is measured as it is.
func (t *target) findVariant(ctx context.Context, v config.Variant, tell io.Writer) error {
	err := t.findInterpreter(ctx, tell)
	var unsettable *ruby.UnsettableError
	if errors.As(err, &unsettable) && len(v.Setting) == 0 {
		t.support.Interpreter, err = ruby.Probe(ctx, string(v.Ruby))
	}
	if err != nil || len(v.Setting) == 0 {
		return err
	}
	return t.checkSetting(map[string]string(v.Setting))
}

// onPage is the server asked for one page alone.
func (t *target) onPage(r config.Request) harness.Workload {
	one := *t.config
	load := *t.config.Load
	load.Requests = []config.Request{r}
	one.Load = &load
	page := *t
	page.config = &one
	if t.builder != nil {
		return &harness.Compiled{Prepare: page.prepare}
	}
	return page.server(t.support.Interpreter)
}
