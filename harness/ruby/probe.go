package ruby

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// question is understood by every Ruby from 1.8 on; each answer is one line.
const question = `
tell = lambda { |k, v| puts("gctune\t#{k}\t#{v}") }
begin; require 'rbconfig'; rescue LoadError; end
c = defined?(RbConfig) ? RbConfig::CONFIG : {}
tell['bare', 'yes'] if c.empty?
tell['version', RUBY_VERSION]
tell['platform', RUBY_PLATFORM]
tell['engine', defined?(RUBY_ENGINE) ? RUBY_ENGINE : 'ruby']
tell['patchlevel', RUBY_PATCHLEVEL] if defined?(RUBY_PATCHLEVEL)
tell['description', defined?(RUBY_DESCRIPTION) ? RUBY_DESCRIPTION : "ruby #{RUBY_VERSION} (#{RUBY_RELEASE_DATE}) [#{RUBY_PLATFORM}]"]
tell['configure', c['configure_args'].to_s]
begin
  tell['executable', File.readlink('/proc/self/exe')]
rescue SystemCallError, NotImplementedError
  tell['executable', File.join(c['bindir'], c['ruby_install_name'] + c['EXEEXT'].to_s)] if c['bindir']
end
if defined?(RubyVM)
  %w(MJIT JIT RJIT YJIT ZJIT).each do |n|
    next unless RubyVM.const_defined?(n)
    tell['jit', n]
    m = RubyVM.const_get(n)
    tell['jit_enabled', n] if m.respond_to?(:enabled?) && m.enabled?
  end
end
if defined?(GC::INTERNAL_CONSTANTS)
  k = GC::INTERNAL_CONSTANTS
  tell['slots_per_page', k[:HEAP_PAGE_OBJ_LIMIT] || k[:HEAP_OBJ_LIMIT]]
  tell['slot_bytes', k[:BASE_SLOT_SIZE] || k[:RVALUE_SIZE] || k[:SIZEOF_RVALUE]]
  tell['heaps', k[:HEAP_COUNT] || k[:SIZE_POOL_COUNT]]
end
tell['word_bytes', [0].pack('L_').size]
tell['collector', GC.config[:implementation]] if GC.respond_to?(:config)
begin
  maps = File.read('/proc/self/maps')
  maps.scan(/(\/.*\/libruby[^\/]*)$/) { |m| tell['shared', m[0]] }
  maps.scan(/(jemalloc|tcmalloc|mimalloc|libc\.musl|ld-musl|libc\.so\.6|libc-2)/) { |m| tell['library', m[0]] }
rescue SystemCallError
end
`

// Probe launches the Ruby at a path, or of a name found on PATH, and returns
// what it says about itself. Needs are lists of folders without which it does
// not run, see Interpreter. The errors are ErrNotFound, ErrNotExecutable and
// ErrNotRuby, wrapped with the path.
func Probe(ctx context.Context, path string, needs ...string) (Interpreter, error) {
	found, err := locate(path)
	if err != nil {
		return Interpreter{}, err
	}
	out, err := launch(ctx, Interpreter{Path: found, Needs: needs}, nil, Limits{}, "-e", question)
	if err != nil {
		return Interpreter{}, err
	}
	answers := answers(out.stdout)
	if len(answers["version"]) == 0 {
		return Interpreter{}, fmt.Errorf("%s: %w: asked for its version it ended with %s (%s); name a ruby executable", found, ErrNotRuby, out.status(), tellingLine(out.stderr))
	}
	in := interpreter(found, answers)
	in.Needs = needs
	return in, nil
}

func locate(path string) (string, error) {
	found, err := exec.LookPath(path)
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EISDIR):
		return "", fmt.Errorf("%s: %w; name a ruby executable", path, ErrNotExecutable)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%s: %w; give the path of one, or a name on PATH", path, ErrNotFound)
	case err != nil && !errors.Is(err, exec.ErrDot):
		return "", fmt.Errorf("find %s: %w", path, err)
	}
	absolute, err := filepath.Abs(found)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", path, err)
	}
	return absolute, nil
}

// answers collects the lines of a launch with question. Other lines, such as
// those of a start-up file, are passed over.
func answers(stdout string) map[string][]string {
	found := map[string][]string{}
	for line := range strings.Lines(stdout) {
		fields := strings.SplitN(strings.TrimRight(line, "\r\n"), "\t", 3)
		if len(fields) == 3 && fields[0] == "gctune" {
			found[fields[1]] = append(found[fields[1]], fields[2])
		}
	}
	return found
}

func interpreter(path string, answers map[string][]string) Interpreter {
	first := func(key string) string {
		if values := answers[key]; len(values) > 0 {
			return values[0]
		}
		return ""
	}
	number := func(key string) int {
		n, _ := strconv.Atoi(first(key)) // no answer is 0: unknown
		return n
	}
	in := Interpreter{
		Path: path, Executable: first("executable"), Library: first("shared"), Engine: first("engine"),
		Version: first("version"), Patchlevel: first("patchlevel"),
		Description: first("description"), Platform: first("platform"),
		JITs: answers["jit"], JITEnabled: answers["jit_enabled"],
		Allocator: allocator(answers["library"]), Collector: first("collector"),
		SlotsPerPage: number("slots_per_page"), SlotBytes: number("slot_bytes"),
		Heaps: max(1, number("heaps")), ConfigureArgs: first("configure"), Bare: first("bare") != "",
	}
	if (legacy{}).covers(in) {
		in.SlotsPerPage, in.SlotBytes = legacyHeap(in, number("word_bytes"))
	}
	return in
}

// allocator names the memory allocator from the libraries mapped into the
// interpreter: a replacement comes before the C library's own.
func allocator(libraries []string) string {
	for _, name := range []string{"jemalloc", "tcmalloc", "mimalloc"} {
		if slices.Contains(libraries, name) {
			return name
		}
	}
	for _, library := range libraries {
		if strings.Contains(library, "musl") {
			return "musl"
		}
	}
	if len(libraries) > 0 {
		return "glibc"
	}
	return ""
}
