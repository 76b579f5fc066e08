package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/studies/report"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/pareto"
)

// confirmedFront are the points of the confirmed front, where twins have put them:
// at the baseline's figures times the ratios. What is still to be measured again is
// where the search has put it.
func (s *storedStudy) confirmedFront() []pareto.Point {
	baseline, _ := s.definition.BaselineOf(s.trials) // there is one where something is confirmed
	var points []pareto.Point
	for _, m := range s.confirmed.Front() {
		points = append(points, pareto.Point{ID: m.Trial, Losses: []float64{
			baseline.Losses[0] - math.Log(m.Throughput.Estimate), baseline.Losses[1] + math.Log(m.Memory.Estimate),
		}})
	}
	for _, p := range s.definition.Believed(s.trials) {
		if slices.Contains(s.confirmed.Pending, p.ID) {
			points = append(points, p)
		}
	}
	if s.confirmed.Baseline {
		points = append(points, pareto.Point{ID: baseline.Number, Losses: baseline.Losses})
	}
	slices.SortFunc(points, func(a, b pareto.Point) int { return slices.Compare(a.Losses, b.Losses) })
	return points
}

// confirmedChoices are the named choices of a confirmed front, by its estimates. No
// loss of throughput is then one that twins do not show.
func (s *storedStudy) confirmedChoices() []pareto.Choice {
	front := pareto.Front(s.confirmedFront())
	choices := pareto.Choices(front, nil)
	baseline, _ := s.definition.BaselineOf(s.trials)
	limit := pareto.Point{ID: baseline.Number, Losses: slices.Clone(baseline.Losses)}
	var noWorse []pareto.Point
	for _, p := range front {
		m := s.member(p.ID)
		if m == nil && p.Losses[0] <= baseline.Losses[0] || m != nil && m.ThroughputVerdict != objective.Worse {
			noWorse = append(noWorse, p)
			limit.Losses[0] = max(limit.Losses[0], p.Losses[0])
		}
	}
	for _, choice := range pareto.Choices(noWorse, &limit) {
		if choice.Name == pareto.Lossless {
			choices = append(choices, choice)
		}
	}
	for i, choice := range choices {
		switch {
		case slices.Contains(s.confirmed.Pending, choice.Point.ID):
			choices[i].Explanation += " (not confirmed yet)"
		case len(s.confirmed.Waiting) > 0: // one of which may well be better
			choices[i].Explanation += " (of what was measured again)"
		}
	}
	return choices
}

// member is the confirmation of a trial, nil where there is none.
func (s *storedStudy) member(trial int) *tuner.Member {
	if s.confirmed == nil {
		return nil
	}
	for i, m := range s.confirmed.Members {
		if m.Trial == trial && m.Pairs > 1 {
			return &s.confirmed.Members[i]
		}
	}
	return nil
}

// confirmedRow has the figures that follow from twins.
func (s *storedStudy) confirmedRow(m *tuner.Member, baseline tuner.Scored) []any {
	o := s.definition.Objectives
	var row []any
	for _, part := range []struct {
		metric string
		ratio  objective.Interval
	}{{o.Throughput, m.Throughput}, {o.Memory, m.Memory}} {
		row = append(row, report.Interval(times(part.ratio, baseline.Metrics[part.metric])), report.Interval(part.ratio))
	}
	return row
}

func times(i objective.Interval, factor float64) objective.Interval {
	return objective.Interval{Estimate: factor * i.Estimate, Low: factor * i.Low, High: factor * i.High}
}

// printConfirmation says what measuring the front again came to.
func (s *storedStudy) printConfirmation(ctx *cli.Context, w io.Writer) {
	if s.confirmed == nil {
		if s.confirmationBegun() && !ctx.Bool("no-confirm") {
			fmt.Fprintf(w, "not yet     the front is not confirmed: its measuring again was cut short; to go on: %s\n", s.confirmCommand(ctx, 0))
		}
		return
	}
	c := s.confirmed
	measured, least, most := 0, math.MaxInt, 0
	for _, m := range c.Members {
		if m.Pairs > 1 {
			measured++
			least, most = min(least, m.Pairs), max(most, m.Pairs)
		}
	}
	if measured > 0 {
		pairs := count(most, "pair")
		if least < most {
			pairs = fmt.Sprintf("%d to %s", least, pairs)
		}
		fmt.Fprintf(w, "confirmed   %s measured again beside the defaults, %s each; the intervals of the front hold with 95 %%, all of them together (%s each)\n",
			count(measured, "setting"), pairs, percentage(c.Confidence))
	}
	for _, m := range c.Members {
		if m.Left != "" {
			fmt.Fprintf(w, "left        trial %d: %s\n", m.Trial, printable(m.Left))
		}
	}
	for _, d := range c.Doubts {
		fmt.Fprintf(w, "in doubt    trial %d may not have more throughput and more memory than trial %d: the pairs do not tell them apart\n", d.More, d.Less)
	}
	if len(c.Pending) > 0 {
		fmt.Fprintf(w, "not yet     %s: not confirmed yet, with the figures of the search; to go on: %s\n", trialList(c.Pending), s.confirmCommand(ctx, 0))
	}
	if len(c.Waiting) > 0 {
		fmt.Fprintf(w, "not again   %s: on the front of the search, but not measured again; `%s` does\n",
			trialList(c.Waiting), s.confirmRest(ctx))
	}
	if c.BiasOf > 0 {
		fmt.Fprintf(w, "bias        the search's estimates of throughput differ by %s from what twins say, over %s\n", biasText(c), count(c.BiasOf, "setting"))
	}
}

