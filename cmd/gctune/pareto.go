package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/studies/report"
	"github.com/gctune/gctune/tuner"
)

func paretoCommand() *cli.Command {
	return &cli.Command{
		Name:  "pareto",
		Usage: "show the settings that no other beats in both objectives",
		Description: `The front runs from the most throughput to the least memory. Intervals come from
the noise seen when the baseline was measured again. Where the share of CPU time in
collection is known, throughput is an estimate that goes by it, which is far steadier
than single figures; gctune trials has both. Where optimize has measured
the front again, beside the defaults, it is that one which is shown, with what has
left it and why. The last line says how much more trials are expected to gain.

Examples:
   gctune pareto --plot
   gctune pareto --format json | jq .choices
   gctune pareto --picture front.svg`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "plot", Usage: "draw the front in the terminal"},
			&cli.StringFlag{Name: "picture", Usage: "draw the front into `FILE`, by its ending svg or png"},
			formatFlag("table, json, csv or markdown"),
		},
		Action: showPareto,
	}
}

func formatFlag(formats string) cli.Flag {
	return &cli.StringFlag{Name: "format", Value: "table", Usage: "`FORMAT` of the output: " + formats}
}

func showPareto(c *cli.Context) error {
	if err := noArguments(c, 0); err != nil {
		return err
	}
	format, err := tableFormat(c)
	if err != nil {
		return err
	}
	s, err := readStudy(c)
	if err != nil {
		return err
	}
	if path := c.String("picture"); path != "" {
		if err := drawPicture(path, s); err != nil {
			return err
		}
	}
	if format == report.JSON {
		result, err := paretoToJSON(s, s.frontTrials(), s.choices())
		if err != nil {
			return err
		}
		return writeJSON(c.App.Writer, result)
	}
	if len(s.front()) == 0 {
		return s.nothingUsable()
	}
	if format != report.Text {
		return s.frontTable(" ").Write(c.App.Writer, format)
	}
	return printPareto(c, s)
}

// tableFormat reads --format for commands that print tables.
func tableFormat(c *cli.Context) (report.Format, error) {
	format, err := report.ParseFormat(c.String("format"))
	if err != nil {
		return "", usagef("--format: %v", err)
	}
	return format, nil
}

func printPareto(c *cli.Context, s *storedStudy) error {
	w := c.App.Writer
	if c.Bool("plot") {
		if err := plotFront(c, s); err != nil {
			return err
		}
	}
	if err := s.frontTable("\n").Write(w, report.Text); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, choice := range s.choices() {
		fmt.Fprintf(w, "%-11s trial %d: %s\n", choice.Name, choice.Point.ID, choice.Explanation)
	}
	s.printConfirmation(c, w)
	for _, r := range s.replays {
		if r.Purpose == studies.Confirmation {
			continue
		}
		fmt.Fprintf(w, "replayed    %s: throughput %s, memory %s, %s, intervals of %s each\n", replayName(r.Trial, r.Setting),
			interval(r.Throughput), interval(r.Memory), count(len(r.Pairs), "pair"), percentage(r.Confidence))
	}
	s.printFootnotes(c)
	return s.printOutlook(w)
}

func replayName(trial int, setting map[string]string) string {
	if trial >= 0 {
		return fmt.Sprintf("trial %d", trial)
	}
	return formatSetting(setting)
}

