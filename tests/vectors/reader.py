#!/usr/bin/env python3
"""reader.py FOLDER: decodes the vectors of the folder by readers that were
written from the manual pages alone, and compares with the streams beside them."""
import json
import os
import sys

sys.dont_write_bytecode = True
import bundle  # noqa: E402
import indexed  # noqa: E402
import lprf  # noqa: E402
import memprof  # noqa: E402
import memprof_raw  # noqa: E402
import raw  # noqa: E402
import stream  # noqa: E402
import text  # noqa: E402

# A reader for each folder, and how its vectors end.
READERS = {'raw': (raw.read, '.profraw'),
           'indexed': (indexed.read, '.profdata'),
           'memprof': (memprof.read, '.profdata'),
           'memprof-raw': (memprof_raw.read, '.memprofraw'),
           'text': (text.read, '.proftext'), 'lprf': (lprf.read, 'v1.lprf'),
           'stream': (stream.read, '.stream'),
           'bundle': (bundle.read, '.bundle')}
try:
    import heap_yaml
    READERS['yaml'] = (heap_yaml.read, '.yaml')
except ImportError:
    print('yaml: left out, python3-yaml is not there')


def main():
    failed = count = 0
    for folder, (read, ending) in READERS.items():
        path = os.path.join(sys.argv[1], folder)
        for name in sorted(os.listdir(path)):
            if not name.endswith(ending):
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
    print(count, 'vectors,', failed, 'wrong')
    sys.exit(failed != 0 or count == 0)


if __name__ == '__main__':
    main()
