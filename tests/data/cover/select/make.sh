#!/bin/sh
# Makes the objects of m.c and o.c, and the text profiles of runs with the
# arguments 0, 3 and 9, with clang 22.  near.o is m.o with a relative path.
set -e
cd "$(dirname "$0")"
flags='-fprofile-instr-generate -fcoverage-mapping
-fcoverage-prefix-map='$PWD'=/src'
for name in m o; do
	clang-22 --target=x86_64-linux-gnu -c -o $name.o $flags "$PWD/$name.c"
done
clang-22 --target=x86_64-linux-gnu -c -o near.o -fprofile-instr-generate \
    -fcoverage-mapping -fcoverage-compilation-dir=near m.c
clang-22 $flags -o program "$PWD/m.c" "$PWD/o.c"
for n in 0 3 9; do
	LLVM_PROFILE_FILE=program.profraw ./program $n >program.out
	llvm-profdata-22 merge -text -o $n.proftext program.profraw
done
rm program program.profraw program.out
