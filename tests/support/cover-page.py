#!/usr/bin/env python3
"""The data of a page of prof-cover: cover-page.py PAGE [PATH FIRST LAST]...

Prints the index as a line of JSON, then a line for each file: what the index
has of it, its record with lines as they are, and its source in hex.  With
lines of a patch, prints the page with them instead.
"""
import base64
import json
import re
import struct
import sys
import zlib

GZIP = 31


def inflated(member):
    return zlib.decompress(member, GZIP)


def deflated(text):
    make = zlib.compressobj(wbits=GZIP)
    return make.compress(text) + make.flush()


def with_lines(record):
    """Lines in place of their differences."""
    for key in 'lines', 'missed', 'branches':
        line = 0
        for item in record[key]:
            line = item[0] = item[0] + line
    return record


def main(page, *patch):
    text = open(page, encoding='utf-8').read()
    place = re.search('id="data">([^<]*)<', text)
    packed = base64.b64decode(place.group(1))
    (at,) = struct.unpack('<Q', packed[-8:])
    index = json.loads(inflated(packed[at:-8]))
    files = index['files']
    if patch:
        index['patch'] = True
        for path, first, last in zip(*[iter(patch)] * 3):
            for file in files:
                if file['path'] == path:
                    file['changed'].append([int(first), int(last)])
        made = packed[:at] + deflated(json.dumps(index).encode())
        made = base64.b64encode(made + packed[-8:]).decode()
        sys.stdout.write(text[:place.start(1)] + made + text[place.end(1):])
        return
    print(json.dumps({**index, 'files': len(files)}))
    ends = [file['at'] for file in files[1:]] + [at]
    for file, end in zip(files, ends):
        record, text = inflated(packed[file['at']:end]).split(b'\n', 1)
        print(json.dumps({**file, **with_lines(json.loads(record)),
                          'text': text.hex()}))


main(*sys.argv[1:])
