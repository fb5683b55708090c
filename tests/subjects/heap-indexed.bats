# Heap profiles (MemProf) in indexed files: every version of their section, read.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	heap=$(data memprof)
}

# heap FILE: its records without its head and end.
heap() {
	profraw-cat "$1" | jq -c 'select(.record != "profile")'
}

# What compilers read, of standard input.
hot_cold() {
	jq -c 'if .alloc_sites then .alloc_sites |= map(.info |= {alloc_count,
	    total_size, total_lifetime, total_lifetime_access_density}) else .
	    end'
}

# What the functions have, with their stacks in the place of ids.
unnumbered() {
	jq -cs '(map(select(.record == "stack") | {(.id): .frames}) | add) as
	    $stacks | map(select(.record == "memprof_function")) |
	    sort_by(.guid)[] | .alloc_sites[].stack |= $stacks[.] |
	    .call_sites[].stack |= $stacks[.]'
}

# Standard input, YAML of llvm-profdata, as tests/support/heap-yaml.jq has it.
plain_yaml() {
	grep -v '^#\|^---$\|^\.\.\.$\|  AccessHistogram:' | tr -s ' '
}

@test 'the same profile in each version of the section is the same' {
	local version

	heap "$heap/v0.llvm19.profdata" >want
	[ "$(jq -s 'map(.record) | unique' want | tr -d ' \n')" = \
	    '["end","memprof_function","stack"]' ]
	for version in 1 3; do
		heap "$heap/v$version.llvm19.profdata" | same want -
	done
	# LLVM 19 has ids of its own, which are kept.
	heap "$heap/v2.llvm19.profdata" | unnumbered >got
	unnumbered <want | same - got
	run -1 cmp -s want got
	heap "$heap/v4.llvm22.profdata" >want
	for version in 2 3; do
		heap "$heap/v$version.llvm22.profdata" | same want -
	done
}

@test 'callees and data accesses, which only version 4 has' {
	heap "$heap/v2.yaml.profdata" >want
	heap "$heap/v3.yaml.profdata" | same want -
	heap "$heap/v4.yaml.profdata" | jq -c 'if .call_sites then
	    del(.call_sites[].callee_guids) else . end |
	    select(.record | IN("data_access", "cold_symbol") | not)' |
	    same want -
	heap "$heap/v4full.yaml.profdata" | hot_cold >got
	heap "$heap/v4.yaml.profdata" | same got -
	heap "$heap/v4.yaml.profdata" | grep -c '"record":"memprof_f' >count
	[ "$(cat count)" -eq 3 ]
	profraw-cat "$heap/v4.yaml.profdata" | sed '1s/"file":"[^"]*",//' |
	    golden heap-indexed/v4.yaml.ndjson
	profraw-cat "$heap/v4.mixed.profdata" | sed '1s/"file":"[^"]*",//' |
	    golden heap-indexed/v4.mixed.ndjson
}

# A record is an index of strings or a hash, a byte that tells which, and a count.
@test 'no two data accesses have one hash or symbol' {
	local key

	for key in '"hash":"0x%s"' '"symbol":"%s"'; do
		profile '' $(printf "{\"record\":\"data_access\",$key,$(
		    )\"count\":\"6148914691236517205\"}\n" \
		    6161616161616161 6262626262626262 6363636363636363) |
		    sed 1s/instr/memprof/ | prof-index --for clang-22 -o file
		[ "$(profraw-cat file | grep -c data_access)" -eq 3 ]
		LC_ALL=C sed -E 's/c{8}(.U{8})/aaaaaaaa\1/
		    s/\x02(\x00{8}U{8})/\x00\1/' file >twice
		refused '(hash 0x|symbol )6161616161616161 has two records' \
		    profraw-cat twice
	done
}

@test 'the kind of a profile says what it has' {
	local kinds

	for file in v0.llvm15 v4.yaml v4.mixed; do
		profraw-cat "$heap/$file.profdata" | jq -r '.kind // empty'
	done >kinds
	printf 'memprof\nmemprof\nmixed\n' | same - kinds
	# Of a section without records nothing is left.
	profile '"level":"ir"' "$(fn main 1 5)" >stream
	prof-index -o file stream
	[ "$(profraw-cat file | jq -r '.kind // empty')" = instr ]
}

@test 'frames and functions have the names that counters know' {
	profraw-cat "$heap/v4.mixed.profdata" >stream
	jq -es 'map(.frames[]? | select(.guid == "0xdb956436e78dd5fa")) |
	    length > 0 and all(.function == "main")' stream
	jq -es 'map(select(.record == "memprof_function" and .name == "main"))
	    | length == 1' stream
}

