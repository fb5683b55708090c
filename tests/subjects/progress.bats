# How far a run is, on standard error.

load ../support/helper

setup() {
	need jq
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

@test 'lines of JSON, of which the last one says that it is' {
	prof-merge --progress json -o out a a 2>lines
	jq -es 'length == 1 and .[0].seconds >= 0 and (.[0] |
	    del(.seconds)) == {program: "prof-merge", inputs: 2,
	    inputs_total: 2, bytes: '$((2 * $(stat -c %s a)))',
	    functions: 4, done: true}' lines
	# In silence too, for it was asked for.
	prof-merge -q --progress=json -o out a 2>lines
	[ "$(wc -l <lines)" -eq 1 ]
	# A list is read as it goes on.
	echo a | prof-merge --progress json --files-from - -o out 2>lines
	jq -es '.[0] | .inputs == 1 and (has("inputs_total") | not)' lines
	mkdir folder
	cp a folder
	prof-merge --progress json folder -o out 2>lines
	jq -es '.[0] | .inputs == 1 and (has("inputs_total") | not)' lines
	gzip -c a >a.gz
	prof-merge --progress json -o out a.gz 2>lines
	jq -es ".[0].bytes == $(stat -c %s a.gz)" lines
}

@test 'a line a second as the run goes on' {
	slowly
	prof-merge --progress json -o out a slow 2>lines
	jq -es 'length == 2 and (.[0] | .inputs == 2 or .inputs == 1) and
	    .[0].seconds >= 1 and (.[0] | has("done") | not) and
	    .[1].done' lines
	prof-merge -o want a a
	cmp out want
}

@test 'upgrades in place' {
	local size

	prof-index --format-version 9 -o old a
	tar -cf archive old
	size=$(($(stat -c %s old) + $(stat -c %s archive)))
	prof-index -q --upgrade --progress json old archive 2>lines
	jq -es "length == 1 and (.[0] | .done and .inputs == 2 and
	    .inputs_total == 2 and .functions >= 4 and .bytes == $size)" lines
}

@test 'a run that fails does not say that it is done' {
	echo damaged >bad
	run -2 prof-merge --progress json -o out a bad
	[[ $output != *done* ]]
	run -2 prof-merge --progress what a
	[[ $output == *'--progress accepts json or none'* ]]
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
	for quiet in -q '--progress none'; do
		slowly
		script -qec "prof-merge $quiet -o out slow" /dev/null \
		    >shown </dev/null
		[ ! -s shown ]
	done
	# Nor into what is printed.
	slowly
	script -qec 'prof-merge slow' /dev/null >shown </dev/null
	! grep -q inputs, shown
}

@test 'a comparison has two inputs from its beginning' {
	prof-diff --progress json a a 2>lines >/dev/null
	jq -es '.[-1] | .inputs == 2 and .inputs_total == 2' lines
}
