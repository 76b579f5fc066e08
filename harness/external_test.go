package harness_test

import (
	"strings"
	"testing"

	"github.com/gctune/gctune/harness"
)

// What is printed in place of a number is told as the program printed it.
func TestMetricsThatAreNoNumbers(t *testing.T) {
	for printed, want := range map[string]string{
		`{"throughput": null}`:   `metric "throughput" is null where a number has to be`,
		`{"throughput": "12"}`:   `metric "throughput" is "12" where a number has to be`,
		`{"throughput": [1, 2]}`: `metric "throughput" is [1,2] where a number has to be`,
	} {
		if _, err := harness.ParseMetrics([]byte(printed)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", printed, err, want)
		}
	}
}
