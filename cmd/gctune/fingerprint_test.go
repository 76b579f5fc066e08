package main

import (
	"slices"
	"testing"
)

// What influences figures is recorded, by its name or its beginning; what is none of
// it, such as the time zone, and what sets a collector, which is not passed on, is not.
func TestVariablesThatInfluenceFigures(t *testing.T) {
	recorded := []string{
		"GLIBC_TUNABLES", "MALLOC_TRIM_THRESHOLD_", "MALLOC_ARENA_MAX", "MALLOC_CONF", "RUBY_THREAD_VM_STACK_SIZE",
		"RUBY_FIBER_MACHINE_STACK_SIZE", "RUBYLIB", "RUBYOPT", "GEM_HOME", "GEM_PATH", "BUNDLE_WITHOUT", "LD_LIBRARY_PATH",
		"LANG", "LC_ALL", "LD_PRELOAD",
	}
	for _, name := range recorded {
		before, now := influencesOf(nil), influencesOf([]string{name + "=7"})
		want := []string{"env " + name + ": nothing → 7"}
		if name == "BUNDLE_WITHOUT" { // Bundler's may be secrets
			want = []string{"env BUNDLE_WITHOUT: nothing → " + digest([]byte("7"))}
		}
		if got := differences(before, now); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, name := range []string{"TZ", "HOME", "LANGUAGE", "RUBY_GC_HEAP_FREE_SLOTS", "BUNDLE_GEMS__EXAMPLE__ORG", "BUNDLER_VERSION"} {
		if got := influencesOf([]string{name + "=7"}); got["env "+name] != "" {
			t.Errorf("%s is recorded: %v", name, got)
		}
	}
}

// A study from before more variables were looked at does not say that they were not
// set, and its values that were not shown are still compared.
func TestVariablesThatAnOlderStudyDidNotLookAt(t *testing.T) {
	now := influencesOf([]string{"LANG=C.UTF-8", "MALLOC_ARENA_MAX=2"})
	older := map[string]string{"env MALLOC_ARENA_MAX": "4", "env LANG": digest([]byte("C.UTF-8"))}
	if got, want := differences(older, now), []string{"env MALLOC_ARENA_MAX: 4 → 2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	delete(older, "env LANG")
	delete(older, "env MALLOC_ARENA_MAX")
	if got, want := differences(older, now), []string{"env MALLOC_ARENA_MAX: nothing → 2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCoresOfTheFingerprint(t *testing.T) {
	for _, c := range []struct {
		usable []int
		all    int
		want   string
	}{
		{[]int{0, 1}, 2, "2"},
		{[]int{0}, 2, "1 of 2 (0)"},
		{[]int{4, 5, 7}, 8, "3 of 8 (4, 5, 7)"},
		{nil, 8, "8"}, // not known
	} {
		if got := coresFact(c.usable, c.all); got != c.want {
			t.Errorf("%v of %d: %q, want %q", c.usable, c.all, got, c.want)
		}
	}
}
