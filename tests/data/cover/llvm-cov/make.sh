#!/bin/sh
# What of this folder LLVM makes: objects, profiles, and what llvm-cov says.
set -e
cd "$(dirname "$0")"
flags='-fprofile-instr-generate -fcoverage-mapping -ffile-compilation-dir=/src'

# make RELEASE NAME FLAGS SOURCE...: NAME and its profile.
make() {
	release=$1 name=$2 more=$3
	shift 3
	objects=
	for source; do
		clang-$release $flags $more -c "$source" -o "${source%.*}.o"
		objects="$objects ${source%.*}.o"
	done
	clang-$release $flags $objects -o run
	LLVM_PROFILE_FILE=run.profraw ./run
	llvm-profdata-$release merge -o "$name.profdata" run.profraw
	rm run run.profraw
}

# say FILE RELEASE ARGUMENTS...
say() {
	file=$1 release=$2
	shift 2
	llvm-cov-$release "$@" 2>/dev/null |
	    sed "s,^$PWD,/src," >"golden/$release-$file"
}

mkdir -p golden
make 13 shapes '' shapes.cc other.cc
make 22 conditions -fcoverage-mcdc conditions.c
both='-instr-profile shapes.profdata shapes.o -object other.o'
here="-path-equivalence=/src,$PWD"
for release in 13 19 22; do
	say report $release report $both
	say functions $release report $both $here -show-functions \
	    -use-color=1 shapes.h shapes.cc
	say show $release show $both $here -show-expansions \
	    -show-branches=count -show-line-counts-or-regions
	say lcov $release export $both -format=lcov
	say json $release export $both -format=text
done
both='-instr-profile conditions.profdata conditions.o'
say mcdc 22 show $both $here -show-mcdc -show-branches=percent -use-color=1
say mcdc-report 22 report $both -show-mcdc-summary
say mcdc-json 22 export $both
