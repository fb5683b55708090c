#!/bin/sh
# Makes the objects here, in formats of several systems, with clang 22; only
# sections of coverage are of use in them.  TARGET.o is code.c for that target.
set -e
cd "$(dirname "$0")"
for target in i386-linux-gnu s390x-linux-gnu x86_64-linux-gnu \
    arm64-apple-ios armv7-apple-ios x86_64-apple-macosx \
    x86_64-pc-windows-msvc; do
	clang-22 --target="$target" -c -o "$target.o" \
	    -fprofile-instr-generate -fcoverage-mapping \
	    -fcoverage-compilation-dir=/src code.c
done
llvm-lipo-22 -create -segalign arm64 8 -segalign armv7 8 \
    -output universal.o arm64-apple-ios.o armv7-apple-ios.o
rm armv7-apple-ios.o arm64-apple-ios.o

# Two programs with one function of a header, and the sum of a run of each.
cd inline
for name in one two; do
	clang++-22 -o $name.o -c -fprofile-instr-generate -fcoverage-mapping \
	    -fcoverage-compilation-dir=/src $name.cc
	clang++-22 -fprofile-instr-generate -o $name $name.o
	LLVM_PROFILE_FILE=$name.profraw ./$name
done
llvm-profdata-22 merge -text -o sum.proftext one.profraw two.profraw
rm one two ./*.profraw
