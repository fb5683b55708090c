"""Raw profiles of any version from a description, and what to expect of them.

Image describes one profile.  build() gives its bytes and where each field went,
expect() the lines of the stream that a reader must make of a file of images.
Both follow the format document alone and share no code with the library, so
that each can be judged by the other.  mkgood.py and mkbad.py use this.
"""

import hashlib
import json
import zlib
from dataclasses import dataclass, field, replace

MAGIC = {64: 0xFF6C70726F667281, 32: 0xFF6C70726F665281}

# Variant bits of the version word.
LOOP_ENTRIES = 1 << 55
IR = 1 << 56
CSIR = 1 << 57
ENTRY_FIRST = 1 << 58
DEBUG_INFO = 1 << 59
BYTE_COVERAGE = 1 << 60
ENTRY_ONLY = 1 << 61
MEMPROF = 1 << 62
TEMPORAL = 1 << 63

# Keys of the profile record, in the order of the stream.
FLAGS = [('context_sensitive', CSIR), ('entry_first', ENTRY_FIRST),
         ('loop_entries', LOOP_ENTRIES), ('byte_coverage', BYTE_COVERAGE),
         ('function_entry_only', ENTRY_ONLY), ('temporal', TEMPORAL),
         ('debug_info_correlated', DEBUG_INFO)]

KIND_NAMES = ['indirect_call_target', 'mem_op_size', 'vtable_target']

# Header fields behind Magic and Version; all are 64 bits wide.
V1 = 'NumData NumCounters NamesSize CountersDelta NamesDelta'
V5 = ('NumData PaddingBytesBeforeCounters NumCounters'
      ' PaddingBytesAfterCounters NamesSize CountersDelta NamesDelta'
      ' ValueKindLast')
V9 = ('BinaryIdsSize NumData PaddingBytesBeforeCounters NumCounters'
      ' PaddingBytesAfterCounters NumBitmapBytes PaddingBytesAfterBitmapBytes'
      ' {}NamesSize CountersDelta BitmapDelta NamesDelta {}ValueKindLast')
VTABLES = 'NumVTables VNamesSize '
HEADER = {
    1: V1,
    2: V1 + ' ValueKindLast ValueDataSize ValueDataDelta',
    3: V1 + ' ValueKindLast ValueDataSize ValueDataDelta',
    4: V1 + ' ValueKindLast',
    5: V5,
    6: V5 + ' BinaryIdsSize',
    7: 'BinaryIdsSize ' + V5,
    8: 'BinaryIdsSize ' + V5,
    9: V9.format('', ''),
    10: V9.format('', VTABLES),
    11: V9.format('NumUniformCounters PaddingBytesAfterUniformCounters'
                  ' UniformCountersDelta ', VTABLES),
}
HEADER_SIZE = {1: 56, 2: 80, 3: 80, 4: 64, 5: 80, 6: 88, 7: 88, 8: 88,
               9: 112, 10: 128, 11: 152}

# Record fields and their widths; p is a pointer, 2* an array, one per kind.
R1 = 'NameSize:4 NumCounters:4 FuncHash:8 NamePtr:p CounterPtr:p'
R3 = ('NameRef:8 FuncHash:8 CounterPtr:p FunctionPointer:p Values:p'
      ' NumCounters:4 NumValueSites:2*')
R9 = ('NameRef:8 FuncHash:8 CounterPtr:p BitmapPtr:p FunctionPointer:p'
      ' Values:p NumCounters:4 NumValueSites:2* NumBitmapBytes:4')
R11 = ('NameRef:8 FuncHash:8 CounterPtr:p UniformCounterPtr:p BitmapPtr:p'
       ' FunctionPointer:p Values:p NumCounters:4 NumValueSites:2*'
       ' OffloadDeviceWaveSize:2 NumBitmapBytes:4')
RECORD = {1: R1, 2: R1 + ' FunctionPointer:p Values:p NumValueSites:2*',
          **{v: R3 for v in range(3, 9)}, 9: R9, 10: R9, 11: R11}
