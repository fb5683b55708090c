#!/usr/bin/env python3
"""Makes good/: raw profiles, FILE.ndjson with what profraw-cat must print of
FILE.profraw, and FILE.warn with a regular expression for each warning that it
must give (no FILE.warn: none).
"""

import os
from mkraw import (
    BYTE_COVERAGE, CSIR, DEBUG_INFO, ENTRY_FIRST, ENTRY_ONLY, HEADER, IR,
    LOOP_ENTRIES, TEMPORAL, Chunk, Function, Image, VTable, build_file,
    expect, guid_of)

NEVER = (1 << 64) - 1           # time stamp of a function that was not entered
GNU_ID = bytes.fromhex('1a580aa9aa2f7f6784a357a097f3cf3903c39270')
SO_ID = bytes.fromhex('012c79b72980d332e0b2cf5c027ce8c806c5d3ac')
INDIRECT, MEMOP, VTABLE = range(3)

GOOD = {}
WARN = {}


def good(name, *images, warn=()):
    assert name not in GOOD
    GOOD[name] = images
    if warn:
        WARN[name] = warn


def places(bits):
    """Addresses as a position-independent program has them."""
    base = 0x55d0c4a00000 if bits == 64 else 0x56600000
    return {'counters_at': base + 0x4000, 'bitmap_at': base + 0x4800,
            'data_at': base + 0x5000, 'names_at': base + 0x6000}


def rich(version, bits, big):
    """Something of all that the version has."""
    ir = version >= 4 and bits == 64
    helper = b'src/a.c;helper' if ir and version >= 9 else b'src/a.c:helper'
    code = 0x1200
    main = Function(b'main', [1, 10, 0], hash=0x0A4D0AD3EFFFFFFF)
    local = Function(helper, [9], hash=0x18, address=code)
    area = Function(b'_ZN5Shape4areaEv', [1 << 40, 0], hash=0,
                    address=code + 0x40)
    unused = Function(b'unused', [0, 0], hash=0x1712C, address=code + 0x80)
    image = Image(version, bits, big, variants=IR if ir else 0,
                  functions=[main, local, area, unused], **places(bits))
    if version >= 2:
        main.values = {INDIRECT: [[(code, 7), (0xE00, 2)], []]}
        area.values = {INDIRECT: [[(code + 0x80, 1 << 35)]]}
    if version >= 3:
        image.chunks = [Chunk([b'main', helper], zeros=3),
                        Chunk([b'_ZN5Shape4areaEv', b'unused'],
                              deflate=False)]
    if version >= 4:
        main.values[MEMOP] = [[(0, 1), (9, 4), (513, 2)]]
        unused.values = {MEMOP: [[], []]}
    if version >= 6:
        image.ids = [GNU_ID]
    if version >= 9:
        main.bitmap, area.bitmap = b'\x2a', b'\x01\x80\xff'
    if version >= 10:
        image.vtables = [VTable(b'_ZTV5Shape', 0x3000, 40),
                         VTable(b'src/a.c;_ZTV6Circle', 0x3030, 40)]
        main.values[VTABLE] = [[(0x3010, 6), (0x3040, 3)]]
    if version >= 11:
        for f, uniform in ((main, [1, 2, 3]), (local, [4]),
                           (area, [1 << 40, 5]), (unused, [0, 0])):
            f.uniform = uniform
        main.wave, local.wave = 32, 64
    return image


for version in HEADER:
    for bits in (64, 32):
        for big in (False, True):
            good(f'v{version}-{bits}{"be" if big else "le"}',
                 rich(version, bits, big))


def plain(name=b'main', **options):
    return Function(name, [3, 1], hash=0x9A, **options)


def pair(version=10, bits=64, first=b'main', second=b'twice', **options):
    """An image of two functions."""
    for key, value in places(bits).items():
        options.setdefault(key, value)
    return Image(version, bits, functions=[
        Function(first, [1, 4], hash=0x11B458),
        Function(second, [4, 10, 5], hash=0x46CA491458)], **options)


def empty(version=10, **options):
    return Image(version, ids=[GNU_ID], **places(64), **options)


