# Several threads come to what one comes to: output, messages and report.

load helper

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

# same ARGUMENTS: prof-merge with 2 to 8 threads says and writes what one does.
same() {
	local j status=0 other

	prof-merge -j 1 --report report.1 "$@" >out.1 2>err.1 || status=$?
	for j in 2 3 5 8; do
		other=0
		prof-merge -j $j --report report.$j "$@" >out.$j 2>err.$j ||
		    other=$?
		echo "-j $j"
		[ "$other" = "$status" ]
		cmp out.1 out.$j
		diff err.1 err.$j
		diff report.1 report.$j
	done
	[ "$status" = "${expected:-0}" ]
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
	same --sparse --scale 1/3 --max-count 17000 s*.ndjson
	grep -q 'warning: f' err.1
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
	[ "$(cat err.1)" = 'prof-merge: 2 archive members are no profiles: skipped' ]
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
	[ "$(cat err.1)" = 'prof-merge: s012.fe: a front-end profile (s012.fe) cannot be merged with an IR profile (s010.ndjson)' ]
	same s012.fe s01*.ndjson s020.fe
	[ "$(cat err.1)" = 'prof-merge: s010.ndjson: an IR profile (s010.ndjson) cannot be merged with a front-end profile (s012.fe)' ]
	same s01*.ndjson missing empty
	grep -q '^prof-merge: missing: ' err.1
	expected=1
	same --keep-going s012.fe s01*.ndjson s020.fe s007.cut empty
	[ "$(wc -l <err.1)" = 13 ]
	same --max-bad 4 s01*.ndjson s007.cut s012.fe s020.fe empty s03*.ndjson
	[ "$(wc -l <report.1)" = 5 ]
	expected=2
	same --max-bad 3 s01*.ndjson s007.cut s012.fe s020.fe empty s03*.ndjson
}

@test 'all that tests know of, bad and good' {
	expected=1
	same --keep-going -r "$(data real)" "$(data bad)"
	[ "$(wc -l <err.1)" -gt 100 ]
}

@test 'heap profiles are folded by many' {
	need_corpus
	expected=1
	same --keep-going -r "$(corpus memprof)"
	[ "$(grep -c '"record":"stack"' out.1)" -gt 100 ]
}

@test 'a pipe that gives nothing does not hold up a failure' {
	mkfifo pipe
	: >empty
	sleep 30 3>pipe &
	run -2 timeout 20 prof-merge -j 2 -o out empty pipe
	kill $!
	[[ $output == 'prof-merge: empty: '* ]]
	[ ! -e out ]
}

@test 'inputs are consumed by many as by one' {
	streams 9
	head -c 3000 s005.ndjson >cut
	mkdir one many
	cp s*.ndjson cut one
	mv s*.ndjson cut many
	for i in one many; do
		j=1
		[ $i = one ] || j=4
		(cd $i && run -1 prof-merge -j $j --consume --keep-going \
		    -o ../$i.out s*.ndjson cut)
		[ "$(ls $i)" = cut ]
	done
	cmp one.out many.out
}

@test '--jobs takes a number above 0' {
	for j in 0 x -1 257 '' 1x; do
		run -2 prof-merge -j "$j"
		[[ $output == *"--jobs takes a number from 1 to 256"* ]]
	done
	streams 1
	for program in prof-merge prof-index profraw-cat; do
		$program --jobs 2 s001.ndjson >out
		[ -s out ]
	done
}
