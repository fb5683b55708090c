# prof-symbolize and where debug information is: versions of DWARF, files of its
# own, symbol tables, servers, other machines.

load ../support/helper
load ../support/symbolize

teardown() {
	[ -z "${server-}" ] || kill "$server"
	subshells_passed
}

@test 'versions of DWARF, compressed sections, split units' {
	local flags

	for flags in -gdwarf-2 -gdwarf-3 -gdwarf-4 -gdwarf-5 '-g -gz' \
	    '-gdwarf-4 -gsplit-dwarf' '-gdwarf-5 -gsplit-dwarf' \
	    '-g -gsplit-dwarf -gz' '-g -static'; do
		echo "$flags"
		# shellcheck disable=SC2086
		build app $flags
		finds --binary app
	done
	build app -g -gsplit-dwarf
	rm ./*.dwo
	warns 'app: units with functions in .dwo files .*: 1$' \
	    'without debug information' -- \
	    prof-symbolize --binary app profile >out
}

@test 'debug files that are named, and in folders' {
	local id

	build app -g
	id=$(id_of app)
	objcopy --only-keep-debug app app.debug
	objcopy --strip-all app
	finds --binary app.debug
	finds --binary app --binary app.debug
	warns 'app: no debug information was found for it' \
	    'without debug information' -- \
	    prof-symbolize --binary app profile >out
	mkdir -p "root/.build-id/${id:0:2}"
	mv app.debug "root/.build-id/${id:0:2}/${id:2}.debug"
	finds --binary app --debug-dir empty --debug-dir root
	finds --debug-dir empty --debug-dir root
	# The program itself.
	mv "root/.build-id/${id:0:2}/${id:2}"{.debug,}
	finds --debug-dir empty --debug-dir root
	# One that is of another program.
	build other -g -DOTHER
	build app -g -O0
	mkdir -p "root/.build-id/$(id_of app | cut -c 1-2)"
	cp other "root/.build-id/$(id_of app | sed 's,..,&/,').debug"
	refused 'debug information was found for no module' \
	    prof-symbolize --debug-dir root profile
}

@test 'a debug file that cannot be read is named, unless another is found' {
	local id

	build app -g
	id=$(id_of app)
	objcopy --only-keep-debug app good
	objcopy --strip-all app
	# For the program, and in place of it.
	mkdir -p "root/.build-id/${id:0:2}"
	echo text >"root/.build-id/${id:0:2}/${id:2}.debug"
	warns 'root/.*/.*.debug: not an ELF file' 'without debug information' \
	    -- prof-symbolize --binary app --debug-dir root profile >out
	warns 'root/.*/.*.debug: not an ELF file' \
	    'debug information was found for no module' -- \
	    eval '! prof-symbolize --debug-dir root profile >out'
	# The program has the build id, too, but no debug information.
	cp app "root/.build-id/${id:0:2}/${id:2}"
	warns 'root/.*/.*.debug: not an ELF file' \
	    'debug information was found for no module' -- \
	    eval '! prof-symbolize --debug-dir root profile >out'
	cp good "root/.build-id/${id:0:2}/${id:2}"
	finds --debug-dir root
}

@test 'a pipe in the place of a binary or of a debug file is not waited for' {
	local id

	build app -g
	id=$(id_of app)
	objcopy --strip-all app
	mkfifo app.debug
	run -2 timeout 20 prof-symbolize --binary app.debug profile
	[ "$output" = 'prof-symbolize: app.debug: not a file' ]
	mkdir -p "root/.build-id/${id:0:2}"
	mv app.debug "root/.build-id/${id:0:2}/${id:2}.debug"
	warns 'root/.*/.*.debug: not a file' 'without debug information' \
	    -- timeout 20 prof-symbolize --binary app --debug-dir root \
	    profile >out
}

@test 'files of build ids of up to 64 bytes are found' {
	local id size

	for size in 4 64 68; do
		id=$(printf '5a%.0s' $(seq $size))
		build app -g -Wl,--build-id=0x"$id"
		[ "$(id_of app)" = "$id" ]
		mkdir -p root/.build-id/5a
		mv app "root/.build-id/5a/${id:2}"
		if [ $size -le 64 ]; then
			finds --debug-dir root
		else
			refused 'debug information was found for no module' \
			    prof-symbolize --debug-dir root profile
		fi
	done
}

