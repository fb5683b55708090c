# profraw-cat --scan and --list: profiles among other bytes; what inputs are.

load ../support/helper

setup() {
	need jq
	good=$(data good)
	real=$(data real)
	cd "$BATS_TEST_TMPDIR"
	cp "$real/22-fe_values.profraw" values.profraw
}

# Bytes that are no profile, of a size and kind.
noise() {
	head -c "$1" /dev/zero | tr '\0' "$2"
}

# The fields of a list, with blanks between them.
listed() {
	profraw-cat -q --list "$@" | tr '\t' ' '
}

make_dump() {
	prof-index -q values.profraw -o index
	noise 1237 x
	cat values.profraw
	noise 4099 '\377'
	cat index
	noise 301 '\0'
	cat "$(data memprof-raw/good)/padding.memprofraw"
	printf '\377lprofi'
	cat "$good/v4-32be.profraw"
	noise 3 '\201'
	cat "$good/exe-so.profraw"
	echo end
}

@test 'profiles are found at any offset of a dump' {
	local size

	make_dump >dump
	size=$(wc -c <index)
	listed --scan dump >got
	same - got <<-END
	dump 1237 1552 raw 10 little 64 instr 14 0
	dump 6888 $size indexed 13 little - instr 14 0
	dump $((7189 + size)) 640 memprof-raw 5 little 64 memprof 0 2
	dump $((7836 + size)) 536 raw 4 big 32 instr 4 0
	dump $((8375 + size)) 816 raw 10 little 64 instr 4 0
	END
	profraw-cat -q --scan dump >stream
	jq -c '.source // empty | .offset' stream >offsets
	printf '%s\n' 1237 6888 $((7189 + size)) $((7836 + size)) \
	    $((8375 + size)) $((8783 + size)) | same - offsets
	profraw-cat -q values.profraw index \
	    "$(data memprof-raw/good)/padding.memprofraw" \
	    "$good/v4-32be.profraw" "$good/exe-so.profraw" | unsourced >want
	unsourced stream | same want -
}

@test 'so are those in archives, compressed files and pipes' {
	need tar gzip
	make_dump >core
	echo none >README
	tar -czf tar.gz README core
	listed --scan core | sed 's/^core/tar.gz[core]/' >want
	listed --scan tar.gz | same want -
	listed --scan core | sed 's/^core/-/' >want
	cat core | listed --scan | same want -
}

@test 'samples of all versions, byte orders and word sizes are found' {
	local file size

	for file in "$good"/v*-[36][24][bl]e.profraw \
	    "$(data memprof-raw/good)"/v*.memprofraw; do
		echo "$file"
		{ printf '12345'; cat "$file"; noise 99 '\125'; } >dump
		size=$(wc -c <"$file")
		[[ $(listed --scan dump) == "dump 5 "* ]]
		profraw-cat -q --scan dump | unsourced >got
		profraw-cat -q "$file" | unsourced | same - got
	done
}

@test 'what is cut is not found' {
	{ noise 7 a; head -c 1500 values.profraw; } >dump
	run -1 --separate-stderr profraw-cat --scan --list dump
	[ -z "$output" ]
	[[ $stderr == *'no profile was found' ]]
	refused 'no profile' profraw-cat --scan --to indexed dump
}

# Whether the log that a command makes of the profile holds it, also with
# something in front of each line.
found_in_log() {
	{
		echo 'boot: deadbeef 12345678 ok'
		"${@:2}" values.profraw
		echo 'done 1a2b'
	} >log
	[ "$(listed --scan log)" = \
	    "log 27 1552 raw 10 little 64 instr 14 0 $1" ]
	sed 's/^/[   12.345678] dump: /' log >stamped
	[[ $(listed --scan stamped) == stamped*' instr 14 0 '"$1" ]]
	awk '{ print } NR % 9 == 0 { print "[ 1] other: 5 of 7 beef" }' log \
	    >mixed
	[[ $(listed --scan mixed) == *" instr 14 0 $1" ]]
	sed 's/$/\r/' log >serial
	[[ $(listed --scan serial) == *" instr 14 0 $1" ]]
	profraw-cat -q --scan log | unsourced >got
	profraw-cat -q values.profraw | unsourced | same - got
}

@test 'hex digits of logs are undone' {
	found_in_log hex od -An -v -tx1
	found_in_log hex od -Ax -v -tx1
}