# Binary ids: several, of odd sizes, one of them twice.
good('ids', pair(ids=[GNU_ID, b'\x01\x02\x03\x04\x05', SO_ID[:16], GNU_ID]))
good('ids-v6', pair(6, ids=[GNU_ID, b'\x01\x02\x03\x04\x05']))
good('ids-v7', pair(7, ids=[GNU_ID, b'\x01\x02\x03\x04\x05']))
# The second image begins at 4 mod 8.
good('ids-v7-two', pair(7, ids=[GNU_ID]),
     pair(7, first=b'lib_a', second=b'lib_b', ids=[SO_ID]))
# Trunk snapshots of summer 2021: rules of v8 under the number 7.
good('v7-relative', pair(7, ids=[GNU_ID], id_padding=True, relative=True),
     Image(7, big=False, functions=[plain()], relative=True, **places(64)))

# Where the counters are in memory: behind the data, the data between them,
# and apart from each other, one at an odd offset.
gaps = pair()
gaps.functions[0].at, gaps.functions[1].at = 44, 12
good('layout',
     pair(counters_at=0x9000, data_at=0x8000),
     pair(counters_at=0x8010, data_at=0x8000, first=b'low', second=b'high'),
     gaps)
good('layout-32',
     pair(8, 32, counters_at=0x9000, data_at=0x8000),
     pair(8, 32, counters_at=0x8010, data_at=0x8000),
     pair(8, 32, counters_at=0x8000, data_at=0xFFFF8000))
windows = pair(windows=True, counters_at=0x140004000, data_at=0x140005000,
               bitmap_at=0x140003000)
windows.functions[1].bitmap = b'\x05'
windows_crossing = pair(windows=True, counters_at=0x140005010,
                        data_at=0x140005000, bitmap_at=0x140005030)
windows_crossing.functions[0].bitmap = b'\x01\x02'
windows_crossing.functions[1].bitmap = b'\x03'
good('windows', windows, windows_crossing,
     pair(windows=True, counters_at=0x140006000, data_at=0x140005000))

# Several images in one file.
exe = pair(second=b'call', ids=[GNU_ID])
exe.functions[0].address = 0x1100
exe.functions[1].values = {INDIRECT: [[(0x1100, 2), (0x7F0000001100, 5)]]}
library = pair(first=b'lib_a', second=b'lib_b', ids=[SO_ID])
library.functions[0].address = 0x7F0000001100
library.functions[1].values = {INDIRECT: [[(0x1100, 1)],
                                          [(0x7F0000001100, 3)]]}
good('exe-so', exe, library)
good('exe-so-32be', pair(bits=32, big=True),
     pair(bits=32, big=True, first=b'lib_a', second=b'lib_b'))
good('versions', pair(8, ids=[GNU_ID]), pair(10, ids=[SO_ID], variants=IR),
     pair(5), pair(11))
good('variants', pair(variants=IR | CSIR), pair(variants=IR | ENTRY_FIRST),
     pair(variants=IR | LOOP_ENTRIES), pair())
good('trailing-zeros', pair(tail=bytes(24)), pair(tail=bytes(5)))

# Images without records.
good('zero', empty())
good('zero-ir', empty(8, variants=IR | ENTRY_FIRST))
good('zero-v1', Image(1, bits=32, big=True, **places(32)))
good('zero-first', empty(), pair())
good('zero-run', empty(), empty(), pair(), empty(), Image(10, **places(64)))

# In-memory writers leave the value data out, the records promise it.
sites = {INDIRECT: [[], []], MEMOP: [[]]}
no_values = pair(value_data=False)
no_values.functions[1].values = sites
no_values_v4 = pair(4, 32, big=True, value_data=False)
no_values_v4.functions[0].values = sites
good('writebuffer', no_values, warn=['value data'])
good('writebuffer-followed', no_values, exe, warn=['value data'])
good('writebuffer-v4', no_values_v4, no_values_v4, warn=['value data'])

# Darwin's continuous mode; the page is 256 bytes here to keep the files small.
paged = pair(page=256, value_data=False)
paged.functions[0].bitmap = b'\x11\x22\x33'
good('pages', paged, pair(page=256, ids=[GNU_ID], value_data=False))
good('pages-v5', pair(5, page=256, value_data=False))
good('pages-32be', pair(8, 32, big=True, page=256, value_data=False))

