"""Checks a confirmed front: what is on it is what has not left, and a verdict
says of an interval on which side of 1 it lies."""
import json
import sys

front = json.load(open(sys.argv[1]))
settings = front["confirmed"]["settings"]
stay = {s["trial"] for s in settings if not s["left"]} | set(front["confirmed"]["pending"])
shown = {t["trial"] for t in front["front"]}
assert shown - {0} == stay, (shown, stay)
assert set(front["choices"].values()) <= shown, front["choices"]
for s in settings:
    for name, sign in (("throughput", 1), ("memory", -1)):
        i = s[name + "_ratio"]
        assert i["low"] <= i["estimate"] <= i["high"], i
        side = (i["low"] > 1) - (i["high"] < 1)
        assert s["verdict"][name] == {0: "none", sign: "better", -sign: "worse"}[side], s
    better = "better" in s["verdict"].values()
    assert better or s["left"], s
