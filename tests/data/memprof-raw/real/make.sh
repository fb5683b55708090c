#!/bin/sh
# Makes the raw heap profiles of this folder with the compilers at hand, beside
# each a debug-only copy of its program, and what llvm-profdata 22 tells of those
# that it reads.  Addresses and times are those of the run: they differ each
# time.
# shellcheck disable=SC2086 # the flags are lists
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/queue.c "$work"
cd "$work"

base="-O1 -g -gmlt -fdebug-info-for-profiling -fno-omit-frame-pointer
    -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls
    -ffile-prefix-map=$work=. -Wl,--build-id -Wl,-z,noseparate-code
    -fmemory-profile"
histogram='-mllvm -memprof-histogram -mllvm -memprof-use-callbacks=true'

# sample NAME RELEASE FLAGS...
sample() {
	name=$1 release=$2
	shift 2
	"clang-$release" $base "$@" -o prog queue.c
	MEMPROF_OPTIONS=log_path=$work/log:print_text=false ./prog
	mv log.* "$here/$name.memprofraw"
	llvm-objcopy-22 --only-keep-debug --remove-section=.symtab \
	    --remove-section=.strtab prog "$here/$name.debug"
	chmod 644 "$here/$name.debug" "$here/$name.memprofraw"
	case $release in
	14 | 16) return ;;
	esac
	llvm-profdata-22 show --memory "$here/$name.memprofraw" \
	    --profiled-binary="$here/$name.debug" | grep -v '^#' |
	    grep -v 'AccessHistogram: ' >"$here/$name.show"
}

sample 14 14 -fno-pie -no-pie
sample 16 16 -fpie -pie
sample 19 19 -fpie -pie
sample 22 22 -fno-pie -no-pie
sample 22-histogram 22 -fpie -pie $histogram
