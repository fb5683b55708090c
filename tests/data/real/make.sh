#!/bin/sh
# Makes the raw profiles of this folder with the compilers at hand and, beside
# each, what llvm-profdata of the same release prints of it.
# Addresses in the files are those of the run: they differ each time.
# shellcheck disable=SC2086 # the flags are lists
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/*.cc "$work"
cd "$work"

# Runs $1 with its profile going to NAME.profraw, and lets LLVM read that.
profile() {
	rm -f "$2.profraw"
	LLVM_PROFILE_FILE=$work/$2.profraw "./$1" >/dev/null || :
	"llvm-profdata-$3" merge --text "$2.profraw" -o "$2.proftext"
	# The text has no names of vtables.
	case $2 in
	*vtable*)
		"llvm-profdata-$3" show --all-functions --show-vtables \
		    "$2.profraw" >"$2.show"
		mv "$2.show" "$here" ;;
	esac
	mv "$2.profraw" "$2.proftext" "$here"
}

# No library but the runtime is needed, so that -m32 links everywhere.
# sample NAME RELEASE FLAGS...
sample() {
	name=$2-$1 release=$2
	shift 2
	"clang-$release" -fno-rtti "$@" -Wl,--build-id=sha1 -o prog sample.cc
	profile prog "$name" "$release"
}

# An executable and a shared object that write to one file.
# shared NAME RELEASE MAIN_FLAGS FLAGS...
shared() {
	name=$2-$1 release=$2 main=$3
	shift 3
	"clang-$release" -fno-rtti "$@" -fPIC -shared -Wl,--build-id=sha1 \
	    -o liblib.so library.cc
	# The main program is linked with the runtime even when it has no
	# instrumentation of its own.
	"clang-$release" -fno-rtti $main -c -o user.o user.cc
	"clang-$release" -fno-rtti "$@" -Wl,--build-id=sha1 -o prog user.o \
	    -L. -llib -Wl,-rpath,"$work" -Wl,-u,__llvm_profile_runtime
	profile prog "$name" "$release"
}

fe=-fprofile-instr-generate
ir='-O1 -fprofile-generate -mllvm -disable-vp=false'
cov='-fcoverage-mapping'

sample fe 13 $fe
sample fe32 13 -m32 $fe
sample ir 13 $ir
sample fe_values 14 $fe -mllvm -enable-value-profiling
sample ir32 14 -m32 $ir
sample entry_coverage 14 -O1 -fprofile-generate \
    -mllvm -pgo-function-entry-coverage
sample cs 15 -O2 -fcs-profile-generate
sample fe_plain_names 15 $fe -mllvm -enable-name-compression=false
sample ir 16 $ir
sample ir_entry 16 $ir -mllvm -pgo-instrument-entry
shared two 16 "$fe" $fe
sample fe32 19 -m32 $fe
sample mcdc 19 $fe $cov -fcoverage-mcdc
sample block_coverage 19 -O1 -fprofile-generate \
    -mllvm -pgo-block-coverage
sample temporal 19 $ir -mllvm -pgo-temporal-instrumentation
sample vtable32 19 -m32 $ir -mllvm -enable-vtable-value-profiling
sample fe_values 22 $fe -mllvm -enable-value-profiling
sample ir 22 $ir
sample cs 22 -O2 -fcs-profile-generate
sample ir_loops 22 $ir -mllvm -pgo-instrument-loop-entries
sample mcdc32 22 -m32 $fe $cov -fcoverage-mcdc
sample fe_coverage 22 $fe $cov -mllvm -enable-single-byte-coverage
sample temporal_coverage 22 -O1 -fprofile-generate \
    -mllvm -pgo-temporal-instrumentation -mllvm -pgo-block-coverage
sample vtable 22 $ir -mllvm -enable-vtable-value-profiling
shared two 22 "$fe" $fe
shared zero_first 22 '' $fe
