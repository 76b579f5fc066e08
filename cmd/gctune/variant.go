package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/config"
	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/harness/ruby"
	"github.com/gctune/gctune/harness/ruby/source"
)

// variant is an interpreter with or without a setting.
type variant struct {
	config.Variant
	target *target
	// built keeps its interpreter in the cache; nil where there is none to build.
	built *source.Built
	// failure is why it cannot be measured at all.
	failure string
}

// openVariants finds each interpreter or its source, and refuses settings that it
// does not take. Nothing is built yet.
func openVariants(c *cli.Context, cfg *config.Config) (variants []variant, err error) {
	for i, v := range cfg.Compare.Variants {
		own := *cfg
		own.Ruby, own.RubyGiven, own.Source = v.Ruby, v.Ruby != "", v.Source
		t := &target{config: &own, tell: linesTo(c.App.ErrWriter)}
		variants = append(variants, variant{Variant: v, target: t})
		if err = t.findVariant(c.Context, v, c.App.ErrWriter); err != nil {
			closeVariants(variants)
			return nil, fmt.Errorf("variant %q: %w", v.Name, t.at(cfg.At(fmt.Sprintf("compare.variants[%d]", i)), err))
		}
	}
	return variants, nil
}

func closeVariants(variants []variant) {
	for _, v := range variants {
		if v.built != nil {
			_ = v.built.Close()
		}
		_ = v.target.close()
	}
}

// buildVariants builds all that have to be built, before anything is measured. One
// that cannot be built is left out.
func buildVariants(c *cli.Context, variants []variant) error {
	for i := range variants {
		v := &variants[i]
		err := v.build(c.Context)
		var failed *source.BuildError
		switch {
		case errors.As(err, &failed):
			v.failure = printableLines(err.Error())
			fmt.Fprintf(c.App.ErrWriter, "gctune: variant %q is left out, since its build failed: %s\n", v.Name, v.failure)
		case err != nil:
			return fmt.Errorf("variant %q: %w", v.Name, err)
		}
	}
	return nil
}

func (v *variant) build(ctx context.Context) (err error) {
	if v.target.builder == nil {
		return nil
	}
	if v.built, err = v.target.builder.Build(ctx, map[string]string(v.Setting)); err != nil {
		return err
	}
	in, err := v.target.probeBuilt(ctx, v.built)
	if err != nil {
		return err
	}
	v.target.setBuilt(in)
	return nil
}

// findVariant finds a variant's interpreter or its source and checks its setting.
// One that cannot be set is measured as it is.
func (t *target) findVariant(ctx context.Context, v config.Variant, tell io.Writer) error {
	err := t.findInterpreter(ctx, tell)
	var unsettable *ruby.UnsettableError
	if errors.As(err, &unsettable) && len(v.Setting) == 0 {
		t.support.Interpreter, err = ruby.Probe(ctx, string(v.Ruby))
	}
	if err != nil {
		return err
	}
	return t.checkSetting(map[string]string(v.Setting))
}

// beside measures a variant and another one as twins on a page. An interpreter that
// was built has its setting compiled in.
func (v variant) beside(ctx context.Context, other variant, p page, own, others harness.Trial, otherFirst bool) (ofOwn, ofOther harness.Result, err error) {
	if v.target.builder != nil {
		own.Setting = nil
	}
	if other.target.builder != nil {
		others.Setting = nil
	}
	// A process belongs to the run whose marker it carries.
	own.Marker, others.Marker = own.Marker+"variant", others.Marker+"first"
	return harness.RunTwins(ctx, v.target.serverOnPage(p.request), other.target.serverOnPage(p.request), own, others, otherFirst)
}

// onPage is the server asked for one page alone. An interpreter that was built has
// its setting compiled in.
func (t *target) onPage(r config.Request) harness.Workload {
	server := t.serverOnPage(r)
	if t.builder == nil {
		return server
	}
	return &harness.Compiled{Prepare: func(context.Context, map[string]string) (harness.Workload, func(), error) {
		return server, func() {}, nil
	}}
}

func (t *target) serverOnPage(r config.Request) *harness.Server {
	one := *t.config
	load := *t.config.Load
	load.Requests = []config.Request{r}
	one.Load = &load
	page := *t
	page.config = &one
	return page.server(t.support.Interpreter)
}
