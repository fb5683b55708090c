"""Raw profiles, from profraw(5)."""
import bisect

from common import (Bad, Bytes, frontend_of_raw, guid, head, identity, listed,
                    names_of, number, numbers, require, symbol, value_block,
                    values_json)

MAGICS = {bytes.fromhex('8172666f72706cff'): ('<', 64),
          bytes.fromhex('ff6c70726f667281'): ('>', 64),
          bytes.fromhex('8152666f72706cff'): ('<', 32),
          bytes.fromhex('ff6c70726f665281'): ('>', 32)}

# The table "Header": where each field is, for versions from the one given.
V1 = {'NumData': 2, 'NumCounters': 3, 'NamesSize': 4, 'CountersDelta': 5,
      'NamesDelta': 6}
V2 = {**V1, 'ValueKindLast': 7, 'ValueDataSize': 8}
V4 = {**V1, 'ValueKindLast': 7}
V5 = {'NumData': 2, 'PadBefore': 3, 'NumCounters': 4, 'PadAfter': 5,
      'NamesSize': 6, 'CountersDelta': 7, 'NamesDelta': 8, 'ValueKindLast': 9}
V6 = {**V5, 'BinaryIdsSize': 10}
V7 = {'BinaryIdsSize': 2, 'NumData': 3, 'PadBefore': 4, 'NumCounters': 5,
      'PadAfter': 6, 'NamesSize': 7, 'CountersDelta': 8, 'NamesDelta': 9,
      'ValueKindLast': 10}
V9 = {'BinaryIdsSize': 2, 'NumData': 3, 'PadBefore': 4, 'NumCounters': 5,
      'PadAfter': 6, 'NumBitmapBytes': 7, 'PadAfterBitmap': 8, 'NamesSize': 9,
      'CountersDelta': 10, 'BitmapDelta': 11, 'NamesDelta': 12,
      'ValueKindLast': 13}
V10 = {**V9, 'NumVTables': 13, 'VNamesSize': 14, 'ValueKindLast': 15}
V11 = {'BinaryIdsSize': 2, 'NumData': 3, 'PadBefore': 4, 'NumCounters': 5,
       'PadAfter': 6, 'NumBitmapBytes': 7, 'PadAfterBitmap': 8,
       'NumUniformCounters': 9, 'PadAfterUniform': 10,
       'UniformCountersDelta': 11, 'NamesSize': 12, 'CountersDelta': 13,
       'BitmapDelta': 14, 'NamesDelta': 15, 'NumVTables': 16,
       'VNamesSize': 17, 'ValueKindLast': 18}
FIELDS = {1: (V1, 56), 2: (V2, 80), 3: (V2, 80), 4: (V4, 64), 5: (V5, 80),
          6: (V6, 88), 7: (V7, 88), 8: (V7, 88), 9: (V9, 112),
          10: (V10, 128), 11: (V11, 152)}

# The table "Data records": a C structure with natural alignment.
RECORD = {
    1: ['NameSize u32', 'NumCounters u32', 'FuncHash u64', 'NamePtr ptr',
        'CounterPtr ptr'],
    2: ['NameSize u32', 'NumCounters u32', 'FuncHash u64', 'NamePtr ptr',
        'CounterPtr ptr', 'FunctionPointer ptr', 'Values ptr', 'Sites u16'],
    3: ['NameRef u64', 'FuncHash u64', 'CounterPtr ptr',
        'FunctionPointer ptr', 'Values ptr', 'NumCounters u32', 'Sites u16'],
    9: ['NameRef u64', 'FuncHash u64', 'CounterPtr ptr', 'BitmapPtr ptr',
        'FunctionPointer ptr', 'Values ptr', 'NumCounters u32', 'Sites u16',
        'NumBitmapBytes u32'],
    11: ['NameRef u64', 'FuncHash u64', 'CounterPtr ptr',
         'UniformCounterPtr ptr', 'BitmapPtr ptr', 'FunctionPointer ptr',
         'Values ptr', 'NumCounters u32', 'Sites u16', 'Wave u16',
         'NumBitmapBytes u32'],
}


