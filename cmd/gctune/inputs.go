package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/config"
	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/space"
)

// readConfig reads the configuration; --study overrides its study's name.
func readConfig(c *cli.Context) (*config.Config, error) {
	cfg, err := config.Read(c.String("config"))
	if err != nil {
		return nil, err
	}
	if c.IsSet("study") {
		if !config.ValidStudyName(c.String("study")) {
			return nil, usagef("--study: %q is not a study's name: it must consist of letters, digits, dots, hyphens and underscores", c.String("study"))
		}
		cfg.Study = config.Text(c.String("study"))
	}
	return cfg, nil
}

// storedStudy is a study as a command that only reads sees it.
type storedStudy struct {
	studies.Study
	definition tuner.Definition
	trials     []tuner.Scored
	// estimates are what the search believes of each trial's throughput, by its number.
	estimates map[int]objective.Estimate
	replays   []studies.Replay
	// confirmed is the front as it was measured again; nil where it was not.
	confirmed *tuner.Confirmed
}

// readStudy reads the study that the command line speaks of, and changes nothing.
func readStudy(c *cli.Context) (*storedStudy, error) { return readStudyNamed(c, "") }

// readStudyNamed reads the study of that name; for "" the command line's.
func readStudyNamed(c *cli.Context, name string) (*storedStudy, error) {
	store, err := studies.OpenReadOnly(c.Context, c.String("store"))
	if errors.Is(err, studies.ErrNotFound) {
		return nil, fmt.Errorf("%w; --store names another file", err)
	}
	if err != nil {
		return nil, err
	}
	defer store.Close()
	if name == "" {
		if name, err = studyName(c, store); err != nil {
			return nil, err
		}
	}
	return loadStudy(c.Context, store, name)
}

// space is the search space that the study has now.
func (s *storedStudy) space() (space.Space, error) {
	found, err := space.New(s.definition.Parameters)
	if err != nil {
		return found, fmt.Errorf("the search space of study %s: %w", s.Name, err)
	}
	return found, nil
}

func loadStudy(ctx context.Context, store *studies.Store, name string) (*storedStudy, error) {
	study, err := store.Study(ctx, name)
	if errors.Is(err, studies.ErrNotFound) {
		return nil, fmt.Errorf("%w (the store has: %s)", err, knownStudies(ctx, store))
	}
	if err != nil {
		return nil, err
	}
	s := &storedStudy{Study: study}
	if err := json.Unmarshal(study.Definition, &s.definition); err != nil {
		return nil, fmt.Errorf("reading the definition of study %s: %w", name, err)
	}
	trials, err := store.Trials(ctx, study.ID)
	if err != nil {
		return nil, err
	}
	s.trials = s.definition.ScoreAll(trials)
	s.estimates = s.definition.Estimates(s.trials)
	if s.replays, err = store.Replays(ctx, study.ID); err != nil {
		return nil, err
	}
	s.replays = slices.DeleteFunc(s.replays, isBegun)
	confirmed, any, err := s.definition.Confirm(s.trials, tuner.ConfirmationsOf(study, s.replays))
	if any {
		s.confirmed = &confirmed
	}
	return s, err
}

func knownStudies(ctx context.Context, store *studies.Store) string {
	all, err := store.Studies(ctx)
	if err != nil || len(all) == 0 {
		return "no study"
	}
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}

// studyName is the study given, or the configuration's, or the only one.
func studyName(c *cli.Context, store *studies.Store) (string, error) {
	if c.IsSet("study") {
		return c.String("study"), nil
	}
	if _, err := os.Stat(c.String("config")); err == nil || c.IsSet("config") {
		cfg, err := readConfig(c)
		if err != nil {
			return "", err
		}
		return string(cfg.Study), nil
	}
	all, err := store.Studies(c.Context)
	if err != nil {
		return "", err
	}
	if len(all) != 1 {
		return "", usagef("which study? --study names it (the store has: %s)", knownStudies(c.Context, store))
	}
	return all[0].Name, nil
}

// trial finds a trial by number.
func (s *storedStudy) trial(number int) (tuner.Scored, error) {
	for _, t := range s.trials {
		if t.Number == number {
			return t, nil
		}
	}
	return tuner.Scored{}, usagef("study %s has no trial %d: `gctune trials` lists them", s.Name, number)
}
