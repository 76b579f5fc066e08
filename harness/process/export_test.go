//go:build linux

package process

import "slices"

// What the tests see beside the API.
var (
	LeastCPU      = leastCPU
	ParseEnviron  = parseEnviron
	Children      = children
	KinFromAll    = kinFromAll
	StartSampling = startSampling
	Spacing       = spacing
)

// Belonging gives belonging the processes of a made-up machine, each with its
// parent and session.
func Belonging(machine map[int][2]int, ours ...int) []int {
	all, set := map[int]stat{}, map[int]bool{}
	for pid, of := range machine {
		all[pid] = stat{identity: identity{pid: pid}, ppid: of[0], session: of[1]}
	}
	for _, pid := range ours {
		set[pid] = true
	}
	var left []int
	for _, s := range belonging(all, set, nil) {
		left = append(left, s.pid)
	}
	slices.Sort(left)
	return left
}
