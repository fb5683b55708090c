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

# zlib has several: deflated names, checksums, gzip files around a profile.
# elfutils has those of lib/sym that look into binaries.
@test 'each foreign library is included where it should be only' {
	local header files

	while read -r header files; do
		run -0 grep -lF "<$header>" $sources
		printf '%s: %s\n' "$header" "$output"
		[ "${output//$'\n'/ }" = "$files" ]
	done <<-'END'
	archive.h lib/io/archive.c lib/io/archive_write.c lib/io/compress.c
	libdeflate.h lib/model/name_section.c
	zlib.h lib/export/gzip.c lib/format/sources/write.c lib/io/gunzip.c lib/model/name_section.c lib/sym/debug_file.c
	yaml.h lib/format/yaml/events.c
	zstd.h lib/io/zstd_read.c lib/io/zstd_write.c
	nettle/sha2.h lib/base/sha256.c
	libiberty/demangle.h cmd/common/demangle.c
	elfutils/libdw.h lib/sym/correlate/dwarf.c lib/sym/dwarf/units.h lib/sym/dwarf/walk.h lib/sym/elf_file.h
	dwarf.h lib/sym/correlate/dwarf.c lib/sym/dwarf/frames.c lib/sym/dwarf/units.c lib/sym/dwarf/walk.c
	gelf.h lib/sym/dwarf/units.c lib/sym/elf_file.c lib/sym/symbols.c
	elfutils/debuginfod.h lib/sym/debuginfod.c
	END
}

# Prints the files of lib/ and cmd/ that no sources.am beside them names.
unlisted_sources() {
	local file

	for file in $sources; do
		case $file in
		cmd/*/* | lib/*/*)
			grep -qF "%D%/${file##*/}" "${file%/*}/sources.am" ||
			    echo "$file"
			;;
		esac
	done
}

@test 'every source file is in the sources.am of its folder' {
	run -0 unlisted_sources
	printf '%s\n' "$output"
	[ -z "$output" ]
}

@test 'Makefile.am names every folder, program, page and test' {
	local file

	for file in $(find lib cmd -name sources.am) cmd/*.c fuzz/*.[ch] \
	    man/*.[1-9] tests/unit/*.c tests/*/*.bats tests/support/* \
	    bench/*.[ch] bench/*.sh bench/*.md; do
		case $file in
		tests/unit/*.c | bench/*.c) file=${file%.c} ;;
		cmd/prof*.c) file=${file%.c} ;;
		*/README.md) continue ;;
		esac
		echo "$file"
		grep -qwF "$file" Makefile.am
	done
}

@test 'manual pages are clean mdoc' {
	need mandoc
	run -0 mandoc -Tlint -Wwarning man/*.[1-9]
}
