# prof-symbolize and correlated profiles: counters whose functions only the
# binary knows.

load ../support/helper
load ../support/oracle

setup() {
	cd "$BATS_TEST_TMPDIR"
	unset DEBUGINFOD_URLS
}

# symbolize PROFILE BINARY...: of the test data, without their folders.
symbolize() {
	local binary args=()

	for binary in "${@:2}"; do
		args+=(--binary "$top_srcdir/tests/data/correlate/$binary")
	done
	(cd "$top_srcdir/tests/data/good" &&
	    prof-symbolize "${args[@]}" "correlated-$1.profraw")
}

# Fails unless PROFILE with the binaries prints the golden file of its name.
says() {
	quiet symbolize "$@" >out
	golden "correlate/$1" <out
}

# is_refused REGEX PROFILE BINARY...: the last line on standard error.
is_refused() {
	local status=0

	symbolize "${@:2}" >out 2>stderr || status=$?
	if [ "$status" -ne 2 ] || ! is_given_up out ||
	    ! [[ $(tail -n 1 stderr) =~ $1 ]]; then
		tell "$status" "${@:2}"
		return 1
	fi
}

@test 'records in sections that are not loaded' {
	says binary program library
	says binary library program
	says v9-32be v9-32be
	says v11 v11
	says v11-32be v11-32be
	says temporal temporal
}

@test 'debug info' {
	says debug debug
	says debug-32be debug-32be
	says coverage coverage
}

@test 'what correlation makes of a profile can be indexed, and read again' {
	symbolize debug debug >stream
	prof-index -o indexed stream
	grep '"function"' stream >expected
	profraw-cat indexed | grep '"function"' >got
	same <(sort expected) <(sort got)
}

@test 'a stream is correlated as the raw profile is' {
	local good=$top_srcdir/tests/data/good

	symbolize binary program library | unsourced >expected
	profraw-cat "$good/correlated-binary.profraw" |
	    prof-symbolize --binary "$top_srcdir/tests/data/correlate/program" \
	    --binary "$top_srcdir/tests/data/correlate/library" |
	    unsourced >got
	[ "$(grep -c '"function"' got)" -eq 4 ]
	same expected got
}

@test 'debug information stands for records, if a binary has none' {
	need objcopy
	profraw-cat "$top_srcdir/tests/data/good/correlated-debug.profraw" |
	    sed 's/debug_info_correlated/binary_correlated/' >profile
	cp "$top_srcdir/tests/data/correlate/debug" none
	objcopy --add-section __llvm_covdata=/dev/null none empty
	for binary in none empty; do
		quiet prof-symbolize --binary $binary profile |
		    grep '"function"' | same - <(symbolize debug debug |
		    grep '"function"')
	done
}

# Front-end hashes of version 13 have no bits 60 to 63; one of the library has.
@test 'hashes exclude the versions that they cannot be of' {
	profraw-cat "$top_srcdir/tests/data/good/correlated-binary.profraw" |
	    sed 's/"level":"ir"/"level":"frontend","frontend_versions":[1,13]/' |
	    prof-symbolize --binary "$top_srcdir/tests/data/correlate/program" \
	    --binary "$top_srcdir/tests/data/correlate/library" |
	    grep -o '"frontend_versions":[^]]*' |
	    same - <(printf '"frontend_versions":[%s\n' 1,13 12,12)
}

