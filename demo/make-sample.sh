#!/bin/bash
# make-sample.sh - makes sample.tar.zst: raw profiles of words.c from four
# releases of clang, three runs each
#
# Needs clang-13, clang-16, clang-19 and clang-22 with their profile runtimes,
# and zstd.  Raw profiles hold addresses, so address space randomization is
# off; the same compilers make the same bytes again.
set -eu
cd "$(dirname "$0")"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for release in 13 16 19 22; do
	clang-$release -O1 -fprofile-generate -o "$work/words" words.c
	mkdir -p "$work/sample/clang-$release"
	run() {
		LLVM_PROFILE_FILE=$work/sample/clang-$release/$1.profraw \
		    setarch -R "$work/words" "${@:2}" >"$work/out"
	}
	run frequent <../LICENSE
	run alphabet -a -n 100 <words.c
	run longest -l <../LICENSE
done

tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mode=644 \
    --mtime='2025-01-01 00:00Z' --format=ustar -cf - \
    sample/clang-{13,16,19,22}/{alphabet,frequent,longest}.profraw |
    zstd -q -19 -f -o sample.tar.zst
