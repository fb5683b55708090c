# prof-symbolize and heap profiles: addresses to frames.
#
# app-14 is a profile of raw version 1, without build ids; app-22 is of version
# 5.  Both are position-independent and have a shared library.

load ../support/helper

setup() {
	samples=$(data symbolize)
	cd "$BATS_TEST_TMPDIR"
	cp "$samples"/*.debug "$samples"/*.memprofraw .
	chmod u+w ./*
	unset DEBUGINFOD_URLS
	export HOME=$PWD
}

teardown() {
	[ -z "${server-}" ] || kill "$server"
}

# Build id of an ELF file.
id_of() {
	LC_ALL=C readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

# Of a stream, the frames of each stack: names and places, a stack in a line.
frames() {
	jq -c 'select(.record == "stack") | .frames | map(if .function then
	    "\(.function) \(.file):\(.line)\(if .inline then "+" else "" end)"
	    else "-" end)' "$@"
}

# What the stacks of both samples are.
want_frames() {
	cat <<-'END'
	["-","fill /src/app.c:12+","twice /src/app.c:21+","keep /src/app.c:27","part_each /src/part.c:17","main /src/app.c:41","-"]
	["-","part_new /src/part.c:10","make /src/app.c:34","main /src/app.c:43","-"]
	END
}

# The same without what is not of the program and its library.
both() {
	frames "$@" | grep main
}

@test 'a program and a library' {
	quiet prof-symbolize -q --binary app-22.debug \
	    --binary libpart-22.debug app-22.memprofraw >out
	unsourced out | golden symbolize/app-22
	both out | same - <(want_frames)
}

@test 'all that was there is still there' {
	prof-symbolize -q --binary app-22.debug app-22.memprofraw >out
	same <(profraw-cat app-22.memprofraw | jq -c 'del(.frames)') \
	    <(jq -c 'del(.frames)' out)
	cp "$(data good)/values.profraw" .
	quiet prof-symbolize --binary app-22.debug values.profraw |
	    same - <(profraw-cat values.profraw)
}

@test 'raw versions without build ids: segments of the right size' {
	quiet prof-symbolize -q --binary app-14.debug \
	    --binary libpart-14.debug app-14.memprofraw >out
	both out | same - <(want_frames)
	# No segment has the size of this library's code.
	warns 'debug information: build ids none' 'in no function' -- \
	    prof-symbolize --binary app-14.debug app-14.memprofraw >out
	both out | grep -c part && return 1
	both out | grep -c main
}

@test 'segments without build ids, in what prof-merge makes of two runs' {
	awk '{ gsub(/0x00005/, "0x00006"); gsub(/0x00007/, "0x00008"); print }
	    ' < <(profraw-cat app-14.memprofraw) >other
	prof-merge -q app-14.memprofraw other >sum
	prof-symbolize -q --binary libpart-14.debug --binary app-14.debug \
	    sum >out
	both out | sort | same - <({ want_frames; want_frames; } | sort)
}

@test 'binaries one by one' {
	prof-symbolize -q --binary app-22.debug \
	    --binary libpart-22.debug app-22.memprofraw >want
	prof-symbolize -q --binary app-22.debug app-22.memprofraw |
	    prof-symbolize -q --binary libpart-22.debug >got
	cmp want got
	# What has frames keeps them.
	sed 's/"twice"/"thrice"/' want |
	    prof-symbolize -q --binary app-22.debug >got
	sed 's/"twice"/"thrice"/' want | cmp - got
}

@test 'no binary is of the profile' {
	local app other

	need readelf
	app=$(id_of app-22.debug)
	other=$(id_of app-14.debug)
	refused "app-14.debug has build id $other, modules .* have $app, " \
	    prof-symbolize --binary app-14.debug app-22.memprofraw
	refused "app-14.debug has build id $other, .*$app" \
	    prof-symbolize --binary app-14.debug -o file app-22.memprofraw
	[ ! -e file ]
	warns "app-14.debug has build id $other, .*$app" \
	    'have no debug information' 'in no function' -- \
	    prof-symbolize --binary app-14.debug --binary app-22.debug \
	    app-22.memprofraw >out
	refused 'have none at 0x.* and [0-9]* more$' \
	    prof-symbolize --binary app-22.debug app-14.memprofraw
	refused "for no module of the profile, .*$app, " \
	    prof-symbolize --debug-dir . app-22.memprofraw
}

@test 'segments are said to be of a binary' {
	local start

	start=$(profraw-cat app-14.memprofraw |
	    jq -r 'select(.id == 0) | .start')
	quiet prof-symbolize -q --map "$start=app-14.debug" \
	    app-14.memprofraw >out
	prof-symbolize -q --binary app-14.debug app-14.memprofraw | cmp - out
	start=$(profraw-cat app-22.memprofraw |
	    jq -r 'select(.id == 0) | .start')
	quiet prof-symbolize -q --map "${start#0x}=app-22.debug" \
	    app-22.memprofraw >out
	prof-symbolize -q --binary app-22.debug app-22.memprofraw | cmp - out
	refused "segment at 0x[0-9a-f]* has build id .*, app-14.debug has " \
	    prof-symbolize --map "$start=app-14.debug" app-22.memprofraw
	warns 'no segment begins at 0x1$' 'have no debug' 'in no function' -- \
	    prof-symbolize --map 1=app-22.debug app-22.memprofraw >out
}

@test 'addresses in no function are left out' {
	local args=(-q --drop-unsymbolized --binary app-22.debug)

	prof-symbolize "${args[@]}" --binary libpart-22.debug \
	    app-22.memprofraw >out
	frames out | same - <(want_frames | sed 's/"-",//; s/,"-"//')
	# Stacks that are nowhere, in part and altogether.
	profraw-cat app-22.memprofraw | jq -c 'if .record == "stack" and
	    .id == "0x0000000000000002" then .pcs |=
	    map("0x0000000000000001") else . end' >part
	warns '1 contexts of 320 bytes are left out: their stacks' \
	    'have no debug information' 'in no function' -- \
	    prof-symbolize "${args[@]:1}" part >out
	[ "$(jq -c '.stack // .id // empty' out | grep -c 0001\")" -eq 2 ]
	[ "$(jq -c '.stack // .id // empty' out | grep -c 0002\")" -eq 0 ]
	profraw-cat app-22.memprofraw | jq -c 'if .record == "stack" then
	    .pcs |= map("0x0000000000000001") else . end' >nowhere
	cat part nowhere >both
	refused 'no stack is left: none of the addresses of 2 stacks' \
	    prof-symbolize "${args[@]}" both
}

@test 'what LLVM makes of the profile' {
	need llvm-profdata-22
	llvm-profdata-22 merge --memprof-version=4 app-22.memprofraw \
	    --profiled-binary app-22.debug -o theirs
	prof-symbolize -q --drop-unsymbolized --binary app-22.debug \
	    --to indexed --memprof-version 4 -o ours app-22.memprofraw
	cmp theirs ours
}

# stack ID ADDRESS: a heap profile of one stack, of one address in hex.
stack() {
	printf '{"record":"profile","stream":1,"kind":"memprof"}\n'
	printf '{"record":"segment","id":7,"build_id":"%s"}\n' "$1"
	printf '{"record":"stack","id":"0x%016x","pcs":[[7,"0x%016x"]]}\n' 1 \
	    "0x$2"
	printf '{"record":"allocation","stack":"0x%016x","info":' 1
	printf '{"alloc_count":1}}\n{"record":"end","last":true}\n'
}

# build FILE FLAGS...: a program of its own with debug information, and the file
# profile: a heap profile of one stack, in an inlined function.
build() {
	local probe

	need cc nm readelf objcopy
	cat >probe.c <<-'END'
	static inline __attribute__((always_inline)) void
	inner(void)
	{
		__asm__ volatile (".globl probe\nprobe: nop");
	}

	__attribute__((noinline)) void
	outer(void)
	{
		inner();
	}

	int
	main(void)
	{
		outer();
		return 0;
	}
	END
	cc -O1 -Wl,--build-id=sha1 "${@:2}" -o "$1" probe.c
	probe=$(nm "$1" | sed -n 's/ T probe$//p')
	stack "$(id_of "$1")" "$probe" >profile
}

# finds OPTIONS...: the frames of the stack are found.
finds() {
	quiet prof-symbolize "$@" profile | frames |
	    same - <(printf '["inner %s:4+","outer %s:10"]\n' \
	    "$PWD/probe.c" "$PWD/probe.c")
}

@test 'versions of DWARF, compressed sections, split units' {
	local flags

	for flags in -gdwarf-2 -gdwarf-3 -gdwarf-4 -gdwarf-5 '-g -gz' \
	    '-gdwarf-4 -gsplit-dwarf' '-gdwarf-5 -gsplit-dwarf' '-g -static'; do
		echo "$flags"
		# shellcheck disable=SC2086
		build app $flags
		finds --binary app
	done
	build app -g -gsplit-dwarf
	rm ./*.dwo
	warns 'app: the functions of 1 units are in .dwo files' \
	    'have no debug information' -- \
	    prof-symbolize --binary app profile >out
}

@test 'debug files next to the program, and in folders' {
	local id

	build app -g
	id=$(id_of app)
	objcopy --only-keep-debug app app.debug
	objcopy --strip-all --add-gnu-debuglink=app.debug app
	finds --binary app
	finds --binary app.debug
	warns 'app: there is no debug information for it' \
	    'have no debug information' -- eval \
	    'mv app.debug x; prof-symbolize --binary app profile >out'
	mkdir -p .debug root/"$PWD"
	mv x .debug/app.debug
	finds --binary app
	mv .debug/app.debug root/"$PWD"
	finds --binary app --debug-dir empty --debug-dir root
	mkdir -p "root/.build-id/${id:0:2}"
	mv root/"$PWD"/app.debug "root/.build-id/${id:0:2}/${id:2}.debug"
	finds --binary app --debug-dir root
	finds --debug-dir empty --debug-dir root
	# One that is of another program.
	build other -g -DOTHER
	build app -g -O0
	mkdir -p "root/.build-id/$(id_of app | cut -c 1-2)"
	cp other "root/.build-id/$(id_of app | sed 's,..,&/,').debug"
	refused 'debug information was found for no module' \
	    prof-symbolize --debug-dir root profile
}

# Of a stream of one stack of one address: [function, file, other keys].
symbol() {
	jq -c 'select(.record == "stack") | .frames[0] | [.function, .file,
	    (keys - ["function", "file", "guid"])]' "$@"
}

# address FILE NAME: of a symbol, in hex.
address() {
	nm "$1" | sed -n "s/ [Tt] $2\$//p"
}

@test 'symbol tables, where there is no debug information' {
	build app
	warns 'app: there is no debug information for it' \
	    '1 of 1 addresses have no debug information' -- \
	    prof-symbolize --binary app profile >out
	symbol out | same - <(echo '["outer",null,[]]')
	# A local symbol is of a file.
	sed 's/^__attribute__.*/static &/' probe.c >local.c
	cc -O1 -Wl,--build-id=sha1 -o local local.c
	stack "$(id_of local)" "$(address local outer)" >of-local
	prof-symbolize -q --binary local of-local | symbol |
	    same - <(echo '["outer","local.c",[]]')
	# The table of the debug file, without the sections of DWARF.
	objcopy --only-keep-debug app app.debug
	objcopy --strip-all --add-gnu-debuglink=app.debug app
	prof-symbolize -q --binary app profile | symbol |
	    same - <(echo '["outer",null,[]]')
	rm app.debug
	prof-symbolize -q --binary app profile | symbol |
	    same - <(echo '[null,null,[]]')
	# What a library exports.
	build app -rdynamic
	objcopy --strip-all app
	prof-symbolize -q --binary app profile | symbol |
	    same - <(echo '["outer",null,[]]')
}

