//go:build unix

package load

import (
	"net"
	"syscall"
)

// silent reports whether an idle connection is as it was left: open, and with
// nothing to read. A server that has closed it meanwhile, as servers do with
// idle connections, has left an end of file to be read. Asking costs one
// system call; sending blindly and trying again on failure would hide a
// server that dies while answering.
func silent(conn net.Conn) bool {
	raw, ok := conn.(syscall.Conn)
	if !ok {
		return true
	}
	descriptor, err := raw.SyscallConn()
	if err != nil {
		return false
	}
	var answer error
	err = descriptor.Read(func(fd uintptr) bool {
		_, answer = syscall.Read(int(fd), make([]byte, 1))
		return true
	})
	return err == nil && answer == syscall.EAGAIN
}
