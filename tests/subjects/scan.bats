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

# The fields of a list, with blanks between them, but for what the header says
# beyond its format.
listed() {
	profraw-cat -q --list "$@" | cut -f 1-10,14- | tr '\t' ' '
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

	for file in $(some 4 "$good"/v*-[36][24][bl]e.profraw \
	    "$(data memprof-raw/good)"/v*.memprofraw); do
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
	# Longer groups of digits behind those of the dump are text.
	od -An -v -tx1 values.profraw | sed 's/$/ decade/' >log
	[ "$(listed --scan log)" = \
	    'log 0 1552 raw 10 little 64 instr 14 0 hex' ]
}

@test 'a dump may be interrupted by 16 lines' {
	local lines

	for lines in 16 17; do
		od -An -v -tx1 values.profraw | awk -v n=$lines '{ print }
		    NR == 9 { while (n-- > 0) print "other: 5 of 7 beef" }
		    ' >log.$lines
	done
	[ "$(listed --scan log.16)" = \
	    'log.16 0 1552 raw 10 little 64 instr 14 0 hex' ]
	refused 'no profile' profraw-cat --scan --to indexed log.17
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

# An IR profile of some 70 KB.
make_large() {
	{
		printf '{"record":"profile","stream":1,"kind":"instr",'
		printf '"level":"ir"}\n'
		awk 'BEGIN { srand(3); for (i = 0; i < 1200; i++)
			printf "{\"record\":\"function\",\"name\":\"f%d\"," \
			    "\"hash\":\"0x%016x\",\"counts\":[%d,%d,%d]}\n", i,
			    i * 7919, int(rand() * 1e9), i, i % 7 }'
		printf '{"record":"end","last":true}\n'
	} | prof-merge --to raw -o "$1" -
}

# Whether a log holds one profile, that of the file, in a coding.
log_holds() {
	local plain coding=$3

	plain=$(listed "$2" | cut -d ' ' -f 3-)
	[ "$(listed --scan "$1" | cut -d ' ' -f 3-)" = "$plain $coding" ]
	profraw-cat -q --scan "$1" | unsourced >"$1.got"
	profraw-cat -q "$2" | unsourced | same - "$1.got"
}

@test 'base64 is undone whatever the width of its lines' {
	local width file

	make_large large
	[ "$(wc -c <large)" -gt 60000 ]
	for width in $(some 3 {4..120..17} {75..77} 500 0); do
		base64 -w "$width" large >log
		echo "$width"
		log_holds log large base64
	done
	prof-index -q -o index large
	for file in index "$good/v10-64be.profraw" "$good/v4-32be.profraw" \
	    "$real/16-two.profraw" \
	    "$(data memprof-raw/good)/padding.memprofraw"; do
		for width in $(some 3 1 9 60 64 75 76); do
			base64 -w "$width" "$file" >log
			echo "$file $width"
			log_holds log "$file" base64
		done
	done
}

@test 'base64 may change its width, and begin inside of a line' {
	make_large large
	base64 -w 0 large >one
	{
		head -c 50 one
		echo
		tail -c +51 one | head -c 20000 | fold -w 76
		echo
		tail -c +20051 one | fold -w 50
		echo
	} >log
	log_holds log large base64
	base64 large | fold -w 50 >log
	log_holds log large base64
	# What is in front of lines of other digits is not what it was.
	base64 large | fold -w 50 | sed 's/^/kernel: /' |
	    awk '{ print } NR % 9 == 0 { print "driver: beefbeefbeef" }' >log
	log_holds log large base64
	base64 large | sed '1s/^/DATA=/' >log
	log_holds log large base64
	{ noise 1000 a; cat large; noise 1001 b; } | base64 >log
	log_holds log large base64
	# Without the first line, the digits begin anywhere.
	{ noise 1000 a; cat large; } | base64 -w 0 | tail -c +6 | fold -w 61 >log
	log_holds log large base64
}

# Puts something in front of each line: $1 is an awk expression.
in_front() {
	awk "{ print $1 \$0 }"
}

