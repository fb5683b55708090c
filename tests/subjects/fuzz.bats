# Replays the inputs that fuzzing kept, the seeds of fuzzing, and test data
# through the fuzz targets: they crash, or trip a sanitizer, if something is wrong.

load ../support/helper

setup_file() {
	"$top_srcdir/fuzz/seeds" "$top_srcdir" "$top_builddir/cmd" \
	    "$BATS_FILE_TMPDIR/seeds" 2>"$BATS_FILE_TMPDIR/warnings" ||
	    cat "$BATS_FILE_TMPDIR/warnings"
}

# replay TARGET [FOLDER...]
replay() {
	local target=$1

	shift
	run -0 "$top_builddir/fuzz/replay_$target" \
	    "$BATS_FILE_TMPDIR/seeds/$target" "$@"
	[ "${#lines[@]}" -gt 0 ]
}

@test 'targets of formats survive their seeds and all test data' {
	local target

	for target in raw indexed stream text lprf memprof_raw yaml; do
		echo "$target"
		replay "$target" "$top_srcdir/tests/data"
	done
}

@test 'targets of parts of the library survive their seeds' {
	local target

	for target in scan manifest plan archive elf library; do
		echo "$target"
		replay "$target"
	done
}

@test 'fuzz target profdata survives its seeds' {
	replay profdata
}

@test 'fuzz target programs survives its seeds' {
	replay programs
}

@test 'fuzz target bundle survives its seeds' {
	replay bundle
}

@test 'fuzz target lists survives its seeds' {
	replay lists
}

@test 'each target has seeds and a row in fuzz/README.md' {
	local file target

	for file in "$top_srcdir"/fuzz/fuzz_*.c; do
		target=${file##*/fuzz_}
		target=${target%.c}
		echo "$target"
		[ -n "$(ls "$BATS_FILE_TMPDIR/seeds/$target")" ]
		grep -qF "| $target |" "$top_srcdir/fuzz/README.md"
	done
}
