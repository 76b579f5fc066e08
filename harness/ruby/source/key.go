package source

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// compiling are variables that make, configure scripts and compilers heed:
// with other values the same tree becomes another interpreter.
var compiling = []string{"CC", "CXX", "CPP", "LD", "AR", "AS", "RANLIB", "STRIP", "CFLAGS", "CPPFLAGS", "CXXFLAGS", "LDFLAGS", "LIBS",
	"ARCH_FLAG", "XCFLAGS", "XLDFLAGS", "cflags", "cppflags", "optflags", "debugflags", "warnflags", "ldflags", "CPATH",
	"C_INCLUDE_PATH", "LIBRARY_PATH", "PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", "GCC_EXEC_PREFIX", "COMPILER_PATH",
	"SOURCE_DATE_EPOCH", "MAKEFILES", "BASERUBY", "CONFIG_SITE", "CONFIG_SHELL"}

// tools are the programs that the usual names stand for.
var tools = []string{"cc", "gcc", "clang", "ld", "as", "ar", "make"}

// kin are the names of cached trees.
var kin = regexp.MustCompile(`^(base|edited|installed)-[0-9a-f]{24}$`)

func ours(name string) bool { return kin.MatchString(name) }

// keyOf hashes values into a name for a tree of the cache.
func keyOf(kind string, values ...any) (string, error) {
	content, err := json.Marshal(values)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	return kind + "-" + hex.EncodeToString(sum[:12]), nil
}

// compilerKey tells toolchains apart: the variables that steer one, and which
// programs are meant by the usual names, as an upgrade keeps the names.
func compilerKey(env []string) []string {
	var key []string
	for _, entry := range env {
		if name, _, _ := strings.Cut(entry, "="); slices.Contains(compiling, name) {
			key = append(key, entry)
		}
	}
	slices.Sort(key)
	own, _, _ := strings.Cut(lookup(env, "CC"), " ")
	for _, name := range append([]string{own}, tools...) {
		if path, err := exec.LookPath(name); err == nil {
			key = append(key, stamp(path))
		}
	}
	return key
}

// stamp identifies a program without running it.
func stamp(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	info, err := os.Stat(path)
	if err != nil {
		return path
	}
	return fmt.Sprint(path, " ", info.Size(), " ", info.ModTime().UnixNano())
}

func lookup(env []string, name string) string {
	for _, entry := range slices.Backward(env) { // the last one counts
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
