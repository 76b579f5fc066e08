package ruby_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gctune/gctune/harness/ruby"
)

// What is said of an interpreter by its description is what it says when it is asked.
func TestStatedIsWhatTheInterpreterReads(t *testing.T) {
	names := func(s ruby.Support) []string {
		var all []string
		for _, p := range s.Parameters {
			all = append(all, p.Name+"="+p.Default)
		}
		slices.Sort(all)
		return all
	}
	eachRuby(t, func(t *testing.T, asked ruby.Support) {
		if !asked.Interpreter.AtLeast("2.1") {
			t.Skip("descriptions tell from 2.1 on")
		}
		stated, known := ruby.Stated(asked.Interpreter.Description)
		if !known {
			t.Fatalf("%q is not known", asked.Interpreter.Description)
		}
		if diff := cmp.Diff(names(asked), names(stated)); diff != "" {
			t.Error(diff)
		}
		for _, p := range asked.Parameters {
			for _, value := range []string{p.Default, "0", "1", "0.5", "1e6", "70000"} {
				setting := map[string]string{p.Name: value}
				if a, b := asked.Check(setting), stated.Check(setting); (a == nil) != (b == nil) {
					t.Errorf("%v: %v asked, %v stated", setting, a, b)
				}
			}
		}
	})
}

func TestStatedRefuses(t *testing.T) {
	for _, description := range []string{"", "jruby 9.4.0.0 (3.1.0)", "ruby 1.8.7 (2008-08-11 patchlevel 72) [x86_64-linux]", "ruby 2.0.0p648"} {
		if _, known := ruby.Stated(description); known {
			t.Errorf("%q is said to be known", description)
		}
	}
	s, known := ruby.Stated("ruby 3.3.8 (2025-04-09 revision b200bad6cd) [x86_64-linux-gnu]")
	if !known {
		t.Fatal("3.3.8 is not known")
	}
	for _, name := range []string{"RUBY_GC_HEAP_INIT_SLOTS", "RUBY_FREE_MIN", "RUBY_GC_HEAP_INIT_BYTES", "RUBY_NONE"} {
		var refused *ruby.ValueError
		if err := s.Check(map[string]string{name: "20000"}); !errors.As(err, &refused) || refused.Reason == "" {
			t.Errorf("%s: %v, want a reason", name, err)
		}
	}
	if err := s.Check(map[string]string{"RUBY_GC_HEAP_0_INIT_SLOTS": "20000"}); err != nil {
		t.Error(err)
	}
}

func TestManyHeaps(t *testing.T) {
	for description, many := range map[string]bool{
		"ruby 1.8.7 (2008-08-11 patchlevel 72)": false, "ruby 3.1.2p20": false, "ruby 3.2.0 (2022-12-25)": true, "ruby 3.10.0": true, "": false,
	} {
		if got := ruby.ManyHeaps(description); got != many {
			t.Errorf("%q: %v", description, got)
		}
	}
}

func TestEffect(t *testing.T) {
	const old, modern = "ruby 1.8.7 (2008-08-11 patchlevel 72) [x86_64-linux]", "ruby 3.1.2p20 (2022-04-12 revision 4491bb740a)"
	for _, c := range []struct {
		description, name string
		said              bool
	}{
		{modern, "RUBY_GC_HEAP_GROWTH_FACTOR", true}, {modern, "RUBY_HEAP_MIN_SLOTS", false}, {modern, "WEB_CONCURRENCY", false},
		{old, "RUBY_HEAP_MIN_SLOTS", true}, {old, "RUBY_GC_HEAP_GROWTH_FACTOR", false},
	} {
		if text := ruby.Effect(c.description, c.name); (text != "") != c.said {
			t.Errorf("%s of %s: %q", c.name, c.description, text)
		}
	}
	if ruby.Effect(old, "RUBY_GC_MALLOC_LIMIT") == ruby.Effect(modern, "RUBY_GC_MALLOC_LIMIT") {
		t.Error("the limit of 1.8 is another one")
	}
}
