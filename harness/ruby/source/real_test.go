package source_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/ruby/source"
)

// TestRealBuilds builds real trees, which takes minutes. The words of the
// configure command come from the environment, as old sources need their own;
// compiler flags are taken from CFLAGS as ever. Only the old tree is installed:
// the sources of distributions may lack gems that a newer one installs.
func TestRealBuilds(t *testing.T) {
	for _, test := range []struct {
		tree, configure string
		install         []string
		values          map[string]string
	}{
		{"GCTUNE_TEST_RUBY187_SOURCE", "GCTUNE_TEST_RUBY187_CONFIGURE", []string{"make", "install"}, hand},
		{"GCTUNE_TEST_RUBY_SOURCE", "GCTUNE_TEST_RUBY_CONFIGURE", nil, map[string]string{"GC_HEAP_INIT_SLOTS": "400000"}},
	} {
		t.Run(test.tree, func(t *testing.T) {
			dir, configure := os.Getenv(test.tree), strings.Fields(os.Getenv(test.configure))
			if dir == "" || len(configure) == 0 {
				t.Skipf("%s and %s are not set to a source tree and how it is configured", test.tree, test.configure)
			}
			realBuild(t, source.Tree{Dir: dir, Configure: configure, Build: []string{"make"}, Install: test.install}, test.values)
		})
	}
}

func realBuild(t *testing.T, tree source.Tree, values map[string]string) {
	unchanged := remember(t, tree.Dir)
	builder, err := source.Open(t.Context(), tree, source.Cache{Dir: buildsFolder(t)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { builder.Close() })
	timed := func(what string, values map[string]string) (*source.Built, time.Duration) {
		start := time.Now()
		built := build(t, builder, values)
		t.Logf("%s: %.1f s", what, time.Since(start).Seconds())
		return built, time.Since(start)
	}
	base, whole := timed("first build", nil)
	edited, again := timed("second build", values)
	if again > whole/2 {
		t.Errorf("the second build took %s of the first one's %s", again, whole)
	}
	timed("third build, from the cache", values)
	if before, after := peak(t, base), peak(t, edited); after < before+8<<10 {
		t.Errorf("peak memory %d kB before, %d kB after", before, after)
	}
	if len(tree.Install) > 0 {
		realInstall(t, builder, edited)
	}
	unchanged()
}

// buildsFolder is one that other tests find the builds in, or one of this test.
func buildsFolder(t *testing.T) string {
	if shared := os.Getenv("GCTUNE_TEST_BUILDS"); shared != "" {
		return filepath.Join(shared, "gctune", "builds")
	}
	return t.TempDir()
}

func realInstall(t *testing.T, builder *source.Builder, built *source.Built) {
	t.Helper()
	prefix := t.TempDir()
	start := time.Now()
	path, err := builder.Install(t.Context(), built, prefix)
	t.Logf("installation: %.1f s", time.Since(start).Seconds())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(path, "-e", "require 'rbconfig'; require 'stringio'; puts Config::CONFIG['prefix'] rescue puts RbConfig::CONFIG['prefix']").CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != prefix {
		t.Errorf("the installed interpreter says %s (%v)", out, err)
	}
}

// peak runs an interpreter from its tree and returns its peak memory in kB.
func peak(t *testing.T, b *source.Built) int {
	t.Helper()
	cmd := exec.Command(b.Ruby, "-rrbconfig", "-rstringio", "-e", "puts File.read('/proc/self/status')[/VmHWM:\\s+(\\d+)/, 1]")
	cmd.Env = append(append(os.Environ(), b.Env...), "RUBYLIB="+strings.Join(b.LoadPath, ":"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", b.Ruby, err, out)
	}
	n := 0
	for _, c := range strings.TrimSpace(string(out)) {
		n = 10*n + int(c-'0')
	}
	return n
}
