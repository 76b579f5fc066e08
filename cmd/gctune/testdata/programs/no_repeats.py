"""No two trials of a study have the same setting."""
import json
import sys

settings = [json.dumps(json.loads(line)["setting"], sort_keys=True) for line in open(sys.argv[1])]
assert len(set(settings)) == len(settings), settings