# The maxima of LLVM 14 and 15 are minima: it took the smaller one.
@test 'what LLVM 15 wrote for a maximum is unknown' {
	profraw-cat "$heap/v0.llvm15.profdata" >stream
	jq -es 'map(.alloc_sites[]?.info) | length > 0 and all(
	    has("min_size") and has("min_access_count") and
	    has("max_lifetime") and has("data_type_id") and
	    (has("max_size") or has("max_access_count") | not))' stream
	profraw-cat "$heap/v0.llvm16.profdata" |
	    jq -es 'map(.alloc_sites[]?.info) | length > 0 and
	    all(has("max_size") and has("max_access_count") and
	    has("max_lifetime_access_density"))'
	# Its fields, but not its mistake.
	sed 's/"max_size":[0-9]*/"max_size":77/' \
	    <(profraw-cat "$heap/v3.llvm19.profdata") >stream
	prof-index -q --to indexed:8 -o v8 stream
	profraw-cat v8 | jq -es 'map(.alloc_sites[]?.info) | length > 0 and
	    all(has("max_size") and has("max_access_count")) and
	    any(.max_size == 77)'
}

@test 'a function is looked up without a look at the heap profile' {
	prof-show --json "$heap/v4.mixed.profdata" | jq -e .
	cp "$heap/v4.mixed.profdata" file
	# A version that nobody knows.
	printf '\x77' | dd of=file bs=1 conv=notrunc status=none \
	    seek="$(od -An -td8 -j40 -N8 file | tr -d ' ')"
	refused 'MemProf version 119 is newer than 4' profraw-cat file
	prof-show --function main file >got
	grep -q main got
}

