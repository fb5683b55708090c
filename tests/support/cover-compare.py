#!/usr/bin/env python3
"""Compares coverage with llvm-cov, byte for byte, over random programs.

usage: cover-compare.py FIRST COUNT OUR-LLVM-COV OUR-LLVM-PROFDATA

The environment has JOBS (2), RELEASES ("13 14 15 16 19 22") and KEEP, a folder
for the programs that differ.  Says which do, and what was done.  Status 1 if
one does.
"""

import importlib
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
programs = importlib.import_module("cover-programs")

FORMATS = ["export -format=lcov", "export -format=text"]
MORE = [
        "export -format=lcov -summary-only",
        "export -format=text -summary-only",
        "export -format=text -skip-expansions",
        "export -format=text -skip-functions",
        "export -format=text -skip-functions -skip-expansions",
        "report",
        "report -show-branch-summary=false",
        "show -show-branches=count -show-expansions",
        "show -show-instantiations=false -show-regions",
        "show -show-line-counts-or-regions"]


def run(command, folder, **environment):
    env = dict(os.environ, **environment)
    try:
        done = subprocess.run(command, cwd=folder, env=env, timeout=60,
                              stdin=subprocess.DEVNULL, capture_output=True)
    except subprocess.TimeoutExpired:
        return None, b"", b"timeout"
    return done.returncode, done.stdout, done.stderr


# Records of an object, for profiles that no run would give.

def sections(path):
    """Names of sections and their bytes."""
    data = open(path, "rb").read()
    wide = data[4] == 2
    at, = struct.unpack_from("<Q" if wide else "<I", data, 40 if wide else 32)
    size, count, names = struct.unpack_from("<HHH", data, 58 if wide else 46)
    heads = []
    for i in range(count):
        h = at + i * size
        name, = struct.unpack_from("<I", data, h)
        offset, length = struct.unpack_from(
            "<QQ" if wide else "<II", data, h + (24 if wide else 16))
        heads.append((name, offset, length))
    strings = heads[names][1]
    for name, offset, length in heads:
        end = data.index(b"\0", strings + name)
        yield data[strings + name:end], data[offset:offset + length]


