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

# The first fields of a list, with blanks between them.
listed() {
	profraw-cat -q --list "$@" | cut -f 1-10 | tr '\t' ' '
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

@test 'ordinary text has no profile' {
	cat "$top_srcdir"/*.md "$top_srcdir"/man/* >text
	run -1 --separate-stderr profraw-cat --scan --list text
	[ -z "$output" ]
}

# What costs much and is nothing: heads that claim all that is behind them.
@test 'a file of many magics is given up or done, in little work' {
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
	refused 'claims: 0x[0-9a-f]+: too much data looks like a profile' \
	    profraw-cat --scan --list claims
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
