# Fleets: the recipes of proftools-fleet.7 as they stand there, with the engines
# that are installed, and what fails on the way.

load ../support/helper
load ../support/slurm

# Profiles of the compiler, some small streams, and an input that is damaged.
setup_file() {
	local n

	cd "$BATS_FILE_TMPDIR"
	mkdir runs
	cp "$(data real)"/*-ir.profraw "$(data real)"/*-cs.profraw runs
	for n in $(seq 20); do
		profile '"level":"ir"' "$(fn main 1 "$n,1")" >"runs/$n"
	done
	head -c 100 runs/22-ir.profraw >runs/cut.profraw
	prof-merge -q --keep-going runs -o want || [ $? -eq 1 ]
}

setup() {
	need jq zstd
	# A prefix, where the recipes find the scripts.
	mkdir -p "$BATS_TEST_TMPDIR"/prefix/{bin,share}
	ln -s "$(command -v prof-plan)" "$BATS_TEST_TMPDIR/prefix/bin"
	ln -s "$top_srcdir/share" "$BATS_TEST_TMPDIR/prefix/share/proftools"
	PATH=$BATS_TEST_TMPDIR/prefix/bin:$PATH
	cd "$BATS_TEST_TMPDIR"
	cp -r "$BATS_FILE_TMPDIR"/{runs,want} .
	eval "$(recipe '-o run.plan')"
	mkdir parts
}

# recipe WORD: the display of the page that has the word.
recipe() {
	awk -v word="$1" '
	/^\.Bd .*indent/ { text = ""; within = 1; next }
	/^\.Ed/ { if (within && index(text, word)) printf "%s", text
	    within = 0 }
	within { text = text $0 "\n" }' "$top_srcdir/man/proftools-fleet.7" |
	    sed 's/\\e/\\/g'
}

# The recipe that has the word, with the last status of its commands.
follow() {
	recipe "$1" | grep -q .
	bash -c "$(recipe "$1")" >log 2>&1 || {
		local status=$?
		cat log
		return $status
	}
}

# The result has the sum of all good inputs, and its account adds up.
whole() {
	grep -v -e '"record":"part"' -e '"record":"bad"' all.ndjson |
	    cmp - want
	[ "$(jq -c 'select(.record == "part") | [.inputs, .used, .bad]' \
	    all.ndjson)" = "$(printf '[%d,%d,1]' "$(ls runs | wc -l)" \
	    $(($(ls runs | wc -l) - 1)))" ]
}

shard() {
	"$top_srcdir/share/fleet/shard" run.plan parts "$1" 2>log
}

# goes_on WORD: the recipe does what was left, and nothing that was done.
goes_on() {
	rm parts/{2,7}.part
	touch -d 2000-01-01 parts/*
	follow "$1" || [ $? -le 1 ]
	whole
	[ "$(find parts -name '*.part' -newermt 2001-01-01 | wc -l)" -eq 2 ]
}

@test 'xargs' {
	rmdir parts
	follow xargs || [ $? -eq 1 ]
	run -1 grep 'cannot open' log
	whole
	goes_on xargs
	prof-plan status run.plan parts
}

@test 'make' {
	need make
	follow 'fleet/make'
	whole
	goes_on 'fleet/make'
	# The result is there: nothing is done again.
	follow 'fleet/make'
	grep -q 'up to date' log
}

@test 'GNU parallel' {
	need parallel
	parallel --version | grep -q GNU || skip 'needs GNU parallel'
	follow fleet/parallel || [ $? -eq 1 ]
	whole
	goes_on fleet/parallel
}

@test 'a tree of merges, and the end' {
	for k in $(seq 8); do
		shard "$k"
	done
	follow --partial || [ $? -eq 1 ]
	whole
	[ "$(ls half/*.part | wc -l)" -eq 2 ]
	follow clean
	grep -q '^shards  8 of 8' log
	[ "$(ls runs)" = cut.profraw ]
}

@test 'object stores' {
	mkdir store
	cp runs/[0-9]* store
	follow store.plan
	prof-merge -q -o want store
	prof-merge stored.ndjson | cmp - want
}

teardown() {
	[ ! -e "$BATS_TEST_TMPDIR/slurm" ] ||
	    slurm_stop "$BATS_TEST_TMPDIR/slurm"
	subshells_passed
}

@test 'Slurm' {
	local job

	need munged slurmctld slurmd sbatch sinfo
	slurm_start "$BATS_TEST_TMPDIR/slurm" 2 || skip 'Slurm does not start'
	job=$(bash -c "$(recipe fleet/slurm)")
	slurm_wait "$job"
	whole
	# All tasks twice at once.
	rm all.ndjson parts/*
	job=$(bash -c "$(recipe fleet/slurm)")
	slurm_wait "$(bash -c "$(recipe fleet/slurm)")"
	slurm_wait "$job"
	whole
	# A task that fails: the last job names its shard.
	rm all.ndjson parts/3.part
	mkdir parts/3.part
	slurm_wait "$(bash -c "$(recipe fleet/slurm)")"
	[ ! -e all.ndjson ]
	grep -q 'no part has shard 3: --partial merges the others' all.ndjson.log
	rmdir parts/3.part
	slurm_wait "$(bash -c "$(recipe fleet/slurm)")"
	whole
}

@test 'a task that is killed leaves nothing, and its shard is named' {
	need_strace
	for k in 1 2 3 5 6 7 8; do
		shard "$k"
	done
	killed read 12 prof-plan part --keep-going run.plan --shard 4 \
	    -o parts/4.part
	[ ! -e parts/4.part ]
	[ "$(prof-plan status --missing run.plan parts)" = 4 ]
	refused 'no part has shard 4: --partial merges the others' \
	    prof-plan merge run.plan -o all.ndjson parts
	shard 4
	# What the killed task left beside its part is gone.
	[ "$(ls -A parts | wc -l)" -eq 8 ]
	follow xargs || [ $? -eq 1 ]
	whole
}

@test 'a shard that is run twice at once' {
	for k in $(seq 8); do
		shard "$k" &
		shard "$k"
		wait $!
	done
	follow xargs || [ $? -eq 1 ]
	whole
}

@test 'parts of another plan, and damaged ones' {
	for k in $(seq 8); do
		shard "$k"
	done
	prof-plan create --shards 3 -o other.plan runs
	prof-plan part -q --keep-going other.plan --shard 2 \
	    -o parts/2.part || [ $? -eq 1 ]
	refused 'parts/2.part: a part of another plan' \
	    prof-plan merge run.plan -o all.ndjson parts
	[ "$(prof-plan status --missing run.plan parts 2>log)" = 2 ]
	shard 2
	truncate -s -10 parts/5.part
	refused 'parts/5.part: ' prof-plan merge run.plan -o all.ndjson parts
	[ ! -e all.ndjson ]
	printf '\377' | dd of=parts/6.part bs=1 seek=200 conv=notrunc
	rm parts/5.part
	shard 5
	refused 'parts/6.part: ' prof-plan merge run.plan -o all.ndjson parts
	shard 6
	follow xargs || [ $? -eq 1 ]
	whole
}

@test 'random fleets come to the right sum, or to a message' {
	run -0 "$top_srcdir/tests/support/fleets.bash" 1 \
	    "${PROFTOOLS_FLEETS:-$(of_all 200 12)}"
	[[ $output = *' fleets' ]]
}
