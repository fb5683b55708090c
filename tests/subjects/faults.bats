# What make check-oom and make check-faults look for is found where it is planted.

load ../support/helper

# wrong KIND: the commands that `run` finds wrong with faults of this kind.
wrong() {
	"$top_srcdir/tests/faults/run" --commands planted-commands build "$1" |
	    tee said >&2
	awk -F: '!/^(seed|#|[a-z]*: [0-9])/ { print $1 }' said | sort -u
}

@test 'planted faults are found, and a right program is right' {
	need python3 strace "${CC:-cc}"
	cd "$BATS_TEST_TMPDIR"
	mkdir -p build/cmd
	ln -s "$top_builddir"/cmd/* build/cmd
	"${CC:-cc}" -o build/cmd/planted \
	    "$top_srcdir/tests/faults/planted.c"
	wrong alloc | same - <(echo crash; echo mute)
	wrong short | same - <(echo short)
	wrong calls | same - <(printf '%s\n' left mute silent)
	wrong kill | same - <(echo stuck)
	wrong two | same - <(printf '%s\n' lost-in.place mute)
}
