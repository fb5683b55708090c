#!/usr/bin/env python3
"""Makes memprof-raw/: raw heap profiles of all versions, whole and damaged.

It was written from the format alone (memprof(5)) and shares no code or table
with the library.  good/NAME.memprofraw comes with NAME.ndjson, what
profraw-cat must print when it is run in that folder, and with NAME.warn, a
regular expression for each warning.  bad/NAME/input comes with an error file as
mkbad.py has it.
"""
import json
import os
import shutil
import struct

# Name, width and first version of the fields of a memory info block.
FIELDS = [
    ('alloc_count', 4, 1), ('total_access_count', 8, 1),
    ('min_access_count', 8, 1), ('max_access_count', 8, 1),
    ('total_size', 8, 1), ('min_size', 4, 1), ('max_size', 4, 1),
    ('alloc_timestamp', 4, 1), ('dealloc_timestamp', 4, 1),
    ('total_lifetime', 8, 1), ('min_lifetime', 4, 1), ('max_lifetime', 4, 1),
    ('alloc_cpu_id', 4, 1), ('dealloc_cpu_id', 4, 1),
    ('num_migrated_cpu', 4, 1), ('num_lifetime_overlaps', 4, 1),
    ('num_same_alloc_cpu', 4, 1), ('num_same_dealloc_cpu', 4, 1),
    ('data_type_id', 8, 1), ('total_access_density', 8, 2),
    ('min_access_density', 4, 2), ('max_access_density', 4, 2),
    ('total_lifetime_access_density', 8, 2),
    ('min_lifetime_access_density', 4, 2),
    ('max_lifetime_access_density', 4, 2), ('access_histogram_size', 4, 4),
]
MAGIC = 0xFF6D70726F667281
ADDED = ['alloc_count', 'total_access_count', 'total_size', 'total_lifetime',
         'total_access_density', 'total_lifetime_access_density']


class Dump:
    """One dump.  at: where its parts are, for who damages it."""

    def __init__(self, version, big, segments, blocks, stacks, fill=0):
        self.version, self.big, self.fill = version, big, fill
        self.segments, self.blocks, self.stacks = segments, blocks, stacks
        self.at = {}

    def u(self, width, *values):
        letter = {2: 'H', 4: 'I', 8: 'Q'}[width]
        return struct.pack(f'{"<>"[self.big]}{len(values)}{letter}', *values)

    def segment(self, start, end, offset, build_id=b''):
        data = self.u(8, start, end, offset)
        if self.version >= 3:
            data += self.u(8, len(build_id))
        return data + build_id.ljust(32, b'\0')

    def block(self, stack, info, histogram=()):
        data = self.u(8, stack)
        for name, width, since in FIELDS:
            if since <= self.version:
                value = info.get(name, 0)
                if name == 'access_histogram_size':
                    value = len(histogram)
                data += self.u(width, value)
        if self.version == 4:
            data += self.u(8, 0x7F0000001000, *histogram)
        elif self.version == 5:
            data += self.u(8, 0x7F0000001000) + self.u(2, *histogram)
        return data

    def bytes(self):
        head = ['segments', 'blocks', 'stacks']
        sections = [
            [self.segment(*s) for s in self.segments],
            [self.block(*b) for b in self.blocks],
            [self.u(8, i, len(p), *p) for i, p in self.stacks]]
        at, offsets, body = 48, [], b''
        for name, entries in zip(head, sections):
            offsets.append(at)
            self.at[name] = at
            at += 8
            data = self.u(8, len(entries))
            for i, entry in enumerate(entries):
                self.at[f'{name}{i}'] = at
                at += len(entry)
                data += entry
            self.at[f'{name}-end'] = at
            data += bytes([self.fill]) * (-len(data) % 8)
            body += data
            at = 48 + len(body)
        self.at['end'] = at
        return self.u(8, MAGIC, self.version, at, *offsets) + body


def amount(n):
    return n if n < 1 << 53 else str(n)


def hexid(n):
    return f'0x{n:016x}'


def real(version, histogram):
    if version != 5:
        return list(histogram)
    return [(h & 0xFFF) << (h >> 12) for h in histogram]


