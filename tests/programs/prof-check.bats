# prof-check: what is sound, what is bad, and what is worth a second look.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	cp "$(data real)/22-ir.profraw" a.profraw
	cp "$(data real)/16-ir.profraw" b.profraw
}

# judged STATUS REGEX... -- ARGUMENTS: prof-check has that status, a line for
# each regex on standard output, and nothing to say on standard error.
judged() {
	local regexes=() want=$1 status=0

	shift
	while [ "$1" != -- ]; do
		regexes+=("$1")
		shift
	done
	prof-check "${@:2}" >out 2>stderr || status=$?
	cat out stderr
	[ "$status" -eq "$want" ] && [ ! -s stderr ] &&
	    lines_match "${regexes[@]}" <out
}

# patch FILE OFFSET BYTES: a copy, as printf writes the bytes.
patch() {
	cp "$1" patched
	chmod u+w patched
	printf "$3" | dd of=patched bs=1 seek="$2" conv=notrunc status=none
}

@test 'one line for each input tells what it is' {
	judged 0 '^a\.profraw: ok: raw version 10, 64-bit little-endian, IR, LLVM 19 to 22, [0-9]+ functions, binary [0-9a-f]{40}$' \
	    '^b\.profraw: ok: raw version 8, 64-bit little-endian, IR, LLVM 14 to 17, ' \
	    '^standard input: ok: text, IR, [0-9]+ functions$' \
	    -- a.profraw b.profraw - <"$(data real)/22-ir.proftext"
	profraw-cat a.profraw >a.ndjson
	judged 0 '^a\.ndjson: ok: stream of raw version 10, .*LLVM 19 to 22' \
	    -- a.ndjson
	judged 0 '^[^ ]*heap/sample\.ndjson: ok: stream, .*heap contexts' -- \
	    "$(data heap/sample.ndjson)"
	judged 0 -- -q a.profraw b.profraw
}

@test 'real profiles of six releases are sound, summaries too' {
	local file

	for file in "$(data real)"/*.profraw; do
		judged 0 -- -q "$file"
	done
	for file in "$(data memprof)"/v?.*.profdata; do
		judged 0 ': ok: indexed version [0-9]+, .*heap contexts' -- \
		    "$file"
	done
	need_corpus
	for file in "$(corpus indexed)"/*.profdata; do
		case $file in
		*/pseudo.*) continue ;;
		esac
		# Some are merges of two builds.
		judged 0 ': (ok: indexed version [0-9]+|suspect: names )' \
		    -- "$file"
	done
}

@test 'bad inputs are told, and the rest is read' {
	head -c 200 a.profraw >cut.profraw
	: >empty.profraw
	profraw-cat a.profraw | sed '$d' >cut.ndjson
	echo 'no profile' | gzip >noise.gz
	judged 1 '^cut\.profraw: bad: truncated: 0x[0-9a-f]+: .*bytes left' \
	    '^empty\.profraw: bad: empty file: its program wrote no profile$' \
	    '^cut\.ndjson: bad: truncated: line [0-9]+: stream ended inside a profile$' \
	    '^missing: bad: .*No such file' \
	    '^noise\.gz: bad: ' \
	    '^a\.profraw: ok: ' \
	    -- cut.profraw empty.profraw cut.ndjson missing noise.gz a.profraw
}

@test 'what is no profile is named by what it is' {
	local bytes kind

	while IFS='|' read -r bytes kind; do
		printf "$bytes" >file
		echo "$bytes"
		judged 1 "^file: bad: not a profile but $kind" -- file
	done <<-'END'
	\177ELF\2\1\1\0\0|an ELF file
	MZ\220\0\3\0\0\0\4|a COFF program
	adcg*22B)\326\f\21|coverage data of GCC: gcov reads it$
	gcno222*\1\2\3\4|coverage data of GCC
	PERFILE2h\0\0\0|samples of perf
	\377\345\320\261\364\311\224\250\123|samples of a profiler
	\204\344\320\261\364\311\224\250\123|samples of a profiler
	main:184019:0\n 4: 534\n|samples of a profiler
	TN:\nSF:/a/b.c\nDA:1,2\nend_of_record\n|coverage data of lcov
	version https://git-lfs.github.com/spec/v1\noid|a pointer of Git LFS
	<!DOCTYPE html><title>404 Not Found</title>|HTML or XML
	END
	# A function may be called so.
	printf 'TN:f\n1\n1\n5\n' >file
	judged 0 '^file: ok: text, front end, 1 function$' -- file
	# Text that nothing is known of, as /etc/passwd.
	for bytes in 'main:184019\n' 'main:1:x\n' ':1:1\n' 'a::1\n' 'a:1:\n'; do
		printf "$bytes" >file
		run -1 prof-check file
		echo "$output"
		[[ $output != *'not a profile but'* ]]
	done
	printf 'Read me' >file
	judged 1 'line 1: no newline .*: perhaps no profile$' -- file
	echo '{"data":[]}' >file
	judged 1 'line 1: record: missing: not a line of prof-stream\(5\)' \
	    -- file
}

