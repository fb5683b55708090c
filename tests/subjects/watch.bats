# --watch: files of a folder as they appear, until it is enough.

load ../support/helper

setup() {
	need jq
	cd "$BATS_TEST_TMPDIR"
	mkdir in
}

# A profile with one function of that name.
one() {
	cat <<-END
	{"record":"profile","stream":1,"kind":"instr","level":"ir"}
	{"record":"function","name":"$1","hash":"0x0000000000000001","counts":[1]}
	{"record":"end","last":true}
	END
}

# The names of the functions of sum, in one line.
names() {
	jq -rs 'map(.name // empty) | join(" ")' sum
}

# Waits until the program at $! watches, or holds the fifo open.
watching() {
	local i

	for ((i = 0; i < 500; i++)); do
		grep -q inotify /proc/$!/fdinfo/* 2>/dev/null && return
		sleep 0.01
	done
	false
}

@test 'what is there and what comes is merged, up to a number' {
	one a >in/a
	prof-merge --watch in --until 3 -o sum 3>&- &
	watching
	one b >in/b
	one c >elsewhere
	mv elsewhere in/c
	wait $!
	[ "$(names)" = 'a b c' ]
}

@test 'a signal ends the watch, and the sum is written' {
	local signal

	for signal in INT TERM HUP; do
		rm -f sum in/*
		bash -c 'trap - INT; exec "$@"' - \
		    prof-merge -v --watch in -o sum 2>log 3>&- &
		watching
		one a >in/a
		until grep -q in/a log; do sleep 0.01; done
		[ ! -e sum ]
		kill -$signal $!
		wait $!
		[ "$(names)" = a ]
	done
}

@test 'the time that was given ends it too' {
	one a >in/a
	prof-merge --watch in --until 1s -o sum
	[ "$(names)" = a ]
}

@test 'a file is not read before it is written' {
	prof-merge --watch in --until 2 -o sum 3>&- &
	watching
	exec 7>in/slow
	one slow | head -n 1 >&7
	one quick >in/quick
	sleep 0.1
	one slow | tail -n +2 >&7
	exec 7>&-
	wait $!
	[ "$(names)" = 'quick slow' ]
}

@test 'what somebody is writing at the beginning is waited for' {
	exec 7>in/slow
	one slow | head -n 1 >&7
	prof-merge --watch in --until 1 -o sum 3>&- 7>&- &
	watching
	sleep 0.1
	one slow | tail -n +2 >&7
	exec 7>&-
	wait $!
	[ "$(names)" = slow ]
}

@test 'names with a dot, folders and names seen before are passed over' {
	one a >in/a
	one hidden >in/.hidden
	mkdir in/folder
	prof-merge --watch in --until 2 -o sum 3>&- &
	watching
	one again >in/a
	one hidden >in/.other
	one b >in/b
	wait $!
	names | grep -qx 'a b\|again b'
}

@test 'bad files are left out' {
	one a >in/a
	one bad >whole
	head -n 1 whole >in/bad
	run -1 prof-merge --watch in --until 2 --keep-going -o sum
	[ "$(names)" = a ]
	run -2 prof-merge --watch in --until 1 -o sum2
	[ ! -e sum2 ]
}

@test 'usage' {
	run -2 prof-merge --watch nowhere
	[[ $output == 'prof-merge: nowhere: cannot watch: No such file'* ]]
	usage_error '--until needs --watch' prof-merge --until 3 x
	for bad in 0 x 3x -1 9999999h ''; do
		usage_error '--until needs a number' \
		    prof-merge --watch in --until "$bad"
	done
}