def merge(a, b):
    """LLVM's rules for a block b that was freed after a."""
    out = dict(a)
    for name, width, _ in FIELDS:
        if name not in a or name not in b:
            out.pop(name, None)
        elif name in ADDED:
            out[name] = min(a[name] + b[name], (1 << 8 * width) - 1)
        elif name.startswith('min_'):
            out[name] = min(a[name], b[name])
        elif name.startswith('max_'):
            out[name] = max(a[name], b[name])
        elif name.split('_')[0] in ('alloc', 'dealloc'):
            out[name] = b[name]
    out['num_lifetime_overlaps'] += (
        b['alloc_timestamp'] < a['dealloc_timestamp'])
    for kind in 'alloc', 'dealloc':
        out[f'num_same_{kind}_cpu'] += (
            a[f'{kind}_cpu_id'] == b[f'{kind}_cpu_id'])
    x, y = a.get('access_histogram', []), b.get('access_histogram', [])
    n = max(len(x), len(y))
    if 'access_histogram_size' in a or 'access_histogram_size' in b:
        out['access_histogram_size'] = n
    out['access_histogram'] = [p + q for p, q in zip(
        x + [0] * (n - len(x)), y + [0] * (n - len(y)))]
    return out


def expect(dumps, file, offset):
    """The lines of dumps that make one profile."""
    first = dumps[0]
    source = {'file': file, 'format': 'memprof-raw', 'version': first.version,
              'endian': 'big' if first.big else 'little', 'pointer_bits': 64}
    if offset:
        source['offset'] = offset
    lines = [{'record': 'profile', 'stream': 1, 'kind': 'memprof',
              'source': source}]
    for i, (start, end, at, *rest) in enumerate(first.segments):
        line = {'record': 'segment', 'id': i, 'start': hexid(start),
                'end': hexid(end), 'offset': hexid(at)}
        if first.version < 3:
            line['file_addresses'] = True
        elif rest and rest[0]:
            line['build_id'] = rest[0].hex()
        lines.append(line)
    stacks, infos = {}, {}
    for d in dumps:
        for i, pcs in d.stacks:
            stacks.setdefault(i, pcs)
        for i, info, *histogram in d.blocks:
            m = {name: info.get(name, 0) for name, _, since in FIELDS
                 if since <= d.version}
            if d.version == 1:
                del m['max_access_count'], m['max_size']
            if d.version >= 4:
                m['access_histogram'] = real(
                    d.version, histogram[0] if histogram else [])
                m['access_histogram_size'] = len(m['access_histogram'])
            infos[i] = merge(infos[i], m) if i in infos else m
    for i, pcs in stacks.items():
        lines.append({'record': 'stack', 'id': hexid(i),
                      'pcs': [hexid(pc) for pc in pcs]})
    for i, m in infos.items():
        info = {name: amount(m[name]) for name, _, _ in FIELDS if name in m}
        if m.get('access_histogram'):
            info['access_histogram'] = [amount(n)
                                        for n in m['access_histogram']]
        lines.append({'record': 'allocation', 'stack': hexid(i),
                      'info': info})
    return lines + [{'record': 'end'}]


ID = bytes(range(20))
SEGMENTS = [(0x555500001000, 0x555500009000, 0x555500000000, ID),
            (0x7F0000000000, 0x7F0000001000, 0x7F0000000000, b''),
            (0x7F0000002000, 0x7F0000002000, 0x7F0000002000, b'\x07' * 32)]
PLAIN = [s[:3] for s in SEGMENTS]
STACKS = [(3, [0x555500001234, 0x555500002345, 0x7F0000000010]),
          (1, [0x555500001235]), (2, [])]
ONE = {'alloc_count': 2, 'total_access_count': 7, 'min_access_count': 3,
       'max_access_count': 4, 'total_size': 100, 'min_size': 40,
       'max_size': 60, 'alloc_timestamp': 10, 'dealloc_timestamp': 20,
       'total_lifetime': 15, 'min_lifetime': 5, 'max_lifetime': 10,
       'alloc_cpu_id': 1, 'dealloc_cpu_id': 2, 'num_migrated_cpu': 1,
       'num_lifetime_overlaps': 1, 'num_same_alloc_cpu': 1,
       'num_same_dealloc_cpu': 0, 'total_access_density': 13,
       'min_access_density': 6, 'max_access_density': 7,
       'total_lifetime_access_density': 1300,
       'min_lifetime_access_density': 600, 'max_lifetime_access_density': 700}
TWO = {'alloc_count': 1, 'total_access_count': 2, 'min_access_count': 2,
       'max_access_count': 2, 'total_size': 64, 'min_size': 64,
       'max_size': 64, 'alloc_timestamp': 15, 'dealloc_timestamp': 30,
       'total_lifetime': 15, 'min_lifetime': 15, 'max_lifetime': 15,
       'alloc_cpu_id': 1, 'dealloc_cpu_id': 3, 'num_migrated_cpu': 5,
       'num_lifetime_overlaps': 9, 'total_access_density': 3,
       'min_access_density': 3, 'max_access_density': 3,
       'total_lifetime_access_density': 200,
       'min_lifetime_access_density': 200, 'max_lifetime_access_density': 200}
