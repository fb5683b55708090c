#!/usr/bin/env python3
"""generate.py FOLDER: makes the vectors there, by the programs in PATH and
write-raw of the tests (those that these write), older.py and mappings.py
(those that they only read), and bad.list."""
import hashlib
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import mappings  # noqa: E402
import older  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ORDERS = {'le': '<', 'be': '>'}
SINCE = {'entry_first': 5, 'binary': 6, 'bitmap': 9, 'vtable': 10,
         'vtable_target': 10, 'uniform_counts': 11}


def run(*command, folder='.', allow=(0,)):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode not in allow:
        sys.exit(f'{command}: {done.stderr.decode()}')
    return done.stdout


def source(name):
    return os.path.join(HERE, 'sources', name + '.ndjson')


def write(path, data):
    with open(path, 'wb') as file:
        file.write(data)


def lines_for(version):
    """What raw version `version` can hold of the functions, by jq."""
    old = [key for key, since in SINCE.items() if since > version]
    return run('jq', '-c', '--argjson', 'old', str(old).replace("'", '"'),
               'select(.record as $r | $old | index($r) | not)'
               ' | delpaths([$old[] | [.]])'
               ' | if .values then delpaths([$old[] | ["values", .]]) else . end',
               source('functions'))


def convert(path, text, to):
    """Writes a raw profile from the lines of a stream."""
    done = subprocess.run(['write-raw', to, '-o', path], input=text,
                          check=False)
    if done.returncode != 0:
        sys.exit(path)


def make_raw():
    for bits in (64, 32):
        for name, order in ORDERS.items():
            for version in (1, 2, 3):
                write(f'raw/v{version}-{bits}{name}.profraw',
                      older.raw_image(version, bits, order))
            for version in range(4, 12):
                to = f'raw:{version}' + (',be' if name == 'be' else '') + (
                    ',32' if bits == 32 else '')
                convert(f'raw/v{version}-{bits}{name}.profraw',
                        lines_for(version), to)
    for name in ('temporal', 'coverage'):
        with open(source(name), 'rb') as file:
            convert(f'raw/{name}.profraw', file.read(), 'raw:10')
    write('raw/correlated.profraw', older.correlated_image('<'))
    with open('raw/v10-64le.profraw', 'rb') as first, \
            open('raw/temporal.profraw', 'rb') as second:
        write('raw/several.profraw', first.read() + second.read())


def make_indexed():
    for version in range(1, 14):
        run('prof-index', '-q', '--to', f'indexed:{version}', '-o',
            f'indexed/v{version}.profdata', source('functions'))
    run('prof-index', '-q', '--to', 'indexed:12', '-o',
        'indexed/temporal.profdata', source('temporal'))


def make_heap():
    for name, order in ORDERS.items():
        for version in (1, 2):
            write(f'memprof-raw/v{version}-{name}.memprofraw',
                  older.heap_image(version, order))
        for version in (3, 4, 5):
            to = f'memprof-raw:{version}' + (',be' if name == 'be' else '')
            run('write-raw', to, '-o',
                f'memprof-raw/v{version}-{name}.memprofraw', source('heap'))
    index = ['prof-index', '-q', '--to']
    for version in range(5):
        run(*index, f'indexed:{13 if version == 4 else 12},memprof-{version}',
            '-o', f'memprof/v{version}.profdata', source('heap'))
    run(*index, 'indexed:13,memprof-4', '-o', 'memprof/small.profdata',
        source('small-heap'))
    run(*index, 'indexed:13,full', '-o', 'memprof/full.profdata',
        source('heap'))


def make_others():
    for to, path in (('text', 'text/functions.proftext'),
                     ('lprf:2,plain', 'lprf/v2.lprf')):
        run('profraw-cat', '-q', '--to', to, '-o', path, source('functions'))
    text = run('profraw-cat', '-q', '--to', 'yaml', 'memprof/v4.profdata')
    write('yaml/heap.yaml', text[text.rindex(b'---\n'):])
    run('profraw-cat', '-q', '--to', 'lprf:2,plain', '-o', 'lprf/temporal.lprf',
        source('temporal'))
    for name, path in (('loose', 'stream/loose.stream'),
                       ('packed', 'lprf/packed.lprf')):
        shutil.copyfile(os.path.join(HERE, 'sources', name), path)


