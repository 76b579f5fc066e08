package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gctune/gctune/harness/process"
)

// SettingVariable carries the whole setting as a JSON object to an external
// program.
const SettingVariable = "GCTUNE_SETTING"

// External has the user's own program do the measuring: it finds the setting in
// its environment and prints one JSON object of metrics as the last line of its
// standard output.
type External struct {
	Program
	Timeout time.Duration
	// Encode gives the setting as JSON.
	Encode func(setting map[string]string) ([]byte, error)
}

var _ Workload = (*External)(nil)

// Run runs the program once. An exit status other than 0 makes the setting
// infeasible, and the last line on standard error is the reason.
func (e *External) Run(ctx context.Context, t Trial) (Result, error) {
	started := time.Now()
	metrics, err := e.measure(ctx, t)
	return conclude(ctx, started, metrics, nil, err)
}

func (e *External) measure(ctx context.Context, t Trial) (metrics map[string]float64, err error) {
	encoded, err := e.Encode(t.Setting)
	if err != nil {
		return nil, fmt.Errorf("encoding the setting: %w", err)
	}
	own := maps.Clone(t.Setting)
	if own == nil {
		own = map[string]string{}
	}
	own[SettingVariable] = string(encoded)
	printed, err := os.CreateTemp("", scratchPattern("metrics"))
	if err != nil {
		return nil, fmt.Errorf("making a file for the program's standard output: %w", err)
	}
	defer os.Remove(printed.Name())
	defer printed.Close()
	tree, err := e.start(t, e.places(), own, printed)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop(ctx, tree)) }()
	if err := e.await(ctx, tree); err != nil {
		return nil, err
	}
	output, err := os.ReadFile(printed.Name())
	if err != nil {
		return nil, fmt.Errorf("reading the program's standard output: %w", err)
	}
	return parseMetrics(output)
}

func (e *External) await(ctx context.Context, tree *process.Tree) error {
	timeout := time.NewTimer(e.Timeout)
	defer timeout.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timeout.C:
		return &fault{state: Infeasible, reason: fmt.Sprintf("the measuring program took longer than %s and was stopped", e.Timeout)}
	case <-tree.Done():
	}
	if err := tree.ExitError(); err != nil {
		reason := err.Error()
		if last := lastLine(tree.Tail(tailLines)); last != "" {
			reason = last
		}
		return &fault{state: Infeasible, reason: reason}
	}
	return nil
}

// mostMetrics is far more than anybody looks at.
const mostMetrics = 1000

func lastLine(lines []string) string {
	for _, line := range slices.Backward(lines) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// parseMetrics reads the last line that is not blank.
func parseMetrics(output []byte) (map[string]float64, error) {
	line := lastLine(strings.Split(string(output), "\n"))
	if line == "" {
		return nil, failed("the measuring program printed nothing on standard output: its last line must be a JSON object of metrics, such as {\"throughput\": 12.5, \"memory\": 180000000}")
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(line)))
	var values map[string]any
	if err := decoder.Decode(&values); err != nil || decoder.More() || values == nil {
		return nil, failed("the last line of standard output is not one JSON object of metrics: %.200q", line)
	}
	if len(values) > mostMetrics {
		return nil, failed("the measuring program printed %d metrics: %d are the most", len(values), mostMetrics)
	}
	metrics := make(map[string]float64, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if strings.TrimSpace(name) == "" {
			return nil, failed("the measuring program printed a metric without a name")
		}
		number, ok := values[name].(float64)
		if !ok {
			written, _ := json.Marshal(values[name]) // it was JSON
			return nil, failed("metric %q is %.200s where a number has to be: print one, or leave the metric out, or end with another status than 0 where the setting cannot be measured", name, written)
		}
		metrics[name] = number
	}
	return metrics, nil
}
