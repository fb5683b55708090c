"""Coverage mappings in ELF files, from coverage(5): the functions of an object
with the counts of a profile, as in the JSON of llvm-cov."""
import posixpath
import zlib

from common import Bytes, guid, names_of, require

NONE = -1
CODE, EXPANSION, SKIPPED, GAP, BRANCH, DECISION, CONDITION = range(7)


def elf_sections(data):
    """The class, the byte order, and (name, address, bytes) of sections."""
    order, bits = '><'[data[5] == 1], 32 * data[4]
    head = Bytes(data, 40 if bits == 64 else 32, order)
    at = head.u64() if bits == 64 else head.u32()
    size, count, names = [Bytes(data, p, order).u16() for p in (
        (58, 60, 62) if bits == 64 else (46, 48, 50))]
    rows = []
    for i in range(count):
        b = Bytes(data, at + i * size, order)
        name = b.u32()
        b.u32()
        rows.append([name] + [b.u64() if bits == 64 else b.u32()
                              for _ in range(4)])
    text = data[rows[names][3]:]
    return order, bits, [
        (text[name:].split(b'\0')[0].decode(), address, data[at:at + size])
        for name, _, address, at, size in rows]


def file_names(version, table):
    b = Bytes(table)
    count = b.uleb()
    if version >= 4:
        size, packed = b.uleb(), b.uleb()
        plain = zlib.decompress(b.take(packed)) if packed else b.take(size)
        require(len(plain) == size, 'names of another size')
        b = Bytes(plain)
    names = [b.take(b.uleb()).decode() for _ in range(count)]
    if version >= 6:
        names[1:] = [name if name[0] == '/' else
                     posixpath.normpath(names[0] + '/' + name)
                     for name in names[1:]]
    return names


def pad8(b):
    b.take(min(-b.at % 8, b.end - b.at))


def head_of(b, version, bits, names, address):
    """A record up to its hash: name, size of the mapping, hash."""
    if version == 1:
        at = (b.u64() if bits == 64 else b.u32()) - address
        return Bytes(names, at).take(b.u32()), b.u32(), b.u64()
    by_guid = {guid(name): name for name in names_of(names)}
    return by_guid[b.u64()], b.u32(), b.u64()


def records_of(data):
    """Each record: name, hash, names of files, mapping."""
    order, bits, sections = elf_sections(data)
    found = {name: (address, text) for name, address, text in sections}
    address, names = found['__llvm_prf_names']
    tables = {}
    b = Bytes(found['__llvm_covmap'][1], 0, order)
    while b.at < b.end:
        count, size, mappings, version = [b.u32() for _ in range(4)]
        version += 1
        heads = [head_of(b, version, bits, names, address)
                 for _ in range(count)]
        table = b.take(size)
        files = file_names(version, table)
        tables[guid(table)] = files
        end = b.at + mappings
        for name, size, digest in heads:
            yield name, digest, files, b.take(size)
        require(b.at <= end, 'mappings that exceed their size')
        b.take(end - b.at)
        pad8(b)
    for section, _, text in sections:
        b = Bytes(text, 0, order)
        while section == '__llvm_covfun' and b.at < b.end:
            name, size, digest = head_of(b, 4, bits, names, 0)
            files = tables[b.u64()]
            yield name, digest, files, b.take(size)
            pad8(b)


def region(b, file):
    """A region with its counters, before they are evaluated."""
    row = {'file': file, 'kind': CODE, 'into': 0}
    v = b.uleb()
    if v & 3:
        row['counter'] = v
    elif v & 4:
        row.update(kind=EXPANSION, into=v >> 3)
    else:
        row['kind'] = v >> 3
        require(row['kind'] in (CODE, SKIPPED, BRANCH, DECISION, CONDITION),
                'a kind of region')
        row['counter'] = 0
        if row['kind'] == DECISION:
            row.update(bitmap=b.uleb(), size=b.uleb())
        if row['kind'] in (BRANCH, CONDITION):
            row.update(counter=b.uleb(), other=b.uleb())
        if row['kind'] == CONDITION:
            row['id'], yes, no = [b.uleb() - 1 for _ in range(3)]
            row['next'] = [no, yes]
    return row


