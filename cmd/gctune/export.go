package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/config"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/studies/export"
	"github.com/gctune/gctune/tuner"
)

func exportCommand() *cli.Command {
	return &cli.Command{
		Name:  "export",
		Usage: "write a setting in the form that a deployment reads",
		Description: `The measured effect goes along as comments on lines of their own.

Examples:
   gctune export --best knee --format env > gc.env
   gctune export --trial 17 --format systemd --output /etc/systemd/system/blog.service.d/gc.conf
   gctune export --max-memory 512MB --format heroku`,
		Flags: append(selectionFlags(),
			&cli.StringFlag{Name: "format", Value: "env", Usage: "`FORMAT` to write: " + formatNames()},
			changesFlag("write a patch although the source tree is not the one that the study measured"),
			&cli.StringFlag{Name: "output", Usage: "write to `FILE` instead of standard output"},
		),
		Action: exportSetting,
	}
}

func formatNames() string {
	var names []string
	for _, f := range export.Formats() {
		names = append(names, string(f))
	}
	return strings.Join(append(names, patchFormat), ", ")
}

func exportSetting(c *cli.Context) error {
	if err := noArguments(c, 0); err != nil {
		return err
	}
	if err := checkExportFormat(c); err != nil {
		return err
	}
	way, err := onlyOne(c, "trial", "best", "max-memory")
	if err != nil {
		return err
	}
	s, err := readStudy(c)
	if err != nil {
		return err
	}
	chosen, err := s.fromStudy(c, way)
	if err != nil {
		return err
	}
	t := trialOf(s.trials, chosen.trial)
	if t.State != studies.Complete {
		return usagef("trial %d is %s (%s): only a measured setting is exported", t.Number, t.State, t.Reason)
	}
	if len(chosen.setting) == 0 {
		fmt.Fprintf(c.App.ErrWriter, "gctune: trial %d is the baseline: there is nothing to set\n", t.Number)
	}
	if len(t.Violations) > 0 {
		fmt.Fprintf(c.App.ErrWriter, "gctune: warning: trial %d %s\n", t.Number, t.Reason)
	}
	render, err := s.renderer(c)
	if err != nil {
		return err
	}
	text, err := render(export.Document{Setting: chosen.setting, Facts: s.facts(t, chosen)})
	if err != nil {
		return err
	}
	return writeExport(c, text)
}

func checkExportFormat(c *cli.Context) error {
	if _, err := export.ParseFormat(c.String("format")); err != nil && c.String("format") != patchFormat {
		return usagef("--format: %v, %s", err, patchFormat)
	}
	return nil
}

// renderer is what writes the format asked for. A patch needs the source tree
// that the configuration names; every other format only the setting.
func (s *storedStudy) renderer(c *cli.Context) (func(export.Document) ([]byte, error), error) {
	if c.String("format") == patchFormat {
		return s.patcher(c)
	}
	format, err := export.ParseFormat(c.String("format"))
	if _, bySource := s.Fingerprint["source"]; bySource {
		return nil, usagef("study %s sets constants of a source tree, which no environment changes: use `gctune build`, or `gctune export --format %s`", s.Name, patchFormat)
	}
	return func(d export.Document) ([]byte, error) { return export.Render(format, d) }, err
}

func (s *storedStudy) patcher(c *cli.Context) (func(export.Document) ([]byte, error), error) {
	cfg, err := readConfig(c)
	if err != nil {
		return nil, err
	}
	if cfg.Source == nil {
		return nil, usagef("--format patch: %s has no source to patch", cfg.File)
	}
	found, err := sourceTree(cfg.Source).Scan()
	if err != nil {
		return nil, &config.Error{File: cfg.File, At: cfg.At("source"), Message: err.Error()}
	}
	digest, err := sourceTree(cfg.Source).Digest(c.Context)
	if err != nil {
		return nil, err
	}
	if err := sameSource(c, s, cfg.Source, digest); err != nil {
		return nil, err
	}
	return func(d export.Document) ([]byte, error) {
		patch, err := found.Patch(d.Setting)
		if err != nil {
			return nil, err
		}
		if len(patch) == 0 && len(d.Setting) > 0 {
			fmt.Fprintf(c.App.ErrWriter, "gctune: %s has these values already: there is nothing to patch\n", filepath.Join(found.Dir, found.File))
		}
		var text bytes.Buffer // patch(1) passes over what is before the first file
		for _, fact := range d.Facts {
			text.WriteString("# " + fact + "\n")
		}
		text.Write(patch)
		return text.Bytes(), nil
	}, nil
}

