"""LLVM's profiles of any format, through the C library libprof.

Functions of a profile, and how often they were called:

    import libprof
    for f in libprof.functions("app.profdata"):
        print(f.name, f.hash, f.counts)

A sum of many runs, and the lines that they executed:

    libprof.merge(["a.profraw", "runs.tar.zst"], "app.profdata")
    for file in libprof.coverage(["app.profdata"], ["app"]):
        print(file.path, file.covered(), "of", len(file.lines))

All records with all fields come from items(), whose fields are those of
prof_item_kind(3).  What fails raises Error.  An object may be used by one
thread at a time.
"""

import ctypes
import dataclasses
import enum
import os
from fractions import Fraction
from typing import Callable, Dict, Iterable, Iterator, List, Optional, Union

__all__ = ["Code", "CoveredFile", "CoveredFunction", "Error", "Field",
           "Function", "Item", "Kind", "Warn", "coverage", "functions",
           "items", "merge", "version"]

Path = Union[str, bytes, "os.PathLike[str]"]
Weight = Union[int, str, Fraction]      # 10, "1/3" or "0.7"


class Code(enum.IntEnum):
    """Why something failed: enum prof_code of libprof/read.h."""

    NONE, FORMAT, VERSION, TRUNCATED, CORRUPT, MISMATCH, LIMIT, UNSUPPORTED, \
        MEMORY, SYSTEM, LIBRARY, USE = range(12)


class Kind(enum.IntEnum):
    """What an item is: enum prof_item_kind of libprof/read.h."""

    PROFILE, BINARY, VTABLE, FUNCTION, RAW_COUNTERS, TRACE, NAME, SEGMENT, \
        STACK, ALLOCATION, HEAP_FUNCTION, DATA_ACCESS, COLD_SYMBOL, OTHER, \
        END = range(1, 16)
    SITE, VALUE, SYMBOL, FRAME, ALLOC_SITE, CALL_SITE, LOCATION = range(32, 39)


class Field(enum.IntEnum):
    """A field of an item: enum prof_field of libprof/read.h."""

    # Bytes.
    NAME, FILE, MEMBER, FORMAT, BUILD_ID, BITMAP, EXTRA = range(64, 71)
    # Numbers.
    KIND, LEVEL, ATTRIBUTES, VERSION, ENDIAN, POINTER_BITS, OFFSET, INPUTS, \
        WAVE_SIZE, TRACE_STREAM_SIZE, FRONTEND_FIRST, FRONTEND_LAST, GUID, \
        HASH, START, STOP, SIZE, WEIGHT, ID, STACK, FILE_ADDRESSES, VALUE, \
        COUNT, LINE, START_LINE, LINE_OFFSET, COLUMN, DISCRIMINATOR, \
        INLINED = range(96, 125)
    # Numbers in a row.
    COUNTS, UNIFORM_COUNTS, PCS, SEGMENTS, HISTOGRAM, \
        CALLEES = range(160, 166)
    # Lists of items.
    CALL_TARGETS, MEM_OP_SIZES, VTABLE_TARGETS, VALUES, FUNCTIONS, FRAMES, \
        ALLOC_SITES, CALL_SITES, LOCATIONS = range(192, 201)


_SPARSE = 1                     # PROF_SUM_SPARSE
_FORMAT_VERSION = 1             # PROF_OUT_VERSION

_pointer, _int, _text = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
_u32, _u64, _size = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_size_t
_to = ctypes.POINTER
_listener = ctypes.CFUNCTYPE(None, _pointer, _pointer)


def _load(name: str) -> ctypes.CDLL:
    """The library of the system, or that of the prefix of this module."""
    try:
        return ctypes.CDLL(name)
    except OSError:
        here = os.path.dirname(os.path.abspath(__file__))
        beside = os.path.join(here, "..", "..", name)
        if not os.path.exists(beside):
            raise
        return ctypes.CDLL(beside)