# Of a binary of 100000 functions, whose counters are one, and of one that is
# damaged behind them.
@test 'a binary is read once, for profiles of several versions too' {
	need python3
	python3 - <<-'END'
	import struct
	texts = b"CFG Hash\0Num Counters\0Function Name\0"
	names = b"\0.debug_abbrev\0.debug_info\0.debug_str\0__llvm_prf_cnts\0"
	# A unit, functions with counters, and two kinds of annotations.
	abbrev = b"\1\x11\1\0\0" b"\2\x2e\1\3\x08\0\0" b"\3\x34\1\3\x08\2\x18\0\0" \
	    b"\4\x80\xc0\1\0\3\x0e\x1c\x0f\0\0" b"\5\x80\xc0\1\0\3\x0e\x1c\x08\0\0\0"
	def function(counters):
	    return b"\2f\0\3__profc_\0\x09\3" + struct.pack("<Q", 0x4000) + \
	        b"\4" + struct.pack("<I", 0) + b"\1" + \
	        b"\4" + struct.pack("<I", 9) + bytes([counters]) + \
	        b"\5" + struct.pack("<I", 22) + b"f\0\0\0"
	def write(path, functions):
	    unit = b"\5\0\1\x08\0\0\0\0\1" + functions + b"\0"
	    parts = [abbrev, struct.pack("<I", len(unit)) + unit, texts, names]
	    at, table = 64, bytes(64)
	    for name, part in zip((1, 15, 27, 0), parts):
	        table += struct.pack("<IIQQQQIIQQ", name, 3 if name == 0 else 1,
	            0, 0, at, len(part), 0, 0, 1, 0)
	        at += len(part)
	    table += struct.pack("<IIQQQQIIQQ", 38, 8, 3, 0x4000, at, 8, 0, 0, 8, 0)
	    with open(path, "wb") as f:
	        f.write(b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
	            "<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, at, 0, 64, 56, 0, 64, 6, 4))
	        f.write(b"".join(parts) + table)
	write("large", function(1) * 100000)
	write("damaged", function(1) * 100000 + function(9))
	END
	awk 'BEGIN {
		for (i = 0; i < 600; i++) {
			print "{\"record\":\"profile\",\"stream\":1," \
			    "\"kind\":\"instr\",\"level\":\"ir\"," \
			    "\"debug_info_correlated\":true,\"source\":" \
			    "{\"file\":\"f\",\"format\":\"raw\"," \
			    "\"version\":" 8 + i % 2 \
			    ",\"endian\":\"little\",\"pointer_bits\":64}" \
			    (i % 3 == 0 ? ",\"byte_coverage\":true" : "") "}"
			print "{\"record\":\"raw_counters\",\"counts\":[" \
			    (i % 3 == 0 ? "0,0,0,0,0,0,0,0" : 7) "]}"
			print "{\"record\":\"end\"" \
			    (i == 599 ? ",\"last\":true" : "") "}"
		} }' >many
	brief prof-symbolize --binary large many >got
	[ "$(grep -c '"name":"f"' got)" -eq 600 ]
	[ "$(grep -c '"counts":\[7\]' got)" -eq 400 ]
	brief prof-symbolize --binary damaged --binary large many | cmp got -
}

@test 'a binary that the profile does not need is no harm' {
	cd "$top_srcdir/tests/data/correlate"
	warns '/v9-32be has build id none, and belongs to no profile$' \
	    '/debug-32be has build id none, and belongs to no profile$' -- \
	    symbolize binary program v9-32be bad/names debug-32be library \
	    bad/other-id >"$BATS_TEST_TMPDIR/out"
	golden correlate/binary <"$BATS_TEST_TMPDIR/out"
	# A binary that counters need is not said to lack in a heap profile.
	warns '^[^ ]* warning: v9-32be has build id none, modules of ' \
	    'without debug' 'in no function' -- prof-symbolize \
	    --binary program --binary library --binary v9-32be \
	    --binary ../symbolize/app-22.debug ../symbolize/app-22.memprofraw \
	    ../good/correlated-binary.profraw >"$BATS_TEST_TMPDIR/out"
}

@test 'a binary that cannot tell stands back behind one that can' {
	says binary bad/no-records library program
	says debug bad/other-size debug
}

@test 'other profiles pass as they are' {
	local file

	for file in v10-64le temporal exe-so; do
		file=$top_srcdir/tests/data/good/$file.profraw
		warns 'nothing in the profile needs functions of a binary$' -- \
		    prof-symbolize --binary \
		    "$top_srcdir/tests/data/correlate/program" "$file" >got
		profraw-cat "$file" >expected
		same expected got
	done
}

@test 'what is left out is told' {
	warns 'odd: functions without a name: 1$' \
	    'odd: functions left out, which have no counters in it: 1$' \
	    -- symbolize binary odd library >out
	grep -q '"guid":"0x[0-9a-f]*",.*"counts":\[6,7\]' out
	warns 'debug-odd: functions left out, .* debug info: 1$' \
	    -- symbolize debug debug-odd >out
	[ "$(grep -c '"function"' out)" -eq 2 ]
}

