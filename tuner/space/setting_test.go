package space_test

import (
	"encoding/json"
	"testing"

	"github.com/gctune/gctune/tuner/space"
)

func TestSettingJSONKeepsTexts(t *testing.T) {
	setting := space.Setting{"B": "1.50", "A": "600000", "E": "1e5", "C": "on", "D": "010", "F": "", "G": "5 "}
	data, err := json.Marshal(setting)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"A":600000,"B":1.50,"C":"on","D":"010","E":1e5,"F":"","G":"5 "}`; string(data) != want {
		t.Errorf("got %s, want %s", data, want)
	}
	var back space.Setting
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if back.Key() != setting.Key() {
		t.Errorf("got %v, want %v", back, setting)
	}
}

func TestSettingJSONRefusesOtherTypes(t *testing.T) {
	for _, text := range []string{`{"A":true}`, `{"A":null}`, `{"A":[1]}`, `[1]`, `"A"`} {
		var setting space.Setting
		if err := json.Unmarshal([]byte(text), &setting); err == nil {
			t.Errorf("%s is read as %v", text, setting)
		}
	}
}

func TestSettingKeysAreUnambiguous(t *testing.T) {
	one := space.Setting{"A": "1 B=2"}
	two := space.Setting{"A": "1", "B": "2"}
	if one.Key() == two.Key() {
		t.Errorf("%v and %v share the key %q", one, two, one.Key())
	}
	if got := two.Key(); got != "A=1 B=2" {
		t.Errorf("got %q, want A=1 B=2", got)
	}
}

func TestCloneIsIndependent(t *testing.T) {
	original := space.Setting{"A": "1"}
	original.Clone()["A"] = "2"
	if original["A"] != "1" {
		t.Error("a change to the clone reached the original")
	}
	if space.Setting(nil).Clone() != nil {
		t.Error("the clone of nil is not nil")
	}
}

func FuzzSettingJSON(f *testing.F) {
	for _, seed := range []string{`{"A":1}`, `{"A":"x","B":1e-7}`, `null`, `{}`, `{"A":-0}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second space.Setting
		if json.Unmarshal(data, &first) != nil {
			return
		}
		written, err := json.Marshal(first)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(written, &second); err != nil || first.Key() != second.Key() {
			t.Fatalf("%v became %v (%v)", first, second, err)
		}
	})
}

func FuzzCheck(f *testing.F) {
	s, err := space.New([]space.Parameter{{Name: "I", Min: -100, Max: 1 << 40}, {Name: "F", Kind: space.Float, Min: -1, Max: 1e9}})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"1", "0.5", "600_000", "1e6", "-0", "0x1p-2", "١٢"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"I", "F"} {
			setting := space.Setting{name: text}
			if s.Check(setting) != nil {
				continue
			}
			if key := s.Key(setting); s.Check(space.Setting{name: key[len("I="):]}) != nil {
				t.Fatalf("%q passes but its canonical form %q does not", text, key)
			}
		}
	})
}
