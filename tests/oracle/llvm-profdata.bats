# llvm-profdata: what scripts see of it is what they see of LLVM's.
#
# The tables hold command lines.  LLVM's program of the release is run with each
# of them, and ours; standard output, exit status and output file must be equal.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	ours=$top_builddir/cmd/llvm-profdata
	unset PROFTOOLS_COMPAT
}

# agrees RELEASE ARGUMENTS...: files of output are called out.
agrees() {
	local theirs=0 status=0

	[ ! -e out ] || rm out
	"llvm-profdata-$1" "${@:2}" >theirs.stdout 2>theirs.stderr || theirs=$?
	[ ! -e out ] || mv out theirs.out
	PROFTOOLS_COMPAT=$1 "$ours" "${@:2}" >stdout 2>stderr || status=$?
	if [ "$status" -ne "$theirs" ] || ! cmp theirs.stdout stdout ||
	    { [ -e theirs.out ] && ! cmp theirs.out out; }; then
		echo "status $status, not $theirs: llvm-profdata-$*"
		tail -n 3 theirs.stderr stderr
		rm -f theirs.out
		return 1
	fi
	[ ! -e theirs.out ] || rm theirs.out
}

# After agrees: the first line of LLVM's message begins ours.
begins_as_theirs() {
	local theirs

	theirs=$(grep '^error: ' theirs.stderr || :)
	[[ $(grep '^error: ' stderr || :) == "$theirs"* ]] || {
		diff theirs.stderr stderr
		return 1
	}
}

# all RELEASE COMMAND "FILE..." <table: a line of options each, for each file.
all() {
	local options file failed=0 table

	mapfile -t table
	for file in $3; do
		for options in "${table[@]}"; do
			agrees "$1" "$2" $options "$file" || failed=1
		done
	done
	return "$failed"
}

# What is run of each file, FILE, or in addition of the one before it, OTHER.
table='
show --all-functions --counts --ic-targets --memop-sizes --show-vtables --topn=3 --hot-func-list --detailed-summary --detailed-summary-cutoffs=5,800000,1000000 --binary-ids --profile-version --temporal-profile-traces --value-cutoff 2 FILE
show -all-functions=1 -text FILE
show --covered FILE
show --value-cutoff=2 --list-below-cutoff --function=a --counts --showcs FILE
merge -j 1 --text -o - FILE
merge -j 1 -sparse -o out FILE
overlap -value-cutoff=10 --function=a FILE OTHER
order FILE'

# What the page says is not as with LLVM.
differs() {
	local file=${2##*/}

	case $1:$file in
	merge*:*corr*.profraw | *:*novalues*) return 0 ;;	# are refused
	'show -all-functions=1 -text'*:*mcdc*text) return 0 ;;
	'show --all'*:*multi*) return 0 ;;
	merge*:*v22-m*.profdata) return 0 ;;
	overlap*:*cs* | overlap*:*pseudo* | overlap*:*merge_m*) return 0 ;;
	# Counts that say hot and warm.
	overlap*:*[!a-z]) grep -q '^1844674407370955161[45]$' "$2" ;;
	*) return 1 ;;
	esac
}

# table_of RELEASE FILE...: the table in a folder of our own.
table_of() {
	local release=$1 file line failed=0 other

	mkdir "$BATS_TEST_TMPDIR/$BASHPID"
	cd "$BATS_TEST_TMPDIR/$BASHPID"
	other=$2
	for file in "${@:2}"; do
		while read -r line; do
			[ "$line" ] || continue
			[[ $line != order* ]] || [ "$release" -ge 20 ] ||
			    continue
			# Functions with equal counts come in another order.
			[ "$release" -ge 22 ] || line=${line/--topn=3/}
			if [ "$release" -lt 17 ]; then
				line=${line/--show-vtables/}
				line=${line/--profile-version/}
				line=${line/--temporal-profile-traces/}
				line=${line/--hot-func-list/}
			fi
			! differs "$line" "$file" || continue
			! differs "$line" "$other" || continue
			line=${line/FILE/"$file"}
			agrees "$release" ${line/OTHER/"$other"} || failed=1
		done <<<"$table"
		other=$file
	done
	return "$failed"
}