_lib = _load("libprof.so.1")
for _name, _result, _arguments in (
        ("prof_version", _text, ()),
        ("prof_new", _pointer, ()),
        ("prof_free", None, (_pointer,)),
        ("prof_listen", None, (_pointer, _listener, _pointer)),
        ("prof_error", _pointer, (_pointer,)),
        ("prof_problem_code", _int, (_pointer,)),
        ("prof_problem_reason", _text, (_pointer,)),
        ("prof_problem_file", _text, (_pointer,)),
        ("prof_problem_member", _text, (_pointer,)),
        ("prof_problem_text", _text, (_pointer,)),
        ("prof_input_open", _pointer, (_pointer, _text)),
        ("prof_input_select", _int, (_pointer, _text, _size)),
        ("prof_input_next", _int, (_pointer, _to(_pointer))),
        ("prof_input_close", None, (_pointer,)),
        ("prof_item_kind", _int, (_pointer,)),
        ("prof_item_number", _int, (_pointer, _int, _to(_u64))),
        ("prof_item_bytes", _pointer, (_pointer, _int, _to(_size))),
        ("prof_item_numbers", _to(_u64), (_pointer, _int, _to(_size))),
        ("prof_item_parts", _size, (_pointer, _int)),
        ("prof_item_part", _pointer, (_pointer, _int, _size)),
        ("prof_output_open", _pointer, (_pointer, _text, _text)),
        ("prof_output_set", _int, (_pointer, _int, _u64)),
        ("prof_output_finish", _int, (_pointer,)),
        ("prof_output_free", None, (_pointer,)),
        ("prof_sum_new", _pointer, (_pointer,)),
        ("prof_sum_set", _int, (_pointer, _int, _u64)),
        ("prof_sum_add_input", _int, (_pointer, _pointer, _u64, _u64)),
        ("prof_sum_write", _int, (_pointer, _pointer)),
        ("prof_sum_free", None, (_pointer,)),
        ("prof_cover_new", _pointer, (_pointer,)),
        ("prof_cover_add_binary", _int, (_pointer, _text)),
        ("prof_cover_next_file", _int, (_pointer, _to(_pointer), _to(_size))),
        ("prof_cover_next_line", _int, (_pointer, _to(_u32), _to(_u64))),
        ("prof_cover_next_function", _int,
         (_pointer, _to(_pointer), _to(_size), _to(_u32), _to(_u64))),
        ("prof_cover_free", None, (_pointer,))):
    _function = getattr(_lib, _name)
    _function.restype, _function.argtypes = _result, _arguments


def version() -> str:
    """The version of the C library."""
    return _lib.prof_version().decode()


def _decode(data: Optional[bytes]) -> Optional[str]:
    return None if data is None else os.fsdecode(data)


class Error(Exception):
    """A failure; its text names file, member, position and reason."""

    def __init__(self, problem: int) -> None:
        super().__init__(_decode(_lib.prof_problem_text(problem)))
        self.code = Code(_lib.prof_problem_code(problem))
        self.reason = _decode(_lib.prof_problem_reason(problem))
        self.file = _decode(_lib.prof_problem_file(problem))
        self.member = _decode(_lib.prof_problem_member(problem))


Warn = Callable[[Error], None]


class _Library:
    """A struct prof, and the objects made with it, which end before it."""

    def __init__(self, warn: Optional[Warn]) -> None:
        self._prof = _lib.prof_new()
        if not self._prof:
            raise MemoryError
        self._objects: List = []
        self._listener = _listener(
            lambda _, problem: None if warn is None else warn(Error(problem)))
        _lib.prof_listen(self._prof, self._listener, None)

    def __enter__(self) -> "_Library":
        return self

    def __exit__(self, *_: object) -> None:
        while self._objects:
            free, made = self._objects.pop()
            free(made)
        _lib.prof_free(self._prof)

    def make(self, new: Callable, free: Callable, *arguments: object) -> int:
        """An object that a function returns."""
        made = new(*arguments)
        if not made:
            self.fail()
        self._objects.append((free, made))
        return made

    def open(self, path: Path) -> int:
        """An input."""
        return self.make(_lib.prof_input_open, _lib.prof_input_close,
                         self._prof, os.fsencode(path))

    def close(self) -> None:
        """Ends the object that was made last."""
        free, made = self._objects.pop()
        free(made)

    def sum(self, inputs: Iterable[Path],
            weights: Optional[Iterable[Weight]] = None) -> int:
        """The sum of all profiles of the inputs, multiplied by weights."""
        total = self.make(_lib.prof_sum_new, _lib.prof_sum_free, self._prof)
        paths = list(inputs)
        factors = [Fraction(w) for w in
                   ([1] * len(paths) if weights is None else weights)]
        if len(factors) != len(paths) or any(
                f <= 0 or max(f.numerator, f.denominator) >= 1 << 64
                for f in factors):
            raise ValueError("each input needs a weight of 0 < n < 2^64")
        for path, f in zip(paths, factors):
            self.check(_lib.prof_sum_add_input(
                total, self.open(path), f.numerator, f.denominator))
            self.close()
        return total

    def output(self, form: str, path: Path) -> int:
        """A file that appears once it is finished."""
        return self.make(_lib.prof_output_open, _lib.prof_output_free,
                         self._prof, form.encode(), os.fsencode(path))

    def check(self, result: int) -> int:
        """The result of a call, unless it failed."""
        if result < 0:
            self.fail()
        return result

    def fail(self) -> None:
        """Raises the error of the last call."""
        problem = _lib.prof_error(self._prof)
        raise Error(problem) if problem else MemoryError


