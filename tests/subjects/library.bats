# The library as other programs see it: from an installed copy, by pkg-config.

load ../support/helper

setup_file() {
	[ -e "$top_builddir/lib/libprof/libprof.so.1" ] || return 0
	root=$BATS_FILE_TMPDIR/root
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top_builddir" \
	    install DESTDIR="$root" >"$BATS_FILE_TMPDIR/log" 2>&1 ||
	    { cat "$BATS_FILE_TMPDIR/log"; return 1; }
	PKG_CONFIG_LIBDIR=$(dirname "$(find "$root" -name libprof.pc)")
	PKG_CONFIG_SYSROOT_DIR=$root
	LD_LIBRARY_PATH=${PKG_CONFIG_LIBDIR%/pkgconfig}
	export root PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR LD_LIBRARY_PATH
}

setup() {
	[ -n "${root-}" ] || skip 'the build installs no library'
	need pkg-config
	cd "$BATS_TEST_TMPDIR"
}

# compile COMPILER SOURCE [FLAG...]: the program of a source, with what
# pkg-config says and no more.
compile() {
	local standard='-std=c99 -D_POSIX_C_SOURCE=200809L'

	[[ $2 != *.cc ]] || standard=-std=c++17
	"$1" $standard -pedantic -Wall -Wextra -Werror -o "$(basename "${2%.*}")" \
	    "$2" "${@:3}" $(pkg-config --cflags --libs libprof)
}

headers() {
	find "$root" -path '*/include/libprof/*.h'
}

# The functions that the headers declare.
declared() {
	cat $(headers) | gcc -fpreprocessed -dD -E -P - |
	    grep -v typedef | grep -oE '\bprof_[a-z_]+\(' | tr -d '(' | sort -u
}

@test 'the shared library exports what the headers declare, and no more' {
	need nm gcc
	declared >declared
	[ -s declared ]
	nm -D --defined-only "$LD_LIBRARY_PATH/libprof.so.1" |
	    sed -n 's/.* \(.*\)@@LIBPROF_1$/\1/p' | grep -vx LIBPROF_1 |
	    sort >exported
	diff declared exported
	nm -D --defined-only "$LD_LIBRARY_PATH/libprof.so.1" |
	    awk '$3 !~ /^(prof_.*@@LIBPROF_1|LIBPROF_1)/' >others
	cat others
	[ ! -s others ]
}

@test 'the archive defines no other global name' {
	need nm gcc
	declared >declared
	nm -g --defined-only "$LD_LIBRARY_PATH/libprof.a" |
	    awk 'NF == 3 { print $3 }' | sort | diff declared -
}

@test 'the library is found by its soname and needs few others' {
	need readelf
	readelf -d "$LD_LIBRARY_PATH/libprof.so" >dynamic
	grep -q 'SONAME.*\[libprof.so.1\]' dynamic
	[ "$(grep -c NEEDED dynamic)" -le 8 ]
	! grep -E 'NEEDED.*(archive|curl|zstd|yaml)' dynamic
}

@test 'each header compiles alone, in C and C++, and leaves no macro behind' {
	local compiler flags header name

	printf '#include <%s>\n' stddef.h stdint.h sys/types.h >system.c
	for header in $(headers); do
		name=libprof/$(basename "$header")
		echo "#include <$name>" | tee alone.c >alone.cc
		for compiler in gcc clang-19; do
			command -v $compiler >/dev/null || continue
			$compiler -std=c99 -pedantic -Wall -Wextra -Werror \
			    -fsyntax-only $(pkg-config --cflags libprof) alone.c
			$compiler -std=c99 -dM -E \
			    $(pkg-config --cflags libprof) alone.c |
			    sort >macros
			$compiler -std=c99 -dM -E system.c | sort |
			    comm -13 - macros >left
			cat left
			! grep -v '^#define LIBPROF_[A-Z]*_H $' left
		done
		for compiler in g++ clang++-19; do
			command -v $compiler >/dev/null || continue
			$compiler -std=c++17 -pedantic -Wall -Wextra -Werror \
			    -fsyntax-only $(pkg-config --cflags libprof) alone.cc
		done
	done
}

@test 'headers include the system'\''s and their own only' {
	grep -h '#include' $(headers) | sort -u |
	    diff - <(printf '#include <%s>\n' libprof/read.h libprof/write.h \
		stddef.h stdint.h sys/types.h)
}

