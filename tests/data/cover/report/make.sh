#!/bin/sh
# Makes the objects and the profiles here, with clang and llvm-profdata 22.
# A program ran, and ran before with another argument (base).  One of its
# sources has a name that formats have to quote.
set -e
cd "$(dirname "$0")"
here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R src "$work"
cd "$work/src"
mv lib/area.cc "$(printf 'lib/odd |`name_<&>\033.cc')"
for source in main.cc lib/odd*.cc; do
	name=${source##*/}
	clang-22 -w -c -O0 -fno-exceptions -fno-ident -fprofile-instr-generate \
	    -fcoverage-mapping -fcoverage-mcdc -fcoverage-compilation-dir=/src \
	    -o "../${name%%[. ]*}.o" "$source"
done
cd ..
clang-22 -fprofile-instr-generate -o program main.o odd.o
LLVM_PROFILE_FILE=run.profraw ./program
LLVM_PROFILE_FILE=base.profraw ./program more || :
for profile in run base; do
	llvm-profdata-22 merge --text -o "$here/$profile.proftext" \
	    "$profile.profraw"
done
cp main.o odd.o "$here"
