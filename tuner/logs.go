package tuner

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner/gcmodel"
)

// LogStore is where the logs of collections are kept.
type LogStore interface {
	Logs(ctx context.Context, study int64) (map[int][][]byte, error)
}

// Logs returns what was recorded of the collections of a study's runs, by the number
// of the trial, in the order of its runs. Trials without a log are not in it. Where
// some cannot be read the error comes with all others.
func Logs(ctx context.Context, store LogStore, study studies.Study) (map[int][]gcmodel.Log, error) {
	packed, err := store.Logs(ctx, study.ID)
	if err != nil {
		return nil, err
	}
	found, errs := map[int][]gcmodel.Log{}, []error(nil)
	for number, runs := range packed {
		for _, data := range runs {
			log, err := unpackLog(data)
			if err != nil {
				errs = append(errs, fmt.Errorf("a log of collections of trial %d of study %s cannot be read: %w", number, study.Name, err))
				continue
			}
			found[number] = append(found[number], log)
		}
	}
	return found, errors.Join(errs...)
}

// packLog is nil for a run that nothing was recorded of.
func packLog(log *gcmodel.Log) []byte {
	if log == nil {
		return nil
	}
	text, err := json.Marshal(log)
	if err != nil {
		return nil // a figure that is none, such as no program reports
	}
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // a level that there is
	_, _ = w.Write(text)                                       // a buffer takes all
	_ = w.Close()
	return packed.Bytes()
}

// largestLog bounds what a log from elsewhere may unpack to.
const largestLog = 256 << 20

func unpackLog(packed []byte) (log gcmodel.Log, err error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return log, err
	}
	text, err := io.ReadAll(io.LimitReader(r, largestLog))
	if err != nil {
		return log, err
	}
	if err := json.Unmarshal(text, &log); err != nil {
		return log, err
	}
	if !slices.ContainsFunc(log.Processes, func(p gcmodel.Process) bool { return len(p.Marks) > 0 }) {
		return log, errors.New("it has no process with a mark")
	}
	return log, nil
}

// logOf is the log of a run in the form that the models know.
func (d Definition) logOf(setting map[string]string, r harness.Result) *gcmodel.Log {
	if r.Log == nil {
		return nil
	}
	log := &gcmodel.Log{
		Ruby: r.Log.Ruby, Setting: setting, Ran: r.Log.Ran,
		Requests:    r.Metrics["requests"] + r.Metrics["work"],
		MemoryBytes: r.Metrics[d.Objectives.Memory],
	}
	for _, p := range r.Log.Processes {
		var process gcmodel.Process
		for _, c := range p.Collections {
			process.Collections = append(process.Collections, gcmodel.Collection{
				Slots: c.Slots, Live: c.Live, Free: c.Free, Seconds: c.Seconds, Major: c.Major, By: c.By, MajorBy: c.MajorBy,
			})
		}
		for _, m := range p.Marks {
			process.Marks = append(process.Marks, gcmodel.Mark{
				Name: m.Name, Collections: m.Collections, Requests: m.Requests,
				RSSBytes: m.RSS, PSSBytes: m.PSS, PeakRSSBytes: m.PeakRSS, Stat: m.Stat, Heaps: m.Heaps,
			})
		}
		log.Processes = append(log.Processes, process)
	}
	return log
}