@test 'so are those of xxd and hexdump' {
	need xxd hexdump
	found_in_log hex xxd
	found_in_log hex xxd -p
	found_in_log hex xxd -g1 -u
	found_in_log hex hexdump -C
	# Lines that are the same are shown as a star.
	profile '"level":"ir"' \
	    "$(fn main 1 "$(printf '0,%.0s' {1..99})7")" >stream
	prof-merge --to raw stream -o zeros
	hexdump -C zeros >log
	grep -qx '\*' log
	[[ $(listed --scan log) == *" instr 1 0 hex" ]]
	profraw-cat -q --scan log | unsourced >got
	profraw-cat -q zeros | unsourced | same - got
}

@test 'so is base64' {
	found_in_log base64 base64
	found_in_log base64 base64 -w 0
	found_in_log base64 base64 -w 100
}

@test 'lines of two blocks make no profile' {
	need xxd
	{
		head -c 800 values.profraw | xxd -p
		xxd -p values.profraw
	} >log
	[ "$(listed --scan log | wc -l)" -eq 1 ]
	# A line is missing, and the offsets tell.
	xxd values.profraw | sed 20d >log
	run -1 --separate-stderr profraw-cat --scan --list log
	[ -z "$output" ]
}

# What costs much and is nothing: heads that claim all that is behind them.
@test 'a file of many magics is given up or done, in little work' {
	local i

	printf '\201rforpl\377%.0s' {1..4000} >magics
	run -1 profraw-cat --scan --list magics
	# BinaryIdsSize claims the rest, but the ids are not there.
	for i in {1..1000}; do
		printf '\201rforpl\377\12\0\0\0\0\0\0\0'
		printf "\\0\\$(printf %o $(((1000 - i) / 2)))%.0s" 1
		noise 110 '\0'
	done >claims
	run profraw-cat --scan --list claims
	[ "$status" -eq 1 ] || [ "$status" -eq 2 ]
}

@test 'a list says what each input is, and goes on behind bad ones' {
	local status=0

	profraw-cat values.profraw >stream
	prof-merge --to text values.profraw >text
	prof-index values.profraw -o index
	head -c 100 values.profraw >cut
	profraw-cat --list values.profraw stream cut text index \
	    "$good/exe-so.profraw" >got 2>stderr || status=$?
	[ "$status" -eq 1 ]
	sed -i "s,$good/,," got
	printf '%s\n' "values.profraw 0 1552 raw 10 little 64 instr 14 0" \
	    "stream 0 $(wc -c <stream) stream 1 - - instr 14 0" \
	    "cut 0 100 bad header of version 10 takes 128 bytes, 100 are there" \
	    "text 0 $(wc -c <text) text - - - instr 14 0" \
	    "index 0 $(wc -c <index) indexed 13 little - instr 14 0" \
	    "exe-so.profraw 0 816 raw 10 little 64 instr 4 0" |
	    same - <(tr '\t' ' ' <got)
}

@test 'a list may be JSON' {
	head -c 1544 values.profraw >cut
	run -1 --separate-stderr profraw-cat --list --json cut values.profraw
	jq -se '.[0].code == "truncated" and .[0].length == 1544 and
	    (.[1] | .file == "values.profraw" and .offset == 0 and
	    .format == "raw" and .version == 10 and .endian == "little" and
	    .pointer_bits == 64 and .kind == "instr" and .profiles == 1 and
	    .functions == 14)' <<<"$output"
	run -1 --separate-stderr profraw-cat --list --json --salvage cut
	jq -e '.salvaged and .functions == 14' <<<"$output"
	usage_error '--json goes with --list' profraw-cat --json cut
}

@test 'a list goes where the output goes' {
	quiet profraw-cat --list -o list values.profraw
	[ "$(cut -f 4 list)" = raw ]
	run -2 profraw-cat --list -o /dev/full values.profraw
	[[ $output == *'/dev/full: '* ]]
}

@test 'members of archives are listed by name' {
	need tar
	cp values.profraw a.profraw
	echo none >README
	tar -cf tar README a.profraw
	warns '1 archive members are no profiles: skipped$' -- \
	    profraw-cat --list tar >got
	[ "$(cut -f 1 got)" = 'tar[a.profraw]' ]
}
