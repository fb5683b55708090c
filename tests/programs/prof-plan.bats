# prof-plan: shards of a plan, each counted exactly once.

load ../support/helper

setup() {
	need jq
	cd "$BATS_TEST_TMPDIR"
}

# run_of N: a stream of one function that ran N times, in runs/N.
run_of() {
	local n

	mkdir -p runs parts
	for n; do
		profile '"level":"ir"' "$(fn main 1 "$n,1")" >"runs/$n"
	done
}

# plan SHARDS N: a plan of N runs, and the flat merge of them.
plan() {
	run_of $(seq "$2")
	prof-plan create --shards "$1" -o run.plan runs
	prof-merge runs >flat
}

shards() {
	local k

	for k; do
		prof-plan part run.plan --shard "$k" -o "parts/$k.part"
	done
}

# A stream without its account.
sum_of() {
	prof-merge "$1" | cmp - flat
}

@test 'a plan does not depend on the order of its inputs' {
	run_of $(seq 7)
	prof-plan create --per-shard 3 -o a runs/*
	ls runs/* | sort -r | prof-plan create --per-shard 3 --files-from - >b
	cmp a b
	[ "$(jq -c 'select(.shard) | [.shard, .inputs]' a | tr '\n' ' ')" = \
	    '[1,3] [2,3] [3,1] ' ]
	[ "$(head -n 1 a | jq -r .sha256)" = \
	    "$(grep '^{"shard"' a | sha256sum | cut -d ' ' -f 1)" ]
	[ "$(jq -r 'select(.shard == 2).sha256' a)" = \
	    "$(sed -n 8,10p a | sha256sum | cut -d ' ' -f 1)" ]
	prof-plan show a | grep -qx ' *all *7 *[0-9]*'
	[ "$(prof-plan show --shard 3 a)" = runs/7 ]
	prof-plan show --json a | cmp - <(head -n 4 a)
	prof-plan show --json --shard 2 a | cmp - <(sed -n 8,10p a)
	head -c 100000 /dev/zero >runs/big
	prof-plan create --per-shard 1K -o c runs
	last=$(head -n 1 c | jq .shards)
	[ "$(prof-plan show --shard "$last" c)" = runs/big ]
	prof-plan create --shards 2 -o d runs
	[ "$(jq -c 'select(.shard).inputs' d | tr '\n' ' ')" = '7 1 ' ]
}

@test 'what is no plan' {
	run_of 1 2 3
	refused 'runs/1: is named twice' prof-plan create --shards 1 -o x \
	    runs/1 runs/2 runs/1
	refused 'none: cannot open' prof-plan create --shards 1 -o x none
	refused 'shards: 4, inputs: 3' prof-plan create --shards 4 -o x runs
	prof-plan create --shards 2 -o p runs
	sed '$s/runs/RUNS/' p >changed
	refused 'changed: .*sha256' prof-plan show changed
	head -c 60 p >cut
	refused 'cut: ' prof-plan show cut
	head -n 4 p >cut
	refused 'cut: truncated: line 2: length .* exceeds the' prof-plan show cut
	head -n 2 p >cut
	refused 'cut: truncated: line 2: shard 2 is missing' prof-plan show cut
	sed '2s/"bytes":/"bytes":1/' p >changed
	refused 'changed: damaged: line 1: sha256 does not match' prof-plan show --shard 1 changed
	tail -n 1 p | cat p - >long
	refused 'long: damaged: line .* follow the last shard' prof-plan show long
	refused 'runs/1: ' prof-plan show runs/1
	refused 'no shard 3' prof-plan show --shard 3 p
}

@test 'shards and their parts make the flat merge' {
	plan 5 23
	shards 1 2 3 4 5
	prof-plan merge run.plan -o all parts/*
	grep -v '"record":"part"' all | cmp - flat
	sum_of all
	[ "$(jq -c 'select(.record == "part") | [.shards, .inputs, .used, .bad]' \
	    all)" = '[[[1,5]],23,23,0]' ]
	prof-plan merge run.plan -o got.profdata parts/*
	prof-merge -o want.profdata runs
	cmp got.profdata want.profdata
	prof-show parts/1.part | grep -q functions
	prof-check parts/1.part
}

@test 'a plan that limits traces' {
	local n verb

	mkdir -p runs parts
	for n in $(seq 12); do
		{
			echo '{"record":"profile","stream":1,"kind":"instr"}'
			for f in $n $((n % 5)) $((n * 7)); do
				echo '{"record":"trace","weight":1,"functions":' \
				    "[\"f$f\",\"g$n\",\"h\"]}"
			done
			echo '{"record":"end","last":true}'
		} >runs/$n
	done
	prof-plan create --max-traces 6,1 --shards 4 \
	    -o run.plan runs
	[ "$(sed -n 2p run.plan)" = '{"max_traces":6,"max_trace_length":1}' ]
	[ "$(head -n 1 run.plan | jq -r .sha256)" = \
	    "$(sed -n 2,6p run.plan | sha256sum | cut -d ' ' -f 1)" ]
	[ "$(prof-plan show run.plan | sed -n 2,3p)" = \
	    $'at most 6 traces\ntraces of at most 1 functions' ]
	prof-plan show --json run.plan | cmp - <(head -n 6 run.plan)
	shards 1 2 3 4
	[ "$(prof-merge parts/1.part | grep -c '"trace"')" -eq 6 ]
	prof-plan merge run.plan --partial -o half parts/[13].part
	prof-plan merge run.plan -o all half parts/[24].part
	prof-merge --max-traces 6,1 runs >flat
	grep -qF '"trace_stream_size":36' flat
	[ "$(grep -c '"trace"' flat)" -eq 6 ]
	sum_of all
	# Parts of the same inputs under other terms are of another plan.
	prof-plan create --max-traces 7,1 --shards 4 \
	    -o other.plan runs
	refused 'parts/1.part: a part of another plan' \
	    prof-plan merge other.plan -o x parts
	for verb in 'merge -o x' 'part --shard 1 -o x' show; do
		usage_error '--max-traces is for create' \
		    prof-plan $verb --max-traces 6 run.plan
	done
	usage_error '--max-traces needs N or N,LENGTH' \
	    prof-plan create --shards 1 --max-traces x runs/1
	usage_error '--max-traces needs N or N,LENGTH' \
	    prof-plan create --shards 1 --max-traces 1,0 runs/1
	sed '2s/max_traces/max_thing/' run.plan >changed
	refused 'line 2: neither a shard nor known terms: max_thing' \
	    prof-plan show changed
	sed '2s/:6/:5000000000/' run.plan >changed
	refused 'line 2: max_traces: exceeds 32 bits' prof-plan show changed
	sed '2s/:6/:5/' run.plan >changed
	refused 'line 1: sha256 does not match' prof-plan show changed
}

# kinds KIND...: a plan of profiles in shards of three; f: front end, i: IR,
# h: a heap profile, which goes with both.
kinds() {
	local kind n=0

	rm -rf runs parts
	mkdir runs parts
	for kind; do
		n=$((n + 1))
		case $kind in
		f) profile '"level":"frontend"' "$(fn main 1 $n)" ;;
		i) profile '"level":"ir"' "$(fn main 1 $n)" ;;
		h) cat "$(data heap)/sample.ndjson" ;;
		esac >runs/$n
	done
}

# Parts of all shards, in an order; bad inputs are no failure.
kind_parts() {
	local k

	for k; do
		prof-plan part -q --keep-going run.plan --shard $k \
		    -o parts/$k.part || [ $? -eq 1 ]
	done
}

@test 'two kinds are refused: in a shard, and in two' {
	kinds i f i
	prof-plan create --per-shard 3 -o run.plan runs
	refused 'runs/2: a front-end profile .*IR profile [(]runs/1[)]$' \
	    prof-plan part --keep-going --shard 1 -o x run.plan
	kinds i i i f f f i i
	prof-plan create --per-shard 3 -o run.plan runs
	kind_parts 1 2 3
	refused "parts/2.part: a front-end profile .*parts/[13].part" \
	    prof-plan merge run.plan -o all parts
	refused "parts/2.part: a front-end profile .*parts/[13].part" \
	    prof-plan merge --keep-going run.plan -o all parts/[321].part
	prof-plan merge -q --partial run.plan -o half parts/[13].part ||
	    [ $? -eq 1 ]
	refused "a front-end profile .*an IR profile" \
	    prof-plan merge run.plan -o all half parts/2.part
	[ ! -e all ]
}

@test 'a plan says of which level profiles are' {
	local level

	kinds i f i f f i h i i f
	for level in ir frontend; do
		rm -f parts/*
		prof-plan create --level $level --per-shard 3 -o run.plan runs
		prof-plan show run.plan | grep -qx "functions of level $level"
		kind_parts 4 2 3 1
		run -1 prof-plan merge -q run.plan -o all parts
		# As one merge of those that are good, whatever is more.
		if [ $level = ir ]; then
			prof-merge -q -o flat runs/[136789]
		else
			prof-merge -q -o flat runs/[2457] runs/10
		fi
		grep -v -e '"record":"part"' -e '"record":"bad"' all | cmp - flat
		[ "$(jq -es 'map(select(.record == "part" and
		    .used + .bad == .inputs)) | length' all)" -eq 1 ]
		prof-plan merge -q --partial run.plan -o half parts/[24].part ||
		    [ $? -eq 1 ]
		prof-plan merge -q run.plan half parts/[13].part | cmp - all
	done
	jq -r 'select(.record == "bad") | .reason' all | sort -u |
	    grep -qx 'an IR profile .* a front-end profile (--level)'
	# Without --keep-going the first one ends the task, of any thread.
	for jobs in 1 2; do
		refused 'runs/3: an IR profile .*[(]--level[)]$' prof-plan part \
		    -j $jobs run.plan --shard 2 -o x
	done
	usage_error '--level accepts' prof-plan create --shards 1 --level x runs/1
	sed '2s/frontend/backend/' run.plan >changed
	refused 'level: ' prof-plan show changed
}

@test 'a folder of parts that cannot be read to its end' {
	need_strace
	plan 2 4
	shards 1 2
	run -2 strace -qq -o calls -e trace=getdents64 \
	    -e inject=getdents64:error=EIO prof-plan status run.plan parts
	[[ $output = *'parts: cannot read: Input/output error'* ]]
}

@test 'a shard that is run again writes the same bytes' {
	plan 2 6
	shards 1
	cp parts/1.part first
	shards 1
	cmp parts/1.part first
}

@test 'a shard is read without the inputs of others' {
	plan 3 6
	sed '$s/runs/RUNS/' run.plan >changed
	prof-plan part changed --shard 1 -o parts/1.part
	refused 'changed: damaged: line 4: sha256 does not match' \
	    prof-plan part changed --shard 3 -o parts/3.part
	shards 2 3
	prof-plan merge run.plan -o all parts/*
	sum_of all
}

@test 'a shard without a good input' {
	run_of 1 2 3 4 5 6
	prof-plan create --per-shard 2 -o run.plan runs
	for n in $(prof-plan show --shard 2 run.plan); do
		truncate -s 20 "$n"
	done
	prof-plan create --per-shard 2 -o run.plan runs
	shards 1 3
	refused 'runs/' prof-plan part run.plan --shard 2 -o parts/2.part
	[ ! -e parts/2.part ]
	run -1 prof-plan part --keep-going run.plan --shard 2 \
	    -o parts/2.part
	[ "$(zstd -dcq parts/2.part | jq -r .record | sort | uniq -c | xargs)" = \
	    '2 bad 1 part' ]
	run -0 prof-plan status run.plan parts/*
	run -1 prof-plan merge run.plan --partial -o two parts/2.part
	run -1 prof-plan merge run.plan -o all parts/1.part two parts/3.part
	run -1 prof-plan merge run.plan -o want parts/*
	cmp all want
	[ "$(jq -c 'select(.record == "part") | [.inputs, .used, .bad]' all)" \
	    = '[6,4,2]' ]
	zstd -dcq parts/2.part | head -n 1 >cut
	refused 'cut: ' prof-plan merge run.plan -o x parts/[13].part cut
	zstd -dcq parts/2.part | sed '1s/"used":0/"used":1/' >more
	refused 'more: damaged: inputs used: 1, ' \
	    prof-plan merge run.plan -o x parts/[13].part more
}

@test 'a plan without a good input' {
	mkdir -p runs
	echo x >runs/1
	prof-plan create --shards 1 -o run.plan runs
	run -1 prof-plan part --keep-going run.plan --shard 1 -o 1.part
	refused 'no input of the plan is good, of 1' \
	    prof-plan merge run.plan -o x 1.part
}

@test 'parts of parts, in any tree' {
	plan 5 11
	shards 1 2 3 4 5
	prof-plan merge run.plan --partial -o a parts/1.part parts/3.part
	prof-plan merge run.plan --partial -o b parts/5.part parts/2.part
	prof-plan merge run.plan --partial -o c b parts/4.part
	prof-plan merge run.plan -o all c a
	prof-plan merge run.plan -o want parts/*
	cmp all want
}

@test 'parts that are in others are counted once' {
	plan 3 5
	shards 1 2 3
	prof-plan merge run.plan --partial -o a parts/1.part parts/2.part
	cp parts/3.part again
	prof-plan merge run.plan -o all parts/* a again 2>err
	sum_of all
	[ "$(grep -c 'already in .*: skipped$' err)" -eq 3 ]
	prof-plan merge run.plan --partial -o b parts/2.part parts/3.part
	refused 'they would be counted twice' prof-plan merge run.plan -o x a b
}

@test 'several parts in one file are refused' {
	plan 3 6
	shards 1 2 3
	cat parts/1.part parts/2.part >both
	refused 'both: has a second account: several parts are in one file' \
	    prof-plan merge run.plan -o x both parts/2.part parts/3.part
	# A stream that was given up has no account behind its end.
	refused 'both: has a second account' \
	    prof-plan merge run.plan both parts/2.part parts/3.part
	refused 'both: has a second account' prof-plan merge run.plan -j 4 \
	    -o x both parts/2.part parts/3.part
	zstd -dcq both | sed 's/^{"record":/{ "record" : /' >spaced
	refused 'spaced: has a second account' \
	    prof-plan merge run.plan -o x spaced parts/2.part parts/3.part
}

@test 'parts are files, which are read twice' {
	plan 2 4
	shards 1 2
	mkfifo fifo
	refused 'standard input: a part is read twice and must therefore be a file' \
	    prof-plan merge run.plan -o x - parts/2.part <parts/1.part
	refused 'fifo: a part is read twice and must therefore be a file' \
	    prof-plan merge run.plan -o x fifo parts/2.part
}

@test 'accounts that say more than there is come to no less' {
	local many=18446744073709551615

	plan 2 4
	shards 1 2
	zstd -dcq parts/1.part | sed "s/\"used\":2,/\"used\":\"$many\",/" >lie
	prof-plan merge run.plan -o all lie parts/2.part
	[ "$(jq -r 'select(.record == "part").used' all)" = "$many" ]
}

@test 'gaps and parts of other plans are refused' {
	plan 6 12
	shards 1 4
	refused 'no part has shard 2-3, 5-6' \
	    prof-plan merge run.plan -o x parts/*
	run -1 prof-plan status run.plan parts/*
	[ "${lines[0]}" = 'shards  2 of 6' ]
	[ "${lines[5]}" = 'missing 2-3, 5-6' ]
	run -1 --separate-stderr prof-plan status --json run.plan parts/*
	[ "$(jq -c '[.done, .missing]' <<<"$output")" = '[2,"2-3, 5-6"]' ]
	[ "$(jq .bytes_done <<<"$output")" -eq \
	    "$(for k in 1 4; do prof-plan show --shard $k run.plan; done |
	    xargs cat | wc -c)" ]
	run -1 prof-plan status run.plan
	prof-plan create --shards 3 -o other runs
	refused 'parts/1.part: a part of another plan' \
	    prof-plan merge other --partial -o x parts/*
	refused 'runs/1: not a part of a plan' \
	    prof-plan merge run.plan --partial -o x runs/1
}

@test 'bad inputs are in the account, and judged over the plan' {
	plan 2 10
	echo x >runs/3
	prof-plan create --shards 2 -o run.plan runs
	refused 'runs/3' prof-plan part run.plan --shard 2 -o x ||
	    refused 'runs/3' prof-plan part run.plan --shard 1 -o x
	for k in 1 2; do
		prof-plan part --keep-going run.plan --shard $k \
		    -o parts/$k.part || [ $? -eq 1 ]
	done
	run -1 prof-plan merge run.plan -o all parts/*
	[ "$(jq -c 'select(.record == "part") | [.inputs, .used, .bad]' all)" = \
	    '[10,9,1]' ]
	[ "$(jq -r 'select(.record == "bad").file' all)" = runs/3 ]
	run -0 prof-plan merge --keep-going=1 run.plan -o all parts/*
	run -0 prof-plan merge --keep-going=10% run.plan -o all parts/*
	refused 'bad inputs of the plan: 1 of 10' \
	    prof-plan merge --keep-going=9% run.plan -o x parts/*
	refused 'bad inputs of the plan: 1 of 10' \
	    prof-plan merge --keep-going=0 run.plan -o x parts/*
	prof-plan clean run.plan all
	[ "$(ls runs)" = 3 ]
}

@test 'an input that differs from the plan' {
	plan 1 3
	run_of 22
	mv runs/22 runs/2
	echo >>runs/2
	refused 'runs/2: has .* bytes, but .* in the plan' \
	    prof-plan part run.plan --shard 1 -o x
	run -1 prof-plan part --keep-going run.plan --shard 1 -o x
	[ "$(zstd -dcq x | jq -r 'select(.record == "bad").file')" = runs/2 ]
	[ "$(zstd -dcq x | jq -c 'select(.record == "part") | [.used, .bad]')" \
	    = '[2,1]' ]
	rm runs/2
	refused 'runs/2: ' prof-plan part run.plan --shard 1 -o x
}

@test 'the account is in the report, where the format has no room for it' {
	local option

	plan 3 9
	echo x >runs/4
	prof-plan create --shards 3 -o run.plan runs
	for k in 1 2 3; do
		prof-plan part -q --keep-going run.plan --shard $k \
		    -o parts/$k.part || [ $? -eq 1 ]
	done
	run -1 prof-plan merge -q run.plan --report account \
	    -o want.profdata parts
	[ "$(jq -c 'select(.plan) | [.shards, .inputs, .used, .bad]' account)" \
	    = '[[[1,3]],9,8,1]' ]
	[ "$(jq -r 'select(.reason) | .file' account)" = runs/4 ]
	[ "$(tail -n 1 account | jq .used)" = 3 ]
	run -1 prof-plan merge -q run.plan -o all parts
	for option in '' -j2 --keep-going; do
		prof-index $option --report other -o got.profdata all
		cmp got.profdata want.profdata
		diff <(head -n 2 account) <(head -n 2 other)
	done
	# Without the plan, that of each part, in their order.
	for option in '' -j2 --keep-going; do
		prof-index $option --report each -o got.profdata \
		    parts/{2,1,3}.part
		[ "$(jq -c 'select(.plan) | .shards[0][0]' each | xargs)" = \
		    '2 1 3' ]
		[ "$(wc -l <each)" -eq 5 ]
	done
	# A report can replace a report.
	prof-index --report account -o got.profdata all
}

@test 'clean needs a whole result' {
	plan 2 4
	shards 1 2
	refused 'parts/1.part: has 1 of 2 shards' \
	    prof-plan clean run.plan parts/1.part
	prof-plan merge run.plan -o all parts/*
	head -n -1 all >cut
	refused 'cut: ' prof-plan clean run.plan cut
	refused 'flat: not a part of a plan' prof-plan clean run.plan flat
	[ "$(ls runs | wc -l)" -eq 4 ]
	echo >>runs/1
	# An input that is a link goes, and not what it leads to.
	mv runs/2 other
	ln -s ../other runs/2
	run -1 prof-plan clean run.plan all
	[[ $output = *'runs/1: differs from the plan: kept' ]]
	[ "$(ls runs)" = 1 ]
	[ -e other ]
}

@test 'clean syncs the result first, and removes no result' {
	need_strace
	plan 1 2
	shards 1
	prof-plan merge run.plan -o all parts
	strace -f -y -o trace -e trace=fsync,unlink,unlinkat \
	    prof-plan clean run.plan all
	[ "$(sed -n '/unlink/q; s/.*fsync([0-9]*<\(.*\)>).*/\1/p' trace)" = \
	    "$(pwd -P)/all"$'\n'"$(pwd -P)" ]
	# The result is at the place of an input.
	plan 1 1
	shards 1
	prof-plan merge run.plan -o all parts
	mv all runs/1
	prof-plan clean run.plan runs/1
	[ -s runs/1 ]
}

