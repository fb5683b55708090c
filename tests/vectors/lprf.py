"""LPRF version 1, from lprf(5)."""
from common import Bad, Bytes, identity, named, numbers


def read(data, source):
    b = Bytes(data, 4)
    if data[:4] != b'LPRF' or b.u32() != 1:
        raise Bad('magic or version')
    b.end = b.u64()
    b.u64()
    yield {'record': 'profile', 'stream': 1, 'kind': 'instr', 'source': {
        **source, 'format': 'lprf', 'version': 1, 'endian': 'little'}}
    while b.at < b.end and (size := b.u32()) != 0:
        name, counters = b.take(size), Bytes(data, b.u64())
        yield {'record': 'function', **named('name', name),
               'hash': identity(counters.u64()),
               'counts': numbers(counters.u64s(counters.u64()))}
    yield {'record': 'end', 'last': True}
