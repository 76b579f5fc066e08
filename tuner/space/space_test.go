package space_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/gctune/gctune/tuner/space"
)

func mustNew(t *testing.T, parameters ...space.Parameter) space.Space {
	t.Helper()
	s, err := space.New(parameters)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// mixed has every kind, both scales, a step, digits, a choice and a chain of
// three dependent ratios.
func mixed(t *testing.T) space.Space {
	return mustNew(t,
		space.Parameter{Name: "SLOTS", Scale: space.Log, Min: 10_000, Max: 4_000_001, Default: "10000", Digits: 3},
		space.Parameter{Name: "PAGES", Min: 100, Max: 5000, Step: 409},
		space.Parameter{Name: "FACTOR", Kind: space.Float, Min: 1.01, Max: 4, Default: "1.80"},
		space.Parameter{Name: "MODE", Kind: space.Choice, Values: []string{"off", "on", "auto run"}},
		space.Parameter{Name: "LOW", Kind: space.Float, Min: 0.1, Max: 0.9, Digits: 2, Default: "0.2"},
		space.Parameter{Name: "GOAL", Kind: space.Float, Min: 0.1, Max: 0.9, Digits: 2, Above: "LOW", Gap: 0.05, Default: "0.4"},
		space.Parameter{Name: "HIGH", Kind: space.Float, Min: 0.1, Max: 0.95, Digits: 2, Above: "GOAL", Gap: 0.05, Default: "0.65"},
		space.Parameter{Name: "LIMIT", Scale: space.Log, Min: 1, Max: 1 << 40},
		space.Parameter{Name: "LIMIT_MAX", Scale: space.Log, Min: 1, Max: 1 << 40, Above: "LIMIT"},
		space.Parameter{Name: "SHIFT", Min: -5, Max: 5},
		space.Parameter{Name: "FIXED", Min: 7, Max: 7},
	)
}

func TestEveryPointDecodesToAValidSettingThatEncodesBack(t *testing.T) {
	s := mixed(t)
	rng := rand.New(rand.NewPCG(1, 2))
	edges := []float64{0, 1, -3, 7, math.NaN(), math.Inf(1), math.Inf(-1), 1e-300, 1 - 1e-16}
	for range 20_000 {
		u := make([]float64, s.Dim())
		for i := range u {
			u[i] = rng.Float64()
			if rng.IntN(6) == 0 {
				u[i] = edges[rng.IntN(len(edges))]
			}
		}
		setting := s.Decode(u)
		if len(setting) != s.Dim() {
			t.Fatalf("Decode(%v) = %v: parameters are missing", u, setting)
		}
		if err := s.Check(setting); err != nil {
			t.Fatalf("Decode(%v) = %v: %v", u, setting, err)
		}
		if back := s.Decode(s.Encode(setting)); back.Key() != setting.Key() {
			t.Fatalf("Decode(Encode(s)) changed s:\n%s\n%s", setting.Key(), back.Key())
		}
	}
}

func TestBothEndsAreExact(t *testing.T) {
	s := mixed(t)
	for u, want := range map[float64]string{
		0: "FACTOR=1.01 FIXED=7 GOAL=0.15 HIGH=0.2 LIMIT=1 LIMIT_MAX=1 LOW=0.1 MODE=off PAGES=100 SHIFT=-5 SLOTS=10000",
		1: "FACTOR=4 FIXED=7 GOAL=0.9 HIGH=0.95 LIMIT=1099511627776 LIMIT_MAX=1099511627776 LOW=0.85 " +
			`MODE="auto run" PAGES=5000 SHIFT=5 SLOTS=4000001`,
	} {
		point := make([]float64, s.Dim())
		for i := range point {
			point[i] = u
		}
		if got := s.Decode(point).Key(); got != want {
			t.Errorf("at %v:\n got %s\nwant %s", u, got, want)
		}
	}
}

func TestDecodedValuesLieOnTheirGrid(t *testing.T) {
	s := mixed(t)
	for i := 1; i < 1000; i++ {
		u := float64(i) / 1000
		setting := s.Decode([]float64{u, u, u})
		digits := strings.TrimRight(setting["SLOTS"], "0")
		if len(digits) > 3 {
			t.Errorf("SLOTS=%s has more than 3 significant digits", setting["SLOTS"])
		}
		pages, err := strconv.Atoi(setting["PAGES"])
		if err != nil || pages%409 != 0 && pages != 100 && pages != 5000 {
			t.Errorf("PAGES=%s is neither a multiple of 409 nor an end", setting["PAGES"])
		}
	}
}

func TestChoicesShareTheUnitIntervalEvenly(t *testing.T) {
	s := mustNew(t, space.Parameter{Name: "M", Kind: space.Choice, Values: []string{"a", "b", "c", "d"}})
	counts := map[string]int{}
	for i := range 1000 {
		counts[s.Decode([]float64{(float64(i) + 0.5) / 1000})["M"]]++
	}
	for _, value := range []string{"a", "b", "c", "d"} {
		if counts[value] != 250 {
			t.Errorf("%s has %d of 1000 points, want 250", value, counts[value])
		}
	}
}

func TestEncodeFillsInWhatIsMissing(t *testing.T) {
	s := mustNew(t,
		space.Parameter{Name: "A", Min: 0, Max: 10, Default: "3"},
		space.Parameter{Name: "B", Min: 0, Max: 10},
		space.Parameter{Name: "C", Kind: space.Choice, Values: []string{"x", "y"}, Default: "y"},
	)
	for _, setting := range []space.Setting{nil, {"A": "junk", "B": "1e3", "C": "?"}} {
		if got := s.Encode(setting); got[0] != 0.3 || got[1] != 0.5 || got[2] != 0.75 {
			t.Errorf("Encode(%v) = %v, want [0.3 0.5 0.75]", setting, got)
		}
	}
	if got := s.Encode(space.Setting{"A": "99"}); got[0] != 1 {
		t.Errorf("a value above max is encoded as %v, want 1", got[0])
	}
}

func TestNewRefusesWhatCannotBeSearched(t *testing.T) {
	ok := space.Parameter{Name: "A", Min: 1, Max: 10}
	for name, test := range map[string]struct {
		parameters []space.Parameter
		want       string
	}{
		"same name twice":    {[]space.Parameter{ok, ok}, "used twice"},
		"no name":            {[]space.Parameter{{Min: 1, Max: 2}}, "name is missing"},
		"name with =":        {[]space.Parameter{{Name: "A=B", Max: 2}}, "no name of a variable"},
		"min above max":      {[]space.Parameter{{Name: "A", Min: 3, Max: 2}}, "above max"},
		"infinite":           {[]space.Parameter{{Name: "A", Max: math.Inf(1)}}, "finite"},
		"not a number":       {[]space.Parameter{{Name: "A", Kind: space.Float, Min: math.NaN(), Max: 1}}, "finite"},
		"log from zero":      {[]space.Parameter{{Name: "A", Scale: space.Log, Max: 9}}, "min > 0"},
		"half an int":        {[]space.Parameter{{Name: "A", Min: 0.5, Max: 9}}, "whole numbers"},
		"huge int":           {[]space.Parameter{{Name: "A", Max: 1e17}}, "2^53"},
		"unknown kind":       {[]space.Parameter{{Name: "A", Kind: 9, Max: 1}}, "unknown kind"},
		"default malformed":  {[]space.Parameter{{Name: "A", Min: 1, Max: 9, Default: "5.0"}}, "write 5"},
		"empty choice":       {[]space.Parameter{{Name: "A", Kind: space.Choice}}, "at least one"},
		"choice twice":       {[]space.Parameter{{Name: "A", Kind: space.Choice, Values: []string{"x", "x"}}}, "twice"},
		"default not chosen": {[]space.Parameter{{Name: "A", Kind: space.Choice, Values: []string{"x"}, Default: "y"}}, "among"},
		"above a later one":  {[]space.Parameter{{Name: "B", Max: 2, Above: "A"}, ok}, "not an earlier"},
		"above itself":       {[]space.Parameter{{Name: "A", Max: 2, Above: "A"}}, "not an earlier"},
		"group without room": {[]space.Parameter{ok, {Name: "B", Min: 1, Max: 5, Above: "A", Gap: 7}}, "leaves no value"},
		"defaults in conflict": {[]space.Parameter{{Name: "A", Max: 9, Default: "5"},
			{Name: "B", Max: 9, Default: "4", Above: "A"}}, "violates its group"},
	} {
		if _, err := space.New(test.parameters); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, test.want)
		}
	}
}