// patchFormat is a unified diff of the collector's source.
const patchFormat = "patch"

func writeExport(c *cli.Context, text []byte) error {
	if path := c.String("output"); path != "" {
		return writeWhole(path, func(w io.Writer) error {
			_, err := io.Copy(w, bytes.NewReader(text))
			return err
		})
	}
	if _, err := c.App.Writer.Write(text); err != nil {
		return fmt.Errorf("writing the setting: %w", err)
	}
	return nil
}

// facts say what the setting was measured to do, and where and when: a value
// without these is folklore. What was measured again comes before what the search saw
// once, which is often the luckiest run of many.
func (s *storedStudy) facts(t tuner.Scored, chosen selection) []string {
	o := s.definition.Objectives
	facts := []string{
		fmt.Sprintf("gctune study %s, trial %d (%s), measured %s", s.Name, t.Number, chosen.why, t.Finished.Format(time.DateOnly)),
	}
	if s.definition.Ruby != "" {
		facts = append(facts, "for "+s.definition.Ruby)
	}
	facts = append(facts, s.replayFacts(chosen.setting)...)
	facts = append(facts, fmt.Sprintf("one measurement, in the search: %s %s, %s %s",
		o.Throughput, formatMetric(o.Throughput, t.Metrics[o.Throughput]), o.Memory, formatMetric(o.Memory, t.Metrics[o.Memory])))
	if baseline, ok := s.definition.BaselineOf(s.trials); ok && t.Number != baseline.Number {
		facts = append(facts, fmt.Sprintf("that against the defaults there: throughput %s, memory %s",
			formatChange(t.Metrics[o.Throughput]/baseline.Metrics[o.Throughput]), formatChange(t.Metrics[o.Memory]/baseline.Metrics[o.Memory])))
		if e, known := s.estimates[t.Number]; known && e.Steady() {
			facts = append(facts, "what the search believes of that throughput, from the share of collection: "+
				formatChange(s.believed(t, o.Throughput)/s.believed(baseline, o.Throughput)))
		}
	}
	if len(t.Violations) > 0 {
		facts = append(facts, "this setting "+t.Reason)
	}
	return facts
}

func (s *storedStudy) replayFacts(setting map[string]string) []string {
	for i := len(s.replays) - 1; i >= 0; i-- {
		r := s.replays[i]
		switch m := s.member(r.Trial); {
		case !maps.Equal(r.Setting, setting), r.Against != nil, len(r.Pairs) < 2:
		case r.Purpose != studies.Confirmation:
			return []string{fmt.Sprintf("replayed %s, %s, intervals of %s each: throughput %s, memory %s", r.Created.Format(time.DateOnly),
				count(len(r.Pairs), "pair"), percentage(r.Confidence), interval(r.Throughput), interval(r.Memory))}
		case m != nil && maps.Equal(r.Fingerprint, s.Fingerprint): // with the interval that the front has
			return []string{fmt.Sprintf("confirmed %s, %s, intervals of %s each: throughput %s, memory %s", r.Created.Format(time.DateOnly),
				count(m.Pairs, "pair"), percentage(s.confirmed.Confidence), m.Throughput, m.Memory)}
		}
	}
	return []string{"not replayed: `gctune replay` gives the effect with its interval"}
}