BIG = {**ONE, 'total_access_count': (1 << 64) - 1, 'total_size': 1 << 53,
       'data_type_id': (1 << 53) - 1, 'max_access_count': (1 << 64) - 1,
       'max_size': (1 << 32) - 1, 'alloc_count': (1 << 32) - 1,
       'min_size': 1, 'min_access_count': 1, 'min_lifetime': 0}
# 16 bits: below, at and above the first shift, and the largest.
HISTOGRAM = [0, 1, 0xFFF, 0x1800, 0x5957, 0xFFFF]
ADDED_UP = ['dumps of one run are added up']


def dump(version, big=False, blocks=None, stacks=None, segments=None, fill=0):
    histogram = [HISTOGRAM] if version >= 4 else []
    if version == 4:
        histogram = [[0, 255, (1 << 53) - 1, 1 << 53, (1 << 64) - 1]]
    return Dump(version, big, segments or (PLAIN if version < 3 else
                                           SEGMENTS),
                blocks or [(3, ONE, *histogram), (1, BIG), (2, TWO)],
                stacks or STACKS, fill)


GOOD, BAD = {}, {}


def good(name, *profiles, warn=()):
    """profiles: lists of dumps, of which each makes one."""
    data, lines = b'', []
    for dumps in profiles:
        lines += expect(dumps, f'{name}.memprofraw', len(data))
        data += b''.join(d.bytes() for d in dumps)
    lines[-1]['last'] = True
    text = ''.join(json.dumps(line, separators=(',', ':')) + '\n'
                   for line in lines)
    GOOD[name] = data, text, warn


for v in range(1, 6):
    good(f'v{v}-le', [dump(v)])
    good(f'v{v}-be', [dump(v, big=True)])
good('padding', [dump(5, fill=0xEE, blocks=[(1, ONE, [1]), (3, TWO, [2])],
                      stacks=STACKS[:2])])
good('empty', [Dump(5, False, [], [], [])])
good('three', [dump(5, blocks=[(3, ONE, [1, 2]), (1, ONE)]),
               dump(5, blocks=[(2, TWO, [3]), (3, TWO, [1, 1, 0x1801])]),
               dump(5, blocks=[(1, TWO, [9]), (3, ONE, [7])],
                    stacks=[STACKS[1], STACKS[0]])], warn=ADDED_UP)
good('versions', [dump(3, blocks=[(3, ONE), (1, TWO)],
                       stacks=STACKS[:2]),
                  dump(5, blocks=[(3, TWO, [1, 2])], stacks=STACKS[:1]),
                  dump(4, blocks=[(3, ONE, [5])], stacks=STACKS[:1])],
     warn=ADDED_UP)
good('disjoint', [dump(4, blocks=[(3, ONE)], stacks=STACKS[:1]),
                  dump(5, blocks=[(1, TWO, [3])], stacks=STACKS[1:2]),
                  dump(3, blocks=[(2, TWO)], stacks=STACKS[2:])],
     warn=ADDED_UP)
good('old-versions', [dump(2, big=True), dump(1, big=True)],
     warn=ADDED_UP + ['do not fit'])
good('saturated', [dump(5, blocks=[(1, BIG), (3, ONE)], stacks=STACKS[:2]),
                   dump(5, blocks=[(3, ONE), (1, BIG)], stacks=STACKS[:2])],
     warn=ADDED_UP + ['do not fit.* 0x1$'])
moved = [(s[0] + 4096, s[1] + 4096, *s[2:]) for s in SEGMENTS]
renamed = [(*s[:3], b'\x01') for s in SEGMENTS]
other = [(3, [0x555500001234, 0x555500002345, 0x7F0000000011])]
good('runs', [dump(5)], [dump(5, segments=moved), dump(5, segments=moved)],
     [dump(5, segments=moved[:1])], [dump(5, segments=renamed)],
     [dump(5, segments=renamed, blocks=[(3, ONE)], stacks=other)],
     [dump(5, big=True, segments=renamed, blocks=[(3, ONE)], stacks=other)],
     [dump(2, big=True, blocks=[(3, ONE)], stacks=other)],
     warn=ADDED_UP + ['do not fit'])
