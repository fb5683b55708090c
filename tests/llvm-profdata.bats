# llvm-profdata: what scripts see of it is what they see of LLVM's.
#
# The tables hold command lines.  LLVM's program of the release is run with each
# of them, and ours; standard output, exit status and output file must be equal.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	ours=$top_builddir/cmd/llvm-profdata
	unset PROFTOOLS_COMPAT
}

# agrees RELEASE ARGUMENTS...: files of output are called out.
agrees() {
	local theirs=0 status=0

	rm -f out
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
	rm -f theirs.out
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

show_options='
--all-functions --counts --ic-targets --memop-sizes --show-vtables
-all-functions=1 -text
--topn=3 --hot-func-list --detailed-summary --value-cutoff 2
--covered
--value-cutoff=2 --list-below-cutoff --function=a --counts
--binary-ids --profile-version --temporal-profile-traces --showcs
--detailed-summary --detailed-summary-cutoffs=5,800000,1000000'

@test 'show: indexed profiles' {
	need llvm-profdata-22
	need_corpus
	all 22 show "$(echo "$PROFTOOLS_CORPUS"/indexed/*.v13.profdata \
	    "$PROFTOOLS_CORPUS"/indexed/*22*.profdata)" <<<"$show_options"
}

@test 'show: as earlier releases' {
	need llvm-profdata-13 llvm-profdata-16 llvm-profdata-19
	need_corpus
	local release

	for release in 13 16 19; do
		all "$release" show \
		    "$(echo "$PROFTOOLS_CORPUS"/indexed/*.v7.profdata \
		    "$PROFTOOLS_CORPUS"/indexed/{fe,ir}13.profdata)" <<-'END'
		--all-functions --counts --ic-targets --memop-sizes
		--topn=3 --detailed-summary --value-cutoff=2 --showcs
		--topn=1 --all-functions --text
		END
	done
	all 19 show "$(echo "$PROFTOOLS_CORPUS"/indexed/*.v12.profdata)" \
	    <<<"$show_options"
}

@test 'show: raw and text profiles' {
	need llvm-profdata-22
	need_corpus
	local raw=$PROFTOOLS_CORPUS/raw

	# LLVM keeps a bitmap for all functions behind it in text, and names of
	# images that it has left.
	all 22 show "$(ls "$raw"/v22-*.profraw "$raw"/v22-*.proftext |
	    grep -v 'mcdc.*text\|multi\|novalues')" <<<"$show_options"
}

@test 'show --memory' {
	need llvm-profdata-22
	need_corpus

	all 22 show "$(ls "$PROFTOOLS_CORPUS"/memprof/ref/*.m[234].profdata)" \
	    <<<--memory
}

@test 'merge: one profile' {
	need llvm-profdata-22
	need_corpus

	all 22 merge "$(echo "$PROFTOOLS_CORPUS"/indexed/*temporal*)" <<-'END'
	-o out
	--text -o out
	END
	# LLVM forgets names of traces whose functions are left out.
	all 22 merge "$(ls "$PROFTOOLS_CORPUS"/indexed/*.v13.profdata \
	    "$PROFTOOLS_CORPUS"/indexed/*.v7.profdata \
	    "$PROFTOOLS_CORPUS"/indexed/text/* | grep -v temporal)" <<-'END'
	-o out
	-sparse --text -o -
	--sparse -write-prev-version -output=out
	--weighted-input=1,/dev/null -o out
	--function=^_Z --no-function o --text -o out
	END
}

@test 'merge: the bytes of earlier releases' {
	need llvm-profdata-13 llvm-profdata-14 llvm-profdata-15
	need llvm-profdata-16 llvm-profdata-19
	need_corpus
	local release

	for release in 13 14 15 16 19; do
		all "$release" merge \
		    "$(echo "$PROFTOOLS_CORPUS"/indexed/*.v7.profdata \
		    "$PROFTOOLS_CORPUS"/indexed/{fe,ir}13.profdata)" <<-'END'
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
	need llvm-profdata-19 llvm-profdata-22
	local i release size

	for i in {1..20}; do
		trace "$i" >"$i.proftext"
	done
	for release in 19 22; do
		"llvm-profdata-$release" merge -o many.profdata {1..9}.proftext
		for size in 3 5 100; do
			agrees "$release" merge -num-threads=1 -o out \
			    -temporal-profile-trace-reservoir-size=$size \
			    {1..20}.proftext many.profdata 3.proftext \
			    many.profdata
			agrees "$release" merge -j 1 -o out {1..20}.proftext \
			    -temporal-profile-max-trace-length=$size
		done
		agrees "$release" order many.profdata
		agrees "$release" order --num-test-traces=2 many.profdata
		agrees "$release" order --num-test-traces=9 many.profdata
	done
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
	run -1 "$ours" merge "$m/ctx-v22-pie.raw" -o out
	[[ $output == *'BuildId: 0cf968fa45baef2a44450e7223883bd880fc1160'* ]]
}

