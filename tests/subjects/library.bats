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
	# The loader itself, which programs have anyway, serves variables of threads.
	[ "$(grep NEEDED dynamic | grep -vc '\[ld')" -le 5 ]
	! grep -E 'NEEDED.*(archive|curl|dw|elf|zstd|yaml)' dynamic
}

# What a library must not do on its own: print, end the process, change what all
# of it shares.
forbidden() {
	grep -xE '(_?_?exit|_Exit|abort|raise|kill|v?f?printf|v?dprintf|f?puts|f?putc|putchar|perror|std(in|out|err)|setlocale|setenv|putenv|chdir|umask|atexit|fork|exec.*|__assert_fail)'
}

@test 'the library prints nothing and ends no process' {
	need nm
	nm -D -u "$LD_LIBRARY_PATH/libprof.so.1" |
	    sed 's/.* //; s/@.*//' >called
	[ "$(wc -l <called)" -gt 50 ]
	! forbidden <called || return 1
	echo abort | forbidden
}

# abi STORED: what abidiff says of the library, against a stored description.
abi() {
	abidiff --no-added-syms --headers-dir2 \
	    "$(dirname "$(headers | head -n 1)")/.." "$1" \
	    "$LD_LIBRARY_PATH/libprof.so.1"
}

@test 'the library has all that programs of the first release were linked with' {
	local stored=$top_srcdir/tests/data/abi/libprof.so.1.xml

	need abidiff readelf
	[ "$(uname -m)" = x86_64 ] || skip 'the description is of x86-64'
	readelf -S "$LD_LIBRARY_PATH/libprof.so.1" | grep -q debug_info ||
	    skip 'the library was built without debug information'
	abi "$stored"
	# Planted: a function that is gone, a number and a type that changed.
	sed "0,/elf-symbol name='prof_set'/s//elf-symbol name='prof_gone'/" \
	    "$stored" >gone.xml
	run ! abi gone.xml
	[[ $output == *prof_gone* ]]
	sed "s/name='PROF_E_LIMIT' value='6'/name='PROF_E_LIMIT' value='7'/" \
	    "$stored" >number.xml
	run ! abi number.xml
	[[ $output == *PROF_E_LIMIT* ]]
	sed "/function-decl name='prof_set'/,/return/s/return type-id='.*'/return type-id='$(
	    sed -n "s/.*typedef-decl name='uint64_t'.* id='\(.*\)'.*/\1/p" \
		"$stored" | head -n 1)'/" "$stored" >type.xml
	run ! abi type.xml
	[[ $output == *prof_set* ]]
}

@test 'the description of the ABI has all functions' {
	need gcc
	declared >today
	sed -n "s/.*elf-symbol name='\(prof_[a-z_]*\)'.*/\1/p" \
	    "$top_srcdir/tests/data/abi/libprof.so.1.xml" | sort -u |
	    diff - today
}

# enumerators FOLDER: each of the headers there, and its number.
enumerators() {
	local names

	names=$(cat "$1"/libprof/*.h | gcc -fpreprocessed -dD -E -P - |
	    sed '/^#/d' | tr '\n' ' ' | grep -o 'enum [a-z_]* {[^}]*}' |
	    grep -oE '\bPROF_[A-Z0-9_]*\b' | sort -u)
	{
		printf '#include <%s>\n' libprof/cover.h stdio.h
		echo 'int main(void) {'
		printf 'printf("%%s %%d\\n", "%s", %s);\n' \
		    $(printf '%s\n' $names | sed 's/.*/& &/')
		echo 'return 0; }'
	} >enumerators.c
	gcc -std=c99 -I "$1" -o enumerators enumerators.c
	./enumerators
}

