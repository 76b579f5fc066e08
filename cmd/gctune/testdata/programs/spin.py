"""Eight programs that do nothing but use the machine, until the first is told to end."""
import os
import signal

first = os.getpid()
for _ in range(7):
    if os.getpid() == first:
        os.fork()
if os.getpid() == first:
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))
while os.getpid() == first or os.getppid() == first:
    for _ in range(1_000_000):
        pass
