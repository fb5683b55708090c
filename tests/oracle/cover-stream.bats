# Coverage by way of a stream is that of the binaries, for each format: macros,
# templates, branches, decisions, several releases of clang.

load ../support/helper
load ../support/oracle

setup() {
	cd "$BATS_TEST_TMPDIR"
	cat >m.h <<'END'
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define TWICE(x) (MAX(x, 2) + MAX(3, x))
static inline int in_header(int x) { if (x > 3) return 1; return x ? 2 : 3; }
END
	cat >a.cc <<'END'
#include "m.h"
template <class T> T pick(T a, T b) { return a && b ? a : b; }
static int local(int a, int b, int c) {
	if ((a && b) || (c && !a))
		return 1;
	return a || b || c ? 2 : 0;
}
int other(int);
int never(int x) { return x ? 1 : 2; }
static inline int unused(int x) { return x + 1; }
int main(int argc, char **) {
	int s = 0;
	for (int i = 0; i < 3 * argc; i++) {
		auto f = [&](int k) { return k > 1 && k < 4; };
		s += TWICE(i) + in_header(i) + pick(i, 3) + (int)pick(1.5, i * 1.0);
		s += f(i) + local(i & 1, i & 2, i & 4) + other(i);
	}
	if (1 && argc)
		s++;
	while (0)
		s--;
	return s == 0;
}
END
	cat >b.cc <<'END'
#include "m.h"
static int local(int x) { switch (x) { case 1: return 2; default: return MAX(x, 4); } }
int other(int x) { return local(x) + in_header(x); }
END
}

# runs RELEASE: a program, the profiles of three runs, and a stream of each.
runs() {
	local n mcdc=

	[ "$1" -lt 19 ] || mcdc=-fcoverage-mcdc
	"clang++-$1" -w -Wl,--build-id=none -fprofile-instr-generate \
	    -fcoverage-mapping $mcdc a.cc b.cc -o "program$1"
	for n in 1 2 3; do
		gather "$1-$n.profraw" "./program$1" $(seq "$((n - 1))")
		prof-cover -q --to ndjson "$1-$n.profraw" "program$1" \
		    >"$1-$n.ndjson"
	done
}

# same FORMAT COMMAND...: its output is what the binary gives.
same() {
	"${@:2}" -q --to "$1" >out
	cmp out "want.$1"
}

@test 'a stream gives what the binary gives' {
	local v format

	for v in $(some 2 14 16 19 22); do
		need "clang++-$v"
		runs "$v"
		for format in lcov llvm-json ndjson; do
			prof-cover -q --to "$format" "program$v" "$v"-*.profraw \
			    >"want.$format"
		done
		for format in lcov llvm-json ndjson; do
			same "$format" prof-cover want.ndjson
			same "$format" prof-cover "$v"-[312].ndjson
			same "$format" prof-cover "$v-3.ndjson" \
			    "$v-1.ndjson" "$v-2.ndjson"
			cat "$v-2.ndjson" "$v-3.ndjson" "$v-1.ndjson" |
			    same "$format" prof-cover -
			prof-cover -q --to ndjson "$v-2.ndjson" "$v-3.ndjson" |
			    same "$format" prof-cover "$v-1.ndjson" -
			# Together with profiles and the binary.
			same "$format" prof-cover "$v-1.profraw" \
			    "$v-3.ndjson" "program$v" "$v-2.profraw"
		done
	done
	# Releases count other regions: all are kept.
	cat *-*.ndjson | prof-cover -q --to ndjson - >all
	cat $(ls -r *-*.ndjson) | prof-cover -q --to ndjson - | cmp - all
}

@test 'functions of an older build are named' {
	need clang++-22 jq
	runs 22
	sed -i 's/return x ? 1 : 2/if (x) return 3; return x ? 1 : 2/' a.cc
	clang++-22 -w -Wl,--build-id=none -fprofile-instr-generate \
	    -fcoverage-mapping a.cc b.cc -o new
	prof-cover -q --to ndjson 22-1.profraw new >out
	jq -r 'select(.state == "stale") | .name' out | diff - <(echo _Z5neveri)
	# Another build has it.
	prof-cover -q --to ndjson out 22-1.ndjson | run ! grep stale
}
