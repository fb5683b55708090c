# How far a run is, on standard error.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	profile '"level":"ir"' "$(fn main 1 5,6)" "$(fn f 2 7)" >a
	mkfifo slow
}

# What a slow program sends, a second after the rest.
slowly() {
	{
		head -n 2 a
		sleep 1.2
		tail -n +3 a
	} >slow 3>&- &
}

@test 'people get a line on a terminal only' {
	need script
	# Nothing before a second.
	script -qec 'prof-merge -o out a' /dev/null >shown </dev/null
	[ ! -s shown ]
	slowly
	prof-merge -o out slow 2>shown
	[ ! -s shown ]
	slowly
	script -qec 'prof-merge -o out a slow' /dev/null >shown </dev/null
	grep -q 'prof-merge: [12] of 2 inputs, 0 MB, [0-9]* functions, 1 s' \
	    shown
	# It is gone in the end.
	[ "$(tail -c 4 shown)" = $'\r\e[K' ]
	slowly
	script -qec 'prof-merge -q -o out slow' /dev/null >shown </dev/null
	[ ! -s shown ]
	# Nor into what is printed.
	slowly
	script -qec 'prof-merge slow' /dev/null >shown </dev/null
	! grep -q inputs, shown
}