# Names.
odd_names = [
    'größe'.encode(), 'naïve 😀 \u2028'.encode(), '\uffff'.encode(),
    b'bad\xff\xfename', b'overlong\xc0\x80', b'surrogate\xed\xa0\x80',
    b'nul\0name', b'x' * 300, b'dir/a.c;local', b'dir/a.c:local',
    b'-[Shape area:unit:]', b'<unknown>;f', b'quo"te\\back/slash',
    b'tab\tnl\ncr\rbs\bff\fesc\x1b\x02\x7fdel', b' ', b'\n', b'123',
    b'# Func Hash:', b'** External Symbol **', b'\0',
]
odd = Image(10, variants=IR, **places(64),
            functions=[Function(n, [i], hash=i, address=0x2000 + 16 * i)
                       for i, n in enumerate(odd_names)])
odd.functions[0].values = {INDIRECT: [[(f.address, 1)
                                       for f in odd.functions]]}
odd.vtables = [VTable(b'vt\xff', 0x3000, 8), VTable('ßt'.encode(), 0x3010, 8)]
odd.functions[1].values = {VTABLE: [[(0x3000, 1), (0x3010, 2)]]}
good('names', odd)
good('names-v1', Image(1, functions=[Function(n, [1])
                                     for n in odd_names + [b'with\x01one']],
                       **places(64)))
good('names-v2', Image(2, 32, big=True, functions=[
    Function(n, [1]) for n in odd_names], **places(32)))
good('names-chunks', pair(
    fill=0, chunks=[Chunk([b'unused', b'main'], deflate=False, zeros=1),
                    Chunk([b'main', b'other']), Chunk([b'main']),
                    Chunk([b'a' * 130], deflate=False, zeros=17),
                    Chunk([b'twice', b'main'], zeros=9)]))
good('names-v3-plain', pair(
    3, 32, chunks=[Chunk([b'main', b'twice'], deflate=False)]))
good('names-none', pair(chunks=[], vtables=[
    VTable(None, 0x3000, 16, guid=guid_of(b'_ZTV1A'))], vchunks=[]),
    warn=[r'[Nn]ame'])
good('names-one-missing', pair(8, chunks=[Chunk([b'twice', b'else'])]),
     warn=[r'[Nn]ame'])

# Counters and values at the edges.
good('counts', Image(10, functions=[
    Function(b'edge', [0, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, 1 << 56]),
    Function(b'one', [1], hash=NEVER >> 4)], **places(64)))
good('counts-huge', Image(10, functions=[
    Function(b'over', [(1 << 56) + 1, 7]), Function(b'hot', [NEVER]),
    Function(b'warm', [NEVER - 1, 0]), Function(b'top', [0, NEVER - 2])],
    variants=IR, **places(64)), warn=[r'over|72057594037927936|2\^56'])
full_site = Function(b'full', [1], values={
    MEMOP: [[(s, 1000 - s) for s in range(255)], [(NEVER, NEVER)]]})
good('values-255', Image(10, functions=[full_site], **places(64)))

values = Image(11, variants=IR, functions=[
    Function(b'caller', [5], values={
        INDIRECT: [[(0x1000, 9), (0x1001, 8), (0, 7), (0x2000, 6),
                    (0x2000, 6), (NEVER, 5), (0x1100, 4)], [], [(0x1200, 0)]],
        MEMOP: [[((1 << 53) - 1, (1 << 53) - 1), (1 << 53, 1 << 53)], []],
        VTABLE: [[(0x2FFF, 1), (0x3000, 2), (0x300F, 3), (0x3010, 4),
                  (0x3020, 5), (0x3030, 6), (0, 7), (0x3040, 8)]]}),
    Function(b'folded_a', [1], address=0x1000),
    Function(b'folded_b', [2], address=0x1000),
    Function(b'no_address', [3], address=0, values={INDIRECT: [[], [], []]}),
    Function(None, [4], guid=0x0123456789ABCDEF, address=0x1100),
    Function(b'only_vtable', [4], address=0x1200,
             values={VTABLE: [[(0x3008, 1)]]}),
], vtables=[
    VTable(b'_ZTV1A', 0x3000, 16), VTable(b'_ZTV1Z', 0x3020, 0),
    VTable(None, 0x3030, 8, guid=0x00000000000000AA),
    VTable(b'_ZTV1N', 0, 64)],
    vchunks=[Chunk([b'_ZTV1A', b'_ZTV1Z', b'_ZTV1N']),
             Chunk([b'_ZTV7NoTable', b'_ZTV1A'])], **places(64))