@test 'overlap' {
	need llvm-profdata-22 llvm-profdata-19
	need_corpus
	local i=$PROFTOOLS_CORPUS/indexed a b

	for a in vt22 ir22 fe22 zeros.v13 synth_ir_vp.v5 fe_200.v13 mh.v12; do
		for b in vt22 ir22 fe22 ir_vp.v9 fe_200.v7; do
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
				print pick(40) ? count() : \
				    "1844674407370955161" (4 + pick(2))
				for (k = 1; k < n; k++)
					print count()
				if (pick(3) == 0)
					values()
				print ""
			}
		}
	}'
}

@test 'generated profiles' {
	need llvm-profdata-16 llvm-profdata-19 llvm-profdata-22
	local i

	for i in {1..20}; do
		generated "$i" >"$i"
		# It is what it is meant to be.
		llvm-profdata-22 show "$i" >stdout
		generated $((i + 1000)) >other
		all 22 show "$i" <<<"$show_options"
		agrees 22 merge "$i" -o out
		agrees 16 merge -j 1 -sparse "$i" other -o out
		agrees 22 merge -j 1 --text "$i" other "$i" -o -
		agrees 19 show --topn=4 --ic-targets --all-functions "$i"
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
	printf '# a comment\n\n 2,%s \n%s\n' "$good" "$good" >list
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
	    [pointer]=256 [number]=1)
	local word

	for word; do
		v[${word%%=*}]=${word#*=}
	done
	for word in 0xff6c70726f667281 "${v[version]}" "${v[ids]}" \
	    "${v[data]}" 0 "${v[counters]}" 0 0 0 "${v[names]}" 256 0 512 0 0 \
	    2 0xe413754a191db537 10 "${v[pointer]}" 0 0 0 \
	    "${v[number]}" 0 5; do
		word=$(printf '%016x' "$word")
		printf "$(sed -E 's/(..)(..)(..)(..)(..)(..)(..)(..)/\\x\8\\x\7\\x\6\\x\5\\x\4\\x\3\\x\2\\x\1/' <<<"$word")"
	done
	printf '\3\0foo\0\0\0'
}

# The first line of LLVM's message begins ours.
says_as() {
	local theirs

	agrees 22 show "$1" || return 1
	theirs=$(grep '^error: ' theirs.stderr || :)
	[[ $(grep '^error: ' stderr || :) == "$theirs"* ]] || {
		diff theirs.stderr stderr
		return 1
	}
}

@test 'messages about damage begin with those of LLVM' {
	need llvm-profdata-22
	local row

	raw_profile >x
	says_as x
	for row in version=99 number=0 number=9 pointer=144 pointer=400 ids=3 data=9 \
	    names=99; do
		raw_profile "$row" >x
		says_as x
	done
	(raw_profile; printf '\0\0\0\0\0\0\0\0') >x
	says_as x
	(raw_profile; seq 200) >x
	says_as x
	for row in 'foo\n' 'foo\nxx\n1\n1\n' 'foo\n1\nz\n' 'foo\n1\n0\n' \
	    'foo\n1\n1\nq\n' 'foo\n1\n3\n1\n' ':xyz\nfoo\n1\n1\n1\n' \
	    'foo\n1\n1\n1\n9\n' 'foo\n1\n1\n1\n1\n7\n1\n' \
	    'foo\n1\n1\n1\n$x\n'; do
		printf "$row" >x
		says_as x
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
	END
}

@test 'sample profiles are refused' {
	local line

	: >x
	while IFS= read -r line; do
		run -1 "$ours" $line x
		[[ $output == 'error: --'*' does not know'* ]]
	done <<-'END'
	merge --sample
	merge -gcc
	merge --use-md5
	merge --supplement-instr-with-sample=y
	merge --remapping-file=y
	show -sample
	overlap --sample
	END
}

@test 'all raw versions are read, whatever release it is' {
	need_corpus
	local release

	for release in 13 17 22; do
		"$ours" merge --compat=$release -o out \
		    "$PROFTOOLS_CORPUS"/raw/v{13-fe,22-fe_vp}.profraw 2>stderr
		"$ours" show --compat $release out >shown
		grep -q '^Total functions: ' shown
	done
	for release in 12 23 x; do
		run -1 "$ours" show --compat=$release out
		PROFTOOLS_COMPAT=$release run -1 "$ours" show out
	done
}

@test 'the differences that the page names' {
	fn main 1 5 | profile '"level":"frontend"' "$(cat)" >fe
	fn foo 1 5 | profile '"level":"ir"' "$(cat)" >ir
	run -1 "$ours" merge fe ir -o out
	[[ $output == *'Merge IR generated profile with Clang generated'* ]]
	[ ! -e out ]
	# A pipe is as good as a file.
	"$ours" merge ir | "$ours" show - | grep '^Total functions: 1$'
	"$ours" merge -failure-mode=warn - <ir | cmp - <("$ours" merge ir)
	run -1 "$ours" show ir -o ir
}
