"""An external measuring program: a throughput and a memory from two parameters.

With a large heap it fails, as a program with too little memory would.
"""
import json
import os
import sys
import time

slots = int(os.environ["SLOTS"])
factor = float(os.environ["FACTOR"])
assert json.loads(os.environ["GCTUNE_SETTING"]) == {"SLOTS": slots, "FACTOR": factor}
print("measuring", slots, factor)
if slots > 800000:
    print("failed to allocate memory", file=sys.stderr)
    sys.exit(1)
wait = os.environ.get("MEASURE_WAIT")
if wait:
    open(wait + ".waiting", "w").close()
    while not os.path.exists(wait):
        time.sleep(0.01)
if os.environ.get("DELETE") and slots != 10000:
    for end in ("", "-wal", "-shm"):
        if os.path.exists(os.environ["DELETE"] + end):
            os.remove(os.environ["DELETE"] + end)
log = os.environ.get("MEASURE_LOG")
if log:
    with open(log, "a") as f:
        print(slots, factor, file=f)
print(json.dumps({"throughput": 100 - 5e6 / (slots + 1e5) + factor, "memory": 50 + slots * 4e-5 * factor, "extra": 1}))
