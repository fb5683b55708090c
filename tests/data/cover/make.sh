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
