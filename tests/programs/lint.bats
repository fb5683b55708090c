# Rules of CONTRIBUTING.md that a compiler does not know.

load ../support/helper

setup() {
	cd "$top_srcdir"
	sources=$(find lib cmd -name '*.[ch]' | sort)
}

@test 'nothing in lib/ prints or ends the program' {
	local call='(^|[^[:alnum:]_>.])'

	call+='(v?f?printf|f?puts|f?putc|putchar|perror|_?exit|abort|assert)'
	run grep -nE "$call ?\(|include <(err|error|syslog)\.h>" \
	    $(find lib -name '*.[ch]')
	printf '%s\n' "$output"
	[ "$status" -eq 1 ]
}

# Names and values of options may hold bytes that change the state of a terminal:
# messages are printed by messages.c, which masks them.  The line of progress
# has control characters of its own, and no foreign text.
printed_messages() {
	local use='\<(stderr|STDERR_FILENO)\>'

	use+='|\<(perror|psignal|v?warnx?|v?errx?|d?v?dprintf) ?\('
	use+='|\<v?f(printf|puts|putc|write) ?\(.*(report\.messages|to)\>'
	grep -nE "$use" "$@" |
	    grep -vE '^[^:]*common/messages\.c:'
}

@test 'only messages.c prints on standard error' {
	run printed_messages $(find cmd -name '*.[ch]')
	printf '%s\n' "$output"
	[ -z "$output" ]
}

@test 'a message that is printed elsewhere is found' {
	printf 'fprintf(stderr, "%%s", name);\nmessage_print("%%s", name);\n' \
	    >"$BATS_TEST_TMPDIR/planted.c"
	run -0 printed_messages "$BATS_TEST_TMPDIR/planted.c" /dev/null
	[ "$output" = \
	    "$BATS_TEST_TMPDIR/planted.c:1:fprintf(stderr, \"%s\", name);" ]
}

# Prints the lines of the files that are longer than 80 columns.
long_lines() {
	awk '{
		columns = 0
		for (rest = $0; (tab = index(rest, "\t")) > 0; ) {
			columns += tab - 1
			columns += 8 - columns % 8
			rest = substr(rest, tab + 1)
		}
		columns += length(rest)
		if (columns > 80)
			print FILENAME ":" FNR ": " columns " columns"
	}' "$@"
}

@test 'no line of C has more than 80 columns' {
	run -0 long_lines $(find lib cmd tests fuzz bench -name '*.[ch]')
	printf '%s\n' "$output"
	[ -z "$output" ]
}

@test 'a line of 81 columns is found' {
	printf '\t%072d\n\t%073d\n' 1 1 >"$BATS_TEST_TMPDIR/long.c"
	run -0 long_lines "$BATS_TEST_TMPDIR/long.c"
	[ "$output" = "$BATS_TEST_TMPDIR/long.c:2: 81 columns" ]
}

@test 'no assertion of a test is without effect' {
	run -0 awk -f tests/support/assertions.awk $(find tests -name '*.ba*')
	printf '%s\n' "$output"
	[ -z "$output" ]
}

@test 'an assertion without effect is found' {
	cat >"$BATS_TEST_TMPDIR/planted.bats" <<-'END'
	f() {
		! grep -q x file
	}
	g() {
		cat <<<'X' >file
		! grep -q y file || return 1
		! grep -q y file
		[ -s file ] && [ ! -s other ]
		[ -s file ] && return
		! cat file |
		    grep y
		[ -s file ] &&
		    grep y file
	}
	END
	run -0 awk -f tests/support/assertions.awk \
	    "$BATS_TEST_TMPDIR/planted.bats"
	[ "$(sed 's/.*bats:\([0-9]*\):.*/\1/' <<<"$output" | xargs)" = '7 8 10' ]
}

