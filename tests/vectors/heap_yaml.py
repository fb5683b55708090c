"""Heap profiles in YAML, from memprof(5); python3-yaml knows the syntax."""
import re

import yaml

from common import identity, number, require
from heap import FIELDS, frame_json, key_of, stack_id

NAMES = [field[0] for field in FIELDS[1:]]


def value_of(text):
    if re.fullmatch('0[0-7]+', text):
        return int(text, 8)
    require(re.fullmatch('[0-9]+|0x[0-9a-fA-F]+|0b[01]+', text), 'a number')
    return int(text, 0)


def guid_of(text):
    require(re.fullmatch('0x[0-9a-fA-F]+', text), 'a guid')
    return int(text, 16)


def frames_of(rows):
    """Frames whose functions are guids."""
    return tuple((guid_of(row['Function']), value_of(row['LineOffset']),
                  value_of(row['Column']), row['IsInlineFrame'] == 'true')
                 for row in rows)


class Yaml:
    def __init__(self):
        self.seen = set()

    def stack(self, frames):
        """The record of a stack that is new."""
        if frames in self.seen:
            return
        self.seen.add(frames)
        yield {'record': 'stack', 'id': identity(stack_id(frames)),
               'frames': [frame_json(f) for f in frames]}

    def function(self, row):
        require('GUID' in row and row.keys() <= {'GUID', 'AllocSites',
                                                 'CallSites'}, 'keys')
        allocs = [(frames_of(site['Callstack']), site['MemInfoBlock'])
                  for site in row.get('AllocSites', [])]
        calls = [(frames_of(site['Frames']), site.get('CalleeGuids', []))
                 for site in row.get('CallSites', [])]
        for frames, _ in allocs + calls:
            yield from self.stack(frames)
        yield {'record': 'memprof_function',
               'guid': identity(guid_of(row['GUID'])),
               'alloc_sites': [
                   {'stack': identity(stack_id(frames)), 'info': {
                       key_of(name): number(value_of(info[name]))
                       for name in NAMES if name in info}}
                   for frames, info in allocs],
               'call_sites': [
                   {'stack': identity(stack_id(frames)), **(
                       {'callee_guids': [identity(guid_of(g)) for g in guids]}
                       if guids else {})} for frames, guids in calls]}


def accesses_of(tree):
    for row in tree.get('SampledRecords', []):
        out = {'record': 'data_access', 'count': value_of(row['AccessCount'])}
        if 'Symbol' in row:
            out['symbol'] = row['Symbol']
        else:
            out['hash'] = identity(value_of(row['Hash']))
        if row.get('Locations'):
            out['locations'] = [
                {'file': place['FileName'], 'line': value_of(place['Line'])}
                for place in row['Locations']]
        yield out
    for name in tree.get('KnownColdSymbols', []):
        yield {'record': 'cold_symbol', 'symbol': name}
    for code in tree.get('KnownColdStrHashes', []):
        yield {'record': 'cold_symbol', 'hash': identity(value_of(code))}


def read(data, source):
    # The plainest loader takes all scalars for text: numbers are not YAML's.
    tree = yaml.load(data.decode(), Loader=yaml.BaseLoader)
    reader = Yaml()
    yield {'record': 'profile', 'stream': 1, 'kind': 'memprof',
           'source': {**source, 'format': 'yaml'}}
    for row in tree.get('HeapProfileRecords', []):
        yield from reader.function(row)
    yield from accesses_of(tree.get('DataAccessProfiles', {}))
    yield {'record': 'end', 'last': True}