class Item:
    """A record of a profile; without fields once the next one is read."""

    def __init__(self, item: int) -> None:
        self._item = item
        self.kind = _lib.prof_item_kind(item)   # a Kind, or a later number

    def get(self, field: Field) -> Union[None, int, bytes, List[int]]:
        """The value of a field: bytes, a number, or numbers in a row.

        None, or an empty list of numbers, if the item does not have it.
        """
        size, number = _size(), _u64()
        if field < Field.KIND:
            data = _lib.prof_item_bytes(self._item, field, size)
            return ctypes.string_at(data, size.value) if data else None
        if field < Field.COUNTS:
            found = _lib.prof_item_number(self._item, field, number)
            return number.value if found else None
        numbers = _lib.prof_item_numbers(self._item, field, size)
        return numbers[:size.value] if numbers else []

    def parts(self, field: Field) -> Iterator["Item"]:
        """The elements of a list, each valid until the next one."""
        for i in range(_lib.prof_item_parts(self._item, field)):
            part = Item(_lib.prof_item_part(self._item, field, i))
            yield from part._lend()

    def _lend(self) -> Iterator["Item"]:
        """The item alone, which ends with the step of the iteration."""
        try:
            yield self
        finally:
            del self._item


@dataclasses.dataclass
class Function:
    """The counters of a function; the first may mark it as hot or warm."""

    name: str
    hash: int
    counts: List[int]


def items(path: Path, name: Optional[str] = None,
          warn: Optional[Warn] = None) -> Iterator[Item]:
    """All items of an input, or those of one function (prof_input_open(3))."""
    with _Library(warn) as lib:
        source, item = lib.open(path), _pointer()
        if name is not None:
            wanted = os.fsencode(name)
            lib.check(_lib.prof_input_select(source, wanted, len(wanted)))
        while lib.check(_lib.prof_input_next(source, item)) > 0:
            yield from Item(item.value)._lend()


def functions(path: Path, name: Optional[str] = None,
              warn: Optional[Warn] = None) -> Iterator[Function]:
    """The functions of an input, or the records of one."""
    for item in items(path, name, warn):
        if item.kind == Kind.FUNCTION:
            yield Function(os.fsdecode(item.get(Field.NAME) or b""),
                           item.get(Field.HASH), item.get(Field.COUNTS))


def merge(inputs: Iterable[Path], output: Path, form: str = "indexed",
          form_version: int = 0, sparse: bool = False,
          warn: Optional[Warn] = None,
          weights: Optional[Iterable[Weight]] = None) -> None:
    """Writes the sum of all inputs, in a format of prof_output_open(3).

    If there are weights, one for each input, its counts are multiplied by it.
    """
    with _Library(warn) as lib:
        total = lib.sum(inputs, weights)
        lib.check(_lib.prof_sum_set(total, _SPARSE, sparse))
        out = lib.output(form, output)
        lib.check(_lib.prof_output_set(out, _FORMAT_VERSION, form_version))
        lib.check(_lib.prof_sum_write(total, out))
        lib.check(_lib.prof_output_finish(out))


@dataclasses.dataclass
class CoveredFunction:
    """A function, the line where it begins, and how often it was called."""

    name: str
    line: int
    count: int


@dataclasses.dataclass
class CoveredFile:
    """The executable lines of a file, and its functions."""

    path: str
    lines: Dict[int, int]       # a line, from 1, to its count
    functions: List[CoveredFunction]

    def covered(self) -> int:
        """How many lines ran."""
        return sum(count > 0 for count in self.lines.values())


def coverage(profiles: Iterable[Path], binaries: Iterable[Path],
             warn: Optional[Warn] = None) -> Iterator[CoveredFile]:
    """The files of binaries that have coverage, in the order of paths."""
    text, size, line, count = _pointer(), _size(), _u32(), _u64()

    def name() -> str:
        return os.fsdecode(ctypes.string_at(text.value or 0, size.value))

    with _Library(warn) as lib:
        cover = lib.make(_lib.prof_cover_new, _lib.prof_cover_free,
                         lib.sum(profiles))
        for path in binaries:
            lib.check(_lib.prof_cover_add_binary(cover, os.fsencode(path)))
        while lib.check(_lib.prof_cover_next_file(cover, text, size)) > 0:
            file = CoveredFile(name(), {}, [])
            while lib.check(_lib.prof_cover_next_line(cover, line,
                                                      count)) > 0:
                file.lines[line.value] = count.value
            while lib.check(_lib.prof_cover_next_function(
                    cover, text, size, line, count)) > 0:
                file.functions.append(CoveredFunction(name(), line.value,
                                                      count.value))
            yield file