good('values', values, warn=[r'[Nn]ame'])

# Other numbers of value kinds than the runtimes of the version had; fewer are
# none since version 9, whose readers never look at the number.
kinds_v4 = pair(4, 64, kinds=1)         # LLVM 3.9 and 4
kinds_v4.functions[0].values = {INDIRECT: [[(0x10, 1)]]}
good('kinds-v4', kinds_v4)
kinds_four = pair(10, 64, kinds=4)
kinds_four.functions[0].values = {INDIRECT: [[(0x10, 1)]]}
kinds_four.functions[1].bitmap = b'\x77'
kinds_six = pair(10, 64, kinds=6)
kinds_six.functions[0].values = {INDIRECT: [[]], VTABLE: [[(0x10, 1)], []]}
kinds_six.functions[0].bitmap = b'\x55\x66'
good('kinds', kinds_four, kinds_six)
kinds_32 = pair(11, 32, big=True, kinds=5)
kinds_32.functions[0].values = {MEMOP: [[(8, 1)]]}
kinds_32.functions[0].bitmap = b'\x55\x66'
kinds_32.functions[1].wave = 32
good('kinds-32be', kinds_32, pair(9, 32, big=True, kinds=3))


# Byte coverage: only 0 means executed.
def covered(version, variants, **options):
    return Image(version, variants=variants | BYTE_COVERAGE, functions=[
        Function(b'main', [0]), Function(b'cold', [0xFF]),
        Function(b'odd', [1 if variants & ENTRY_ONLY else 0x7F])], **options)


blocks = Image(10, variants=IR | BYTE_COVERAGE, functions=[
    Function(b'main', [0, 255, 0, 1, 128]), Function(b'cold', [255, 255, 255])],
    **places(64))
good('coverage', covered(10, IR | ENTRY_ONLY, **places(64)),
     covered(10, 0, **places(64)), blocks)
good('coverage-32be', covered(8, IR | ENTRY_ONLY, bits=32, big=True,
                              **places(32)))


# Temporal profiles: the stamps of all images of a file make one trace.
def entered(*stamps, names=(b'main', b'second', b'third', b'never'),
            coverage=False, **options):
    value = (lambda n: 0) if coverage else (lambda n: n)
    return Image(variants=IR | TEMPORAL | (BYTE_COVERAGE if coverage else 0),
                 functions=[Function(n, [value(i + 5)] * (i % 3), hash=i,
                                     stamp=s)
                            for i, (n, s) in enumerate(zip(names, stamps))],
                 **options)


good('temporal', entered(3, 1, 2, 0, version=10, **places(64)))
good('temporal-v8', entered(1, NEVER, (1 << 60) + 1, 7, version=8, bits=32,
                            **places(32)))
good('temporal-none', entered(0, NEVER, 0, version=10, **places(64)))
temporal_exe = entered(1, 2, 9, 4, version=10, **places(64))
temporal_so = entered(3, 1, 2, 0, version=10, names=[
    b'lib_a', b'lib_b', b'lib\xff', b'lib_d'], **places(64))
good('temporal-images', temporal_exe, temporal_so)
good('temporal-zero', temporal_exe, temporal_so, empty())
good('temporal-coverage', entered(2, 1, NEVER, 0, version=10, coverage=True,
                                  bits=32, big=True, **places(32)))
temporal_nameless = entered(2, 1, version=11, **places(64))
temporal_nameless.chunks = [Chunk([b'main'])]
good('temporal-nameless', temporal_nameless, warn=[r'[Nn]ame'])

# Correlated: counters without records.
good('correlated-debug', Image(8, variants=IR | DEBUG_INFO, ids=[GNU_ID],
                               correlated='debug', raw_counts=[6, 7, 10, 0]))
good('correlated-debug-32be',
     Image(10, 32, True, variants=DEBUG_INFO, correlated='debug',
           raw_counts=[1 << 53, 2]))
good('correlated-binary',
     Image(10, variants=IR, ids=[GNU_ID], correlated='binary',
           raw_counts=[6, 7, 10]),
     Image(10, ids=[SO_ID], correlated='binary', raw_counts=[1, 0],
           raw_bitmap=b'\x0a\x00\xff'), empty())
