"""check_lengths.py FILE adaptive|fixed: the trials' lengths are what they must be."""
import json
import sys

trials = [json.loads(line) for line in open(sys.argv[1])]
metrics = [t["metrics"] for t in trials]
assert all(t["state"] == "complete" for t in trials), trials
if sys.argv[2] == "fixed":
    assert len({m["requests"] for m in metrics}) == 1, metrics
    assert not any("window_end" in m for m in metrics), metrics
    sys.exit()
served = [m["requests"] + m["warmup_requests"] for m in metrics]
assert metrics[0]["window_end"] == 0 and metrics[0]["requests"] >= 3000, metrics[0]
for m, n in zip(metrics[1:], served[1:]):
    if m["window_end"] == 2:
        assert m["memory_requests"] <= n, m
        continue
    assert 900 <= m["memory_requests"] <= n, m
    assert m["window_end"] == 1 and m["throughput_error"] <= 0.2, m
assert sorted(served)[len(served) // 2] < served[0], served
for t in trials:
    assert 0 < t["throughput_estimate_error"] < 0.2, t
    assert abs(t["throughput_estimate"] / t["throughput"] - 1) < 0.6, t