# Of a stream of one stack of one address: [function, file, other keys].
symbol() {
	jq -c 'select(.record == "stack") | .frames[0] | [.function, .file,
	    (keys - ["function", "file", "guid"])]' "$@"
}

@test 'symbol tables, where there is no debug information' {
	local id

	build app
	warns 'app: no debug information was found for it' \
	    'without debug information: 1 of 1' -- \
	    prof-symbolize --binary app profile >out
	symbol out | same - <(echo '["outer",null,[]]')
	# A local symbol is of a file.
	sed 's/^__attribute__.*/static &/' probe.c >local.c
	cc -O1 -Wl,--build-id=sha1 -o local local.c
	stack "$(id_of local)" "$(address local outer)" >of-local
	prof-symbolize -q --binary local of-local | symbol |
	    same - <(echo '["outer","local.c",[]]')
	# The table of the debug file, without the sections of DWARF.
	id=$(id_of app)
	mkdir -p "root/.build-id/${id:0:2}"
	objcopy --only-keep-debug app "root/.build-id/${id:0:2}/${id:2}.debug"
	objcopy --strip-all app
	prof-symbolize -q --binary app --debug-dir root profile | symbol |
	    same - <(echo '["outer",null,[]]')
	prof-symbolize -q --binary app profile | symbol |
	    same - <(echo '[null,null,[]]')
	# What a library exports.
	build app -rdynamic
	objcopy --strip-all app
	prof-symbolize -q --binary app profile | symbol |
	    same - <(echo '["outer",null,[]]')
}

# header_at FILE SECTION: where the header of a section begins.
header_at() {
	local start size number

	start=$(readelf -h "$1" | awk '/Start of section/ { print $5 }')
	size=$(readelf -h "$1" | awk '/Size of section/ { print $5 }')
	number=$(readelf -SW "$1" | sed -n "s/.*\[ *\([0-9]*\)\] $2 .*/\1/p")
	echo $((start + number * size))
}

# write_header FILE SECTION AT: input replaces bytes of its header from AT on,
# which is counted in words from sh_flags on.
write_header() {
	local class

	class=$(readelf -h "$1" | sed -n 's/.*Class: *ELF//p')
	head -c $((class / 8)) | dd of="$1" bs=1 conv=notrunc status=none \
	    seek=$(($(header_at "$1" "$2") + 8 + $3 * class / 8))
}

# misplace FILE SECTION: its header says that it is far behind the end.
misplace() {
	printf '\160\160\160\160\160\160\160\160' | write_header "$1" "$2" 2
}

@test 'a damaged symbol table is reported, and another one is used' {
	build app -rdynamic
	misplace app .symtab
	warns 'app: no debug information was found for it' 'app: .symtab: ' \
	    'without debug information' -- \
	    prof-symbolize --binary app profile >out
	symbol out | same - <(echo '["outer",null,[]]')
	misplace app .dynsym
	warns 'app: no debug information was found for it' 'app: .symtab: ' \
	    'without debug information' -- \
	    prof-symbolize --binary app profile >out
	symbol out | same - <(echo '[null,null,[]]')
}

@test 'a symbol gives way to debug information, and is not of llvm-profdata' {
	local input

	build app -g
	cp app app.debug
	objcopy --strip-debug app
	prof-symbolize -q --binary app profile >out
	symbol out | same - <(echo '["outer",null,[]]')
	prof-symbolize -q --binary app.debug out |
	    frames | same - <(prof-symbolize -q --binary app.debug profile |
	    frames)
	# What has frames without lines, and no better ones, keeps them.
	sed 's/"outer"/"other"/; s/,"guid":"[^"]*"//' out |
	    prof-symbolize -q --binary app | symbol |
	    same - <(echo '["other",null,[]]')
	# The symbol is known from the tables.
	mv out symbolized
	for input in profile symbolized; do
		refused 'no stack is left' prof-symbolize --binary app \
		    --drop-unsymbolized $input
	done
}