# table RELEASE <list of files: on all processors.
table() {
	export table top_builddir ours BATS_TEST_TMPDIR
	export -f table_of differs agrees
	xargs -P "$(nproc)" -n 15 bash -c 'table_of "$@"' bash "$1"
}

@test 'files of the corpus' {
	need llvm-profdata-22
	need_corpus
	local c=$PROFTOOLS_CORPUS

	ls "$c"/indexed/*.profdata "$c"/indexed/text/* \
	    "$c"/raw/v{19,22}-*.prof{raw,text} >list
	[ "$(wc -l <list)" -gt 200 ]
	some 30 <list | table 22
}

@test 'as LLVM 16 and 19: what they read of the corpus' {
	need llvm-profdata-16 llvm-profdata-19
	need_corpus
	local c=$PROFTOOLS_CORPUS

	ls "$c"/indexed/*.v[1-79].profdata "$c"/indexed/{fe,ir}1[3-6].profdata \
	    >list
	some 20 <list | table 16
	ls "$c"/indexed/*.v{7,12}.profdata "$c"/raw/v19-*.prof{raw,text} >list
	some 20 <list | table 19
}

@test 'show --memory' {
	need llvm-profdata-22
	need_corpus

	all 22 show "$(ls "$PROFTOOLS_CORPUS"/memprof/ref/*.m[234].profdata)" \
	    <<<--memory
}

@test 'merge: the bytes of earlier releases' {
	need llvm-profdata-13 llvm-profdata-14 llvm-profdata-15
	need llvm-profdata-16 llvm-profdata-19
	need_corpus
	local release

	for release in 13 14 15 16 19; do
		all "$release" merge "$(ls "$PROFTOOLS_CORPUS"/indexed/*.v7.profdata \
		    "$PROFTOOLS_CORPUS"/indexed/{fe,ir}13.profdata | some 5)" <<-'END'
		-o out
		--sparse --text -o out
		END
	done
}

@test 'merge: many profiles, also such as do not fit' {
	need llvm-profdata-13 llvm-profdata-16 llvm-profdata-19
	need llvm-profdata-22
	need_corpus
	local i=$PROFTOOLS_CORPUS/indexed release

	for release in 13 16 19 22; do
		agrees "$release" merge -j 1 -o out "$i/fe_200.v7.profdata" \
		    "$i/mh.v7.profdata" "$i/fe13.profdata"
		agrees "$release" merge -num-threads=1 -o out \
		    "$i/ir_vp.v7.profdata" "$i/cs.v7.profdata" \
		    "$i/ir13.profdata" "$i/ir_multihash.v7.profdata"
		agrees "$release" merge -j=1 --text -o - \
		    -weighted-input=3,"$i/fe_200.v7.profdata" \
		    "$i/fe13.profdata" -weighted-input 7,"$i/mh.v7.profdata"
	done
	agrees 22 merge -j 1 -o out "$i"/{ir22,vt22,cs22}.profdata
	lines_match '^.*/vt22\.profdata: .*: function value site count change' \
	    '^Make sure that all profile data to be merged is generated' \
	    'vt22' 'vt22' 'cs22' <stderr || [ -s stderr ]
}

@test 'merge: the hint at another build comes once for each kind of conflict' {
	need llvm-profdata-19
	need llvm-profdata-22
	local release

	printf '%s\n' :ir f 1 1 5 1 0 1 1 x:3 '' g 1 1 5 '' k 1 1 5 >one
	printf '%s\n' :ir f 1 1 5 1 0 2 1 x:3 0 '' g 1 2 5 5 '' k 1 2 5 5 >two
	for release in 19 22; do
		agrees "$release" merge -num-threads=1 -o out one two two
		[ "$(grep -c '^Make sure that all' stderr)" -eq 2 ]
	done
}