@test 'what is in front of base64 may vary, and line ends too' {
	local width front

	make_large large
	for width in $(some 2 76 21); do
		for front in '"kernel: "' \
		    'sprintf("[%12.6f] dump: ", NR / 7)' \
		    'sprintf("[%.6f] dump: ", NR * 7)' \
		    'sprintf("2026-11-22T10:%02d:%02d.1Z ", NR / 60, NR % 60)' \
		    'sprintf("%s %s: ", NR % 3 ? "one" : "three", "a" NR)' \
		    'sprintf("%d ", 1700000000 + NR)'; do
			echo "$width $front"
			base64 -w "$width" large | in_front "$front" >log
			log_holds log large base64
			awk '{ print } NR % 9 == 0 {
				print "[ 1] other: 5 of 7 beef" }' log >mixed
			log_holds mixed large base64
			awk '{ printf "%s%s", $0, NR % 3 ? "\r\n" : "\n" }' \
			    log >ends
			log_holds ends large base64
		done
	done
	base64 large | awk '{ printf "{\"log\":\"%s\\n\",\"time\":%d}\n",
	    $0, NR }' >log
	log_holds log large base64
	# Only padding ends the digits: these end inside of a byte.
	base64 large | fold -w 50 | sed 's/$/ (dump)/' >log
	log_holds log large base64
	split -b 49 --filter 'base64 -w 0; echo' values.profraw >log
	grep -q '==$' log
	log_holds log values.profraw base64
	# The lines have the same number of digits, and these have not.
	base64 large | awk '{ print } NR % 50 == 0 { print "tick" }' >log
	log_holds log large base64
}

@test 'uuencoded profiles are found' {
	local front

	need perl
	make_large large
	perl -0777 -ne 'print "begin 644 x\n", pack("u", $_), "`\nend\n"' large >uu
	log_holds uu large uuencode
	for front in '"kernel: "' 'sprintf("[%.6f] dump: ", NR * 7)' \
	    'sprintf("%d ", 1700000000 + NR)'; do
		echo "$front"
		in_front "$front" <uu >log
		log_holds log large uuencode
		sed 's/$/\r/' log >serial
		log_holds serial large uuencode
	done
	# 61 bytes, the first of which is M, are no digits if others are not.
	awk '{ print } NR % 9 == 0 { printf "M%60s\n", "essage" }' uu >log
	log_holds log large uuencode
	perl -0777 -ne 'print pack("u", $_)' "$real/16-two.profraw" >log
	log_holds log "$real/16-two.profraw" uuencode
}

@test 'hex digits are undone whatever the width and the offsets' {
	local dump

	need xxd hexdump
	profile '"level":"ir"' \
	    "$(fn main 1 "$(printf '0,%.0s' {1..99})7")" >stream
	prof-merge --to raw stream -o zeros
	for dump in 'od -tx1' 'od -tx1 -w8' 'od -tx1 -w5' 'od -Ad -tx1' \
	    'od -Ad -tx1 -w8' 'od -Ad -tx1 -w4' 'od -Ax -tx1 -w4' \
	    'od -Ax -tx1z' 'od -An -v -tx1 -w3' 'xxd -c 4' 'xxd -c 1' \
	    'xxd -g4 -c6' 'xxd -p -c 7' 'xxd -p -c 100' 'xxd -a' 'hexdump -C'; do
		echo "$dump"
		$dump zeros >log
		log_holds log zeros hex
		in_front 'sprintf("[%12.6f] dump: ", NR / 7)' <log >stamped
		log_holds stamped zeros hex
	done
	# The last lines repeat: behind the star is an offset alone.
	profile '' "$(fn a 1 1)" |
	    prof-index -q --format-version 3 -o tail -
	for dump in 'od -tx1 -w8' 'od -Ax -tx1 -w8' 'od -Ad -tx1 -w8'; do
		$dump tail >log
		[ "$(tail -n 2 log | head -n 1)" = '*' ]
		log_holds log tail hex
	done
	xxd -p zeros | tr -d '\n' | fold -w 75 >log
	log_holds log zeros hex
}

