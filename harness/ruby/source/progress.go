package source

// Stage is a step of making an interpreter.
type Stage string

// The stages, in their order. Waiting is for another process that is building
// the same.
const (
	Waiting     Stage = "wait"
	Copying     Stage = "copy"
	Configuring Stage = "configure"
	Building    Stage = "build"
	Installing  Stage = "install"
)

// Event is one step of progress.
type Event struct {
	Stage Stage
	Text  string // the last line of output, or what is happening
}
