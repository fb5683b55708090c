#!/bin/sh
# Raw profiles of programs whose objects two LLVMs compiled.  The first compiles
# a.c, the second b.c, the third links: its run time writes the profile.
#
# usage: make.sh, in this folder; needs clang-16, clang-19 and clang-22
set -eu

make() {
	name=$1 first=$2 second=$3 linker=$4
	shift 4
	dir=$(mktemp -d)
	"clang-$first" -O1 "$@" -c a.c -o "$dir/a.o"
	"clang-$second" -O1 "$@" -c b.c -o "$dir/b.o"
	"clang-$linker" "$@" "$dir/a.o" "$dir/b.o" -o "$dir/program"
	# The run time may well crash behind the last record.
	LLVM_PROFILE_FILE=$name.profraw "$dir/program" || [ $? -gt 128 ]
	rm -r "$dir"
}

make 16-19-19 16 19 19 -fprofile-instr-generate
make 19-16-19 19 16 19 -fprofile-generate
make 19-16-16 19 16 16 -fprofile-instr-generate
make 16-19-16-32 16 19 16 -fprofile-instr-generate -m32
make 19-22-22 19 22 22 -fprofile-instr-generate