def uleb(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def counters(data):
    """How many counters and bits a mapping refers to."""
    at = most = bits = 0

    def next_number():
        nonlocal at
        value, at = uleb(data, at)
        return value

    def counter(value):
        nonlocal most
        if value & 3 == 1:
            most = max(most, (value >> 2) + 1)

    files = next_number()
    for _ in range(files):
        next_number()
    for _ in range(2 * next_number()):
        counter(next_number())
    for _ in range(files):
        for _ in range(next_number()):
            head = next_number()
            counter(head)
            if head & 3 == 0 and head & 4 == 0 and head >> 3 in (4, 6):
                counter(next_number())
                counter(next_number())
            if head & 7 == 0 and head >> 3 == 5:
                bits = max(bits, next_number())
                next_number()
            if head & 7 == 0 and head >> 3 == 6:
                for _ in range(3):
                    next_number()
            for _ in range(4):
                next_number()
    return most, bits


def records(path):
    """Functions of an object: name, hash, counters, bits."""
    names, found, at = {}, [], 0
    for name, data in sections(path):
        if name != b"__llvm_prf_names":
            continue
        while at < len(data):
            size, at = uleb(data, at)
            packed, at = uleb(data, at)
            if size == 0:
                continue
            text = data[at:at + (packed or size)]
            at += packed or size
            for one in (zlib.decompress(text) if packed else
                        text).split(b"\1"):
                names[programs.guid(one)] = one
    for name, data in sections(path):
        if name != b"__llvm_covfun":
            continue
        guid, size, digest, _ = struct.unpack_from("<QIQQ", data)
        if guid in names:
            found.append((names[guid], digest) + counters(
                data[28:28 + size]))
    return found


def random_count(r, kind):
    if kind == 0:
        return 0
    if kind == 1:
        return r.choice([0, 0, 1, 1, 2, 5, 100])
    if kind == 2:
        return r.choice([0, 1, 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63,
                         2**64 - 1, r.randrange(2**64)])
    return r.randrange(1, 1000)


def random_profile(made, paths):
    """A profile in text, of what the objects have and what they have not."""
    r = made["random"]
    text = b":fe\n"
    if "-enable-single-byte-coverage" in made["flags"]:
        text += b":single_byte_coverage\n"
    seen = set()
    for name, digest, count, bits in sorted(
            one for path in paths for one in records(path)):
        if (name, digest) in seen or r.random() < 0.08 or \
                re.search(rb"[\r\n]", name):
            continue
        seen.add((name, digest))
        kind = r.choice([0, 1, 1, 1, 2, 3, 3])
        chance = r.random()
        if chance < 0.05:
            digest ^= 1
        elif chance < 0.08:
            digest ^= 1 << 60
        elif chance < 0.11:
            count = max(1, count - 1)
        elif chance < 0.13:
            count += 2
        if "-enable-single-byte-coverage" in made["flags"]:
            kind = min(kind, 1)
        lines = [name, b"%d" % digest, b"%d" % max(1, count)]
        lines += [b"%d" % (random_count(r, kind) if kind != 1 or
                           "-enable-single-byte-coverage" not in
                           made["flags"] else r.randrange(2))
                  for _ in range(max(1, count))]
        if made["mcdc"] and bits:
            dense = r.choice([0, 1, 3])
            size = (bits + 7) // 8
            lines.append(b"$%d" % size)
            for _ in range(size):
                byte = 0
                for i in range(8):
                    byte |= (r.randrange(4) < dense) << i
                lines.append(b"0x%x" % byte)
        text += b"\n".join(lines) + b"\n\n"
    return text


# Programs.

def build_objects(made, release, folder):
    clang = "clang%s-%d" % ("++" if made["cpp"] else "", release)
    objects = []
    for i, unit in enumerate(made["units"]):
        status, _, said = run([clang, "-c", *made["flags"], b"-I.", unit,
                               "-o", "%d.o" % i], folder)
        if status != 0:
            return None, said
        objects.append("%d.o" % i)
    with open(os.path.join(folder, "p.proftext"), "wb") as f:
        f.write(random_profile(made, [os.path.join(folder, o)
                                      for o in objects]))
    return objects, ["p.proftext"]


def build_program(made, release, folder):
    r = made["random"]
    clang = "clang%s-%d" % ("++" if made["cpp"] else "", release)
    flags = [f for f in made["flags"] if f != "-m32"] + ["-I."]
    units, objects = made["units"], ["x"]
    if r.random() < 0.3:
        flags += ["-ffunction-sections", "-fdata-sections",
                  "-Wl,--gc-sections"]
    if len(units) > 1 and r.random() < 0.5:
        status, _, said = run([clang, *flags, "-fPIC", "-shared", units[1],
                               "-o", "libb.so"], folder)
        if status != 0:
            return None, said
        units = units[:1] + [b"libb.so", b"-Wl,-rpath," + os.fsencode(
            folder), b"-rdynamic"]
        objects.append("libb.so")
    status, _, said = run([clang, *flags, *units, "-o", "x"], folder)
    if status != 0:
        return None, said
    if r.random() < 0.2:
        status, _, said = run([clang, *flags, "-DGIVEN", *units, "-o", "y"],
                              folder)
        objects += ["y"] * (status == 0)
    profiles = []
    for i in range(r.choice([0, 1, 1, 2, 3])):
        raw = os.path.join(folder, "%d.profraw" % i)
        try:
            subprocess.run([os.path.join(folder, r.choice(objects[-1:] + [
                "x"]).replace("libb.so", "x"))] + ["a"] * r.randrange(3),
                cwd=folder, timeout=3, stdin=subprocess.DEVNULL,
                env=dict(os.environ, LLVM_PROFILE_FILE=raw),
                capture_output=True)
        except subprocess.TimeoutExpired:
            pass
        if os.path.exists(raw) and os.path.getsize(raw) > 0:
            profiles.append(raw)
    if not profiles:
        with open(os.path.join(folder, "p.proftext"), "wb") as f:
            f.write(b":fe\nmain\n1\n1\n1\n\n" * r.randrange(2))
        profiles = ["p.proftext"]
    r.shuffle(objects)
    return objects, profiles


def compare(seed, releases, tools, folder):
    """What was found: (kind, text)."""
    release = releases[seed % len(releases)]
    made = programs.write(seed, release, folder)
    r = made["random"]
    how = build_program if r.random() < 0.25 else build_objects
    objects, profiles = how(made, release, folder)
    if objects is None:
        return [("not built", profiles[:300].decode(errors="replace"))]
    reader = release
    if r.random() < 0.2:
        reader = r.choice([n for n in releases if n >= release])
    compat = {"PROFTOOLS_COMPAT": str(reader)}
    status, _, said = run([tools[1], "merge", *(["-sparse"] * (
        r.random() < 0.2)), *profiles, "-o", "p"], folder, **compat)
    if status != 0:
        return [("no profile", said[:300].decode(errors="replace"))]
    arguments = ["-instr-profile=p", objects[0]]
    for o in objects[1:]:
        arguments.append("-object=" + o)
    found = []
    for words in FORMATS + ([r.choice(MORE)] if r.random() < 0.4 else []):
        options = words.split()
        theirs = run(["llvm-cov-%d" % reader, *options, *arguments],
                     folder)
        ours = run([tools[0], *options, *arguments], folder,
                   **compat)
        if theirs[0] == 0 and ours[0] == 0 and theirs[1] == ours[1]:
            found.append(("same", ""))
            continue
        if theirs[0] not in (0, None) and theirs[0] > 0 and ours[0]:
            found.append(("both refuse", theirs[2][:200].decode(
                errors="replace")))
            continue
        if theirs[0] is None or theirs[0] < 0 or b"PLEASE" in theirs[2]:
            found.append(("LLVM fails", theirs[2][:200].decode(
                errors="replace")))
            continue
        found.append(("differs", "release %d, reader %d, status %s and %s: "
                      "llvm-cov-%d %s\n  %s\n  %s" % (
                          release, reader, theirs[0], ours[0], reader,
                          " ".join(options + arguments),
                          theirs[2][:200].decode(errors="replace").strip(),
                          ours[2][:200].decode(errors="replace").strip())))
    return found


def main():
    first, count = int(sys.argv[1]), int(sys.argv[2])
    tools = [os.path.abspath(p) for p in sys.argv[3:5]]
    releases = [int(n) for n in os.environ.get(
        "RELEASES", "13 14 15 16 19 22").split() if
        all(shutil.which(t + n) for t in ("clang-", "llvm-cov-"))]
    if not releases:
        sys.exit("no release of LLVM")
    keep = os.environ.get("KEEP")
    sums = {}

    def one(seed):
        folder = tempfile.mkdtemp(prefix="cover-")
        try:
            found = compare(seed, releases, tools, folder)
            if keep and any(kind == "differs" for kind, _ in found):
                shutil.copytree(folder, os.path.join(keep, str(seed)),
                                dirs_exist_ok=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return seed, found

    with ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        for seed, found in pool.map(one, range(first, first + count)):
            for kind, text in found:
                sums[kind] = sums.get(kind, 0) + 1
                if kind != "same":
                    print("%s: program %d: %s" % (kind, seed, text),
                          flush=True)
    print("programs %d: %s" % (count, ", ".join(
        "%s %d" % kind for kind in sorted(sums.items()))))
    sys.exit(1 if "differs" in sums or "same" not in sums else 0)


if __name__ == "__main__":
    main()
