# Several threads come to what one comes to: output, messages and report.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# streams N: N profiles whose functions overlap, come in different orders, and
# have value sites, traces, vtables and binary ids.
streams() {
	local i

	for ((i = 1; i <= $1; i++)); do
		awk -v seed="$i" 'BEGIN {
			srand(seed)
			print "{\"record\":\"profile\",\"stream\":1,\"kind\":\"instr\",\"level\":\"ir\"}"
			printf "{\"record\":\"binary\",\"build_id\":\"%02x\"}\n", seed % 5
			printf "{\"record\":\"vtable\",\"name\":\"vt%d\"}\n", seed % 7
			n = 300; step = 1 + 2 * int(rand() * 149)
			if (step % 3 == 0 || step % 5 == 0) step = 7
			for (k = 0; k < n; k++) {
				f = (k * step + seed) % n
				if (rand() < 0.2) continue
				printf "{\"record\":\"function\",\"name\":\"f%d\",\"hash\":\"0x%016x\",\"counts\":[%d,%d],\"values\":{\"indirect_call_target\":[[{\"target\":\"t%d\",\"count\":%d},{\"target\":\"u%d\",\"count\":1}]]}}\n",
				    f, f % 3, f * seed, int(rand() * 1000), int(rand() * 9), int(rand() * 50), f
			}
			printf "{\"record\":\"trace\",\"weight\":%d,\"functions\":[\"f%d\",\"f%d\"]}\n", seed, seed % 300, (seed * 7) % 300
			print "{\"record\":\"end\",\"last\":true}"
		}' >"$(printf 's%03d.ndjson' "$i")"
	done
}

# same_of 'COMMAND' ARGUMENTS: it says and writes with 2 to 8 threads what it
# does with one.
same_of() {
	local j status=0 other command=$1

	shift
	$command -j 1 --report report.1 "$@" >out.1 2>err.1 || status=$?
	for j in 2 3 5 8; do
		other=0
		$command -j $j --report report.$j "$@" >out.$j 2>err.$j ||
		    other=$?
		echo "-j $j: status $other"
		[ "$other" = "$status" ] || { cat err.$j; return 1; }
		cmp out.1 out.$j
		diff err.1 err.$j
		diff report.1 report.$j
	done
	[ "$status" = "${expected:-0}" ]
}

same() {
	same_of prof-merge "$@"
}

@test 'any number of threads comes to the same sum' {
	streams 60
	same s*.ndjson
	[ "$(grep -c '"record":"function"' out.1)" = 300 ]
	[ "$(grep -c '"record":"trace"' out.1)" = 60 ]
	same --to indexed s*.ndjson
	cp out.1 want
	same --to indexed $(printf '%s\n' s*.ndjson | sort -r)
	cmp out.1 want
	same --sparse -w 1/3,s005.ndjson s*.ndjson
	prof-merge -j 4 s0[0-2]*.ndjson -o a
	prof-merge -j 3 s0[3-6]*.ndjson -o b
	prof-merge -j 2 a b >tree
	prof-merge -j 1 s*.ndjson | cmp - tree
}

@test 'weights and what is subtracted are those of their inputs' {
	streams 12
	same -w 3,s001.ndjson -w 1/2,s002.ndjson --subtract s003.ndjson \
	    --subtract s004.ndjson s00[5-9].ndjson s01*.ndjson
}

@test 'archives, compressed files and pipes are read by many' {
	need tar zstd gzip
	streams 20
	for i in s00*.ndjson; do
		prof-index -o "${i%.ndjson}.profdata" "$i"
	done
	mkdir in
	mv s01* s00*.profdata in
	echo note >in/README
	tar cf in.tar in
	zstd -q in.tar
	gzip -k s001.ndjson
	same in.tar.zst s0*.ndjson s001.ndjson.gz in.tar
	[ "$(cat err.1)" = 'prof-merge: skipped 2 files that are not profiles' ]
	prof-merge -j 1 in/s* s002.ndjson >want
	cat s002.ndjson | prof-merge -j 4 in.tar - >out
	cmp want out
	prof-merge -j 4 <(cat s002.ndjson) <(cat in.tar.zst) >out
	cmp want out
}