# Files changed in one place, and what must be said of them.
@test 'damage is found and told' {
	local file at bytes want got

	while read -r file at bytes want; do
		cp "$heap/$file.profdata" bad
		chmod u+w bad
		printf '%b' "$(sed 's/../\\x&/g' <<<"$bytes")" |
		    dd of=bad bs=1 seek="$at" conv=notrunc status=none
		refused '' profraw-cat bad
		got=$(sed -E 's/bad: (damaged|truncated): /bad: /' stderr |
		    grep -v ': hint: ' | tail -n 1)
		echo "$file $at $bytes: $got"
		[ "$got" = "profraw-cat: bad: $want" ]
	done <<-'END'
	v4.yaml 544 0500000000000000 0x220: MemProf version 5 is newer than 4, the newest known
	v4.yaml 544 0000000000000000 0x220: RecordTableOffset 0 is not between 568 and 1370
	v4.yaml 544 ffffffffffffffff 0x220: RecordTableOffset 18446744073709551615 is not between 568 and 1370
	v4.yaml 552 0903000000000000 0x228: CallStackPayloadOffset 777: the 101 bytes before it are not a multiple of 17
	v4.yaml 552 0000000000000000 0x228: CallStackPayloadOffset 0 is not between 584 and 1370
	v4.yaml 552 ffffffffffffffff 0x228: CallStackPayloadOffset 18446744073709551615 is not between 584 and 1370
	v4.yaml 560 4703000000000000 0x230: RecordPayloadOffset 839: the 61 bytes before it are not a multiple of 4
	v4.yaml 560 0803000000000000 0x230: RecordPayloadOffset 776 is not between 778 and 1370
	v4.yaml 568 0000000000000000 0x238: RecordTableOffset 0 is not between 584 and 1370
	v4.yaml 568 5904000000000000 0x459: the hash table's head is not at a multiple of 8
	v4.yaml 568 5a05000000000000 0x55a: the hash table's head at 1370 exceeds the 1370 bytes available
	v4.yaml 568 6805000000000000 0x238: RecordTableOffset 1384 is not between 584 and 1370
	v4.yaml 576 b004000000000000 0x240: DataAccessProfOffset 1200 is not 1192, where the part before ends
	v4.yaml 576 0000000000000000 0x4a8: 178 bytes follow the heap profile (MemProf)
	v4.yaml 584 05000000 0x248: MemProf summary: 5 fields are less than the 6 required
	v4.yaml 584 ffffffff 0x248: MemProf summary: 4294967295 fields exceed the 782 bytes left
	v4.yaml 636 ffffffffffffffff 0x27c: MemProf schema: 18446744073709551615 fields exceed the 726 bytes left
	v4.yaml 644 0000000000000000 0x284: MemProf schema: there is no field 0
	v4.yaml 644 1c00000000000000 0x284: MemProf schema: field 28 is newer than 27, the newest known
	v4.yaml 644 0500000000000000 0x28c: MemProf schema: field 5 occurs twice
	v4.yaml 692 02 0x2b4: IsInlineFrame 2 is neither 0 nor 1
	v4.yaml 778 0f000000 0x30a: call stack 0: 15 frames exceed the 14 elements left of the radix array
	v4.yaml 778 ffffffff 0x30a: call stack 0: 4294967295 frames exceed the 14 elements left of the radix array
	v4.yaml 786 06000000 0x346: call stack 2: it leads to element 15 of the 15 of the radix array
	v4.yaml 786 ffffff7f 0x312: call stack 2: 2147483647 frames exceed the 12 elements left of the radix array
	v4.yaml 790 00000080 0x316: call stack 2: it leads to element 2147483651 of the 15 of the radix array
	v4.yaml 790 f9ffffff 0x332: call stack 2: frame 4294967292 is not one of the 6 frames
	v4.yaml 1112 0000000000000000 0x458: NumBuckets 0 is not a power of two
	v4.yaml 1112 0700000000000000 0x458: NumBuckets 7 is not a power of two
	v4.yaml 1112 0000000000000080 0x458: NumBuckets 9223372036854775808 exceeds the 242 bytes left
	v4.yaml 1120 0400000000000000 0x456: hash table: ItemCount is 0
	v4.yaml 1120 0200000000000000 0x404: hash table: the 2 items of NumEntries end at 1028, the head begins at 1112
	v4.yaml 1120 ffffffffffffffff 0x460: NumEntries 18446744073709551615 exceeds the 274 bytes of payload
	v4.yaml 1136 0000000000000000 0x470: BucketOffset 0: bucket 1 is at 838
	v4.yaml 1136 5003000000000000 0x470: BucketOffset 848: bucket 1 is at 838
	v4.yaml 1128 4603000000000000 0x468: BucketOffset 838: no bucket 0 begins there
	v4.yaml 838 0000 0x346: hash table: ItemCount is 0
	v4.yaml 838 ffff 0x346: ItemCount 65535 exceeds the 272 bytes left of the payload
	v4.yaml 840 08 0x348: item hash 0x267ddf78c6af9d08 differs from its key, 0x267ddf78c6af9d09
	v4.yaml 848 07 0x350: KeyLength 7 is not the 8 of an id
	v4.yaml 856 ffffffff 0x358: DataLength 4294967295 exceeds the 240 bytes left of the payload
	v4.yaml 864 08 0x348: item hash 0x267ddf78c6af9d09 differs from its key, 0x267ddf78c6af9d08
	v4.yaml 872 ffffffffffffffff 0x368: 18446744073709551615 allocation sites exceed the 100 bytes left of the record
	v4.yaml 872 0300000000000000 0x3d0: the 8 bytes of a number of call sites exceed the 4 left of the record
	v4.yaml 880 0f000000 0x370: call stack 15 is not one of the 15 elements of the radix array
	v4.yaml 880 ffffffff 0x370: call stack 4294967295 is not one of the 15 elements of the radix array
	v4.yaml 944 ffffffffffffff0f 0x3b0: 1152921504606846975 call sites exceed the 28 bytes left of the record
	v4.yaml 944 0000000000000000 0x3b8: 28 bytes follow the last call site of a record
	v4.yaml 956 ffffffffffffff0f 0x3bc: 1152921504606846975 callees exceed the 16 bytes left of the record
	v4.yaml 1192 0600000000000000 0x4a8: data accesses: 6 strings and 2 cold symbols are not the 7 strings of the table
	v4.yaml 1192 ffffffffffffffff 0x4a8: data accesses: 18446744073709551615 strings and 2 cold symbols are not the 7 strings of the table
	v4.yaml 1208 ffffffffffffffff 0x4a8: data accesses: strings of 18446744073709551615 bytes exceed the 178 left
	v4.yaml 1216 00 0x4c1: names: chunk size 120 exceeds the 38 bytes left of the section
	v4.yaml 1264 ffffffffffffff1f 0x4f0: data accesses: 2305843009213693951 cold hashes exceed the 98 bytes left
	v4.yaml 1288 ffffffffffffff0f 0x508: data accesses: 1152921504606846975 records exceed the 74 bytes left
	v4.yaml 1296 0500000000000000 0x510: data accesses: string 5 is not one of the 5 strings
	v4.yaml 1304 02 0x518: data accesses: IsStringLiteral 2 is neither 0 nor 1
	v4.yaml 1313 ffffffffffffff1f 0x510: data accesses: 2305843009213693951 locations exceed the 49 bytes left
	v4.yaml 1321 0700000000000000 0x529: data accesses: string 7 is not one of the 5 strings
	v3.yaml 560 0b03000000000000 0x230: RecordPayloadOffset 779: the 61 bytes before it are not a multiple of 4
	v2.yaml 560 c103000000000000 0x230: FramePayloadOffset 961 is not 960, where the part before ends
	v2.yaml 576 8105000000000000 0x240: CallStackPayloadOffset 1409 is not 1408, where the part before ends
	v2.yaml 962 ff 0x3c2: item hash 0xeee6daac10425cff differs from its key, 0xeee6daac10425c22
	v2.yaml 1434 ff 0x59a: frame id 0x9013db92d9c44bff is not in the frame table
	v2.yaml 960 0000 0x3c0: hash table: ItemCount is 0
	v2.yaml 1280 03 0x500: BucketOffset 3: no bucket 0 begins there
	v2.yaml 1408 0000 0x580: hash table: ItemCount is 0
	v2.yaml 1418 ff 0x58a: DataLength 255 exceeds the 182 bytes left of the payload
	v2.yaml 674 ff 0x2a2: call stack id 0xce7ec92a8b52e6ff is not in the call stack table
	v0.llvm15 520 0100000000000000 0x220: FrameTableOffset 19 is not between 552 and 2640
	v0.llvm15 520 0600000000000000 0x208: MemProf version 6 is newer than 4, the newest known
	v0.llvm15 746 ffffffffffffff1f 0x2ea: a call stack of 2305843009213693951 frames exceeds the 560 bytes left of the record
	v0.llvm15 754 ff 0x2f2: frame id 0x92ba609c675295ff is not in the frame table
	v0.llvm15 2495 02 0x9bf: IsInlineFrame 2 is neither 0 nor 1
	v0.llvm15 2510 01 0x9c8: NumEntries 281474976710662 exceeds the 304 bytes of payload
	END
}

