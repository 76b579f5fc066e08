//go:build !linux

package process

import (
	"context"
	"syscall"
	"time"
)

// Tree is a started command with all its descendants; it needs Linux.
type Tree struct{}

// Sampler reads the memory of a tree; it needs Linux.
type Sampler struct{}

// Start returns ErrNeedsLinux.
func Start(Spec) (*Tree, error) { return nil, ErrNeedsLinux }

// Find returns ErrNeedsLinux.
func Find(string, string, []string) (string, error) { return "", ErrNeedsLinux }

// OnceMarker returns ErrNeedsLinux.
func OnceMarker() (string, error) { return "", ErrNeedsLinux }

// SweepOnce returns ErrNeedsLinux.
func SweepOnce() ([]Process, error) { return nil, ErrNeedsLinux }

// PeakOf returns ErrNeedsLinux.
func PeakOf(int) (now, peak int64, err error) { return 0, 0, ErrNeedsLinux }

// OwnCPU returns 0.
func OwnCPU() float64 { return 0 }

// Allocator returns nothing.
func Allocator(int) string { return "" }

// CPULimit returns 0.
func CPULimit() float64 { return 0 }

// Cores returns nil.
func Cores() []int { return nil }

// ConfineSelf returns ErrNeedsLinux.
func ConfineSelf([]int) (func() error, error) { return nil, ErrNeedsLinux }

// Confine returns ErrNeedsLinux.
func (*Tree) Confine([]int) error { return ErrNeedsLinux }

// CgroupAvailable returns false.
func CgroupAvailable() bool { return false }

// MemoryLimit returns 0.
func MemoryLimit() int64 { return 0 }

// Processes returns ErrNeedsLinux.
func (*Tree) Processes() ([]Process, error) { return nil, ErrNeedsLinux }

// Leader returns the zero Process.
func (*Tree) Leader() Process { return Process{} }

// Marker returns nothing.
func (*Tree) Marker() string { return "" }

// Cgroup returns nothing.
func (*Tree) Cgroup() string { return "" }

// Done returns nil.
func (*Tree) Done() <-chan struct{} { return nil }

// ExitError returns ErrNeedsLinux.
func (*Tree) ExitError() error { return ErrNeedsLinux }

// OOMKilled returns false.
func (*Tree) OOMKilled() bool { return false }

// CeilingExceeded returns false.
func (*Tree) CeilingExceeded() bool { return false }

// Tail returns nothing.
func (*Tree) Tail(int) []string { return nil }

// CPU returns ErrNeedsLinux.
func (*Tree) CPU() (float64, error) { return 0, ErrNeedsLinux }

// Memory returns ErrNeedsLinux.
func (*Tree) Memory() (Memory, error) { return Memory{}, ErrNeedsLinux }

// StartSampling returns a Sampler without samples.
func (*Tree) StartSampling(time.Duration) *Sampler { return &Sampler{} }

// Stop returns no samples.
func (*Sampler) Stop() MemorySummary { return MemorySummary{} }

// SoFar returns a summary of no samples.
func (*Sampler) SoFar() MemorySummary { return MemorySummary{} }

// Elapsed returns 0.
func (*Sampler) Elapsed() float64 { return 0 }

// Stop returns ErrNeedsLinux.
func (*Tree) Stop(context.Context) error { return ErrNeedsLinux }

// Kill returns ErrNeedsLinux.
func (*Tree) Kill() error { return ErrNeedsLinux }

// MemoryOf returns ErrNeedsLinux.
func MemoryOf([]int) (Memory, error) { return Memory{}, ErrNeedsLinux }

// Environ returns ErrNeedsLinux.
func Environ(int) (map[string]string, error) { return nil, ErrNeedsLinux }

// Catches returns ErrNeedsLinux.
func Catches(int, syscall.Signal) (bool, error) { return false, ErrNeedsLinux }

// Alive returns false.
func Alive(int, uint64) bool { return false }

// Listening returns ErrNeedsLinux.
func Listening([]int) ([]int, error) { return nil, ErrNeedsLinux }

// Self returns ErrNeedsLinux.
func Self() (Owner, error) { return Owner{}, ErrNeedsLinux }

// OwnerAlive returns false.
func OwnerAlive(Owner) bool { return false }

// Sweep returns ErrNeedsLinux.
func Sweep(string) ([]Process, error) { return nil, ErrNeedsLinux }