good('repeated', [dump(5, blocks=[(3, ONE, [1]), (1, ONE), (3, TWO)],
                       stacks=STACKS + STACKS[:1])],
     warn=['memory info blocks of a stack that has one .*: 1, .* 0x3$',
           'stacks without a memory info block: 1'])
good('idle', [dump(5, blocks=[(2, ONE)])],
     warn=['stacks without a memory info block: 2'])
good('odd', [dump(5, blocks=[(3, {**ONE, 'min_size': 61}),
                             (1, {**ONE, 'total_lifetime': 21}),
                             (2, {**ONE, 'alloc_count': 0})])])


def bad(name, data, code, at, regex, text):
    assert name not in BAD
    place = '-' if at is None else f'0x{at:x}'
    BAD[name] = data, f'{code} {place} {regex}\n', text


def patched(d, *changes, width=8):
    data = bytearray(d.bytes())
    for at, value in changes:
        data[at:at + width] = d.u(width, value)
    return bytes(data)


V3, V5 = dump(3), dump(5)
WHOLE = V5.bytes()
V3.bytes()
END = V5.at['end']
HUGE = (1 << 64) - 1

bad('magic', b'\x81rforpn\xff' + WHOLE[8:], 'format', None, 'magic',
    'another letter in the magic')
bad('magic-only', WHOLE[:8], 'truncated', 8, 'needs 48 bytes, but has 8',
    'the file ends behind the magic')
bad('header-cut', WHOLE[:47], 'truncated', 47, 'needs 48 bytes, but has 47',
    'the file ends inside the header')
for n in 0, 6, HUGE:
    bad(f'version-{n}', patched(V5, (8, n)), 'version', 8,
        f'Version {n} is unknown: .* 1 to 5 are known', f'version {n}')
for n in 0, 40, 49, END - 4, HUGE - 7:
    code, why = ('corrupt', 'is not a multiple of 8 of at least 48')
    if n == HUGE - 7:
        code, why = 'truncated', f'exceeds the {END} bytes left'
    bad(f'total-{n}', patched(V5, (16, n)), code, 16,
        f'TotalSize {n} {why}', f'TotalSize {n}')
bad('total-header', patched(V5, (16, 48)), 'corrupt', 24,
    'SegmentOffset 48: no room for a count before TotalSize 48',
    'nothing but a header')
bad('cut', WHOLE[:-1], 'truncated', 16,
    f'TotalSize {END} exceeds the {END - 1} bytes left', 'a byte is missing')
for i, name in enumerate(['SegmentOffset', 'MIBOffset', 'StackOffset']):
    part = ['segments', 'blocks', 'stacks'][i]
    here = V5.at[part]
    least = 48 if i == 0 else V5.at[['segments', 'blocks'][i - 1]] + 8
    for word, n in (('zero', 0), ('odd', here + 4), ('before', least - 8)):
        bad(f'{part}-{word}', patched(V5, (24 + 8 * i, n)), 'corrupt',
            24 + 8 * i, f'{name} {n} is not a multiple of 8 of at least {least}',
            f'{name} {n}')
    for word, n in (('end', END), ('far', HUGE - 7)):
        bad(f'{part}-{word}', patched(V5, (24 + 8 * i, n)), 'corrupt',
            24 + 8 * i, f'{name} {n}: no room for a count before TotalSize '
            f'{END}', f'{name} {n}')
bad('swapped', patched(V5, (32, V5.at['stacks']), (40, V5.at['blocks'])),
    'corrupt', 40, 'StackOffset .* of at least', 'MIBOffset and StackOffset swapped')
