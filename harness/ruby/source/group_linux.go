package source

import "syscall"

// groupOfItsOwn lets a command be killed with all its children; it also ends
// when this process is killed.
func groupOfItsOwn() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