@test 'what is left out is told once for a binary, and in the words of LLVM' {
	local binaries=$top_srcdir/tests/data/correlate name

	for name in binary debug; do
		cp "$top_srcdir/tests/data/good/correlated-$name.profraw" .
	done
	warns 'odd: functions without a name: 1$' \
	    'odd: functions left out, which have no counters in it: 1$' -- \
	    prof-symbolize --binary "$binaries/odd" --binary \
	    "$binaries/library" correlated-binary.profraw \
	    correlated-binary.profraw >out
	warns 'debug-odd: functions left out, .* debug info: 1$' -- \
	    llvm-profdata merge --debug-info="$binaries/debug-odd" -o merged \
	    correlated-debug.profraw
}

@test 'debug info that leads back is read once' {
	quiet symbolize debug debug-sibling >out
	[ "$(grep -c '"function"' out)" -eq 2 ]
}

@test 'a binary of another build is refused' {
	local id=1a580aa9aa2f7f6784a357a097f3cf3903c39270

	is_refused "library has the build id 012c[0-9a-f]*, the profile has $id" \
	    debug library
	is_refused "bad/no-id has no build id, the profile has $id" \
	    debug bad/no-id
	is_refused "no binary has the build id $id of the profile" \
	    debug library bad/no-id
	is_refused "no binary has the build id 012c[0-9a-f]* of the profile" \
	    binary program v9-32be
}

@test 'a binary is found by its build id' {
	local id=1a580aa9aa2f7f6784a357a097f3cf3903c39270
	local profile=$top_srcdir/tests/data/good/correlated-debug.profraw

	mkdir -p files/.build-id/1a
	refused "no binary has the build id $id of the profile" \
	    prof-symbolize --debug-dir files "$profile"
	echo text >"files/.build-id/1a/${id#1a}.debug"
	refused "files/.build-id/1a/${id#1a}.debug: not an ELF file" \
	    prof-symbolize --debug-dir files "$profile"
	cp "$top_srcdir/tests/data/correlate/debug" \
	    "files/.build-id/1a/${id#1a}.debug"
	quiet prof-symbolize --debug-dir files "$profile" |
	    unsourced >got
	symbolize debug debug | unsourced >expected
	same expected got
	[ -s got ]
	# Of several build ids, one whose file cannot be read is passed over.
	mkdir -p files/.build-id/ab
	echo text >"files/.build-id/ab/${id#1a}.debug"
	profraw-cat -q "$profile" |
	    sed "/\"record\":\"binary\"/ { h; s/:\"1a/:\"ab/p; g; }" >both
	[ "$(grep -c build_id both)" -eq 2 ]
	quiet prof-symbolize --debug-dir files both |
	    jq -r 'select(.record == "function") | .name' >got
	prof-symbolize -q --debug-dir files "$profile" |
	    jq -r 'select(.record == "function") | .name' | same - got
	refused 'the profile has no build id: name its binary' \
	    prof-symbolize --debug-dir files \
	    "$top_srcdir/tests/data/good/correlated-v9-32be.profraw"
}

@test 'a section of the binary comes before that of its debug file' {
	local folder=$top_srcdir/tests/data/correlate
	local id=1a580aa9aa2f7f6784a357a097f3cf3903c39270
	local profile=$top_srcdir/tests/data/good/correlated-binary.profraw row

	cp "$folder/program" .
	chmod u+w program
	# Its records are not those of the program.
	mkdir -p "files/.build-id/${id:0:2}"
	cp "$folder/odd" "files/.build-id/${id:0:2}/${id:2}.debug"
	symbolize binary program library | unsourced >expected
	quiet prof-symbolize --debug-dir files --binary program \
	    --binary "$folder/library" "$profile" | unsourced |
	    same expected -
	# That does not change if the own one cannot be read: the flags of
	# __llvm_covdata, third from the end, say that it is compressed.
	printf '\10' | dd of=program bs=1 conv=notrunc status=none \
	    seek=$(($(wc -c <program) - 3 * 64 + 9))
	refused 'program: __llvm_covdata: ' prof-symbolize --debug-dir files \
	    --binary program --binary "$folder/library" "$profile"
	# Records and names without bytes (SHT_NOBITS) are those of the debug file.
	cp -f "$folder/program" .
	cp -f "$folder/program" "files/.build-id/${id:0:2}/${id:2}.debug"
	chmod u+w program
	for row in 3 2; do
		printf '\10' | dd of=program bs=1 conv=notrunc status=none \
		    seek=$(($(wc -c <program) - row * 64 + 4))
	done
	quiet prof-symbolize --debug-dir files --binary program \
	    --binary "$folder/library" "$profile" | unsourced |
	    same expected -
}

