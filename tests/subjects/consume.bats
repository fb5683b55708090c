# --consume: what was merged goes, and nothing else.

load ../support/helper

setup() {
	need jq
	real=$(data real)
	cd "$BATS_TEST_TMPDIR"
}

# profiles N: the files in/1 to in/N, each with a function of its own.
profiles() {
	local i

	mkdir -p in
	for ((i = 1; i <= $1; i++)); do
		cat >"in/$i" <<-END
		{"record":"profile","stream":1,"kind":"instr","level":"ir"}
		{"record":"function","name":"f$i","hash":"0x0000000000000001","counts":[$i]}
		{"record":"end","last":true}
		END
	done
}

@test 'inputs go when the output is there' {
	profiles 3
	prof-merge in/1 in/2 in/3 >want
	prof-merge --consume -o sum in/1 in/2 in/3
	cmp sum want
	[ -z "$(ls in)" ]
}

@test 'what is not merged stays' {
	profiles 4
	echo damaged >in/2
	run -1 prof-merge --consume --keep-going --subtract in/4 -o sum \
	    in/1 in/2 in/3
	[ "$(ls in)" = $'2\n4' ]
	run -2 prof-merge --consume -o sum2 in/2
	[ "$(ls in)" = $'2\n4' ]
	[ ! -e sum2 ]
}

@test 'inputs of which nothing is left stay' {
	profiles 2
	run -1 prof-merge --consume --intersect --to indexed -o sum in/1 in/2
	[ "$(ls in)" = $'1\n2' ]
	prof-merge --consume --intersect --allow-empty -o sum in/1 in/2
	[ -z "$(ls in)" ]
}

@test 'an archive stays if one of its members was left out' {
	profiles 2
	echo damaged >in/3.profraw
	tar cf bad.tar in
	rm in/3.profraw
	tar cf good.tar in
	run -1 prof-merge --consume --keep-going -o sum bad.tar
	prof-merge --consume -o sum good.tar
	[ -e bad.tar ]
	[ ! -e good.tar ]
}

@test 'an archive stays if a member was skipped, and a bundle goes' {
	profiles 2
	echo 'int f;' >notes
	mkdir all
	tar cf all/sources.tar.gz notes
	tar cf all/mixed.tar in/1 notes
	prof-bundle create -q -o all/bundle in/1
	cp in/2 all
	prof-merge -q --consume -o sum all
	[ "$(ls all)" = $'mixed.tar\nsources.tar.gz' ]
	tar cf both.tar in
	for jobs in 1 3; do
		prof-merge -j $jobs --consume --member in/1 -o sum both.tar
		[ -e both.tar ]
	done
	prof-merge -q --consume --member none --allow-empty -o sum both.tar in/2
	[ -e both.tar ]
	[ ! -e in/2 ]
}

@test 'inputs whose counts would be left out stay' {
	profiles 3
	usage_error '--consume with --max-count needs --on-absurd fail' \
	    prof-merge --consume --max-count 2 -o sum in/3
	refused 'above 2: not accepted' prof-merge --consume --max-count 2 \
	    --on-absurd fail -o sum in/3
	prof-merge --consume --max-count 3 --on-absurd fail -o sum in/3
	[ "$(ls in)" = $'1\n2' ]
}

@test 'the output is not taken for one of the inputs that it was' {
	profiles 3
	prof-merge --consume -o sum in/1
	prof-merge --consume -o sum sum in/2
	ln sum link
	prof-merge --consume -o sum sum in/3
	jq -r .name sum | grep f | tr '\n' ' ' | grep -qx 'f1 f2 f3 '
	[ -z "$(ls in)" ]
	[ -e link ]
}

@test 'twice the same input is removed once' {
	profiles 1
	prof-merge --consume -o sum in/1 in/1
	[ ! -e in/1 ]
	jq -es 'any(.counts == [2])' sum
}

@test 'what has changed since it was read stays' {
	local status=0

	profiles 2
	mkfifo slow
	prof-merge --consume -o sum in/1 slow in/2 2>stderr 3>&- &
	exec 7>slow
	# in/1 was read when the pipe is open at both ends.
	touch in/1
	cat in/2 >&7
	exec 7>&-
	wait $! || status=$?
	[ "$status" -eq 1 ]
	[ -e in/1 ]
	[ ! -e in/2 ]
	[ -p slow ]
	grep -qx 'prof-merge: in/1: changed after it was read: kept' stderr
}

@test 'an output that fails keeps the inputs' {
	profiles 2
	run -2 prof-merge --consume -o nowhere/sum in/1 in/2
	run -2 prof-merge --consume -o /dev/full in/1 in/2
	usage_error '--consume needs an output file' prof-merge --consume in/1
	usage_error '--consume needs an output file' \
	    prof-merge --consume -o - in/1
	[ "$(ls in)" = $'1\n2' ]
}

# The functions of a stream and their counts, in one line.
functions() {
	jq -rs 'map(select(.name) | "\(.name)=\(.counts[0])") | join(" ")' "$1"
}

# Kills the command at each of the calls that name, remove or sync files, starts
# it again, and compares what it comes to.  All inputs are in want.
killed_everywhere() {
	local call place i

	mkdir work
	cd work
	for call in linkat link symlink rename unlink fsync; do
		for ((place = 1; ; place++)); do
			rm -rf ./.s* in sum
			profiles 3
			[ ! -e ../before ] || cp ../before sum
			killed $call $place "$@" || break
			echo "$call $place"
			for i in 1 2 3; do
				[ -e in/$i ] || grep -q "\"f$i\"" sum
			done
			"$@" 2>../stderr || { cat ../stderr; return 1; }
			[ "$(functions sum)" = "$want" ]
			[ -z "$(ls -A in)" ]
			rm -f ./.sum.????????
			[ "$(ls -A)" = $'in\nsum' ]
		done
	done
}

