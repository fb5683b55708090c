#!/bin/sh
# make.sh SOURCES: the profiles of this folder.  SOURCES has the unpacked sources
# xz/ (xz-utils 5.4.1, configured) and leveldb/ (1.23) of Debian;
# clang 22 and these programs are found by PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"

# keep RAW NAME COUNT: the functions with a counter of COUNT or more.
keep() {
	prof-filter -q --strip-path --min-count "$3" "$1" |
	    prof-merge -q --to lprf -o "$here/$2.lprf"
}

make -s -C xz CC=clang-22 CFLAGS='-O1 -fprofile-instr-generate'
xz/src/xz/xz -6 -kc xz/configure >packed
LLVM_PROFILE_FILE=xz-decode.profraw xz/src/xz/xz -dc packed >/dev/null
keep xz-decode.profraw xz-decode 100

(cd leveldb && clang++-22 -w -std=c++14 -O1 -fprofile-generate \
    -DLEVELDB_PLATFORM_POSIX=1 -DHAVE_FDATASYNC=1 -I. -Iinclude \
    -o ../writes "$here/writes.cc" $(ls db/*.cc table/*.cc util/*.cc |
    grep -vE 'test|bench|windows|leveldbutil') -lpthread)
rm -rf database
LLVM_PROFILE_FILE=writes.profraw ./writes database 20000
keep writes.profraw leveldb-20000 1000
