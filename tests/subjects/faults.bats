# What make check-oom, check-faults and check-hosts look for is found where it is
# planted.

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

# As a machine that writes numbers in its own byte order, and not in the file's.
@test 'a planted fault of byte order is found' {
	need python3
	local only='^prof-(index -o out kinds.profraw|show app.profdata)$'

	cd "$BATS_TEST_TMPDIR"
	mkdir same other
	ln -s "$top_builddir"/cmd/* same
	ln -s "$top_builddir"/cmd/* other
	rm other/prof-index
	cat >other/prof-index <<-END
	#!/bin/sh
	"$top_builddir/cmd/prof-index" "\$@" || exit
	dd if=out of=out bs=8 skip=1 seek=1 count=1 conv=swab,notrunc 2>/dev/null
	END
	chmod +x other/prof-index
	run -0 --separate-stderr "$top_srcdir/tests/hosts/bytes" --only "$only" \
	    "$top_builddir/cmd" same
	lines_match '^# PASS: 2$' '^# FAIL: 0$' <<<"$output"
	run -1 --separate-stderr "$top_srcdir/tests/hosts/bytes" --only "$only" \
	    "$top_builddir/cmd" other
	lines_match '^differs: prof-index -o out kinds.profraw: files' \
	    '^# PASS: 1$' '^# FAIL: 1$' <<<"$output"
}
