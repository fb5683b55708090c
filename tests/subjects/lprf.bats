# LPRF version 1, both ways.  What is wrong with their bytes is in tests/unit/lprf.c.

load ../support/helper

setup() {
	real=$(data real)
	cd "$BATS_TEST_TMPDIR"
}

ir() {
	profile '"level":"ir"' "$@"
}

only='warning: LPRF holds names, hashes and counters: other data is dropped$'

# Bytes in hex, 16 a line.
hex() {
	od -An -v -tx1 "$1" | sed 's/^ //'
}

@test 'a file, byte for byte' {
	profile '' "$(fn b 24 5,0)" "$(fn a 2 7)" \
	    "$(fn a 1 '"18446744073709551613"')" >stream
	quiet profraw-cat --to lprf:1 -o file.lprf stream
	# Magic, version, index end; largest first count.
	# Three entries: length, name, offset.  Padding.
	# Hash, number, counters of each.
	hex file.lprf | same - <(cat <<-'END'
		4c 50 52 46 01 00 00 00 40 00 00 00 00 00 00 00
		fd ff ff ff ff ff ff ff 01 00 00 00 61 40 00 00
		00 00 00 00 00 01 00 00 00 61 58 00 00 00 00 00
		00 00 01 00 00 00 62 70 00 00 00 00 00 00 00 00
		01 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00
		fd ff ff ff ff ff ff ff 02 00 00 00 00 00 00 00
		01 00 00 00 00 00 00 00 07 00 00 00 00 00 00 00
		18 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00
		05 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
	END
	)
	profile '' "$(fn a 1 '"18446744073709551613"')" "$(fn a 2 7)" \
	    "$(fn b 24 5,0)" >want
	quiet profraw-cat file.lprf >got
	unsourced got | same want -
	[ "$(jq -c '.source // empty' got)" = '{"file":"file.lprf",'$(
	    )'"format":"lprf","version":1,"endian":"little"}' ]
}

@test 'a profile of nothing' {
	profile '' >stream
	quiet profraw-cat --to lprf:1 -o file.lprf stream
	hex file.lprf | same - <(cat <<-'END'
		4c 50 52 46 01 00 00 00 18 00 00 00 00 00 00 00
		00 00 00 00 00 00 00 00
	END
	)
	quiet profraw-cat file.lprf | unsourced | same stream -
}

@test 'names of any bytes' {
	profile '' "$(fn 'a\n#' 1 1)" "$(fn LPRF 1 1)" "$(fn fünf 1 1)" \
	    '{"record":"function","name_hex":"610062ff",'$(
	    )'"hash":"0x0000000000000001","counts":[1]}' >stream
	quiet profraw-cat --to lprf:1 -o file.lprf stream
	quiet profraw-cat file.lprf >got
	same <(canon <stream) <(canon <got)
}

# A reader of a page, as the manual of the format tells it.
@test 'the counters of one function are found by hand' {
	local at=24 end size data

	u32() {
		od -An -tu4 -j"$1" -N4 file.lprf | tr -d ' '
	}
	u64() {
		od -An -v -tu8 -w8 -j"$1" -N"$((8 * ${2-1}))" file.lprf |
		    tr -d ' '
	}
	prof-merge -q --to lprf:1 -o file.lprf "$real"/22-ir.profraw
	prof-merge "$real"/22-ir.profraw |
	    jq -r 'select(.name == "main") | .counts[]' >want
	[ -s want ]
	end=$(u64 8)
	while [ "$at" -lt "$end" ]; do
		size=$(u32 "$at")
		[ "$size" -ne 0 ]
		data=$(u64 $((at + 4 + size)))
		[ "$(tail -c +$((at + 5)) file.lprf | head -c "$size")" \
		    != main ] || break
		at=$((at + 4 + size + 8))
	done
	u64 $((data + 16)) "$(u64 $((data + 8)))" | same want -
}

# told KEYS RECORD...: more than the format holds is told once.
told() {
	profile "$@" >stream
	warns "$only" -- profraw-cat --to lprf:1 -o file.lprf stream
	quiet profraw-cat -q --to lprf:1 -o quiet.lprf stream
	cmp file.lprf quiet.lprf
}

@test 'what is dropped is told once' {
	local f

	f=$(fn f 1 7)
	profile '' "$f" >want
	told '"level":"ir"' "$f"
	told '"level":"frontend"' "$f"
	told '"byte_coverage":true' "$f"
	told '' "$(fn f 1 7 '"bitmap":"01"')"
	told '' "$(fn f 1 7 '"uniform_counts":[3]')"
	told '' "$(fn f 1 7 '"values":{"mem_op_size":[[]]}')"
	told '' '{"record":"binary","build_id":"01"}' "$f"
	told '' '{"record":"vtable","name":"v"}' "$f"
	told '' "$f" '{"record":"trace","weight":1,"functions":["f"]}'
	told '' "$f" '{"record":"other"}'
	told '"level":"ir","context_sensitive":true' \
	    '{"record":"binary","build_id":"01"}' \
	    "$(fn f 1 7 '"bitmap":"01"')" "$(fn g 1 7 '"bitmap":"01"')"
	profile '' "$f" "$(nameless_fn 7 1 1)" >stream
	ends 1 '^profraw-cat: warning: LPRF cannot hold functions without a '$(
	    )'name: dropped 1 of 2$' -- \
	    profraw-cat --to lprf:1 -o file.lprf stream
	quiet profraw-cat file.lprf | unsourced | same want -
}

