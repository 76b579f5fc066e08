package studies

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
)

// The study file: a header that says what it is, then everything of one study.
const (
	fileFormat  = "gctune-study"
	fileVersion = 2 // 1 had no logs of collections
)

type file struct {
	Format  string   `json:"format"`
	Version int      `json:"version"`
	Study   Study    `json:"study"`
	Trials  []Trial  `json:"trials"`
	Replays []Replay `json:"replays"`
}

// Export writes a study with its trials and replays to w as one JSON document
// that Import reads. It is one state of the study, also while it is worked on.
func (s *Store) Export(ctx context.Context, name string, w io.Writer) error {
	f := file{Format: fileFormat, Version: fileVersion}
	err := s.view(ctx, fmt.Sprintf("export study %q", name), func(tx *sql.Tx) (err error) {
		if f.Study, err = studyByName(ctx, tx, name); err != nil {
			return err
		}
		if f.Trials, err = trials(ctx, tx, f.Study.ID, ""); err != nil {
			return err
		}
		if err = fillLogs(ctx, tx, f.Study.ID, f.Trials); err != nil {
			return err
		}
		f.Replays, err = replays(ctx, tx, f.Study.ID)
		return err
	})
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(f); err != nil {
		return fmt.Errorf("export study %q: %w", name, err)
	}
	return nil
}

// Import stores the study that Export wrote, under a new name unless that is
// empty. A trial that was running becomes interrupted. The file is data from
// elsewhere: it is checked, and nothing in it is executed. Errors are
// ErrInvalid for a file that is no study or not whole, ErrNewerVersion, and
// those of CreateStudy.
func (s *Store) Import(ctx context.Context, r io.Reader, name string) (Study, error) {
	f, err := decodeFile(r)
	if err != nil {
		return Study{}, fmt.Errorf("import study: %w", err)
	}
	if name != "" {
		f.Study.Name = name
	}
	err = s.update(ctx, fmt.Sprintf("import study %q", f.Study.Name), func(tx *sql.Tx) (err error) {
		f.Study.ID, err = insertFile(ctx, tx, f)
		return err
	})
	if err != nil {
		return Study{}, err
	}
	return f.Study, nil
}

func decodeFile(r io.Reader) (file, error) {
	data, err := readFile(r)
	if err != nil {
		return file{}, err
	}
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return file{}, fmt.Errorf("%w: it is not a study file: %w", ErrInvalid, err)
	}
	if head.Format != fileFormat || head.Version < 1 {
		return file{}, fmt.Errorf("%w: it is not a study file: \"format\" is %q, not %q", ErrInvalid, head.Format, fileFormat)
	}
	if head.Version > fileVersion {
		return file{}, fmt.Errorf("%w: the file has version %d, this one knows %d: update gctune", ErrNewerVersion, head.Version, fileVersion)
	}
	return decodeBody(data)
}

// largestFile is that of a study with some hundred logs that are full.
const largestFile = 1 << 30

// readFile refuses what cannot be a study at its first byte: a device may have no end.
func readFile(r io.Reader) ([]byte, error) {
	in := bufio.NewReader(io.LimitReader(r, largestFile+1))
	if first, err := in.Peek(1); err == nil && !bytes.ContainsAny(first, "{ \t\r\n") {
		return nil, fmt.Errorf("%w: it is not a study file: it begins with %q", ErrInvalid, first)
	}
	data, err := io.ReadAll(in)
	if err == nil && len(data) > largestFile {
		err = fmt.Errorf("%w: it is larger than 1 GiB, which no study is", ErrInvalid)
	}
	return data, err
}

func insertFile(ctx context.Context, tx *sql.Tx, f file) (int64, error) {
	id, err := insertStudy(ctx, tx, f.Study)
	if err != nil {
		return 0, err
	}
	for _, t := range f.Trials {
		if err := insertTrial(ctx, tx, id, t); err != nil {
			return 0, err
		}
		if err := insertRuns(ctx, tx, id, t.Number, 0, t.Runs); err != nil {
			return 0, fmt.Errorf("trial %d: %w", t.Number, err)
		}
	}
	for i, r := range f.Replays {
		if _, err := insertReplay(ctx, tx, id, r); err != nil {
			return 0, fmt.Errorf("replay %d: %w", i, err)
		}
	}
	return id, nil
}
