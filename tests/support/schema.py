#!/usr/bin/python3
"""schema.py SCHEMA good|wrong: holds each line of standard input against the
schema, and prints those that hold (wrong) or do not (good)."""
import json
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit(77)

with open(sys.argv[1]) as schema:
    validator = Draft202012Validator(json.load(schema))
Draft202012Validator.check_schema(validator.schema)
lines = failed = 0
for line in sys.stdin.buffer:
    if not line.strip():
        continue
    lines += 1
    if validator.is_valid(json.loads(line)) != (sys.argv[2] == 'good'):
        failed += 1
        print(line.decode().rstrip())
print(lines, 'lines')
sys.exit(failed != 0 or lines == 0)