@test 'ordinary text has no profile' {
	make_large large
	{
		cat "$top_srcdir"/*.md "$top_srcdir"/man/*
		base64 "$top_srcdir/README.md"
		od -tx1 "$top_srcdir/README.md"
		echo 'the magic is gXJmb3JwbP8= and 8172666f72706cff'
		tail -c +9 large | base64
	} >log
	run -1 --separate-stderr profraw-cat --scan --list log
	[ -z "$output" ]
}

# A dump was cut, and then there was another.
@test 'a part of a profile does not take its rest from the next' {
	make_large large
	{ base64 large | head -n 100; base64 large; } >log
	[ "$(listed --scan log | wc -l)" -eq 1 ]
	log_holds log large base64
}

@test 'a part that would take anything for its rest does not take the next' {
	need xxd
	# Its counters come last, and it has no names that tell.
	{
		head -c 264 "$good/names-none.profraw" | xxd -p
		xxd -p "$good/names-none.profraw"
	} >log
	[ "$(listed --scan log)" = \
	    'log 537 320 raw 10 little 64 instr 2 0 hex' ]
	log_holds log "$good/names-none.profraw" hex
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

@test 'profiles of two blocks are not images of one file' {
	local n

	prof-index -q values.profraw -o index
	# Two profiles are in one block, and lines of others end it.
	{
		cat index values.profraw | base64
		for ((n = 0; n < 17; n++)); do
			echo 'driver: ready'
		done
		base64 values.profraw
	} >log
	listed --scan log | cut -d ' ' -f 3- >got
	listed index values.profraw values.profraw | cut -d ' ' -f 3- |
	    sed 's/$/ base64/' | same - got
}

# What costs much and is nothing: heads that claim all that is behind them.
@test 'a file of many magics is given up or done, in little work' {
	local i

	need xxd
	printf '\201rforpl\377%.0s' {1..4000} >magics
	run -1 profraw-cat --scan --list magics
	# BinaryIdsSize claims the rest, but the ids are not there.
	LC_ALL=C awk 'BEGIN {
		for (i = 999; i >= 0; i--) {
			printf "\201rforpl\377\12%c%c%c%c%c%c%c%c%c", \
			    0, 0, 0, 0, 0, 0, 0, 0, int(i / 2) % 256
			for (k = 0; k < 110; k++)
				printf "%c", 0
		}
	}' >claims
	[ "$(wc -c <claims)" -eq 128000 ]
	xxd -p claims >hex
	for i in claims hex; do
		refused "$i: 0x[0-9a-f]+: too much data looks like a profile" \
		    profraw-cat --scan --list $i
	done
}

# Each is 10 KB, and has a name of 10 MB.
@test 'names of profiles that are found are bounded together' {
	local name=$(printf '%09999990d' 0) i

	for i in 1 2 3 4 5; do
		profile '' "$(fn "$name$i" 1 1)" |
		    prof-merge -q --to raw -o one -
		cat one
		echo log
	done >dump
	[ "$(listed --scan dump | wc -l)" -eq 3 ]
	# The last one alone is found.
	listed --scan one | grep ' raw 10 '
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
	    "cut 0 100 bad header of version 10 needs 128 bytes, but has 100" \
	    "text 0 $(wc -c <text) text - - - instr 14 0" \
	    "index 0 $(wc -c <index) indexed 13 little - instr 14 0" \
	    "exe-so.profraw 0 816 raw 10 little 64 instr 4 0" |
	    same - <(cut -f 1-10 got | tr '\t' ' ')
	cut -f 11- got | same - <(sed 's/ /\t/g' <<-'END'
		frontend 19-22 f5a45798ae5b673a8a8594dc43a1e10ad06371d1
		frontend - f5a45798ae5b673a8a8594dc43a1e10ad06371d1

		frontend - -
		frontend 22 f5a45798ae5b673a8a8594dc43a1e10ad06371d1
		frontend 19-22 012c79b72980d332e0b2cf5c027ce8c806c5d3ac,1a580aa9aa2f7f6784a357a097f3cf3903c39270
		END
	)
}

@test 'a list may be JSON' {
	head -c 1544 values.profraw >cut
	run -1 --separate-stderr profraw-cat --list --json cut values.profraw
	jq -se '.[0].code == "truncated" and .[0].length == 1544 and
	    (.[1] | .file == "values.profraw" and .offset == 0 and
	    .format == "raw" and .version == 10 and .endian == "little" and
	    .pointer_bits == 64 and .kind == "instr" and .profiles == 1 and
	    .functions == 14 and .level == "frontend" and
	    .llvm_first == "19" and .llvm_last == "22" and .binary_ids ==
	    ["f5a45798ae5b673a8a8594dc43a1e10ad06371d1"])' <<<"$output"
	run -1 --separate-stderr profraw-cat --list --json --salvage cut
	jq -e '.salvaged and .functions == 14' <<<"$output"
	usage_error '--json needs --list' profraw-cat --json cut
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
	warns 'skipped 1 file that is not a profile$' -- \
	    profraw-cat --list tar >got
	[ "$(cut -f 1 got)" = 'tar[a.profraw]' ]
}
