"""Images that the programs only read: raw profiles before version 4, raw heap
profiles before version 3, and counters whose functions only the binary knows.
Written from profraw(5) and memprof(5) alone."""
import hashlib
import struct

RAW_MAGIC = {64: 0xff6c70726f667281, 32: 0xff6c70726f665281}
NAMES = [b'main', b'a.c:local', b'_ZN5Shape4areaEv']
HASHES = [0x0a4d0ad3efffffff, 0x18, 7]
COUNTS = [[1, 10, 0], [9], [1 << 40, 0]]
GUIDS = [int.from_bytes(hashlib.md5(name).digest()[:8], 'little')
         for name in NAMES]
ADDRESSES = [0x1000, 0x1100, 0x1200]
COUNTERS_AT, NAMES_AT = 0x4000, 0x6000
BUILD_ID = bytes(range(1, 21))


def pad8(size):
    return bytes(-size % 8)


def value_data(order):
    """A block of two sites of calls in main, and none in the others."""
    values = [(ADDRESSES[1], 7), (0xe00, 2)]
    part = struct.pack(order + 'II', 0, 2) + bytes([2, 0])
    part += pad8(len(part))
    part += b''.join(struct.pack(order + 'QQ', *v) for v in values)
    return struct.pack(order + 'II', 8 + len(part), 1) + part


def raw_records(version, bits, order, name_places):
    """Data records of versions 1 to 3, padded to a multiple of 8."""
    ptr = 'Q' if bits == 64 else 'I'
    data = b''
    place = COUNTERS_AT
    for i, counts in enumerate(COUNTS):
        sites = 2 if i == 0 else 0
        if version == 3:
            record = struct.pack(
                order + 'QQ' + 3 * ptr + 'IHH', GUIDS[i], HASHES[i], place,
                ADDRESSES[i], 0, len(counts), sites, 0)
        else:
            record = struct.pack(
                order + 'IIQ' + 2 * ptr, len(NAMES[i]), len(counts),
                HASHES[i], name_places[i], place)
            if version == 2:
                record += struct.pack(order + 2 * ptr + 'H', ADDRESSES[i], 0,
                                      sites)
        data += record + pad8(len(record))
        place += 8 * len(counts)
    return data


def raw_image(version, bits, order):
    names = b'\x01'.join(NAMES) if version == 3 else b''.join(NAMES)
    places = [NAMES_AT + names.index(name) for name in NAMES]
    if version == 3:
        names = bytes([len(names), 0]) + names
    counts = [n for row in COUNTS for n in row]
    values = b'' if version == 1 else value_data(order)
    header = [RAW_MAGIC[bits], version, len(NAMES), len(counts), len(names),
              COUNTERS_AT, NAMES_AT]
    if version > 1:
        header += [1 if version == 3 else 0, len(values), 0]
    image = struct.pack(f'{order}{len(header)}Q', *header)
    image += raw_records(version, bits, order, places)
    image += struct.pack(f'{order}{len(counts)}Q', *counts) + names
    tail = bytes(8 - len(names) % 8) if version == 1 else pad8(len(names))
    return image + tail + values


def correlated_image(order):
    """Version 10 without data and names: the binary has them."""
    ids = struct.pack(order + 'Q', len(BUILD_ID)) + BUILD_ID
    ids += pad8(len(BUILD_ID))
    counts, bitmap = [6, 7, 10], b'\x0a\x00\xff'
    header = [RAW_MAGIC[64], 10 | 1 << 56, len(ids), 0, 0, len(counts), 0,
              len(bitmap), 5, 0, 0xfffffffffffff000, 0xfffffffffffff800, 0, 0,
              0, 2]
    return struct.pack(order + '16Q', *header) + ids + struct.pack(
        order + '3Q', *counts) + bitmap + bytes(5)


BLOCK = [3, 40, 4, 20, 96, 24, 40, 5, 9, 12, 1, 7, 2, 3, 1, 1, 2, 0, 0]
DENSITIES = [125, 16, 50, 9000, 2285, 4000]


def heap_image(version, order):
    """Raw heap profiles of versions 1 and 2: one stack, and its block."""
    segment = struct.pack(order + '3Q', 0x555500001000, 0x555500009000,
                          0x1000) + bytes(32)
    block = struct.pack(order + 'I4Q4IQ8IQ', *BLOCK)
    if version == 2:
        block += struct.pack(order + 'Q2IQ2I', *DENSITIES)
    stack = [1, 3, 0x555500001234, 0x555500002345, 0x555500003456]
    sections = [struct.pack(order + 'Q', 1) + segment,
                struct.pack(order + 'QQ', 1, 1) + block,
                struct.pack(order + '6Q', 1, *stack)]
    sections = [s + pad8(len(s)) for s in sections]
    offsets = [48]
    for section in sections:
        offsets.append(offsets[-1] + len(section))
    return struct.pack(order + '6Q', 0xff6d70726f667281, version, offsets[3],
                       *offsets[:3]) + b''.join(sections)