@test 'the functions of the runtime leave the stacks by name, too' {
	local name

	build app
	for name in malloc __interceptor_realloc ___interceptor_strdup _Znwm; do
		objcopy --redefine-sym "outer=$name" app renamed
		prof-symbolize -q --binary renamed profile |
		    jq -c 'select(.id == "0x0000000000000001") |
		    [.pcs, .frames]' | same - <(echo '[[],null]')
	done
	objcopy --redefine-sym outer=malloc_more app renamed
	prof-symbolize -q --binary renamed profile | symbol |
	    same - <(echo '["malloc_more",null,[]]')
}

@test 'without the library that asks servers' {
	local no='warning: cannot load .*/bad/libdebuginfod\.so\.1: '

	mkdir bad
	echo 'no library' >bad/libdebuginfod.so.1
	export DEBUGINFOD_URLS=http://127.0.0.1:1 LD_LIBRARY_PATH=$PWD/bad
	warns "$no" "$no" 'without debug' 'in no function' -- \
	    prof-symbolize --debuginfod --binary app-22.debug \
	    app-22.memprofraw >out
	# Nor is it loaded where nobody asks.
	quiet prof-symbolize -q --binary app-22.debug app-22.memprofraw |
	    same - out
}

# serve FOLDER: starts a server of its files on a port that the system chooses.
serve() {
	local line

	need python3
	exec {lines}< <(exec python3 -u -m http.server --bind 127.0.0.1 \
	    --directory "$1" 0 2>/dev/null 3>&-)
	server=$!
	read -r line <&"$lines"
	line=${line#* port }
	export DEBUGINFOD_URLS=http://127.0.0.1:${line%% *}
}

# serve_app: builds a program and moves it to a server, as the file $served.
serve_app() {
	build app -g
	served=served/buildid/$(id_of app)/debuginfo
	mkdir -p "${served%/*}"
	mv app "$served"
	serve served
}

@test 'debug files from a server' {
	local served

	serve_app
	finds --debuginfod
	objcopy --strip-all "$served" app
	finds --binary app --debuginfod
	kill "$server"
	wait "$server" || :
	server=
	# What it gave is kept; for the rest there is nobody to ask.
	finds --debuginfod
	warns 'warning: debuginfod: ' 'warning: debuginfod: ' 'without debug' \
	    'in no function' -- prof-symbolize --debuginfod \
	    --binary app-22.debug app-22.memprofraw >out
}

# pool.so: an allocator that ends the program if a block of another is freed.
make_pool() {
	cat >pool.c <<-'END'
	#include <stdatomic.h>
	#include <stddef.h>
	#include <stdint.h>
	#include <stdlib.h>
	#include <string.h>

	static _Alignas(4096) char pool[(size_t)1 << 30];
	static _Atomic size_t used = 4096;

	void *
	aligned_alloc(size_t align, size_t size)
	{
		size_t at = atomic_fetch_add(&used, size + align + 32) + 16;

		at += -at & ((align < 16 ? 16 : align) - 1);
		if (at + size > sizeof(pool))
			return NULL;
		memcpy(pool + at - sizeof(size), &size, sizeof(size));
		return pool + at;
	}

	void *
	memalign(size_t align, size_t size)
	{
		return aligned_alloc(align, size);
	}

	int
	posix_memalign(void **block, size_t align, size_t size)
	{
		*block = aligned_alloc(align, size);
		return *block == NULL ? 12 : 0;
	}

	void *
	malloc(size_t size)
	{
		return aligned_alloc(16, size);
	}

	void *
	calloc(size_t n, size_t size)
	{
		return malloc(n * size);
	}

	void
	free(void *block)
	{
		uintptr_t p = (uintptr_t)block, first = (uintptr_t)pool;

		if (p != 0 && p - first >= sizeof(pool))
			abort();
	}

	void *
	realloc(void *block, size_t size)
	{
		void *moved = malloc(size);
		size_t old;

		if (block == NULL || moved == NULL)
			return moved;
		memcpy(&old, (char *)block - sizeof(old), sizeof(old));
		return memcpy(moved, block, old < size ? old : size);
	}
	END
	cc -shared -fPIC -fno-builtin -O1 -o pool.so pool.c
}

@test 'debug files from a server, with an allocator that is preloaded' {
	local served

	bash -c 'ulimit -v 100000; exec prof-merge --version' >/dev/null ||
	    skip 'needs a build without sanitizers'
	make_pool
	serve_app
	LD_PRELOAD=$PWD/pool.so finds --debuginfod
}

@test 'servers are asked only if there are any' {
	usage_error '--debuginfod needs servers: DEBUGINFOD_URLS names none' \
	    prof-symbolize --debuginfod app-22.memprofraw
	usage_error '--debuginfod needs servers: DEBUGINFOD_URLS names none' \
	    prof-cover --debuginfod app-22.profraw
}

# shrinks REASON COMMAND: of a program that is emptied after COMMAND opened it,
# before this reads its input.
shrinks() {
	local reader status=0

	mkfifo input
	(exec "${@:2}" input >out 2>stderr) &
	reader=$!
	# The reader opens its input last.
	exec {input}>input
	: >app
	cat profile >&"$input"
	exec {input}>&-
	wait "$reader" || status=$?
	rm input
	cat stderr
	[ "$status" -eq 2 ]
	grep -q -- "$1" stderr
}

@test 'a program that becomes shorter while it is read' {
	local reason='app: became shorter or unreadable while it was read$' id

	build app -g
	shrinks "$reason" prof-symbolize --binary app
	# Its debug file is there, its symbols are not.
	build app -g
	id=$(id_of app)
	mkdir -p "root/.build-id/${id:0:2}"
	objcopy --only-keep-debug app "root/.build-id/${id:0:2}/${id:2}.debug"
	objcopy --strip-debug app
	shrinks "$reason" prof-symbolize --binary app --debug-dir root
	# A correlated profile.
	cp "$top_srcdir/tests/data/correlate/debug" app
	chmod u+w app
	cp "$top_srcdir/tests/data/good/correlated-debug.profraw" profile
	shrinks "$reason" prof-symbolize --binary app
	# Its mapping is looked at after all profiles were read.
	cp "$top_srcdir/tests/data/cover/llvm-cov/shapes.o" app
	chmod u+w app
	cp "$top_srcdir/tests/data/cover/llvm-cov/shapes.profdata" profile
	shrinks 'app: truncated: became shorter' prof-cover app
}

@test 'names as in the source' {
	need c++
	cat >names.cc <<-'END'
	namespace heap {
	struct pool { void *take(int); void mark(); void clear(); };
	}
	inline __attribute__((always_inline)) void
	heap::pool::clear()
	{
		__asm__ volatile ("nop");
	}
	inline __attribute__((always_inline)) void
	heap::pool::mark()
	{
		__asm__ volatile (".globl probe\nprobe: nop");
	}
	__attribute__((noinline)) void *
	heap::pool::take(int n)
	{
		clear();
		mark();
		return this + n;
	}
	int main() { heap::pool p; return p.take(1) == &p; }
	END
	build app -g
	c++ -g -O1 -Wl,--build-id=sha1 -o app names.cc
	sed -i "s/\"build_id\":\"[0-9a-f]*/\"build_id\":\"$(id_of app)/;
	    s/\\[7,\"0x[0-9a-f]*/[7,\"0x$(address app probe)/" \
	    profile
	prof-symbolize --binary app profile | frames |
	    grep -q '^\["_ZN4heap4pool4markEv [^,]*","_ZN4heap4pool4takeEi '
	prof-symbolize --binary app --demangle profile | frames |
	    grep -q '"heap::pool::mark() .*"heap::pool::take(int) '
	# The guid, and what compilers get, is that of the linkage name.
	same <(prof-symbolize --binary app profile | grep -o '"guid":[^,]*') \
	    <(prof-symbolize --binary app --demangle profile |
	    grep -o '"guid":[^,]*')
	prof-symbolize --binary app --to indexed -o 1 profile
	prof-symbolize --binary app --demangle --to indexed -o 2 profile
	cmp 1 2
}

@test 'damaged debug files' {
	local size i status

	size=$(wc -c <app-22.debug)
	for ((i = 0; i < size; i += 61)); do
		head -c "$i" app-22.debug >short
		{
			cat short
			printf '\377\377\377'
			tail -c +$((i + 4)) app-22.debug
		} >changed
		for file in short changed; do
			status=0
			prof-symbolize --binary "$file" app-22.memprofraw \
			    >out 2>stderr || status=$?
			echo "$file $i: $status"
			[ "$status" -eq 0 ] || [ "$status" -eq 2 ]
			[ -s stderr ]
		done
	done
}

@test 'a binary without its last section header was truncated' {
	head -c -64 app-22.debug >cut
	refused 'cut: section headers at 0x[0-9a-f]* are outside the file$' \
	    prof-symbolize --binary cut app-22.memprofraw
}

# write_unit FILE ABBREVIATIONS ENTRIES [SECTIONS]: C that adds a unit of DWARF 4
# with these entries, all in lines of an assembler.
write_unit() {
	{
		echo '__asm__('
		sed 's/["\\]/\\&/g; s/.*/"&\\n"/' <<-END
		.pushsection .debug_abbrev
		.Labbrevs:
		$2
		.uleb128 0
		${4-}
		.section .debug_info
		.4byte 2f - 1f
		1: .2byte 4
		.4byte .Labbrevs
		.byte $(echo __SIZEOF_POINTER__ | cc -E -P -)
		$3
		2: .popsection
		END
		echo ');'
	} >"$1"
}

# build_ranges N ENTRIES [PAIR]: the program with another unit, of these
# entries; those of 2, a unit, and 3, a function, have one list of N ranges.
build_ranges() {
	write_unit ranges.c '.uleb128 1, 0x11; .byte 1; .uleb128 0, 0
	    .uleb128 2, 0x11; .byte 0; .uleb128 0x55, 0x17, 0, 0
	    .uleb128 3, 0x2e; .byte 0; .uleb128 0x55, 0x17, 0, 0' "$2" \
	    ".section .debug_ranges
	    .Lranges: .rept $1; .dc.a ${3-1, 2}; .endr; .dc.a 0, 0"
	build app -g ranges.c
}

@test 'the functions of a file may share a list of ranges of addresses' {
	local ranges='.4byte .Lranges'

	build_ranges 100000 ".uleb128 2; $ranges"
	finds --binary app
	# The functions of a unit share a list.
	build_ranges 100 \
	    ".uleb128 1; .rept 600; .uleb128 3; $ranges; .endr; .byte 0"
	finds --binary app
	build_ranges 1000 \
	    ".uleb128 1; .rept 2000; .uleb128 3; $ranges; .endr; .byte 0"
	warns 'app: .* ranges of addresses: more than [0-9]* units of work' -- \
	    prof-symbolize --binary app profile >out
	# A section that is not in the file has no bytes.
	objcopy --add-section .big=profile app
	printf '\0\0\0\160\0\0\0\0' | write_header app .big 3
	warns 'app: .* ranges of addresses: more than [0-9]* units of work' -- \
	    prof-symbolize --binary app profile >out
	# Entries that set the base of others count, too.
	build_ranges 1000 \
	    ".uleb128 1; .rept 2000; .uleb128 3; $ranges; .endr; .byte 0" '-1, 0'
	warns 'app: .* ranges of addresses: more than [0-9]* units of work' -- \
	    prof-symbolize --binary app profile >out
}

@test 'a damaged list of ranges is reported, and leaves other functions' {
	build_ranges 1 ".uleb128 1; .uleb128 3; .4byte 0x7fffffff; .byte 0"
	warns 'app: damaged debug information: ranges of the entry at 0x[0-9a-f]* of .debug_info: ' \
	    -- prof-symbolize --binary app profile >out
	frames out | same - <(printf '["inner %s:4+","outer %s:10"]\n' \
	    "$PWD/probe.c" "$PWD/probe.c")
}

# build_plain [ENTRY]: a function, and this entry; offsets of ranges and lines are
# plain numbers, which libdw does not check, and those sections are not there.
build_plain() {
	write_unit plain.c '.uleb128 1, 0x11; .byte 1
	    .uleb128 0x11, 1, 0x12, 1, 0x10, 0x0f, 0, 0
	    .uleb128 2, 0x2e; .byte 0
	    .uleb128 3, 8, 0x11, 1, 0x12, 1, 0, 0
	    .uleb128 3, 0x2e; .byte 0; .uleb128 0x55, 0x0f, 0, 0' \
	    ".uleb128 1; .dc.a outer, main; .uleb128 0
	    .uleb128 2; .asciz \"plain\"; .dc.a outer, main
	    ${1-}
	    .byte 0"
	build app plain.c
	objcopy --remove-section .debug_line app
}

@test 'ranges and lines of sections that are not there' {
	build_plain
	warns 'line table: 0x0 of .debug_line: it is outside of the section$' \
	    -- prof-symbolize --binary app profile >out
	frames out | same - <(echo '["plain null:null"]')
	build_plain '.uleb128 3, 0'
	warns 'of .debug_info: .debug_ranges section missing$' -- \
	    prof-symbolize --binary app profile >out
	frames out | same - <(echo '["plain null:null"]')
}

@test 'of binaries that libdw does not open, the first is reported' {
	build app -g
	# The name of a section is behind the end of all names.
	printf pppp | dd of=app bs=1 conv=notrunc status=none \
	    seek="$(header_at app .comment)"
	cp app copy
	warns '^prof-symbolize: .* app: debug information: [^(]*$' \
	    'without debug information' -- \
	    prof-symbolize --binary app --binary copy profile >out
	grep -E 'debug information: .*ELF' "$BATS_TEST_TMPDIR/stderr"
}

@test 'functions that the linker discarded hide no others' {
	local linker

	build app
	# Discarded ones begin at 0.  There, they have rows and inlined functions
	# at each byte of the code that is kept.
	cat >discarded.h <<-'END'
	static inline __attribute__((always_inline)) void
	DISCARDED(in)(void)
	{
		__asm__ volatile (".skip 1");
	}
	#define TEN(x) x x x x x x x x x x
	void
	DISCARDED(out)(void)
	{
		__asm__ volatile (".skip 4080");
		TEN(TEN(DISCARDED(in)();
		    __asm__ volatile (".skip 1");))
		__asm__ volatile (".skip 4080");
	}
	END
	# Debug information may be in any order.
	cat >kept.c <<-'END'
	#define DISCARDED(x) before_##x
	#include "discarded.h"
	#include "probe.c"
	#undef DISCARDED
	#define DISCARDED(x) behind_##x
	#include "discarded.h"
	END
	for linker in bfd lld; do
		command -v ld.$linker || continue
		cc -O1 -g -ffunction-sections -nostdlib -static -no-pie \
		    -fuse-ld=$linker -Wl,--gc-sections,-Ttext=0x1000,-e,main \
		    -Wl,--build-id=sha1 -o app kept.c
		profile_of app
		quiet prof-symbolize --binary app profile | frames |
		    same - <(printf '["inner %s:4+","outer %s:10"]\n' \
		    "$PWD/probe.c" "$PWD/probe.c")
		objcopy --only-keep-debug app app.debug
		prof-symbolize --binary app.debug profile |
		    cmp - <(prof-symbolize --binary app profile)
	done
}

@test 'what is inlined in a discarded function was discarded with it' {
	# The function begins at 0, the inlined one where code was kept.
	write_unit discarded.c '.uleb128 1, 0x11; .byte 1; .uleb128 0, 0
	    .uleb128 2, 0x2e; .byte 1
	    .uleb128 3, 8, 0x11, 1, 0x12, 1, 0, 0
	    .uleb128 3, 0x1d; .byte 0
	    .uleb128 3, 8, 0x11, 1, 0x12, 1, 0, 0' \
	    '.uleb128 1; .uleb128 2; .asciz "gone"; .dc.a 0, 0x8000
	    .uleb128 3; .asciz "inlined"; .dc.a probe, probe + 1
	    .byte 0, 0'
	build app -g discarded.c
	finds --binary app
	# In code that was kept, it would be found first.
	sed -i 's/dc.a 0,/dc.a outer,/' discarded.c
	build app -g discarded.c
	prof-symbolize --binary app profile | frames | grep -q '"inlined '
	# Functions without names: the symbol has one.
	sed -i 's/uleb128 3, 8, /uleb128 /; s/\.asciz [^;]*;//' discarded.c
	build app -g discarded.c
	warns 'in no function' -- prof-symbolize --binary app profile >out
	frames out | same - <(echo '["outer null:null"]')
}

# Damages the version of the line table of a file.
damage_lines() {
	local at

	at=$(readelf -SW "$1" | sed -n 's/.* \.debug_line  *[A-Z]* *//p' |
	    cut -d ' ' -f 2)
	printf '\377\377' | dd of="$1" bs=1 seek=$((0x$at + 4)) conv=notrunc \
	    status=none
}

@test 'a compressed section that is damaged or too large is reported' {
	local flags section at size word

	while read -r flags section; do
		echo "$flags"
		build app -g "$flags"
		# Old assemblers and linkers leave small sections as they are.
		readelf -SW app | grep " $section " |
		    grep -Eq ' C |zdebug' || continue
		read -r at size <<<"$(readelf -SW app | sed -n \
		    "s/.* $section  *[A-Z]* *[0-9a-f]* \([0-9a-f]* [0-9a-f]*\) .*/\1/p")"
		cp app damaged
		printf '\377\377\377\377\377\377\377\377' | dd of=damaged \
		    bs=1 seek=$((0x$at + 0x$size - 8)) conv=notrunc status=none
		warns "damaged: $section: " 'without debug information' -- \
		    prof-symbolize --binary damaged profile >out
		symbol out | same - <(echo '["outer",null,[]]')
		# The size of what is compressed, a word behind a word.
		word=4
		! readelf -h app | grep -q ELF64 || word=8
		[ "$section" = .debug_info ] || word=4
		printf '\160\160\160\160\160\160\160\160' | head -c $word |
		    dd of=app bs=1 seek=$((0x$at + word)) conv=notrunc \
		    status=none
		warns "app: $section: more than [0-9]* units of work, the limit" \
		    'without debug information' -- \
		    prof-symbolize --binary app profile >out
	done <<-'END'
	-gz=zlib .debug_info
	-gz=zlib-gnu .zdebug_info
	END
}

@test 'sections that libdw would decompress, too' {
	local section

	need python3
	build app -g
	python3 -c 'import sys, zlib
b = b"text"
for i in range(2):
    b = b"ZLIB" + len(b).to_bytes(8, "big") + zlib.compress(b)
sys.stdout.buffer.write(b)' >twice
	for section in .zdebug_macro .zgnu_debugaltlink; do
		objcopy --add-section $section=twice app other
		warns "other: $section: it is compressed twice\$" \
		    'without debug information' -- \
		    prof-symbolize --binary other profile >out
	done
	symbol out | same - <(echo '["outer",null,[]]')
	# SHF_COMPRESSED, in any byte order, and a size that is too large.
	printf %24s | tr ' ' p >header
	objcopy --add-section .gnu_debugaltlink=header app other
	printf '\0\10\10\0\0\10\10\0' |
	    write_header other .gnu_debugaltlink 0
	warns 'other: .gnu_debugaltlink: more than [0-9]* units of work' \
	    'without debug information' -- \
	    prof-symbolize --binary other profile >out
}

@test 'files that debug information names are checked before libdw opens them' {
	local dwo flags

	# SHF_COMPRESSED, in any byte order, and a size that is too large.
	printf %24s | tr ' ' p >header
	for flags in -gdwarf-4 -gdwarf-5; do
		build app "$flags" -gsplit-dwarf
		dwo=$(echo ./*.dwo)
		cp "$dwo" whole
		objcopy --add-section .debug_macro.dwo=header "$dwo"
		printf '\0\10\10\0\0\10\10\0' |
		    write_header "$dwo" .debug_macro.dwo 0
		warns "${dwo#./}: .debug_macro.dwo: more than [0-9]* units of" \
		    'without debug information' -- \
		    prof-symbolize --binary app profile >out
		# It may be in the folder of the compilation only.
		mkdir -p away
		cp app away
		warns "${dwo#./}: .debug_macro.dwo: more than [0-9]* units of" \
		    'without debug information' -- \
		    prof-symbolize --binary away/app profile >out
		cp whole "$dwo"
		objcopy --add-section .gnu_debugaltlink=header "$dwo"
		warns "${dwo#./}: it has .gnu_debugaltlink, although app names it" \
		    'without debug information' -- \
		    prof-symbolize --binary app profile >out
		cp whole "$dwo"
		# It is in the folder of the file, and of the compilation.
		truncate -s 18M "$dwo"
		finds --binary app
		truncate -s 40M "$dwo"
		warns 'app: files that it names: more than [0-9]* units of work' \
		    'without debug information' -- \
		    prof-symbolize --binary app profile >out
		rm "$dwo"
		mkfifo "$dwo"
		warns "app: .*${dwo#./}, which it names, is not a file" \
		    'without debug information' -- \
		    prof-symbolize --binary app profile >out
		rm "$dwo"
		mv whole "$dwo"
		finds --binary app
		rm "$dwo"
	done
	build app -g
	mkfifo pipe
	printf 'pipe\0%s' 12345678901234567890 >link
	objcopy --add-section .gnu_debugaltlink=link app other
	warns 'other: .*/pipe, which it names, is not a file' \
	    'without debug information' -- \
	    prof-symbolize --binary other profile >out
	rm pipe
	finds --binary other
	# libdw passes over sections of groups, and uses the second one.
	mkfifo pipe
	printf 'none\0%s' 12345678901234567890 >none
	objcopy --remove-section .gnu_debugaltlink \
	    --add-section .gnu_debugaltlinq=none \
	    --add-section .gnu_debugaltlink=link other both
	printf '\0\2\0\0\0\0\2\0' | write_header both .gnu_debugaltlinq 0
	LC_ALL=C sed -i s/gnu_debugaltlinq/gnu_debugaltlink/ both
	warns 'both: .*/pipe, which it names, is not a file' \
	    'without debug information' -- \
	    timeout 20 prof-symbolize --binary both profile >out
}

@test 'a damaged line table is reported, and leaves functions' {
	build app -g
	damage_lines app
	warns 'app: damaged debug information: line table: ' -- \
	    prof-symbolize --binary app profile >out
	frames out | same - <(echo '["inner null:null+","outer null:10"]')
	# Of the files of a module, it is one.
	cp app app.debug
	objcopy --strip-all app plain
	warns 'warning: app.debug: damaged debug information: ' -- \
	    prof-symbolize --binary plain --binary app.debug profile >out
	# Behind a program without debug information, too.
	damage_lines libpart-22.debug
	warns 'libpart-22.debug: damaged debug information: line table: ' \
	    'without debug information: 6 of 8' -- \
	    prof-symbolize --binary libpart-22.debug app-22.memprofraw >out
}

@test 'of two line tables in sections of one name, the first is read' {
	build app -g
	printf 'not a table' >other
	objcopy --add-section .debug_liny=other app
	LC_ALL=C sed -i s/debug_liny/debug_line/ app
	[ "$(readelf -SW app | grep -c ' \.debug_line ')" -eq 2 ]
	finds --binary app
}

@test 'other machines' {
	local target

	need clang-22 ld.lld nm readelf
	for target in powerpc-linux-gnu powerpc64-linux-gnu i686-linux-gnu \
	    aarch64-linux-gnu; do
		cat >probe.c <<-'END'
		static inline __attribute__((always_inline)) void
		inner(void)
		{
			__asm__ volatile (".globl probe\nprobe: nop");
		}

		void
		_start(void)
		{
			inner();
		}
		END
		clang-22 --target="$target" -g -O1 -nostdlib -static \
		    -fuse-ld=lld -Wl,--build-id=sha1 -o app probe.c ||
		    skip "cannot link for $target"
		profile_of app
		prof-symbolize --binary app profile | frames |
		    same - <(printf '["inner %s:4+","_start %s:10"]\n' \
		    "$PWD/probe.c" "$PWD/probe.c")
	done
}
