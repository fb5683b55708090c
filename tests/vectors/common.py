"""What the readers of all formats share: bytes at places, guids, hashes."""
import hashlib
import struct
import zlib

U64 = (1 << 64) - 1


class Bad(Exception):
    """A profile that a reader has to refuse."""


def require(condition, reason):
    if not condition:
        raise Bad(reason)


class Bytes:
    """Unsigned numbers at a place of some bytes, one after the other."""

    def __init__(self, data, at=0, order='<', end=None):
        self.data, self.at, self.order = data, at, order
        self.end = len(data) if end is None else end

    def take(self, size):
        if size > self.end - self.at:
            raise Bad(f'{size} bytes at {self.at} exceed {self.end}')
        self.at += size
        return self.data[self.at - size:self.at]

    def one(self, code):
        return struct.unpack(
            self.order + code, self.take(struct.calcsize('<' + code)))[0]

    def u8(self):
        return self.one('B')

    def u16(self):
        return self.one('H')

    def u32(self):
        return self.one('I')

    def u64(self):
        return self.one('Q')

    def u64s(self, count):
        if count > (self.end - self.at) // 8:
            raise Bad(f'{count} numbers at {self.at} exceed {self.end}')
        return [self.u64() for _ in range(count)]

    def uleb(self):
        number = shift = 0
        while True:
            byte = self.u8()
            number |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return number

    def pad8(self, start=0):
        self.take((start - self.at) % 8)


def guid(name):
    return int.from_bytes(hashlib.md5(name).digest()[:8], 'little')


def identity(number):
    return f'0x{number:016x}'


def number(value):
    return value if value <= (1 << 53) - 1 else str(value)


def numbers(values):
    return [number(value) for value in values]


def named(key, name):
    """A member for a name, by the rules of the stream."""
    try:
        text = name.decode()
        if '\0' not in text:
            return {key: text}
    except UnicodeDecodeError:
        pass
    return {key + '_hex': name.hex()}


def symbol(name, guid_of_it, key='name', guid_key='guid'):
    return {guid_key: identity(guid_of_it)} if name is None else named(
        key, name)


def listed(name, guid_of_it):
    """A name in a list."""
    row = symbol(name, guid_of_it)
    return row.get('name', row)


def names_of(section):
    """Names in chunks, profraw(5)."""
    b, names = Bytes(section), []
    while b.at < b.end:
        if section[b.at] == 0:
            b.at += 1
            continue
        size, packed = b.uleb(), b.uleb()
        try:
            raw = zlib.decompress(b.take(packed)) if packed else b.take(size)
        except zlib.error as error:
            raise Bad('names that do not inflate') from error
        require(len(raw) == size, 'names of another size')
        names += raw.split(b'\x01')
    return names


KINDS = ['indirect_call_target', 'mem_op_size', 'vtable_target']


def value_block(b):
    """A block of value data as [kind][site][(value, count)], or None of a
    kind that has no sites."""
    start = b.at
    size, parts = b.u32(), b.u32()
    kinds = [None] * 3
    for _ in range(parts):
        part = b.at
        kind, sites = b.u32(), b.u32()
        require(kind <= 2 and sites, 'a kind of values')
        counts = b.take(sites)
        b.pad8(part)
        kinds[kind] = [[(b.u64(), b.u64()) for _ in range(n)] for n in counts]
    if b.at - start != size:
        raise Bad('a block that its parts do not fill')
    return kinds


def values_json(kinds, name_of):
    """Value sites, where name_of(kind, value) is (name or None, guid)."""
    out = {}
    for kind, sites in enumerate(kinds):
        if not sites:
            continue
        out[KINDS[kind]] = [[
            {'size': number(v), 'count': number(n)} if kind == 1 else
            {**symbol(*name_of(kind, v), 'target', 'target_guid'),
             'count': number(n)} for v, n in site] for site in sites]
    return {'values': out} if out else {}


# Which rule of front-end hashes: those of the indexed version, profdata(5).
def frontend_of_raw(version, has_bitmaps):
    if version <= 3:
        return [1, 4]
    if version == 9 and has_bitmaps:
        return [11, 11]
    return {4: [1, 5], 5: [5, 7], 10: [12, 13], 11: [13, 13]}.get(
        version, [7, 12])


FLAGS = {57: 'context_sensitive', 58: 'entry_first', 55: 'loop_entries',
         60: 'byte_coverage', 61: 'function_entry_only', 63: 'temporal',
         59: 'debug_info_correlated'}


def head(kind, version_word, level=True):
    row = {'record': 'profile', 'stream': 1, 'kind': kind}
    if level:
        row['level'] = 'ir' if version_word >> 56 & 1 else 'frontend'
    for bit, key in FLAGS.items():
        if version_word >> bit & 1:
            row[key] = True
    return row
