# prof-symbolize and heap profiles: addresses to frames.
#
# app-14 is a profile of raw version 1, without build ids; app-22 is of version
# 5.  Both are position-independent and have a shared library.

load ../support/helper
load ../support/symbolize

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
	warns 'warning: NameRefs without a name: 1$' \
	    'warning: nothing in the profile needs functions of a binary$' -- \
	    prof-symbolize --binary app-22.debug values.profraw |
	    same - <(profraw-cat values.profraw)
}

@test 'raw versions without build ids: segments of the right size' {
	local name

	quiet prof-symbolize -q --binary app-14.debug \
	    --binary libpart-14.debug app-14.memprofraw >out
	both out | same - <(want_frames)
	# No segment has the size of this library's code.
	warns 'debug information: .*, of build id none' 'in no function' -- \
	    prof-symbolize --binary app-14.debug app-14.memprofraw >out
	both out | grep -c part && return 1
	both out | grep -c main
	# Nor have the binaries any: each is one for itself.
	need objcopy
	for name in app libpart; do
		objcopy --remove-section .note.gnu.build-id $name-14.debug
		readelf -n $name-14.debug | grep -c 'Build ID' && return 1
	done
	quiet prof-symbolize -q --binary app-14.debug \
	    --binary libpart-14.debug app-14.memprofraw >out
	both out | same - <(want_frames)
	quiet prof-symbolize -q --binary libpart-14.debug \
	    --binary app-14.debug app-14.memprofraw >out
	both out | same - <(want_frames)
}

@test 'segments in memory without build ids: of the right address and size' {
	local name

	need objcopy
	for name in app libpart; do
		objcopy --remove-section .note.gnu.build-id $name-22.debug
	done
	profraw-cat app-22.memprofraw |
	    sed '/"segment"/s/,"build_id":"[0-9a-f]*"//' >nameless
	quiet prof-symbolize -q --binary libpart-22.debug \
	    --binary app-22.debug nameless >out
	both out | same - <(want_frames)
}

@test 'each profile of a stream has segments of its own' {
	profraw-cat app-14.memprofraw >run
	{
		grep '"profile"' run
		grep '"segment"' run | tac
		echo '{"record":"end"}'
		cat run
	} >stream
	quiet prof-symbolize -q --binary libpart-14.debug \
	    --binary app-14.debug stream >out
	both out | same - <(want_frames)
}

@test 'segments without build ids, in what prof-merge makes of two runs' {
	awk '{ gsub(/0x00005/, "0x00006"); gsub(/0x00007/, "0x00008"); print }
	    ' < <(profraw-cat app-14.memprofraw) >other
	prof-merge -q app-14.memprofraw other >sum
	prof-symbolize -q --binary libpart-14.debug --binary app-14.debug \
	    sum >out
	both out | sort | same - <({ want_frames; want_frames; } | sort)
}

@test 'an absolute address of a sum is not in segments of other runs' {
	local inputs

	profraw-cat app-14.memprofraw >run
	# The other run has the same address outside of its only segment.
	sed '/"id":0,/d; /"segment"/{ /"id":1,/!d }; /"stack"/{
	    /"id":"0x0*5"/!d; s/"pcs":.*\]/"pcs":["0x0000560b3df0e423"]/
	    }; /"allocation"/{ /"stack":"0x0*5"/!d }' run >other
	prof-merge -q run other >sum
	prof-symbolize -q --binary app-14.debug --binary libpart-14.debug \
	    sum >out
	both out | sort | same - <(want_frames | sort)
	jq -c 'select(.pcs == ["0x0000560b3df0e423"]).frames' out >got
	echo '[{}]' | same - got
	# In a profile of one run, that address is in a segment.
	for inputs in '' ',"inputs":1'; do
		sed "s/,\"inputs\":2/$inputs/" sum |
		    prof-symbolize -q --binary app-14.debug |
		    jq -c 'select(.pcs == ["0x0000560b3df0e423"]).frames' |
		    grep -q '"function":"fill"'
	done
}