@test 'a heap profile may be cut anywhere' {
	local file size

	for file in v0.llvm15 v1.llvm19 v2.yaml v3.yaml v4.yaml; do
		size=$(stat -c %s "$heap/$file.profdata")
		for size in $(seq $((size - 61)) -61 1 | some 5); do
			head -c "$size" "$heap/$file.profdata" >cut
			refused '' profraw-cat cut
		done
	done
}

# Earlier programs of ours appended a section with names of source files there.
@test 'what is behind the last section is ignored' {
	local version

	profraw-cat "$heap/v3.yaml.profdata" >stream
	for version in 8 9 12 13; do
		prof-index -o plain --to indexed:"$version" stream
		{ cat plain; printf 'MPRFCSYM\1\0\0\0MPRFCEND'; } >file
		warns 'file: 0x[0-9a-f]*: warning: 20 bytes follow the last '$(
		    )'section: ignored$' -- profraw-cat file
		same <(profraw-cat -q file | unsourced) <(profraw-cat plain |
		    unsourced)
	done
}

# The records of a file are those that llvm-profdata 22 shows.
read_as_shown() {
	llvm-profdata-22 show --memory "$1" | plain_yaml >want
	profraw-cat "$1" | jq -rsf "$top_srcdir/tests/support/heap-yaml.jq" |
	    same want -
}

@test 'records are those that llvm-profdata 22 shows' {
	local file

	need llvm-profdata-22
	for file in "$heap"/v[234]*.profdata; do
		echo "$file"
		read_as_shown "$file"
	done
}

@test 'profiles of the corpus are what llvm-profdata 22 shows' {
	local file

	need_corpus
	need llvm-profdata-22
	for file in $(some 4 "$(corpus memprof/ref)"/*.profdata); do
		echo "$file"
		case $file in
		*.m[01].profdata) continue ;;
		*/y1.*) continue ;;	# a hash that jq rounds
		esac
		read_as_shown "$file"
	done
}

@test 'versions of the corpus that llvm-profdata 22 does not read' {
	local ref

	need_corpus
	ref=$(corpus memprof/ref)
	heap "$ref/ctx-v19-pie.m4full.profdata" >want
	heap "$ref/ctx-v19-pie.by19.m0.profdata" | unnumbered >got
	unnumbered <want | same - got
	heap "$ref/ctx-v19-pie.by19.m1.profdata" | unnumbered | same got -
	hot_cold <want | unnumbered >want.hot_cold
	heap "$ref/ctx-v16-nopie.m0.profdata" | hot_cold | unnumbered |
	    same want.hot_cold -
	jq -c 'del(.alloc_sites[].info)' want.hot_cold >want
	heap "$ref/ctx-v15-nopie.m0.profdata" | unnumbered |
	    jq -c 'del(.alloc_sites[].info)' | same want -
}