good('correlated-v9-32be',
     Image(9, 32, True, correlated='binary', raw_counts=[5]))
good('correlated-v11',
     Image(11, correlated='binary', ids=[SO_ID], raw_counts=[5, 6, 7],
           raw_bitmap=b'\x05'))
good('correlated-v11-32be',
     Image(11, 32, True, correlated='binary', ids=[SO_ID],
           raw_counts=[5, 6, 7], raw_bitmap=b'\x05\x00'))
good('correlated-coverage',
     Image(8, variants=IR | DEBUG_INFO | BYTE_COVERAGE | ENTRY_ONLY,
           correlated='debug', raw_counts=[0, 255, 0, 255, 255]))
good('correlated-temporal',
     Image(10, variants=IR | TEMPORAL | BYTE_COVERAGE, correlated='binary',
           raw_counts=[2, 1] + [0] * 7 + [255] + [1] + [0] * 8 + [255] * 9))

# Which rule made the hashes of a front-end profile.
flag_hash = pair(10)
flag_hash.functions[1].hash |= 1 << 60
flag_hash_ir = pair(10, variants=IR | CSIR)
flag_hash_ir.functions[1].hash |= 1 << 60
good('hash-flag', flag_hash, flag_hash_ir)
bitmap_v9 = pair(9)
bitmap_v9.functions[0].bitmap = b'\x01'
good('hash-v9', pair(9), bitmap_v9)

# GPU: a wave size without uniform counters, and the other way round.
waves = pair(11, 64)
waves.functions[0].wave, waves.functions[1].wave = 64, 32
uniform = pair(11, 64)
uniform.functions[0].uniform = [9, 8]
uniform.functions[1].uniform = [7, 6, (1 << 64) - 5]
uniform.functions[1].bitmap = b'\x01\x02\x03'
good('uniform', waves, uniform)

# Sound enough to be read, with a warning.
padding = Image(10, fill=0xEE, ids=[b'\x01\x02\x03'],
                functions=[plain(bitmap=b'\x01'),
                           plain(b'sites', values={MEMOP: [[(8, 1)]]})],
                vtables=[VTable(b'_ZTV1A', 0x3000, 16)], **places(64))
good('padding', padding, warn=[r'padding'])
good('padding-coverage', Image(8, variants=IR | BYTE_COVERAGE, fill=1,
                               functions=[Function(b'main', [0, 255])],
                               **places(64)), warn=[r'padding'])
overlap = pair()
overlap.functions += [plain(b'over')]
overlap.functions[2].counts = [5, 8]
overlap.functions[2].at = 32            # the last of the one before
good('overlap', overlap, warn=['over has counters of twice .*: 1.$'])
# As clang 14 leaves them for inline functions, with -flto.
good('shared', Image(10, functions=[
    Function(b'inline', [1, 2], values={MEMOP: [[(8, 1)]]}),
    Function(b'user', [3], values={MEMOP: [[(9, 4)]]}),
    Function(b'inline', [1, 2], at=0, repeats=True,
             values={MEMOP: [[(8, 1)]]}),
    Function(b'last', [4], values={MEMOP: [[(7, 2)]]}),
    Function(b'inline', [1, 2], hash=0x19, at=0),
    Function(b'inline', [1], at=0)], **places(64)),
    warn=['inline has counters of inline .*: 2.$'])
good('repeated', Image(10, functions=[
    Function(b'same', [1, 2]), Function(b'same', [3, 4], hash=0x19),
    Function(b'same', [5, 6])], **places(64)))
good('bits', pair(variants=1 << 32 | 1 << 54 | IR),
     warn=[r'[Vv]ersion|variant|bits'])


def main():
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'good')
    os.makedirs(folder, exist_ok=True)
    for old in os.listdir(folder):
        os.remove(os.path.join(folder, old))
    for name, images in GOOD.items():
        base = os.path.join(folder, name)
        with open(base + '.profraw', 'wb') as f:
            f.write(build_file(images)[0])
        with open(base + '.ndjson', 'w', encoding='utf-8') as f:
            f.write(expect(images, name + '.profraw'))
        if name in WARN:
            with open(base + '.warn', 'w') as f:
                f.writelines(line + '\n' for line in WARN[name])


if __name__ == '__main__':
    main()
