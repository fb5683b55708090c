# Files that are damaged in thousands of ways, through all readers, merging,
# look-ups and all writers: fuzz/mutations.c says what must hold.
# `make mutate` does more of it; PROFTOOLS_MUTATIONS and
# PROFTOOLS_MUTATIONS_SEED say how many and which.  To repeat one: fuzz/mutations -s SEED -i INDEX FOLDER...

load ../support/helper

mutate() {
	run "$top_builddir/fuzz/mutations" -n "${PROFTOOLS_MUTATIONS:-3000}" \
	    -s "${PROFTOOLS_MUTATIONS_SEED:-1}" -o "$BATS_TEST_TMPDIR" "$@"
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}

@test 'damaged test data do no harm' {
	mutate "$top_srcdir/tests/data" "$top_srcdir/fuzz/corpus"
}

@test 'damaged files of the corpus do no harm' {
	need_corpus
	mutate "$(corpus raw)" "$(corpus indexed)" "$(corpus memprof)" \
	    "$(corpus others)"
}
