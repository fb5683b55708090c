# The recipes of proftools-fleet.7 without a plan, as they stand there.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir -p runs/sub
	cp "$(data real)"/*-ir.profraw "$(data real)"/*-cs.profraw runs
	[ "$(ls runs/*.profraw | wc -l)" -ge 3 ]
	prof-index -qo want runs
}

# recipe WORD: the display of the page that has the word.
recipe() {
	awk -v word="$1" '
	/^\.Ss Recipes/ { inside = 1 }
	/^\.S[sh] / && !/Recipes/ { inside = 0 }
	!inside { next }
	/^\.Bd/ { text = ""; within = 1; next }
	/^\.Ed/ { if (index(text, word)) printf "%s", text; within = 0 }
	within { text = text $0 "\n" }' "$top_srcdir/man/proftools-fleet.7" |
	    sed 's/\\e/\\/g'
}

# bash that ends with the first command that fails.
strictly() {
	bash -e -o pipefail
}

@test 'make' {
	need make
	recipe wildcard >Makefile
	grep -q 'prof-merge' Makefile
	make -s -j2
	cmp app.profdata want
	make -q
	# One more is one more run of prof-merge.
	cp runs/22-ir.profraw runs/more.profraw
	[ "$(make -n | grep -c prof-merge)" -eq 1 ]
	make -s
	rm runs/*.ndjson
	prof-index -qo want runs
	cmp app.profdata want
}

# rounds N: so many of the loop that merges what has ended.
rounds() {
	recipe 'sleep 60' |
	    sed "s/sleep 60/[ \$((n += 1)) -le $1 ]/" | bash 2>told
}

@test 'profiles of programs that have ended' {
	local file

	need jq
	mkdir empty
	cd empty
	# A program without functions, which writes what it was given.
	printf '#!/bin/sh\ncp "$FROM" "${LLVM_PROFILE_FILE%%%%%%p*}$$.profraw"\n' >app
	chmod +x app
	# One shell runs it for all files, one of which is of an ended program.
	: >../runs/empty.profraw
	for file in ../runs/*.profraw; do
		printf 'FROM=%s\nexport FROM\n' "$file"
		recipe 'mv "running'
	done | strictly
	[ "$(ls ended | wc -l)" -eq "$(ls ../runs/*.profraw | wc -l)" ]
	: >running/started.profraw
	# A round that was killed before it removed anything.
	recipe 'sleep 60' | sed '/rm -f/d
	    s/sleep 60/[ ! -e list ]/' | strictly 2>told
	mv bad/* ended
	# It is ended; then one without files, and one with a bad file only.
	rounds 2
	[ -z "$(ls ended)" ]
	: >ended/late.profraw
	rounds 2
	[ -z "$(ls ended)" ]
	[ "$(ls bad | wc -l)" -eq 2 ]
	[ "$(ls sums | wc -l)" -eq 1 ]
	[ ! -s list ]
	[ "$(ls running)" = started.profraw ]
	recipe 'app.profdata sums' | strictly
	cmp app.profdata ../want
}

@test 'a CI matrix, through bundles' {
	local file n=0

	command -v prof-bundle >/dev/null || skip 'needs prof-bundle'
	need zstd jq
	mkdir jobs
	for file in runs/*.profraw; do
		n=$((n + 1))
		mkdir -p "job$n/runs"
		cp "$file" "job$n/runs"
		(cd "job$n"; recipe create | JOB=job$n strictly)
		cp "job$n/job$n.bundle" jobs
	done
	# That ran again.
	cp jobs/job1.bundle jobs/again.bundle
	recipe 'jobs/*.bundle' | strictly 2>told
	grep -q 'several bundles, counted once: 1$' told
	cmp app.profdata want
}
