# Rules of CONTRIBUTING.md that a compiler does not know.

load helper

setup() {
	cd "$top_srcdir"
}

# Prints "FILE includes HEADER" for each own header that FILE may not know.
wrong_includes() {
	awk -F'"' '
	function wing(path) {
		sub(/^lib\//, "", path)
		return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : ""
	}
	function codec(path) {
		sub(/.*\//, "", path)
		return match(path, \
		    /^(raw|indexed|stream|text|lprf|yaml|memprof_raw)[_.]/) ? \
		    substr(path, 1, RLENGTH - 1) : ""
	}
	BEGIN {
		# Who may know whom, beside itself, prof.h and base/.
		knows["cmd", "io"] = knows["cmd", "ops"] = 1
		knows["cmd", "sym"] = knows["cmd", "export"] = 1
		# What a bundle says of itself is no format of profiles.
		open["format/manifest.h"] = 1
	}
	/^#[ \t]*include "/ && $2 != "config.h" && $2 != "prof.h" {
		from = wing(FILENAME)
		to = $2 ~ /\// ? wing($2) : from
		ok = to == from || to == "base" || (from, to) in knows ||
		    (from == "cmd" && $2 in open)
		# No codec knows another; all meet in codec.h.
		if (codec($2) != "" && codec($2) != codec(FILENAME))
			ok = 0
		if (!ok)
			print FILENAME " includes " $2
	}' "$@"
}

@test 'includes point down and never sideways' {
	run -0 wrong_includes lib/*/*.[ch] cmd/*.[ch]
	printf '%s\n' "$output"
	[ -z "$output" ]
}

@test 'the check of includes sees what is wrong' {
	local tree=$BATS_TEST_TMPDIR/tree

	mkdir -p "$tree/lib/format" "$tree/lib/base" "$tree/cmd"
	cd "$tree"
	echo '#include "format/indexed_layout.h"' >lib/format/raw_read.c
	echo '#include "io/input.h"' >lib/format/names.c
	echo '#include "format/codec.h"' >lib/base/arena.c
	echo '#include "format/names.h"' >cmd/prof-show.c
	echo '#include "format/raw_layout.h"' >lib/format/raw_layout.c
	run -0 wrong_includes lib/*/*.c cmd/*.c
	[ "${#lines[@]}" -eq 4 ]
}

@test 'nothing in lib/ prints or ends the program' {
	local call='(^|[^[:alnum:]_>.])'

	call+='(v?f?printf|f?puts|f?putc|putchar|perror|_?exit|abort|assert)'
	run grep -nE "$call ?\(|include <(err|error|syslog)\.h>" lib/*/*.[ch]
	printf '%s\n' "$output"
	[ "$status" -eq 1 ]
}

# zlib has several: deflated names, checksums, gzip files around a profile.
# elfutils has those of lib/sym that look into binaries.
@test 'each foreign library is included where it should be only' {
	local header files

	while read -r header files; do
		run -0 grep -lF "<$header>" lib/*/*.[ch] cmd/*.[ch]
		printf '%s: %s\n' "$header" "$output"
		[ "${output//$'\n'/ }" = "$files" ]
	done <<-'END'
	jansson.h lib/format/json.c
	archive.h lib/io/archive.c lib/io/archive_write.c lib/io/compress.c
	libdeflate.h lib/base/names.c
	zlib.h lib/base/names.c lib/export/gzip.c lib/format/sources_write.c lib/io/gunzip.c lib/sym/debugfile.c
	yaml.h lib/format/yaml_events.c
	zstd.h lib/io/zstd_read.c lib/io/zstd_write.c
	nettle/sha2.h lib/base/sha256.c
	libiberty/demangle.h cmd/demangle.c
	elfutils/libdw.h lib/sym/binary.c lib/sym/correlate_dwarf.c lib/sym/units.h lib/sym/walk.h
	dwarf.h lib/sym/correlate_dwarf.c lib/sym/frames.c lib/sym/units.c lib/sym/walk.c
	gelf.h lib/sym/binary.c lib/sym/units.c
	elfutils/debuginfod.h lib/sym/debuginfod.c
	END
}

@test 'Makefile.am names every source, page and test' {
	local file

	for file in lib/*/*.[ch] cmd/*.h fuzz/*.[ch] man/*.[1-9] \
	    tests/*.* bench/*.[ch] bench/*.sh bench/*.md; do
		case $file in
		tests/*.c | bench/*.c) file=${file%.c} ;;
		esac
		echo "$file"
		grep -qwF "$file" Makefile.am
	done
}

@test 'manual pages are clean mdoc' {
	need mandoc
	run -0 mandoc -Tlint -Wwarning man/*.[1-9]
}
