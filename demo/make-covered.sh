#!/bin/bash
# make-covered.sh - makes covered.tar.zst: words.c as an object with its
# coverage mapping, and raw profiles of two runs
#
# Needs clang-22 with its profile runtime, objcopy and zstd.  Of the object only
# the sections that prof-cover reads are kept.
set -eu
cd "$(dirname "$0")"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cov='-fprofile-instr-generate -fcoverage-mapping'
clang-22 -O1 $cov -fcoverage-mcdc -fcoverage-compilation-dir=demo -c \
    -o "$work/all.o" words.c
clang-22 $cov -o "$work/words" "$work/all.o"
objcopy -j __llvm_covmap -j __llvm_covfun -j __llvm_prf_names \
    "$work/all.o" "$work/words.o"
run() {
	LLVM_PROFILE_FILE=$work/$1.profraw setarch -R "$work/words" \
	    "${@:2}" >"$work/out"
}
run frequent <../LICENSE
run alphabet -a -n 100 <words.c

tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mode=644 \
    --mtime='2025-01-01 00:00Z' --format=ustar -cf - \
    alphabet.profraw frequent.profraw words.o |
    zstd -q -19 -f -o covered.tar.zst
