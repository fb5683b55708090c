# profraw-cat --scan: profiles among other bytes.

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

# What the stream of profraw-cat says of each profile, with blanks between.
found() {
	profraw-cat -q --scan "$@" | jq -r 'select(.source) | .source |
	    [.file, .member, .offset, .format, .version, .endian, .pointer_bits] |
	    map(select(. != null)) | join(" ")'
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
	found dump >got
	same - got <<-END
	dump 1237 raw 10 little 64
	dump 6888 indexed 13 little
	dump $((7189 + size)) memprof-raw 5 little 64
	dump $((7836 + size)) raw 4 big 32
	dump $((8375 + size)) raw 10 little 64
	dump $((8783 + size)) raw 10 little 64
	END
	profraw-cat -q --scan dump >stream
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
	found core | sed 's/^core/tar.gz core/' >want
	found tar.gz | same want -
	found core | sed 's/^core/-/' >want
	cat core | found | same want -
}

@test 'samples of all versions, byte orders and word sizes are found' {
	local file

	for file in $(some 4 "$good"/v*-[36][24][bl]e.profraw \
	    "$(data memprof-raw/good)"/v*.memprofraw); do
		echo "$file"
		{ printf '12345'; cat "$file"; noise 99 '\125'; } >dump
		[[ $(found dump) == "dump 5 "* ]]
		profraw-cat -q --scan dump | unsourced >got
		profraw-cat -q "$file" | unsourced | same - got
	done
}

@test 'what is cut is not found' {
	{ noise 7 a; head -c 1500 values.profraw; } >dump
	refused 'no profile' profraw-cat --scan dump
	refused 'no profile' profraw-cat --scan --to indexed dump
}

@test 'ordinary text has no profile' {
	cat "$top_srcdir"/*.md "$top_srcdir"/man/* >text
	refused 'no profile' profraw-cat --scan text
}

# What costs much and is nothing: heads that claim all that is behind them.
@test 'a file of many magics is given up or done, in little work' {
	printf '\201rforpl\377%.0s' {1..4000} >magics
	refused 'no profile' profraw-cat --scan magics
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
	    profraw-cat --scan claims
}

# Each is 10 KB, and has a name of 10 MB.
@test 'names of profiles that are found are bounded together' {
	local name=$(printf '%09999990d' 0) i

	for i in 1 2 3 4 5; do
		profile '' "$(fn "$name$i" 1 1)" |
		    write-raw raw -o one
		cat one
		echo log
	done >dump
	[ "$(found dump | wc -l)" -eq 3 ]
	# The last one alone is found.
	found one | grep ' raw 10 '
}
