package process

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// listening is the state of such a socket in /proc/net/tcp.
const listening = 0x0A

// Listening returns the TCP ports on which any of the processes listens, each
// once and in order. Processes that have ended are left out.
func Listening(pids []int) ([]int, error) {
	var ports []int
	for _, pid := range pids {
		found, err := listeningOf(pid)
		if err != nil && gone(err) != ErrGone {
			return nil, fmt.Errorf("cannot read the sockets of process %d: %w", pid, err)
		}
		ports = append(ports, found...)
	}
	slices.Sort(ports)
	return slices.Compact(ports), nil
}

func listeningOf(pid int) ([]int, error) {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return nil, err
	}
	targets, err := proc.FileDescriptorTargets()
	if err != nil {
		return nil, err
	}
	inodes := map[uint64]bool{}
	for _, target := range targets {
		number, found := strings.CutPrefix(target, "socket:[")
		if inode, err := strconv.ParseUint(strings.TrimSuffix(number, "]"), 10, 64); found && err == nil {
			inodes[inode] = true
		}
	}
	return portsOf(pid, inodes)
}

// portsOf looks the sockets up in the network namespace of the process, which
// need not be ours.
func portsOf(pid int, inodes map[uint64]bool) ([]int, error) {
	ns, err := procfs.NewFS(filepath.Join("/proc", strconv.Itoa(pid)))
	if err != nil {
		return nil, err
	}
	//lint:ignore SA1019 the advised netlink shows the sockets of our own namespace only
	sockets, err := ns.NetTCP()
	if err != nil {
		return nil, err
	}
	//lint:ignore SA1019 as above
	six, _ := ns.NetTCP6() // missing where IPv6 is switched off
	var ports []int
	for _, socket := range append(sockets, six...) {
		if socket.St == listening && inodes[socket.Inode] {
			ports = append(ports, int(socket.LocalPort))
		}
	}
	return ports, nil
}
