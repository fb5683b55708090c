# Source files of heap profiles, behind indexed files.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# Stack 1 is _Z4makev called by FUNCTION; more keys of each frame are optional.
called_by() {
	printf '{"record":"stack","id":"0x%016x","frames":[' "$1"
	printf '{"function":"_Z4makev",%s%s},' "$place" "${3-}"
	printf '{"function":"%s",%s%s}]}\n' "$2" "$place" "${4-}"
}
place='"line_offset":2,"column":9'

# allocated STACK COUNT LIFETIME
allocated() {
	printf '{"record":"allocation","stack":"0x%016x","info":{' "$1"
	printf '"alloc_count":%s,"total_size":170,"min_size":41,' "$2"
	printf '"max_size":44,"num_migrated_cpu":70000,"total_lifetime":%s,' \
	    "$3"
	printf '"total_lifetime_access_density":0}}\n'
}

heap() {
	profile '' "$(called_by 1 _Z3hotv \
	    ',"file":"/src/new.cpp","line":4,"discriminator":3' \
	    ',"file":"/src/lib/new.h","line":4000000000')" \
	    "$(called_by 2 _Z4coldv.llvm.77)" "$(allocated 1 4 10)" \
	    "$(allocated 2 1 900000)" "$@" | sed 1s/instr/memprof/
}

@test 'what is behind a file, byte for byte' {
	heap | head -n 2 | cat - <(allocated 1 4 10; printf \
	    '{"record":"end","last":true}\n') >stream
	prof-index -o plain stream
	prof-index --to indexed:sources -o full stream
	cmp plain <(head -c "$(wc -c <plain)" full)
	tail -c +$(($(wc -c <plain) + 1)) full | od -An -v -tx1 |
	    sed 's/^ //' >got
	# Header; stacks: the whole one and its caller; three entries; two in the
	# overflow table; nodes: 0, "", src, lib, new.h, new.cpp; strings; two
	# names; trailer.
	same got - <<-'END'
	4d 50 52 46 43 53 59 4d 01 00 00 00 60 00 00 00
	18 14 14 00 00 00 00 00 02 00 00 00 00 00 00 00
	03 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00
	06 00 00 00 00 00 00 00 28 00 00 00 00 00 00 00
	60 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00
	02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
	16 c7 fb 28 ec 3a 07 6b 00 00 00 00 01 00 00 00
	2d a8 12 7c bc 3a f0 a6 01 00 00 00 02 00 00 00
	ff ff ff ff ff ff ff ff 03 00 40 00 00 05 00 00
	ff ff ff ff ff ff ff ff 00 00 00 00 00 00 00 00
	04 00 00 00 00 28 6b ee 00 00 00 00 00 00 00 00
	02 00 00 00 00 00 00 00 04 00 00 00 00 28 6b ee
	00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
	00 00 00 00 00 00 00 00 01 00 00 00 02 00 00 00
	05 00 00 00 03 00 00 00 09 00 00 00 04 00 00 00
	0f 00 00 00 03 00 00 00 00 73 72 63 00 6c 69 62
	00 6e 65 77 2e 68 00 6e 65 77 2e 63 70 70 00 5f
	5a 34 6d 61 6b 65 76 00 5f 5a 33 68 6f 74 76 00
	a0 4c 58 7a 7a 7d b6 c7 17 00 00 00 00 00 00 00
	65 c1 1a 3f 51 4d f8 f9 20 00 00 00 00 00 00 00
	50 03 00 00 00 00 00 00 60 01 00 00 00 00 00 00
	0c 92 bc 92 01 00 00 00 4d 50 52 46 43 45 4e 44
	END
}

@test 'files, lines and names come back' {
	heap >stream
	quiet prof-index --to indexed:sources -o full stream
	quiet profraw-cat full >got
	jq -c 'select(.record == "stack" and (.frames | length) == 2).frames |
	    map([.function, .file, .line, .start_line, .discriminator])' got |
	    sort >frames
	same frames - <<-'END'
	[["_Z4makev","/src/new.cpp",4,2,3],["_Z3hotv","/src/lib/new.h",4000000000,3999999998,null]]
	[["_Z4makev",null,null,null,null],["_Z4coldv",null,null,null,null]]
	END
	jq -r 'select(.record == "memprof_function").name' got | sort |
	    same - <(printf '_Z%s\n' 3hotv 4coldv 4makev)
	# A file that is made of it again is the same.
	quiet prof-index --to indexed:sources -o again full
	cmp full again
	quiet prof-index --to indexed:sources -o again got
	cmp full again
	# Without the option nothing is left of it.
	prof-index -o plain stream
	quiet prof-index -o again full
	cmp plain again
}