func TestCheckSaysHowToWriteIt(t *testing.T) {
	s := mixed(t)
	for _, test := range []struct {
		name, text string
		kind       error
		want       string
	}{
		{"SLOTS", "600_000", space.ErrMalformed, "write 600000"},
		{"SLOTS", "16MB", space.ErrMalformed, "without a unit"},
		{"SLOTS", "1e6", space.ErrMalformed, "write 1000000"},
		{"SLOTS", "010000", space.ErrMalformed, "write 10000"},
		{"SLOTS", `"500000"`, space.ErrMalformed, "quotes; write 500000"},
		{"SLOTS", " 500000", space.ErrMalformed, "blanks; write 500000"},
		{"SLOTS", "", space.ErrMalformed, "empty"},
		{"SLOTS", "+20000", space.ErrMalformed, "write 20000"},
		{"SLOTS", "20000.5", space.ErrMalformed, "whole number"},
		{"SLOTS", "99999999999999999999e999", space.ErrMalformed, "digits only"},
		{"SLOTS", "0x10", space.ErrMalformed, "write digits only"},
		{"SLOTS", "9999", space.ErrOutOfBounds, "the least is 10000"},
		{"SHIFT", "-6", space.ErrOutOfBounds, "the least is -5"},
		{"FACTOR", "0.07", space.ErrOutOfBounds, "the least is 1.01"},
		{"FACTOR", "1,5", space.ErrMalformed, "separators"},
		{"FACTOR", "NaN", space.ErrMalformed, "digits only and a decimal point"},
		{"SLOT", "10000", space.ErrUnknownName, "SLOT"},
		{"GOAL", "0.22", space.ErrGroup, "at least 0.25"},
		{"LOW", "0.38", space.ErrGroup, "GOAL=0.4"},
	} {
		err := s.Check(space.Setting{test.name: test.text})
		if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s=%q: got %v, want %q in a %q", test.name, test.text, err, test.want, test.kind)
		}
	}
	if err := s.Check(space.Setting{"MODE": "maybe"}); err == nil || !strings.Contains(err.Error(), "off, on, auto run") {
		t.Errorf("a wrong choice: got %v, want the values listed", err)
	}
	for _, good := range []space.Setting{nil, {}, {"SLOTS": "123457"}, {"FACTOR": "1.50"}, {"SHIFT": "-5"}, {"LOW": "0.35"}} {
		if err := s.Check(good); err != nil {
			t.Errorf("%v is refused: %v", good, err)
		}
	}
}