@test 'without a build id the number of counters has to fit' {
	warns '/program .* and belongs to no profile$' \
	    '/library .* and belongs to no profile$' -- \
	    symbolize v9-32be program v9-32be library >out
	golden correlate/v9-32be <out
	is_refused 'bad/no-id: a binary of 64 bits, but the profile has 32' \
	    v9-32be bad/no-id
	is_refused '__llvm_prf_cnts has 16 bytes, but the profile has 8$' \
	    v9-32be debug-32be
	cp "$top_srcdir/tests/data/correlate/v9-32be" one
	cp one two
	refused 'no build id, and both one and two have its number of counters' \
	    prof-symbolize --binary one --binary two \
	    "$top_srcdir/tests/data/good/correlated-v9-32be.profraw"
}

# Binary of correlate/bad, and what is said of it.
@test 'damaged binaries are refused' {
	local name regex profile

	while read -r name regex; do
		profile=binary
		[[ $name != debug-* ]] || profile=debug
		is_refused "bad/$name: $regex" "$profile" "bad/$name" library
	done <<-'END'
	no-names there is a section __llvm_covdata, but none with names, __llvm_covnames$
	no-records neither a section __llvm_covdata nor debug information assigns the counters
	no-counters there is no section __llvm_prf_cnts$
	half-record size 100 of __llvm_covdata is not a multiple of its records' 64 bytes$
	names names: chunk size 32 exceeds the 4 bytes left of the section$
	num-counters function twice: 2 counters at 0x4010 do not fit in __llvm_prf_cnts, 24 bytes at 0x4000$
	num-counters-0 function twice: 0 counters at 0x4010 do not fit
	counter-pointer function twice: 1 counters at 0x4014 do not fit
	bitmap NumBitmapBytes 1 at 0x0 do not fit in __llvm_prf_bits, 0 bytes
	debug-cut entry at 0x2a of .debug_info: invalid DWARF$
	other-size section __llvm_prf_cnts has 16 bytes, but the profile has 24$
	other-order byte order differs from that of the profile$
	END
}

# share COUNTERS BYTES: a binary of 512 functions, a section of 512 counters, and
# one of 4096 bytes of bitmaps, and a profile of it.  The functions have all
# counters from their own to the last, and 98 bytes; the first has those given.
share() {
	python3 -B - "$top_srcdir/tests/data" "$@" <<-'END'
	import json, sys
	sys.path.insert(0, sys.argv[1])
	from mkelf import BITMAP_AT, GNU_ID, Function, Program, elf
	def function(i, counters, size):
	    return Function(b"f%d" % i, 1, bitmap=8, changes={"BitmapPtr":
	        BITMAP_AT, "NumCounters": counters, "NumBitmapBytes": size})
	functions = [function(0, *map(int, sys.argv[2:]))]
	functions += [function(i, 512 - i, 98) for i in range(1, 512)]
	open("shared", "wb").write(elf(Program(functions, build_id=GNU_ID)))
	for record in ({"record": "profile", "stream": 1, "kind": "instr",
	    "binary_correlated": True, "source": {"version": 10}},
	    {"record": "binary", "build_id": GNU_ID.hex()},
	    {"record": "raw_counters", "counts": [1] * 512,
	    "bitmap": "00" * 4096}, {"record": "end", "last": True}):
	    print(json.dumps(record))
	END
}

@test 'functions that share counters and bitmaps claim no more than their binary allows' {
	local most refusal='shared: counters of functions: more than [0-9]* units of work'

	need python3
	share 256 0 >profile
	# A byte costs 32 units; names, of 1938 bytes together, one a byte.
	most=$((((16 << 20) + 512 * $(wc -c <shared) - 1938) / 32 -
	    1048576 - 511 * 98))
	share 256 $most >profile
	prof-symbolize --binary shared profile >out
	[ "$(grep -c '"function"' out)" -eq 512 ]
	share 257 $most >profile
	refused "$refusal" prof-symbolize --binary shared profile
	share 256 $((most + 1)) >profile
	refused "$refusal" prof-symbolize --binary shared profile
}