@test 'usage' {
	local option verb

	usage_error 'first argument must be create, show, part, .* or clean$' prof-plan
	usage_error "unknown command 'x': use create, show" prof-plan x
	usage_error 'create needs either --shards or' prof-plan create x
	usage_error '--per-shard needs' prof-plan create --per-shard x y
	usage_error '--per-shard needs a number of inputs: --fetch' \
	    prof-plan create --fetch 'cat "$1"' --per-shard 1K y
	usage_error '--shard is for show and part' prof-plan create --shards 1 --shard 1 x
	usage_error '--missing is for status' prof-plan show --missing x
	usage_error '--json is for show' prof-plan clean --json x y
	usage_error 'cannot be used with --missing' \
	    prof-plan status --json --missing x
	usage_error 'clean needs a plan and a result' prof-plan clean x
	usage_error '--partial is for merge' prof-plan part --shard 1 --partial x
	usage_error 'merge needs a plan' prof-plan merge
	for option in '' '--files-from y' y; do
		usage_error 'part needs --shard and one plan, which names' \
		    prof-plan part --shard 1 ${option:+x} $option
	done
	usage_error 'part needs --shard' prof-plan part x
	usage_error 'only as a stream' \
	    prof-plan part --shard 1 -o x.profdata.gz y
	for verb in create show 'part --shard 1' status merge clean; do
		usage_error "${verb%% *} does not accept --member" \
		    prof-plan $verb --member x y
	done
	for verb in 'create --shards 1' show status 'clean z'; do
		for option in --keep-going=1 --report=y -S1M; do
			usage_error 'is for part and merge' \
			    prof-plan $verb $option x
		done
	done
	for option in --shards=1 --per-shard=1 --level=ir --max-traces=0; do
		usage_error 'is for create' prof-plan show $option x
		usage_error 'is for create' prof-plan merge $option x
	done
	run -0 prof-plan --help
}