func TestKeyTakesExplicitDefaultsForTheBaseline(t *testing.T) {
	s := mixed(t)
	same := []space.Setting{
		{"MODE": "on"},
		{"MODE": "on", "SLOTS": "10000"},
		{"MODE": "on", "FACTOR": "1.8", "LOW": "0.20"},
	}
	for _, setting := range same {
		if got := s.Key(setting); got != "MODE=on" {
			t.Errorf("Key(%v) = %q, want MODE=on", setting, got)
		}
	}
	if s.Key(space.Setting{"SLOTS": "10001"}) == s.Key(nil) {
		t.Error("a changed setting has the baseline's key")
	}
}

func TestBaselineNeedsEveryDefault(t *testing.T) {
	if got, ok := mixed(t).Baseline(); ok {
		t.Errorf("Baseline() = %v although defaults are missing", got)
	}
	s := mustNew(t, space.Parameter{Name: "A", Kind: space.Float, Min: 1, Max: 3, Default: "1.50"})
	if got, ok := s.Baseline(); !ok || got["A"] != "1.5" {
		t.Errorf("Baseline() = %v, %v, want A=1.5", got, ok)
	}
}

func TestAllYieldsEachReachableSettingOnce(t *testing.T) {
	for name, s := range map[string]space.Space{
		"ints and choice": mustNew(t,
			space.Parameter{Name: "A", Min: -2, Max: 3},
			space.Parameter{Name: "C", Kind: space.Choice, Values: []string{"x", "y"}}),
		"digits over powers of ten": mustNew(t, space.Parameter{Name: "A", Scale: space.Log, Min: 7, Max: 1234, Digits: 1}),
		"negative digits":           mustNew(t, space.Parameter{Name: "A", Min: -250, Max: -3, Digits: 1}),
		"step off the ends":         mustNew(t, space.Parameter{Name: "A", Min: 3, Max: 101, Step: 10}),
		"step and digits":           mustNew(t, space.Parameter{Name: "A", Scale: space.Log, Min: 400, Max: 90_000, Step: 409, Digits: 2}),
		"ratios": mustNew(t,
			space.Parameter{Name: "A", Kind: space.Float, Min: 0.1, Max: 0.5, Digits: 1},
			space.Parameter{Name: "B", Kind: space.Float, Min: 0.1, Max: 0.6, Digits: 1, Above: "A", Gap: 0.1}),
		"no parameters": mustNew(t),
	} {
		all := map[string]bool{}
		for setting := range s.All() {
			if all[setting.Key()] {
				t.Errorf("%s: %v comes twice", name, setting)
			}
			all[setting.Key()] = true
		}
		reached := map[string]bool{}
		rng := rand.New(rand.NewPCG(3, 4))
		for range 30_000 {
			reached[s.Decode([]float64{rng.Float64()*1.02 - 0.01, rng.Float64()*1.02 - 0.01}).Key()] = true
		}
		for key := range reached {
			if !all[key] {
				t.Errorf("%s: All lacks %s", name, key)
			}
		}
		if len(all) != len(reached) {
			t.Errorf("%s: All yields %d settings, Decode reaches %d", name, len(all), len(reached))
		}
	}
}

