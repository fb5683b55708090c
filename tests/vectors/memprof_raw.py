"""Raw heap profiles, from memprof(5)."""
from common import Bad, Bytes, identity, numbers, require
from heap import FIELDS, info_json, read_info

MAGICS = {bytes.fromhex('8172666f72706dff'): '<',
          bytes.fromhex('ff6d70726f667281'): '>'}
HISTOGRAM = {4: 8, 5: 2}


def segments_of(b, version):
    for number in range(b.u64()):
        row = {'record': 'segment', 'id': number, 'start': identity(b.u64()),
               'end': identity(b.u64()), 'offset': identity(b.u64())}
        size = b.u64() if version >= 3 else 0
        require(size <= 32, 'BuildIdSize')
        build_id = b.take(32)
        if version < 3:
            row['file_addresses'] = True
        elif size:
            row['build_id'] = build_id[:size].hex()
        yield row


def histogram_entry(b, version):
    if HISTOGRAM[version] == 8:
        return b.u64()
    packed = b.u16()
    return (packed & 0xfff) << (packed >> 12)


def allocations_of(b, version):
    fields = [f for f in range(1, len(FIELDS)) if FIELDS[f][2] <= version]
    left_out = ('MaxAccessCount', 'MaxSize') if version == 1 else ()
    for _ in range(b.u64()):
        stack, info = b.u64(), read_info(b, fields)
        row = info_json(info, left_out)
        entries = [histogram_entry(b, version)
                   for _ in range(info.get('AccessHistogramSize', 0))]
        if entries:
            row['access_histogram'] = numbers(entries)
        yield {'record': 'allocation', 'stack': identity(stack), 'info': row}


def stacks_of(b):
    for _ in range(b.u64()):
        stack, count = b.u64(), b.u64()
        yield {'record': 'stack', 'id': identity(stack),
               'pcs': [identity(pc) for pc in b.u64s(count)]}


def read(data, source):
    """A file of one dump."""
    order = MAGICS.get(data[:8])
    if order is None:
        raise Bad('magic')
    head = Bytes(data, 8, order)
    version, size = head.u64(), head.u64()
    places = [head.u64() for _ in range(3)]
    if not 1 <= version <= 5 or size != len(data):
        raise Bad('version or size')
    yield {'record': 'profile', 'stream': 1, 'kind': 'memprof', 'source': {
        **source, 'format': 'memprof-raw', 'version': version,
        'endian': 'little' if order == '<' else 'big', 'pointer_bits': 64}}
    segments, blocks, stacks = (Bytes(data, at, order) for at in places)
    yield from segments_of(segments, version)
    rows = list(stacks_of(stacks))
    known = {row['id']: row for row in rows}
    require(all(known[row['id']] == row for row in rows), 'two stacks of one id')
    yield from rows
    for row in allocations_of(blocks, version):
        require(row['stack'] in known, 'a block without a stack')
        yield row
    yield {'record': 'end', 'last': True}
