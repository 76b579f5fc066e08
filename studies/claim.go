package studies

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Owner identifies a process beyond the reuse of its number: by its start in
// clock ticks since boot, and by the boot.
type Owner struct {
	PID        int
	StartTicks uint64
	BootID     string
	Host       string
}

// Claim is the right to work on a study. Release it when done; that of a dead
// process falls to the next claimant.
type Claim struct {
	// Interrupted are the trials whose process ended before they did and that
	// have not been begun again. Processes with their markers may still run.
	Interrupted []Trial

	store *Store
	study Study
	owner Owner
}

// Claim makes owner the only process that works on a study, or returns an
// *InUseError with the owner that alive says is living. Trials still running
// under earlier owners become interrupted.
func (s *Store) Claim(ctx context.Context, study string, owner Owner, alive func(Owner) bool) (*Claim, error) {
	claim := &Claim{store: s, owner: owner}
	err := s.update(ctx, fmt.Sprintf("claim study %q", study), func(tx *sql.Tx) (err error) {
		if claim.study, err = studyByName(ctx, tx, study); err != nil {
			return err
		}
		if err = checkFree(ctx, tx, claim.study, alive); err != nil {
			return err
		}
		if claim.Interrupted, err = interrupt(ctx, tx, claim.study.ID); err != nil {
			return err
		}
		return takeOver(ctx, tx, claim.study.ID, owner)
	})
	if err != nil {
		return nil, err
	}
	return claim, nil
}

// Release gives the study free. It also works after ctx is cancelled, and
// does nothing when the claim is no longer the owner's.
func (c *Claim) Release(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	return c.store.update(ctx, fmt.Sprintf("release study %q", c.study.Name), func(tx *sql.Tx) error {
		holder, err := holder(ctx, tx, c.study.ID)
		if errors.Is(err, sql.ErrNoRows) || (err == nil && holder != c.owner) {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM claims WHERE study = ?", c.study.ID)
		return err
	})
}

func checkFree(ctx context.Context, tx *sql.Tx, study Study, alive func(Owner) bool) error {
	holder, err := holder(ctx, tx, study.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err == nil && alive(holder) {
		return &InUseError{Study: study.Name, Owner: holder}
	}
	return err
}

func holder(ctx context.Context, tx *sql.Tx, study int64) (Owner, error) {
	var o Owner
	var ticks int64
	err := tx.QueryRowContext(ctx, "SELECT pid, start_ticks, boot_id, host FROM claims WHERE study = ?", study).
		Scan(&o.PID, &ticks, &o.BootID, &o.Host)
	o.StartTicks = uint64(ticks)
	return o, err
}

func takeOver(ctx context.Context, tx *sql.Tx, study int64, o Owner) error {
	_, err := tx.ExecContext(ctx,
		"INSERT OR REPLACE INTO claims (study, pid, start_ticks, boot_id, host) VALUES (?, ?, ?, ?, ?)",
		study, o.PID, int64(o.StartTicks), o.BootID, o.Host)
	return err
}

// interrupt marks what an earlier owner left running, and returns all that is
// interrupted: an owner that died before it swept up leaves that to the next.
func interrupt(ctx context.Context, tx *sql.Tx, study int64) ([]Trial, error) {
	_, err := tx.ExecContext(ctx, `
		UPDATE trials
		SET state = 'interrupted',
		    reason = 'gctune' || coalesce(' (pid ' || owner_pid || ')', '') || ' ended during this trial'
		WHERE study = ? AND state = 'running'`, study)
	if err != nil {
		return nil, err
	}
	return trials(ctx, tx, study, Interrupted)
}
