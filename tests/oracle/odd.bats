# Odd programs and runs, judged by llvm-profdata: several images in a file,
# pools that the runtime merges into, many values, functions of one name, Rust.

load ../support/helper
load ../support/oracle

setup() {
	cd "$BATS_TEST_TMPDIR"
	take_sources
}

# A program and the shared object that it opens write to one file.
two_images() {
	build "$1" ./opened.so $2 -fPIC -shared opened.c
	build "$1" program $2 opener.c
	gather 1.profraw ./program ./opened.so 7
	gather 2.profraw ./program ./opened.so 16
}

# LLVM 13 does not align the second image and cannot read it itself.  Targets in
# the other image are unknown, and there is one of them.
@test 'a program and what it opens are one profile' {
	local release flags

	need_llvm 14 15 19 22
	for flags in -fprofile-instr-generate '-O1 -fprofile-generate'; do
		for release in $(some 3 14 15 19 22); do
			echo "$release $flags"
			two_images "$release" "$flags"
			identical "$release" 1.profraw
			identical "$release" 2.profraw 1.profraw
		done
	done
}

without_ids() {
	profraw-cat "$1" | canon | grep -v '"record":"binary"'
}

# LLVM 16 keeps the ids of the last image only.
@test 'all images leave their binary ids, unlike with LLVM 16' {
	need_llvm 16
	two_images 16 -fprofile-instr-generate
	llvm-profdata-16 merge -o theirs.profdata 1.profraw 2.profraw
	index 16 1.profraw 2.profraw
	same <(without_ids theirs.profdata) <(without_ids ours.profdata)
	[ "$(profraw-cat theirs.profdata | grep -c '"binary"')" -eq 1 ]
	[ "$(profraw-cat ours.profdata | grep -c '"binary"')" -eq 2 ]
}

