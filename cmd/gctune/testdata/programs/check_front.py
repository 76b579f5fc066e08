"""Works the front out anew from the trials, by comparing each with each."""
import json
import math
import sys

trials = [json.loads(line) for line in open(sys.argv[1])]
shown = json.load(open(sys.argv[2]))
done = [t for t in trials if t["state"] == "complete"]
beats = lambda a, b: (
    a["throughput"] >= b["throughput"] and a["memory_bytes"] <= b["memory_bytes"]
    and (a["throughput"] > b["throughput"] or a["memory_bytes"] < b["memory_bytes"]))
front = sorted((t for t in done if not any(beats(o, t) for o in done)), key=lambda t: -t["throughput"])
assert [t["trial"] for t in front] == [t["trial"] for t in shown["front"]], (front, shown["front"])
assert shown["baseline"]["trial"] == 0
base = shown["baseline"]
lossless = min((t for t in front + [base] if t["throughput"] >= base["throughput"]), key=lambda t: t["memory_bytes"])
choices = shown["choices"]
assert choices["throughput"] == front[0]["trial"] and choices["memory"] == front[-1]["trial"]
assert choices["lossless"] == lossless["trial"], (choices, lossless)
assert choices["knee"] in [t["trial"] for t in front]

# The area above the reference point: the baseline's throughput, twice its memory.
x, area = math.log(2 * base["memory_bytes"]), 0.0
for t in front:
    up = math.log(t["throughput"] / base["throughput"])
    m = math.log(t["memory_bytes"])
    if up > 0 and m < x:
        area += up * (x - m)
        x = m
assert math.isclose(area, shown["hypervolume"], rel_tol=1e-9), (area, shown["hypervolume"])
