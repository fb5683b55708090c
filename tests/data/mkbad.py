#!/usr/bin/env python3
"""Makes bad/: a folder for each way in which a raw profile can be damaged.

bad/NAME/input is the file.  bad/NAME/error is one line, CODE OFFSET REGEX: the
error's code, the byte it is reported at ("-" for none) and what its reason must
match.  CODE and OFFSET are extended regular expressions too and have to match
as a whole: where more than one answer is right they say so.
"""

import os
import shutil

from mkgood import GNU_ID, MEMOP, INDIRECT, places
from mkraw import (
    BYTE_COVERAGE, HEADER, IR, MEMPROF, TEMPORAL, Chunk, Function, Image,
    VTable, build, uleb)

CASES = {}
TOP = (1 << 64) - 8


class Raw:
    """Bytes in the place of a chunk of names."""
    def __init__(self, data):
        self.data, self.names = data, []

    def bytes(self):
        return self.data


def bad(name, data, code, offset, regex, text):
    """offset: one, or a list; None among them is none."""
    assert name not in CASES
    offsets = dict.fromkeys(offset if isinstance(offset, list) else [offset])
    where = '|'.join('-' if o is None else f'0x{o:x}' for o in offsets)
    CASES[name] = (data, f'{code} {where} {regex}', text)


def sample(version=10, bits=64, big=False, **options):
    """Two functions with all that the version has, names not compressed."""
    first = Function(b'main', [1, 4, 2], hash=0x11B458, address=0x1000)
    second = Function(b'twice', [4, 10], hash=0x46CA491458)
    if version >= 2:
        first.values = {INDIRECT: [[(0x1000, 3)], []]}
        second.values = {INDIRECT: [[]]}
    if version >= 4:
        first.values[MEMOP] = [[(8, 5), (9, 1)]]
    if version >= 6:
        options.setdefault('ids', [GNU_ID])
    if version >= 9:
        first.bitmap, second.bitmap = b'\x01\x02', b'\x03'
    if version >= 10:
        options.setdefault('vtables', [VTable(b'_ZTV1A', 0x3000, 16)])
        options.setdefault('vchunks', [Chunk([b'_ZTV1A'], deflate=False)])
    if version >= 11:
        first.uniform, second.uniform = [1, 2, 3], [4, 5]
    options.setdefault('functions', [first, second])
    options.setdefault('chunks', [Chunk([b'main', b'twice'], deflate=False)])
    return Image(version, bits, big, **{**places(bits), **options})


V10, V11 = build(sample()), build(sample(11))


# What is not a raw profile, or not one that we know.
bad('magic', b'\x81rfosql\xff' + V10.data[8:], 'format', [None, 0], '.',
    'no known magic')
bad('magic-cut', V10.data[:5], 'format|truncated', [None, 0], '.',
    'less than a magic')
bad('header-magic-only', V10.data[:8], 'truncated', [0, 8],
    '[Hh]eader|[Vv]ersion', 'the file ends behind the magic')
bad('header-cut', V10.data[:100], 'truncated', [0, 96, 100], '.',
    'the file ends inside the header')
bad('header-cut-v1', build(sample(1)).data[:52], 'truncated', [0, 48, 52], '.',
    'the file ends inside the header, v1')
UNKNOWN = 99                    # newer than any version there may be soon
for number in (0, UNKNOWN, (1 << 32) - 1):
    bad(f'version-{number}',
        V10.patched({'Version': number}).data, 'version', 8,
        f'[Vv]ersion.*{number}', f'version {number}')
bad('version-unknown-ir', V10.patched({'Version': UNKNOWN | IR}).data,
    'version', 8, f'[Vv]ersion.*{UNKNOWN}',
    f'version {UNKNOWN} with a variant bit')
bad('memprof-bit', V10.patched({'Version': 10 | MEMPROF}).data,
    'corrupt|unsupported|version', 8, 'MEMPROF|memprof|variant|bit',
    'variant bit 62, heap profile')
for number in (200, (1 << 64) - 1):
    bad(f'value-kind-last-{number}',
        V10.patched({'ValueKindLast': number}).data,
        'corrupt|limit|unsupported', V10.at['ValueKindLast'], 'ValueKindLast',
        f'ValueKindLast {number}')


