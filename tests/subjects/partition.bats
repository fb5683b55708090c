# Merges by class of records (prof-merge --plan --partition): the classes put
# together have the bytes of the flat merge, for all kinds of profiles.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# parts FILE...: a plan of the files in up to three shards, their parts, and
# the flat merge.
parts() {
	rm -rf runs parts classes
	mkdir runs parts classes
	cp "$@" runs
	shards=$((($# + 1) / 2 < 3 ? ($# + 1) / 2 : 3))
	prof-plan create --shards $shards -o run.plan -r runs
	for k in $(seq $shards); do
		prof-merge -q --plan run.plan --shard "$k" -o "parts/$k.part"
	done
	prof-merge -q -o flat -r runs
}

# classed N OPTION...: the parts of all shards, in classes from the start.
classed() {
	local k

	rm -rf classed
	mkdir classed
	for k in $(seq $shards); do
		prof-merge -q --plan run.plan --shard "$k" --partitions "$1" \
		    "${@:2}" -o "classed/$k.%d.part"
	done
	[ "$(ls classed | wc -l)" -eq $((shards * $1)) ]
	prof-plan status run.plan classed >status
}

# Parts in classes come to the same as those that are merged by class, and
# together to the flat merge.
as_classed() {
	local k

	classed "$@"
	for k in $(seq "$1"); do
		prof-merge -q --plan run.plan --partition "$k/$1" "${@:2}" \
		    -o one.part classed
		cmp one.part "classes/$k.part"
	done
	prof-merge -q --plan run.plan "${@:2}" -o all classed
	grep -v '"record":"part"' all | cmp - flat
}

# classes N OPTION...: a part for each class of all parts.
classes() {
	local k

	for k in $(seq "$1"); do
		prof-merge -q --plan run.plan --partition "$k/$1" "${@:2}" \
		    -o "classes/$k.part" parts
	done
}

# The classes put together are the flat merge, in each format of the result.
together() {
	prof-merge -q --plan run.plan "$@" -o all classes
	grep -v '"record":"part"' all | cmp - flat
}

# whole FILE...: by so many classes, with several threads or little memory.
whole() {
	parts "$@"
	classes 1
	together
	as_classed 1
	classes 3 -j 2
	together -j 2
	as_classed 3 -j 2
	rm classes/*
	classes 4 -S 1
	together -S 1
	as_classed 4 -S 1
	# No record is of two classes.
	[ "$(for k in classes/*; do prof-merge -q "$k" 2>err || :; done |
	    functions)" = "$(functions <flat)" ]
}

# How many functions and allocations a stream has.
functions() {
	grep -cE '"record":"(function|allocation|memprof_function)"' || :
}

@test 'counts, values, bitmaps, traces of real profiles' {
	local kind

	cd "$BATS_TEST_TMPDIR"
	for kind in 13-fe 22-ir 22-ir_loops 19-mcdc 22-mcdc32 22-vtable \
	    19-temporal 22-cs 22-fe_values 22-fe_coverage 22-temporal_coverage \
	    19-block_coverage 14-entry_coverage; do
		echo "$kind"
		cp "$(data real)/$kind.profraw" one.profraw
		for n in 2 3 4 5; do
			prof-merge -q -w $n,one.profraw -o $n.ndjson
		done
		whole one.profraw {2,3,4,5}.ndjson
		# The only input: traces stay in their order, as values do.
		whole one.profraw
	done
}

@test 'names and traces of random shapes' {
	whole "$(data trees)"/[abcxyz].ndjson
	whole "$(data trees)"/x.ndjson
	whole "$(data trees)"/{x,z}.ndjson
}

@test 'heap profiles: raw, with frames, indexed, and without build ids' {
	local file

	whole "$(data heap)"/*.ndjson
	for file in "$(data heap)"/*.ndjson; do
		whole "$file"
		whole "$file" "$(data real)/22-ir.profraw"
	done
	whole $(ls "$(data memprof-raw)"/{real,good}/*.memprofraw | some 3)
	for file in $(ls "$(data memprof)"/*.profdata | some 3); do
		whole "$file"
	done
	whole $(ls "$(data memprof)"/*.profdata | some 2)
}

@test 'correlated profiles, alone and with others' {
	whole "$(data good)/correlated-debug.profraw"
	whole "$(data good)"/correlated-{debug,binary,v11}.profraw
	whole "$(data good)"/correlated-{debug,v11}.profraw \
	    "$(data real)/22-fe_values.profraw"
}

# seven: a plan of seven profiles with twenty functions, and its parts.
seven() {
	local n

	mkdir in
	for n in 1 2 3 4 5 6 7; do
		profile '"level":"ir"' "$(for f in $(seq 20); do
			fn f$f "$f" "$n,$f"
		done)" >in/$n
	done
	parts in/*
}

@test 'what is there of a class, and what lacks' {
	need jq
	seven
	classes 3
	[ "$(zstd -dcq classes/2.part | jq -c 'select(.record == "part") |
	    [.partition, .shards, .inputs]')" = '[[2,3],[[1,3]],7]' ]
	prof-plan status run.plan classes | grep -qx 'shards  3 of 3'
	refused 'classes/2.part: has only partition 2/3' \
	    prof-plan clean run.plan classes/2.part
	refused 'classes/2.part: has partition 2/3, not 1/4' \
	    prof-merge --plan run.plan --partition 1/4 -o x classes/2.part
	refused 'no part has shard 1-3: --partial merges the others' \
	    prof-merge --plan run.plan --partition 1/3 -o x classes/2.part
	# A class that is there twice counts once, and so do shards.
	cp classes/2.part classes/again
	run -0 prof-merge --plan run.plan -o all classes parts
	[[ $output = *'again: its shards are already in classes/2.part'* ]]
	grep -v '"record":"part"' all | cmp - flat
	rm classes/again classes/2.part
	refused 'classes/1.part: partition 2/3 of its shards is missing' \
	    prof-merge --plan run.plan -o x classes
	refused 'partition 2/3 of its shards is missing' \
	    prof-merge --plan run.plan --partial -o x classes
	run -1 prof-plan status run.plan classes
	[ "${lines[0]}" = 'shards  0 of 3' ]
	# Unless other parts have those shards.
	prof-merge --plan run.plan -o all classes parts 2>err
	[ "$(grep -c 'skipped$' err)" -eq 2 ]
	grep -v '"record":"part"' all | cmp - flat
	# The second of four is not the second of three.
	prof-merge --plan run.plan --partition 2/4 -o classes/2.part parts
	refused 'of its shards is missing' \
	    prof-merge --plan run.plan -o x classes
}

@test 'a tree of merges for each class' {
	local k

	seven
	for k in 1 2; do
		prof-merge --plan run.plan --partial --partition $k/2 \
		    -o low.$k parts/1.part parts/2.part
		refused 'no part has shard 3: --partial merges the others' prof-merge --plan run.plan \
		    --partition $k/2 -o x low.$k
		prof-merge --plan run.plan --partition $k/2 \
		    -o classes/$k parts/3.part low.$k
	done
	together
	# Both steps at once, and classes of some shards beside other parts.
	prof-merge -q --plan run.plan -o all low.1 low.2 parts/3.part
	grep -v '"record":"part"' all | cmp - flat
	refused 'partition 1/2 of its shards' \
	    prof-merge --plan run.plan -o x classes/2 low.1
}

@test 'classes of parts with other bad inputs' {
	seven
	prof-merge --plan run.plan --partition 1/2 -o classes/1 parts
	mv runs/2 2
	echo x >runs/2
	for k in 1 2 3; do
		prof-merge -q --keep-going --plan run.plan --shard $k \
		    -o parts/$k.part || [ $? -eq 1 ]
	done
	prof-merge -q --plan run.plan --partition 2/2 -o classes/2 parts ||
	    [ $? -eq 1 ]
	refused 'or has different bad inputs' \
	    prof-merge --plan run.plan -o x classes
	prof-merge -q --plan run.plan --partition 1/2 -o classes/1 parts ||
	    [ $? -eq 1 ]
	prof-merge -q --plan run.plan -o all classes || [ $? -eq 1 ]
	prof-merge -q -o flat runs/[13-7]
	grep -v -e '"record":"part"' -e '"record":"bad"' all | cmp - flat
}

@test 'a shard is done when all its classes are' {
	seven
	classed 3
	grep -qx 'shards  3 of 3' status
	rm classed/2.1.part classed/3.3.part
	[ "$(prof-plan status --missing run.plan classed)" = "$(seq 2 3)" ]
	prof-merge --plan run.plan --partition 2/3 -o x classed
	refused 'no part has shard 2: --partial merges the others' \
	    prof-merge --plan run.plan --partition 1/3 -o y classed
	# Whole parts of the other shards go with classes of some.
	prof-merge -q --plan run.plan -o all classed parts/[23].part
	grep -v '"record":"part"' all | cmp - flat
	for k in 1 2 3; do
		prof-merge --plan run.plan --partition $k/3 \
		    -o classes/$k.part classed/1.$k.part parts/[23].part
	done
	together
	# The task that is run again writes the same bytes.
	cp -r classed before
	classed 3
	rm classed/2.1.part classed/3.3.part
	diff -r before classed
}

@test 'classes of a shard with bad inputs, and with no good one' {
	seven
	echo x >runs/1
	for k in 1 2 3; do
		prof-merge -q --keep-going --plan run.plan --shard $k \
		    --partitions 2 -o "classed.$k.%d" || [ $? -eq 1 ]
	done
	run -1 prof-merge -q --plan run.plan -o all classed.*
	prof-merge -q -o flat runs/[2-7]
	grep -v -e '"record":"part"' -e '"record":"bad"' all | cmp - flat
	# Classes of two runs with other bad inputs are no shard.
	cp in/1 runs/1
	prof-merge --plan run.plan --shard 1 --partitions 2 -o 'new.%d'
	mv new.1 classed.1.1
	refused 'or has different bad inputs' \
	    prof-merge -q --plan run.plan -o x classed.*
	[ "$(prof-plan status --missing run.plan classed.*)" = 1 ]
	for file in runs/*; do
		echo x >"$file"
	done
	run -1 prof-merge -q --keep-going --plan run.plan --shard 1 \
	    --partitions 2 -o 'none.%d'
	zstd -dcq none.2 | grep -q '"used":0,'
	[ "$(zstd -dcq none.1 | grep -vc '"record":"bad"')" -eq 1 ]
}

@test 'a shard of which no class can be written leaves none' {
	seven
	refused 'in%d/1.1.part: cannot ' prof-merge --plan run.plan --shard 1 \
	    --partitions 2 -o 'in%d/1.%d.part'
	mkdir 1.2.part
	refused '1.2.part: ' prof-merge --plan run.plan --shard 1 \
	    --partitions 2 -o '1.%d.part'
	[ ! -e 1.1.part ]
	# A name may have other marks.
	prof-merge --plan run.plan --shard 1 --partitions 1 -o '100%s-%d.part'
	[ -e '100%s-1.part' ]
}

@test 'usage of --partitions' {
	usage_error '--partitions needs a number above 0' \
	    prof-merge --plan p --shard 1 --partitions 0 -o x.%d
	usage_error 'need --plan' prof-merge --partitions 2 x
	usage_error '--partitions needs --shard' \
	    prof-merge --plan p --partitions 2 -o x.%d x
	for name in x x.%s x.%d.%d %d/x; do
		usage_error 'has one %d' prof-merge --plan p --shard 1 \
		    --partitions 2 -o $name
	done
	usage_error 'has one %d' prof-merge --plan p --shard 1 --partitions 2
	usage_error 'a part can be written only as a stream' prof-merge --plan p --shard 1 \
	    --partitions 2 --to text -o x.%d
}

@test 'usage of --partition' {
	for argument in 0/2 3/2 2 x 1/ 1/x; do
		usage_error '--partition needs K/N' prof-merge --plan p \
		    --partition $argument
	done
	usage_error 'need --plan' prof-merge --partition 1/2 x
	usage_error 'reads all of its inputs from the plan' \
	    prof-merge --plan p --shard 1 --partition 1/2
	usage_error 'a part can be written only as a stream' \
	    prof-merge --plan p --partition 1/2 --to indexed x
}
