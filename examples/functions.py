#!/usr/bin/env python3
"""functions.py FILE - the functions of a profile, through Python's ctypes"""
import ctypes
import sys

PROF_ITEM_FUNCTION, PROF_NAME, PROF_HASH, PROF_COUNTS = 4, 64, 109, 160

lib = ctypes.CDLL("libprof.so.1")
pointer, size_t = ctypes.c_void_p, ctypes.c_size_t
u64 = ctypes.c_uint64
for name, result, arguments in (
        ("prof_new", pointer, []),
        ("prof_free", None, [pointer]),
        ("prof_error", pointer, [pointer]),
        ("prof_problem_text", ctypes.c_char_p, [pointer]),
        ("prof_input_open", pointer, [pointer, ctypes.c_char_p]),
        ("prof_input_next", ctypes.c_int,
         [pointer, ctypes.POINTER(pointer)]),
        ("prof_input_close", None, [pointer]),
        ("prof_item_kind", ctypes.c_int, [pointer]),
        ("prof_item_number", ctypes.c_int,
         [pointer, ctypes.c_int, ctypes.POINTER(u64)]),
        ("prof_item_bytes", pointer,
         [pointer, ctypes.c_int, ctypes.POINTER(size_t)]),
        ("prof_item_numbers", ctypes.POINTER(u64),
         [pointer, ctypes.c_int, ctypes.POINTER(size_t)])):
    function = getattr(lib, name)
    function.restype, function.argtypes = result, arguments


def functions(path):
    """Yields name, hash and counts of each function."""
    p, item = lib.prof_new(), pointer()
    source = lib.prof_input_open(p, path.encode())
    size, number = size_t(), u64()
    while source and lib.prof_input_next(source, item) > 0:
        if lib.prof_item_kind(item) != PROF_ITEM_FUNCTION:
            continue
        name = lib.prof_item_bytes(item, PROF_NAME, size)
        name = ctypes.string_at(name, size.value) if name else b""
        lib.prof_item_number(item, PROF_HASH, number)
        counts = lib.prof_item_numbers(item, PROF_COUNTS, size)
        yield name.decode(errors="replace"), number.value, counts[:size.value]
    error = lib.prof_error(p)
    message = error and lib.prof_problem_text(error).decode()
    lib.prof_input_close(source)
    lib.prof_free(p)
    if message:
        sys.exit(message)


for function, code, numbers in functions(sys.argv[1]):
    print(f"{function} {code:#x} {numbers}")
