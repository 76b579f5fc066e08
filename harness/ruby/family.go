package ruby

import "context"

// family is one way of setting a collector. A new way (a patched interpreter,
// constants compiled in) is one more entry in families.
type family interface {
	name() string
	covers(Interpreter) bool
	support(context.Context, Interpreter) (Support, error)
	prove(context.Context, Interpreter, map[string]string, Limits) (map[string]Verdict, error)
}

// familyOf returns the first family that covers an interpreter.
func familyOf(in Interpreter) family {
	for _, f := range []family{modern{}, legacy{}} {
		if f.covers(in) {
			return f
		}
	}
	return foreign{}
}

// Parameters returns what an interpreter really reads, confirmed by a launch
// of it. An interpreter that cannot be set by environment gives *UnsettableError.
func Parameters(ctx context.Context, in Interpreter) (Support, error) {
	return familyOf(in).support(ctx, in)
}

// Prove launches the interpreter with a setting and returns, for each name,
// whether its value was taken. A setting that the interpreter does not survive
// gives *CrashError; an interpreter that cannot be set gives *UnsettableError.
func Prove(ctx context.Context, in Interpreter, setting map[string]string, limits Limits) (map[string]Verdict, error) {
	return familyOf(in).prove(ctx, in, setting, limits)
}

// Verdict is what an interpreter made of one value.
type Verdict struct {
	Taken   bool
	Value   string // as the interpreter read it, in canonical text; "" when it said nothing
	Default string // what it would have used, in canonical text; "" when it said nothing
	Reason  string // why it was not taken
	// Proof is how it is known that the value was taken, where the interpreter
	// does not report the number that it read.
	Proof string
}

// foreign covers engines with collectors of their own.
type foreign struct{}

func (foreign) name() string            { return "foreign" }
func (foreign) covers(Interpreter) bool { return true }

func (f foreign) support(_ context.Context, in Interpreter) (Support, error) {
	return Support{Interpreter: in}, f.unsettable(in)
}

func (f foreign) prove(_ context.Context, in Interpreter, _ map[string]string, _ Limits) (map[string]Verdict, error) {
	return nil, f.unsettable(in)
}

func (foreign) unsettable(in Interpreter) error {
	return &UnsettableError{in.Description, "the engine " + in.Engine + " has a collector of its own, which RUBY_GC_* variables do not set"}
}