# Addresses of position-independent programs differ from run to run: a target
# may stand at a site several times, as known and as unknown.
@test 'pools that the runtime merges into are read as by LLVM' {
	local release flags n

	need_llvm 13 16 19 22
	for release in $(some 3 13 16 19 22); do
		for flags in -fPIE '-fno-PIE -no-pie'; do
			echo "$release $flags"
			rm -rf pool
			build "$release" program -O1 -fprofile-generate \
			    $flags jumps.c helpers.c
			for n in 2 9 40; do
				LLVM_PROFILE_FILE=pool/%m.profraw \
				    ./program "$n" || :
			done
			identical "$release" pool/*.profraw
		done
	done
}

@test 'profiles of continuous mode are read as by LLVM' {
	local release

	need_llvm 14 16 19 22
	for release in $(some 3 14 16 19 22); do
		echo "$release"
		build "$release" program -fprofile-instr-generate \
		    -fcoverage-mapping -mllvm -runtime-counter-relocation \
		    jumps.c helpers.c
		LLVM_PROFILE_FILE=$release%c.profraw ./program 9 || :
		identical "$release" "$release.profraw"
	done
}

# At a site where several targets are unknown, LLVM's sum depends on the order
# that its values have in each file.  Here unknown targets become one.
one_unknown() {
	profraw-cat "$1" | jq -c '
		def known: has("target") or has("size");
		del(.source) | (.values // empty)[][] |= ([.[] |
		    select(known)] + (map(select(known | not)) |
		    if . == [] then . else [{count: map(.count) | add}] end))'
}

# Up to 80 values a site, of the 255 that are possible.
@test 'sites of many values are as with LLVM' {
	local release n

	need_llvm 13 16 19 22
	export LLVM_VP_MAX_NUM_VALS_PER_SITE=255
	for release in $(some 3 13 16 19 22); do
		echo "$release"
		build "$release" program -O1 -fprofile-generate targets.c
		for n in 1 2 3; do
			gather "$n.profraw" ./program $((n * 6 + 1))
			alike "$release" "$n.profraw"
			[ "$release" -lt 19 ] ||
			    cmp theirs.profdata ours.profdata
		done
		"llvm-profdata-$release" merge -o theirs.profdata ?.profraw
		index "$release" ?.profraw
		same <(one_unknown theirs.profdata | canon) \
		    <(one_unknown ours.profdata | canon)
	done
}

# Three files x.c: two have the same function, the third another of that name.
@test 'functions of one name and hash are added up as by LLVM' {
	local release flags n

	mkdir a b c
	echo 'static int f(int n) { return n > 2 ? n : 3; }
	    int a(int n) { return f(n); }' >a/x.c
	sed 's/int a/int b/' a/x.c >b/x.c
	echo 'static int f(int n) { while (n > 2) n--; return n; }
	    int c(int n) { return f(n); }' >c/x.c
	echo 'int a(int), b(int), c(int);
	    int main(int n, char **v) { return a(n) + b(n) + c(n) > 9; }
	    ' >main.c
	need_llvm 13 16 19 22
	for release in $(some 3 13 16 19 22); do
		for flags in -fprofile-instr-generate -fprofile-generate; do
			echo "$release $flags"
			for n in a b c; do
				(cd "$n" && "clang-$release" $flags -c x.c)
			done
			build "$release" program $flags main.c ?/x.o
			gather x.profraw ./program
			alike "$release" x.profraw
			alike "$release" x.profraw x.profraw
			prof-merge -q x.profraw |
			    jq 'select(.name == "x.c:f" or
				.name == "x.c;f") | .counts' >counts
			[ "$(jq -s length counts)" -eq 2 ]
		done
	done
}

@test 'weights and --sparse are those of LLVM' {
	local release flags version

	need_llvm 13 16 19 22
	for release in $(some 3 13 16 19 22); do
		version=$(version_of "$release")
		for flags in -fprofile-instr-generate '-O1 -fprofile-generate'
		do
			echo "$release $flags"
			build "$release" program $flags jumps.c helpers.c
			gather 1.profraw ./program 4
			gather 2.profraw ./program 30
			"llvm-profdata-$release" merge -o theirs.profdata \
			    -weighted-input=7,1.profraw \
			    -weighted-input=1,2.profraw
			prof-merge -q -w 7,1.profraw 2.profraw \
			    --to "indexed:$version" -o ours.profdata
			cmp theirs.profdata ours.profdata
			"llvm-profdata-$release" merge -sparse 1.profraw \
			    -o theirs.profdata
			prof-merge -q --sparse 1.profraw \
			    --to "indexed:$version" -o ours.profdata
			cmp theirs.profdata ours.profdata
		done
	done
}

@test 'a stream that went through jq makes the same file' {
	local release

	need_llvm 19 22
	for release in 19 22; do
		build "$release" program -O1 -fprofile-generate \
		    -mllvm -enable-vtable-value-profiling objects.cc
		gather 1.profraw ./program 9
		gather 2.profraw ./program 20
		identical "$release" 1.profraw 2.profraw
		pipe 'profraw-cat 1.profraw 2.profraw | jq -S . | jq -c . |
		    prof-merge | jq -c . | prof-index \
		    --to indexed:no-vtables,"$1" -o jq.profdata' \
		    "$(version_of "$release")"
		cmp theirs.profdata jq.profdata
	done
}

# LLVM writes again what it reads of ours, and nothing changes.
@test 'numbers at the edges survive a round through LLVM 22' {
	need_llvm 22
	profile '"level":"ir"' \
	    "$(fn warm 1 '"18446744073709551614",7')" \
	    "$(fn hot 1 '"18446744073709551615",0')" \
	    "$(fn most 1 '"18446744073709551613",1')" \
	    "$(fn later 1 '0,"18446744073709551615"')" \
	    "$(fn double 1 '9007199254740993,9007199254740991')" \
	    "$(fn hash 0x7ffffffffffffff '5')" >edges.ndjson
	sed -i 's/:9007199254740993/:"9007199254740993"/' edges.ndjson
	prof-index edges.ndjson -o ours.profdata
	llvm-profdata-22 merge ours.profdata -o theirs.profdata
	cmp theirs.profdata ours.profdata
}

# A function with many decisions of many conditions.
decisions() {
	echo 'int f(unsigned x) { int r = 0;'
	awk 'BEGIN {
		for (i = 1; i <= 40; i++) {
			printf "r += 0"
			for (k = 0; k < 4; k++)
				printf " || (x & %d && !(x & %d) && x & %d)",
				    i, i * 3 + k, k * 5 + 8
			print ";"
		}
	}' | sed 's/0 || //'
	echo 'return r; } int main(int n, char **v) { for (int i = 0;'
	echo 'i < n * 50; i++) if (f(i * 2654435761u) == 1) n--; return n; }'
}

@test 'bitmaps of more than 255 bytes are those of LLVM' {
	local release

	need_llvm 19 22
	decisions >decisions.c
	for release in 19 22; do
		build "$release" program -fprofile-instr-generate \
		    -fcoverage-mapping -fcoverage-mcdc decisions.c
		gather 1.profraw ./program
		gather 2.profraw ./program 1 2 3 4
		identical "$release" 1.profraw 2.profraw
		profraw-cat ours.profdata |
		    jq 'select(.name == "f").bitmap | length > 510' |
		    grep -qx true
	done
}

traces_of() {
	llvm-profdata-22 show -temporal-profile-traces "$1" |
	    grep '^Temporal Profile Traces'
}

# Which of the traces are kept is a choice.
@test 'of more than 100 traces a sample is kept, as by LLVM' {
	local n files=()

	need_llvm 22
	build 22 program -O1 -fprofile-generate \
	    -mllvm -pgo-temporal-instrumentation objects.cc
	for n in 0 1 2 3 4; do
		gather "$n.profraw" ./program $((n * 7))
	done
	for ((n = 0; n < 120; n++)); do
		files+=($((n % 5)).profraw)
	done
	llvm-profdata-22 merge "${files[@]}" -o theirs.profdata
	index 22 "${files[@]}"
	same <(traces_of theirs.profdata) <(traces_of ours.profdata)
	traces_of ours.profdata | grep -q 'samples=100 seen=120'
	same <(profraw-cat theirs.profdata | canon | grep -v '"trace"') \
	    <(profraw-cat ours.profdata | canon | grep -v '"trace"')
}

# LLVM keeps them in the order of a map.
@test 'names of vtables are there for LLVM to show' {
	local file

	need_llvm 22
	build 22 program -O1 -fprofile-generate \
	    -mllvm -enable-vtable-value-profiling objects.cc
	gather 1.profraw ./program 9
	llvm-profdata-22 merge -keep-vtable-symbols 1.profraw \
	    -o theirs.profdata
	prof-index 1.profraw -o ours.profdata
	for file in theirs ours; do
		llvm-profdata-22 show -show-vtables -all-functions \
		    "$file.profdata" >"$file"
	done
	same theirs ours
	grep -q _ZTV6Square ours
}

# Rust's hashes are any 64 bits.  llvm-cov looks for them in the profile, and
# finds none if those of clang before 22 are thought to be there.
@test 'Rust programs find their functions' {
	local n

	need rustc llvm-profdata-22 llvm-cov-22
	[[ $(rustc -vV) == *'LLVM version: 22.'* ]] || skip 'needs LLVM 22'
	rustc -C instrument-coverage -o program shapes.rs
	for n in 1 2 3; do
		gather "$n.profraw" ./program $((n * 5))
		identical 22 "$n.profraw"
	done
	identical 22 1.profraw 2.profraw 3.profraw
	prof-merge ?.profraw --to indexed:clang-22 -o ours.profdata
	cmp theirs.profdata ours.profdata
	llvm-cov-22 report program -instr-profile ours.profdata >report 2>&1
	run ! grep -i mismatch report
	prof-merge 1.profraw theirs.profdata -o /dev/null
	rustc -O -C profile-generate=pool -o program shapes.rs
	gather 1.profraw ./program 7
	identical 22 1.profraw
}
