"""Bundles, from prof-bundle(1)."""
import hashlib
import io
import json
import tarfile

import indexed
import lprf
import raw
from common import Bad

READERS = {'raw': raw.read, 'indexed': indexed.read, 'lprf': lprf.read}


def check(line, data):
    """The manifest is true of a member."""
    if line['size'] != len(data) or \
            line['sha256'] != hashlib.sha256(data).hexdigest():
        raise Bad(line['member'] + ' is another one')


def profiles_of(name, lines, data, source):
    line = next(row for row in lines if row['member'] == name)
    check(line, data)
    rows = list(READERS[line['format']](data, {**source, 'member': name}))
    if sum(row['record'] == 'profile' for row in rows) != line['profiles']:
        raise Bad('number of profiles')
    return rows


def read(data, source):
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        members = [(m.name, archive.extractfile(m).read()) for m in archive]
    if not members or members[0][0] != 'MANIFEST':
        raise Bad('no manifest')
    head, *lines = [json.loads(line) for line in members[0][1].splitlines()]
    if head['bundle'] != 1 or head['profiles'] != len(lines) or \
            head['members'] != len(members) - 1:
        raise Bad('manifest')
    rows = [row for name, content in members[1:]
            for row in profiles_of(name, lines, content, source)]
    for row in rows[:-1]:
        row.pop('last', None)
    return rows