# Sizes in the header: each field of each section past the end, and so large
# that the product or the sum wraps around to something small.
def header(name, built, field, value, code='truncated', text=None):
    bad(name, built.patched({field: value}).data, code, built.at[field],
        field, text or f'{field} {value:#x}')


WRAPS = {'NumData': 1 << 61, 'NumCounters': 1 << 61,
         'NumUniformCounters': 1 << 61, 'NumVTables': 1 << 61,
         'NamesSize': (1 << 64) - 1, 'VNamesSize': (1 << 64) - 3}
for field in HEADER[11].split():
    if 'Delta' not in field and field != 'ValueKindLast':
        header(f'wrap-{field}', V11, field, WRAPS.get(field, TOP))
        header(f'past-{field}', V11, field, 0x1000)
header('past-NumData-v1', build(sample(1)), 'NumData', 1 << 59)
header('wrap-NumCounters-v2', build(sample(2)), 'NumCounters', 1 << 61)
header('past-ValueDataSize', build(sample(2)), 'ValueDataSize', 0x1000)
header('wrap-NamesSize-v4', build(sample(4, 32, True)), 'NamesSize', TOP)
header('wrap-PaddingBytesBeforeCounters-v5', build(sample(5)),
       'PaddingBytesBeforeCounters', TOP)
header('past-BinaryIdsSize-v6', build(sample(6)), 'BinaryIdsSize', 0x1000)
bad('wrap-two', V10.patched({
    'PaddingBytesBeforeCounters': TOP, 'PaddingBytesAfterCounters': 8}).data,
    'truncated', V10.at['PaddingBytesBeforeCounters'],
    'PaddingBytesBeforeCounters', 'two paddings whose sum is 0 again')
for section, field in (('ids', 'BinaryIdsSize'), ('data', 'NumData'),
                       ('counters', 'NumCounters'),
                       ('bitmap', 'NumBitmapBytes'), ('names', 'NamesSize'),
                       ('vtables', 'NumVTables'), ('vnames', 'VNamesSize')):
    bad(f'cut-{section}', V10.data[:V10.at[section] + 2], 'truncated',
        V10.at[field], field, f'the file ends inside {section}')


# Binary ids.
def id_length(name, built, length, text, rest=0):
    at = built.at['ids']
    data = built.data[:at] + length.to_bytes(8, built.order) \
        + built.data[at + 8:]
    bad(name, data, 'corrupt|truncated',
        [at, at + 8, at + rest, built.at['BinaryIdsSize']],
        '[Bb]inary.?[Ii]d|build id', text)


header('ids-unaligned', V10, 'BinaryIdsSize', 31, 'corrupt')
id_length('ids-empty', V10, 0, 'a binary id of length 0')
id_length('ids-past', V10, 25, 'a binary id past the section')
id_length('ids-wrap', V10, (1 << 64) - 1, 'length 2^64-1')
v7 = build(sample(7))
id_length('ids-v7', v7, 24, 'fits neither padded nor unpadded, v7')
# Of 36 bytes the length and 24 bytes leave less than another length.
id_length('ids-v7-rest', build(sample(7, ids=[b'\x01' * 16, b'\x02' * 4])), 24,
          'less than a length is left, v7', 32)


# Records.
COUNTERS = 'CounterPtr|NumCounters|[Cc]ounter'


def record(name, built, i, changes, regex, text):
    """changes: fields of record i and the values to set.  Any field that the
    regex names may be the one to blame.
    """
    prefix = f'record{i}'
    at = [built.at[prefix]]
    at += [built.at[f'{prefix}.{f}'] for f in [*changes, *regex.split('|')]
           if f'{prefix}.{f}' in built.at]
    places = {f'{prefix}.{f}': v for f, v in changes.items()}
    bad(name, built.patched(places).data, 'corrupt', at, regex, text)


def field(built, name):
    at, width = built.at[name], built.widths[name]
    return int.from_bytes(built.data[at:at + width], built.order)


def moved(name, built, i, which, by, regex, text):
    """A pointer of record i points elsewhere."""
    value = field(built, f'record{i}.{which}') + by
    mask = (1 << 8 * built.widths[f'record{i}.{which}']) - 1
    record(name, built, i, {which: value & mask}, regex, text)


record('counters-none', V10, 1, {'NumCounters': 0}, 'NumCounters',
       'a record with no counters')
