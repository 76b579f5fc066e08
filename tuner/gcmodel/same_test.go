package gcmodel_test

import (
	"reflect"
	"testing"
)

// A setting that changes nothing in a run leaves the run as it was measured.
func TestASettingThatCannotAct(t *testing.T) {
	for _, name := range []string{"blog-3.1.json", "rails-3.1.json", "workers-3.1.json", "blog-3.4.json", "pages-3.2.json", "pages-4.0.json"} {
		profile := mustCalibrate(t, readRecorded(t, name).Logs[0])
		bare := profile.Predict(nil)
		got := profile.Predict(map[string]string{"RUBY_GC_HEAP_GROWTH_MAX_SLOTS": "1000000000"})
		if !reflect.DeepEqual(got, bare) {
			t.Errorf("%s: %v, want %v", name, got, bare)
		}
	}
}