@test 'symbols in .gnu_debugdata' {
	build app
	need xz
	objcopy --only-keep-debug app mini
	xz -k mini
	objcopy --strip-all --add-section .gnu_debugdata=mini.xz app full
	quiet prof-symbolize -q --binary full profile | symbol |
	    same - <(echo '["outer",null,[]]')
	objcopy --strip-all app
	head -c 100 mini.xz >cut
	objcopy --add-section .gnu_debugdata=cut app other
	warns 'no debug information for it' 'other: .gnu_debugdata: xz: ' \
	    'have no debug information' -- \
	    prof-symbolize --binary other profile >out
	symbol out | same - <(echo '[null,null,[]]')
	echo text | xz >text.xz
	objcopy --add-section .gnu_debugdata=text.xz app other
	prof-symbolize -q --binary other profile | symbol |
	    same - <(echo '[null,null,[]]')
	# A bomb.
	head -c 300000000 /dev/zero | xz -1 >zeros.xz
	objcopy --add-section .gnu_debugdata=zeros.xz app other
	warns 'no debug information for it' 'more than 268435456 bytes' \
	    'have no debug information' -- \
	    prof-symbolize --binary other profile >out
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
	prof-symbolize -q --binary app --cache cache profile >got
	prof-symbolize -q --cache cache profile | cmp - got
	# The symbol is known from the tables, and from the cache.
	for input in profile got; do
		refused 'no stack is left' prof-symbolize --binary app \
		    --drop-unsymbolized $input
		refused 'no stack is left' prof-symbolize --cache cache \
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

@test 'a debug file of a program without build id is known by its checksum' {
	build app -g -Wl,--build-id=none
	objcopy --only-keep-debug app app.debug
	objcopy --strip-all --add-gnu-debuglink=app.debug app
	sed -i '/"segment"/s/,"build_id":""//' profile
	# Its segment is known by address and size.
	set -- $(readelf -lW app | grep 'LOAD.* R E ')
	sed -i "s/\"id\":7/&,\"start\":\"$(printf 0x%016x "$3")\",\"end\":\"$(
	    printf 0x%016x $(($3 + $6)))\",\"offset\":\"0x0000000000000000\"/" \
	    profile
	finds --binary app
	printf x >>app.debug
	warns 'there is no debug information' 'have no debug' -- \
	    prof-symbolize --binary app profile >out
}