record('counters-none-v1', build(sample(1)), 0, {'NumCounters': 0},
       'NumCounters', 'a record with no counters, v1')
moved('counters-before', V10, 0, 'CounterPtr', -8, COUNTERS,
      'counters before the section')
moved('counters-behind', V10, 1, 'CounterPtr', 16, COUNTERS,
      'counters behind the section')
moved('counters-far', V10, 1, 'CounterPtr', 1 << 40, COUNTERS,
      'counters 2^40 bytes behind the section')
moved('counters-last', V10, 1, 'CounterPtr', 8, COUNTERS,
      'the last counter behind the section')
moved('counters-part', V10, 1, 'CounterPtr', 1, COUNTERS,
      'the last byte of the last counter behind the section')
record('counters-many', V10, 1, {'NumCounters': 3}, COUNTERS,
       'one counter more than there are')
record('counters-most', V10, 0, {'NumCounters': (1 << 32) - 1}, COUNTERS,
       '2^32-1 counters')
moved('counters-before-32be', build(sample(9, 32, True)), 0, 'CounterPtr', -8,
      COUNTERS, 'counters before the section, 32 bits, big-endian')
moved('counters-before-v4', build(sample(4)), 0, 'CounterPtr', -8,
      COUNTERS, 'counters before the section, v4')
moved('counters-behind-v7', v7, 1, 'CounterPtr', 1 << 20,
      COUNTERS, 'counters behind the section by both rules of v7')
moved('counters-windows', build(sample(
    windows=True, counters_at=0x140004000, data_at=0x140005000)), 1,
    'CounterPtr', 0x100, COUNTERS,
    'counters behind the section in 32 bits too, Windows')

BITMAP = 'BitmapPtr|NumBitmapBytes|[Bb]itmap'
moved('bitmap-before', V10, 0, 'BitmapPtr', -1, BITMAP,
      'bitmap before the section')
moved('bitmap-behind', V10, 1, 'BitmapPtr', 1, BITMAP,
      'bitmap behind the section')
record('bitmap-many', V10, 1, {'NumBitmapBytes': 2}, BITMAP,
       'one bitmap byte more than there are')
record('bitmap-most', V10, 0, {'NumBitmapBytes': (1 << 32) - 1}, BITMAP,
       '2^32-1 bitmap bytes')
no_bitmap = sample()
for f in no_bitmap.functions:
    f.bitmap = b''
record('bitmap-none', build(no_bitmap), 0, {'NumBitmapBytes': 1}, BITMAP,
       'a bitmap byte, but no section')

UNIFORM = 'UniformCounterPtr|NumCounters|[Uu]niform'
moved('uniform-before', V11, 0, 'UniformCounterPtr', -8, UNIFORM,
      'uniform counters before the section')
moved('uniform-behind', V11, 1, 'UniformCounterPtr', 16, UNIFORM,
      'uniform counters behind the section')
moved('uniform-last', V11, 1, 'UniformCounterPtr', 8, UNIFORM,
      'the last uniform counter behind the section')

stamp = build(Image(10, variants=IR | TEMPORAL | BYTE_COVERAGE,
                    functions=[Function(b'main', [0, 255], stamp=1)],
                    **places(64)))
record('stamp', stamp, 0, {'NumCounters': 7}, '[Ss]tamp|NumCounters',
       'too few counters for the time stamp')

NAME = 'NamePtr|NameSize|[Nn]ame'
old = build(sample(2))
for version, built in ((1, build(sample(1))), (2, old)):
    moved(f'name-before-v{version}', built, 0, 'NamePtr', -1, NAME,
          f'name before the section, v{version}')
record('name-behind-v1', build(sample(1)), 1, {'NameSize': 6}, NAME,
       'name ends behind the section, v1')
record('name-behind-v2', old, 0, {'NameSize': (1 << 32) - 1}, NAME,
       'NameSize 2^32-1, v2')
moved('name-far-v2', old, 1, 'NamePtr', 1 << 33, NAME,
      'NamePtr 2^33 bytes behind the section, v2')


# Names.
def names(name, chunk, code, regex, text, where='names', at=(0,)):
    image = sample(**{'chunks' if where == 'names' else 'vchunks': chunk})
    built = build(image)
    start = built.at[where]
    bad(name, built.data, code, [start + n for n in at], regex, text)


