package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner/pareto"
	"github.com/gctune/gctune/tuner/space"
)

// selectionFlags choose a setting of a study.
func selectionFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "trial", DefaultText: "none", Usage: "take the setting of trial `N`"},
		&cli.StringFlag{Name: "best", Usage: "take a `CHOICE` of the front: throughput, memory, knee or lossless"},
		&cli.StringFlag{Name: "max-memory", Usage: "take the setting with the most throughput in at most `SIZE`, such as 512MB"},
	}
}

// ownSettingFlags give a setting by hand.
func ownSettingFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "setting", Usage: "take `NAME=VALUE` (may be repeated)"},
		&cli.StringFlag{Name: "env-file", Usage: "take the values of `FILE`, one NAME=VALUE a line"},
	}
}

// selection is a chosen setting.
type selection struct {
	setting space.Setting
	// trial is studies.NoTrial for a setting given by hand.
	trial int
	// why says what chose it, in a few words.
	why string
}

// onlyOne sees that at most one way of choosing is used.
func onlyOne(c *cli.Context, flags ...string) (string, error) {
	var used []string
	for _, flag := range flags {
		if c.IsSet(flag) {
			used = append(used, flag)
		}
	}
	switch len(used) {
	case 0:
		return "", nil
	case 1:
		return used[0], nil
	}
	return "", usagef("--%s: only one of them can choose the setting", strings.Join(used, " and --"))
}

// fromStudy chooses among a study's trials, by the knee where nothing is said.
func (s *storedStudy) fromStudy(c *cli.Context, way string) (selection, error) {
	switch way {
	case "trial":
		t, err := s.trial(c.Int("trial"))
		if err != nil {
			return selection{}, err
		}
		return selection{t.Setting, t.Number, "chosen by number"}, nil
	case "max-memory":
		return s.underMemory(c.String("max-memory"))
	case "best":
		return s.namedChoice(c.String("best"))
	}
	return s.namedChoice(pareto.KneePoint)
}

func (s *storedStudy) namedChoice(name string) (selection, error) {
	choices := s.choices()
	if len(choices) == 0 {
		return selection{}, s.nothingUsable()
	}
	var names []string
	for _, choice := range choices {
		if choice.Name == name {
			t := trialOf(s.trials, choice.Point.ID)
			return selection{t.Setting, t.Number, fmt.Sprintf("%s: %s", name, choice.Explanation)}, nil
		}
		names = append(names, choice.Name)
	}
	if name == pareto.Lossless {
		return selection{}, fmt.Errorf("--best lossless: no usable setting of study %s has the baseline's throughput", s.Name)
	}
	return selection{}, usagef("--best %s: it is one of %s", name, strings.Join(names, ", "))
}

func (s *storedStudy) nothingUsable() error {
	return fmt.Errorf("study %s has no usable trial yet: `gctune trials` shows why", s.Name)
}

func (s *storedStudy) underMemory(size string) (selection, error) {
	limit, err := objective.ParseQuantity("memory", size)
	if err != nil || limit <= 0 {
		return selection{}, usagef("--max-memory: %q is not a size such as 512MB or 512MiB", size)
	}
	front := s.front()
	if len(front) == 0 {
		return selection{}, s.nothingUsable()
	}
	point, ok := pareto.Under(front, math.Log(limit))
	if !ok {
		least := front[len(front)-1]
		return selection{}, fmt.Errorf("no setting of study %s keeps within %s: the least takes %s (trial %d)",
			s.Name, size, formatLoss(s.definition.Objectives.Memory, least.Losses[1], 1), least.ID)
	}
	t := trialOf(s.trials, point.ID)
	return selection{t.Setting, t.Number, "the most throughput within " + size}, nil
}

// front is the confirmed one where there is one, and else what the search believes.
func (s *storedStudy) front() []pareto.Point {
	if s.confirmed != nil {
		return s.confirmedFront()
	}
	return pareto.Front(s.definition.Believed(s.trials))
}

func (s *storedStudy) choices() []pareto.Choice {
	if s.confirmed != nil {
		return s.confirmedChoices()
	}
	var baseline *pareto.Point
	if b, ok := s.definition.BaselineOf(s.trials); ok {
		baseline = &pareto.Point{ID: b.Number, Losses: b.Losses}
	}
	return pareto.Choices(s.front(), baseline)
}

// givenSetting reads a setting from --setting or --env-file, unchecked. Each
// line of a file is taken literally: what a deployment's reader would make of
// quotes and the like is the reader's affair.
func givenSetting(c *cli.Context, way string) (selection, error) {
	lines, why := c.StringSlice("setting"), "given by hand"
	if way == "env-file" {
		text, err := readEnvFile(c.String("env-file"))
		if err != nil {
			return selection{}, usagef("--env-file: %v", err)
		}
		lines, why = settingLines(text), "from "+c.String("env-file")
	}
	setting := space.Setting{}
	for _, line := range lines {
		name, value, ok := strings.Cut(line, "=")
		if !ok || name == "" {
			return selection{}, usagef("--%s: %q is not of the form NAME=VALUE", way, line)
		}
		if _, twice := setting[name]; twice {
			return selection{}, usagef("--%s: %s is given twice", way, name)
		}
		setting[name] = value
	}
	if len(setting) == 0 {
		return selection{}, usagef("--%s: there is no NAME=VALUE in it", way)
	}
	return selection{setting, studies.NoTrial, why}, nil
}

// largestEnvFile is far more than a deployment's variables need.
const largestEnvFile = 1 << 20

func readEnvFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, largestEnvFile+1))
	if err == nil && len(text) > largestEnvFile {
		err = fmt.Errorf("%s has more than 1 MiB, which no file of NAME=VALUE lines has", path)
	}
	return strings.TrimPrefix(string(text), "\ufeff"), err // some editors begin with a byte order mark
}

// settingLines are the lines of a file that are neither blank nor comments.
func settingLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if bare := strings.TrimSpace(line); bare != "" && !strings.HasPrefix(bare, "#") {
			lines = append(lines, strings.TrimPrefix(bare, "export "))
		}
	}
	return lines
}

// checkSetting refuses what the target would not take, before it is measured.
func (t *target) checkSetting(setting space.Setting) error {
	if len(setting) == 0 {
		return nil
	}
	if t.builder != nil {
		return t.found.Check(setting)
	}
	if usesRuby(t.config) && t.config.External == nil {
		return t.support.Check(setting)
	}
	for _, name := range slices.Sorted(maps.Keys(setting)) {
		if err := t.space.Check(space.Setting{name: setting[name]}); err != nil {
			return err
		}
	}
	return nil
}
