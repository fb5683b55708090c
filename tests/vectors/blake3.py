"""BLAKE3 of up to 1024 bytes, from its specification: ids of frames and stacks
are made of that (memprof(5))."""
import struct

IV = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
      0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19]
ORDER = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]
START, END, ROOT = 1, 2, 8
M32 = 0xffffffff


def rotate(word, bits):
    return (word >> bits | word << (32 - bits)) & M32


def mix(v, a, b, c, d, x, y):
    for word, first, second in ((x, 16, 12), (y, 8, 7)):
        v[a] = (v[a] + v[b] + word) & M32
        v[d] = rotate(v[d] ^ v[a], first)
        v[c] = (v[c] + v[d]) & M32
        v[b] = rotate(v[b] ^ v[c], second)


def compress(chain, block, flags):
    words = list(struct.unpack('<16I', block.ljust(64, b'\0')))
    v = chain + IV[:4] + [0, 0, len(block), flags]
    for _ in range(7):
        for i in range(4):
            mix(v, i, 4 + i, 8 + i, 12 + i, words[2 * i], words[2 * i + 1])
        for i in range(4):
            mix(v, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4,
                words[8 + 2 * i], words[9 + 2 * i])
        words = [words[i] for i in ORDER]
    return [v[i] ^ v[i + 8] for i in range(8)]


def blake3_u64(data):
    """The first 8 bytes of the digest as a little-endian number."""
    if len(data) > 1024:
        raise ValueError('more than a chunk')
    blocks = [data[i:i + 64] for i in range(0, len(data), 64)] or [b'']
    chain = IV
    for i, block in enumerate(blocks):
        flags = START if i == 0 else 0
        if i == len(blocks) - 1:
            flags |= END | ROOT
        chain = compress(chain, block, flags)
    return chain[1] << 32 | chain[0]