def record_fields(version):
    return RECORD[max(v for v in RECORD if v <= version)]


def read_record(b, version, bits, kinds):
    start, row = b.at, {}
    for field in record_fields(version):
        name, kind = field.split()
        code = {'u16': 'H', 'u32': 'I', 'u64': 'Q',
                'ptr': 'Q' if bits == 64 else 'I'}[kind]
        size = {'H': 2, 'I': 4, 'Q': 8}[code]
        b.take((start - b.at) % size)
        row[name] = ([b.u16() for _ in range(kinds)] if name == 'Sites'
                     else b.one(code))
    b.pad8(start)
    return row, b.at - start


def binary_ids(section, order, padded):
    b, ids = Bytes(section, 0, order), []
    while b.at < b.end:
        size = b.u64()
        if size == 0:
            raise Bad('an empty id')
        ids.append(b.take(size))
        if padded:
            b.pad8()
    return ids


class Image:
    """One profile of a file."""

    def __init__(self, data, start):
        self.order, self.bits = MAGICS[data[start:start + 8]]
        self.word = Bytes(data, start + 8, self.order).u64()
        self.version = self.word & 0xffffffff
        require(self.version in FIELDS, 'version')
        require(not self.word >> 62 & 1, 'a bit of indexed profiles')
        fields, size = FIELDS[self.version]
        words = Bytes(data, start, self.order).u64s(size // 8)
        self.field = {name: words[at] for name, at in fields.items()}
        self.data, self.start = data, start
        self.read_sections(Bytes(data, start + size, self.order))

    def get(self, name):
        return self.field.get(name, 0)

    def read_sections(self, b):
        version, get = self.version, self.get
        self.kinds = get('ValueKindLast') + 1 if version > 1 else 0
        require(self.kinds <= 16, 'ValueKindLast')
        ids = b.take(get('BinaryIdsSize'))
        try:
            self.ids = binary_ids(ids, self.order, version >= 8)
        except Bad:
            self.ids = binary_ids(ids, self.order, True)
        self.records = []
        for _ in range(get('NumData')):
            record, self.record_size = read_record(b, version, self.bits,
                                                   self.kinds)
            self.records.append(record)
        b.take(get('PadBefore'))
        width = 1 if self.word >> 60 & 1 else 8
        self.width = width
        self.counters = b.take(get('NumCounters') * width)
        b.take(get('PadAfter'))
        self.bitmap = b.take(get('NumBitmapBytes'))
        b.take(get('PadAfterBitmap'))
        self.uniform = b.take(8 * get('NumUniformCounters'))
        b.take(get('PadAfterUniform'))
        self.names = b.take(get('NamesSize'))
        b.take(-len(self.names) % 8 if version > 1 else 0)
        self.vtables = [self.read_vtable(b) for _ in range(get('NumVTables'))]
        b.take(-(len(self.vtables) * (24 if self.bits == 64 else 16)) % 8)
        vnames = b.take(get('VNamesSize'))
        b.take(-len(vnames) % 8)
        self.name_of = {}
        if version >= 3:
            self.name_of = {guid(n): n for n in names_of(self.names)}
        self.vname_of = {guid(n): n for n in names_of(vnames)}
        start = b.at
        self.blocks = [self.read_values(b, r) for r in self.records]
        self.end = b.at
        if version in (2, 3):
            require(get('ValueDataSize') in (0, b.at - start),
                    'ValueDataSize')

    def read_vtable(self, b):
        row = (b.u64(), b.u64() if self.bits == 64 else b.u32(), b.u32())
        if self.bits == 64:
            b.take(4)
        return row

    def read_values(self, b, record):
        sites = record.get('Sites', [])
        if not any(sites):
            return [None] * 3
        kinds = value_block(b)
        require([len(k or []) for k in kinds[:len(sites)]] == sites,
                'other value sites than the record counts')
        return kinds

    def place(self, record, i, pointer, delta):
        """Where a record's counters or bitmap begin in their section."""
        at = record[pointer] - self.get(delta)
        if self.version >= 8:
            at += i * self.record_size
        return at % (1 << self.bits)

    def named(self, record):
        if self.version >= 3:
            ref = record['NameRef']
            return self.name_of.get(ref), ref
        at = (record['NamePtr'] - self.get('NamesDelta')) % (1 << self.bits)
        name = Bytes(self.names, at).take(record['NameSize'])
        return name, guid(name)

    def target(self, kind, value):
        if kind == 0:
            for record in self.records:
                if value != 0 and record['FunctionPointer'] == value:
                    return self.named(record)
            return None, 0
        rows = sorted((start, size, ref) for ref, start, size in self.vtables)
        at = bisect.bisect_right([row[0] for row in rows], value) - 1
        if at < 0 or value >= rows[at][0] + rows[at][1]:
            return None, 0
        return self.vname_of.get(rows[at][2]), rows[at][2]

    def function(self, i, record, stamps):
        at = self.place(record, i, 'CounterPtr', 'CountersDelta')
        count = record['NumCounters']
        require(count, 'a function without counters')
        b = Bytes(self.counters, at, self.order)
        name, ref = self.named(record)
        if self.word >> 63 & 1:
            stamp = b.u64()
            count -= 8 // self.width
            if stamp not in (0, (1 << 64) - 1):
                stamps.append((stamp, ref, name))
        counts = ([int(x == 0) for x in b.take(count)] if self.width == 1
                  else b.u64s(count))
        row = {'record': 'function', **symbol(name, ref),
               'hash': identity(record['FuncHash']),
               'counts': numbers(counts)}
        if record.get('NumBitmapBytes'):
            at = self.place(record, i, 'BitmapPtr', 'BitmapDelta')
            row['bitmap'] = Bytes(self.bitmap, at).take(
                record['NumBitmapBytes']).hex()
        if self.get('NumUniformCounters'):
            at = self.place(record, i, 'UniformCounterPtr',
                            'UniformCountersDelta')
            row['uniform_counts'] = numbers(
                Bytes(self.uniform, at, self.order).u64s(count))
        return {**row, **values_json(self.blocks[i], self.target)}

    def lines(self, source, stamps):
        row = head('instr', self.word)
        correlated = not self.records and self.counters
        if correlated and not self.word >> 59 & 1:
            row['binary_correlated'] = True
        if row['level'] == 'frontend':
            row['frontend_versions'] = frontend_of_raw(
                self.version, bool(self.bitmap))
        waves = [r['Wave'] for r in self.records if r.get('Wave')]
        if waves:
            row['wave_size'] = max(waves)
        row['source'] = {
            **source, 'format': 'raw', 'version': self.version,
            'endian': 'little' if self.order == '<' else 'big',
            'pointer_bits': self.bits}
        if self.start:
            row['source']['offset'] = self.start
        yield row
        for build_id in self.ids:
            yield {'record': 'binary', 'build_id': build_id.hex()}
        if correlated:
            row = {'record': 'raw_counters', 'counts': numbers(
                Bytes(self.counters, 0, self.order).u64s(
                    self.get('NumCounters')))}
            if self.bitmap:
                row['bitmap'] = self.bitmap.hex()
            yield row
        for ref, start, size in self.vtables:
            name = self.vname_of.get(ref)
            yield {'record': 'vtable', **symbol(name, ref),
                   'guid': identity(ref), 'start': identity(start),
                   'size': number(size)}
        for i, record in enumerate(self.records):
            yield self.function(i, record, stamps)


def images(data):
    at = 0
    while at < len(data):
        if data[at] == 0:
            at += 1
            continue
        require(data[at:at + 8] in MAGICS, 'what is behind a profile')
        image = Image(data, at)
        yield image
        at = image.end


def read(data, source):
    stamps, found = [], list(images(data))
    for i, image in enumerate(found):
        last = i == len(found) - 1
        yield from image.lines(source, stamps)
        if last and stamps:
            yield {'record': 'trace', 'weight': 1, 'functions': [
                listed(name, ref) for _, ref, name in sorted(
                    stamps, key=lambda s: s[:2])]}
        yield {'record': 'end', **({'last': True} if last else {})}
