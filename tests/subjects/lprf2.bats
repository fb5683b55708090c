# LPRF version 2, both ways.  What is wrong with its bytes is in tests/unit/lprf2.c.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
}

forms() {
	echo lprf:2,plain
	echo lprf:2
}

# Profiles of the tests that are read without an error, with their folders.
samples() {
	(cd "$top_srcdir/tests/data" && find good real heap memprof memprof-raw \
	    -type f \( -name '*.profraw' -o -name '*.ndjson' -o \
	    -name '*.memprofraw' -o -name '*.profdata' -o -name '*.proftext' \
	    \) | LC_ALL=C sort | sed "s,^,$top_srcdir/tests/data/,")
}

# comes_back: the stream `want` is the same through both forms of LPRF 2, as a
# stream, as text and as an indexed profile.
comes_back() {
	local to kind

	for to in $(forms); do
		prof-merge -q --to "$to" -o file.lprf want
		profraw-cat -q file.lprf | unsourced | same want - || return 1
		for kind in indexed text; do
			prof-merge -q --to "$kind" want >want.out 2>want.err
			echo $? >>want.out
			prof-merge -q --to "$kind" file.lprf >got.out 2>got.err
			echo $? >>got.out
			same want.out got.out || return 1
		done
	done
}

# correlated_is_refused FILE: it lacks what prof-symbolize has to know of it.
correlated_is_refused() {
	local to

	for to in $(forms); do
		refused 'of a correlated profile have no functions yet: run pr' \
		    profraw-cat -q --to "$to" -o file.lprf "$1" || return 1
	done
}

# come_back N: at least so many of the files of standard input do.
come_back() {
	local file n=0

	while read -r file; do
		prof-merge -q "$file" 2>errors | unsourced >want
		tail -n 1 want | grep -q '"last":true' || continue
		[ "$(grep -c '"record":"profile"' want)" -eq 1 ] || continue
		echo "$file"
		if grep -q _correlated want; then
			correlated_is_refused "$file" || return 1
		else
			comes_back || return 1
		fi
		n=$((n + 1))
	done
	[ "$n" -ge "$1" ]
}

@test 'profiles of the tests come back' {
	samples | some 4 | come_back 40
}

@test 'profiles of the corpus come back' {
	need_corpus
	find "$PROFTOOLS_CORPUS"/{raw,indexed,memprof} -type f -size -600k \
	    \( -name '*.profraw' -o -name '*.memprofraw' -o -name '*.profdata' \
	    \) | LC_ALL=C sort | some 9 | come_back 20
}

@test 'the suffix and the format alone choose version 2' {
	profile '' "$(fn f 1 7)" >stream
	profraw-cat -o file.lprf stream
	profraw-cat --to lprf -o other stream
	cmp file.lprf other
	[ "$(head -c 5 file.lprf | od -An -tx1)" = ' 4c 50 52 46 02' ]
	[ "$(profraw-cat file.lprf | head -n 1 | jq .source.version)" -eq 2 ]
	usage_error 'lprf version 1 cannot be written: versions 2 to 2 can' \
	    profraw-cat --to lprf:1 stream
	usage_error "'big' is not a version of lprf, nor plain" profraw-cat --to lprf:2,big stream
}

@test 'a profile of nothing, names of any bytes, and pipes' {
	local to

	profile '' >nothing
	profile '' "$(fn 'a\n#' 1 1)" "$(fn fünf 1 1)" "$(fn LPRF 1 1)" \
	    '{"record":"function","name_hex":"610062ff",'$(
	    )'"hash":"0x0000000000000001","counts":[1]}' >names
	for to in $(forms); do
		for file in nothing names; do
			profraw-cat --to "$to" "$file" | cat >file.lprf
			cat file.lprf | profraw-cat | unsourced | canon >got
			canon <"$file" | same - got
		done
	done
}

@test 'packed is smaller, and holds the same' {
	profraw-cat -q "$(data screens/leveldb-20000.lprf)" >want
	profraw-cat --to lprf:2,plain -o plain.lprf want
	profraw-cat --to lprf:2 -o packed.lprf want
	[ "$(wc -c <packed.lprf)" -lt "$(wc -c <plain.lprf)" ]
	profraw-cat packed.lprf | unsourced >got
	profraw-cat plain.lprf | unsourced | same - got
}

# prof-merge has the functions in order, and stores no records behind them.
@test 'records behind functions that are sorted are cut into the same blocks' {
	local to

	{
		profile '"level":"ir"' "$(fn f 1 1)" "$(fn a 1 1)" | head -n 3
		seq -f '{"record":"trace","weight":%.0f,"functions":["f","a"]}' 9000
		profile '' | tail -n 1
	} >stream
	for to in $(forms); do
		profraw-cat --to "$to" -o file.lprf stream
		prof-merge --to "$to" -o merged.lprf stream
		cmp merged.lprf file.lprf
	done
}

@test 'plain files are the same in any order, and through packed ones' {
	local seed

	for seed in 1 2 3; do
		awk -f "$top_srcdir/tests/support/generate.awk" -v seed=7 \
		    -v run=$seed >$seed
		prof-merge -q --to lprf -o $seed.lprf $seed
		prof-merge -q --to lprf:2,plain -o $seed.plain.lprf $seed
	done
	prof-merge -q --to lprf:2,plain -o want.lprf 1 2 3
	prof-merge -q --to lprf:2,plain -o got.lprf 3.lprf 1.plain.lprf 2.lprf
	cmp want.lprf got.lprf
	prof-merge -q --to lprf -o part.lprf 3.plain.lprf 2.lprf
	prof-merge -q --to lprf:2,plain -o got.lprf 1.lprf part.lprf
	cmp want.lprf got.lprf
}