# Which entries of a target are added depends on how LLVM sorts, on the order of
# the inputs, and on what it cut behind the input before.
@test 'merge: sites of many values, some of them repeated' {
	need llvm-profdata-13 llvm-profdata-16 llvm-profdata-19
	need llvm-profdata-22
	local release name n

	python3 "$top_srcdir/tests/support/value-sites.py" 7 300
	for name in large1 large2; do
		{
			printf '%s\n' :ir f 1 1 5 1 1 1 700
			for ((n = 0; n < 700; n++)); do
				echo "$((n * n % 400)):$((n * ${name#large} % 90 + 1))"
			done
			echo
		} >"$name.proftext"
	done
	for release in 13 16 19 22; do
		agrees "$release" merge -j 1 --text -o out {1..3}.proftext
		agrees "$release" merge -j 1 -o out {3..1}.proftext 1.proftext
		agrees "$release" merge -j 1 -o out large{1,2,1}.proftext
	done
}

# Raw profiles are read in blocks.  Addresses of a position-independent program
# are other ones in each run.
@test 'merge: sites with many targets that are unknown' {
	need clang-22 llvm-profdata-22
	local n

	cat >a.c <<-'END'
	#include <stdlib.h>
	#define D(n) __attribute__((no_profile_instrument_function)) \
	    int u##n(int x) { return x + n; } int k##n(int x) { return x - n; }
	#define R(n) u##n, k##n
	#define TEN(m, c) m(c##0) m(c##1) m(c##2) m(c##3) m(c##4) m(c##5) \
	    m(c##6) m(c##7) m(c##8) m(c##9)
	#define COMMA(n) R(n),
	TEN(D, 1) TEN(D, 2) TEN(D, 3)
	int (*const all[])(int) = { TEN(COMMA, 1) TEN(COMMA, 2) TEN(COMMA, 3) };
	int main(int argc, char **argv) {
		int sum = 0, seed = atoi(argv[1]);
		for (int i = 0; i < seed * 40; i++)
			sum += all[(i * i + i * seed) % 60](i);
		for (int i = 0; i < (seed % 3) * 99; i++)
			sum += all[(i * i * seed + i) % 59](i);
		return sum == 0;
	}
	END
	clang-22 -w -fPIE -pie -O1 -fprofile-generate a.c -o a
	for n in {0..5}; do
		LLVM_VP_MAX_NUM_VALS_PER_SITE=255 LLVM_PROFILE_FILE=$n.profraw \
		    ./a $n || :
	done
	agrees 22 merge -j 1 --text -o - {1..5}.profraw
	# Profile 0 adds no values: after that, ties are in another order.
	agrees 22 merge -j 1 -o out 3.profraw {0..5}.profraw
	agrees 22 merge -j 1 -o out {2,0,5,0,4}.profraw
	agrees 22 merge -j 1 -o out {2,0,4}.profraw
}

@test 'several images, and byte coverage: up to LLVM 16 less is said' {
	local release

	echo 'int g(void) { return 2; }' >g.c
	echo 'int g(void); int main(void) { return g() - 2; }' >a.c
	for release in 14 15 16 19 22; do
		need "clang-$release" "llvm-profdata-$release"
		"clang-$release" -Wl,--build-id -shared -fPIC \
		    -fprofile-instr-generate g.c -o libg.so
		"clang-$release" -Wl,--build-id -fprofile-instr-generate a.c \
		    ./libg.so -o a
		LLVM_PROFILE_FILE=images.profraw ./a
		"clang-$release" -Wl,--build-id -O1 -fprofile-generate g.c \
		    a.c -mllvm -pgo-function-entry-coverage -o a
		LLVM_PROFILE_FILE=bytes.profraw ./a
		# Those before keep the build ids of the last image only.
		if [ "$release" -ge 18 ]; then
			agrees "$release" merge -o out images.profraw
			agrees "$release" show --binary-ids images.profraw
		fi
		agrees "$release" merge -o out bytes.profraw
		agrees "$release" merge --text -o - bytes.profraw
	done
}

# A temporal profile of a trace of some functions.
trace() {
	local k

	printf ':ir\n:temporal_prof_traces\n1\n1\n%s\n' "$1"
	for ((k = 0; k <= $1 * 7 % 20; k++)); do
		printf 'f%d,' $((k * $1 % 23))
	done
	printf '\n\n'
	for ((k = 0; k < 23; k++)); do
		printf 'f%d\n1\n1\n5\n\n' $k
	done
}

@test 'merge and order: temporal traces' {
	need llvm-profdata-22
	local i size

	for i in {1..20}; do
		trace "$i" >"$i.proftext"
	done
	llvm-profdata-22 merge -o many.profdata {1..9}.proftext
	for size in 3 5 100; do
		agrees 22 merge -num-threads=1 -o out \
		    -temporal-profile-trace-reservoir-size=$size \
		    {1..20}.proftext many.profdata 3.proftext many.profdata
		agrees 22 merge -j 1 -o out {1..20}.proftext \
		    -temporal-profile-max-trace-length=$size
		agrees 22 merge -j 1 -o out {1..2}.proftext \
		    many.profdata -temporal-profile-max-trace-length=0 \
		    -temporal-profile-trace-reservoir-size=$((size - 2))
	done
	agrees 22 order many.profdata
	agrees 22 order --num-test-traces=2 many.profdata
	agrees 22 order --num-test-traces=9 many.profdata
}

@test 'show --memory of raw profiles' {
	need llvm-profdata-22 llvm-profdata-19 llvm-profdata-16 llvm-profdata-15
	need_corpus
	local m=$PROFTOOLS_CORPUS/memprof f

	for f in ctx-v22-pie ctx-v22-nopie big-v22 dupsites-v22 multidump-v22 \
	    lld-v22 names-v22; do
		agrees 22 show --memory --profiled-binary="$m/$f.dbg" \
		    "$m/$f.raw"
	done
	for f in 15-nopie 16-nopie 19-pie; do
		agrees "${f%-*}" show --memory "$m/ctx-v$f.raw" \
		    --profiled-binary="$m/ctx-v$f.dbg"
	done
	run -1 "$ours" --compat=14 show --memory "$m/ctx-v14-pie.raw"
	[[ $output == *'not supported: use --compat=15 or later' ]]
	# LLVM prints where in its memory a histogram was, and crashes on
	# those of several dumps.
	llvm-profdata-22 show --memory "$m/hist-v22.raw" \
	    --profiled-binary="$m/hist-v22.dbg" |
	    sed 's/AccessHistogram: .*/AccessHistogram: 0/' >theirs
	for f in hist-v22 histmulti-v22; do
		"$ours" show --memory "$m/$f.raw" \
		    --profiled-binary="$m/$f.dbg" >$f
		grep -q 'AccessHistogramValues: .*[1-9]' $f
	done
	cmp hist-v22 theirs
	run -1 "$ours" show --memory "$m/ctx-v22-pie.raw"
	[[ $output == $'error: \nPath to profiled binary is empty'* ]]
}

# Names and strings that are never accessed, and accesses with equal counts.
@test 'show --memory: data accesses in the order of LLVM' {
	need llvm-profdata-22

	cat >x.yaml <<-'END'
	---
	DataAccessProfiles:
	  SampledRecords:
	    - { Symbol: few, AccessCount: 100 }
	    - { Hash: 77, AccessCount: 200 }
	    - { Symbol: many, AccessCount: 900 }
	    - { Hash: 12, AccessCount: 200 }
	  KnownColdSymbols: [ foo, bar, zz, aa ]
	  KnownColdStrHashes: [ 1001, 999, 5, 77777777777 ]
	...
	END
	agrees 22 merge --memprof-version=4 x.yaml -o out
	llvm-profdata-22 merge --memprof-version=4 x.yaml -o indexed
	agrees 22 show --memory indexed
	grep -q 'KnownColdStrHashes: \[ 5, 999' stdout
}

@test 'merge: binaries of correlated profiles' {
	need clang-22 llvm-profdata-22
	local kind id release

	echo none >list
	echo 'int f(int x) { return x > 3 ? x : 3; }
	int main(int c, char **v) { return f(c) - 3; }' >a.c
	for kind in debug-info binary; do
		clang-22 -g -O1 -fprofile-generate -mllvm \
		    -profile-correlate=$kind -Wl,--build-id a.c -o $kind
		LLVM_PROFILE_FILE=$kind.profraw ./$kind
		id=$(prof-show --ids $kind.profraw 2>/dev/null ||
		    profraw-cat $kind.profraw | jq -r '.build_id // empty')
		mkdir -p "d/.build-id/${id:0:2}"
		cp $kind "d/.build-id/${id:0:2}/${id:2}.debug"
		agrees 22 merge -j 1 --correlate=$kind -o out \
		    --debug-file-directory=d $kind.profraw
	done
	objcopy -g debug-info none
	for kind in none /bin/true nothing list; do
		agrees 22 merge --debug-info=$kind debug-info.profraw -o out
		agrees 22 merge --binary-file=$kind binary.profraw -o out
	done
	agrees 22 merge --correlate=binary -o out binary.profraw
	agrees 22 merge --debuginfod -o out binary.profraw
	agrees 22 merge --debug-info=debug-info --binary-file=binary -o out \
	    binary.profraw
}

@test 'merge: heap profiles' {
	need llvm-profdata-22
	need_corpus
	local m=$PROFTOOLS_CORPUS/memprof f

	for f in ctx-v22-pie ctx-v22-nopie big-v22; do
		agrees 22 merge --profiled-binary="$m/$f.dbg" "$m/$f.raw" \
		    -o out
	done
	for f in 3 4; do
		agrees 22 merge --memprof-version=$f -o out "$m/y1.yaml"
	done
	for f in any all warn; do
		agrees 22 merge --failure-mode=$f "$m/y1.yaml" -o out \
		    --profiled-binary="$m/big-v22.dbg" "$m/ctx-v22-pie.raw"
		begins_as_theirs
		head -c 400 "$m/big-v22.raw" >cut
		agrees 22 merge --failure-mode=$f "$m/y1.yaml" -o out \
		    --profiled-binary="$m/big-v22.dbg" cut
	done
	agrees 22 show --memory --profiled-binary="$m/big-v22.dbg" \
	    "$m/ctx-v22-pie.raw"
	begins_as_theirs
	run -1 "$ours" merge "$m/ctx-v22-pie.raw" -o out
	[[ $output == *'BuildId: 0cf968fa45baef2a44450e7223883bd880fc1160'* ]]
}

@test 'overlap' {
	need llvm-profdata-22 llvm-profdata-19
	need_corpus
	local i=$PROFTOOLS_CORPUS/indexed a b

	for a in vt22 zeros.v13 synth_ir_vp.v5 fe_200.v13; do
		for b in vt22 ir22 ir_vp.v9 fe_200.v7; do
			agrees 22 overlap "$i/$a.profdata" "$i/$b.profdata"
			agrees 22 overlap -value-cutoff=10 --function=a \
			    "$i/$a.profdata" "$i/$b.profdata"
		done
	done
	agrees 19 overlap "$i"/{ir13,ir16}.profdata
}

# A text profile that depends on a number: names with several hashes, values,
# context-sensitive functions and pseudo counts.
generated() {
	awk -v seed="$1" -v OFMT=%.0f -v CONVFMT=%.0f '
	function pick(n) { return int(rand() * n) }
	function count() {
		return pick(3) == 0 ? 0 : pick(2) == 0 ? pick(99) : pick(2^45)
	}
	function site(kind, n, k) {
		n = pick(4)
		print n
		for (k = 0; k < n; k++)
			print (kind ? pick(9) * 4 + k * 40 : \
			    "f" (k * 9 + pick(9))) ":" \
			    (1 + pick(2) * pick(2^33))
	}
	function values(kinds, kind, n, k) {
		kinds = 1 + pick(2)
		print kinds
		for (kind = 2 - kinds; kind < 2; kind++) {
			print kind
			n = 1 + pick(2)
			print n
			for (k = 0; k < n; k++)
				site(kind)
		}
	}
	BEGIN {
		srand(seed)
		print pick(2) ? ":ir" : ":ir\n:entry_first"
		for (f = 0; f < 5 + pick(30); f++) {
			hash = 1
			for (h = pick(4) == 0 ? 5 : 1; h > 0; h--) {
				hash += 1 + pick(60)
				n = 1 + pick(5)
				print "f" f "\n" hash "\n" n
				first = pick(40) ? count() : \
				    "1844674407370955161" (4 + pick(2))
				print first
				for (k = 1; k < n; k++)
					print count()
				# What never ran has no values.
				if (pick(3) == 0 && first != 0)
					values()
				print ""
			}
		}
	}'
}

@test 'generated profiles, of which there are 200' {
	need llvm-profdata-16 llvm-profdata-19 llvm-profdata-22
	local i

	some 40 "$PWD"/{1..200} >list
	for i in $(printf '%s\n' {1..9} {51..55} $(some 40 {1..200}) |
	    sort -u); do
		generated "$i" >"$i"
	done
	# They are what they are meant to be.
	llvm-profdata-22 show 1 >stdout
	table 22 <list
	ls "$PWD"/{1..9} | some 8 | table 16
	ls "$PWD"/{1..9} | some 8 | table 19
	for i in {1..5}; do
		agrees 16 merge -j 1 -sparse "$i" $((i + 50)) -o out
		agrees 22 merge -j 1 --text "$i" $((i + 50)) "$i" -o -
	done
}

@test 'bad inputs, and lists of inputs' {
	need llvm-profdata-22
	local good=good.profdata mode

	: >empty
	printf 'not a \1\2 profile' >junk
	fn main 1 5 | profile '"level":"frontend"' "$(cat)" |
	    prof-index -o "$good"
	head -c 20 "$good" >cut
	for mode in any all warn; do
		agrees 22 merge -failure-mode=$mode -o out junk cut
		agrees 22 merge -failure-mode=$mode -o out junk "$good" empty
		agrees 22 merge -failure-mode $mode -o out empty
	done
	printf '# a comment\n\n2,%s\n%s\n' "$good" "$good" >list
	agrees 22 merge -f list -o out
	agrees 22 merge --input-files=list "$good" --weighted-input=3,"$good" \
	    --dump-input-file-list
	agrees 22 show nothing
	agrees 22 show empty
	agrees 22 show junk
	grep -q 'junk: unrecognized instrumentation profile encoding' stderr
	agrees 22 overlap nothing "$good"
	agrees 22 order
}

# A raw profile of one function with one counter; words of the header and of
# the record can be set by name.
raw_profile() {
	local -A v=([version]=10 [ids]=0 [data]=1 [counters]=1 [names]=8
	    [pointer]=256 [number]=1 [count]=5)
	local word

	for word; do
		v[${word%%=*}]=${word#*=}
	done
	for word in 0xff6c70726f667281 "${v[version]}" "${v[ids]}" \
	    "${v[data]}" 0 "${v[counters]}" 0 0 0 "${v[names]}" 256 0 512 0 0 \
	    2 0x5cf8c24cdb18bdac 10 "${v[pointer]}" 0 0 0 \
	    "${v[number]}" 0 "${v[count]}"; do
		word=$(printf '%016x' "$word")
		printf "$(sed -E 's/(..)(..)(..)(..)(..)(..)(..)(..)/\\x\8\\x\7\\x\6\\x\5\\x\4\\x\3\\x\2\\x\1/' <<<"$word")"
	done
	printf '\3\0foo\0\0\0'
}

says_as() {
	agrees 22 show "$1" && begins_as_theirs
}

@test 'raw profiles without build ids' {
	need llvm-profdata-22

	raw_profile >x
	agrees 22 show --binary-ids x
	! grep 'Binary IDs' stdout
}

@test 'conflicts of functions that a filter drops' {
	need llvm-profdata-22
	local option

	(echo :ir; printf '%s\n1\n1\n5\n' f g) >x
	(echo :ir; printf '%s\n1\n2\n5\n6\n' f g) >y
	for option in --function=f --no-function=f --function=z; do
		agrees 22 merge -j 1 "$option" x y -o out
		cmp theirs.stderr stderr
		grep -q 'count change detected' stderr
	done
}

@test 'messages about damage begin with those of LLVM' {
	need llvm-profdata-22
	local row

	raw_profile >x
	says_as x
	for row in number=0 ids=3 data=9 names=99; do
		raw_profile "$row" >x
		says_as x
	done
	for row in version=99 number=9 pointer=144 pointer=400; do
		raw_profile "$row" >x
		agrees 22 show x
	done
	(raw_profile; printf '\0\0\0\0\0\0\0\0') >x
	says_as x
	raw_profile | head -c 8 >x
	says_as x
	(raw_profile; seq 200) >x
	says_as x
	for row in 'foo\n1\n1\n1\n$2\n1\n1.5\n' 'foo\n' 'foo\nxx\n1\n1\n' 'foo\n1\nz\n' 'foo\n1\n0\n' \
	    'foo\n1\n1\nq\n' 'foo\n1\n3\n1\n' ':xyz\nfoo\n1\n1\n1\n' \
	    'foo\n1\n1\n1\n9\n' 'foo\n1\n1\n1\n1\n7\n1\n' \
	    'foo\n1\n1\n1\n$x\n'; do
		printf "$row" >x
		says_as x
	done
}

@test 'merge -r: other names' {
	need llvm-profdata-22
	local line

	printf 'foo\n1\n1\n5\n\nbar\n1\n1\n7\n\nmain\n3\n1\n2\n\n' >a
	printf '# names\n\nfoo bar\nfoo nothing\nmain _main\n' >names
	for line in -r=names '-r names' --remapping-file=names; do
		agrees 22 merge $line -j 1 a --text -o -
		grep -qx _main stdout
	done
	agrees 22 merge -r names --function=_main a -o out
	while IFS= read -r line; do
		printf 'x y\n%s\n' "$line" >names
		agrees 22 merge -r names a -o out
		cmp theirs.stderr stderr
	done <<-'END'
	foo
	foo 
	 foo bar
	foo  bar
	foo bar baz
	END
	agrees 22 merge -r nothing a -o out
}

@test 'counters of raw profiles that cannot be' {
	need llvm-profdata-22
	local mode

	raw_profile >good
	raw_profile count=0x0100000000000001 >bad
	for mode in any all warn; do
		agrees 22 merge -failure-mode=$mode -j 1 bad good -o out
		agrees 22 merge -failure-mode=$mode bad -o out
		grep -q 'excessively large .*: 72057594037927937$' stderr
	done
	agrees 22 show --all-functions --counts bad
}

@test 'a Rust program' {
	need rustc llvm-profdata-22 llvm-cov-22
	local i tool command

	[[ $(rustc -vV) == *'LLVM version: 22'* ]] || skip 'needs LLVM 22'
	cat >a.rs <<-'END'
	fn sum(n: u32) -> u32 {
	    (0..n).map(|i| if i % 2 == 0 { i } else { 1 }).sum()
	}
	fn never() {}
	fn main() {
	    match std::env::args().nth(1) {
	        Some(n) => println!("{}", sum(n.parse().unwrap())),
	        None => never(),
	    }
	}
	END
	rustc -C instrument-coverage a.rs -o a
	for i in 3 5 8; do
		LLVM_PROFILE_FILE=$i.profraw ./a $i
		echo "$PWD/$i.profraw"
	done >list
	sed -i '/^[0-9]*$/d' list
	for tool in "$ours" llvm-profdata-22; do
		# As cargo llvm-cov does it.
		"$tool" merge -sparse -f list -o a.profdata
		for command in report show 'export -format=text' \
		    'export -format=lcov'; do
			llvm-cov-22 $command ./a -instr-profile=a.profdata
		done >"${tool##*/}.cov"
	done
	grep -q 'SF:.*a.rs' llvm-profdata.cov
	cmp llvm-profdata.cov llvm-profdata-22.cov
	command -v grcov >/dev/null || return 0
	# It asks rustc where LLVM's programs are.
	for tool in "$ours" "$(command -v llvm-profdata-22)"; do
		bin=bin-${tool##*/}
		rust=$bin/lib/rustlib/$(rustc -vV |
		    sed -n 's/^host: //p')/bin
		mkdir -p "$rust"
		ln -s "$tool" "$rust/llvm-profdata"
		ln -s "$(command -v llvm-cov-22)" "$rust/llvm-cov"
		printf '#!/bin/sh\ncase $* in *sysroot*) echo %s;; *) exec %s "$@";; esac\n' \
		    "$PWD/$bin" "$(command -v rustc)" >"$bin/rustc"
		chmod +x "$bin/rustc"
		PATH=$PWD/$bin:$PATH grcov . --llvm --binary-path ./a -s . \
		    -t lcov -o "$bin.lcov"
	done
	grep -q '^DA:' bin-llvm-profdata.lcov
	cmp bin-llvm-profdata.lcov bin-llvm-profdata-22.lcov
}

# The long list of LLVM's other libraries and samples are not ours.
@test '--help has the sentences of LLVM' {
	need llvm-profdata-22
	local command

	for command in merge show overlap order; do
		agrees 22 $command --help || :
		for f in theirs.stdout stdout; do
			sed -E 's/^ +//; s/ +/ /g; s/^USAGE: [^ ]*/USAGE:/' \
			    $f | sort >$f.lines
		done
		comm -23 theirs.stdout.lines stdout.lines |
		    grep -Ev -e '(^|-)(sample|gcc|similarity|nest|flat|convert)' \
		    -e '^--(help|prof-sym-list)|^Profile kind|^Format of' \
		    -e '^--(max-)?debug-info|^--show-(prof-sym|sec-info)' \
		    -e '^=(nest|flat)' >more || :
		same /dev/null more
		[ "$(grep -c '^--' stdout.lines)" -gt 4 ]
	done
	"$ours" --help | sed 's/^USAGE: [^ ]*//' >all
	llvm-profdata-22 --help | sed 's/^USAGE: [^ ]*//' |
	    grep -E '^(OVERVIEW|SUBCOMMANDS|  (merge|show|overlap|order) )' |
	    while IFS= read -r line; do
		grep -qxF "$line" all
	done
}

@test 'what is wrong with options' {
	need llvm-profdata-22 llvm-profdata-16
	local line

	: >x
	while IFS= read -r line; do
		agrees 22 $line
		agrees 16 $line
		[ -s stderr ]
	done <<-'END'
	
	nothing
	merge
	merge -bogus x
	merge x -o
	merge -j4 x -o out
	merge -j x
	merge -failure-mode=foo x
	merge -weighted-input=0,x
	merge -weighted-input=x
	show
	show x x
	show -topn=z x
	show -all-functions=maybe x
	show --show-format=json x
	overlap x
	merge x -o .
	show x -o .
	merge -- x -o -
	merge -vers
	show --print-options x
	END
}