RECORD_SIZE = {64: {1: 32, 2: 56, **{v: 48 for v in range(3, 9)},
                    9: 64, 10: 64, 11: 72},
               32: {1: 24, 2: 40, **{v: 40 for v in range(3, 9)},
                    9: 48, 10: 48, 11: 56}}
VTABLE = 'VTableNameHash:8 VTablePointer:p VTableSize:4'

# Value kinds that the runtime of each version knew (v4: since LLVM 5).
KINDS = {1: 0, 2: 1, 3: 1, **{v: 2 for v in range(4, 10)}, 10: 3, 11: 3}

# Indexed versions whose hash rule front-end hashes of a raw version follow.
FRONTEND = {1: [1, 4], 2: [1, 4], 3: [1, 4], 4: [1, 5], 5: [5, 7], 6: [7, 12],
            7: [7, 12], 8: [7, 12], 9: [7, 12], 10: [12, 13], 11: [13, 13]}


@dataclass
class Function:
    """One data record.  Without name, guid says what its NameRef is."""
    name: bytes = None
    counts: list = ()           # as stored; a time stamp comes extra
    hash: int = 0x18
    guid: int = None
    stamp: int = 0              # temporal images only
    address: int = 0
    bitmap: bytes = b''
    uniform: list = ()          # v11
    wave: int = 0               # v11
    values: dict = field(default_factory=dict)  # kind: [[(value, count)]]
    at: int = None              # offset of the counters, if not the next free
    repeats: bool = False       # name, hash and counters of one before

    def ref(self):
        return guid_of(self.name) if self.guid is None else self.guid


@dataclass
class VTable:
    name: bytes
    start: int
    size: int
    guid: int = None

    def ref(self):
        return guid_of(self.name) if self.guid is None else self.guid


@dataclass
class Chunk:
    """Part of a names section.  zeros follow it."""
    names: list
    deflate: bool = True
    zeros: int = 0

    def bytes(self):
        text = b'\x01'.join(self.names)
        packed = zlib.compress(text, 9) if self.deflate else b''
        return (uleb(len(text)) + uleb(len(packed)) + (packed or text)
                + bytes(self.zeros))


@dataclass
class Image:
    version: int
    bits: int = 64
    big: bool = False
    variants: int = 0
    functions: list = ()
    vtables: list = ()
    ids: list = ()
    id_padding: bool = None     # None: as the version does it
    chunks: list = None         # None: one, of all names of functions
    vchunks: list = None        # the same for vtables
    kinds: int = None           # None: as the version does it
    relative: bool = None       # CounterPtr relative to its record: v8 on
    windows: bool = False       # differences cut to 32 bits
    page: int = 0               # sections padded to this: Darwin's %c
    value_data: bool = True
    # Addresses in the program that wrote the file.
    data_at: int = 0x5000
    counters_at: int = 0x4000
    bitmap_at: int = 0x4800
    names_at: int = 0x6000
    # A correlated image has these instead of functions.
    correlated: str = None      # 'debug' or 'binary'
    raw_counts: list = ()       # as stored
    raw_bitmap: bytes = b''
    fill: int = 0               # byte in paddings
    tail: bytes = b''           # behind the image

    def has(self, name):
        return name in HEADER[self.version].split()


@dataclass
class Built:
    data: bytes
    at: dict                    # offset of each field and section
    widths: dict                # bytes of each field
    order: str                  # byte order, as int.to_bytes takes it

    def patched(self, changes):
        """A copy with some fields set to other values."""
        data = bytearray(self.data)
        for name, value in changes.items():
            n = self.widths[name]
            data[self.at[name]:self.at[name] + n] = \
                value.to_bytes(n, self.order)
        return replace(self, data=bytes(data))


def guid_of(name):
    return int.from_bytes(hashlib.md5(name).digest()[:8], 'little')


def uleb(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7f | 0x80)
        n >>= 7
    return bytes(out) + bytes([n])


def pad(n, unit=8):
    return -n % unit