# abidiff sees those only that functions have as arguments.
@test 'enumerators keep their numbers' {
	local stored=$top_srcdir/tests/data/abi/enumerators

	need gcc
	mkdir -p changed/libprof
	cp $(headers) changed/libprof
	enumerators changed | diff "$stored" -
	sed -i 's/PROF_MIB_MIN_SIZE,/PROF_MIB_NEW_ONE, &/' changed/libprof/read.h
	run ! diff "$stored" <(enumerators changed)
	[[ $output == *'> PROF_MIB_MIN_SIZE 7'* ]]
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
			! grep -v '^#define LIBPROF_[A-Z]*_H $' left || return 1
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
	    diff - <(printf '#include <%s>\n' libprof/merge.h libprof/read.h \
		libprof/write.h stddef.h stdint.h sys/types.h)
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

# watch.so: of mappings of files above 20 MB it prints, when the process ends,
# how many pages were touched: each is closed until the first access to it.
make_watch() {
	cat >watch.c <<-'END'
	#define _GNU_SOURCE
	#include <signal.h>
	#include <stdint.h>
	#include <stdio.h>
	#include <sys/mman.h>
	#include <sys/syscall.h>
	#include <unistd.h>

	enum { PAGE = 4096 };
	static uintptr_t start, end;
	static unsigned pages;

	static void
	touch(int number, siginfo_t *info, void *context)
	{
		uintptr_t at = (uintptr_t)info->si_addr;

		(void)context;
		if (at < start || at >= end)
			signal(number, SIG_DFL);
		else if (++pages)
			mprotect((void *)(at - at % PAGE), PAGE, PROT_READ);
	}

	void *
	mmap(void *at, size_t size, int rights, int flags, int fd, off_t offset)
	{
		struct sigaction action = { .sa_sigaction = touch,
		    .sa_flags = SA_SIGINFO };
		void *map = (void *)syscall(SYS_mmap, at, size, rights, flags,
		    fd, offset);

		if (fd >= 0 && size > 20000000 && map != MAP_FAILED) {
			start = (uintptr_t)map;
			end = start + size;
			sigaction(SIGSEGV, &action, NULL);
			mprotect(map, size, PROT_NONE);
		}
		return map;
	}

	void *mmap64(void *, size_t, int, int, int, off_t)
	    __attribute__((alias("mmap")));

	__attribute__((destructor)) static void
	print(void)
	{
		fprintf(stderr, "%zu %u\n", (size_t)(end - start), pages);
	}
	END
	gcc -shared -fPIC -o watch.so watch.c
}

# The header, the head of the hash table, the bucket, and the function: what
# stands at the end of a page takes the next one, too.
@test 'look-up: of 27 MB, the page of the function and those that lead there' {
	need strace
	compile gcc "$top_srcdir/examples/look-up.c"
	make_watch
	half_ran 300000 >large.proftext
	prof-index -o large.profdata large.proftext
	size=$(wc -c <large.profdata)
	[ "$size" -gt 27000000 ]
	strace -f -o trace ./look-up large.profdata f00042 >found
	grep -q 'openat.*large.profdata' trace
	awk '/large.profdata/ { fd = $NF } index($0, "read(" fd ",") { n += $NF }
	    END { exit n > 100000 }' trace
	LD_PRELOAD=$PWD/watch.so ./look-up large.profdata f00042 2>pages |
	    cmp - found
	cat pages
	read -r mapped touched <pages
	[ "$mapped" -eq "$size" ]
	[ "$touched" -gt 0 ]
	[ "$touched" -le 6 ]
	prof-show --json --counts --function f00042 large.profdata |
	    jq -r 'select(.name == "f00042") |
		"\(.hash[2:]) \(.counts | map(tostring) | join(" "))"' |
	    diff - found
}

@test 'counters: a profile of counters in memory' {
	compile gcc "$top_srcdir/examples/counters.c"
	./counters >counters.profdata
	profraw-cat counters.profdata | jq -c 'select(.record == "function") |
	    [.name, .counts]' |
	    diff <(printf '%s\n' '["boot",[1,0]]' '["irq",[9000,12]]') -
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
	sed -n 's/^overlap \(.*\), \(.*\) no longer run/\1 \2/p' found |
	    diff - <(jq -r 'select(.states) | .overlap,
		.states["no longer run"].functions' want.json | xargs printf '%.4f %d\n')
	sed 1d found | awk '{ print $2 }' |
	    diff - <(jq -r 'select(.name).name' want.json | sed 10q)
	[ "$(wc -l <found)" -eq 11 ]
}

@test 'covered: the lines and functions of prof-cover' {
	local base=$top_srcdir/share/vectors/coverage

	compile gcc "$top_srcdir/examples/covered.c"
	./covered "$base/v7-32be.elf" "$base/least.proftext" >found
	jq -r '.data[0] | (.files[] | "\(.filename): " + (.summary.lines |
	    "\(.covered) of \(.count) lines")), (.functions[] |
	    select(.count == 0) | "\t\(.regions[0][0]): \(.name)")' \
	    "$base/v7.json" | diff - found
	[ "$(wc -l <found)" -eq 2 ]
	# A profile of another build: nothing of the function is left.
	sed s/184209723949954136/1/ "$base/least.proftext" >other.proftext
	./covered "$base/v7-32be.elf" other.proftext >found
	[ "$(head -n 1 found)" = '/src/a.c: 0 of 1 lines' ]
	run -1 ./covered /bin/true "$base/least.proftext"
	[ "$output" = '/bin/true: no binary with coverage' ]
}