@test 'the first bad input in their order is the one that is told' {
	streams 40
	head -c 3000 s007.ndjson >s007.cut
	for i in s012 s020; do
		sed 's/"level":"ir"/"level":"frontend"/' $i.ndjson >$i.fe
	done
	: >empty
	expected=2
	same s00*.ndjson s007.cut s02*.ndjson empty missing
	grep -q '^prof-merge: s007.cut: ' err.1
	same s01*.ndjson s012.fe s020.fe s02*.ndjson
	[ "$(cat err.1)" = 'prof-merge: s012.fe: a front-end profile cannot be merged with an IR profile (s010.ndjson)' ]
	same s012.fe s01*.ndjson s020.fe
	[ "$(cat err.1)" = 'prof-merge: s010.ndjson: an IR profile cannot be merged with a front-end profile (s012.fe)' ]
	same s01*.ndjson missing empty
	grep -q '^prof-merge: missing: ' err.1
	same --keep-going s007.cut s012.fe s01*.ndjson s020.fe empty
	[ "$(wc -l <err.1)" = 2 ]
	grep -qx 'prof-merge: s010.ndjson: an IR profile .* (s012.fe)' err.1
	expected=1
	same --keep-going --level ir s012.fe s01*.ndjson s020.fe s007.cut empty
	[ "$(wc -l <err.1)" = 5 ]
	[ "$(grep -c '^prof-merge: s0[12][02].fe: a front-end profile ' err.1)" = 2 ]
	expected=0
	same --level ir --keep-going=4 s01*.ndjson s007.cut s012.fe s020.fe empty s03*.ndjson
	[ "$(wc -l <report.1)" = 5 ]
	expected=2
	same --level ir --keep-going=3 s01*.ndjson s007.cut s012.fe s020.fe empty s03*.ndjson
}

@test 'the time that many kinds of profiles take grows with their number' {
	local options

	awk 'BEGIN {
		for (i = 1; i <= 40000; i++) {
			printf "{\"record\":\"profile\",\"stream\":1," \
			    "\"kind\":\"instr\",\"level\":\"frontend\"," \
			    "\"frontend_versions\":[%d,50000]}\n", i
			print "{\"record\":\"function\",\"name\":\"f\"," \
			    "\"hash\":\"0x0000000000000001\",\"counts\":[1]}"
			printf "{\"record\":\"end\"%s}\n",
			    i == 40000 ? ",\"last\":true" : ""
		} }' >many
	prof-merge -j 1 many >want
	grep -qF '"frontend_versions":[40000,50000]' want
	for options in '' --keep-going; do
		brief prof-merge -j 2 $options many | cmp want -
	done
}

@test 'all that tests know of, bad and good' {
	expected=1
	# Byte coverage does not mix with counts.
	find "$(data real)" "$(data bad)" -type f ! -name '*coverage*' >list
	same --keep-going --level ir --files-from list
	[ "$(wc -l <err.1)" -gt 100 ]
}

# one_stream PROFILES FUNCTIONS: they are of one program, but for the last one,
# which lacks a function.
one_stream() {
	awk -v profiles="$1" -v functions="$2" 'BEGIN {
		for (p = 1; p <= profiles; p++) {
			print "{\"record\":\"profile\",\"stream\":1,\"kind\":\"instr\",\"level\":\"ir\"}"
			print "{\"record\":\"binary\",\"build_id\":\"0a\"}"
			for (f = 1; f <= functions; f++) {
				if (p == profiles && f == 2000) continue
				printf "{\"record\":\"function\",\"name\":\"a_function_with_a_long_name_%d\",\"hash\":\"0x%016x\",\"counts\":[%d,0,0,0,%d]", f, f, f * p, p
				if (f % 3 == 0)
					printf ",\"values\":{\"indirect_call_target\":[[{\"target\":\"t%d\",\"count\":%d}]]}", f * p, f
				print "}"
			}
			print "{\"record\":\"trace\",\"weight\":1,\"functions\":[\"a_function_with_a_long_name_1\"]}"
			print p == profiles ? "{\"record\":\"end\",\"last\":true}" : "{\"record\":\"end\"}"
		}
	}'
}

@test 'one stream is read by many' {
	need gzip
	one_stream 4 7000 >s
	same s
	[ "$(grep -c '"record":"function"' out.1)" = 7000 ]
	same_of prof-index s
	gzip -k s
	for i in 'same s.gz' 'same --keep-going s' 'same -S 16M s' \
	    'same -w 1/3,s' 'same -w 2,s s.gz'; do
		echo "$i"
		eval "$i"
	done
	prof-merge -j 3 <(cat s) >out
	prof-merge -j 1 s | cmp - out
}

