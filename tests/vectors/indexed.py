"""Indexed profiles without heap profiles, from profdata(5)."""
from common import (Bad, Bytes, guid, head, identity, listed, names_of, number,
                    numbers, require, symbol, value_block, values_json)

FRONTEND = {5: [5, 5], 6: [6, 6], 13: [13, 13]}


class Indexed:
    def __init__(self, data):
        b = Bytes(data, 8)
        self.data, self.word = data, b.u64()
        self.version = self.word & 0xffffffff
        if not 1 <= self.version <= 13:
            raise Bad('version')
        b.u64()
        require(b.u64() == 0, 'HashType')
        self.hash_offset = b.u64()
        since = [(8, 'memprof'), (9, 'ids'), (10, 'traces'), (12, 'vnames')]
        self.offset = {name: b.u64() for version, name in since
                       if self.version >= version}
        if self.version >= 4:
            for _ in range(1 + (self.word >> 57 & 1)):
                fields, cutoffs = b.u64(), b.u64()
                b.take(8 * fields + 24 * cutoffs)
        self.table_start = b.at
        self.functions = list(self.read_functions(b))
        self.name_of = {guid(row[0]): row[0] for row in self.functions}
        self.read_names()

    def bit(self, n):
        return self.word >> n & 1

    def read_names(self):
        self.vnames = []
        if 'vnames' in self.offset:
            b = Bytes(self.data, self.offset['vnames'])
            self.vnames = names_of(b.take(b.u64()))

    def read_functions(self, b):
        """All items in the order of the file: name, hash, ..."""
        entries = Bytes(self.data, self.hash_offset)
        buckets, left = entries.u64(), entries.u64()
        require(buckets and not buckets & buckets - 1, 'NumBuckets')
        while left > 0:
            for _ in range(b.u16()):
                hash_, key, size = b.u64(), b.u64(), b.u64()
                name = b.take(key)
                require(hash_ == guid(name), 'Hash of another name')
                end = b.at + size
                while b.at < end:
                    yield (name, *self.read_record(b, end))
                left -= 1

    def read_record(self, b, end):
        version, code = self.version, b.u64()
        count = b.u64() if version >= 2 else (end - b.at) // 8
        counts = b.u64s(count)
        bitmap = bytes(b.u64s(b.u64())) if version >= 11 else b''
        kinds = value_block(b) if version >= 3 else []
        return code, counts, bitmap, kinds

    def lines(self, source):
        vguids = {guid(name): name for name in self.vnames}

        def target(kind, value):
            names = vguids if kind == 2 else self.name_of
            return names.get(value), value

        row = head('instr', self.word)
        if row['level'] == 'frontend':
            row['frontend_versions'] = FRONTEND.get(
                self.version, [1, 4] if self.version < 5 else [7, 12])
        if self.bit(63):
            traces = Bytes(self.data, self.offset['traces'])
            count = traces.u64()
            row['trace_stream_size'] = number(traces.u64())
        row['source'] = {**source, 'format': 'indexed',
                         'version': self.version, 'endian': 'little'}
        yield row
        if 'ids' in self.offset:
            b = Bytes(self.data, self.offset['ids'])
            b.end = b.u64() + b.at
            start = b.at
            while b.at < b.end:
                yield {'record': 'binary', 'build_id': b.take(b.u64()).hex()}
                b.pad8(start)
        for name in self.vnames:
            yield {'record': 'vtable', 'name': name.decode()}
        for name, code, counts, bitmap, kinds in self.functions:
            row = {'record': 'function', **symbol(name, None),
                   'hash': identity(code), 'counts': numbers(counts)}
            if bitmap:
                row['bitmap'] = bitmap.hex()
            yield {**row, **values_json(kinds, target)}
        if self.bit(63):
            for _ in range(count):
                weight = traces.u64()
                guids = traces.u64s(traces.u64())
                yield {'record': 'trace', 'weight': number(weight),
                       'functions': [listed(self.name_of.get(g), g)
                                     for g in guids]}
        yield {'record': 'end', 'last': True}


def read(data, source):
    return Indexed(data).lines(source)
