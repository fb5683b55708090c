#!/bin/sh
# Makes the heap profiles here, and the debug files of the programs that wrote
# them: raw 1 with clang 14, raw 5 with clang 22.  Build ids and addresses will
# be others each time.
set -e
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT

debug_file() {
	llvm-objcopy-22 --only-keep-debug \
	    --remove-section=.symtab --remove-section=.strtab \
	    --remove-section=.comment "$1" "$2"
}

for version in 14 22; do
	flags="-O1 -gmlt -fdebug-info-for-profiling -fno-omit-frame-pointer
	    -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls
	    -Wl,--build-id -Wl,-z,noseparate-code -ffile-prefix-map=$PWD=/src"
	clang-$version $flags -fPIC -shared "$PWD/part.c" \
	    -o "$tmp/libpart.so"
	clang-$version $flags -fmemory-profile -fpie -pie "$PWD/app.c" \
	    -o "$tmp/app" -L"$tmp" -lpart "-Wl,-rpath,$tmp"
	MEMPROF_OPTIONS=log_path=$tmp/raw:print_text=false "$tmp/app"
	cat "$tmp"/raw.* >app-$version.memprofraw
	rm "$tmp"/raw.*
	debug_file "$tmp/app" app-$version.debug
	debug_file "$tmp/libpart.so" libpart-$version.debug
	chmod a-x *.debug
done
