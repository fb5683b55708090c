#!/bin/bash
# make.sh - profiles of three runs of calls.cc, with clang 22; the number of
# turns is the name of the profile.  Addresses are of each run, so that no two
# calls of this script make the same bytes.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
clang++-22 -O1 -fprofile-generate -fno-exceptions -fPIE -pie -o "$work/calls" \
    calls.cc
for turns in 5 23 61; do
	LLVM_PROFILE_FILE=$turns.profraw "$work/calls" "$turns"
done
