"""Text profiles, from proftext(5)."""
import re

from common import (KINDS, Bad, guid, identity, named, number, numbers,
                    require)

FLAGS = {':fe': (), ':ir': ('ir',), ':csir': ('ir', 'context_sensitive'),
         ':entry_first': ('entry_first',),
         ':single_byte_coverage': ('byte_coverage',),
         ':temporal_prof_traces': ('temporal',),
         ':instrument_loop_entries': ('loop_entries',)}
EXTERNAL = b'** External Symbol **'


def decimal(line):
    require(re.fullmatch(rb'[0-9]+', line), 'a number')
    return int(line)


def any_number(line):
    if re.fullmatch(rb'0[0-7]+', line):
        return int(line, 8)
    require(re.fullmatch(rb'(?i)[0-9]+|0x[0-9a-f]+|0b[01]+|0o[0-7]+', line),
            'a number')
    return int(line, 0)


class Text:
    def __init__(self, data):
        if not data.endswith(b'\n'):
            raise Bad('the last line has no end')
        lines = [line.removesuffix(b'\r') for line in data.split(b'\n')]
        self.lines = [x for x in lines if x and not x.startswith(b'#')]
        self.at = 0
        self.vtables = {}

    def peek(self):
        return self.lines[self.at] if self.at < len(self.lines) else None

    def next(self):
        require(self.at < len(self.lines), 'the file is cut')
        self.at += 1
        return self.lines[self.at - 1]

    def flags(self):
        found = set()
        while (line := self.peek()) and line.startswith(b':'):
            word = self.next().decode().lower()
            if word == ':not_entry_first':
                found.discard('entry_first')
            else:
                found.update(FLAGS[word])
        return found

    def traces(self):
        count, size = any_number(self.next()), any_number(self.next())
        rows = []
        for _ in range(count):
            weight = any_number(self.next())
            names = [n.strip() for n in self.next().split(b',')]
            rows.append({'record': 'trace', 'weight': number(weight),
                         'functions': [n.decode() for n in names if n]})
        return size, rows

    def value(self, kind):
        target, _, count = self.next().rpartition(b':')
        row = {'count': number(decimal(count))}
        if kind == 1:
            return {'size': number(any_number(target)), **row}
        if target == EXTERNAL:
            return {'target_guid': identity(0), **row}
        if kind == 2:
            self.vtables[target] = guid(target)
        return {**named('target', target), **row}

    def values(self):
        rows = {}
        for _ in range(decimal(self.next())):
            kind = decimal(self.next())
            counts = [0] * decimal(self.next())
            rows[KINDS[kind]] = [[self.value(kind) for _ in range(
                decimal(self.next()))] for _ in counts]
        return rows

    def function(self):
        row = {'record': 'function', **named('name', self.next()),
               'hash': identity(any_number(self.next()))}
        size = decimal(self.next())
        require(size, 'a function without counters')
        row['counts'] = numbers([decimal(self.next()) for _ in range(size)])
        if (line := self.peek()) and line.startswith(b'$'):
            size = any_number(self.next()[1:])
            row['bitmap'] = bytes(any_number(self.next())
                                  for _ in range(size)).hex()
        if (line := self.peek()) and re.fullmatch(rb'[0-9]+', line):
            row['values'] = self.values()
        return row


def read(data, source):
    text = Text(data)
    flags = text.flags()
    head = {'record': 'profile', 'stream': 1, 'kind': 'instr',
            'level': 'ir' if 'ir' in flags else 'frontend'}
    head.update({flag: True for flag in flags - {'ir'}})
    size, traces = text.traces() if 'temporal' in flags else (None, [])
    if size is not None:
        head['trace_stream_size'] = number(size)
    functions = []
    while text.peek() is not None:
        functions.append(text.function())
    yield {**head, 'source': {**source, 'format': 'text'}}
    yield from functions
    for name in text.vtables:
        yield {'record': 'vtable', **named('name', name)}
    yield from traces
    yield {'record': 'end', 'last': True}
