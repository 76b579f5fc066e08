"""Throughput is work per second, and the figures fit one another."""
import json
import math
import sys

for line in open(sys.argv[1]):
    t = json.loads(line)
    m = t["metrics"]
    assert math.isclose(t["throughput"], 300 / m["window_seconds"]), t
    assert t["memory_bytes"] == m["memory_pss_peak_bytes"] > 10e6, t
    assert 0 < m["cpu_seconds"] and math.isclose(m["work_per_cpu_second"], 300 / m["cpu_seconds"]), t
    assert t["seconds"] >= m["window_seconds"], t