@test 'members of archives are inputs' {
	head -c 200 a.profraw >cut.profraw
	echo 'read me' >notes
	gzip -k b.profraw
	tar -cf all.tar a.profraw cut.profraw notes b.profraw.gz
	run -1 --separate-stderr prof-check all.tar
	printf '%s\n' "$output" "$stderr"
	lines_match '^all\.tar\[a\.profraw\]: ok: ' \
	    '^all\.tar\[cut\.profraw\]: bad: truncated: 0x' \
	    '^all\.tar\[b\.profraw\.gz\]: ok: ' <<<"$output"
	[[ $stderr == *'skipped 1 file that is not a profile' ]]
	run -0 prof-check --member 'a*' all.tar
	lines_match '^all\.tar\[a\.profraw\]: ok: ' <<<"$output"
	ends 1 '^prof-check: there is nothing to check$' -- \
	    prof-check --member 'typo*' all.tar
	ends 1 -- prof-check -q --member 'typo*' all.tar
}

@test 'objects of two LLVMs in one binary' {
	cp "$(data stride)"/*.profraw .
	judged 1 '^16-19-19\.profraw: bad: damaged: 0xa0: this record and the next are 48 bytes apart, not 64 as in version 10: objects of two LLVMs' \
	    '^19-16-16.*apart, not 48 as in version 8:' \
	    '^19-16-19.*48 bytes apart, not 64 ' \
	    '^16-19-16-32.*48 bytes apart, not 40 ' \
	    '^19-22-22\.profraw: ok: ' -- 16-19-19.profraw 19-16-16.profraw \
	    19-16-19.profraw 16-19-16-32.profraw 19-22-22.profraw
	# Every program says so.
	refused 'objects of two LLVMs' profraw-cat 16-19-19.profraw
}

# correlated KEYS COUNTERS
correlated() {
	profile '"level":"ir","binary_correlated":true'"$1" \
	    '{"record":"binary","build_id":"aa"}' \
	    '{"record":"raw_counters","counts":['"$2]}"
}

@test 'profiles that say nothing are suspect' {
	profile '"level":"ir"' >none.ndjson
	profile '"level":"ir"' "$(fn f 1 0,0)" "$(fn g 2 0)" >zero.ndjson
	echo '{"record":"profile","stream":1,"kind":"memprof"}
	    {"record":"end","last":true}' >heap.ndjson
	judged 0 '^none\.ndjson: suspect: there are no functions$' \
	    '^zero\.ndjson: suspect: all counters are 0: 3, functions: 2$' \
	    '^heap\.ndjson: suspect: there are no allocations$' \
	    -- none.ndjson zero.ndjson heap.ndjson
	judged 1 '^none\.ndjson: suspect: ' -- --strict none.ndjson
	# Coverage is the other way round: bytes are cleared where code ran.
	correlated '' 0,0 >raw.ndjson
	correlated ',"byte_coverage":true' 255,255 >bytes.ndjson
	judged 0 '^raw\.ndjson: suspect: all counters are 0: 2$' \
	    '^bytes\.ndjson: suspect: all counters are 0: 2$' \
	    -- raw.ndjson bytes.ndjson
	correlated '' 0,1 >raw.ndjson
	correlated ',"byte_coverage":true' 255,0 >bytes.ndjson
	judged 0 '^raw\.ndjson: ok: ' '^bytes\.ndjson: ok: ' \
	    -- raw.ndjson bytes.ndjson
	profile '"level":"ir","salvaged":true' "$(fn f 1 1)" >part.ndjson
	judged 0 '^part\.ndjson: suspect: salvaged profiles, .*: 1$' \
	    -- part.ndjson
	# A count in one of the profiles of an input is enough.
	profile '"level":"ir"' "$(fn f 1 0,1)" >one.ndjson
	judged 0 '^one\.ndjson: ok: ' -- one.ndjson
}

@test 'counters that wrapped' {
	profile '"level":"ir"' "$(fn f 1 '1,"72057594037927937"')" >huge.ndjson
	profile '"level":"ir"' "$(fn f 1 '1,72057594037927936')" >large.ndjson
	profile '"level":"ir"' "$(fn f 1 '1,"18446744073709551613"')" \
	    >full.ndjson
	judged 0 '^huge\.ndjson: suspect: functions with .* 2\^56,.*: 1$' \
	    '^full\.ndjson: suspect: functions with counters at .*: 1: ' \
	    '^large\.ndjson: ok: ' -- huge.ndjson full.ndjson large.ndjson
	# The reader of raw profiles has its own words for it.
	write-raw raw -o huge.profraw huge.ndjson
	judged 0 '^huge\.profraw: suspect: 0x[0-9a-f]+: .* 2\^56, .*: 1$' \
	    -- huge.profraw
	# Pseudo counts are none.
	profile '"level":"ir"' "$(fn f 1 '"18446744073709551615",0')" \
	    >hot.ndjson
	judged 0 '^hot\.ndjson: ok: ' -- hot.ndjson
}

@test 'the same profile twice' {
	cp a.profraw copy.profraw
	ln a.profraw link.profraw
	tar -cf all.tar a.profraw b.profraw
	judged 0 '^a\.profraw: ok: ' \
	    '^copy\.profraw: suspect: the same bytes as a\.profraw$' \
	    '^link\.profraw: suspect: the same bytes as a\.profraw$' \
	    '^all\.tar\[a\.profraw\]: suspect: the same bytes as a\.profraw$' \
	    '^all\.tar\[b\.profraw\]: ok: ' \
	    '^b\.profraw: suspect: the same bytes as all\.tar\[b\.profraw\]$' \
	    -- a.profraw copy.profraw link.profraw all.tar b.profraw
	# A stream that was pulled counts as well, and a bad file is no twin.
	profraw-cat a.profraw >a.ndjson
	judged 0 'ok' '^standard input: suspect: the same bytes as a.ndjson$' \
	    -- a.ndjson - < <(cat a.ndjson)
}

@test 'a summary that is not that of the records' {
	local at

	prof-index -o a.profdata a.profraw
	judged 0 '^a\.profdata: ok: indexed version 13, IR, LLVM 22, ' -- \
	    a.profdata
	# Behind 9 words of header and the two of its own head: the largest
	# counter is the fourth field, the first cutoff's count the 9th word.
	for at in 72+16+24 72+16+48+16; do
		patch a.profdata $((at)) '\x0f\x0f'
		judged 0 "^patched: suspect: 0x$(printf %x $((at))): summary: (MaxBlockCount|NumCounts of a cutoff) is [0-9]+, but the records come to [0-9]+\$" \
		    -- patched
		quiet prof-show patched >/dev/null
	done
}

@test 'a summary that is not that of the heap contexts' {
	local file at

	# 5 words of offsets, u32 of a length, then the six fields.
	file=$(data memprof/v4.llvm22.profdata)
	at=$(($(od -An -tu8 -j 40 -N 8 "$file") + 44))
	judged 0 '^[^ ]*v4\.llvm22\.profdata: ok: ' -- "$file"
	patch "$file" $((at)) '\x09'
	judged 0 '^patched: suspect: 0x[0-9a-f]+: MemProf summary: NumContexts is 9, but the records come to 4$' \
	    -- patched
}

@test 'heap contexts whose figures contradict each other' {
	local info

	while read -r info; do
		printf '%s\n' \
		    '{"record":"profile","stream":1,"kind":"memprof"}' \
		    '{"record":"stack","id":"0x0000000000000001","pcs":["0x0000000000001000"]}' \
		    "{\"record\":\"allocation\",\"stack\":\"0x0000000000000001\",\"info\":{$info}}" \
		    '{"record":"end","last":true}'
		echo
	done >all <<-'END'
	"alloc_count":2,"total_size":24,"min_size":8,"max_size":16
	"alloc_count":0
	"alloc_count":1,"min_size":9,"max_size":8
	"alloc_count":2,"total_size":15,"min_size":8,"max_size":16
	"alloc_count":2,"total_size":33,"min_size":8,"max_size":16
	"alloc_count":1,"min_lifetime":9,"max_lifetime":8
	END
	awk -v RS= '{ print >("heap" NR) }' all
	judged 0 '^heap1: ok: ' \
	    '^heap2: suspect: heap contexts with no allocation: 1 of 1$' \
	    '^heap3: suspect: .* with a minimum above its maximum: 1 of 1$' \
	    '^heap4: suspect: .* with a total size .*: 1 of 1$' \
	    '^heap5: suspect: .* with a total size .*: 1 of 1$' \
	    '^heap6: suspect: .* with a minimum above' -- heap?
}

@test 'the report' {
	need jq
	head -c 200 a.profraw >cut.profraw
	cp a.profraw copy.profraw
	run -1 prof-check --report report a.profraw cut.profraw copy.profraw
	cat report
	jq -se 'length == 4 and
	    (.[0] | .file == "a.profraw" and .state == "ok" and
	    .format == "raw" and .version == 10 and .llvm_first == "19" and
	    .llvm_last == "22" and .level == "ir" and .functions > 0 and
	    (.binary_ids | length == 1) and (.sha256 | length == 64)) and
	    (.[1] | .state == "bad" and .code == "truncated" and .offset > 0 and
	    (.reason | test("bytes left")) and (has("functions") | not)) and
	    (.[2] | .state == "suspect" and
	    .suspect == [{"reason": "the same bytes as a.profraw"}]) and
	    .[3] == {"inputs": 3, "ok": 1, "suspect": 1, "bad": 1,
	    "skipped": 0}' report
	[ "$(jq -r 'select(.state == "ok").sha256' report)" = \
	    "$(sha256sum <a.profraw | cut -d ' ' -f 1)" ]
	# In place of the lines for people.
	run -1 prof-check --report - a.profraw cut.profraw copy.profraw
	[ "$output" = "$(cat report)" ]
	# --json is the same, beside a report in a file too, and -q or not.
	run -1 prof-check --json -q a.profraw cut.profraw copy.profraw
	[ "$output" = "$(cat report)" ]
	run -1 prof-check --json --report other a.profraw cut.profraw copy.profraw
	[ "$output" = "$(cat report)" ]
	same report other
}

@test 'bundles are what their manifest says' {
	command -v prof-bundle >/dev/null || skip 'needs prof-bundle'
	prof-bundle create -o bundle.tar a.profraw b.profraw
	run -0 prof-check bundle.tar
	[ "${#lines[@]}" -eq 2 ]
	mkdir x
	tar -xf bundle.tar -C x
	(
		cd x
		tar -tf ../bundle.tar >../members
		sed 's/"[0-9a-f]\{60\}/"000000000000000000000000000000000000000000000000000000000000/' \
		    MANIFEST >manifest
		mv manifest MANIFEST
		tar -cf ../forged.tar -T ../members
	)
	run -1 prof-check forged.tar
	printf '%s\n' "$output"
	[[ $output == *'bad: damaged: its SHA-256 differs from the manifest'* ]]
	tar -xf bundle.tar -C x
	tar -cf short.tar -C x $(head -n 2 members)
	run -1 prof-check short.tar
	printf '%s\n' "$output"
	lines_match ': ok: ' \
	    ': bad: (damaged|truncated): is in the manifest, but missing$' <<<"$output"
	cp b.profraw c.profraw
	tar -rf bundle.tar c.profraw
	run -1 prof-check bundle.tar
	printf '%s\n' "$output"
	[[ ${lines[2]} == *'[c.profraw]: bad: damaged: is not in the manifest' ]]
}

# runs N...: streams of one function that ran N times, in runs/N.
runs() {
	local i

	mkdir -p runs
	for i; do
		profile '"level":"ir"' "$(fn main 1 "$i,1")" >"runs/$i"
	done
}

# forge TAR [sed -E expressions]: a bundle whose manifest is changed.
forge() {
	mkdir forged
	tar -xf "$1" -C forged
	sed -i -E "${@:2}" forged/MANIFEST
	tar -cf "$1" -C forged MANIFEST $(cd forged && find . -type f |
	    sed 's/^\.\///' | grep -vx MANIFEST | LC_ALL=C sort)
	rm -r forged
}

# Whether the bundle is bad, with such a line on standard output.
is_bad() {
	run -1 --separate-stderr prof-check "$1"
	printf '%s\n' "$output"
	grep -qxE -- "$2" <<<"$output"
}

@test 'damage of each kind in a bundle' {
	runs 1 2
	prof-bundle create -o b.tar runs
	prof-check b.tar | sort | lines_match '^b.tar\[runs/1\]: ok: ' \
	    '^b.tar\[runs/2\]: ok: '

	# Content, size, a profile that is missing, one too many, one twice.
	cp b.tar c.tar
	sed -i 's/"counts":\[2,1\]/"counts":[7,1]/' c.tar
	is_bad c.tar 'c.tar\[runs/2\]: bad: damaged: its SHA-256 differs from the manifest'
	mkdir x
	tar -xf b.tar -C x
	echo >>x/runs/1
	tar -cf c.tar -C x MANIFEST runs
	is_bad c.tar 'c.tar\[runs/1\]: bad: damaged: has [0-9]+ bytes, but [0-9]+ in the manifest'
	tar -cf c.tar -C x MANIFEST runs/2
	is_bad c.tar 'c.tar\[runs/1\]: bad: (damaged|truncated): is in the manifest, but missing'
	cp runs/1 x/runs/1
	cp runs/1 x/runs/3
	tar -cf c.tar -C x MANIFEST runs
	is_bad c.tar 'c.tar\[runs/3\]: bad: damaged: is not in the manifest'
	tar -cf c.tar -C x MANIFEST runs/1 runs/2
	tar -rf c.tar -C x runs/1
	is_bad c.tar 'c.tar\[runs/1\]: bad: damaged: is stored twice'

	# What cannot be decoded, although it is what it was.
	echo bad >x/runs/1
	sed -i -E "2{s/\"size\":[0-9]+/\"size\":4/
	    s/[0-9a-f]{64}/$(sha256sum <x/runs/1 | cut -c1-64)/}" x/MANIFEST
	tar -cf c.tar -C x MANIFEST runs/1 runs/2
	is_bad c.tar 'c.tar\[runs/1\]: bad: [a-z]+: line 1: .*'

	# The archive itself.
	head -c 2000 b.tar >c.tar
	is_bad c.tar 'c.tar: bad: [a-z]+: 0x7d0: .*runcated.*'
	: >c.tar
	is_bad c.tar 'c.tar: bad: .*'
	is_bad none 'none: bad: cannot open: No such file or directory'
	run -1 prof-check --report report b.tar c.tar
	jq -se '.[-1].bad == 1 and .[-1].ok == 2' report
}

@test 'a manifest that is wrong' {
	local expression reason

	runs 1
	prof-bundle create -o good runs/1
	while IFS=$'\t' read -r expression reason; do
		cp good b
		forge b "$expression"
		echo "$expression"
		is_bad b "b\[[^]]*\]: bad: ((damaged|truncated): )?$reason"
	done <<-'END'
	1s/"bundle":1/"bundle":2/	line 1: bundle version 2 is unknown: only version 1 is known
	1s/"profiles":1/"profiles":2/	line 2: the head has 2 profiles, but 1 follow
	2s/"size":[0-9]+/"size":-1/	line 2: size: -1 is not .*
	2s/"sha256":"./"sha256":"/	line 2: sha256: not 64 lower-case hex digits
	2s/"kind":"instr"/"kind":"x"/	line 2: kind: .*
	2s/"path":"[^"]*",//	line 2: path: missing
	2s/$/x/	line 2: not JSON: .*
	END
}

@test 'too many bad inputs, and options that are wrong' {
	head -c 200 a.profraw >cut.profraw
	judged 1 bad ok -- --keep-going=1 cut.profraw b.profraw
	run -2 --separate-stderr prof-check --keep-going=0 cut.profraw b.profraw
	[[ $stderr == 'prof-check: bad inputs: 1 of 2: --keep-going allows 0' ]]
	cp b.profraw c.profraw
	judged 1 bad ok suspect -- --keep-going=1 cut.profraw b.profraw c.profraw
	run -2 --separate-stderr prof-check --keep-going=0 cut.profraw \
	    b.profraw c.profraw
	[[ $stderr == 'prof-check: bad inputs: 1 of 3: --keep-going allows 0' ]]
	usage_error "--keep-going needs a number" prof-check --keep-going=x
	refused "list: .*No such file" prof-check --files-from list
	run -2 --separate-stderr bash -c 'prof-check a.profraw >/dev/full'
	[[ $stderr == 'prof-check: standard output: '*'No space'* ]]
}

# contradicts REASON RECORD...: these records of a heap profile are bad.
contradicts() {
	printf '%s\n' '{"record":"profile","stream":1,"kind":"memprof"}' \
	    "${@:2}" '{"record":"end","last":true}' >refs
	echo "$1"
	judged 1 "^refs: bad: damaged: $1\$" -- refs
}

@test 'records that contradict others of their profile are bad' {
	local id=0x0000000000000001 info='"info":{"alloc_count":1}'
	local stack='{"record":"stack","id":"0x0000000000000001","pcs":["0x0000000000001235"]}'
	local frames change

	frames='{"record":"stack","id":"'$id'","frames":[{"function":"f",'
	frames+='"guid":"0x1230000000000000","file":"a.c","line":10,'
	frames+='"start_line":4,"line_offset":6,"column":2,"discriminator":9,'
	frames+='"inline":true}]}'
	contradicts 'line 3: there is no stack 0x0000000000000002' "$stack" \
	    '{"record":"allocation","stack":"0x0000000000000002",'"$info}"
	contradicts "line 3: two stacks have the id $id and differ" \
	    "$stack" "${stack/1235/1236}"
	for change in 's/"f"/"g"/' 's/x123/x124/' s/a.c/b.c/ s/:10,/:11,/ \
	    s/:4,/:5,/ s/:6,/:7,/ s/:2,/:3,/ s/:9,/:8,/ s/true/false/; do
		echo "$change"
		contradicts "line 3: two stacks have the id $id and differ" \
		    "$frames" "$(sed "$change" <<<"$frames")"
	done
	contradicts "line 2: stack $id is in segment 3, which is missing" \
	    '{"record":"stack","id":"'$id'","pcs":[[3,"0x0000000000001235"]]}'
	contradicts "line 3: stack $id is in segment 3, which is missing" \
	    '{"record":"segment","id":0}' \
	    '{"record":"stack","id":"'$id'","pcs":[[0,"0x0000000000001235"],[3,"0x0000000000001235"]]}'
	contradicts 'line 3: two segments have the id 0' \
	    '{"record":"segment","id":0}' '{"record":"segment","id":0}'
	contradicts "line 2: guid $id is not that of main" \
	    '{"record":"memprof_function","name":"main","guid":"'$id'"}'
	# Whichever profile of a sum it is in.
	profile '' | sed s/instr/memprof/ >none
	sed '1a{"record":"memprof_function","name":"main","guid":"'$id'"}' \
	    none >wrong
	refused "wrong: .*guid $id is not that of main" prof-merge wrong
	refused "wrong: .*guid $id is not that of main" prof-merge none wrong
	contradicts 'line 2: there is no stack 0x0000000000000007' \
	    '{"record":"memprof_function","guid":"'$id'","alloc_sites":[{"stack":"0x0000000000000007",'"$info}]}"
	contradicts 'line 2: there is no stack 0x0000000000000007' \
	    '{"record":"memprof_function","guid":"'$id'","call_sites":[{"stack":"0x0000000000000007"}]}'
	profile '"level":"ir"' "$(fn main 1 1)" >stream
	sed '2a{"record":"raw_counters","counts":[1,2]}' stream >refs
	judged 1 '^refs: bad: damaged: line 3: raw_counters after records that must' \
	    -- refs
	# The same stack again says nothing new.
	printf '%s\n' '{"record":"profile","stream":1,"kind":"memprof"}' \
	    "$stack" "$stack" \
	    '{"record":"allocation","stack":"'$id'",'"$info}" \
	    '{"record":"end","last":true}' >refs
	judged 0 '^refs: ok: ' -- refs
}

# broken HEAD END REGEX LINE...: a stream of HEAD, these lines and END is bad,
# and the regex is why.
broken() {
	local head=$1 end=$2 want=$3

	shift 3
	printf '%s\n' "$head" "$@" "$end" | sed '/^$/d' >rule.ndjson
	judged 1 "^rule\.ndjson: bad: ((damaged|truncated): )?line [0-9]+: $want" -- rule.ndjson
}

@test 'the rules of prof-stream(5) are held' {
	local h='{"record":"profile","stream":1,"kind":"memprof"}'
	local i='{"record":"profile","stream":1,"kind":"instr"}'
	local e='{"record":"end","last":true}' one=0x0000000000000001
	local s="{\"record\":\"stack\",\"id\":\"$one\",\"pcs\":"
	local r="{\"record\":\"segment\",\"id\":0,\"start\":\"$one\",\"end\":\"0x0000000000000002\",\"offset\":\"$one\"}"

	broken "$e" '' 'the stream does not begin with a profile'
	broken '{"record":"coverage","stream":1}' "$e" \
	    'coverage, which prof-cover reads'
	broken "$h" "$e" 'a profile record before the end' "$h"
	broken "$h" "$e" 'a record between an end and the next' "$e" "$e"
	broken "$h" '{"record":"end"}' 'stream ended before its last profile'
	broken "$h" '{"record":"name","name":"f"}' 'stream ended inside'
	broken "$h" '{"record":"abort"}' 'the writer gave up'
	broken "$i" "$e" 'guid: is not the guid of name' \
	    "{\"record\":\"function\",\"name\":\"f\",\"guid\":\"$one\",\"hash\":\"$one\",\"counts\":[1]}"
	broken "$h" "$e" "guid $one is not that of f" \
	    "{\"record\":\"memprof_function\",\"guid\":\"$one\",\"name\":\"f\"}"
	broken "$i" "$e" 'raw_counters after records' \
	    "{\"record\":\"function\",\"name\":\"f\",\"hash\":\"$one\",\"counts\":[1]}" \
	    '{"record":"raw_counters","counts":[1]}'
	broken "$h" "$e" 'two segments have the id 0' \
	    '{"record":"segment","id":0}' '{"record":"segment","id":0}'
	broken "$h" "$e" 'stack .* is in segment 0, which is missing' \
	    "$s[[0,\"$one\"]]}" '{"record":"segment","id":0}'
	broken "$h" "$e" 'segment 0 follows a stack that may be in it' \
	    "$s[\"$one\"]}" "$r"
	# The segments of a sum, and those without a range, are of no stack.
	printf '%s\n' "${h%\}},\"inputs\":2}" "$s[\"$one\"]}" "$r" "$e" >sum
	printf '%s\n' "$h" "$s[\"$one\"]}" '{"record":"segment","id":0}' \
	    "$e" >bare
	judged 0 '^sum: suspect: ' '^bare: suspect: ' -- sum bare
	broken "$h" "$e" 'there is no stack' \
	    "{\"record\":\"allocation\",\"stack\":\"$one\",\"info\":{}}" "$s[]}"
	broken "$h" "$e" 'two stacks have the id .* and differ' "$s[]}" \
	    "$s[\"$one\"]}"
	broken "$h" "$e" 'frames: 0 frames are not inline' \
	    "$s[\"$one\"],\"frames\":[{\"inline\":true}]}"
	broken "$h" "$e" 'info.access_histogram: 1 entries' "$s[]}" \
	    "{\"record\":\"allocation\",\"stack\":\"$one\",\"info\":{\"access_histogram_size\":2,\"access_histogram\":[1]}}"
	broken "$h" "$e" 'end: is before start' \
	    "{\"record\":\"segment\",\"id\":0,\"start\":\"$one\",\"end\":\"0x0000000000000000\",\"offset\":\"$one\"}"
	broken '{"record":"profile","stream":1,"kind":"instr","frontend_versions":[5,4]}' \
	    "$e" 'frontend_versions\[1\]: 4 is before 5'
}


@test 'totals of sizes that one smallest and one largest rule out' {
	local sizes

	sound() {
		printf '%s\n' '{"record":"profile","stream":1,"kind":"memprof"}' \
		    '{"record":"stack","id":"0x0000000000000001","frames":[{"function":"a"}]}' \
		    '{"record":"allocation","stack":"0x0000000000000001","info":{'"$(
		    printf '"alloc_count":%d,"min_size":%d,"max_size":%d,"total_size":%d' \
		    $sizes)"'}}' '{"record":"end","last":true}' >heap.ndjson
		prof-check -q --strict heap.ndjson
	}
	for sizes in '1 5 5 5' '2 5 8 13' '3 5 8 18' '3 5 8 21'; do
		sound
	done
	for sizes in '1 5 6 6' '2 5 8 12' '3 5 8 17' '3 5 8 22'; do
		run ! sound
	done
}
