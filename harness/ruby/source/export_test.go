package source

// For tests of the copying itself.
var (
	CopyTree = copyTree
	Digest   = digest
)