// printFootnotes says what the figures are worth.
func (s *storedStudy) printFootnotes(c *cli.Context) {
	noise := tuner.NoiseOf(s.trials, s.definition.Objectives.Throughput)
	switch {
	case noise.Degrees > 0:
		fmt.Fprintf(c.App.Writer, "noise       two runs of one setting differ by %s in throughput (standard deviation, %s of freedom)\n",
			report.Share.Format(noise.SD), count(noise.Degrees, "degree"))
	default:
		why := "no setting was measured twice"
		if slices.ContainsFunc(s.trials, func(t tuner.Scored) bool { return t.Measured > 1 }) {
			why = "no setting was measured twice on a quiet machine"
		}
		fmt.Fprintf(c.App.Writer, "noise       unknown: %s, so trials have no intervals; `gctune replay` measures again\n", why)
	}
	if s.showsBeliefs() {
		fmt.Fprintln(c.App.Writer, "believed    throughput is an estimate from the share of CPU time in collection of each trial, and from the other CPU time of all; `gctune trials` has the single figures that were measured")
	}
	if text := s.tooGood(); text != "" {
		fmt.Fprintln(c.App.Writer, "too good    "+text)
	}
	if reference := s.definition.Reference(s.trials); reference != nil {
		fmt.Fprintf(c.App.Writer, "reference   throughput %s, memory %s: the front covers a hypervolume of %s up to there\n",
			formatLoss(s.definition.Objectives.Throughput, reference[0], -1), formatLoss(s.definition.Objectives.Memory, reference[1], 1),
			significant(s.definition.Hypervolume(s.trials)))
	}
	if len(s.trials) > 0 && s.trials[0].Drift != nil {
		fmt.Fprintln(c.App.Writer, "drift       "+driftText(*s.trials[0].Drift))
	}
	if text := contendedTrials(s.trials); text != "" {
		fmt.Fprintln(c.App.Writer, "contended   "+text)
	}
	s.printReasons(c.App.Writer)
}

// showsBeliefs says that a throughput on the front is neither measured as it is nor
// confirmed.
func (s *storedStudy) showsBeliefs() bool {
	return slices.ContainsFunc(s.frontTrials(), func(t tuner.Scored) bool {
		e, known := s.estimates[t.Number]
		isBaseline := s.definition.HasBaseline && t.Number == 0 // which is at what was measured of it
		return known && !isBaseline && s.member(t.Number) == nil && e.Steady()
	})
}

func (s *storedStudy) frontTrials() []tuner.Scored {
	var trials []tuner.Scored
	for _, p := range s.front() {
		trials = append(trials, trialOf(s.trials, p.ID))
	}
	return trials
}

// frontTable has the baseline first, then the front. The values of a setting are
// kept apart by a blank or, for people, a line break.
func (s *storedStudy) frontTable(between string) report.Table {
	o := s.definition.Objectives
	table := report.Table{Columns: []report.Column{
		{Name: "trial", Title: "Trial"},
		{Name: o.Throughput, Title: title(o.Throughput), Unit: unitOf(o.Throughput), Interval: true},
		{Name: "throughput_ratio", Title: "vs. baseline", Unit: report.Change, Interval: true},
		{Name: o.Memory, Title: title(o.Memory), Unit: unitOf(o.Memory), Interval: true},
		{Name: "memory_ratio", Title: "vs. baseline", Unit: report.Change, Interval: true},
		{Name: "setting", Title: "Setting", Width: settingWidth},
	}}
	baseline, measured := s.definition.BaselineOf(s.trials)
	if measured {
		table.Rows = append(table.Rows, s.frontRow("baseline", baseline, baseline, between))
	}
	for _, t := range s.frontTrials() {
		if !measured || t.Number != baseline.Number {
			table.Rows = append(table.Rows, s.frontRow(fmt.Sprint(t.Number), t, baseline, between))
		}
	}
	return table
}

// settingWidth is where a setting wraps: the longest name with its value fits.
const settingWidth = 56

func (s *storedStudy) frontRow(name string, t, baseline tuner.Scored, between string) []any {
	o := s.definition.Objectives
	row := []any{name}
	if m := s.member(t.Number); m != nil {
		return append(append(row, s.confirmedRow(m, baseline)...), formatValues(t.Setting, between))
	}
	for _, metric := range []string{o.Throughput, o.Memory} {
		row = append(row, s.estimate(t, metric), s.ratio(t, baseline, metric))
	}
	return append(row, formatValues(t.Setting, between))
}

// believed is a metric's value: of throughput what the search believes, where it does.
func (s *storedStudy) believed(t tuner.Scored, metric string) float64 {
	if e, known := s.estimates[t.Number]; known && metric == s.definition.Objectives.Throughput {
		return math.Exp(e.Log)
	}
	return t.Metrics[metric]
}