deflated = Chunk([b'main', b'twice']).bytes()
body = deflated[2:]
assert deflated[:2] == bytes([10, len(body)])
INFLATE = '[Ii]nflate|[Dd]eflate|zlib|compress'
names('names-uleb-cut', [Raw(b'\x80\x80')], 'corrupt|truncated',
      '[Nn]ame|ULEB|size', 'ends inside the size of a chunk', at=(0, 2))
names('names-uleb-cut-second', [Raw(b'\x0a\x80')], 'corrupt|truncated',
      '[Nn]ame|ULEB|size', 'ends inside the second size', at=(0, 1, 2))
names('names-uleb-one', [Raw(b'\x0a')], 'corrupt|truncated',
      '[Nn]ame|ULEB|size', 'ends behind the first size', at=(0, 1))
names('names-uleb-long', [Raw(b'\xff' * 9 + b'\x02\x00' + b'main')],
      'corrupt|truncated', '[Nn]ame|ULEB|size', 'a size of more than 64 bits')
names('names-past', [Raw(uleb(11) + b'\x00' + b'main\x01twice')],
      'corrupt|truncated', '[Nn]ame|chunk', 'chunk past the section',
      at=(0, 1, 2))
names('names-past-far', [Raw(uleb((1 << 64) - 1) + b'\x00main')],
      'corrupt|truncated|limit', '[Nn]ame|chunk',
      'chunk 2^64-1 bytes long', at=(0, 1, 10, 11))
names('names-zlib-past', [Raw(uleb(10) + uleb(len(body) + 1) + body)],
      'corrupt|truncated', '[Nn]ame|chunk', 'compressed chunk past the section',
      at=(0, 1, 2))
names('names-zlib-bad', [Raw(deflated[:2] + b'\x00' + deflated[3:])],
      'corrupt', INFLATE, 'not a zlib stream', at=(0, 2))
names('names-zlib-sum', [Raw(deflated[:-1] + b'\x00')], 'corrupt', INFLATE,
      'wrong checksum of the zlib stream', at=(0, 2))
names('names-zlib-cut', [Raw(uleb(10) + uleb(len(body) - 6) + body[:-6])],
      'corrupt|truncated', INFLATE, 'zlib stream cut', at=(0, 2))
names('names-size-large', [Raw(uleb(11) + deflated[1:])], 'corrupt',
      f'{INFLATE}|size', 'inflates to one byte less than said', at=(0, 2))
names('names-size-small', [Raw(uleb(9) + deflated[1:])], 'corrupt',
      f'{INFLATE}|size', 'inflates to one byte more than said', at=(0, 2))
names('names-bomb', [Raw(uleb(1 << 62) + deflated[1:])], 'limit|corrupt',
      f'{INFLATE}|size|limit', 'says it inflates to 2^62 bytes', at=(0, 2))
names('names-empty', [Raw(b'\x0b\x00main\x01\x01twice')], 'corrupt',
      '[Ee]mpty|[Nn]ame', 'an empty name between two', at=(0, 2, 7))
names('names-empty-last', [Raw(b'\x0b\x00main\x01twice\x01')], 'corrupt',
      '[Ee]mpty|[Nn]ame', 'an empty name at the end', at=(0, 2, 13))
names('names-empty-deflated', [Chunk([b'main', b'', b'twice'])], 'corrupt',
      '[Ee]mpty|[Nn]ame', 'an empty name, compressed', at=(0, 2))
names('names-second', [Chunk([b'main'], zeros=2), Raw(b'\x05\x00tw')],
      'corrupt|truncated', '[Nn]ame|chunk', 'the second chunk is cut',
      at=(0, 16, 17, 18))
names('vnames-empty', [Raw(b'\x03\x00a\x01\x01')], 'corrupt',
      '[Ee]mpty|[Nn]ame', 'an empty name of a vtable', where='vnames',
      at=(0, 2, 4, 5))
names('vnames-past', [Raw(b'\x09\x00abc')], 'corrupt|truncated',
      '[Nn]ame|chunk', 'chunk past the section of vtable names',
      where='vnames', at=(0, 1, 2))


# Value profile data.
def in_block(built):
    """Where the fields of the first block are."""
    return [at for name, at in built.at.items() if name.startswith('block0.')]


def values(name, changes, code, regex, text, built=V10):
    places = {f'block0.{f}': v for f, v in changes.items()}
    bad(name, built.patched(places).data, code, in_block(built), regex, text)