@test 'without the library that asks servers' {
	local no='warning: cannot load .*/bad/libdebuginfod\.so\.1: '

	mkdir bad
	echo 'no library' >bad/libdebuginfod.so.1
	export DEBUGINFOD_URLS=http://127.0.0.1:1 LD_LIBRARY_PATH=$PWD/bad
	warns "$no" "$no" 'have no debug' 'in no function' -- \
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

@test 'debug files from a server' {
	local file

	build app -g
	file=served/buildid/$(id_of app)/debuginfo
	mkdir -p "${file%/*}"
	mv app "$file"
	serve served
	finds --debuginfod
	objcopy --strip-all "$file" app
	finds --binary app --debuginfod
	kill "$server"
	wait "$server" || :
	server=
	# What it gave is kept; for the rest there is nobody to ask.
	finds --debuginfod
	warns 'warning: debuginfod: ' 'warning: debuginfod: ' 'have no debug' \
	    'in no function' -- prof-symbolize --debuginfod \
	    --binary app-22.debug app-22.memprofraw >out
}

@test 'servers are asked only if there are any' {
	usage_error 'DEBUGINFOD_URLS, which names none' \
	    prof-symbolize --debuginfod app-22.memprofraw
}

@test 'a cache: the second time without binaries' {
	local binaries=(--binary app-22.debug --binary libpart-22.debug)

	prof-symbolize "${binaries[@]}" app-22.memprofraw >want 2>want.err
	prof-symbolize "${binaries[@]}" --cache cache app-22.memprofraw >got
	cmp want got
	[ "$(ls cache | wc -l)" -eq 2 ]
	prof-symbolize --cache cache app-22.memprofraw >got 2>got.err
	cmp want got
	cmp want.err got.err
	# Nothing new: the files stay what they are.
	ls -i cache >before
	prof-symbolize -q "${binaries[@]}" --cache cache app-22.memprofraw >got
	ls -i cache | cmp before -
	cmp want got
	# Of the library only: the rest comes from the binary.
	rm "cache/$(profraw-cat app-22.memprofraw |
	    jq -r 'select(.id == 0) | .build_id').frames"
	prof-symbolize -q --binary app-22.debug --cache cache \
	    app-22.memprofraw >got
	cmp want got
	# One of a segment without build id is kept under that of its binary.
	prof-symbolize -q --binary app-14.debug --cache other \
	    app-14.memprofraw >got
	[ "$(ls other | wc -l)" -eq 1 ]
}