# interleaved PROGRAM COVER: 400 segments, each followed by a stack with an
# address of the program.  Number PROGRAM is that of the program, which COVER
# contains too.
interleaved() {
	printf '{"record":"profile","stream":1,"kind":"memprof"}\n'
	awk -v program="$1" -v cover="$2" 'BEGIN {
		for (i = 0; i < 400; i++) {
			start = sprintf("0x%016x", i * 4096)
			end = sprintf("0x%016x", (i + 1) * 4096)
			more = "\"build_id\":\"aa\""
			if (i == program)
				more = "\"file_addresses\":true"
			if (i == program || i == cover) {
				start = "0x0000560b3de9a000"
				end = "0x0000560b3df32000"
			}
			printf "{\"record\":\"segment\",\"id\":%d,", i
			printf "\"start\":\"%s\",\"end\":\"%s\",", start, end
			printf "\"offset\":\"0x%016x\",%s}\n", 0, more
			printf "{\"record\":\"stack\",\"id\":\"0x%016x\",", i
			print "\"pcs\":[\"0x0000560b3df0e423\"]}"
		}
	}'
	printf '{"record":"end","last":true}\n'
}

@test 'segments between stacks: an address is in the first around it' {
	local program cover want

	while read -r program cover want; do
		echo "$program $cover"
		interleaved "$program" "$cover" |
		    prof-symbolize -q --binary app-14.debug >out
		grep -c '"function":"fill"' out | same - <(echo "$want")
	done <<-'END'
	0 399 400
	1 2 399
	63 64 337
	64 65 336
	70 399 330
	100 250 300
	100 300 300
	130 131 270
	250 251 150
	390 391 10
	399 0 0
	250 100 0
	END
}

@test 'a folder that is relative is in front of a file once' {
	local version

	for version in 4 5; do
		build app -g -gdwarf-$version "-ffile-prefix-map=$PWD=."
		quiet prof-symbolize --binary app profile | frames | same - \
		    <(echo '["inner ./probe.c:4+","outer ./probe.c:10"]')
	done
}

@test 'a folder in front of a file is in that of the compiler' {
	local version folder

	build app -g
	mkdir inc
	sed -n '1,/^}/p' probe.c >inc/inner.h
	sed '1,/^}/c #include "inner.h"' probe.c >outer.c
	for version in 4 5; do
		for folder in "$PWD" .; do
			cc -O1 -g -gdwarf-$version -Iinc -Wl,--build-id=sha1 \
			    "-ffile-prefix-map=$PWD=$folder" -o app outer.c
			profile_of app
			quiet prof-symbolize --binary app profile | frames |
			    same - <(printf '["inner %s:4+","outer %s:6"]\n' \
			    "$folder/inc/inner.h" "$folder/outer.c")
		done
	done
}

@test 'names of one address are demangled, each or not' {
	need g++ nm readelf
	cat >both.cc <<-'END'
	extern "C" {
	static inline __attribute__((always_inline)) void
	inner()
	{
		__asm__ volatile (".globl probe\nprobe: nop");
	}
	}
	__attribute__((noinline)) void
	outer(int)
	{
		inner();
	}
	int
	main()
	{
		outer(0);
	}
	END
	g++ -O1 -g -Wl,--build-id=sha1 -o app both.cc
	profile_of app
	quiet prof-symbolize --binary app profile | frames |
	    same - <(printf '["inner %s:5+","_Z5outeri %s:11"]\n' \
	    "$PWD/both.cc" "$PWD/both.cc")
	quiet prof-symbolize --demangle --binary app profile | frames |
	    same - <(printf '["inner %s:5+","outer(int) %s:11"]\n' \
	    "$PWD/both.cc" "$PWD/both.cc")
}