@test 'a command that is judged in front of a pipe fails its test' {
	local command planted=$BATS_TEST_TMPDIR/planted.bats

	for command in false true; do
		printf 'load %s/tests/support/helper\n%s { quiet %s | cat; }\n' \
		    "$PWD" '@test x' $command >"$planted"
		bats "$planted" || echo "failed: $command"
	done >"$BATS_TEST_TMPDIR/got"
	[ "$(grep failed: "$BATS_TEST_TMPDIR/got")" = 'failed: false' ]
}

# zlib has several: deflated names and sections, checksums, gzip files around a
# profile.
# elfutils has those of lib/sym that look into binaries.
@test 'each foreign library is included where it should be only' {
	local header files

	while read -r header files; do
		run -0 grep -lF "<$header>" $sources
		printf '%s: %s\n' "$header" "$output"
		[ "${output//$'\n'/ }" = "$files" ]
	done <<-'END'
	archive.h lib/io/libarchive.h
	jansson.h lib/base/json.h
	libdeflate.h lib/model/name_section.c
	zlib.h lib/cover/mapping.c lib/cover/object.c lib/export/export.c lib/io/input.c lib/model/name_section.c
	yaml.h lib/format/yaml/libyaml.h
	zstd.h lib/base/libzstd.h
	nettle/sha2.h lib/base/digests.c
	libiberty/demangle.h cmd/print/demangle.c
	elfutils/libdw.h lib/sym/sym.h
	dwarf.h lib/sym/sym.h
	gelf.h lib/sym/sym.h
	elfutils/debuginfod.h lib/sym/debuginfod.c
	END
}

# Prints the files of lib/ and cmd/ that no sources.am beside them names.
unlisted_sources() {
	awk '{
		folder = substr(FILENAME, 1, length(FILENAME) - 11)
		for (i = 1; i <= NF; i++)
			if (sub(/^%D%/, "", $i))
				print folder $i
	}' $(find lib cmd -name sources.am) | sort >"$BATS_TEST_TMPDIR/listed"
	printf '%s\n' $sources | grep -E '^(cmd|lib)/.*/' | sort |
	    comm -23 - "$BATS_TEST_TMPDIR/listed"
}

@test 'every source file is in the sources.am of its folder' {
	run -0 unlisted_sources
	printf '%s\n' "$output"
	[ -z "$output" ]
}

@test 'Makefile.am names every folder, program, page and test' {
	local file

	grep -oE '[A-Za-z0-9_./-]+' Makefile.am |
	    sed 's,^/,,; p; s,\.c$,,' | sort -u \
	    >"$BATS_TEST_TMPDIR/words"
	for file in $(find lib cmd fuzz -name sources.am) cmd/*.c \
	    man/*.[1-9] tests/unit/*.c tests/*/*.bats \
	    bench/*.[ch] bench/*.sh bench/*.md; do
		case $file in
		tests/unit/*.c | bench/*.c) file=${file%.c} ;;
		cmd/prof*.c) file=${file%.c} ;;
		*/README.md) continue ;;
		esac
		echo "$file"
	done | sort | comm -23 - "$BATS_TEST_TMPDIR/words" \
	    >"$BATS_TEST_TMPDIR/missing"
	cat "$BATS_TEST_TMPDIR/missing"
	[ ! -s "$BATS_TEST_TMPDIR/missing" ]
}

@test 'fuzz/sources.am names every file of the fuzz targets' {
	local file

	for file in fuzz/*.[ch] fuzz/mains/*.[ch]; do
		echo "$file"
		grep -qwF "$file" fuzz/sources.am
	done
}

@test 'the fuzz targets stand in for all of process.h' {
	local name

	for name in $(sed -En 's/^void ([a-z_]+)\(.*/\1/p' \
	    cmd/common/process.h); do
		echo "$name"
		grep -q "^$name(" fuzz/program.c
	done
	[ -n "$name" ]
}

@test 'manual pages are clean mdoc' {
	need mandoc
	run -0 mandoc -Tlint -Wwarning man/*.[1-9]
}