def layout(fields, word, kinds):
    """Offsets of the fields of a C struct, its size a multiple of 8."""
    places, pos = [], 0
    for name, width in (f.split(':') for f in fields.split()):
        count = kinds if width.endswith('*') else 1
        size = word if width == 'p' else int(width.rstrip('*'))
        pos += pad(pos, size)
        for i in range(count):
            places.append((f'{name}{i}' if '*' in width else name, pos, size))
            pos += size
    return places, pos + pad(pos)


class Builder:
    """Appends to the bytes of one image and notes where things are."""

    def __init__(self, image):
        self.image = image
        self.order = 'big' if image.big else 'little'
        self.word = image.bits // 8
        self.mask = (1 << image.bits) - 1
        self.out = bytearray()
        self.at, self.widths = {}, {}
        kinds = KINDS[image.version] if image.kinds is None else image.kinds
        self.kinds = kinds
        self.record, self.record_size = \
            layout(RECORD[image.version], self.word, kinds)
        if image.kinds is None:
            assert self.record_size == RECORD_SIZE[image.bits][image.version]
        self.vtable, self.vtable_size = layout(VTABLE, self.word, 0)

    def mark(self, name):
        self.at[name] = len(self.out)

    def put(self, value, width, name=None):
        if name is not None:
            self.mark(name)
            self.widths[name] = width
        self.out += (value & (1 << 8 * width) - 1).to_bytes(width, self.order)

    def fill(self, n):
        self.out += bytes([self.image.fill]) * n

    def struct(self, places, size, values, prefix):
        start = len(self.out)
        for name, pos, width in places:
            self.out += bytes(start + pos - len(self.out))
            self.put(values.get(name, 0), width, f'{prefix}.{name}')
        self.out += bytes(start + size - len(self.out))


def counter_bytes(b, f):
    """The counters of a function as they are stored."""
    image = b.image
    stamp = [f.stamp] if image.variants & TEMPORAL else []
    wide = stamp if image.variants & BYTE_COVERAGE else stamp + list(f.counts)
    out = b''.join(n.to_bytes(8, b.order) for n in wide)
    return out + (bytes(f.counts) if image.variants & BYTE_COVERAGE else b'')


def place_counters(b):
    """The counter section and the offset of each function in it."""
    section, offsets = bytearray(), []
    for f in b.image.functions:
        part = counter_bytes(b, f)
        at = len(section) if f.at is None else f.at
        section += bytes(max(0, at + len(part) - len(section)))
        section[at:at + len(part)] = part
        offsets.append(at)
    for n in b.image.raw_counts:
        section += n.to_bytes(width(b.image), b.order)
    section += bytes(pad(len(section), width(b.image)))
    return bytes(section), offsets


def width(image):
    return 1 if image.variants & BYTE_COVERAGE else 8


def names_section(chunks, named):
    """Chunks of v3 and later; by default one, of all names."""
    if chunks is None:
        names = list(dict.fromkeys(x.name for x in named if x.name))
        chunks = [Chunk(names)] if names else []
    return b''.join(c.bytes() for c in chunks)


def binary_ids(b):
    image, out = b.image, bytearray()
    padded = image.version >= 8 if image.id_padding is None \
        else image.id_padding
    for build_id in image.ids:
        out += len(build_id).to_bytes(8, b.order) + build_id
        out += bytes([image.fill]) * pad(len(build_id)) if padded else b''
    return bytes(out)


def value_block(b, f, prefix):
    """One function's value profile data."""
    image, kinds = b.image, sorted(k for k in f.values if f.values[k])
    sizes = []
    for kind in kinds:
        sites = f.values[kind]
        head = 8 + len(sites)
        sizes.append(head + pad(head) + 16 * sum(map(len, sites)))
    b.put(8 + sum(sizes), 4, prefix + '.TotalSize')
    b.put(len(kinds), 4, prefix + '.NumValueKinds')
    for i, kind in enumerate(kinds):
        sites = f.values[kind]
        b.put(kind, 4, f'{prefix}.{i}.Kind')
        b.put(len(sites), 4, f'{prefix}.{i}.NumValueSites')
        for s, site in enumerate(sites):
            b.put(len(site), 1, f'{prefix}.{i}.SiteCount{s}')
        b.fill(pad(8 + len(sites)))
        for value, count in (v for site in sites for v in site):
            b.put(value, 8)
            b.put(count, 8)
    b.mark(prefix + '.end')


