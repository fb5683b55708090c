"""The source section behind an indexed heap profile, from memprof(5)."""
import zlib

from common import Bytes

HEAD, TRAILER = 96, 32


class Sources:
    """Files, lines and names by the ids of stacks and guids; or empty."""

    def __init__(self, data):
        self.stacks, self.names = {}, {}
        end = Bytes(data, len(data) - TRAILER)
        at, size, crc, version = end.u64(), end.u64(), end.u32(), end.u32()
        if data[-8:] != b'MPRFCEND' or version != 1 or \
                at + size != len(data):
            return
        self.data = data[at:]
        if zlib.crc32(self.data[:-TRAILER]) == crc and \
                self.data[:8] == b'MPRFCSYM':
            self.read()

    def read(self):
        b = Bytes(self.data, 12)
        head = b.u32()
        self.bits = [b.u8(), b.u8(), b.u8()]
        b.at = 24
        stacks, entries, overflow, nodes, string_bytes = b.u64s(5)
        b.at = 80
        names = b.u64() if head == HEAD else 0
        b.at = head
        self.rows = [(b.u64(), b.u32(), b.u32()) for _ in range(stacks)]
        self.entries = b.u64s(entries)
        self.overflow = {b.u64(): (b.u32(), b.u32(), b.u32(), b.u32())[:3]
                         for _ in range(overflow)}
        self.nodes = [(b.u32(), b.u32()) for _ in range(nodes)]
        self.strings = b.take(string_bytes)
        self.names = {b.u64(): self.string((b.u32(), b.u32())[0])
                      for _ in range(names)}
        for stack, first, count in self.rows:
            self.stacks.setdefault(stack, [self.entry(first + i)
                                           for i in range(count)])

    def string(self, at):
        return self.strings[at:self.strings.index(b'\0', at)].decode()

    def path(self, node):
        parts = []
        while True:
            string, parent = self.nodes[node]
            parts.append(self.string(string))
            if parent == 0:
                return '/'.join(reversed(parts))
            node = parent - 1

    def entry(self, index):
        packed, values = self.entries[index], []
        if packed == (1 << 64) - 1:
            values = self.overflow[index]
        else:
            for bits in reversed(self.bits):
                values.insert(0, packed & (1 << bits) - 1)
                packed >>= bits
        file, line, discriminator = values
        return self.path(file) if file else None, line, discriminator
