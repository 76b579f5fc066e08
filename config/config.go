// Package config reads gctune.yaml. Every fault is reported with the file, the
// line, the column, and what to write instead; nothing is guessed.
package config

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/gctune/gctune/objective"
)

// Config is a whole gctune.yaml, checked and with defaults filled in.
type Config struct {
	// Study names the study; by default the directory of the file does.
	Study Text `yaml:"study"`
	// Ruby is the interpreter to tune: a path, or a name on PATH.
	Ruby Text `yaml:"ruby"`
	// Source stands in place of Ruby where parameters are compiled in.
	Source *Source `yaml:"source"`
	// Server and Load, or Batch, or External: exactly one workload.
	Server   *Server   `yaml:"server"`
	Load     *Load     `yaml:"load"`
	Batch    *Batch    `yaml:"batch"`
	External *External `yaml:"external"`
	// Objectives are the metric to maximise and the metric to minimise.
	Objectives Objectives `yaml:"objectives"`
	// Constraints hold for every usable setting.
	Constraints Constraints `yaml:"constraints"`
	Search      Search      `yaml:"search"`
	// Contention says what of other programs a measurement puts up with.
	Contention Contention `yaml:"contention"`
	// Compare lists what `gctune compare` puts side by side.
	Compare *Compare `yaml:"compare"`

	// File is the path that was read, Dir its directory (absolute), and
	// Text its content, kept with the study.
	File string `yaml:"-"`
	Dir  string `yaml:"-"`
	Text string `yaml:"-"`
	// RubyGiven is false where Ruby is the default.
	RubyGiven bool `yaml:"-"`

	root ast.Node // for the positions of what is found wrong later
}

// Contention is what of other programs a measurement puts up with.
type Contention struct {
	// Limit is the share that they may take of what they usually leave of the machine.
	Limit Number `yaml:"limit"`
	// Repeats is how often a disturbed run is measured again; nil is the default.
	Repeats *Count `yaml:"repeats"`
	// Wait is how long to wait for a quiet machine before.
	Wait Duration `yaml:"wait"`
}

// Source is an interpreter's source tree, which is copied and never changed.
type Source struct {
	Dir Text `yaml:"dir"`
	// Configure, Build and Install are run in the copy; Configure and Install
	// may be left out, Build is make then.
	Configure Command `yaml:"configure"`
	Build     Command `yaml:"build"`
	Install   Command `yaml:"install"`
	// Ruby is the interpreter that Build makes, relative to the tree.
	Ruby Text `yaml:"ruby"`
}

// Compare is a table of variants × pages.
type Compare struct {
	Variants []Variant `yaml:"variants"`
	// Rounds is how often each pair of variant and page is measured.
	Rounds Count `yaml:"rounds"`
}

// Variant is an interpreter, by path or by source, with or without a setting.
type Variant struct {
	Name    Text    `yaml:"name"`
	Ruby    Text    `yaml:"ruby"`
	Source  *Source `yaml:"source"`
	Setting TextMap `yaml:"setting"`
	// Published are figures from elsewhere, by page, shown beside one's own.
	Published map[string]Published `yaml:"published"`
}

// Published is what others measured for a page.
type Published struct {
	RequestsPerSecond Number `yaml:"requests_per_second"`
	Memory            Size   `yaml:"memory"`
}

// Objectives are the names of two metrics.
type Objectives struct {
	Throughput Text `yaml:"throughput"`
	Memory     Text `yaml:"memory"`
}

// Server says how to start, await and stop the server under test.
type Server struct {
	Command Command  `yaml:"command"`
	Dir     Text     `yaml:"dir"`
	Env     TextMap  `yaml:"env"`
	Ready   Ready    `yaml:"ready"`
	Stop    StopRule `yaml:"stop"`
}

// Ready says when a server is ready: an answer with this status on this path.
type Ready struct {
	Path    Text     `yaml:"path"`
	Status  Count    `yaml:"status"`
	Timeout Duration `yaml:"timeout"`
}

// StopRule says how a process is asked to end, and when it is forced to.
type StopRule struct {
	Signal Signal   `yaml:"signal"`
	Grace  Duration `yaml:"grace"`
}

// Load is what the server is asked while it is measured.
type Load struct {
	Requests    []Request `yaml:"requests"`
	Headers     TextMap   `yaml:"headers"`
	Concurrency Count     `yaml:"concurrency"`
	// Rate, in requests per second, makes an open loop; 0 is a closed loop.
	Rate    Rate     `yaml:"rate"`
	Timeout Duration `yaml:"timeout"`
	Warmup  Amount   `yaml:"warmup"`
	// Isolate gives server and load driver cores of their own: "auto", "on", "off".
	Isolate Text   `yaml:"isolate" json:"-"` // a fact of its own in fingerprints
	Measure Amount `yaml:"measure"`
	// Lengths is "fixed", "adaptive" (where Measure is auto and there is no Rate), or
	// empty: as a study was begun, and fixed at first.
	Lengths Text `yaml:"lengths" json:"-"` // what a study has shows in its baseline
	// Least and Most bound an adaptive length, in requests, 0 leaves them to the
	// pace; Error is the standard error of throughput at which a window may end.
	Least Count  `yaml:"least" json:"-"`
	Most  Count  `yaml:"most" json:"-"`
	Error Number `yaml:"error" json:"-"`
}

// The lengths that a load can have.
const (
	Adaptive = "adaptive"
	Fixed    = "fixed"
)

// Request is one kind of request; written short as "GET /path".
type Request struct {
	Method  Text    `yaml:"method"`
	Path    Text    `yaml:"path"`
	Weight  Count   `yaml:"weight"`
	Headers TextMap `yaml:"headers"`
	Body    Text    `yaml:"body"`
	Expect  Expect  `yaml:"expect"`
}

// Expect is the answer that counts.
type Expect struct {
	Status   Count `yaml:"status"`
	Contains Text  `yaml:"contains"`
}

// Batch is a program that runs to its end and does a known amount of work.
type Batch struct {
	Command Command  `yaml:"command"`
	Dir     Text     `yaml:"dir"`
	Env     TextMap  `yaml:"env"`
	Work    Number   `yaml:"work"`
	Timeout Duration `yaml:"timeout"`
	Stop    StopRule `yaml:"stop"`
}

// External is the user's own measuring program.
type External struct {
	Command Command  `yaml:"command"`
	Dir     Text     `yaml:"dir"`
	Env     TextMap  `yaml:"env"`
	Timeout Duration `yaml:"timeout"`
	Stop    StopRule `yaml:"stop"`
}

// Search is the search space.
type Search struct {
	// Parameters are in the order of the file; nil means all that the
	// interpreter takes and that matter.
	Parameters *Parameters `yaml:"parameters"`
}

// Range is one entry of search.parameters.
type Range struct {
	Name    string
	Min     Literal   `yaml:"min"`
	Max     Literal   `yaml:"max"`
	Scale   Text      `yaml:"scale"`
	Type    Text      `yaml:"type"`
	Default Literal   `yaml:"default"`
	Values  []Literal `yaml:"values"`
	// At is where the entry stands, for messages.
	At Position
}

// ObjectiveNames gives the objectives as the objective room knows them.
func (c *Config) ObjectiveNames() objective.Objectives {
	return objective.Objectives{Throughput: string(c.Objectives.Throughput), Memory: string(c.Objectives.Memory)}
}