@test 'a damaged cache' {
	local file size i

	prof-symbolize -q --binary app-22.debug --cache cache \
	    app-22.memprofraw >want
	file=$(echo cache/*)
	cp "$file" whole
	size=$(wc -c <whole)
	for ((i = 0; i < size; i += 13)); do
		{
			head -c "$i" whole
			printf '\325'
			tail -c +$((i + 2)) whole
		} >"$file"
		! cmp -s "$file" whole || continue
		warns 'cache .*: not used$' 'have no debug' 'in no func' -- \
		    prof-symbolize --binary app-22.debug --cache cache \
		    app-22.memprofraw >got
		cmp want got
		cmp whole "$file"
	done
	head -c 20 whole >"$file"
	warns 'not a cache of frames: not used$' 'have no' 'in no func' -- \
	    prof-symbolize --binary app-22.debug --cache cache \
	    app-22.memprofraw >got
	: >"$file"
	warns 'not used$|empty' 'have no' 'in no func' -- \
	    prof-symbolize --binary app-22.debug --cache cache \
	    app-22.memprofraw >got
	cmp want got
	# The cache of another file.
	prof-symbolize -q --binary libpart-22.debug --cache part \
	    app-22.memprofraw >got
	cp part/*.frames "$file"
	warns 'another build id: not used$' 'have no' 'in no func' -- \
	    prof-symbolize --binary app-22.debug --cache cache \
	    app-22.memprofraw >got
	cmp want got
}

@test 'several programs and one cache' {
	local i pids=()

	prof-symbolize -q --binary app-22.debug --cache alone \
	    app-22.memprofraw >want
	for i in 1 2 3 4 5 6; do
		prof-symbolize -q --binary app-22.debug --cache cache \
		    app-22.memprofraw >"got$i" &
		pids+=($!)
	done
	for i in 1 2 3 4 5 6; do
		wait "${pids[i - 1]}"
		cmp want "got$i"
	done
	diff -r alone cache
}

@test 'a cache that cannot be written is only warned about' {
	: >file
	warns 'have no debug' 'in no func' 'cache file/.*: ' -- \
	    prof-symbolize --binary app-22.debug --cache file \
	    app-22.memprofraw >got
}

@test 'names as in the source' {
	need c++
	cat >names.cc <<-'END'
	namespace heap { struct pool { void *take(int); }; }
	__attribute__((noinline)) void *
	heap::pool::take(int n)
	{
		__asm__ volatile (".globl probe\nprobe: nop");
		return this + n;
	}
	int main() { heap::pool p; return p.take(1) == &p; }
	END
	build app -g
	c++ -g -O1 -Wl,--build-id=sha1 -o app names.cc
	sed -i "s/\"build_id\":\"[0-9a-f]*/\"build_id\":\"$(id_of app)/;
	    s/\\[7,\"0x[0-9a-f]*/[7,\"0x$(nm app | sed -n 's/ T probe$//p')/" \
	    profile
	prof-symbolize --binary app profile | frames |
	    grep -q '"_ZN4heap4pool4takeEi '
	prof-symbolize --binary app --demangle profile | frames |
	    grep -q '"heap::pool::take(int) '
	# The guid, and what compilers get, is that of the linkage name.
	same <(prof-symbolize --binary app profile | grep -o '"guid":[^,]*') \
	    <(prof-symbolize --binary app --demangle profile |
	    grep -o '"guid":[^,]*')
	prof-symbolize --binary app --to indexed -o 1 profile
	prof-symbolize --binary app --demangle --to indexed -o 2 profile
	cmp 1 2
	prof-symbolize --binary app --demangle --cache c profile >got
	prof-symbolize --cache c profile |
	    cmp - <(prof-symbolize --binary app profile)
	prof-symbolize --cache c --demangle profile | cmp - got
}

@test 'what is not ELF is refused by its name' {
	local bytes kind

	while IFS='|' read -r bytes kind; do
		{
			printf "$bytes"
			head -c 100 /dev/zero
		} >file
		echo "$bytes $kind"
		refused "file: $kind: only ELF is read" \
		    prof-symbolize --binary file app-22.memprofraw
	done <<-'END'
	MZ\220|a COFF program \(PE\)
	\144\206\3\0\1\2\3\4|a COFF object
	\0\0\377\377|a COFF object
	\376\355\372\316|a Mach-O file
	\316\372\355\376|a Mach-O file
	\376\355\372\317|a Mach-O file
	\317\372\355\376|a Mach-O file
	\312\376\272\276\0\0\0\2|a universal Mach-O file
	\312\376\272\277\0\0\0\2|a universal Mach-O file
	\276\272\376\312|a universal Mach-O file
	\277\272\376\312|a universal Mach-O file
	\0asm|a WebAssembly module
	BC\300\336|LLVM bitcode
	!<arch>\n|an archive of objects
	END
	refused 'tests/programs/prof-symbolize.bats: not an ELF file' prof-symbolize \
	    --binary "$top_srcdir/tests/programs/prof-symbolize.bats" app-22.memprofraw
	: >file
	refused 'file: not an ELF file' \
	    prof-symbolize --binary file app-22.memprofraw
	refused '\.: not a file' prof-symbolize --binary . app-22.memprofraw
	refused 'none: No such file' \
	    prof-symbolize --binary none app-22.memprofraw
	need cc
	echo 'int x;' >x.c
	cc -c x.c
	refused 'x.o: an object, which is not linked yet' \
	    prof-symbolize --binary x.o app-22.memprofraw
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

@test 'options' {
	usage_error 'one of --binary, ' prof-symbolize app-22.memprofraw
	usage_error '--map takes START=FILE' prof-symbolize --map x=app a
	usage_error '--map takes START=FILE' prof-symbolize --map 0x10 a
	usage_error '--map takes START=FILE' prof-symbolize --map 0x10= a
}

# Of a profile with frames, a line for each address that has some: the address
# in the run, and of each frame name and numbers.
addresses() {
	jq -c 'select(.record == "stack") | [.pcs, (reduce .frames[] as $f
	    ([[]]; .[-1] += [$f] | if $f.inline then . else . + [[]] end) |
	    .[:-1])] | transpose[] | select(.[1][0].function) | [(.[0] |
	    if type == "array" then .[1] else . end), (.[1] | map([.function,
	    .file, .line // 0, .column // 0, .discriminator // 0,
	    .start_line // 0]))]' "$@" | sort -u
}

# judge BIAS DEBUG-FILE: whether llvm-symbolizer says the same of the addresses
# in the file ours.
judge() {
	local pc

	for pc in $(jq -r '.[0]' ours); do
		printf '0x%x\n' $((pc - $1))
	done | llvm-symbolizer-22 -e "$2" --inlines --no-demangle \
	    --output-style=JSON | jq -c '.Symbol | map([.FunctionName,
	    .FileName, .Line, .Column, .Discriminator, .StartLine])' >theirs
	[ -s theirs ] && same theirs <(jq -c '.[1]' ours)
}

@test 'frames of all samples are those of llvm-symbolizer' {
	local raw name dbg bias

	need_corpus
	need llvm-symbolizer-22
	for raw in $(some 4 "$PROFTOOLS_CORPUS"/memprof/*.raw); do
		name=${raw##*/}
		name=${name%.raw}
		case $name in
		*-9rounds | *v3synth* | *mix35*)
			dbg=ctx-v22-nopie ;;
		*)
			dbg=$name ;;
		esac
		dbg=$PROFTOOLS_CORPUS/memprof/$dbg.dbg
		echo "$name"
		prof-symbolize -q --binary "$dbg" "$raw" >out
		bias=$(jq -r 'select(.id == 0) | if .file_addresses then
		    .start else .offset end' out | head -n 1)
		case $name in
		ctx-v1[456]-nopie) bias=0 ;;
		esac
		addresses out >ours
		judge "$bias" "$dbg"
	done
}

@test 'frames of a library too, with two binaries' {
	local dir

	need_corpus
	dir=$PROFTOOLS_CORPUS/memprof
	prof-symbolize -q --binary "$dir/solib-v22.dbg" \
	    --binary "$dir/solib-v22.libso.dbg" "$dir/solib-v22.raw" >out
	prof-symbolize -q --binary "$dir/solib-v22.dbg" \
	    "$dir/solib-v22.raw" >less
	frames out
	[ "$(frames out | grep -c so.cpp)" -gt 0 ]
	[ "$(frames out | tr , '\n' | grep -c cpp)" -gt \
	    "$(frames less | tr , '\n' | grep -c cpp)" ]
}

@test 'position-independent programs of raw 1 and 2 as others' {
	local release dir

	need_corpus
	dir=$PROFTOOLS_CORPUS/memprof
	for release in 14 15 16; do
		for kind in pie nopie; do
			prof-symbolize -q \
			    --binary "$dir/ctx-v$release-$kind.dbg" \
			    "$dir/ctx-v$release-$kind.raw" |
			    jq -c 'select(.record == "stack") | .frames' \
			    >"$kind"
		done
		grep -q '"_Z5pathAm"' pie
		same nopie pie
	done
}

@test 'other machines' {
	local target probe

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
		probe=$(nm app 2>/dev/null | sed -n 's/ T probe$//p')
		stack "$(id_of app)" "$probe" >profile
		prof-symbolize --binary app profile | frames |
		    same - <(printf '["inner %s:4+","_start %s:10"]\n' \
		    "$PWD/probe.c" "$PWD/probe.c")
	done
}