# store N: so many runs in a store, whose names are in the list.
store() {
	run_of $(seq "$1")
	mv runs 'a store'
	printf 'store://%s\n' $(seq "$1") >list
	cat >get <<-'END'
	#!/bin/sh
	exec cat "a store/${1#store://}"
	END
	chmod +x get
	prof-merge "a store"/* -o flat
}

@test 'inputs that a command fetches' {
	store 5
	prof-plan create --shards 2 --fetch './get "$1"' --files-from list \
	    -o run.plan
	[ "$(sed -n 4,8p run.plan | jq -r .name)" = "$(cat list)" ]
	[ "$(prof-plan show --shard 2 run.plan | wc -l)" -eq 2 ]
	refused 'names, not files: --fetch COMMAND' \
	    prof-plan part run.plan --shard 1 -o x
	for k in 1 2; do
		quiet prof-plan part run.plan --shard $k \
		    --fetch './get "$1"' -o parts/$k.part
	done
	prof-plan merge run.plan -o all parts
	sum_of all
	prof-plan status run.plan parts
	run -0 prof-plan clean run.plan all
	[[ $output = *'inputs that --fetch read, kept: 5' ]]
	# Twice at once, and with more threads than inputs at a time.
	quiet prof-plan part -j 4 run.plan --shard 1 \
	    --fetch './get "$1"' -o again
	cmp again parts/1.part
	prof-plan create --shards 1 -o files 'a store'
	refused 'its inputs are files' \
	    prof-plan part files --shard 1 --fetch './get "$1"' -o x
}

@test 'the status of a command that fetches counts' {
	local name

	store 3
	cp "$(data real)/22-ir.profraw" 'a store/4'
	echo store://4 >>list
	prof-plan create --shards 1 --fetch './get "$1"' --files-from list \
	    -o run.plan
	for name in 2 4; do
		cat >get <<-END
		#!/bin/sh
		cat "a store/\${1#store://}"
		[ "\$1" != store://$name ]
		END
		refused "store://$name: the command of --fetch failed with status 1" \
		    prof-plan part run.plan --shard 1 --fetch './get "$1"' -o x
		run -1 prof-plan part --keep-going run.plan --shard 1 \
		    --fetch './get "$1"' -o x.part
		[ "$(zstd -dcq x.part | jq -c 'select(.record == "part") |
		    [.used, .bad]')" = '[3,1]' ]
		mv "a store/$name" held
		prof-merge "a store"/* -o flat
		mv held "a store/$name"
		sum_of x.part
	done
	run -1 prof-plan part --keep-going run.plan --shard 1 \
	    --fetch 'kill -9 $$; "$1"' -o x.part
	[[ $output = *'store://1: the command of --fetch was ended by signal 9'* ]]
	refused '--fetch failed with status 127' \
	    prof-plan part run.plan --shard 1 --fetch 'none "$1"' -o x
	printf '{"record"' >'a store/1'
	echo 'cat "a store/1"; head -c 1000000 /dev/zero' >get
	run -1 prof-plan part --keep-going run.plan --shard 1 \
	    --fetch './get "$1"' -o x.part
}

@test 'nothing in a name is a command' {
	local name

	store 1
	for name in "1'; touch made; '" '1"; touch made; "' '$(touch made)' \
	    '`touch made`' ' * \' $'a\nb'; do
		printf '%s\0' "store://$name" >list
		cp 'a store/1' "a store/$name"
		prof-plan create --shards 1 --fetch './get "$1"' \
		    -0 --files-from list -o run.plan
		prof-plan part run.plan --shard 1 --fetch './get "${1}"' -o x
		sum_of x
		rm "a store/$name"
	done
	[ ! -e made ]
	prof-plan create --shards 1 --fetch 'cat "$1"' -o run.plan -- -v
	refused "begins with '-'" \
	    prof-plan part run.plan --shard 1 --fetch 'cat "$1"' -o x
	usage_error 'has no .1 for' prof-plan part p --shard 1 --fetch cat
	usage_error '--fetch is for create and part' \
	    prof-plan merge p --fetch 'cat "$1"' x
	usage_error '--fetch is for create and part' \
	    prof-plan show --fetch 'cat "$1"' x
}

@test 'an archive without a profile is a bad input of its shard' {
	run_of 1
	echo text >notes
	tar cf runs/sources.tar notes
	prof-plan create --shards 1 -o run.plan runs
	refused 'runs/sources.tar: contains no profile' \
	    prof-plan part run.plan --shard 1 -o part
	[ ! -e part ]
	run -1 prof-plan part --keep-going run.plan --shard 1 -o part
	[[ $output = *'bad inputs left out: 1 of 2'* ]]
	prof-merge runs/1 >flat
	sum_of part
}

@test 'a plan does not replace one of its inputs' {
	run_of 1
	cp runs/1 was
	refused 'runs/1: would be replaced by the plan' \
	    prof-plan create --shards 1 -o ./runs/1 runs/1
	cmp was runs/1
}