@test 'damage of one stream is where one thread finds it' {
	one_stream 4 7000 >s
	# In the first profile, which is learned, and in the others.
	expected=2
	for i in 5000 6990 12000 27000; do
		sed "${i}s/,0,0,/,0,x,/" s >bad
		same bad
		grep -q "^prof-merge: bad: [a-z]*: line $i: " err.1
		sed "${i}s/counts/count/" s >bad
		same bad
		sed "${i}s/function\"/profile\"/" s >bad
		same bad
	done
	for i in 300000 1500000 $(($(wc -c <s) - 30)); do
		head -c $i s >bad
		same bad
		grep -q 'stream ended ' err.1
	done
	expected=0
	for i in 100 9000 20000; do
		sed "${i}d" s >bad
		same bad
		sed "${i}s/\]/&,\"bitmap\":\"01\"/" s >bad
		same bad
		grep -q bitmap out.1
		sed "${i}s/,0,0,/,0,1,/; $((i + 600))s/,0,0,/,0, 1,/" s >bad
		same bad
	done
}

@test 'heap profiles are folded by many' {
	need_corpus
	same --keep-going "$(corpus memprof)"
	[ "$(grep -c '"record":"stack"' out.1)" -gt 100 ]
}

@test 'a pipe that gives nothing does not hold up a failure' {
	mkfifo pipe unopened
	: >empty
	# Somebody can write to it as long as this is open.
	exec 7<>pipe
	run -2 timeout 20 prof-merge -j 2 -o out empty pipe
	[[ $output == 'prof-merge: empty: '* ]]
	[ ! -e out ]
	run -2 timeout 20 prof-merge -j 4 -o out empty unopened pipe
	[[ $output == 'prof-merge: empty: '* ]]
	echo empty >&7
	run -2 timeout 20 prof-merge -j 2 -o out --files-from pipe
	exec 7>&-
	[[ $output == 'prof-merge: empty: '* ]]
}

