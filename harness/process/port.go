package process

import (
	"fmt"
	"net"
	"strconv"
)

// FreePort returns a TCP port that nothing listens on, on any loopback address.
// The port is not reserved: start the server without delay.
func FreePort() (int, error) {
	var last error
	for range 10 {
		listener, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return 0, fmt.Errorf("no free port on 127.0.0.1: %w", err)
		}
		port := listener.Addr().(*net.TCPAddr).Port
		if last = listener.Close(); last == nil && PortFree(port) {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no port is free on both 127.0.0.1 and ::1 (last error: %v)", last)
}

// PortFree tells whether a server could listen on the TCP port of the loopback
// addresses, which a listener on all addresses prevents too.
func PortFree(port int) bool {
	if !canListen("tcp4", "127.0.0.1", port) {
		return false
	}
	return !canListen("tcp6", "::1", 0) || canListen("tcp6", "::1", port)
}

func canListen(network, host string, port int) bool {
	listener, err := net.Listen(network, net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}