// A default may lie outside the range that is searched: then no end of the range
// is the same as leaving the parameter alone.
func TestDefaultOutsideTheRange(t *testing.T) {
	s, err := space.New([]space.Parameter{{Name: "A", Min: 10, Max: 90, Default: "5"}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Key(space.Setting{"A": "10"}) == s.Key(nil) || s.Key(space.Setting{"A": "5"}) != s.Key(nil) {
		t.Error("only the default itself is the same as no value")
	}
	if u := s.Encode(nil); u[0] != 0 {
		t.Errorf("the default is nearest to the lower end, got %v", u)
	}
}

// Stored studies hold parameters in words; what is written is read back.
func TestParametersAsJSON(t *testing.T) {
	want := []space.Parameter{
		{Name: "A", Kind: space.Int, Scale: space.Log, Min: 1, Max: 9, Default: "2", Digits: 3, Step: 4},
		{Name: "B", Kind: space.Float, Max: 1.5, Above: "A", Gap: 0.5},
		{Name: "C", Kind: space.Choice, Values: []string{"x", "y"}},
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `{"name":"A","kind":"int","scale":"log","min":1,"max":9,"default":"2","digits":3,"step":4}`) {
		t.Errorf("got %s", text)
	}
	var got []space.Parameter
	if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read back %+v, %v", got, err)
	}
	if err := json.Unmarshal([]byte(`[{"kind":"complex"}]`), &got); err == nil {
		t.Error("an unknown kind was read")
	}
}
