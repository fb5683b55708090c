#!/usr/bin/python3
"""schema-members.py SCHEMA: prints the properties of each record of the schema
of the stream as tests/support/members does those of the stream codec."""
import json
import sys


def walk(schema, node, path, found):
    """Notes path.key for each property below a node; True if it is required."""
    if '$ref' in node:
        node = schema['$defs'][node['$ref'].rsplit('/', 1)[1]]
    for key, inner in node.get('properties', {}).items():
        name = f'{path}.{key}'
        required = key in node.get('required', ())
        found[name] = found.get(name, False) or required
        walk(schema, inner, name, found)
    lists = ('prefixItems', 'oneOf', 'allOf')
    parts = [inner for key in lists for inner in node.get(key, [])]
    if 'items' in node:
        parts.append(node['items'])
    for inner in parts:
        walk(schema, inner, path, found)


with open(sys.argv[1]) as file:
    schema = json.load(file)
for row in schema['allOf']:
    record = row['if']['properties']['record']['const']
    found = {}
    walk(schema, row['then'], record, found)
    del found[f'{record}.record']
    for name, required in found.items():
        # The codec has keys of its own for these, and no table of end, abort
        # and coverage.
        if '.values.' not in name and record not in ('end', 'abort') and \
                not record.startswith('coverage'):
            print(name + (' required' if required else ''))