// estimate is a metric with its interval, where the noise is known.
func (s *storedStudy) estimate(t tuner.Scored, metric string) any {
	if metric == s.definition.Objectives.Throughput {
		if e, known := s.estimates[t.Number]; known {
			return report.Interval(e.Interval())
		}
		return t.Metrics[metric]
	}
	runs := 0
	for _, run := range t.Runs {
		if _, ok := run.Metrics[metric]; ok {
			runs++
		}
	}
	if i, ok := tuner.NoiseOf(s.trials, metric).Interval(t.Metrics[metric], runs); ok {
		return report.Interval(i)
	}
	return t.Metrics[metric]
}

// ratio is that of a trial's metric to the baseline's.
func (s *storedStudy) ratio(t, baseline tuner.Scored, metric string) any {
	if baseline.Metrics == nil || t.Number == baseline.Number {
		return nil
	}
	return s.believed(t, metric) / s.believed(baseline, metric)
}

func (s *storedStudy) plot() report.Front {
	o := s.definition.Objectives
	point := func(t tuner.Scored) report.Point {
		return report.Point{Trial: t.Number, Throughput: s.believed(t, o.Throughput), Memory: t.Metrics[o.Memory]}
	}
	f := report.Front{
		ThroughputTitle: title(o.Throughput), ThroughputUnit: unitOf(o.Throughput),
		MemoryTitle: title(o.Memory), MemoryUnit: unitOf(o.Memory),
	}
	onFront := map[int]bool{}
	for _, p := range s.front() { // which has confirmed figures where there are any
		onFront[p.ID] = true
		if s.member(p.ID) == nil {
			f.Front = append(f.Front, point(trialOf(s.trials, p.ID)))
		} else {
			f.Front = append(f.Front, report.Point{Trial: p.ID, Throughput: math.Exp(-p.Losses[0]), Memory: math.Exp(p.Losses[1])})
		}
	}
	for _, t := range s.trials {
		switch {
		case t.Losses == nil || onFront[t.Number]:
		case s.unconfirmed(t.Number):
			f.Unconfirmed = append(f.Unconfirmed, point(t))
		default:
			f.Beaten = append(f.Beaten, point(t))
		}
	}
	if baseline, ok := s.definition.BaselineOf(s.trials); ok {
		b := point(baseline)
		f.Baseline = &b
	}
	return f
}

// unconfirmed says whether a trial is of the search's front and was not measured again,
// where others were.
func (s *storedStudy) unconfirmed(trial int) bool {
	return s.confirmed != nil && slices.Contains(s.confirmed.Waiting, trial)
}

func plotFront(c *cli.Context, s *storedStudy) error {
	screen := report.Screen{}
	if file, ok := c.App.Writer.(*os.File); ok {
		screen = report.ScreenOf(file, os.Getenv)
	}
	if err := report.Scatter(c.App.Writer, s.plot(), screen); err != nil {
		return err
	}
	fmt.Fprintln(c.App.Writer)
	return nil
}

func drawPicture(path string, s *storedStudy) error {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if format != "svg" && format != "png" {
		return usagef("--picture %s: the name must end in .svg or .png", path)
	}
	return writeWhole(path, func(w io.Writer) error { return report.Picture(w, s.plot(), format) })
}

func unitOf(metric string) report.Unit {
	switch {
	case strings.HasSuffix(metric, "_bytes"):
		return report.Bytes
	case strings.HasSuffix(metric, "_share"):
		return report.Share
	case strings.HasSuffix(metric, "_seconds"):
		return report.Seconds
	}
	return report.Plain
}

// title is a metric's name for people.
func title(metric string) string {
	text := strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(metric, "_bytes"), "_seconds"), "_", " ")
	return strings.NewReplacer("pss", "PSS", "rss", "RSS", "gc ", "GC ", "cpu", "CPU").Replace(text)
}