first, second = V10.at['block0.TotalSize'], V10.at['block1.TotalSize']
total = second - first
bad('values-cut-header', V10.data[:first + 4], 'truncated',
    [first, first + 4], '[Vv]alue|TotalSize', 'ends inside a block header')
bad('values-cut', V10.data[:second - 8], 'truncated', [first, second - 8],
    '[Vv]alue|TotalSize', 'ends inside a block')
bad('values-cut-second', V10.data[:second], 'truncated', second,
    '[Vv]alue|TotalSize', 'the second of two blocks is missing')
values('values-past', {'TotalSize': 0x10000}, 'truncated|corrupt', 'TotalSize',
       'TotalSize past the end of the file')
values('values-unaligned', {'TotalSize': total + 4}, 'corrupt', 'TotalSize',
       'TotalSize not a multiple of 8')
for size in (0, 4):
    values(f'values-size-{size}', {'TotalSize': size}, 'corrupt|truncated',
           'TotalSize', f'TotalSize {size}')
values('values-size-8', {'TotalSize': 8}, 'corrupt|truncated',
       'TotalSize|[Vv]alue|Kind|NumValueSites', 'TotalSize is the header only')
values('values-short', {'TotalSize': total - 8}, 'corrupt|truncated',
       'TotalSize|[Vv]alue|Kind|SiteCount|past|left',
       'a record runs past TotalSize')
values('values-long', {'TotalSize': total + 8}, 'corrupt',
       'TotalSize|[Vv]alue|fill|left', 'the records do not fill TotalSize')
values('values-kinds-4', {'NumValueKinds': 4}, 'corrupt',
       'NumValueKinds|[Vv]alue|Kind', 'more kinds than there are')
values('values-kinds-1', {'NumValueKinds': 1}, 'corrupt',
       'NumValueKinds|TotalSize|[Vv]alue|fill|NumValueSites',
       'one kind less than the records of the block')
values('values-kinds-most', {'NumValueKinds': (1 << 32) - 1}, 'corrupt',
       'NumValueKinds|[Vv]alue|Kind', '2^32-1 kinds')
values('values-kind-3', {'1.Kind': 3}, 'corrupt|unsupported', '[Kk]ind',
       'kind 3 where ValueKindLast is 2')
values('values-kind-most', {'0.Kind': (1 << 32) - 1}, 'corrupt|unsupported',
       '[Kk]ind', 'kind 2^32-1')
values('values-kind-twice', {'1.Kind': 0}, 'corrupt', '[Kk]ind|NumValueSites',
       'one kind twice')
values('values-kind-other', {'1.Kind': 2}, 'corrupt', '[Kk]ind|NumValueSites',
       'sites of another kind than the data record has')
values('values-sites-most', {'0.NumValueSites': (1 << 32) - 1},
       'corrupt|truncated', 'NumValueSites|[Vv]alue', '2^32-1 sites')
values('values-sites-none', {'0.NumValueSites': 0}, 'corrupt|truncated',
       'NumValueSites|[Vv]alue|Kind', 'a kind with no sites')
values('values-count-255', {'1.SiteCount0': 255}, 'corrupt|truncated',
       '[Vv]alue|SiteCount|[Ss]ite', 'values of a site past TotalSize')
fewer = V10.patched({'record0.NumValueSites0': 1})
bad('values-sites-fewer', fewer.data, 'corrupt',
    in_block(V10) + [V10.at['record0'], V10.at['record0.NumValueSites0']],
    'NumValueSites|[Vv]alue|[Ss]ites',
    'the data record has one site, the block two')
more = V10.patched({'record0.NumValueSites2': 1})
bad('values-sites-more', more.data, 'corrupt',
    in_block(V10) + [V10.at['record0'], V10.at['record0.NumValueSites2']],
    'NumValueSites|[Vv]alue|[Ss]ites',
    'the data record has a site of a kind that is not in the block')
v4 = build(sample(4, 32, True))
values('values-kind-v4', {'1.Kind': 2}, 'corrupt|unsupported', '[Kk]ind',
       'kind 2 in v4, big-endian', built=v4)


# More than a file of this size may make of itself.
def claims(name, built, regex, text):
    bad(name, built.data, 'limit', built.at['data'], regex, text)


