"""Runs a command twice at once: the first waits in its measuring program until
the second has been tried."""
import os
import subprocess
import sys
import time

command, wait = sys.argv[1:], os.environ["MEASURE_WAIT"]
first = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
while not os.path.exists(wait + ".waiting"):
    assert first.poll() is None, "the first ended early"
    time.sleep(0.01)
second = subprocess.run(command, capture_output=True, text=True)
print("exit", second.returncode, second.stderr)
store = command[command.index("--store") + 1]
delete = subprocess.run(["gctune", "studies", "delete", "--store", store, "quick"], capture_output=True, text=True)
print("delete exit", delete.returncode, delete.stderr)
open(wait, "w").close()
sys.exit(first.wait())
