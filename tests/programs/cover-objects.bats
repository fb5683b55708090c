# What prof-cover does with binaries: formats, archives, and the search for them.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	cp "$(data cover)"/*.o "$(data cover)"/code.* .
}

# covers FILE...: the tracefile is that of code.c.
covers() {
	prof-cover --to lcov code.proftext "$@" >got 2>said && same code.info got
}

with_id='{"record":"binary","build_id":"abcdef"}'

# Makes code.ndjson, of a program with that id.
profile_with_id() {
	profraw-cat code.proftext | sed "1a$with_id" >code.ndjson
}

# with_build_id OBJECT: a copy with the id abcdef, as `identified`.
with_build_id() {
	printf '\4\0\0\0\3\0\0\0\3\0\0\0GNU\0\253\315\357\0' >note
	objcopy --add-section .note.gnu.build-id=note "$1" identified
}

@test 'objects of all formats' {
	local object

	for object in *-*-*.o; do
		covers "$object"
		quiet <said
		covers - <"$object"
	done
	covers --arch arm64 universal.o
	covers --arch armv7 universal.o
	covers --arch aarch64 --arch amd64 x86_64-apple-macosx.o
	refused 'universal\.o: Mach-O: .* armv7, arm64: which one, --arch says$' \
	    prof-cover --to lcov code.proftext universal.o
	refused 'universal\.o: Mach-O: a universal file of .*, not of i386$' \
	    prof-cover --arch i386 code.proftext universal.o
	refused 'gnu\.o: ELF: it is of x86_64, not of arm64$' \
	    prof-cover --arch arm64 code.proftext x86_64-linux-gnu.o
	head -c 3000 x86_64-linux-gnu.o >cut.o
	refused 'cut\.o: truncated: 0x[0-9a-f]*: ELF: .* exceed the file of 3000' \
	    prof-cover --to lcov code.proftext cut.o
}

@test 'sums of several programs with different numbers of counters' {
	local n

	for n in 1 2 3 4; do
		profraw-cat code.proftext | jq -c --argjson n "$n" '
		    if .record == "profile" then
			., { record: "binary", build_id: "0\($n)" }
		    elif .name == "half" then
			.counts += [range($n * $n * 1000) | 1]
		    else . end' >"$n.ndjson"
	done
	prof-cover --to lcov code.proftext{,,,} x86_64-linux-gnu.o >want
	prof-cover --to lcov [1234].ndjson x86_64-linux-gnu.o >got
	same want got
}

@test 'archives, with members that are no objects' {
	need ar
	cp s390x-linux-gnu.o a-name-of-more-than-fifteen-bytes.o
	ar rcs lib.a code.c a-name-of-more-than-fifteen-bytes.o \
	    x86_64-linux-gnu.o
	covers lib.a
	[ "$(cat said)" = 'prof-cover: skipped 1 file that is not a profile' ]
	tar cf all.tar x86_64-linux-gnu.o lib.a
	covers all.tar
	head -c 3000 x86_64-linux-gnu.o >cut.o
	ar rcs bad.a x86_64-linux-gnu.o cut.o
	refused 'bad\.a\[cut\.o\]: truncated: 0x[0-9a-f]*: ELF: .* exceed the file' \
	    prof-cover --to lcov code.proftext bad.a
	run -1 prof-cover --keep-going --to lcov code.proftext bad.a -o got
	same code.info got
}

@test 'thin archives' {
	need ar
	mkdir -p in/sub
	mv x86_64-linux-gnu.o in/sub/x.o
	cp code.c in/stray.txt
	(cd in && ar rcsT thin.a stray.txt sub/x.o)
	covers in/thin.a
	[ "$(cat said)" = 'prof-cover: skipped 1 file that is not a profile' ]
	cd in
	cp ../code.* .
	covers thin.a
	covers thin.a thin.a
	head -c 80 thin.a >cut.a
	refused 'cut\.a: [a-z]+: 0x[0-9a-f]*: thin archive: the table of names is cut' \
	    prof-cover --to lcov code.proftext cut.a
	head -c 100 sub/x.o >x && mv x sub/x.o
	refused 'thin\.a: .*sub/x\.o: ELF: .* exceed the file of 100' \
	    prof-cover --to lcov code.proftext thin.a
	rm sub/x.o
	refused 'thin\.a: sub/x\.o: cannot open' \
	    prof-cover --to lcov code.proftext thin.a
}

@test 'binaries that are found by build id' {
	need objcopy
	profile_with_id
	with_build_id x86_64-linux-gnu.o
	mkdir -p dir/.build-id/ab
	cp identified dir/.build-id/ab/cdef
	prof-cover --to lcov code.ndjson --debug-dir none --debug-dir dir >got
	same code.info got
	# One that is there is not looked for.
	echo damaged >dir/.build-id/ab/cdef.debug
	prof-cover --to lcov code.ndjson --debug-dir dir >got
	same code.info got
	printf '\177ELF and nothing more' >dir/.build-id/ab/cdef
	prof-cover --to lcov code.ndjson identified --debug-dir dir >got
	same code.info got
	refused 'dir/\.build-id/ab/cdef: ELF: .*cut off' \
	    prof-cover --to lcov code.ndjson --debug-dir dir
	rm dir/.build-id/ab/cdef
	refused 'no binary with coverage' prof-cover --to lcov code.ndjson --debug-dir dir
}

@test 'profiles whose binary is not there' {
	local lost='no binary has the build id abcdee of a profile: its counts are'

	need objcopy
	profile_with_id
	with_build_id x86_64-linux-gnu.o
	sed 's/abcdef/abcdee/' code.ndjson >other.ndjson
	# Another build of the same sources.
	warns "$lost taken by the names and hashes" -- \
	    prof-cover --to lcov other.ndjson identified >got
	same code.info got
	# Beside a profile that has its binary.
	warns "$lost left out" -- \
	    prof-cover --to lcov code.ndjson other.ndjson identified >got
	same code.info got
	# A binary without id has all profiles.
	quiet prof-cover --to lcov other.ndjson x86_64-linux-gnu.o | same code.info -
}

# strip keeps the names, which are in memory, and a debug file the mapping.
@test 'a stripped program and its debug file' {
	need objcopy
	profile_with_id
	with_build_id x86_64-linux-gnu.o
	objcopy -R __llvm_covmap -R __llvm_covfun identified stripped
	objcopy -R __llvm_prf_names identified debug
	prof-cover --to lcov code.ndjson stripped debug >got
	same code.info got
	mkdir -p dir/.build-id/ab
	cp debug dir/.build-id/ab/cdef.debug
	prof-cover --to lcov code.ndjson stripped --debug-dir dir >got
	same code.info got
	refused 'no binary with coverage' prof-cover --to lcov code.ndjson stripped
	refused 'no binary with coverage' prof-cover --to lcov code.ndjson debug
	# Beside another binary, what is missing is said.
	warns 'stripped: warning: has no mapping .*its coverage is left out' \
	    -- prof-cover --to lcov code.ndjson stripped s390x-linux-gnu.o >got
	warns 'debug: warning: has no names of functions ' \
	    -- prof-cover --to lcov code.ndjson debug s390x-linux-gnu.o >got
}

@test 'objects without coverage are passed over' {
	need objcopy
	objcopy -R __llvm_covmap x86_64-linux-gnu.o plain.o
	covers plain.o i386-linux-gnu.o
	refused 'no binary with coverage' prof-cover --to lcov code.proftext plain.o
}