for d, part, what, size in ((V5, 'segments', 'segments', 64),
                            (V3, 'blocks', 'memory info blocks', 140),
                            (V5, 'blocks', 'memory info blocks', 152),
                            (V5, 'stacks', 'stacks', 16)):
    limit = d.at.get({'segments': 'blocks', 'blocks': 'stacks',
                      'stacks': 'end'}[part])
    left = limit - d.at[part] - 8
    for word, n in (('more', left // size + 1), ('huge', 1 << 60),
                    ('most', HUGE)):
        name = f'{part}-{word}' + ('-v3' if d is V3 else '')
        bad(name, patched(d, (d.at[part], n)), 'corrupt', d.at[part],
            f'{n} {what} exceed the {left} bytes left in their section, of '
            f'{size} or more each', f'{n} {what}')
bad('segment-range', patched(V5, (V5.at['segments1'], 0x7F0000001001)),
    'corrupt', V5.at['segments1'],
    'segment 1: Start 0x7f0000001001 is above End 0x7f0000001000',
    'a segment ends before it starts')
for n in 33, HUGE:
    bad(f'build-id-{n}', patched(V5, (V5.at['segments2'] + 24, n)), 'corrupt',
        V5.at['segments2'] + 24, f'segment 2: BuildIdSize {n} exceeds 32',
        f'BuildIdSize {n}')
size_at = V5.at['blocks1'] + 140
left = V5.at['stacks'] - size_at - 12
for n in left // 2 + 1, (1 << 32) - 1:
    bad(f'histogram-{n}', patched(V5, (size_at, n), width=4), 'corrupt',
        size_at, f'memory info block 1: AccessHistogramSize {n} exceeds the '
        f'{left} bytes left in its section, of 2 each',
        f'AccessHistogramSize {n}')
V4 = dump(4)
V4.bytes()
size_at = V4.at['blocks2'] + 140
bad('histogram-v4', patched(V4, (size_at, 1), width=4), 'corrupt', size_at,
    'memory info block 2: AccessHistogramSize 1 exceeds the 0 bytes left',
    'a histogram that is not there')
size_at = V5.at['blocks0'] + 140
bad('histogram-long', patched(V5, (size_at, 158), width=4), 'corrupt',
    V5.at['blocks0'] + 468,
    'memory info block 1 of 3 needs 152 bytes, but 4 are left in its',
    'a histogram that takes the place of other blocks')
stack_at = V5.at['stacks0'] + 8
left = END - stack_at - 8
for n in left // 8 + 1, 1 << 61, HUGE:
    bad(f'pcs-{n}', patched(V5, (stack_at, n)), 'corrupt', stack_at,
        f'stack 0: {n} PCs exceed the {left} bytes left in its section',
        f'{n} PCs')
bad('pcs-long', patched(V5, (stack_at, left // 8)), 'corrupt', END,
    'stack 1 of 3 needs 16 bytes or more, but 0 are left in its section',
    'PCs that take the place of other stacks')
bad('no-stack', patched(V5, (V5.at['blocks1'], 9)), 'corrupt',
    V5.at['blocks1'],
    'memory info block 1 is of stack 0x9, which is missing',
    'a block of a stack that is not there')
bad('two-stacks', dump(5, stacks=STACKS + other).bytes(), 'corrupt',
    V5.at['stacks-end'], 'stack 0x3 occurs twice, with other PCs at 0x',
    'two stacks of one id')
bad('next-zeros', WHOLE + bytes(8), 'corrupt', END, 'not the magic',
    'zeros behind the dump')
bad('next-byte', WHOLE + b'\x81', 'corrupt', END, 'not the magic',
    'a byte behind the dump')
bad('next-cut', WHOLE + WHOLE[:40], 'truncated', END + 40,
    'needs 48 bytes, but has 40', 'the second header is cut off')
bad('next-version', WHOLE + patched(V5, (8, 7)), 'version', END + 8,
    'Version 7 is unknown', 'the second dump has version 7')
bad('next-total', WHOLE + patched(V5, (16, 0)), 'corrupt', END + 16,
    'TotalSize 0', 'the second dump has TotalSize 0')
bad('next-stack', WHOLE + patched(V5, (V5.at['blocks2'], 9)), 'corrupt',
    END + V5.at['blocks2'], 'is of stack 0x9', 'the second dump has a block '
    'of no stack')
bad('next-two-stacks', WHOLE + dump(5, blocks=[(9, ONE)], stacks=[
    (9, [1]), (9, [2])]).bytes(), 'corrupt', END + V5.at['blocks'] + 192,
    'stack 0x9 occurs twice', 'the second dump has two stacks of one id')


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as f:
        f.write(data if isinstance(data, bytes) else data.encode())


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    folder = os.path.join(here, 'memprof-raw')
    for name in 'good', 'bad':
        shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
    for name, (data, text, warn) in GOOD.items():
        base = os.path.join(folder, 'good', name)
        write(base + '.memprofraw', data)
        write(base + '.ndjson', text)
        if warn:
            write(base + '.warn', ''.join(w + '\n' for w in warn))
    for name, (data, error, _) in BAD.items():
        write(os.path.join(folder, 'bad', name, 'input'), data)
        write(os.path.join(folder, 'bad', name, 'error'), error)
    width = max(map(len, BAD))
    write(os.path.join(folder, 'bad', 'README'),
          'Damaged raw heap profiles, made by ../../mkmemprof.py.\n\n' +
          ''.join(f'{name:{width}}  {text}\n'
                  for name, (_, _, text) in BAD.items()))


if __name__ == '__main__':
    main()
