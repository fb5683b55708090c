#!/bin/sh
# A small program with most that coverage can have, of which the page is made:
# app.o, and what one run of the program left; and an object whose names are
# those of an attacker.
#
# usage: make.sh, in this folder; needs clang 22
set -eu

dir=$(mktemp -d)
flags='-O0 -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc'
flags="$flags -ffile-compilation-dir=."
clang++-22 $flags -c src/app.cpp -o app.o
clang++-22 $flags app.o -o "$dir/app"
LLVM_PROFILE_FILE=$dir/app.profraw "$dir/app" || [ $? -eq 1 ]
llvm-profdata-22 merge --text -o app.proftext "$dir/app.profraw"

mkdir -p "$dir/evil/<"
cat >"$dir/evil/<script><img src=x onerror=planted=1>.h" <<'EVIL'
/* </script><script>planted=2</script> */
inline int planted(int n) { return n > 1 ? '<' : '>'; } // <b>
EVIL
cat >"$dir/evil/$(printf '\377')&amp;<b>.c" <<'EVIL'
#include "<script><img src=x onerror=planted=1>.h"
int evil(int n) __asm__("</script><img src=x onerror=planted=3>\342\200\256");
int evil(int n) { return planted(n); }
EVIL
(cd "$dir" && clang-22 $flags -I 'evil/<' -Ievil \
    -c "evil/$(printf '\377')&amp;<b>.c" -o evil.o)
cp "$dir/evil.o" .
for object in app.o evil.o; do
	llvm-objcopy-22 -g --keep-section='__llvm_cov*' \
	    --keep-section='__llvm_prf_names' \
	    --only-section='__llvm_cov*' --only-section=__llvm_prf_names \
	    "$object"
done
rm -r "$dir"
