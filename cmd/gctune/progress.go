package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/pareto"
)

// progress tells a person on standard error how a study comes along, and a
// program on standard output, as JSON, what each trial came to.
type progress struct {
	definition tuner.Definition
	budget     int
	finished   int
	stderr     io.Writer
	stdout     io.Writer
	json       bool
	bar        *progressbar.ProgressBar // nil when standard error is no terminal
	began      time.Time
	beganAt    int // trials that were finished then
	failure    error
}

func newProgress(c *cli.Context, t *target, study studies.Study) *progress {
	p := &progress{
		definition: t.definition,
		budget:     c.Int("budget"),
		stderr:     c.App.ErrWriter,
		stdout:     c.App.Writer,
		json:       c.String("format") == "json",
		began:      time.Now(),
		beganAt:    -1,
	}
	if isTerminal(p.stderr) {
		p.bar = progressbar.NewOptions(p.budget,
			progressbar.OptionSetWriter(p.stderr),
			progressbar.OptionSetWidth(12),
			progressbar.OptionSetPredictTime(false), // trials of earlier runs would make it too short
			progressbar.OptionShowCount(),
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionUseANSICodes(true))
	}
	p.introduce(t, study)
	return p
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

func (p *progress) introduce(t *target, study studies.Study) {
	subject := t.definition.Ruby
	if subject == "" {
		subject = "an external program"
	}
	p.line("study %s: %s of %s, seed %d", study.Name, count(t.space.Dim(), "parameter"), subject, study.Seed)
	if len(t.scrubbed) > 0 {
		p.line("not passed on from this shell, as a study sets them itself: %s", strings.Join(t.scrubbed, ", "))
	}
}

// line prints a line of its own, above the bar if there is one.
func (p *progress) line(format string, args ...any) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintf(p.stderr, format+"\n", args...)
}

func (p *progress) observe(e tuner.Event) {
	p.finished = tuner.FinishedTrials(e.Trials)
	if p.beganAt < 0 {
		p.beganAt = p.finished
	}
	switch e.Kind {
	case tuner.Finished:
		p.trialFinished(e)
	case tuner.Repeated:
		p.line("baseline measured again: %s", p.figures(e.Trial))
	case tuner.Foreseen, tuner.Unforeseen, tuner.Contradicted:
		p.line("%s", foresightText(e))
	case tuner.Disturbed:
		p.line("trial %d was disturbed: other programs took %.0f %% of the machine; waiting until it can be measured again", e.Trial.Number, 100*e.Disturbance)
	}
	p.show(e)
}

func (p *progress) trialFinished(e tuner.Event) {
	if p.json {
		if err := writeJSON(p.stdout, trialToJSON(p.definition, e.Trial, p.definition.Estimates(e.Trials))); err != nil && p.failure == nil {
			p.failure = err
		}
	}
	text := fmt.Sprintf("trial %d (%s) %s", e.Trial.Number, e.Trial.Origin, e.Trial.State)
	if figures := p.figures(e.Trial); figures != "" {
		text += ": " + figures
	}
	if e.Trial.Reason != "" {
		text += ": " + e.Trial.Reason
	}
	if p.bar == nil {
		text += " · " + p.status(e.Trials)
	}
	p.line("%s", text)
	for _, run := range e.Trial.Runs {
		for _, warning := range run.Warnings {
			p.line("  warning: %s", warning)
		}
	}
	for _, note := range e.Trial.Warnings {
		p.line("  note: %s", note)
	}
}

// figures are a trial's throughput and memory.
func (p *progress) figures(t tuner.Scored) string {
	if t.Losses == nil {
		return ""
	}
	o := p.definition.Objectives
	return formatMetric(o.Throughput, t.Metrics[o.Throughput]) + ", " + formatMetric(o.Memory, t.Metrics[o.Memory])
}

// status is what a person wants to know at a glance.
func (p *progress) status(trials []tuner.Scored) string {
	front := pareto.Front(p.definition.Believed(trials))
	parts := []string{fmt.Sprintf("%d of %d done", p.finished, p.budget)}
	if len(front) > 0 {
		o := p.definition.Objectives
		best, least := trialOf(trials, front[0].ID), trialOf(trials, front[len(front)-1].ID)
		parts = append(parts,
			fmt.Sprintf("best %s (trial %d)", formatLoss(o.Throughput, front[0].Losses[0], -1), best.Number),
			fmt.Sprintf("least %s (trial %d)", formatMetric(o.Memory, least.Metrics[o.Memory]), least.Number),
			fmt.Sprintf("front %d", len(front)))
	}
	if left := p.timeLeft(); left > 0 {
		parts = append(parts, "about "+left.String()+" left")
	}
	return strings.Join(parts, " · ")
}

// timeLeft takes the trials still to come to be as long as those of this run.
func (p *progress) timeLeft() time.Duration {
	done := p.finished - p.beganAt
	if done < 1 || p.finished >= p.budget {
		return 0
	}
	each := time.Since(p.began) / time.Duration(done)
	return (each * time.Duration(p.budget-p.finished)).Round(time.Second)
}

// lengths tells what was saved by trials that were no longer than they needed.
func (p *progress) lengths(trials []tuner.Scored) {
	saved := tuner.SavedBy(trials)
	if saved.Beaten+saved.Precise == 0 {
		return
	}
	p.line("trials were as long as they needed: %s beaten and let go, %d known well enough; %s of load saved",
		count(saved.Beaten, "setting"), saved.Precise, time.Duration(saved.Seconds*float64(time.Second)).Round(time.Second))
}

func (p *progress) show(e tuner.Event) {
	if p.bar == nil {
		return
	}
	doing := ""
	switch e.Kind {
	case tuner.Began:
		doing = fmt.Sprintf("trial %d · ", e.Trial.Number)
	case tuner.Repeating:
		doing = "baseline again · "
	}
	p.bar.Describe(fitted(doing+p.status(e.Trials), terminalWidth(p.stderr)-barWidth))
	_ = p.bar.Set(min(p.finished, p.budget))
}

// barWidth is what the bar takes beside its description, such as
// " 100% |████████████| (50/50)" and a column that stays free.
const barWidth = 34

// fitted cuts a text so that the line does not wrap: only one can be erased.
func fitted(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= max(width, 10) {
		return text
	}
	return string(runes[:max(width, 10)-1]) + "…"
}

func terminalWidth(w io.Writer) int {
	if file, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil {
			return width
		}
	}
	return 80
}

// close leaves the terminal as it was.
func (p *progress) close() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

func trialOf(trials []tuner.Scored, number int) tuner.Scored {
	for _, t := range trials {
		if t.Number == number {
			return t
		}
	}
	return tuner.Scored{}
}
