"""Compares the settings of an unbroken study with those of a resumed one."""
import json
import sys

trials = lambda names: [json.loads(line) for name in names for line in open(name)]
unbroken, resumed = trials(sys.argv[1:2]), trials(sys.argv[2:])
assert len(unbroken) == len(resumed) >= 20, (len(unbroken), len(resumed))
for a, b in zip(unbroken, resumed):
    assert (a["trial"], a["setting"]) == (b["trial"], b["setting"]), (a, b)