# many: a plain file of many blocks.
many() {
	{
		printf '%s\n' '{"record":"profile","stream":1,"kind":"instr","level":"ir"}'
		seq -f '{"record":"function","name":"function_%05.0f","hash":"0x0000000000000007","counts":[1]}' 3000
		printf '%s\n' '{"record":"end","last":true}'
	} >stream
	profraw-cat --to lprf:2,plain -o "$1" stream
}

# flip FILE OFFSET: changes a byte.
flip() {
	{ head -c "$2" "$1"; printf '\377'; tail -c +$(($2 + 2)) "$1"; } >bad.lprf
	! cmp -s "$1" bad.lprf
}

@test 'a damaged block and a cut file are refused' {
	many file.lprf
	flip file.lprf 20000
	refused 'bad.lprf: damaged: 0x[0-9a-f]+: block: the checksum of its [0-9]+ bytes' \
	    prof-merge -o merged bad.lprf
	[ ! -e merged ]
	head -c 20000 file.lprf >cut.lprf
	refused 'cut.lprf: truncated: 0x4e20: the file ends without its trailer$' \
	    prof-merge -o merged cut.lprf
}

# The offset of the root is that of the last trailer, whose file is the second.
@test 'a file that follows another one is refused, by a look-up, too' {
	many file.lprf
	profile '' "$(fn f 1 1)" | profraw-cat --to lprf:2,plain -o small.lprf
	for second in file.lprf small.lprf; do
		cat file.lprf "$second" >both.lprf
		refused 'both.lprf: damaged: 0x[0-9a-f]+: another file follows the tr' \
		    prof-merge --to lprf -o merged both.lprf
		refused 'both.lprf: damaged: 0x' prof-show --function f both.lprf
		refused 'both.lprf: damaged: 0x' prof-show --glob 'f*' both.lprf
	done
	cat file.lprf file.lprf >both.lprf
	refused 'another file follows the trailer' \
	    prof-show --function function_00001 both.lprf
}

@test 'one function is read without the blocks of others' {
	local name

	many file.lprf
	flip file.lprf 20000
	for name in function_00001 function_02900; do
		quiet prof-show --json --counts --function $name bad.lprf |
		    jq -c .name | same - <(echo "\"$name\"")
	done
	refused checksum prof-show --json --counts bad.lprf
	ends 1 . -- prof-show --function function_9 file.lprf
}

@test 'one function is read behind others with members of all kinds' {
	local values='"values":{"indirect_call_target":[[{"target":"a","count":1}],[]],"mem_op_size":[[{"size":8,"count":3}]]}'
	local name form

	profile '"level":"ir"' \
	    "$(fn a 1 1 "\"bitmap\":\"01ff\",\"uniform_counts\":[1,300],$values,\"k\":[2]")" \
	    "$(fn b 1 1 '"bitmap":"0102"')" "$(fn c 1 1 '"k":"v"')" \
	    "$(fn d 1 1 '"uniform_counts":[7]')" "$(fn e 1 1 "$values")" \
	    "$(fn f 1 1 '"bitmap":"03","k":1')" "$(fn g 1 1)" >x
	for form in $(forms); do
		profraw-cat --to "$form" -o file.lprf x
		for name in a b c d e f g; do
			quiet prof-show --json --counts --values \
			    --function $name file.lprf >got
			prof-show --json --counts --values --function $name x |
			    sed 's/"x"/"file.lprf"/' | same - got
		done
	done
}

@test 'shell patterns match the same in the order of the file' {
	local pattern

	profile '' "$(fn leveldb 1 1)" "$(fn leveldb::f 1 1)" \
	    "$(fn leveldb:_ZN1a1bEv 1 1)" "$(fn _ZN7leveldb1gEv 1 1)" \
	    "$(fn 'a.cc;_ZN7leveldb1hEv' 1 1)" "$(fn a.cc:_ZN7leveldb1hEv 1 1)" \
	    "$(fn '_R;_ZN7leveldb1hEv' 1 1)" "$(fn _ZN2_Z1iEv 1 1)" \
	    "$(fn 'b;c;_ZN7leveldb1hEv' 1 1)" "$(fn '\\*a' 1 1)" \
	    '{"record":"function","guid":"0x1122334455667788",'$(
	    )'"hash":"0x0000000000000007","counts":[1]}' >stream
	profraw-cat --to lprf:2,plain -o all.lprf stream
	for pattern in 'l*' 'leveldb::*' 'leveldb:?:f*' '_Z*' '_Z::i()' _ZN7* \
	    'a.cc;*' 'a.cc;l*' 'a.cc;leveldb::h*' 'a.cc:l*' '_R;*' 'b;c;l*' \
	    'b*' '\**' '[l]*' leveldb none; do
		prof-filter -q --allow-empty --glob "$pattern" stream >want
		prof-filter -q --allow-empty --glob "$pattern" all.lprf |
		    unsourced | canon >got
		canon <want | same - got
	done
}
