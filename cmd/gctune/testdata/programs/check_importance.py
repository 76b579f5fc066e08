"""Checks gctune importance of the study of dull.py."""
import json
import sys

result = json.load(open(sys.argv[1]))
assert result["region"] == "useful" and result["trials"] == 30, result
shares = {p["parameter"]: p for p in result["parameters"]}
assert set(shares) == {"HEAP", "LIMIT", "DULL"}, shares
for name, rules in (("HEAP", "throughput"), ("LIMIT", "memory"), ("DULL", None)):
    for objective in ("throughput", "memory"):
        share = shares[name][objective]
        if objective != rules:
            assert not share["effect"] and share["share"] is None and share["alone"] is None, (name, objective, share)
            assert 0 <= share["at_most"] < 0.2, (name, objective, share)
            continue
        assert share["effect"] and share["at_most"] is None, (name, objective, share)
        for figure in ("share", "alone"):
            interval = share[figure]
            assert 0 <= interval["low"] <= interval["estimate"] <= interval["high"] <= 1, share
            assert interval["estimate"] > 0.9, share
