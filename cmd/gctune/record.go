package main

import (
	"context"
	"fmt"
	"maps"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
)

// record keeps a replay in its study while it lasts, so that whatever ends it loses no
// pair but the one under way.
type record struct {
	store  *studies.Store // nil for a replay without a study
	study  int64
	replay studies.Replay
}

// goOn finds a replay of the same that was begun and not ended; there may be none.
func (r *record) goOn(c *cli.Context) error {
	if r.store == nil {
		return nil
	}
	all, err := r.store.Replays(c.Context, r.study)
	if err != nil {
		return err
	}
	for _, earlier := range all {
		if isBegun(earlier) && earlier.Trial == r.replay.Trial && maps.Equal(earlier.Setting, r.replay.Setting) &&
			earlier.Confidence == replayConfidence && len(differences(earlier.Fingerprint, r.replay.Fingerprint)) == 0 {
			r.replay = earlier
			fmt.Fprintf(c.App.ErrWriter, "going on with %s of an interrupted replay\n", count(len(earlier.Pairs), "pair"))
			return nil
		}
	}
	return nil
}

// isBegun tells of a replay that a person asked for and that did not come to its end.
// Those of earlier versions, which have no confidence, did.
func isBegun(r studies.Replay) bool {
	return !r.Ended && r.Purpose != studies.Confirmation && r.Confidence > 0
}

// keep takes what the replay has come to.
func (r *record) keep(ctx context.Context, e tuner.Effect, ended bool, fingerprint map[string]string) (err error) {
	e.Keep(&r.replay, replayConfidence)
	r.replay.Ended, r.replay.Fingerprint = ended, fingerprint
	switch {
	case r.store == nil:
	case r.replay.ID != 0:
		err = r.store.UpdateReplay(ctx, r.replay)
	default:
		r.replay, err = r.store.SaveReplay(ctx, r.study, r.replay)
	}
	return err
}

// fate is what becomes of the pairs of a replay that is interrupted.
func (r *record) fate() string {
	pairs := count(len(r.replay.Pairs), "pair")
	if r.store == nil {
		return pairs + " were measured and are lost, as there is no study to keep them in; the same command begins anew"
	}
	return pairs + " are kept; the same command goes on with them"
}
