# prof-diff against llvm-profdata overlap, wherever that is right.

load ../support/helper
load ../support/oracle

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# generate SEED SIDE FUNCTIONS CLASS: a text profile.  Side b is side a with
# some functions lost, new, of another hash or shape, or run more or less often.
# The class is plain, sensitive or mixed.
generate() {
	awk -v seed="$1" -v side="$2" -v functions="$3" -v class="$4" '
	function draw(n) {
		seed = (seed * 69069 + 12345) % 2147483648
		return int(seed / 65536) % n
	}
	function times(n) {
		if (side == "b")
			n = int(n * change / 4)
		return n
	}
	function sites(kind, n, calls,    s, v, k, value) {
		print kind
		print n
		for (s = 0; s < n; s++) {
			k = draw(4)
			print k
			for (v = 0; v < k; v++) {
				value = draw(3) + 3 * v
				value = calls ? "f" value : value * 8
				print value ":" times(zero ? 0 : 1 + draw(90))
			}
		}
	}
	function record(i, hash, n, calls, sizes,    c, k) {
		print "f" i
		print hash
		print n
		for (c = 0; c < n; c++) {
			k = draw(1000) + 1
			if (draw(9) == 0)
				k = k * 1e9
			if (zero)
				k = 0
			printf "%.0f\n", times(k)
		}
		if (calls + sizes > 0) {
			k = (calls > 0) + (sizes > 0)
			print k
			if (calls > 0)
				sites(0, calls, 1)
			if (sizes > 0)
				sites(1, sizes, 0)
		}
		print ""
	}
	BEGIN {
		print class == "plain" ? ":ir" : ":csir"
		first = seed
		for (i = 0; i < functions; i++) {
			seed = first * 1000 + i
			draw(1)
			hash = 1000 + draw(1000)
			n = 1 + draw(8)
			calls = draw(3)
			sizes = draw(3)
			fate = draw(12)
			change = draw(9)
			zero = draw(10) == 0
			sensitive = class == "sensitive" ||
			    (class == "mixed" && draw(2))
			if (side == (fate == 0 ? "b" : fate == 1 ? "a" : ""))
				continue
			if (fate == 2 && side == "b")
				hash += 5000
			if (fate == 3 && side == "b")
				n++
			if (fate == 4 && side == "b")
				sizes++
			# Bit 60; awk has no integers that large.
			if (sensitive)
				hash = sprintf("0x10000000%08x", hash)
			record(i, hash, n, calls, sizes)
		}
	}'
}

@test 'profiles that have much in common' {
	local seed release functions

	need jq llvm-profdata-19 llvm-profdata-22
	seed=1
	for functions in 1 2 5 20 60 200 700; do
		generate $seed a "$functions" plain >a
		generate $((seed++)) b "$functions" plain >b
		for release in 19 22; do
			overlap_alike "$release" a b
			overlap_alike "$release" b a
		done
	done
	# The generator is worth its name.
	prof-diff --json a b | jq -se '.[0] | .common > 300 and
	    ([.states["no longer run", "newly run", "stale"].functions] |
	    all(. > 20))'
}

# Whether a profile of the corpus was made by the front end or of IR.
level() {
	profraw-cat -q "$dir/$1.profdata" | sed -n '1s/.*"level":"\([a-z]*\)".*/\1/p'
}

@test 'files of the corpus' {
	local dir a b

	need jq llvm-profdata-22
	need_corpus
	dir=$(corpus indexed)
	for a in fe_basic.v13 fe_200.v12 ir_vp.v13 ir_vtable.v13 mh.v13 \
	    sparse.v13 zeros.v13 temporal.v12 ir22 vt22k fe_mcdc.v13; do
		for b in "${a%.v1*}" ir_vp.v13 ir19; do
			# LLVM compares front end with IR, prof-diff does not.
			[ -e "$dir/$b.profdata" ] &&
			    [ "$(level "$a")" = "$(level "$b")" ] || b=$a
			overlap_alike 22 "$dir/$a.profdata" "$dir/$b.profdata"
		done
	done
}

# llvm-profdata compares all records with the sums of some, so it is right only
# about a file that has nothing else.
@test 'context-sensitive functions by themselves' {
	need jq llvm-profdata-19 llvm-profdata-22
	generate 9 a 90 sensitive >a
	generate 9 b 90 sensitive >b
	overlap_alike 19 a b true --cs
	overlap_alike 22 a b true --cs
}

@test 'both classes of one file, each with its own sums' {
	local class side

	need jq
	for side in a b; do
		generate 33 "$side" 120 mixed >"$side"
		prof-filter --to stream "$side" >all
		for class in plain sensitive; do
			jq -c --arg class "$class" 'select(.record !=
			    "function" or
			    (.hash[2:3] == "1") == ($class == "sensitive"))' \
			    all >"$side-$class"
		done
	done
	overlap_as_llvm a b false >got
	overlap_as_llvm a-plain b-plain false | same - got
	overlap_as_llvm a b true >got
	overlap_as_llvm a-sensitive b-sensitive true | same - got
	[ -s got ]
}

@test 'binaries of all releases have the hashes of their profiles' {
	local release kind

	need jq clang-13 clang-14 clang-15 clang-16 clang-19 clang-22
	mkdir other
	printf '%s\n' 'static int f(int x) { return x > 3 ? x * x : x; }' \
	    'int main(int n, char **v) { return f(n) - f(1); }' >a.c
	sed 's/x > 3/& \&\& x < 9/' a.c >other/a.c
	for release in 13 14 15 16 19 22; do
		for kind in -fprofile-generate -fprofile-instr-generate; do
			echo "$release $kind"
			"clang-$release" "$kind" -o a a.c
			LLVM_PROFILE_FILE=a.profraw ./a
			(cd other && "clang-$release" "$kind" -o a a.c &&
			    strip -s a)
			prof-diff --json a.profraw a | jq -se '.[0] |
			    .binary and .states.unchanged.functions == 2'
			prof-diff --json a.profraw other/a | jq -se '
			    .[0].states.stale.functions == 1 and
			    (.[1].name | endswith("f"))'
		done
		"clang-$release" -fprofile-generate -o ir a.c
		refused 'an IR profile .* cannot be compared with a front-end' \
		    prof-diff a.profraw ir
	done
}