@test 'many inputs are checked as by one' {
	need tar zstd
	cp "$(data real)"/*.profraw .
	mkdir -p copies
	cp 22-ir.profraw copies
	: >copies/empty.profraw
	head -c 900 16-ir.profraw >cut.profraw
	streams 9
	echo note >note
	tar cf all.tar *.profraw note copies s00*.ndjson
	head -c 30000 all.tar >cut.tar
	zstd -q all.tar
	prof-bundle create -o b.tar 1*.profraw s001.ndjson
	mkdir b
	tar xf b.tar -C b
	cp b/s001.ndjson b/13-ir.profraw
	rm b/16-ir.profraw
	tar cf changed.tar -C b MANIFEST $(cd b && ls | grep -v MANIFEST)
	expected=1
	same_of prof-check *.profraw copies/* s*.ndjson all.tar.zst cut.tar \
	    b.tar changed.tar b.tar *.profraw missing
	grep -q '^b.tar\[s001.ndjson\]: suspect: the same bytes as ' out.1
	grep -q '^changed.tar\[16-ir.profraw\]: bad: [a-z]*: is in the manifest' out.1
	[ "$(cat err.1)" = 'prof-check: skipped 1 file that is not a profile' ]
	run -1 --separate-stderr prof-check -j 3 - <all.tar.zst
	sed 's/^standard input/all.tar.zst/; s/ as -\[/ as all.tar.zst[/' \
	    <<<"$output" >a
	run -1 --separate-stderr prof-check -j 1 all.tar.zst
	cmp a - <<<"$output"
	same_of prof-check "$(data real)" "$(data bad)"
	expected=2
	same_of 'prof-check --keep-going=2' *.profraw copies/* cut.tar missing
}

@test 'many inputs are bundled as by one' {
	need tar zstd
	cp "$(data real)"/*.profraw .
	streams 20
	tar cf half.tar s00*.ndjson 1*.profraw
	zstd -q half.tar
	same_of 'prof-bundle create --pack zstd' s*.ndjson half.tar.zst 22*.profraw
	cp out.1 one.bundle
	same_of prof-check one.bundle
	prof-bundle create -o two.bundle s01*.ndjson 13*.profraw
	head -c 3000 s007.ndjson >cut
	expected=2
	same_of 'prof-bundle create' s*.ndjson cut one.bundle
	grep -q '^prof-bundle: cut: ' err.1
	head -c 9000 two.bundle >cut.bundle
	expected=1
	same_of 'prof-bundle create --keep-going' cut cut.bundle s*.ndjson \
	    two.bundle
	same_of prof-check one.bundle s001.ndjson cut.bundle \
	    half.tar.zst two.bundle
	for j in 1 2 4; do
		cp two.bundle add.$j
		run -1 prof-bundle add -j $j --keep-going add.$j half.tar.zst \
		    cut s019.ndjson
		cmp add.1 add.$j
	done
}

@test 'bundles are merged by many as by one' {
	streams 20
	sed 's/"level":"ir"/"level":"frontend"/' s012.ndjson >fe.ndjson
	prof-bundle create -o a s00*.ndjson
	prof-bundle create --pack gzip -o b s01*.ndjson s005.ndjson
	prof-bundle create -o c fe.ndjson s020.ndjson
	prof-merge s*.ndjson >want
	same_of prof-merge a b s020.ndjson
	cmp want out.1
	grep -q 'several bundles, counted once: 1$' err.1
	expected=2
	same_of prof-merge a b c
	grep -q 'cannot be merged with' err.1
	expected=1
	same_of 'prof-merge --keep-going --level ir' a b c a
}

# unread COMMAND: its standard output is a pipe that nobody will read.
unread() (
	exec 4<>unread 5>unread 4>&-
	exec "$@" >&5 5>&- 3>&-
)

# ends_unread STATUS MESSAGES COMMAND: that, and so many messages that the pipe
# is broken, with one thread and with several.
ends_unread() {
	local j status

	for j in 1 3; do
		status=0
		unread $3 -j $j "${@:4}" 2>err.$j || status=$?
		echo "$3 -j $j: status $status"
		if [ "$status" != "$1" ] ||
		    [ "$(grep -c 'Broken pipe$' err.$j)" != "$2" ]; then
			cat err.$j
			return 1
		fi
	done
	diff err.1 err.3
}

# Where SIGPIPE is ignored, the failure is one like others.
breaks() {
	ends_unread 141 0 "$@" && (trap '' PIPE && ends_unread 2 1 "$@")
}

@test 'a program whose output nobody reads ends in the same way' {
	local command i

	mkfifo unread
	streams 40
	prof-merge -o a.profdata s00*.ndjson
	gzip s0*.ndjson
	for i in {1..1000}; do
		printf '%s\n' s00[1-4].ndjson.gz
	done >list
	for command in prof-merge 'prof-index -o -' prof-order \
	    'prof-bundle create -o -' 'prof-plan create --shards 2 -o -'; do
		breaks "$command" s0*.gz
	done
	for command in 'prof-check --files-from list' \
	    'prof-report -o - a.profdata'; do
		breaks "$command"
	done
}

# threads_of COMMAND: how many threads are started, by a sanitizer too.
threads_of() {
	strace -f -o "$BATS_TEST_TMPDIR/calls" -e trace=clone,clone3 "$@" \
	    >out 2>err
	grep -c 'clone3\?(.*= [1-9]' "$BATS_TEST_TMPDIR/calls" || :
}

@test 'large inputs have a thread for each processor, and small ones none' {
	local most all program

	need_strace
	[ "$(nproc)" -gt 1 ] || skip 'needs two processors'
	mkdir large small
	for i in 1 2; do
		printf ':ir\nf\n1\n1\n%d\n' $i | tee small/$i >large/$i
		yes '# a comment, which only makes the file large' |
		    head -c 9000000 >>large/$i || :
	done
	ls -d large/* >list
	most=$(threads_of prof-merge -j $(($(nproc) < 3 ? $(nproc) : 3)) large)
	all=$(threads_of prof-merge -j $(($(nproc) < 8 ? $(nproc) : 8)) small)
	[ "$most" -gt 1 ]
	for program in prof-merge prof-index prof-check; do
		[ "$(threads_of $program large)" = "$most" ]
		[ "$(threads_of $program large/1 large/2)" = "$most" ]
		[ "$(threads_of $program --files-from list)" = "$most" ]
		[ "$(threads_of $program -j 1 large)" = 0 ]
		[ "$(threads_of $program small)" = 0 ]
	done
	[ "$(threads_of prof-merge -S 1M large)" = 0 ]
	prof-merge large | cmp - <(prof-merge small)
	[ "$(threads_of prof-merge --files-from <(ls -d small/*))" = "$all" ]
	# One processor is enough for one thread only.
	[ "$(threads_of taskset -c "$(taskset -cp $$ | sed 's/.*: //;s/[^0-9].*//')" \
	    prof-merge large)" = 0 ]
}

@test '--jobs needs a number above 0' {
	for j in 0 x -1 257 '' 1x; do
		run -2 prof-merge -j "$j"
		[[ $output == *"--jobs needs a number from 1 to 256"* ]]
	done
	streams 1
	for program in prof-merge prof-index prof-check; do
		$program --jobs 2 s001.ndjson >out
		[ -s out ]
	done
	# One thread reads their inputs.
	for program in prof-show prof-filter prof-export prof-diff \
	    profraw-cat; do
		usage_error "invalid option -- 'j'" "$program" -j 2 s001.ndjson
	done
}