// confirmationBegun says that some comparison of a confirmation is not at its end.
func (s *storedStudy) confirmationBegun() bool {
	return slices.ContainsFunc(tuner.ConfirmationsOf(s.Study, s.replays), func(r studies.Replay) bool { return !r.Ended || r.Accident })
}

// percentage is a confidence for people; earlier versions stored none, and meant 95 %.
func percentage(confidence float64) string {
	return fmt.Sprintf("%.4g %%", 100*cmp.Or(confidence, 0.95))
}

// confirmRest measures what of the search's front is waiting, too: as many settings as
// there are, and more than were spent.
func (s *storedStudy) confirmRest(c *cli.Context) string {
	measured := 0
	for _, m := range s.confirmed.Members {
		if m.Pairs > 1 {
			measured++
		}
	}
	return s.confirmCommand(c, max(measured+len(s.confirmed.Pending)+len(s.confirmed.Waiting),
		len(tuner.ConfirmationsOf(s.Study, s.replays))/2+1))
}

// confirmCommand is the command line that measures settings of the front again, so
// many or, for 0, as many as before, and tries no others.
func (s *storedStudy) confirmCommand(c *cli.Context, settings int) string {
	command := fmt.Sprintf("gctune optimize%s --budget %d", searchFlags(c), max(tuner.FinishedTrials(s.trials), 1))
	if settings == 0 && c.IsSet("confirm") {
		settings = c.Int("confirm")
	}
	confirmations := tuner.ConfirmationsOf(s.Study, s.replays)
	if n := len(confirmations); settings == 0 && n > 0 {
		settings = confirmations[n-1].Planned
	}
	if settings > 0 && settings != confirmedSettings {
		command += fmt.Sprintf(" --confirm %d", settings)
	}
	for _, constraint := range s.definition.Constraints {
		if constraint.Metric == "memory" && constraint.AtMost && !strings.Contains(s.Config, constraint.Text) { // from --max-memory
			command += " --max-memory " + constraint.Text[strings.LastIndex(constraint.Text, " ")+1:]
		}
	}
	return command
}

func biasText(c *tuner.Confirmed) string {
	if c.BiasOf == 1 {
		return formatChange(c.Bias.Estimate)
	}
	return c.Bias.String()
}

func trialList(numbers []int) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = fmt.Sprint(n)
	}
	if len(texts) == 1 {
		return "trial " + texts[0]
	}
	return "trials " + strings.Join(texts, ", ")
}

// confirmationJSON is a setting of the front measured again.
type confirmationJSON struct {
	Trial      int                 `json:"trial"`
	Throughput *objective.Interval `json:"throughput_ratio"`
	Memory     *objective.Interval `json:"memory_ratio"`
	Verdict    *verdictJSON        `json:"verdict"`
	Pairs      int                 `json:"pairs"`
	// Left is why it is no longer on the front; empty while it is.
	Left string `json:"left"`
}

// confirmedJSON is what measuring the front again came to.
type confirmedJSON struct {
	Confidence float64            `json:"confidence"`
	Settings   []confirmationJSON `json:"settings"`
	InDoubt    [][2]int           `json:"in_doubt"`
	Pending    []int              `json:"pending"`
	Waiting    []int              `json:"waiting"`
	Bias       *biasJSON          `json:"search_bias"`
}

type biasJSON struct {
	objective.Interval
	Settings int `json:"settings"`
}

func (s *storedStudy) confirmedJSON() *confirmedJSON {
	if s.confirmed == nil {
		return nil
	}
	c := s.confirmed
	j := &confirmedJSON{Confidence: c.Confidence, Settings: []confirmationJSON{}, InDoubt: [][2]int{}, Pending: append([]int{}, c.Pending...), Waiting: append([]int{}, c.Waiting...)}
	for _, m := range c.Members {
		one := confirmationJSON{Trial: m.Trial, Pairs: m.Pairs, Left: m.Left}
		if m.Pairs > 1 {
			one.Throughput, one.Memory, one.Verdict = &m.Throughput, &m.Memory, &verdictJSON{m.ThroughputVerdict, m.MemoryVerdict}
		}
		j.Settings = append(j.Settings, one)
	}
	for _, d := range c.Doubts {
		j.InDoubt = append(j.InDoubt, [2]int{d.More, d.Less})
	}
	if c.BiasOf > 0 {
		j.Bias = &biasJSON{c.Bias, c.BiasOf}
	}
	return j
}