@test 'a run killed at any call ends well when it is started again' {
	need_strace
	want='f1=1 f2=2 f3=3'
	killed_everywhere prof-merge --consume -r in -o sum
}

@test 'inputs that are named may be gone when the run is started again' {
	need_strace
	want='f1=1 f2=2 f3=3'
	killed_everywhere prof-merge --consume -o sum in/1 in/2 in/3
}

@test 'an output that is an input too counts once' {
	need_strace
	want='f1=1 f2=2 f3=3 f9=9'
	profile '"level":"ir"' "$(fn f9 1 9)" >before
	killed_everywhere prof-merge --consume -r . -o sum
}

@test 'new inputs do not replace what a stopped run has merged' {
	need_strace
	mkdir work
	cd work
	profiles 3
	killed unlink 2 prof-merge --consume -r in -o sum
	[ "$(ls in)" = $'2\n3' ]
	profile '"level":"ir"' "$(fn f9 1 9)" >in/new
	refused 'sum: holds inputs of a stopped run' \
	    prof-merge --consume -r in -o sum
	refused 'sum: holds inputs of a stopped run' \
	    prof-merge --consume -r in -o sum
	[ "$(ls in)" = new ]
	[ "$(functions sum)" = 'f1=1 f2=2 f3=3' ]
	prof-merge --consume -r in -o sum sum
	[ "$(functions sum)" = 'f1=1 f2=2 f3=3 f9=9' ]
	[ ! -e .sum.consumed ]
	[ -z "$(ls -A in)" ]
}

@test 'inputs of an output that was moved away are not counted again' {
	need_strace
	mkdir work
	cd work
	profiles 3
	killed unlink 2 prof-merge --consume -r in -o sum
	mv sum moved
	refused 'remove the inputs that .*/\.sum\.consumed lists' \
	    prof-merge --consume -r in -o sum
	[ "$(ls in)" = $'2\n3' ]
	rm in/*
	profiles 1
	prof-merge --consume -r in -o sum
	[ "$(functions sum)" = f1=1 ]
	[ "$(ls -A)" = $'in\nmoved\nout\nstderr\nsum' ]
}

@test 'of two runs that read the same inputs, one counts them' {
	local call

	need_strace
	for call in symlink rename; do
		rm -f one two
		profiles 3
		stopped $call prof-merge --consume -o one in/1 in/2
		refused 'in/1: another run with --consume uses it' \
		    prof-merge --consume -o two in/3 in/1
		refused 'one: another run with --consume is writing it' \
		    prof-merge --consume -o one in/3
		continued
		[ "$(functions one)" = 'f1=1 f2=2' ]
		[ ! -e two ]
		[ "$(ls -A in)" = 3 ]
		prof-merge --consume -o two in/3
		[ "$(functions two)" = 'f3=3' ]
	done
}

@test 'an input that another run has removed ends the run' {
	profiles 2
	mkfifo slow
	prof-merge --consume -o one in/1 slow 2>stderr 3>&- &
	exec 7>slow
	prof-merge --consume -o two in/1
	cat in/2 >&7
	exec 7>&-
	! wait $! || return 1
	[ ! -e one ]
	[ "$(functions two)" = f1=1 ]
	grep -q '^prof-merge: in/1: was removed after it was read' stderr
}

@test 'an output that another run has replaced ends the run' {
	profiles 3
	mkfifo slow
	prof-merge -o sum in/3
	prof-merge --consume -o sum in/1 slow sum 2>stderr 3>&- &
	exec 7>slow
	prof-merge --consume -o sum sum in/2
	profile '"level":"ir"' "$(fn f9 1 9)" >&7
	exec 7>&-
	! wait $! || return 1
	[ "$(functions sum)" = 'f2=2 f3=3' ]
	grep -q '^prof-merge: sum: it was changed by another program' stderr
	[ "$(ls -A in)" = $'1\n3' ]
}

@test 'outputs of groups are no inputs, and a killed run goes on' {
	need_strace
	mkdir work
	cd work
	profiles 3
	killed unlink 2 prof-merge --consume --group-by binary-id -o sums -r in
	prof-merge --consume --group-by binary-id -o sums -r in
	[ "$(functions sums/none.ndjson)" = 'f1=1 f2=2 f3=3' ]
	[ "$(ls -A in sums)" = $'in:\n\nsums:\nnone.ndjson' ]
	profiles 1
	refused 'cannot be used with inputs in the folder' \
	    prof-merge --consume --group-by binary-id -o sums -r in sums
	[ "$(ls -A sums)" = none.ndjson ]
}

@test 'a device is no output for --consume' {
	profiles 1
	usage_error '--consume needs an output file: /dev/null is not a file' \
	    prof-merge --consume -o /dev/null in/1
	[ -e in/1 ]
}

@test 'a record that is damaged or of another program is not touched' {
	profiles 1
	echo text >.sum.consumed
	refused '/\.sum\.consumed is not a record of --consume' \
	    prof-merge --consume -o sum in/1
	[ "$(cat .sum.consumed)" = text ]
	[ -e in/1 ]
}
