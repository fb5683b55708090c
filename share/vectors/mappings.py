"""Coverage mappings of all versions in ELF files, written from coverage(5)
alone: the function least of sources/coverage.c as clang 22 maps it, without the
kinds of regions that a version does not have, and the unused function."""
import hashlib
import struct
import zlib

FOLDER, FILE = b'/src', b'a.c'
NAMES = [b'least', b'a.c:unused']
HASHES = [0x028e71c49835b458, 0]
NAMES_AT = 0x2000
GAP = 1 << 31
ZERO, SKIPPED, BRANCH, DECISION, CONDITION = 0, 2 << 3, 4 << 3, 5 << 3, 6 << 3


def counter(number):
    return [number << 2 | 1]


def subtract(number):
    return [number << 2 | 2]


def expand(file):
    return [file << 3 | 4]


# For each file of least: the version since which a region is there, its head,
# and the lines and columns of its start and end.
LEAST = [[
    (1, counter(0), 3, 25, 8, 2),
    (1, [SKIPPED], 4, 1, 4, 36),
    (1, counter(0), 5, 6, 5, 11),
    (1, counter(0), 5, 6, 5, 20),
    (7, [DECISION, 3, 2], 5, 6, 5, 20),
    (7, [CONDITION] + counter(2) + subtract(0) + [1, 2, 0], 5, 6, 5, 11),
    (3, counter(2), 5, 11, 5, 15 | GAP),
    (1, counter(2), 5, 15, 5, 20),
    (7, [CONDITION] + counter(3) + subtract(1) + [2, 0, 0], 5, 15, 5, 20),
    (3, counter(1), 5, 21, 6, 3 | GAP),
    (1, counter(1), 6, 3, 6, 14),
    (1, expand(1), 6, 10, 6, 14),
    (3, subtract(3), 6, 20, 7, 2 | GAP),
    (1, subtract(3), 7, 2, 7, 10),
], [
    (1, counter(1), 1, 20, 1, 43),
    (1, counter(1), 1, 21, 1, 30),
    (5, [BRANCH] + counter(4) + subtract(5), 1, 21, 1, 30),
    (1, counter(4), 1, 33, 1, 36),
    (1, subtract(5), 1, 39, 1, 42),
]]
EXPRESSIONS = [counter(0) + counter(2), counter(2) + counter(3),
               counter(0) + counter(1), counter(0) + counter(1),
               counter(1) + counter(4), counter(1) + counter(4)]
UNUSED = [[(1, [ZERO], 2, 32, 2, 45)]]


def uleb(number):
    out = b''
    while number > 0x7f:
        out += bytes([number & 0x7f | 0x80])
        number >>= 7
    return out + bytes([number])


def ulebs(numbers):
    return b''.join(uleb(number) for number in numbers)


def mapping(version, files, expressions):
    # The folder of the compiler is file 0 of a table since version 6.
    out = ulebs([len(files)] + [version >= 6] * len(files))
    out += ulebs([len(expressions)] + sum(expressions, []))
    for regions in files:
        rows = [row[1:] for row in regions if row[0] <= version]
        out += uleb(len(rows))
        before = 0
        for head, line, column, last, end in rows:
            out += ulebs(head + [line - before, column, last - line, end])
            before = line
    return out


def padded(data):
    return data + bytes(-len(data) % 8)


def guid(data):
    return int.from_bytes(hashlib.md5(data).digest()[:8], 'little')


def table_of(version):
    names = [FOLDER, FILE] if version >= 6 else [FOLDER + b'/' + FILE]
    text = b''.join(uleb(len(name)) + name for name in names)
    if version < 4:
        return uleb(len(names)) + text
    # Both forms: the even versions are compressed.
    packed = zlib.compress(text) if version % 2 == 0 else b''
    return ulebs([len(names), len(text), len(packed)]) + (packed or text)


def sections_of(version, bits, order):
    """__llvm_covmap, __llvm_covfun, and the names."""
    mappings = [mapping(version, LEAST, EXPRESSIONS),
                mapping(version, UNUSED, [])]
    names = b'\x01'.join(NAMES)
    table = table_of(version)
    heads = []
    for name, digest, data in zip(NAMES, HASHES, mappings):
        if version == 1:
            heads.append(struct.pack(
                order + ('Q' if bits == 64 else 'I') + 'IIQ',
                NAMES_AT + names.index(name), len(name), len(data), digest))
        else:
            heads.append(struct.pack(order + 'QIQ', guid(name), len(data),
                                     digest))
    if version > 1:
        names = ulebs([len(names), 0]) + names
    if version < 4:
        text = padded(b''.join(mappings))
        header = struct.pack(order + '4I', len(heads), len(table), len(text),
                             version - 1)
        return padded(header + b''.join(heads) + table + text), b'', names
    records = [padded(head + struct.pack(order + 'Q', guid(table)) + data)
               for head, data in zip(heads, mappings)]
    header = struct.pack(order + '4I', 0, len(table), 0, version - 1)
    return padded(header + table), b''.join(records), names


def elf_image(version, bits, order):
    """An ELF file of nothing but these sections and their names."""
    texts = ['__llvm_covmap', '__llvm_covfun', '__llvm_prf_names', '.shstrtab']
    data = list(sections_of(version, bits, order))
    data.append(b'\0' + b''.join(t.encode() + b'\0' for t in texts))
    word = 'Q' if bits == 64 else 'I'
    size = 64 if bits == 64 else 52
    row = order + 'II' + 4 * word + 'II' + 2 * word
    rows = struct.pack(row, *[0] * 10)
    image = b''
    for text, part in zip(texts, data):
        # PROGBITS or STRTAB; names are in memory.
        names = text == '__llvm_prf_names'
        rows += struct.pack(
            row, data[-1].index(b'\0' + text.encode() + b'\0') + 1,
            3 if text == '.shstrtab' else 1, 2 if names else 0,
            NAMES_AT if names else 0, size + len(image), len(part), 0, 0, 8, 0)
        image += padded(part)
    machine = {'64<': 62, '64>': 21, '32<': 3, '32>': 20}[f'{bits}{order}']
    head = bytes([0x7f]) + b'ELF' + bytes(
        [bits // 32, 1 + (order == '>'), 1]) + bytes(9)
    head += struct.pack(order + 'HHI' + 3 * word + 'I6H', 3, machine, 1, 0, 0,
                        size + len(image), 0, size, 0, 0, struct.calcsize(row),
                        5, 4)
    return head + image + rows
