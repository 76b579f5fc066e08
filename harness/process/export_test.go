//go:build linux

package process

// What the tests see beside the API.
var (
	ParseEnviron = parseEnviron
	Children     = children
	KinFromAll   = kinFromAll
)
