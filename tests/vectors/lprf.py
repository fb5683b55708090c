"""LPRF version 2, from lprf(5)."""
import json
import shutil
import struct
import subprocess

from common import KINDS, Bytes, identity, named, numbers, require, symbol

HEAD, GUIDS, NAMES, TAIL, INDEX, LATER = 1, 2, 3, 4, 5, 128
SECTION_MAX = 1 << 20
MEMORY_FREE, MEMORY_RATIO = 1 << 25, 100
ZSTD = shutil.which('zstd')


def crc_table():
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82f63b78 if byte & 1 else 0)
        yield byte


CRC = list(crc_table())


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ CRC[(crc ^ byte) & 255]
    return crc ^ 0xffffffff


def inflate(stored, size):
    if len(stored) == size:
        return stored
    require(len(stored) < size <= SECTION_MAX, 'a section of that size')
    done = subprocess.run([ZSTD, '-dcq'], input=stored, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    require(done.returncode == 0 and len(done.stdout) == size,
            'a section that does not inflate to its size')
    return done.stdout


def text(b):
    return b.take(b.uleb())


class Block:
    """The block at a place, with its sections."""

    def __init__(self, data, at, end):
        b = Bytes(data, at, end=end)
        self.at, crc = at, b.u32()
        self.kind, self.level = b.u8(), b.u8()
        b.u16()
        self.size = b.u32()
        sizes = [(b.u32(), b.u32()) for _ in range(5)]
        stored = [b.take(kept) for _, kept in sizes]
        require(crc == crc32c(data[at + 4:b.at]), f'checksum of block {at}')
        self.end = b.at
        if self.kind >= LATER:
            return
        require(0 < self.kind <= INDEX and self.size, f'block {at}')
        self.memory = sum(size for size, _ in sizes)
        self.n, self.h, self.c, self.t, self.m = self.sections = tuple(
            Bytes(inflate(bytes_, size))
            for bytes_, (size, _) in zip(stored, sizes))

    def done(self):
        for section in self.sections:
            require(section.at == section.end, f'bytes left in block {self.at}')


def records(block):
    """Lines of the stream in a HEAD or TAIL block."""
    lines = block.n.take(block.n.end).split(b'\n')
    require(lines.pop() == b'' and len(lines) == block.size, 'lines')
    block.done()
    for line in lines:
        yield json.loads(line)


def suffixed(b, before):
    """A name without the start that it shares with the one before it."""
    shared = b.uleb()
    require(shared <= len(before), 'a name shares more than there is')
    rest = text(b)
    require(shared == len(before) or before[shared:shared + 1] != rest[:1],
            'a name shares more than it says')
    return before[:shared] + rest


def keys_of(block):
    """Guids, or names, of the functions of a block."""
    if block.kind == GUIDS:
        return [block.n.u64() for _ in range(block.size)]
    names, bytes_ = [], 0
    for i in range(block.size):
        names.append(suffixed(block.n, names[-1] if names else b''))
        bytes_ += len(names[-1]) if i else 0
        require(bytes_ <= SECTION_MAX, 'names of a block')
    return names


def targets_of(block):
    out = []
    while block.t.at < block.t.end:
        out.append(text(block.t))
        require(out[-1] and out[-2:-1] < out[-1:], 'order of targets')
    return out


def sites(m, kind, targets):
    out = []
    for _ in range(m.uleb()):
        site = []
        for _ in range(m.uleb()):
            count, number = numbers([m.uleb()])[0], m.uleb()
            if kind == 1:
                value = {'size': numbers([number])[0]}
            else:
                require(number <= len(targets), 'a target of the block')
                name = targets[number - 1] if number else None
                value = symbol(name, 0 if name else m.u64(), 'target',
                               'target_guid')
            site.append({**value, 'count': count})
        out.append(site)
    return out


def members(m, row, targets):
    """Adds the members of a function whose bits are next."""
    bits = m.uleb()
    require(bits and bits < 1 << 6, 'bits of members')
    for kind, key in enumerate(KINDS):
        if bits >> kind & 1:
            row.setdefault('values', {})[key] = sites(m, kind,
                                                          targets)
    if bits >> 3 & 1:
        row['bitmap'] = text(m).hex()
    if bits >> 4 & 1:
        row['uniform_counts'] = numbers([m.uleb() for _ in range(m.uleb())])
    if bits >> 5 & 1:
        row.update(json.loads(b'{' + text(m) + b'}'))


def memory_of(block, keys, sizes, rows):
    """What the functions of a block take beside its sections."""
    sites_ = [site for row in rows for of_kind in
              row.get('values', {}).values() for site in of_kind]
    uniform = sum(len(row.get('uniform_counts', ())) for row in rows)
    names = sum(len(key) for before, key in zip([None] + keys, keys)
                if key != before) if block.kind == NAMES else 0
    return (64 * len(rows) + 8 * (sum(sizes) + uniform) + names +
            24 * len(sites_) + 32 * sum(len(site) for site in sites_))


def functions(block):
    """Each function of a block, as its key and its record."""
    h, c, m, keys = block.h, block.c, block.m, keys_of(block)
    sizes = [h.uleb() for _ in keys]
    hashes = [h.u64() for _ in keys]
    nibbles = c.take((len(keys) + 1) // 2)
    widths = [nibbles[i // 2] >> i % 2 * 4 & 15 for i in range(len(keys))]
    require(set(widths) <= {0, 1, 2, 4, 8}, 'width of counters')
    require(sum(s for s, w in zip(sizes, widths) if not w) <= SECTION_MAX,
            'counters that are 0')
    rows = []
    for key, size, hash_, width in zip(keys, sizes, hashes, widths):
        require(size * width <= c.end - c.at, 'counters')
        counts = [int.from_bytes(c.take(width), 'little')
                  for _ in range(size)]
        who = named('name', key) if block.kind == NAMES else {
            'guid': identity(key)}
        rows.append({'record': 'function', **who, 'hash': identity(hash_),
                     'counts': numbers(counts)})
    targets, at = targets_of(block), 0
    while m.at < m.end:
        at += m.uleb()
        require(at < len(rows), 'members of no function')
        members(m, rows[at], targets)
        at += 1
    block.done()
    block.memory += memory_of(block, keys, sizes, rows)
    return list(zip(keys, hashes, rows))


def entries(block):
    """Kind, offset and separator of each block that an INDEX block lists."""
    out, at, name = [], 0, b''
    for _ in range(block.size):
        kind = block.n.u8()
        at += block.n.uleb()
        separator = block.n.u64() if kind == GUIDS else None
        if kind == NAMES:
            separator = name = suffixed(block.n, name)
        out.append((kind, at, separator))
    block.done()
    return out


def check_index(block, open_, first, last):
    """An INDEX block lists what is open below it."""
    below = [b for b in open_ if (b.level if b.kind == INDEX else -1) ==
             block.level - 1]
    listed = entries(block)
    block.entries = listed
    require([b.at for b in below] == [at for _, at, _ in listed], 'index')
    for b, (kind, _, separator) in zip(below, listed):
        if b.kind == INDEX:
            require((kind, separator) == b.entries[0][::2], 'index of index')
        else:
            require(kind == b.kind, 'kind in the index')
            require(separator is None or (
                separator <= first[b.at] and
                (last.get(b.at) is None or last[b.at] < separator)),
                    'separator')
    return [b for b in open_ if b not in below] + [block]


def take_memory(before, block):
    """The memory of the blocks up to this one, which has a limit."""
    memory = before + block.memory
    require(memory <= MEMORY_FREE + MEMORY_RATIO * block.end, 'memory')
    return memory


def trailer(data):
    tail = data[-40:]
    require(len(data) >= 56 and tail[32:] == b'LPRF2END', 'cut')
    require(crc32c(tail[:28]) == struct.unpack('<I', tail[28:32])[0],
            'checksum of the trailer')
    return struct.unpack('<QQQ', tail[:24])


def read(data, source):
    magic, version, features, crc = struct.unpack('<4sIII', data[:16])
    require(magic == b'LPRF' and version == 2 and features == 0 and
            crc == crc32c(data[:12]), 'header')
    root, tail, count = trailer(data)
    at, end, kind, before, open_ = 16, len(data) - 40, 0, None, []
    first, last, first_tail, found, began = {}, {}, 0, 0, False
    memory = 0
    while at < end:
        block = Block(data, at, end)
        at = block.end
        if block.kind >= LATER:
            continue
        if block.kind == INDEX:
            open_ = check_index(block, open_, first, last)
            memory = take_memory(memory, block)
            continue
        require(block.kind >= kind, 'blocks out of order')
        if block.kind != kind:
            before = None
        kind = block.kind
        open_.append(block)
        if kind == TAIL:
            first_tail = first_tail or block.at
        if kind in (HEAD, TAIL):
            memory = take_memory(memory, block)
            for row in records(block):
                require((row['record'] == 'profile') == (not began),
                        'the record of the profile')
                if not began:
                    row['source'] = {**source, 'format': 'lprf', 'version': 2,
                                     'endian': 'little'}
                began = True
                require(row['record'] not in ('function', 'raw_counters',
                                              'end'), 'a kind of record')
                yield row
            continue
        require(began, 'functions before the profile')
        rows = functions(block)
        memory = take_memory(memory, block)
        first[block.at], last[block.at] = rows[0][0], before and before[0]
        require(before is None or before[0] < rows[0][0], 'a name in two blocks')
        for key, hash_, row in rows:
            require(before is None or before < (key, hash_), 'order')
            before = key, hash_
            found += 1
            yield row
    require([b.at for b in open_] == [root] and open_[0].kind == INDEX, 'root')
    require((tail, count) == (first_tail, found), 'trailer')
    yield {'record': 'end', 'last': True}
