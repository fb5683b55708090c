# --group-by binary-id: a sum for each set of binaries.

load ../support/helper

setup() {
	need jq
	cd "$BATS_TEST_TMPDIR"
}

# of FUNCTION ID...: a profile with that function, of binaries with these ids.
of() {
	local id

	echo '{"record":"profile","stream":1,"kind":"instr","level":"ir"}'
	for id in "${@:2}"; do
		echo "{\"record\":\"binary\",\"build_id\":\"$id\"}"
	done
	cat <<-END
	{"record":"function","name":"$1","hash":"0x0000000000000001","counts":[1]}
	{"record":"end","last":true}
	END
}

@test 'each set of ids has a file, equal to the merge of its profiles' {
	of a 01 >a
	of b 01 >b
	of c 02 01 >c
	of d 01 02 >d
	of e >e
	prof-merge --group-by binary-id -o sums a b c d e e 2>err
	grep -qx '.*: profiles without binary ids, in sums/none.ndjson: 2' err
	prof-merge --group-by binary-id -o sums a b c d e
	[ "$(ls sums)" = $'01+02.ndjson\n01.ndjson\nnone.ndjson' ]
	prof-merge a b | cmp - sums/01.ndjson
	prof-merge c d | cmp - sums/01+02.ndjson
	prof-merge e | cmp - sums/none.ndjson
	prof-merge e d c b a >/dev/null
	prof-merge --group-by binary-id -o again e d c b a
	diff -r sums again
}

@test 'formats have suffixes, and weights hold' {
	of a 0abc >a
	of b 0abd >b
	prof-merge --group-by binary-id --to indexed -o sums -w 3,a b
	[ "$(ls sums)" = $'0abc.profdata\n0abd.profdata' ]
	prof-merge --to indexed -w 3,a | cmp - sums/0abc.profdata
}

@test 'many ids still make a name' {
	local ids=() i

	for ((i = 10; i < 60; i++)); do
		ids+=("${i}0102030405060708")
	done
	of a "${ids[@]}" >a
	of b "${ids[@]:1}" >b
	prof-merge --group-by binary-id -o sums a b
	[ "$(ls sums | wc -l)" -eq 2 ]
	ls sums | grep -q '+50-'
	ls sums | grep -q '+49-'
}

@test 'several profiles of one file go to their groups' {
	of a 01 | sed 's/,"last":true//' >both
	of b 02 >>both
	prof-merge --group-by binary-id -o sums both
	[ "$(ls sums)" = $'01.ndjson\n02.ndjson' ]
}

@test 'what cannot be grouped' {
	of a 01 >a
	usage_error '--group-by needs a folder' \
	    prof-merge --group-by binary-id a
	usage_error '--group-by accepts binary-id' prof-merge --group-by x a
	usage_error '--subtract cannot be used with' \
	    prof-merge --group-by binary-id -o sums --subtract a a
	run -2 prof-merge --group-by binary-id -o a/b a
	run -2 prof-merge --group-by binary-id -o sums /dev/null
	of a 01 | sed '2{h;d};3G' >late
	run -2 prof-merge --group-by binary-id -o sums late
	[[ $output == *'comes too late for --group-by'* ]]
	[ -z "$(ls sums)" ]
	run -1 prof-merge --keep-going --group-by binary-id -o sums late a
	[[ $output == *'late: damaged: a binary id after other records comes too late '*
	    ]]
	[ "$(ls sums)" = 01.ndjson ]
	prof-merge a | cmp - sums/01.ndjson
}

@test 'the account of a part is in no group' {
	of a 01 >a
	prof-plan create --shards 1 -o plan a
	prof-plan part plan --shard 1 -o part
	prof-merge a >want
	prof-merge --group-by binary-id -o sums part
	prof-merge --keep-going --group-by binary-id -o kept part
	cmp want sums/01.ndjson
	cmp want kept/01.ndjson
}