def decode(mapping, files):
    b = Bytes(mapping)
    paths = [files[b.uleb()] for _ in range(b.uleb())]
    expressions = [(b.uleb(), b.uleb()) for _ in range(b.uleb())]
    regions = []
    for file in range(len(paths)):
        line = 0
        for _ in range(b.uleb()):
            row = region(b, file)
            line += b.uleb()
            column, lines, end = b.uleb(), b.uleb(), b.uleb()
            if end & 1 << 31:
                row['kind'] = GAP
                end &= (1 << 31) - 1
            if column == end == 0:
                column, end = 1, (1 << 32) - 1
            row['at'] = [line, column, line + lines, end]
            regions.append(row)
    require(b.at == b.end, 'bytes behind a mapping')
    return paths, expressions, regions


def counter_of(regions, row):
    while row['kind'] == EXPANSION:
        row = next(r for r in regions if r['file'] == row['into'])
    return row['counter']


def value(counter, expressions, counts):
    tag, number = counter & 3, counter >> 2
    if tag == 0:
        return 0
    if tag == 1:
        return counts[number]
    left, right = [value(c, expressions, counts) for c in expressions[number]]
    return left + right if tag == 3 else left - right


def ways(conditions):
    """Each way through the conditions: [outcome or None of each], result, in
    the order of their numbers."""
    width, index, into = {0: 1}, {}, {}
    last, queue = [], [0]
    incoming = [0] * len(conditions)
    for c in conditions:
        for to in c['next']:
            if to != NONE:
                incoming[to] += 1
    for node in queue:
        for outcome in (0, 1):
            to = conditions[node]['next'][outcome]
            if to == NONE:
                last.append((width[node], node, outcome))
                continue
            index[node, outcome] = width.get(to, 0)
            width[to] = width.get(to, 0) + width[node]
            into.setdefault(to, []).append((node, outcome))
            incoming[to] -= 1
            if incoming[to] == 0:
                queue.append(to)
    for size, node, result in sorted(last, key=lambda row: -row[0]):
        for number in range(size):
            outcomes, at, edge = [None] * len(conditions), number, (
                node, result)
            while edge:
                outcomes[edge[0]] = edge[1]
                edge = next((e for e in into.get(edge[0], []) if
                             index[e] <= at < index[e] + width[e[0]]), None)
                at -= index.get(edge, 0)
            yield outcomes, result


def decision(row, regions, bitmap):
    """A decision whose conditions stand in its own file, in one place."""
    low, high = tuple(row['at'][:2]), tuple(row['at'][2:])
    own = sorted((r for r in regions if r['kind'] == CONDITION and
                  r['file'] == row['file'] and low <= tuple(r['at'][:2]) and
                  tuple(r['at'][2:]) <= high), key=lambda r: r['id'])
    require(len(own) == row['size'], 'a decision without its conditions')
    every = list(ways(own))
    first = row['bitmap'] - len(every)
    ran = [way for i, way in enumerate(every, first)
           if bitmap[i // 8] >> i % 8 & 1]
    pairs = [any(a[1] != b[1] and [
        i for i, (x, y) in enumerate(zip(a[0], b[0]))
        if None not in (x, y) and x != y] == [c]
        for a in ran for b in ran) for c in range(len(own))]
    return pairs, [way for result in (0, 1) for way in ran
                   if way[1] == result]


def functions(data, profile):
    """What an object has, with {(name, hash): (counts, bitmap)}."""
    for name, digest, files, mapping in records_of(data):
        paths, expressions, regions = decode(mapping, files)
        known = [n for n, _ in profile]
        require(name not in known or (name, digest) in profile, 'the hash')
        counts, bitmap = profile.get((name, digest), ([0] * 64, bytes(8)))
        out = {'branches': [], 'filenames': paths, 'mcdc_records': [],
               'regions': [], 'name': name.decode()}
        for r in regions:
            if r['kind'] == DECISION:
                pairs, ran = decision(r, regions, bitmap)
                results = [way[1] for way in ran]
                out['mcdc_records'].append(r['at'] + [
                    results.count(1), results.count(0), r['file'], 0,
                    DECISION, pairs, [
                        {'conditions': [
                            None if c is None else bool(c) for c in way],
                         'executed': True, 'result': bool(result)}
                        for way, result in ran]])
                continue
            count = value(counter_of(regions, r), expressions, counts)
            if r['kind'] in (BRANCH, CONDITION):
                out['branches'].append(r['at'] + [
                    count, value(r['other'], expressions, counts), r['file'],
                    0, r['kind']])
            else:
                out['regions'].append(
                    r['at'] + [count, r['file'], r['into'], r['kind']])
        out['count'] = out['regions'][0][4]
        yield out
