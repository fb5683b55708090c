# Indexed profiles of one program: what was found out of the first is used for
# the others, and the sum is the one of their streams, function by function.

load ../support/helper

setup() {
	need jq
	cd "$BATS_TEST_TMPDIR"
}

# run_of SEED [LEVEL]: 3000 functions whose counts and values depend on SEED.
run_of() {
	awk -v seed="$1" -v level="${2:-ir}" 'BEGIN {
		printf "{\"record\":\"profile\",\"stream\":1," \
		    "\"kind\":\"instr\",\"level\":\"%s\"}\n", level
		for (i = 0; i < 3000; i++) {
			counts = i % 4 ? (i * seed) % 1000 : 0
			for (k = 0; k < i % 30; k++)
				counts = counts "," \
				    (k * seed) % 3 * (i * 31 % 100)
			values = ""
			if (i % 5 == 0)
				values = sprintf(",\"values\":{" \
				    "\"indirect_call\":[[{\"target\":\"f%d\"," \
				    "\"count\":%d}%s],[]]}", i * seed % 3000, \
				    seed, i * seed % 7 ? "" : sprintf( \
				    ",{\"target_guid\":\"0x%016x\"," \
				    "\"count\":1}", seed))
			printf "{\"record\":\"function\",\"name\":\"f%d\"," \
			    "\"hash\":\"0x%016x\",\"counts\":[%s]%s}\n", \
			    i, i % 11 + 1, counts, values
			if (i % 100 == 0)
				printf "{\"record\":\"function\"," \
				    "\"name\":\"f%d\",\"hash\":\"0x%016x\"," \
				    "\"counts\":[%d,0]}\n", i, 99, seed
		}
		print "{\"record\":\"end\",\"last\":true}"
	}'
}

runs() {
	for seed; do
		run_of "$seed" | prof-index -q -o "$seed"
	done
}

# The files, merged, are what their streams are.
adds_up() {
	prof-merge -q --to indexed -o sum "$@"
	for file; do
		profraw-cat -q "$file" | prof-filter >"$file.stream"
	done
	prof-merge -q --to indexed -o want "${@/%/.stream}"
	cmp sum want
	prof-merge -q -j 2 --to indexed -o threads "$@"
	cmp threads want
	prof-merge -q -S 1M --to indexed -o spilled "$@"
	cmp spilled want
}

@test 'profiles of one program' {
	runs 1 2 3 4 5
	adds_up 1 2 3 4 5
	prof-show --top 3 sum | grep -q ' f'
}

@test 'in all versions' {
	local v

	for v in 3 5 8 10 12 13; do
		echo "version $v"
		for seed in 1 2 3; do
			run_of $seed |
			    prof-index -q --to indexed:$v -o $seed
		done
		adds_up 1 2 3
	done
	# Another version is another program.
	run_of 4 | prof-index -q --to indexed:12 -o 4
	adds_up 1 4 2
}

@test 'of the front end' {
	for seed in 1 2 3; do
		run_of $seed frontend | prof-index -q -o $seed
	done
	adds_up 1 2 3
}

@test 'almost the same program is another' {
	runs 1 2
	# A function less, one of another name, hash, number of counters or
	# sites, and one with a bitmap.
	run_of 3 | grep -v '"f77"' | prof-index -q -o less
	run_of 3 | sed 's/"name":"f77"/"name":"g77"/' | prof-index -q -o name
	run_of 3 | sed '/"name":"f77"/s/"hash":"0x0/"hash":"0x1/' |
	    prof-index -q -o hash
	run_of 3 | sed '/"name":"f77"/s/\]/,5]/' | prof-index -q -o counters
	run_of 3 | sed '/"name":"f75"/s/,\[\]\]/,[],[]]/' |
	    prof-index -q -o sites
	run_of 3 | sed '/"name":"f77"/s/"counts"/"bitmap":"03","counts"/' |
	    prof-index -q -o bitmap
	for odd in less name hash counters sites bitmap; do
		echo "$odd"
		! cmp -s $odd 1 || return 1
		adds_up 1 $odd 2 $odd
	done
}

@test 'several builds, each with several runs' {
	local build run all=

	for build in f77 f1003 f2997; do
		for run in 1 2 3 4; do
			run_of $run | grep -v "\"$build\"" |
			    prof-index -q -o $build-$run
		done
	done
	# The second build is made known by its second file; its functions are
	# there by then, and have counters one by one.
	adds_up f77-1 f1003-{1,2,3,4} f77-{2,3}
	adds_up f77-1 f1003-{1,2} f2997-{1,2,3} f1003-{3,4} f77-{2,3} f2997-4
	prof-merge -q -w 3,f1003-1 f77-1 f1003-{2,3,4} --to indexed -o sum
	prof-merge -q f77-1 f1003-{1,1,1,2,3,4} --to indexed -o want
	cmp sum want
	prof-merge -q --to indexed -o less --subtract f1003-4 f77-1 \
	    f1003-{1,2,3,4}
	prof-merge -q --to indexed -o want f77-1 f1003-{1,2,3}
	cmp <(prof-show --functions --counts less | sed 1d) \
	    <(prof-show --functions --counts want | sed 1d)
}

@test 'programs that begin alike' {
	local i

	# The table's order is that of hashes: so the first difference may be
	# in any block, and what comes before is as in the others.
	runs 1 2
	for i in 3 32 333 1003 1999 2997; do
		run_of 3 | sed '/"name":"f'$i'"/s/"hash":"0x0/"hash":"0x1/' |
		    prof-index -q -o hash
		run_of 3 | sed '/"name":"f'$i'"/s/\],*/,5&/' |
		    prof-index -q -o counters
		adds_up 1 hash 2 counters hash counters
	done
}

@test 'counts that are too large, and pseudo counts' {
	runs 1 2
	run_of 3 | sed '/"name":"f77"/s/\[[^]]*,/["18446744073709551613",/' |
	    prof-index -q -o large
	run_of 3 | sed '/"name":"f77"/s/\[[^]]*,/["18446744073709551615",/' |
	    prof-index -q -o pseudo
	adds_up 1 large 2 large
	adds_up 1 pseudo 2 pseudo
	adds_up pseudo 1 2
}

@test 'damage is found, wherever it is' {
	local size at

	runs 1 2
	size=$(wc -c <2)
	for at in 200 3000 $((size / 2)) $((size * 3 / 4)) $((size - 400)); do
		cp 2 bad
		printf '\377\376\375\374\373' |
		    dd of=bad bs=1 seek="$at" conv=notrunc 2>/dev/null
		prof-merge -q bad -o out --to indexed 2>alone && continue
		run -2 --separate-stderr prof-merge -q 1 bad -o out --to indexed
		same <(echo "$stderr") alone
	done
	head -c $((size - 100)) 2 >cut
	run -2 prof-merge -q 1 cut -o out --to indexed
}