def value_data(b):
    if b.kinds == 0 or not b.image.value_data:
        return
    for i, f in enumerate(b.image.functions):
        if any(f.values.values()):
            value_block(b, f, f'block{i}')


def build(image):
    """The bytes of an image, and where its fields are."""
    b = Builder(image)
    relative = image.version >= 8 if image.relative is None else image.relative
    has_bitmap, has_uniform = image.version >= 9, image.version >= 11
    difference_mask = 0xFFFFFFFF if image.windows else b.mask

    ids = binary_ids(b) if image.version >= 6 else b''
    counters, offsets = place_counters(b)
    bitmap = b''.join(f.bitmap for f in image.functions) + image.raw_bitmap
    uniform = b''.join(n.to_bytes(8, b.order)
                       for f in image.functions for n in f.uniform)
    if image.version <= 2:
        names = b''.join(f.name for f in image.functions)
    else:
        names = names_section(image.chunks, image.functions)
    vnames = names_section(image.vchunks, image.vtables)

    data_size = len(image.functions) * b.record_size
    page = image.page
    before_counters = pad(HEADER_SIZE[image.version] + data_size, page) \
        if page else 0
    after_counters = pad(len(counters), page or 8)
    after_bitmap = pad(len(bitmap), page or 8)
    uniform_delta = data_size + before_counters + len(counters) \
        + after_counters + len(bitmap) + after_bitmap if uniform else 0

    def difference(address):
        return address - image.data_at & difference_mask

    if image.correlated:
        counters_delta = bitmap_delta = names_delta = 0
    else:
        counters_delta = difference(image.counters_at) if relative \
            else image.counters_at
        bitmap_delta = difference(image.bitmap_at)
        names_delta = image.names_at

    header = {
        'BinaryIdsSize': len(ids),
        'NumData': len(image.functions),
        'PaddingBytesBeforeCounters': before_counters,
        'NumCounters': len(counters) // width(image),
        'PaddingBytesAfterCounters': after_counters,
        'NumBitmapBytes': len(bitmap),
        'PaddingBytesAfterBitmapBytes': after_bitmap,
        'NumUniformCounters': len(uniform) // 8,
        'PaddingBytesAfterUniformCounters': 0,
        'UniformCountersDelta': uniform_delta,
        'NamesSize': len(names),
        'CountersDelta': counters_delta,
        'BitmapDelta': bitmap_delta,
        'NamesDelta': names_delta,
        'NumVTables': len(image.vtables),
        'VNamesSize': len(vnames),
        'ValueKindLast': b.kinds - 1,
        'ValueDataDelta': 0x7000 if image.value_data else 0,
    }

    b.put(MAGIC[image.bits], 8, 'Magic')
    b.put(image.version | image.variants, 8, 'Version')
    for name in HEADER[image.version].split():
        b.put(header.get(name, 0), 8, name)
    assert len(b.out) == HEADER_SIZE[image.version]

    b.mark('ids')
    b.out += ids
    b.mark('data')
    names_pos = bitmap_pos = uniform_pos = 0
    for i, f in enumerate(image.functions):
        here = image.data_at + i * b.record_size
        counter = image.counters_at + offsets[i]
        record = {
            'NameRef': f.ref() if f.name or f.guid is not None else 0,
            'NameSize': len(f.name or b''),
            'NamePtr': image.names_at + names_pos,
            'FuncHash': f.hash,
            'CounterPtr': counter - here & difference_mask if relative
            else counter,
            'UniformCounterPtr': uniform_delta + uniform_pos
            - i * b.record_size & b.mask if f.uniform else 0,
            'BitmapPtr': image.bitmap_at + bitmap_pos - here & difference_mask
            if f.bitmap else 0,
            'FunctionPointer': f.address,
            'Values': 0x7100 + 16 * i if any(f.values.values()) else 0,
            'NumCounters': len(counter_bytes(b, f)) // width(image),
            'OffloadDeviceWaveSize': f.wave,
            'NumBitmapBytes': len(f.bitmap),
        }
        for kind, sites in f.values.items():
            record[f'NumValueSites{kind}'] = len(sites)
        b.struct(b.record, b.record_size, record, f'record{i}')
        b.mark(f'record{i}')
        b.at[f'record{i}'] -= b.record_size
        names_pos += len(f.name or b'')
        bitmap_pos += len(f.bitmap)
        uniform_pos += 8 * len(f.uniform)

    b.fill(before_counters if image.version >= 5 else 0)
    b.mark('counters')
    b.out += counters
    b.fill(after_counters if image.version >= 5 else 0)
    if has_bitmap:
        b.mark('bitmap')
        b.out += bitmap
        b.fill(after_bitmap)
    if has_uniform:
        b.mark('uniform')
        b.out += uniform
    b.mark('names')
    b.out += names
    # v1 always wrote at least one zero.
    b.fill(8 - len(names) % 8 if image.version == 1 else pad(len(names)))
    if image.has('NumVTables'):
        b.mark('vtables')
        for i, v in enumerate(image.vtables):
            b.struct(b.vtable, b.vtable_size,
                     {'VTableNameHash': v.ref(), 'VTablePointer': v.start,
                      'VTableSize': v.size}, f'vtable{i}')
        b.mark('vnames')
        b.out += vnames
        b.fill(pad(len(vnames)))
    b.mark('values')
    value_data(b)
    built = Built(bytes(b.out), b.at, b.widths, b.order)
    if image.has('ValueDataSize'):
        built = built.patched({'ValueDataSize': len(b.out) - b.at['values']})
    if page:
        b.fill(pad(len(names), page) - pad(len(names)))
    return replace(built, data=built.data + bytes(b.out[len(built.data):])
                   + image.tail)