def make_bundle():
    members = ['raw/v8-64le.profraw', 'indexed/v2.profdata', 'lprf/v2.lprf']
    # Contents only: runs are told apart by times of files.
    run('prof-bundle', 'create', '-q', '--dedup', 'content', '--pack', 'gzip',
        '-o', 'bundle/several.bundle', *members)


def make_coverage():
    for name in ('least.proftext', 'a.c', 'clang-13.o', 'clang-16.o',
                 'clang-22.o'):
        shutil.copyfile(os.path.join(HERE, 'sources', name),
                        'coverage/' + name)
    for version in range(1, 8):
        for bits in (64, 32):
            for name, order in ORDERS.items():
                write(f'coverage/v{version}-{bits}{name}.elf',
                      mappings.elf_image(version, bits, order))
    for path in [f'v{version}-64le.elf' for version in range(1, 8)] + [
            f'clang-{release}.o' for release in (13, 16, 22)]:
        base = os.path.splitext(path)[0].removesuffix('-64le')
        write(f'coverage/{base}.json',
              run('prof-cover', '-q', '--to', 'llvm-json', 'least.proftext',
                  path, folder='coverage'))


def describe(folder, name):
    """The stream, and the text of a vector, if it has one, beside it."""
    base, suffix = os.path.splitext(name)
    write(f'{folder}/{base}.ndjson',
          run('profraw-cat', '-q', name, folder=folder))
    to = {'memprof': 'yaml', 'yaml': None, 'text': None, 'bundle': None,
          'memprof-raw': None}.get(folder, 'text')
    if to is None or base in ('correlated', 'several', 'loose'):
        return
    text = run('profraw-cat', '-q', '--to', to, name, folder=folder)
    write(f'{folder}/{base}.{ {"text": "proftext"}.get(to, to) }', text)


def patched(data, edits):
    """OFFSET=HEX replaces bytes, cut=SIZE drops those behind, add=HEX adds."""
    data = bytearray(data)
    for edit in edits:
        place, value = edit.split('=')
        if place == 'cut':
            del data[int(value, 0):]
        elif place == 'add':
            data += bytes.fromhex(value)
        else:
            new = bytes.fromhex(value)
            data[int(place, 0):int(place, 0) + len(new)] = new
    return bytes(data)


def make_bad():
    """Each row of bad.list: a name, the vector that it was, and edits."""
    with open(os.path.join(HERE, 'bad.list'), encoding='utf-8') as file:
        rows = [line.split() for line in file if line[0] not in '#\n']
    for name, base, *edits in rows:
        path = name + os.path.splitext(base)[1]
        with open(base, 'rb') as file:
            write('bad/' + path, patched(file.read(), edits))
        line = run('prof-check', path, folder='bad', allow=(1,)).decode()
        write(f'bad/{name}.reason',
              line.removeprefix(path + ': bad: ').encode())


def write_digests(folders):
    with open('SHA256SUMS', 'w', encoding='utf-8') as sums:
        for folder in folders:
            for name in sorted(os.listdir(folder)):
                with open(f'{folder}/{name}', 'rb') as file:
                    digest = hashlib.sha256(file.read()).hexdigest()
                sums.write(f'{digest}  {folder}/{name}\n')


def main():
    folder = sys.argv[1]
    folders = ['raw', 'indexed', 'memprof-raw', 'memprof', 'text', 'lprf',
               'yaml', 'stream', 'bundle']
    for name in folders + ['coverage', 'bad']:
        os.makedirs(os.path.join(folder, name))
    os.chdir(folder)
    make_raw()
    make_indexed()
    make_heap()
    make_others()
    make_bundle()
    make_coverage()
    for name in folders:
        for path in sorted(os.listdir(name)):
            describe(name, path)
    make_bad()
    write_digests(folders + ['coverage', 'bad'])


if __name__ == '__main__':
    main()
