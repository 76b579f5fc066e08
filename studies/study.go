package studies

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
)

const studyColumns = "id, name, created, seed, sampler, config, definition, fingerprint"

// CreateStudy stores a new study and returns it with its ID. Errors are
// ErrExists for a name that is taken and ErrInvalid.
func (s *Store) CreateStudy(ctx context.Context, study Study) (Study, error) {
	doing := fmt.Sprintf("create study %q", study.Name)
	err := s.update(ctx, doing, func(tx *sql.Tx) (err error) {
		study.ID, err = insertStudy(ctx, tx, study)
		return err
	})
	if err != nil {
		return Study{}, err
	}
	return study, nil
}

func insertStudy(ctx context.Context, tx *sql.Tx, study Study) (int64, error) {
	if err := checkName(study.Name); err != nil {
		return 0, err
	}
	if err := checkDefinition(study.Definition); err != nil {
		return 0, err
	}
	result, err := tx.ExecContext(ctx,
		"INSERT INTO studies (name, created, seed, sampler, config, definition, fingerprint) VALUES (?, ?, ?, ?, ?, ?, ?)",
		study.Name, timeText(study.Created), strconv.FormatUint(study.Seed, 10), study.Sampler, study.Config,
		rawText(study.Definition), jsonText(study.Fingerprint))
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

func checkDefinition(definition json.RawMessage) error {
	if len(definition) > 0 && !json.Valid(definition) {
		return fmt.Errorf("%w: the definition is not JSON", ErrInvalid)
	}
	return nil
}

// plainName is what a study may be called: the name stands on command lines, in
// tables, and names a directory.
var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

func checkName(name string) error {
	if !plainName.MatchString(name) {
		return fmt.Errorf("%w: %q is no name for a study: use up to 100 letters, digits, dots, hyphens and underscores", ErrInvalid, name)
	}
	return nil
}

// Study returns the study of that name, or ErrNotFound.
func (s *Store) Study(ctx context.Context, name string) (Study, error) {
	var study Study
	err := s.view(ctx, fmt.Sprintf("study %q", name), func(tx *sql.Tx) (err error) {
		study, err = studyByName(ctx, tx, name)
		return err
	})
	return study, err
}

func studyByName(ctx context.Context, tx *sql.Tx, name string) (Study, error) {
	return scanStudy(tx.QueryRowContext(ctx, "SELECT "+studyColumns+" FROM studies WHERE name = ?", name))
}

func studyByID(ctx context.Context, tx *sql.Tx, id int64) (Study, error) {
	return scanStudy(tx.QueryRowContext(ctx, "SELECT "+studyColumns+" FROM studies WHERE id = ?", id))
}

// Studies returns all studies in the order of their creation.
func (s *Store) Studies(ctx context.Context) ([]Study, error) {
	var all []Study
	err := s.view(ctx, "list studies", func(tx *sql.Tx) (err error) {
		all, err = query(ctx, tx, scanStudy, "SELECT "+studyColumns+" FROM studies ORDER BY id")
		return err
	})
	return all, err
}

// UpdateStudy stores what may change while a study goes on: its sampler,
// configuration, definition and fingerprint. Errors are ErrNotFound and
// ErrInvalid.
func (s *Store) UpdateStudy(ctx context.Context, study Study) error {
	return s.update(ctx, fmt.Sprintf("update study %q", study.Name), func(tx *sql.Tx) error {
		if err := checkDefinition(study.Definition); err != nil {
			return err
		}
		if _, err := studyByID(ctx, tx, study.ID); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE studies SET sampler = ?, config = ?, definition = ?, fingerprint = ? WHERE id = ?",
			study.Sampler, study.Config, rawText(study.Definition), jsonText(study.Fingerprint), study.ID)
		return err
	})
}

// DeleteStudy deletes a study with its trials and replays. Errors are
// ErrNotFound, and *InUseError while a live process works on it.
func (s *Store) DeleteStudy(ctx context.Context, name string, alive func(Owner) bool) error {
	return s.update(ctx, fmt.Sprintf("delete study %q", name), func(tx *sql.Tx) error {
		study, err := studyByName(ctx, tx, name)
		if err != nil {
			return err
		}
		if err := checkFree(ctx, tx, study, alive); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM studies WHERE id = ?", study.ID)
		return err
	})
}

func scanStudy(row scanner) (Study, error) {
	var study Study
	var seed string
	err := row.Scan(&study.ID, &study.Name, scanTime(&study.Created), &seed, &study.Sampler, &study.Config,
		scanRaw(&study.Definition), scanJSON(&study.Fingerprint))
	if err != nil {
		return Study{}, err
	}
	study.Seed, err = strconv.ParseUint(seed, 10, 64)
	return study, err
}
