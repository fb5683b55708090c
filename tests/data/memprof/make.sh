#!/bin/sh
# Makes the indexed heap profiles here, with LLVM 15, 16, 19 and 22.
#
# vN.llvmM.profdata: section version N as LLVM M writes it for model/heap_contexts.c, built by
# its own clang.  Times and processors are those of the run: to repeat it changes
# the files.  The others are made of sample.yaml and always the same.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

flags='-O1 -g -fdebug-info-for-profiling -fno-omit-frame-pointer
    -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls -fmemory-profile
    -fno-pie -no-pie -Wl,-z,noseparate-code -Wl,--build-id'

# indexed LLVM VERSION [OPTION...]
indexed() {
	"llvm-profdata-$1" merge "$work/$1.raw" -o "v$2.llvm$1.profdata" \
	    --profiled-binary="$work/heap$1" ${3+"$3"} ${4+"$4"}
}

for llvm in 15 16 19 22; do
	# shellcheck disable=SC2086
	"clang-$llvm" $flags model/heap_contexts.c -o "$work/heap$llvm"
	MEMPROF_OPTIONS=log_path=$work/log:print_text=false "$work/heap$llvm"
	mv "$work"/log.* "$work/$llvm.raw"
done
indexed 15 0
indexed 16 0
for version in 0 1 2 3; do
	indexed 19 "$version" --memprof-version="$version" \
	    --memprof-full-schema
done
for version in 2 3 4; do
	indexed 22 "$version" --memprof-version="$version"
	llvm-profdata-22 merge sample.yaml -o "v$version.yaml.profdata" \
	    --memprof-version="$version"
done
llvm-profdata-22 merge sample.yaml -o v4full.yaml.profdata \
    --memprof-version=4 --memprof-full-schema
llvm-profdata-22 merge sample.yaml sample.proftext -o v4.mixed.profdata \
    --memprof-version=4