def pointing(built, i, pointer, size, number):
    """Record i points at the first bytes of a section, so many of them."""
    step = i * (built.at['record1'] - built.at['record0'])
    first = field(built, f'record0.{pointer}')
    if pointer != 'NamePtr':    # relative to the record
        first -= step
    mask = (1 << 8 * built.widths[f'record0.{pointer}']) - 1
    return {f'record{i}.{pointer}': first & mask, f'record{i}.{size}': number}


def shared(image, pointer, size, number):
    """All records point where the first does."""
    built, changes = build(image), {}
    for i in range(len(image.functions)):
        changes |= pointing(built, i, pointer, size, number)
    return built.patched(changes)


many = [Function(b'f%02d' % i, [1]) for i in range(20)]
long = Function(b'long' * 250, [1], bitmap=bytes(1000))
claims('claims-counters', build(Image(
    10, variants=IR | BYTE_COVERAGE, functions=[
        Function(f.name, [255] * 1000, at=0) for f in many], **places(64))),
    'claim.*counters', '20 records with the same 1000 counters')
claims('claims-bitmap', shared(Image(
    10, functions=[long, *many], **places(64)), 'BitmapPtr',
    'NumBitmapBytes', 1000), 'claim.*bitmap',
    '21 records with the same 1000 bitmap bytes')
claims('claims-names', build(Image(
    10, functions=[Function(long.name, [1], hash=i) for i in range(20)],
    **places(64))), 'claim.*names', '20 records with the same 1000-byte name')
claims('claims-names-v2', shared(Image(
    2, functions=[Function(long.name, [1]), *many], **places(64)), 'NamePtr',
    'NameSize', 1000), 'claim.*names',
    '21 records with the same 1000-byte name, v2')
claims('claims-sites', build(sample(value_data=False)).patched(
    {'record0.NumValueSites1': 65535}), 'claim.*sites',
    '65535 value sites without value data')
names('names-many', [Chunk([b'a'] * 600000)], 'limit', '600000 names',
      'a chunk of 1 KB with 600000 names')


# What follows a whole image.
end = len(V10.data)
assert end % 8 == 0
bad('next-cut', V10.data + V10.data[:16], 'truncated', [end, end + 16], '.',
    'the second image ends inside its header')
bad('next-rest', V10.data + b'\x01\x02\x03\x04\x05',
    'corrupt|truncated|format', end, '.', 'garbage, shorter than a header')
bad('next-garbage', V10.data + bytes(16) + b'\x55' * 200,
    'corrupt|mismatch|format', end + 16, '.', 'garbage behind zeros')
bad('next-unaligned', V10.data + bytes(4) + V10.data, 'corrupt', end + 4,
    'align|multiple|8', 'the second image is not aligned')
for name, image, text in (
        ('next-endian', sample(big=True), 'the other byte order'),
        ('next-bits', sample(bits=32), 'the other pointer size')):
    bad(name, V10.data + build(image).data, 'corrupt|mismatch|format', end,
        '.', f'the second image has {text}')
bad('next-version', V10.data + V10.patched({'Version': 99}).data, 'version',
    end + 8, '[Vv]ersion.*99', 'the second image has version 99')
bad('next-NumCounters', V10.data + V10.patched({'NumCounters': 1 << 40}).data,
    'truncated', end + V10.at['NumCounters'], 'NumCounters',
    'NumCounters of the second image past the end')
record_two = V10.patched({'record1.NumCounters': 0})
bad('next-record', V10.data + record_two.data, 'corrupt',
    [end + V10.at['record1.NumCounters'], end + V10.at['record1']],
    'NumCounters', 'a record of the second image has no counters')


def main():
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'bad')
    shutil.rmtree(folder, ignore_errors=True)
    for name, (data, error, _) in CASES.items():
        os.makedirs(os.path.join(folder, name))
        with open(os.path.join(folder, name, 'input'), 'wb') as f:
            f.write(data)
        with open(os.path.join(folder, name, 'error'), 'w') as f:
            f.write(error + '\n')
    width = max(map(len, CASES))
    with open(os.path.join(folder, 'README'), 'w') as f:
        f.write('Damaged raw profiles, made by ../mkbad.py (which says what'
                ' the error files mean).\n\n')
        f.writelines(f'{name:{width}}  {text}\n'
                     for name, (_, _, text) in CASES.items())


if __name__ == '__main__':
    main()
