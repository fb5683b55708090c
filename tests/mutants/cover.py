"""Which tests run which lines: found once, in a build that notes its blocks."""
import concurrent.futures
import glob
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from tree import LIBRARY

# Tests that judge a mutant, below tests/.
BATS = ("programs/*.bats", "subjects/*.bats", "oracle/llvm-profdata.bats")
# Most of their tests compare with LLVM's own tools, and are skipped without.
ORACLES = ("llvm-profdata",)
# These judge sources and pages; the programs are not what they ask about.
STATIC = ("faults", "lint", "structure", "man")
MEMORY = 8 << 30  # bytes a test may map; a mutant may ask for all there is
FILE = 4 << 30    # bytes a test may write to one file


def limit(processor):
    for kind, most in ((resource.RLIMIT_AS, MEMORY),
                       (resource.RLIMIT_FSIZE, FILE),
                       (resource.RLIMIT_CPU, processor),
                       (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(kind, (int(most), resource.getrlimit(kind)[1]))


def environment(source, folder, file="", more=None):
    """For the tests of a file; folder: the build that they are to try."""
    path = os.path.join(folder, "cmd") + ":" + os.environ["PATH"]
    name = os.path.splitext(os.path.basename(file))[0]
    return dict(os.environ, top_srcdir=source, top_builddir=folder, PATH=path,
                LD_LIBRARY_PATH=folder,
                # Targets of fuzzing have a cli_restrict that does nothing,
                # of which the shared library does not know.
                PROFTOOLS_SANDBOX="off" if name == "fuzz" else "",
                PROFTOOLS_NO_ORACLES="" if name in ORACLES else "1",
                **(more or {}))


def bats_files(source):
    return [path for path in
            sorted(path for pattern in BATS for path in
                   glob.glob(os.path.join(source, "tests", pattern)))
            if os.path.basename(path)[:-5] not in STATIC]


def run_lines(command, folder, env, seconds, processor=3600):
    """Runs a test; yields its lines, and at last ('end', status), which is
    'late' after so many seconds.  processor: seconds of each process."""
    with tempfile.TemporaryDirectory(prefix="mutant.", dir=folder) as scratch:
        process = subprocess.Popen(
            command, cwd=scratch, env=dict(env, TMPDIR=scratch),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, errors="replace",
            start_new_session=True, preexec_fn=lambda: limit(processor))
        late = []

        def stop():
            late.append(True)
            os.killpg(process.pid, signal.SIGKILL)

        alarm = threading.Timer(seconds, stop)
        alarm.start()
        try:
            for line in process.stdout:
                yield line.rstrip("\n")
            yield "end", "late" if late else process.wait()
        finally:
            alarm.cancel()
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.stdout.close()
            process.wait()


def blocks(path, source):
    """Offset of each block's first code -> its lines (file, line)."""
    found, lines, place, block = {}, {}, None, None
    process = subprocess.Popen(
        ["objdump", "-d", "-l", "--no-show-raw-insn", path],
        stdout=subprocess.PIPE, text=True, errors="replace")
    called = False
    for line in process.stdout:
        match = re.match(r" +([0-9a-f]+):\t(.*)", line)
        if match:
            if called:
                block = found.setdefault(int(match[1], 16), set())
                block |= lines
                lines, called = set(), False
            if "call" in match[2] and "__sanitizer_cov_trace_pc" in match[2]:
                called = True
                if block is None:
                    continue
                lines = set()
            if place and block is not None and not called:
                block.add(place)
            elif place and block is None:
                lines.add(place)
        elif re.match(r"[0-9a-f]+ <", line):
            block, lines, place, called = None, set(), None, False
        else:
            match = re.match(r"(/.*?):(\d+)", line)
            if match:
                name = os.path.relpath(os.path.normpath(match[1]), source)
                place = (name, int(match[2])) \
                    if re.match(r"(?:lib|cmd)/", name) else None
    process.wait()
    return found


class Map:
    """Seconds of each test, and the tests that run a line."""

    def __init__(self, path):
        self.path = path
        self.tests = {}     # of each test: seconds
        self.reached = {}   # (path, line): tests
        self.files = {}     # of each file of tests: the digest of what it was
        if os.path.exists(path):
            self.load()

    def load(self):
        with open(self.path) as file:
            stored = json.load(file)
        self.tests, self.files = stored["tests"], stored["files"]
        names = list(self.tests)
        sets = [frozenset(names[i] for i in chosen)
                for chosen in stored["sets"]]
        self.reached = {(path, int(line)): sets[chosen]
                        for path, lines in stored["lines"].items()
                        for line, chosen in lines.items()}

    def save(self):
        """Lines share few sets of tests, each of which is stored once."""
        numbers, lines = {}, {}
        index = {name: i for i, name in enumerate(self.tests)}
        for (path, line), tests in sorted(self.reached.items()):
            key = tuple(sorted(index[test] for test in tests))
            lines.setdefault(path, {})[line] = numbers.setdefault(
                key, len(numbers))
        with open(self.path + ".new", "w") as file:
            json.dump({"tests": self.tests, "files": self.files,
                       "sets": list(numbers), "lines": lines}, file)
        os.replace(self.path + ".new", self.path)

    def of(self, path, line):
        """The tests that run a line."""
        return list(self.reached.get((path, line), ()))

    def forget(self, file):
        """Removes the tests of a file."""
        gone = {test for test in self.tests if test.split(":")[0] == file}
        for test in gone:
            del self.tests[test]
        for place, tests in list(self.reached.items()) if gone else ():
            self.reached[place] = tests - gone
            if not self.reached[place]:
                del self.reached[place]
        self.files.pop(file, None)

    def add(self, file, seconds, reached, digest):
        self.tests.update(seconds)
        for place, tests in reached.items():
            self.reached[place] = self.reached.get(place, frozenset()) | tests
        self.files[file] = digest


class Cover:
    """Runs the tests in the tree that notes blocks."""

    def __init__(self, tree, map_):
        self.tree = tree
        self.known = {}
        self.map = map_

    def read(self, test, folder, reached):
        """Adds what a test left in a folder, and removes the folder."""
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            table = self.table(name)
            with open(os.path.join(folder, name), "rb") as file:
                for match in re.finditer(b"\1", read_sparse(file)):
                    for place in table.get(match.start(), ()):
                        reached.setdefault(place, set()).add(test)
        shutil.rmtree(folder, ignore_errors=True)

    def table(self, name):
        if name not in self.known:
            path = os.path.join(self.tree.folder, "cmd", name)
            if name == LIBRARY:
                path = os.path.join(self.tree.folder, name)
            elif "tests/unit/" + name in self.tree.wrapped():
                path = os.path.join(self.tree.folder, "tests/unit", name)
            self.known[name] = blocks(path, self.tree.source) \
                if os.path.isfile(path) else {}
        return self.known[name]

    def unit(self, name, path, scratch):
        folder = os.path.join(scratch, name.replace("/", "-"))
        os.mkdir(folder)
        env = environment(self.tree.source, self.tree.folder, path,
                          {"MUTANTS_COVER": folder})
        start = time.monotonic()
        ended = list(run_lines([path], scratch, env, 600))
        good = ended[-1][1] == 0 and not any(
            line.startswith("not ok") for line in ended[:-1])
        return {name: time.monotonic() - start} if good else {}, \
            {name: os.path.join(folder, "run")}

    def bats(self, name, path, scratch):
        folder = os.path.join(scratch, name.replace("/", "-"))
        os.mkdir(folder)
        env = environment(self.tree.source, self.tree.folder, path,
                          {"MUTANTS_COVER": folder})
        seconds, folders = {}, {}
        for line in run_lines(["bats", "-T", "--tap", path], scratch, env,
                              1800):
            match = isinstance(line, str) and \
                re.match(r"ok (\d+) (.*) in (\d+)ms(.*)", line)
            if match and "# skip" not in match[4]:
                test = "%s:%s" % (name, match[2])
                seconds[test] = int(match[3]) / 1000
                folders[test] = os.path.join(folder, "%s:%s" % (
                    os.path.basename(path), match[1]))
        return seconds, folders

    def files(self):
        """How each file of tests is run: name, function, path, source."""
        folder, source = self.tree.folder, self.tree.source
        for word in self.tree.variable("unit_tests"):
            name = os.path.basename(word)
            yield "unit/" + name, self.unit, os.path.join(folder, word), \
                os.path.join(source, "tests/unit", name + ".c")
        for path in bats_files(source):
            yield os.path.relpath(path, os.path.join(source, "tests")), \
                self.bats, path, path

    def one(self, name, how, path, scratch):
        reached = {}
        seconds, folders = how(name, path, scratch)
        for test in seconds:
            self.read(test, folders[test], reached)
        return seconds, reached

    def run(self, jobs, wanted):
        """Brings the map up to date for the files of tests that match."""
        work = []
        for name, how, path, source in self.files():
            now = digest(source)
            if re.search(wanted, name) and self.map.files.get(name) != now:
                work.append((name, how, path, now))
        with tempfile.TemporaryDirectory(prefix="cover.",
                                         dir=self.tree.folder) as scratch, \
                concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            running = {pool.submit(self.one, name, how, path, scratch):
                       (name, now) for name, how, path, now in work}
            for job in concurrent.futures.as_completed(running):
                name, now = running[job]
                self.map.forget(name)
                self.map.add(name, *job.result(), now)
                self.map.save()


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def read_sparse(file):
    """The bytes of a file up to its last data."""
    end, size = 0, os.fstat(file.fileno()).st_size
    while end < size:
        try:
            begin = os.lseek(file.fileno(), end, os.SEEK_DATA)
            end = os.lseek(file.fileno(), begin, os.SEEK_HOLE)
        except OSError:
            break
    file.seek(0)
    return file.read(end)
