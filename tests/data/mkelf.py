#!/usr/bin/env python3
"""Makes correlate/: programs that tell whose the counters of a correlated
profile are, in sections that are not loaded or in debug info, and nothing else.
They belong to good/correlated*.profraw; those of correlate/bad/ are damaged.
"""

import os
from dataclasses import dataclass, field

from mkgood import GNU_ID, SO_ID
from mkraw import Chunk, guid_of, uleb

NOTE, NOBITS, PROGBITS, STRTAB = 7, 8, 1, 3
ALLOC = 2
COUNTERS_AT, BITMAP_AT = 0x4000, 0x5000


@dataclass
class Function:
    name: bytes
    counters: int
    hash: int = 0x18
    bitmap: int = 0
    changes: dict = field(default_factory=dict)     # of fields of the record


@dataclass
class Program:
    functions: list
    version: int = 10
    bits: int = 64
    big: bool = False
    build_id: bytes = None
    width: int = 8              # of a counter
    debug: bool = False         # debug info, and no records
    sections: dict = field(default_factory=dict)    # instead of its own
    sibling: int = None         # DW_AT_sibling of the first function

    @property
    def order(self):
        return 'big' if self.big else 'little'

    def number(self, n, size):
        return n.to_bytes(size, self.order)

    def pointer(self, n):
        return self.number(n, self.bits // 8)


def record(p, f, counters, bitmap):
    """A data record of v9 to v11."""
    word = p.bits // 8
    kinds = 2 if p.version == 9 else 3
    uniform = {'UniformCounterPtr': (0, word)} if p.version == 11 else {}
    wave = {'OffloadDeviceWaveSize': (0, 2)} if p.version == 11 else {}
    fields = {'NameRef': (guid_of(f.name), 8), 'FuncHash': (f.hash, 8),
              'CounterPtr': (counters, word), **uniform,
              'BitmapPtr': (bitmap if f.bitmap else 0, word),
              'FunctionPointer': (0, word), 'Values': (0, word),
              'NumCounters': (f.counters, 4), 'Sites': (0, 2 * kinds), **wave,
              'NumBitmapBytes': (f.bitmap, 4)}
    out = b''
    for name, (value, size) in fields.items():
        if name == 'NumBitmapBytes':
            out += bytes(-len(out) % 4)
        out += p.number(f.changes.get(name, value), size)
    return out + bytes(-len(out) % 8)


def walk(p):
    """Each function with the addresses of its counters and its bitmap."""
    counters, bitmap = COUNTERS_AT, BITMAP_AT
    for f in p.functions:
        yield f, counters, bitmap
        counters += f.counters * p.width
        bitmap += f.bitmap


# Tags and attributes of DWARF 4.
ABBREVS = [
    (0x11, True, []),                           # compile unit
    (0x2e, True, [(0x03, 0x08)]),               # subprogram: name
    (0x34, True, [(0x03, 0x08), (0x02, 0x18)]),  # variable: name, location
    (0x6000, False, [(0x03, 0x08), (0x1c, 0x08)]),  # annotation: a string
    (0x6000, False, [(0x03, 0x08), (0x1c, 0x0f)]),  # annotation: a number
    (0x2e, True, [(0x01, 0x13), (0x03, 0x08)]),  # subprogram: sibling, name
]


def debug_abbrev():
    out = b''
    for i, (tag, children, attributes) in enumerate(ABBREVS, 1):
        out += uleb(i) + uleb(tag) + bytes([children])
        for attribute in attributes:
            out += uleb(attribute[0]) + uleb(attribute[1])
        out += b'\0\0'
    return out + b'\0'


def debug_info(p):
    dies = uleb(1)
    for i, (f, counters, _) in enumerate(walk(p)):
        location = b'\x03' + p.pointer(counters)
        notes = {b'Function Name': f.name, b'CFG Hash': f.hash,
                 b'Num Counters': f.counters}
        notes.update(f.changes)
        dies += uleb(6) + p.number(p.sibling, 4) \
            if p.sibling is not None and i == 0 else uleb(2)
        dies += f.name + b'\0'
        dies += uleb(3) + b'__profc_' + f.name + b'\0'
        dies += uleb(len(location)) + location
        for key, value in notes.items():
            if isinstance(value, int):
                dies += uleb(5) + key + b'\0' + uleb(value)
            elif value is not None:
                dies += uleb(4) + key + b'\0' + value + b'\0'
        dies += b'\0\0'
    body = p.number(4, 2) + p.number(0, 4) + bytes([p.bits // 8]) \
        + dies + b'\0'
    return p.number(len(body), 4) + body


def contents(p):
    """Sections: name to type, flags, address, bytes."""
    out = {}
    if p.build_id:
        out['.note.gnu.build-id'] = (
            NOTE, ALLOC, 0x200, p.number(4, 4)
            + p.number(len(p.build_id), 4) + p.number(3, 4) + b'GNU\0'
            + p.build_id)
    out['__llvm_prf_cnts'] = (NOBITS, ALLOC | 1, COUNTERS_AT, bytes(
        sum(f.counters for f in p.functions) * p.width))
    bits = sum(f.bitmap for f in p.functions)
    if bits:
        out['__llvm_prf_bits'] = (NOBITS, ALLOC | 1, BITMAP_AT, bytes(bits))
    if p.debug:
        out['.debug_abbrev'] = (PROGBITS, 0, 0, debug_abbrev())
        out['.debug_info'] = (PROGBITS, 0, 0, debug_info(p))
    else:
        out['__llvm_covdata'] = (PROGBITS, 0, 0, b''.join(
            record(p, f, c, b) for f, c, b in walk(p)))
        out['__llvm_covnames'] = (PROGBITS, 0, 0, Chunk(
            [f.name for f in p.functions], deflate=False).bytes())
    for name, data in p.sections.items():
        if data is None:
            del out[name]
        else:
            out[name] = out[name][:3] + (data,)
    return out


def elf(p):
    wide, word = p.bits == 64, p.bits // 8
    header_size, ph_size, sh_size = (64, 56, 64) if wide else (52, 32, 40)
    sections = contents(p)
    strings = b'\0' + b''.join(n.encode() + b'\0' for n in sections) \
        + b'.shstrtab\0'
    sections['.shstrtab'] = (STRTAB, 0, 0, strings)
    body, rows = b'', [(0,) * 6]
    start = header_size + ph_size * bool(p.build_id)
    note = None
    for name, (kind, flags, address, data) in sections.items():
        body += bytes(-(start + len(body)) % 8)
        at = start + len(body)
        if kind == NOTE:
            note = (at, len(data))
        body += b'' if kind == NOBITS else data
        rows.append((strings.index(b'\0' + name.encode() + b'\0') + 1, kind,
                     flags, address, at, len(data)))
    body += bytes(-(start + len(body)) % 8)
    n = p.number
    out = b'\x7fELF' + bytes([2 if wide else 1, 2 if p.big else 1, 1]) \
        + bytes(9)
    out += n(3, 2) + n({(64, 0): 62, (64, 1): 21, (32, 0): 3, (32, 1): 20}
                       [p.bits, p.big], 2) + n(1, 4)
    out += n(0, word) + n(header_size if note else 0, word) \
        + n(start + len(body), word) + n(0, 4)
    for value in (header_size, ph_size, 1 if note else 0, sh_size, len(rows),
                  len(rows) - 1):
        out += n(value, 2)
    if note:
        at, size = note
        if wide:
            out += n(4, 4) + n(4, 4) + n(at, 8) + n(0x200, 8) * 2 \
                + n(size, 8) * 2 + n(4, 8)
        else:
            out += n(4, 4) + n(at, 4) + n(0x200, 4) * 2 + n(size, 4) * 2 \
                + n(4, 4) + n(4, 4)
    out += body
    for name, kind, flags, address, at, size in rows:
        align = 1 if kind else 0
        out += n(name, 4) + n(kind, 4) + n(flags, word) + n(address, word) \
            + n(at, word) + n(size, word) + n(0, 4) * 2 + n(align, word) \
            + n(0, word)
    return out


MAIN, TWICE = Function(b'main', 2), Function(b'twice', 1, 0x2a)
GOOD = {
    'program': Program([MAIN, TWICE], build_id=GNU_ID),
    'library': Program([Function(b'lib', 1, bitmap=1),
                        Function(b'lib.c:local', 1, 0x1000000000000005,
                                 bitmap=2)], build_id=SO_ID),
    'v9-32be': Program([Function(b'main', 1)], version=9, bits=32, big=True),
    'v11': Program([Function(b'main', 1, bitmap=1), Function(b'next', 2)],
                   version=11, build_id=SO_ID),
    'v11-32be': Program([Function(b'main', 1), Function(b'next', 2, bitmap=2)],
                        version=11, bits=32, big=True, build_id=SO_ID),
    'debug': Program([MAIN, Function(b'cold\xff', 2, (1 << 63) + 1)],
                     build_id=GNU_ID, debug=True),
    'debug-32be': Program([Function(b'_RNvC1a4main', 1),
                           Function(b'main', 1)], bits=32, big=True,
                          debug=True),
    'coverage': Program([Function(b'f%d' % i, 1, i) for i in range(5)],
                        width=1, debug=True),
    'temporal': Program([Function(b'first', 8 + 2, 1),
                         Function(b'second', 8 + 1, 2),
                         Function(b'never', 8 + 1, 3)], width=1),
    # The same place again, a record without counters, one without a name.
    'odd': Program([MAIN, TWICE, Function(b'main', 0, 0x18, changes={
        'CounterPtr': COUNTERS_AT, 'NumCounters': 2}),
        Function(b'dropped', 0, changes={'CounterPtr': 0, 'NumCounters': 3})],
        build_id=GNU_ID, sections={'__llvm_covnames': Chunk(
            [b'twice'], deflate=False).bytes()}),
    'debug-odd': Program([MAIN, Function(b'x', 0, changes={
        b'CFG Hash': None}), Function(b'y', 2)], build_id=GNU_ID, debug=True),
    # DW_AT_sibling leads to the entry itself: who follows it never ends.
    'debug-sibling': Program([MAIN, Function(b'y', 2)], build_id=GNU_ID,
                             debug=True, sibling=12),
}


def changed(name, value):
    return Program([MAIN, Function(b'twice', 1, changes={name: value})],
                   build_id=GNU_ID)


program = elf(GOOD['program'])
BAD = {
    'no-names': Program([MAIN, TWICE], build_id=GNU_ID,
                        sections={'__llvm_covnames': None}),
    'no-records': Program([MAIN, TWICE], build_id=GNU_ID,
                          sections={'__llvm_covdata': None,
                                    '__llvm_covnames': None}),
    'no-counters': Program([MAIN, TWICE], build_id=GNU_ID,
                           sections={'__llvm_prf_cnts': None}),
    'half-record': Program([MAIN, TWICE], build_id=GNU_ID, sections={
        '__llvm_covdata': bytes(100)}),
    'names': Program([MAIN, TWICE], build_id=GNU_ID, sections={
        '__llvm_covnames': b'\x20\0main'}),
    'num-counters': changed('NumCounters', 2),
    'num-counters-0': changed('NumCounters', 0),
    'counter-pointer': changed('CounterPtr', COUNTERS_AT + 20),
    'bitmap': changed('NumBitmapBytes', 1),
    'debug-cut': Program([MAIN, Function(b'y', 2)], build_id=GNU_ID,
                         debug=True, sections={'.debug_info': debug_info(
                             GOOD['debug'])[:60]}),
    'other-size': Program([MAIN], build_id=GNU_ID),
    'other-id': Program([MAIN, TWICE], build_id=SO_ID),
    'no-id': Program([MAIN, TWICE]),
    'other-order': Program([MAIN, TWICE], bits=64, big=True,
                           build_id=GNU_ID),
}


def main():
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                          'correlate')
    os.makedirs(os.path.join(folder, 'bad'), exist_ok=True)
    for part, programs in ('', GOOD), ('bad', BAD):
        for name, p in programs.items():
            with open(os.path.join(folder, part, name), 'wb') as f:
                f.write(elf(p))


if __name__ == '__main__':
    main()
