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
	grep -qx 'prof-merge: in/1: changed since it was read: it stays' stderr
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

@test 'a killed run loses nothing' {
	local round i

	for ((round = 0; round < 20; round++)); do
		rm -rf in sum
		profiles 30
		setsid prof-merge --consume -o sum in/* &
		sleep "0.00$((round % 10))"
		kill -9 $! 2>/dev/null || true
		wait $! || true
		for ((i = 1; i <= 30; i++)); do
			[ -e "in/$i" ] || grep -q "\"f$i\"" sum
		done
	done
}
