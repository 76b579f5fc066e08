package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gctune/gctune/bench/problems"
)

// cell is what is measured of one search on one problem.
type cell struct {
	problem problems.Problem
	entrant entrant
	records []problems.Record // by seed
	// varied are the searches on the problem's variant, where the kind of table
	// compares the two.
	varied []problems.Record
	// stable are the numbers of trials at which the searches were stable, where the
	// kind of table asks for it.
	stable []int
	cost   time.Duration
	costed bool
}

// measure runs all searches, several at a time, and says on errOut how far it is.
func (p plan) measure(ctx context.Context, errOut io.Writer) ([]*cell, error) {
	var cells []*cell
	group, joint := errgroup.WithContext(ctx)
	group.SetLimit(p.jobs)
	told := &progress{out: errOut, total: len(p.problems) * len(p.entrants), begun: time.Now()}
	for _, problem := range p.problems {
		for _, e := range p.entrants {
			c := &cell{problem: problem, entrant: e}
			c.records, c.varied = make([]problems.Record, p.seeds), make([]problems.Record, p.seeds)
			c.stable = make([]int, p.seeds)
			cells = append(cells, c)
			left := &countdown{n: p.seeds, done: func() { told.finished(c) }}
			for seed := range p.seeds {
				group.Go(func() error {
					defer left.less()
					return p.search(joint, c, seed)
				})
			}
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return cells, p.cost(ctx, cells)
}

// search runs one seed of a cell.
func (p plan) search(ctx context.Context, c *cell, seed int) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if p.kind.plain {
		if c.records[seed], err = c.entrant.run(c.problem, uint64(seed), p.trials); err != nil {
			return fmt.Errorf("%s: %w", c.entrant.name(), err)
		}
	}
	if p.kind.stops {
		c.stable[seed] = c.records[seed].StableAfter(c.problem, uint64(seed))
	}
	if p.kind.vary != nil {
		if c.varied[seed], err = c.entrant.run(p.kind.vary(c.problem), uint64(seed), p.trials); err != nil {
			return fmt.Errorf("%s: %w", c.entrant.name(), err)
		}
	}
	return nil
}

// cost comes after all searches, when nothing else takes time.
func (p plan) cost(ctx context.Context, cells []*cell) error {
	for _, c := range cells {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if c.cost, c.costed, err = c.entrant.cost(c.problem, c.records); err != nil {
			return fmt.Errorf("%s on %s: %w", c.entrant.name(), c.problem.Name, err)
		}
	}
	return nil
}

// conditions says what figures were made with.
func (p plan) conditions(python *optuna) string {
	text := fmt.Sprintf("%d seeds, %d trials, %s on %d cores", p.seeds, p.trials, runtime.GOARCH, runtime.NumCPU())
	if python.version != "" {
		text += ", Optuna " + python.version
	}
	return text
}

// countdown calls done when it was lessened n times.
type countdown struct {
	mutex sync.Mutex
	n     int
	done  func()
}

func (c *countdown) less() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.n--; c.n == 0 {
		c.done()
	}
}

// progress is a line for each cell.
type progress struct {
	mutex       sync.Mutex
	out         io.Writer
	done, total int
	begun       time.Time
}

func (p *progress) finished(c *cell) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.done++
	fmt.Fprintf(p.out, "%d of %d after %s: %s on %s\n", p.done, p.total,
		time.Since(p.begun).Round(time.Second), c.entrant.name(), c.problem.Name)
}
