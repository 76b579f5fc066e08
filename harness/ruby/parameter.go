package ruby

// Kind is the type of a parameter's value.
type Kind int

// Sizes are whole numbers of slots or bytes; reals are factors and ratios.
const (
	Size Kind = iota
	Real
)

// Bounds are what the interpreter itself enforces: a value outside is ignored,
// which makes the setting a lie rather than an error. The zero value of a
// field means that there is no such bound, except for Above.
type Bounds struct {
	Above      float64 // a value must be greater than this
	AboveName  string  // and greater than the value of this parameter
	AtMost     float64 // and no greater than this
	AtMostName string  // nor than the value of this parameter
	Zero       bool    // exactly 0 is allowed nevertheless

	// AbortsBelow is not enforced but fatal: the interpreter dies at boot below
	// it. AbortReason says since when and why.
	AbortsBelow float64
	AbortReason string

	// InertBelow is where a value is taken and changes nothing, with the reason.
	InertBelow  float64
	InertReason string

	// Whole: a fraction is cut off.
	Whole bool

	// Unchecked: the interpreter takes a value that is not greater than Above,
	// to its harm.
	Unchecked bool
}

// Parameter is one variable that an interpreter reads.
type Parameter struct {
	Name    string
	Kind    Kind
	Default string // canonical text, as the interpreter reports it
	Unit    string // "slots", "bytes" or "" for factors and ratios
	// SlotBytes is the size of the slots that are counted; 0 for other units.
	SlotBytes int
	Bounds    Bounds
	Effect    string // what a larger value does, in one line
	Note      string // what to know before setting it; may be empty
	Source    string // where the row's facts were read
	Search    *Range // nil when it is not worth searching
	// ActsThrough names the metric without which the parameter does nothing: the
	// share of the collections that it can bring about. Empty where it acts in
	// more ways than one.
	ActsThrough string

	reader reader
}

// Range is where the search looks: narrower than Bounds, chosen so that
// servers of 20 MB to a few GB have their good values inside.
type Range struct {
	Min, Max float64
	Log      bool
	Digits   int     // significant digits kept; 0 keeps all
	Step     float64 // values are multiples of it; 0 for none
	Paged    bool    // the interpreter rounds to whole heap pages: Step is its page
	AtLeast  string  // the value is kept at or above that of this parameter
	Gap      float64 // by this much
	// UnsetActsAsMax marks a cap whose default, none, cannot be written.
	UnsetActsAsMax bool
}

// Dead is a name that has no effect on an interpreter, with the reason.
type Dead struct {
	Name, Reason string
}

// Support is what one interpreter takes.
type Support struct {
	Interpreter Interpreter
	// Variant names the form of the collector where the version does not tell
	// it: a patch, or stock. Empty from 2.1 on.
	Variant    string
	Parameters []Parameter
	Dead       []Dead
}

// Parameter finds a parameter by name.
func (s Support) Parameter(name string) (Parameter, bool) {
	for _, p := range s.Parameters {
		if p.Name == name {
			return p, true
		}
	}
	return Parameter{}, false
}

// ActsThrough is Parameter.ActsThrough of a parameter of any interpreter from 2.1
// on, by its name alone: what was measured is read without an interpreter.
func ActsThrough(name string) string {
	for _, row := range modernRows {
		if row.Name == name {
			return row.ActsThrough
		}
	}
	return ""
}