# is_refused REGEX STREAM...: and no file is there.
is_refused() {
	refused "$1" profraw-cat -q --to lprf:1 -o file.lprf "${@:2}"
	[ ! -e file.lprf ]
}

@test 'what cannot be written is refused' {
	profile '' "$(fn f 1 '')" >stream
	is_refused 'a function without name or counters' stream
	profile '' "$(fn f 1 7)" "$(fn g 1 7)" "$(fn f 1 8)" >stream
	is_refused 'a name and hash occur twice: use prof-merge' stream
	quiet prof-merge --to lprf:1 -o merged.lprf stream
	quiet profraw-cat merged.lprf | grep -F '"counts":[15]'
	profile '' "$(fn f 1 7)" >stream
	is_refused 'one profile: use prof-merge' stream stream
	profile '"debug_info_correlated":true' \
	    '{"record":"raw_counters","counts":[1]}' >stream
	is_refused 'counters of a correlated profile have no functions' stream
	usage_error 'lprf version 3 cannot be written: versions 1 to 2 can' \
	    profraw-cat --to lprf:3 stream
}

# Names, hashes and counters alone.
bare() {
	jq -c 'select(.record == "function") | {name, name_hex, hash, counts}' \
	    "$@"
}

@test 'names, hashes and counters of real profiles come back' {
	local file

	for file in "$real"/*.profraw; do
		echo "${file##*/}"
		warns "$only" -- prof-merge --to lprf:1 -o file.lprf "$file"
		prof-merge "$file" | bare >want
		quiet profraw-cat file.lprf | bare | same want -
		quiet prof-merge --to lprf:1 file.lprf -o again.lprf
		cmp file.lprf again.lprf
	done
}

@test 'files are added up, the same in any order' {
	local seed

	for seed in 1 2 3; do
		awk -f "$top_srcdir/tests/support/generate.awk" -v seed=7 -v plain=1 \
		    -v run=$seed >$seed
		prof-merge -q --to lprf:1 -o $seed.lprf $seed
	done
	prof-merge -q --to lprf:1 -o want.lprf 1 2 3
	quiet prof-merge --to lprf:1 -o got.lprf 1.lprf 2.lprf 3.lprf
	cmp want.lprf got.lprf
	quiet prof-merge --to lprf:1 -o got.lprf 3.lprf 1.lprf 2.lprf
	cmp want.lprf got.lprf
	# Repeated in one file, too, and with a weight.
	quiet prof-merge --to lprf:1 -o got.lprf -w 3,1.lprf
	quiet prof-merge --to lprf:1 -o want.lprf 1.lprf 1.lprf 1.lprf
	cmp want.lprf got.lprf
}

# The file does not say of what level it is.
@test 'files mix with those of any level' {
	local level

	profile '' "$(fn f 1 7)" | profraw-cat --to lprf:1 >file.lprf
	for level in ir frontend; do
		profile '"level":"'$level'"' "$(fn f 1 8)" >stream
		quiet prof-merge file.lprf stream >got
		grep -qF '"level":"'$level'"' got
		grep -qF '"counts":[15]' got
		quiet prof-merge stream file.lprf | same got -
	done
}

@test 'files are read from anywhere' {
	profile '' "$(fn f 1 7)" >want
	profraw-cat --to lprf:1 -o file.lprf want
	quiet profraw-cat <file.lprf | unsourced | same want -
	gzip -c file.lprf | quiet profraw-cat | unsourced | same want -
	echo no profile at all >README
	tar cf files.tar README file.lprf
	warns 'skipped 1 file that is not a profile' -- profraw-cat files.tar >got
	unsourced got | same want -
	quiet prof-show --json --counts --function f file.lprf |
	    grep -qF '"counts":[7]'
}

@test 'what is wrong is told with its place' {
	profile '' "$(fn f 1 7)" | profraw-cat --to lprf:1 >file.lprf
	head -c 20 file.lprf >bad.lprf
	refused 'bad.lprf: 0x14: the header needs 24 bytes, but has 20$' \
	    profraw-cat bad.lprf
	head -c -8 file.lprf >bad.lprf
	refused 'bad.lprf: 0x18: index: counter data at 0x28 is not at a' \
	    prof-merge bad.lprf
	{ head -c 4 file.lprf; printf '\3'; tail -c +6 file.lprf; } >bad.lprf
	refused 'bad.lprf: 0x4: version 3 is unknown: LPRF versions 1 and 2 are known$' \
	    prof-index bad.lprf
	[ ! -e default.profdata ]
}