# As the installed module has it.
python() {
	PYTHONPATH=$(dirname "$(find "$root" -name libprof.py)") \
	    PYTHONDONTWRITEBYTECODE=1 python3 "$@"
}

@test 'the Python module reads functions, and parts of items' {
	need python3
	prof-index -o a.profdata "$(data good/kinds.profraw)"
	# Memory that the library has freed is not read.
	run -1 python -c 'import sys, libprof
item = next(libprof.items(sys.argv[1]))
print(item.kind, item.get(libprof.Field.VERSION))' a.profdata
	[[ $output == *AttributeError* ]]
	cat >functions.py <<-'END'
		import sys, libprof
		for f in libprof.functions(*sys.argv[1:]):
		    print(f.name, f.hash, f.counts)
	END
	python functions.py a.profdata >found
	profraw-cat a.profdata | jq -r 'select(.record == "function") |
	    "\(.name) \(.hash) \(.counts)"' | while read -r name hash counts; do
		echo "$name $((hash)) ${counts//,/, }"
	done | diff - found
	python functions.py a.profdata "$(cut -d' ' -f1 found | tail -n 1)" |
	    diff <(tail -n 1 found) -
	run -1 python functions.py /nonexistent
	[[ $output == *'libprof.Error: /nonexistent: cannot open: No such file or directory' ]]

	cat >targets.py <<-'END'
		import sys, libprof
		from libprof import Field
		for item in libprof.items(sys.argv[1]):
		    for site in item.parts(Field.CALL_TARGETS):
		        print([v.get(Field.COUNT)
		               for v in site.parts(Field.VALUES)])
	END
	python targets.py "$(data good/values.profraw)" >found
	profraw-cat "$(data good/values.profraw)" | jq -c '
	    .values.indirect_call_target[]? | [.[] | .count]' | sed 's/,/, /g' | diff - found
	[ -s found ]
}

@test 'the Python module sums profiles, and tells which lines ran' {
	local base=$top_srcdir/share/vectors/coverage

	need python3
	cat >merge.py <<-'END'
		import sys, libprof
		libprof.merge(sys.argv[2:], sys.argv[1], sparse=True,
		              warn=lambda problem: print(problem.reason))
	END
	python merge.py found "$(data good/kinds.profraw)" "$base/least.proftext"
	prof-merge --sparse --to indexed -o sum "$(data good/kinds.profraw)" \
	    "$base/least.proftext"
	cmp sum found
	# Standard output stays what it is.
	python -c 'import sys, libprof
libprof.merge(sys.argv[1:], "-", "text")
print("more")' sum | tail -n 1 | grep -qx more
	cat >lines.py <<-'END'
		import sys, libprof
		for file in libprof.coverage(sys.argv[1:2], sys.argv[2:]):
		    print(file.path)
		    for line, count in file.lines.items():
		        print(line, count)
		    for f in file.functions:
		        print(f.line, f.count, f.name)
	END
	python lines.py "$base/least.proftext" "$base/v7-32be.elf" >found
	prof-cover --to lcov "$base/least.proftext" "$base/v7-32be.elf" |
	    sed -n 's/^SF://p; s/^DA:\(.*\),/\1 /p' | diff - <(head -n 8 found)
	[ "$(tail -n 1 found)" = '3 3 least' ]
}

@test 'the Python module weighs profiles' {
	need python3
	cat >weigh.py <<-'END'
		import sys, libprof
		from fractions import Fraction
		libprof.merge(sys.argv[2:], sys.argv[1], "stream",
		              weights=[Fraction(7, 3), "0.7", 10])
		for weights in [1, 2], [1, 1, 0], [1, 1, -1], [1, 1, 1 << 64]:
		    try:
		        libprof.merge(sys.argv[2:], "none", weights=weights)
		        sys.exit("accepted")
		    except ValueError as e:
		        print(e)
	END
	cp "$(data real)/16-ir.profraw" a
	cp "$(data real)/22-ir.profraw" b
	cp b c
	python weigh.py found a b c | uniq -c | grep -q '^ *4 each input needs'
	prof-merge -o want -w 7/3,a -w 0.7,b -w 10,c
	cmp want found
	[ ! -e none ]
}

@test 'the Python module finds the library of its prefix' {
	local module=$(dirname "$(find "$root" -name libprof.py)")

	need python3
	[ -e "$module/../../libprof.so.1" ] || skip 'the two are apart'
	unset LD_LIBRARY_PATH
	[ "$(python -c 'import libprof; print(libprof.version())')" = \
	    "$(prof-show --version | awk '{ print $2; exit }')" ]
}