def build_file(images):
    """The bytes of several images, and each one's Built."""
    parts = [build(image) for image in images]
    return b''.join(p.data for p in parts), parts


# What a reader must print.

def number(n):
    return n if n < 1 << 53 else str(n)


def hex64(n):
    return f'0x{n:016x}'


def named(key, name):
    """A name under its key, or its bytes under key_hex."""
    try:
        text = name.decode()
        if '\0' not in text:
            return {key: text}
    except UnicodeDecodeError:
        pass
    return {key + '_hex': name.hex()}


def name_table(image):
    """Names by NameRef, of both sections."""
    if image.version <= 2:
        names = [f.name for f in image.functions]
    else:
        names = []
        for chunks, owners in ((image.chunks, image.functions),
                               (image.vchunks, image.vtables)):
            if chunks is None:
                names += [x.name for x in owners if x.name]
            else:
                names += [n for c in chunks for n in c.names]
    return {guid_of(n): n for n in names}


def symbol(names, guid):
    return named('name', names[guid]) if guid in names \
        else {'guid': hex64(guid)}


def in_trace(names, guid):
    key = symbol(names, guid)
    return key.get('name', key)


def target(image, names, kind, value, count):
    if kind == 1:
        return {'size': number(value), 'count': number(count)}
    guid = 0
    if kind == 0:
        hits = [f.ref() for f in image.functions
                if f.address and f.address == value]
    else:
        hits = [v.ref() for v in image.vtables
                if v.start and v.start <= value < v.start + v.size]
    guid = hits[0] if hits else 0
    if guid in names:
        return {**named('target', names[guid]), 'count': number(count)}
    return {'target_guid': hex64(guid), 'count': number(count)}