# Stacks without an allocation are not in the indexed file.
@test 'of stacks that are not there, nothing is kept' {
	heap "$(called_by 3 _Z4idlev ',"file":"/src/other.cpp","line":1' \
	    ',"file":"/src/idle.cpp","line":7')" >more
	heap >stream
	quiet prof-index --to indexed:sources -o full more
	prof-index --to indexed:sources -o want stream
	cmp want full
	prof-merge -q -o merged "$(data heap/idle-stacks.ndjson)"
	prof-index -q --to indexed:sources -o one merged
	prof-index -q --to indexed:sources -o two one
	cmp one two
	grep -q MPRFCSYM one
	! grep -q 'keep it' one
}

# The files are in the order of hashes of their names.
@test 'of stacks that are one for compilers, the least place is kept' {
	local i order places=('"b.c","line":4' '"a.c","line":7' \
	    '"a.c","line":5,"discriminator":2' '"a.c","line":5')

	for order in '0 1 2 3' '3 2 1 0' '2 0 3 1' '0 1 2' '2 1' '1 0'; do
		for i in $order; do
			called_by $((i + 1)) _Z3hotv ",\"file\":${places[i]}"
			allocated $((i + 1)) 1 10
		done | cat <(echo '{"record":"profile","stream":1,"kind":"memprof"}') \
		    - <(echo '{"record":"end","last":true}') |
		    prof-index -q --to indexed:sources -o full -
		profraw-cat -q full | jq -c 'select(.record == "stack") |
		    .frames | select(length == 2)[0] |
		    [.file, .line, .discriminator]' | sort -u
	done | paste -sd' ' | same - <(echo '["a.c",5,null] ["a.c",5,null]' \
	    '["a.c",5,null] ["a.c",5,2] ["a.c",5,2] ["a.c",7,null]')
}

@test 'portable entries' {
	heap >stream
	warns 'warning: 2 values are too large for the types of the RFC, and '$(
	    )'became the largest$' -- \
	    prof-index --to indexed:entries -o full stream
	prof-index --to indexed:sources -o short stream
	[ "$(wc -c <full)" -gt "$(wc -c <short)" ]
	same <(profraw-cat short | unsourced) <(profraw-cat full | unsourced)
	usage_error "'elf' is not a version of indexed, nor " \
	    prof-index --to indexed:elf -o no stream
}

@test 'a damaged section is none' {
	heap >stream
	prof-index -o plain stream
	prof-index --to indexed:sources -o full stream
	head -c -1 full >cut
	refused 'cut: 0x[0-9a-f]*: [0-9]* bytes follow the last section$' \
	    profraw-cat cut
	{ cat full; echo; } >long
	refused 'long: 0x[0-9a-f]*: [0-9]* bytes follow the last section$' \
	    profraw-cat long
}

@test 'profiles of counters and stacks' {
	heap "$(fn _Z3hotv 1 5,6)" | sed '1s/memprof/mixed/' >stream
	quiet prof-index --to indexed:sources -o full stream
	profraw-cat full >got
	[ "$(jq -c 'select(.record == "function").counts' got)" = '[5,6]' ]
	grep -q '"file":"/src/new.cpp"' got
	prof-index -o plain stream
	for llvm in 19 22; do
		command -v llvm-profdata-$llvm || continue
		prof-index --for llvm-$llvm --to indexed:sources -o full stream
		prof-index --for llvm-$llvm -o plain stream
		same <(llvm-profdata-$llvm show --all-functions --counts \
		    plain) <(llvm-profdata-$llvm show --all-functions \
		    --counts full)
	done
}

@test 'LLVM shows the same' {
	need llvm-profdata-22
	heap >stream
	for version in 2 3 4; do
		prof-index --to indexed:memprof-$version -o plain stream
		prof-index -q --to indexed:memprof-$version,entries \
		    -o full stream
		! cmp -s plain full || return 1
		llvm-profdata-22 show --memory plain >want
		llvm-profdata-22 show --memory full | same want -
	done
}

# compiled N VERSION: IR of clang N with a profile of that indexed version, with
# and without source files, and without a profile.
compiled() {
	prof-index --to indexed:"$2" -o plain stream
	prof-index -q --to indexed:"$2",entries -o full stream
	cat >new.cpp <<-'END'
	char *
	make()
	{
	 return new char[10];
	}
	char *
	hot()
	{
	 return make();
	}
	char *
	cold()
	{
	 return make();
	}
	END
	set -- clang++-"$1" -O2 -g -S -emit-llvm -o - new.cpp
	"$@" >without
	"$@" -fmemory-profile-use=plain >want
	"$@" -fmemory-profile-use=full >got
	! cmp -s without want || return 1
	grep -q '!memprof' want
	cmp want got
}

@test 'clang 22 compiles the same' {
	need clang++-22
	heap >stream
	compiled 22 13
}

@test 'clang 19 compiles the same' {
	need clang++-19
	heap >stream
	compiled 19 12
}
