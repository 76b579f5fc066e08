package probe

import "syscall"

// Signal is what the probe waits for. Puma, Unicorn, WEBrick, Passenger and
// Sidekiq leave it alone, and so does Ruby itself; its default action is to
// end the process, so it may be sent only to one that catches it.
const Signal = syscall.SIGPWR

// Ask sends Signal to a process.
func Ask(pid int) error { return syscall.Kill(pid, Signal) }