@test 'examples are short, and compile with gcc and clang' {
	local compiler file n=0

	for file in "$top_srcdir"/examples/*; do
		[ "$(wc -l <"$file")" -lt 60 ]
	done
	for compiler in gcc clang-19; do
		command -v $compiler >/dev/null || continue
		for file in "$top_srcdir"/examples/*.c; do
			compile $compiler "$file"
		done
		n=$((n + 1))
	done
	[ "$n" -gt 0 ]
}

@test 'hottest: the functions of the highest counts of several files' {
	compile gcc "$top_srcdir/examples/hottest.c"
	need_built zstd
	./hottest "$top_srcdir/demo/sample.tar.zst" >found
	prof-merge "$top_srcdir/demo/sample.tar.zst" |
	    jq -r 'select(.record == "function") | (.counts | max) as $c |
		select($c > 0) | [$c, .name] | @tsv' |
	    sort -k1,1nr -s | sed 10q | tr '\t' ' ' | diff - found
	run -1 ./hottest /nonexistent
	[ "$output" = '/nonexistent: cannot open: No such file or directory' ]
}

@test 'convert: reads what profraw-cat reads, and writes what it reads' {
	local file failed=0

	compile gcc "$top_srcdir/examples/convert.c"
	for file in "$(data good)"/*.prof* "$(data memprof)"/*.profdata \
	    "$(data memprof)"/*.yaml "$(data memprof)"/*.proftext; do
		echo "$file"
		profraw-cat "$file" >want 2>/dev/null || continue
		./convert stream "$file" found 2>/dev/null || failed=1
		cmp want found || failed=1
	done
	[ "$failed" -eq 0 ]
	prof-index -o want "$(data good/v11-64le.profraw)"
	./convert indexed "$(data good/v11-64le.profraw)" found
	cmp want found
}

@test 'merge-folder: the bytes of prof-index; damaged files are left out' {
	compile gcc "$top_srcdir/examples/merge-folder.c"
	mkdir folder
	tar -xf "$top_srcdir/demo/sample.tar.zst" --wildcards '*/clang-19/*' ||
	    skip 'tar does not read zstd'
	cp sample/clang-19/*.profraw folder
	prof-index -o want folder/*.profraw
	head -c 1000 "$(set -- folder/*; echo "$1")" >folder/cut.profraw
	./merge-folder folder found 2>errors
	cmp want found
	grep '^folder/cut.profraw: ' errors
}

@test 'look-up: reads a few pages of a large indexed profile' {
	need strace
	compile gcc "$top_srcdir/examples/look-up.c"
	half_ran 50000 >large.proftext
	prof-index -o large.profdata large.proftext
	[ "$(wc -c <large.profdata)" -gt 3000000 ]
	LD_LIBRARY_PATH=$LD_LIBRARY_PATH strace -f -o trace ./look-up \
	    large.profdata f00042 >found
	profraw-cat large.profdata | jq -r 'select(.name == "f00042") |
	    "\(.hash[2:]) \(.counts | map(tostring) | join(" "))"' | diff - found
	grep -q 'openat.*large.profdata' trace
	awk '/large.profdata/ { fd = $NF } index($0, "read(" fd ",") { n += $NF }
	    END { exit n > 100000 }' trace
	! grep -q SIGBUS trace
}

@test 'counters: a raw profile of counters in memory' {
	compile gcc "$top_srcdir/examples/counters.c"
	./counters >counters.profraw
	profraw-cat counters.profraw | jq -c 'select(.record == "function") |
	    [.name, .counts]' |
	    diff <(printf '%s\n' '["boot",[1,0]]' '["irq",[9000,12]]') -
	profraw-cat counters.profraw | sed 1q | grep -q '"pointer_bits":32'
}

@test 'heap: a C++ program sums heap profiles' {
	local compiler n=0

	for compiler in g++ clang++-19; do
		command -v $compiler >/dev/null || continue
		compile $compiler "$top_srcdir/examples/heap.cc"
		./heap "$(data memprof/v2.llvm22.profdata)" >found
		[ "$(cat found)" = '3288 guid 2422972831607950688' ]
		n=$((n + 1))
	done
	[ "$n" -gt 0 ] || skip 'needs a compiler of C++'
}

@test 'symbolize: what prof-symbolize writes' {
	compile gcc "$top_srcdir/examples/symbolize.c"
	cp "$(data symbolize)"/app-22.* .
	./symbolize app-22.memprofraw app-22.debug >found
	prof-symbolize -q --binary app-22.debug app-22.memprofraw |
	    cmp - found
	run -1 ./symbolize app-22.memprofraw /nonexistent
	[ "$output" = '/nonexistent: No such file or directory' ]
}

@test 'compare: the overlap and the changes of prof-diff' {
	compile gcc "$top_srcdir/examples/compare.c"
	half_ran 100 >a.proftext
	awk 'NR % 60 == 2 { sub(/f/, "g") } NR % 30 == 0 { $0 = $0 * 3 }
	    { print }' a.proftext >b.proftext
	./compare a.proftext b.proftext >found
	prof-diff --json a.proftext b.proftext >want.json
	sed -n 's/^overlap \(.*\), \(.*\) lost/\1 \2/p' found |
	    diff - <(jq -r 'select(.lost).overlap, select(.lost).lost' \
		want.json | xargs printf '%.4f %d\n')
	sed 1d found | awk '{ print $2 }' |
	    diff - <(jq -r 'select(.name).name' want.json | sed 10q)
	[ "$(wc -l <found)" -eq 11 ]
}

@test 'functions.py: Python reads profiles through ctypes' {
	need python3
	prof-index -o a.profdata "$(data good/kinds.profraw)"
	python3 "$top_srcdir/examples/functions.py" a.profdata >found
	profraw-cat a.profdata | jq -r 'select(.record == "function") |
	    "\(.name) \(.hash) \(.counts)"' |
	    sed 's/ 0x0*\(.\)/ 0x\1/; s/,/, /g' | diff - found
	run -1 python3 "$top_srcdir/examples/functions.py" /nonexistent
}

@test 'a program that is linked statically with the archive' {
	need readelf
	gcc -std=c99 -o static "$top_srcdir/examples/convert.c" \
	    $(pkg-config --cflags libprof) "$LD_LIBRARY_PATH/libprof.a" \
	    $(pkg-config --static --libs-only-l libprof |
		sed 's/-lprof\>//')
	! readelf -d static | grep -q libprof
	env -u LD_LIBRARY_PATH ./static stream "$(data good/ids.profraw)" found
	profraw-cat "$(data good/ids.profraw)" | cmp - found
}

@test 'programs of pages of section 3 compile and run' {
	local page n=0

	for page in "$top_srcdir"/man/*.3; do
		sed -n '/^\.Bd -literal/,/^\.Ed/{ /^\./d; s/\\e/\\/g; s/\\&//g; p; }' \
		    "$page" >program.c
		echo "$page"
		compile gcc program.c
		./program "$(data good/ids.profraw)" >out
		n=$((n + 1))
	done
	[ "$n" -gt 0 ]
}
