#!/usr/bin/env python3
"""reader.py FOLDER: decodes the vectors of the folder by readers that were
written from the manual pages alone, and compares with the streams beside them;
the bad ones have to be refused."""
import json
import os
import sys

sys.dont_write_bytecode = True
import bundle  # noqa: E402
import coverage  # noqa: E402
import indexed  # noqa: E402
import lprf  # noqa: E402
import memprof  # noqa: E402
import memprof_raw  # noqa: E402
import raw  # noqa: E402
import stream  # noqa: E402
import text  # noqa: E402
from common import Bad  # noqa: E402

# A reader for each folder, and how its vectors end.
READERS = {'raw': (raw.read, '.profraw'),
           'indexed': (indexed.read, '.profdata'),
           'memprof': (memprof.read, '.profdata'),
           'memprof-raw': (memprof_raw.read, '.memprofraw'),
           'text': (text.read, '.proftext'), 'lprf': (lprf.read, '.lprf'),
           'stream': (stream.read, '.stream'),
           'bundle': (bundle.read, '.bundle')}
try:
    import heap_yaml
    READERS['yaml'] = (heap_yaml.read, '.yaml')
except ImportError:
    print('yaml: left out, python3-yaml is not there')


# What a reader cannot do here.
SKIPPED = set() if lprf.ZSTD else {'packed.lprf', 'lprf-frame.lprf'}
for skipped in SKIPPED:
    print(skipped + ': left out, zstd is not there')


def refuse_bad(path):
    """The number of bad vectors, whose names begin with their format, and of
    those that are taken."""
    count = taken = 0
    for name in sorted(os.listdir(path)):
        formats = [f for f in READERS if name.startswith(f + '-')]
        if name.endswith('.reason') or name in SKIPPED or not formats:
            continue
        count += 1
        with open(f'{path}/{name}', 'rb') as file:
            data = file.read()
        try:
            list(READERS[max(formats, key=len)][0](data, {'file': name}))
        except Bad:
            continue
        taken += 1
        print('taken:', name)
    return count, taken


def functions_wrong(path):
    """The number of binaries, and of those whose functions are not those of the
    JSON of llvm-cov beside them."""
    with open(f'{path}/least.proftext', 'rb') as file:
        rows = file.read().split(b'\n')
    counts = [int(n) for n in rows[3:3 + int(rows[2])]]
    profile = {(rows[0], int(rows[1])): (counts, bytes([int(rows[9], 0)]))}
    count = wrong = 0
    for name in sorted(os.listdir(path)):
        base, ending = os.path.splitext(name)
        if ending not in ('.elf', '.o'):
            continue
        with open(f'{path}/{name}', 'rb') as file:
            got = list(coverage.functions(file.read(), profile))
        if ending == '.elf':
            base = base.split('-')[0]
        with open(f'{path}/{base}.json', encoding='utf-8') as file:
            want = json.load(file)['data'][0]['functions']
        count += 1
        for rows in (got, want):
            rows.sort(key=lambda row: row['name'])
        if got != want:
            wrong += 1
            print('coverage', name)
            print(' got ', json.dumps(got))
            print(' want', json.dumps(want))
    return count, wrong


def main():
    failed = count = 0
    for folder, (read, ending) in READERS.items():
        path = os.path.join(sys.argv[1], folder)
        for name in sorted(os.listdir(path)):
            if not name.endswith(ending) or name in SKIPPED:
                continue
            base = os.path.splitext(name)[0]
            with open(f'{path}/{name}', 'rb') as file:
                data = file.read()
            with open(f'{path}/{base}.ndjson', encoding='utf-8') as file:
                want = [json.loads(line) for line in file]
            got = list(read(data, {'file': name}))
            count += 1
            if got != want:
                failed += 1
                print(folder, name)
                for a, b in zip(got, want):
                    if a != b:
                        print(' got ', json.dumps(a))
                        print(' want', json.dumps(b))
                        break
                else:
                    print(len(got), len(want))
    binaries, wrong = functions_wrong(os.path.join(sys.argv[1], 'coverage'))
    count += binaries
    failed += wrong
    bad, taken = refuse_bad(os.path.join(sys.argv[1], 'bad'))
    print(bad, 'bad vectors,', taken, 'taken')
    print(count, 'vectors,', failed, 'wrong')
    sys.exit(failed + taken != 0 or count * bad == 0)


if __name__ == '__main__':
    main()