@test 'annotations of a variable that is no counter tell of no function' {
	sed 's/__profc_main/__profx_main/' \
	    "$top_srcdir/tests/data/correlate/debug" >other
	prof-symbolize --binary other \
	    "$top_srcdir/tests/data/good/correlated-debug.profraw" >out
	[ "$(grep -c '"function"' out)" -eq 1 ]
	grep '"name_hex":"636f6c64ff"' out
}

# A binary that is cut anywhere is refused, or tells all that it told.
@test 'a binary may end anywhere' {
	local whole size n

	symbolize binary library program >expected
	whole=$top_srcdir/tests/data/correlate/program
	size=$(wc -c <"$whole")
	for ((n = 0; n < size; n += 37)); do
		head -c "$n" "$whole" >cut
		if prof-symbolize --binary cut --binary \
		    "$top_srcdir/tests/data/correlate/library" \
		    "$top_srcdir/tests/data/good/correlated-binary.profraw" \
		    >out 2>stderr; then
			echo "$n bytes are enough"
			return 1
		fi
		[ "$(wc -l <stderr)" -eq 1 ]
	done
}

@test 'a correlated input is left out of a sum' {
	local format

	profile '"level":"ir","binary_correlated":true' \
	    '{"record":"binary","build_id":"01"}' \
	    '{"record":"raw_counters","counts":[1]}' >counters
	profile '"level":"ir"' "$(fn main 24 7)" >functions
	for format in indexed text stream; do
		run -1 prof-merge -q --keep-going --to "$format" -o sum \
		    functions counters
		[[ $output == *': counters: a correlated profile: '* ]]
		prof-merge sum | grep -q '"counts":\[7\]'
	done
}

@test 'raw counters of a stream are checked' {
	local P=$top_srcdir/tests/data/correlate counts bytes='"level":"ir",'

	bytes+='"byte_coverage":true,"debug_info_correlated":true'
	profile '"level":"ir","binary_correlated":true,"source":{"version":9}' \
	    '{"record":"raw_counters","counts":[1]}' \
	    '{"record":"raw_counters","counts":[1]}' >twice
	refused 'a profile has raw counters twice' \
	    prof-symbolize --binary "$P/v9-32be" twice
	profile '"level":"ir","binary_correlated":true,"source":{"version":9}' \
	    "$(fn main 24 1)" '{"record":"raw_counters","counts":[1]}' >behind
	refused 'raw counters follow other records of their profile' \
	    prof-symbolize --binary "$P/v9-32be" behind
	profile '"level":"ir","binary_correlated":true' \
	    '{"record":"raw_counters","counts":[1]}' >unknown
	refused 'v9-32be: records of raw version 0 in __llvm_covdata: 9 to 11' \
	    prof-symbolize --binary "$P/v9-32be" unknown
	for counts in 256,0,0,0,0 0,255,256,0,0 0,0,0,0,256; do
		profile "$bytes" \
		    '{"record":"raw_counters","counts":['$counts']}' >bytes
		refused 'raw counter 256 exceeds 255, the largest byte of coverage' \
		    prof-symbolize --binary "$P/coverage" bytes
	done
	profile "$bytes,\"temporal\":true" \
	    '{"record":"raw_counters","counts":[0,255,255,0,0]}' >stamp
	refused 'NumCounters 1 has no room for a time stamp' \
	    prof-symbolize --binary "$P/coverage" stamp
}

# The rest compiles programs and asks LLVM.

# correlated RELEASE KIND: the option of clang; the kind none has none.
correlated() {
	case $1.$2 in
	14.debug-info | 15.debug-info | 16.debug-info)
		echo -mllvm -debug-info-correlate ;;
	19.[bd]* | 22.[bd]*)
		echo -mllvm "-profile-correlate=$2" ;;
	esac
}

# compile RELEASE KIND PROGRAM SOURCE FLAGS...
compile() {
	# shellcheck disable=SC2046
	"clang-$1" -w -g -O1 -Wl,--build-id=sha1 -mllvm -disable-vp=true \
	    $(correlated "$1" "$2") -o "$3" "${@:4}"
}

