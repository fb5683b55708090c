#!/bin/sh
# make.sh SOURCES: the profiles of this folder.  SOURCES has the unpacked sources
# xz/ (xz-utils 5.4.1, configured), leveldb/ (1.23) and lua/ (5.4.4) of Debian;
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
LLVM_PROFILE_FILE=xz-encode.profraw xz/src/xz/xz -6 -kc xz/configure >packed
LLVM_PROFILE_FILE=xz-decode.profraw xz/src/xz/xz -dc packed >/dev/null
keep xz-encode.profraw xz-encode 100
keep xz-decode.profraw xz-decode 100

(cd leveldb && clang++-22 -w -std=c++14 -O1 -fprofile-generate \
    -DLEVELDB_PLATFORM_POSIX=1 -DHAVE_FDATASYNC=1 -I. -Iinclude \
    -o ../writes "$here/writes.cc" $(ls db/*.cc table/*.cc util/*.cc |
    grep -vE 'test|bench|windows|leveldbutil') -lpthread)
for n in 6000 20000; do
	rm -rf database
	LLVM_PROFILE_FILE=$n.profraw ./writes database $n
	keep $n.profraw leveldb-$n 1000
done

clang-22 -w -O1 -DLUA_USE_POSIX -gmlt -fdebug-info-for-profiling \
    -fmemory-profile -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
    -no-pie -Wl,-z,noseparate-code -Wl,--build-id -o lua.heap \
    $(ls lua/src/*.c | grep -v 'luac\.c$') -lm
MEMPROF_OPTIONS=log_path=$PWD/heap:print_text=false ./lua.heap "$here/trees.lua"
prof-symbolize -q --binary lua.heap heap.[0-9]* | sed "s,$PWD/lua/,,g" |
    zstd -19 -q -f -o "$here/lua.ndjson.zst"
