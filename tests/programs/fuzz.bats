# Replays the inputs that fuzzing kept, and all test data, through the fuzz
# targets: they crash, or trip a sanitizer, if something is wrong.

load ../support/helper

replay() {
	run -0 "$top_builddir/fuzz/replay_$1" \
	    "$top_srcdir/fuzz/corpus/$1" "$top_srcdir/tests/data"
	[ "${#lines[@]}" -gt 0 ]
}

@test 'fuzz target raw survives its corpus and all test data' {
	replay raw
}

@test 'fuzz target indexed survives its corpus and all test data' {
	replay indexed
}

@test 'fuzz target stream survives its corpus and all test data' {
	replay stream
}

@test 'fuzz target text survives its corpus and all test data' {
	replay text
}

@test 'fuzz target lprf survives its corpus and all test data' {
	replay lprf
}

@test 'fuzz target memprof_raw survives its corpus and all test data' {
	replay memprof_raw
}

@test 'fuzz target yaml survives its corpus and all test data' {
	replay yaml
}
