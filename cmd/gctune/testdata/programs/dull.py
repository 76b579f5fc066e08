"""A measuring program with three parameters: HEAP rules throughput, LIMIT memory,
and DULL does nothing. What DULL is set to changes the figures by a thousandth, as
noise would.
"""
import hashlib
import json
import os

heap, limit, dull = (float(os.environ[name]) for name in ("HEAP", "LIMIT", "DULL"))
digest = hashlib.sha256(repr((heap, limit, dull)).encode()).digest()
noise = 1 + (digest[0] - 127.5) / 127500
print(json.dumps({"throughput": (100 + 2 * heap - 0.005 * (heap - 50) ** 2) * noise, "memory": (200 - limit) * noise}))