# as_llvm RELEASE KIND BINARY PROFILE: the same bytes as llvm-profdata's.
as_llvm() {
	local option=--debug-info

	[ "$2" = debug-info ] || option=--binary-file
	"llvm-profdata-$1" merge "$option=$3" -o theirs "$4" 2>log
	prof-symbolize --binary "$3" "$4" |
	    prof-index -q --for "clang-$1" -o ours
	cmp theirs ours
}

# Every kind of every release that is there, with the flags.
for_each_release() {
	local release kind any=

	for release in $(some 2 14 15 16 19 22); do
		for kind in debug-info binary; do
			if [ -z "$(correlated $release $kind)" ] ||
			    ! command -v "clang-$release" >/dev/null ||
			    ! command -v "llvm-profdata-$release" >/dev/null
			then
				continue
			fi
			any=1
			echo "$release $kind"
			"$@" "$release" "$kind"
		done
	done
	[ -n "$any" ] || skip 'needs clang'
}

write_program() {
	cat >program.c <<-'END'
	#include <stdio.h>
	static int local(int x) {
		int s = 0;
		for (int i = 0; i < x; i++)
			s += i & 1 ? i : 2;
		return s;
	}
	__attribute__((noinline)) int both(int a, int b, int c) {
		return (a && b) || c ? 1 : 2;
	}
	int never(int x) { return x > 3 ? x : -x; }
	int main(int argc, char **argv) {
		int s = 0;
		for (int i = 0; i < argc + 9; i++)
			s += both(i & 1, i & 2, i & 4) + local(i);
		printf("%d %s\n", s, argv[0]);
		return 0;
	}
	END
}

ir_profile() {
	compile "$1" "$2" program program.c -fprofile-generate
	gather "$1.profraw" ./program
	as_llvm "$1" "$2" program "$1.profraw"
	objcopy --only-keep-debug program program.debug
	as_llvm "$1" "$2" program.debug "$1.profraw"
}

@test 'LLVM makes the same of IR profiles' {
	need objcopy
	write_program
	for_each_release ir_profile
}

# Front-end profiles have no flag, and llvm-profdata 16 refuses them; programs
# of 14 and 15 write none.
front_end_profile() {
	[ "$1" -ge 19 ] || return 0
	compile "$1" "$2" program program.c -fprofile-instr-generate \
	    -fcoverage-mapping
	gather "$1.profraw" ./program
	as_llvm "$1" "$2" program "$1.profraw"
}

@test 'LLVM makes the same of front-end profiles' {
	write_program
	for_each_release front_end_profile
}

@test 'front-end profiles of LLVM 16 are those without correlation' {
	local kind

	need clang-16
	write_program
	for kind in debug-info none; do
		compile 16 $kind program program.c -fprofile-instr-generate
		gather program.profraw ./program
		prof-symbolize --binary program program.profraw |
		    grep '"function"' | sort >$kind
	done
	[ "$(wc -l <none)" -eq 4 ]
	same none debug-info
}

other_counters() {
	local flag

	for flag in -pgo-function-entry-coverage -pgo-block-coverage \
	    -pgo-temporal-instrumentation; do
		if [ "$1" -lt 19 ] &&
		    [ $flag != -pgo-function-entry-coverage ]; then
			continue
		fi
		compile "$1" "$2" program program.c -fprofile-generate \
		    -mllvm $flag
		gather "$1$flag.profraw" ./program
		as_llvm "$1" "$2" program "$1$flag.profraw"
	done
}

@test 'LLVM makes the same of coverage and of time stamps' {
	write_program
	for_each_release other_counters
}

@test 'byte coverage counts the runs' {
	local i

	need clang-22
	write_program
	compile 22 debug-info program program.c -fprofile-generate \
	    -mllvm -pgo-function-entry-coverage
	for i in 1 2; do
		gather $i.profraw ./program
		prof-symbolize --binary program $i.profraw >$i
	done
	prof-merge -q 1 2 | jq -c 'select(.record == "function") | .counts' |
	    sort -u | same - <(printf '[0]\n[2]\n')
}

