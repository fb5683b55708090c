"""LPRF of both versions, from lprf(5); this file has version 1."""
import lprf2
from common import Bad, Bytes, identity, named, numbers, require


def read(data, source):
    b = Bytes(data, 4)
    version = b.u32()
    if data[:4] != b'LPRF' or version not in (1, 2):
        raise Bad('magic or version')
    if version == 2:
        yield from lprf2.read(data, source)
        return
    b.end = b.u64()
    require(24 <= b.end <= len(data) and b.end % 8 == 0, 'IndexEnd')
    b.u64()
    yield {'record': 'profile', 'stream': 1, 'kind': 'instr', 'source': {
        **source, 'format': 'lprf', 'version': 1, 'endian': 'little'}}
    while b.at < b.end and (size := b.u32()) != 0:
        name, counters = b.take(size), Bytes(data, b.u64())
        hash_, count = counters.u64(), counters.u64()
        require(count, 'a function without counters')
        yield {'record': 'function', **named('name', name),
               'hash': identity(hash_),
               'counts': numbers(counters.u64s(count))}
    yield {'record': 'end', 'last': True}