def function_line(image, names, f):
    line = {'record': 'function', **symbol(names, f.ref()),
            'hash': hex64(f.hash)}
    if image.variants & BYTE_COVERAGE:
        line['counts'] = [int(n == 0) for n in f.counts]
    else:
        # A run writes no pseudo counts.
        line['counts'] = [number(min(n, 2**64 - 3)) for n in f.counts]
    if f.bitmap:
        line['bitmap'] = f.bitmap.hex()
    if f.uniform:
        line['uniform_counts'] = [number(n) for n in f.uniform]
    # Without value data the record still says how many sites there are.
    values = {KIND_NAMES[k]: [[target(image, names, k, v, n) for v, n in site
                               if image.value_data] for site in f.values[k]]
              for k in sorted(f.values) if f.values[k]}
    if values:
        line['values'] = values
    return line


def frontend_versions(image):
    bitmap = image.raw_bitmap or any(f.bitmap for f in image.functions)
    if image.version == 9 and bitmap:
        return [11, 11]
    if image.version == 10 and any(f.hash >> 60 for f in image.functions):
        return [12, 12]
    return FRONTEND[image.version]


def profile_line(image, name, offset):
    line = {'record': 'profile', 'stream': 1, 'kind': 'instr'}
    if image.variants & IR:
        line['level'] = 'ir'
    elif image.functions or image.correlated:
        line['level'] = 'frontend'
    line.update((key, True) for key, bit in FLAGS if image.variants & bit)
    if image.correlated == 'binary':
        line['binary_correlated'] = True
    if line.get('level') == 'frontend':
        line['frontend_versions'] = frontend_versions(image)
    wave = max((f.wave for f in image.functions), default=0)
    if wave:
        line['wave_size'] = wave
    line['source'] = {'file': name, 'format': 'raw', 'version': image.version,
                      'endian': 'big' if image.big else 'little',
                      'pointer_bits': image.bits}
    if offset:
        line['source']['offset'] = offset
    return line


def vtable_lines(image, names):
    for v in image.vtables:
        yield {'record': 'vtable', **({} if v.ref() not in names else
                                      named('name', names[v.ref()])),
               'guid': hex64(v.ref()), 'start': hex64(v.start),
               'size': v.size}
    known = {v.ref() for v in image.vtables}
    for name in dict.fromkeys(n for c in image.vchunks or [] for n in c.names):
        if guid_of(name) not in known:
            yield {'record': 'vtable', **named('name', name)}


def raw_counters_line(image):
    # Coverage is given as it is: there may be time stamps among its bytes.
    line = {'record': 'raw_counters',
            'counts': [number(n) for n in image.raw_counts]}
    if image.raw_bitmap:
        line['bitmap'] = image.raw_bitmap.hex()
    return line


def expect(images, name):
    """The lines for a file of these images."""
    lines, offset, stamps = [], 0, []
    for i, image in enumerate(images):
        names = name_table(image)
        lines.append(profile_line(image, name, offset))
        if image.version >= 6:
            lines += [{'record': 'binary', 'build_id': i.hex()}
                      for i in image.ids]
        lines += vtable_lines(image, names)
        lines += [function_line(image, names, f) for f in image.functions
                  if not f.repeats]
        if image.correlated:
            lines.append(raw_counters_line(image))
        if image.variants & TEMPORAL:
            stamps += [(f.stamp, f.ref(), in_trace(names, f.ref()))
                       for f in image.functions
                       if f.stamp not in (0, (1 << 64) - 1)]
        if i == len(images) - 1 and stamps:
            stamps.sort(key=lambda s: s[:2])
            lines.append({'record': 'trace', 'weight': 1,
                          'functions': [s[2] for s in stamps]})
        lines.append({'record': 'end'})
        offset += len(build(image).data)
    lines[-1]['last'] = True
    return ''.join(dump(line) + '\n' for line in lines)


def dump(line):
    """As jq -c prints it."""
    text = json.dumps(line, ensure_ascii=False, separators=(',', ':'))
    return text.replace('\x7f', '\\u007f')