@test 'segments without build ids that do not begin where the file does' {
	local offset size start=0x7f0000000000

	build app -g
	read -r offset size <<<"$(readelf -lW app |
	    awk '$1 == "LOAD" && /R E/ { print $2, $5 }')"
	{
		printf '{"record":"profile","stream":1,"kind":"memprof"}\n'
		printf '{"record":"segment","id":0,"start":"0x%016x",' $((start))
		printf '"end":"0x%016x",' $((start + (size + 4095) / 4096 * 4096))
		printf '"offset":"0x%016x","file_addresses":true}\n' \
		    $((offset))
		printf '{"record":"stack","id":"0x%016x","pcs":["0x%016x"]}\n' 1 \
		    $((start + 0x$(address app probe) - offset))
		sed -n '/allocation/,$p' profile
	} >by-range
	quiet prof-symbolize --binary app by-range | frames |
	    same - <(prof-symbolize --binary app profile | frames)
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
	local app other n long shown

	need readelf
	app=$(id_of app-22.debug)
	other=$(id_of app-14.debug)
	refused "app-14.debug has build id $other, modules .* have $app, $(
	    )[0-9a-f]{40} and 6 more\$" \
	    prof-symbolize --binary app-14.debug app-22.memprofraw
	refused "app-14.debug has build id $other, .*$app" \
	    prof-symbolize --binary app-14.debug -o file app-22.memprofraw
	[ ! -e file ]
	# Of a path of more than 40 bytes, the end.
	for n in 27 28; do
		long=$(printf 'x%.0s' $(seq $n))/app-14.debug
		mkdir "${long%/*}"
		cp app-14.debug "$long"
		shown=$long
		[ $n -eq 27 ] || shown='\.\.\.'${long: -37}
		refused " $shown has build id $other, modules " \
		    prof-symbolize --binary "$long" app-22.memprofraw
	done
	warns "app-14.debug has build id $other, .*$app" \
	    'without debug information' 'in no function' -- \
	    prof-symbolize --binary app-14.debug --binary app-22.debug \
	    app-22.memprofraw >out
	refused "have none at 0x560b3de9a000, none at 0x7fe090fc6000 $(
	    )and 5 more\$" prof-symbolize --binary app-22.debug app-14.memprofraw
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
	warns 'without debug' 'in no function' -- prof-symbolize \
	    --map "${start#0x}=app-22.debug" --binary app-22.debug \
	    app-22.memprofraw >out
	prof-symbolize -q --binary app-22.debug app-22.memprofraw | cmp - out
	refused "segment at 0x[0-9a-f]* has build id .*, app-14.debug has " \
	    prof-symbolize --map "$start=app-14.debug" app-22.memprofraw
	warns 'no segment begins at 0x1$' 'without debug' 'in no function' -- \
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
	warns 'contexts left out, .*: 1, of bytes: 320$' \
	    'without debug information' 'in no function' -- \
	    prof-symbolize "${args[@]:1}" part >out
	[ "$(jq -c '.stack // .id // empty' out | grep -c 0001\")" -eq 2 ]
	[ "$(jq -c '.stack // .id // empty' out | grep -c 0002\")" -eq 0 ]
	profraw-cat app-22.memprofraw | jq -c 'if .record == "stack" then
	    .pcs |= map("0x0000000000000001") else . end' >nowhere
	cat part nowhere >both
	refused 'no stack is left, of 2: no address' \
	    prof-symbolize "${args[@]}" both
}

@test 'what LLVM makes of the profile' {
	need llvm-profdata-22
	llvm-profdata-22 merge --memprof-version=4 app-22.memprofraw \
	    --profiled-binary app-22.debug -o theirs
	prof-symbolize -q --drop-unsymbolized --binary app-22.debug \
	    --to indexed:memprof-4 -o ours app-22.memprofraw
	cmp theirs ours
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
	printf '\177ELF' >file
	refused 'file: ELF header: ' \
	    prof-symbolize --binary file app-22.memprofraw
	: >file
	refused 'file: not an ELF file' \
	    prof-symbolize --binary file app-22.memprofraw
	refused '\.: not a file' prof-symbolize --binary . app-22.memprofraw
	refused 'none: No such file' \
	    prof-symbolize --binary none app-22.memprofraw
	need cc
	echo 'int x;' >x.c
	cc -c x.c
	refused 'x.o: an object file that is not linked' \
	    prof-symbolize --binary x.o app-22.memprofraw
}

@test 'options' {
	usage_error 'one of --binary, ' prof-symbolize app-22.memprofraw
	usage_error '--map needs START=FILE' prof-symbolize --map x=app a
	usage_error '--map needs START=FILE' prof-symbolize --map 0x10 a
	usage_error '--map needs START=FILE' prof-symbolize --map 0x10= a
	usage_error '--map has two files for the segment at 0x10$' \
	    prof-symbolize --map 0x10=b --map 20=b --map 10=c a
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