# Names of the module, with the words of the header before them.
@test 'the Python module has the numbers of the header' {
	need python3
	cat >names.py <<-'END'
		import libprof
		print('#include <libprof/read.h>\n#include <stdio.h>\n'
		      'int main(void) {')
		for prefix, names in (("PROF_E_", libprof.Code),
		                      ("PROF_ITEM_", libprof.Kind),
		                      ("PROF_", libprof.Field)):
		    for n in names:
		        print(f'printf("%d %d {n.name}\\n",'
		              f' {prefix}{n.name}, {n.value});')
		print('}')
	END
	python names.py >numbers.c
	compile gcc numbers.c
	./numbers >found
	run -1 awk '$1 != $2 { print; bad = 1 } END { exit !bad }' found
	[ "$(wc -l <found)" -eq "$(cat $(headers) | sed -n '/^enum prof_code {/,/^}/p
	    /^enum prof_item_kind {/,/^}/p; /^enum prof_field {/,/^}/p' |
	    grep -oE '\bPROF_[A-Z_]+\b' | sort -u | wc -l)" ]
}

@test 'a program that is linked statically with the archive' {
	need readelf
	gcc -std=c99 -o static "$top_srcdir/examples/convert.c" \
	    $(pkg-config --cflags libprof) "$LD_LIBRARY_PATH/libprof.a" \
	    $(pkg-config --static --libs-only-l libprof |
		sed 's/-lprof\>//')
	! readelf -d static | grep -q libprof || return 1
	env -u LD_LIBRARY_PATH ./static stream "$(data good/ids.profraw)" found
	profraw-cat "$(data good/ids.profraw)" | cmp - found
}

@test 'what each program needs besides the interface has a reason' {
	local program

	sed -n '/^| program | needs/,/^$/p' "$top_srcdir/lib/libprof/README.md" >table
	for program in $(cd "$top_srcdir/cmd" && grep -l '^main(' *.c); do
		program=${program%.c}
		echo "$program"
		grep -qE "^\|[^|]*\<$program\>[^|]*\|[^|]{20,}\|$" table
	done
}

# prototypes PAGE: those that the synopsis of a page has, a line each.
prototypes() {
	sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "$1" | awk '
	/^\.Ft / { type = $0; sub(/^\.Ft /, "", type) }
	/^\.F[no] / { n = split($0, part, "\""); name = part[1]
		sub(/^\.F[no] /, "", name); sub(/ *$/, "", name); list = ""
		for (i = 2; i <= n; i += 2) list = list ", " part[i] }
	/^\.Fa / { n = split($0, part, "\""); list = list ", " part[2] }
	/^\.Fn / || /^\.Fc/ { print type " " name "(" substr(list, 3) ")" }' |
	    tr -d '"' | sed 's/\* /*/g'
}

@test 'each function stands in one page of section 3, as its header has it' {
	local page

	need gcc
	cat $(headers) | gcc -fpreprocessed -dD -E -P - | grep -v '^#' |
	    tr '\n\t' '  ' | tr ';' '\n' | grep -v typedef | sed -n '
		s/^[} ]*//; s/extern "C" { //; s/  */ /g; s/\* /*/g
		/^[a-z].*prof_[a-z_]*(/p' | sort >declared
	[ "$(wc -l <declared)" -gt 70 ]
	for page in "$top_srcdir"/man/*.3; do
		prototypes "$page"
	done | sort | diff declared -
	for page in "$top_srcdir"/man/*.3; do
		# The page explains what its synopsis has.
		for name in $(prototypes "$page" | grep -o 'prof_[a-z_]*(' |
		    tr -d '('); do
			sed -n '/^\.Sh DESCRIPTION/,$p' "$page" |
			    grep -q "^\.Fn.*\<$name\>" ||
			    { echo "$page: $name"; return 1; }
		done
	done
}

@test 'programs of pages of section 3 compile and run' {
	local page n=0

	for page in $(grep -l '^\.Sh EXAMPLES' "$top_srcdir"/man/*.3); do
		sed -n '/^\.Bd -literal/,/^\.Ed/{ /^\./d; s/\\e/\\/g; s/\\&//g; p; }' \
		    "$page" >program.c
		echo "$page"
		compile gcc program.c
		./program "$(data good/ids.profraw)" >out
		n=$((n + 1))
	done
	[ "$n" -ge 7 ]
}