# The same program without correlation has the same functions, and MC/DC
# bitmaps, which llvm-profdata forgets.
@test 'bitmaps are those that the program has without correlation' {
	local release flags='-fprofile-instr-generate -fcoverage-mapping'

	write_program
	need clang-19 clang-22
	flags+=' -fcoverage-mcdc'
	for release in 19 22; do
		compile $release binary correlated program.c $flags
		compile $release none plain program.c $flags
		gather correlated.profraw ./correlated
		gather plain.profraw ./plain
		profraw-cat plain.profraw | grep '"function"' | sort >expected
		quiet prof-symbolize --binary correlated correlated.profraw |
		    grep '"function"' | sort >got
		grep -q '"bitmap":"[0-9a-f]*[1-9a-f]' got
		same expected got
	done
	compile 22 debug-info program program.c $flags
	gather program.profraw ./program
	warns 'program: bytes of MC/DC bitmaps left out, .*: [0-9]*$' \
	    -- prof-symbolize --binary program program.profraw >out
}

with_library() {
	cat >library.c <<-'END'
	static int local(int x) { return x > 4 ? x * 3 : 1; }
	int both(int a, int b) { return a ? local(b) : 2; }
	END
	cat >user.c <<-'END'
	int both(int, int);
	static int local(int x) { return both(x & 1, x); }
	int main(int argc, char **argv) {
		int s = 0;
		for (int i = 0; i < argc + 9; i++)
			s += local(i);
		return s == 0;
	}
	END
	for kind in "$2" none; do
		compile "$1" $kind library.so library.c -fprofile-generate \
		    -fPIC -shared
		compile "$1" $kind user user.c -fprofile-generate ./library.so
		rm -f "$kind.profraw"
		gather "$kind.profraw" ./user
		[ $kind = none ] || prof-symbolize --binary library.so \
		    --binary user "$kind.profraw" >got
	done
	profraw-cat none.profraw | grep '"function"' | sort >expected
	[ -s expected ]
	grep '"function"' got | sort | same expected -
	[ "$(grep -c '"record":"end"' got)" -eq 2 ]
}

@test 'a program and its shared library' {
	for_each_release with_library
}

# llvm-profdata reads no split debug info.
split_debug_info() {
	[ "$2" = debug-info ] || return 0
	compile "$1" "$2" program program.c -fprofile-generate
	gather program.profraw ./program
	prof-symbolize --binary program program.profraw |
	    grep '"function"' >expected
	compile "$1" "$2" split program.c -fprofile-generate -gsplit-dwarf
	gather split.profraw ./split
	prof-symbolize --binary split split.profraw |
	    grep '"function"' | same expected -
	echo 'int other(void) { return 1; }' >other.c
	compile "$1" "$2" split program.c other.c -fprofile-generate \
	    -gsplit-dwarf
	gather split.profraw ./split
	rm ./*other*.dwo
	warns 'split: units left out, with functions in .dwo files .*: 1$' -- \
	    prof-symbolize --binary split split.profraw >out
	grep '"function"' out | same expected -
}

@test 'split debug info' {
	write_program
	for_each_release split_debug_info
}

@test 'a stripped program, with and without its debug file' {
	need clang-22 objcopy strip
	write_program
	compile 22 debug-info program program.c -fprofile-generate
	gather program.profraw ./program
	prof-symbolize --binary program program.profraw >expected
	objcopy --only-keep-debug program program.debug
	strip program
	refused 'program: no debug information was found for it' \
	    prof-symbolize --binary program program.profraw
	prof-symbolize --binary program --binary program.debug \
	    program.profraw >got
	same expected got
	# Records are in sections that strip keeps.
	compile 22 binary program program.c -fprofile-generate
	gather program.profraw ./program
	prof-symbolize --binary program program.profraw >expected
	strip program
	prof-symbolize --binary program program.profraw >got
	same expected got
}

@test 'LLVM says the same of profiles of its own compilers' {
	local name release kind

	need_corpus
	while read -r name release kind; do
		command -v "llvm-profdata-$release" >/dev/null || continue
		as_llvm "$release" "$kind" "$(corpus "raw/$name.debug")" \
		    "$(corpus "raw/$name.profraw")"
	done <<-'END'
	v19-dbgcorr 19 debug-info
	v22-bincorr 22 binary
	v22-bincorr_fe 22 binary
	v22-dbgcorr2 22 debug-info
	END
}
