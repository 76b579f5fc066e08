package ruby_test

import (
	"strconv"
	"testing"

	"github.com/gctune/gctune/harness/ruby"
)

// Every end of every range is taken without the other parameters, too.
func TestSearchedValuesAreTakenAlone(t *testing.T) {
	in, err := ruby.Probe(t.Context(), "ruby")
	if err != nil {
		t.Fatal(err)
	}
	support, err := ruby.Parameters(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range ruby.SearchSpace(support) {
		for _, end := range []float64{p.Min, p.Max} {
			text := strconv.FormatFloat(end, 'f', -1, 64)
			verdicts, err := ruby.Prove(t.Context(), in, map[string]string{p.Name: text}, ruby.Limits{})
			if err != nil || !verdicts[p.Name].Taken {
				t.Errorf("%s=%s alone: %+v, %v", p.Name, text, verdicts[p.Name], err)
			}
		}
	}
}
