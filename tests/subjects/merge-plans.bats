# Any plan of partial merges, kept as streams, comes to one and the same sum.

load ../support/helper

# leaf SEED: a profile of some of the same functions.  Names are missing here
# and there, a site has more targets than indexed files hold, counters come to
# their limit, and every third profile has no traces.
leaf() {
	awk -v seed="$1" -v f1="$(guid f1)" -v f2="$(guid f2)" \
	    -v t1="$(guid t1)" '
	function chance(p) { return rand() < p }
	function count() { return int(rand() * 50) }
	function target(name) {
		if (name == "t1" && chance(.5))
			return "\"target_guid\":\"" t1 "\""
		return "\"target\":\"" name "\""
	}
	function site(n,    i, k, s) {
		for (i = 1; i <= n; i++) {
			k = chance(.1) ? 1 : i
			if (chance(.7))
				s = s ",{" target("t" k) ",\"count\":" \
				    (1 + count()) "}"
		}
		return "[" substr(s, 2) "]"
	}
	function named(i) {
		if (i < 3 && chance(.5))
			return "\"guid\":\"" (i == 1 ? f1 : f2) "\""
		return "\"name\":\"f" i "\""
	}
	BEGIN {
		srand(seed)
		print "{\"record\":\"profile\",\"stream\":1,\"kind\":" \
		    "\"instr\",\"level\":\"ir\",\"temporal\":true}"
		print "{\"record\":\"binary\",\"build_id\":\"0" seed % 3 "\"}"
		print "{\"record\":\"vtable\",\"name\":\"t" seed % 4 "\"}"
		for (i = 1; i <= 14; i++) {
			if (chance(.3))
				continue
			more = ""
			if (i == 5)
				more = ",\"9300000000000000000\""
			if (i == 6 && chance(.5))
				more = ",1"
			printf "{\"record\":\"function\",%s,\"hash\":" \
			    "\"0x%016x\",\"counts\":[%d,%d%s]", named(i), i,
			    count(), count(), more
			if (i % 3 == 1)
				printf ",\"values\":{\"indirect_call_target\":" \
				    "[%s,%s]}", site(i == 4 ? 290 : 4), site(2)
			print "}"
		}
		for (i = 0; seed % 3 != 0 && i < 4; i++) {
			more = chance(.5) ? "\"t1\"" : "{\"guid\":\"" t1 "\"}"
			printf "{\"record\":\"trace\",\"weight\":%d," \
			    "\"functions\":[\"f%d\",%s]}\n", 1 + count(),
			    1 + rand() * 9, more
		}
		print "{\"record\":\"end\",\"last\":true}"
	}'
}

# plan SEED SPREAD FILE...: merges so many or fewer of the files at a time, in
# any order, at times through files of its own, until one is left: plan.SEED.
plan() {
	local files=("${@:3}") parts=0 i k file spill

	RANDOM=$1
	while [ ${#files[@]} -gt 1 ]; do
		for ((i = ${#files[@]} - 1; i > 0; i--)); do
			k=$((RANDOM % (i + 1)))
			file=${files[i]}
			files[i]=${files[k]}
			files[k]=$file
		done
		k=$((2 + RANDOM % ($2 - 1)))
		spill=(-S $((1 + RANDOM % 8))K)
		[ $((RANDOM % 2)) = 0 ] || spill=()
		parts=$((parts + 1))
		prof-merge -q "${spill[@]}" "${files[@]:0:k}" -o "part.$parts"
		files=("part.$parts" "${files[@]:k}")
	done
	mv "${files[0]}" "plan.$1"
}

setup_file() {
	local i

	cd "$BATS_FILE_TMPDIR"
	for i in 1 2 3 4 5 6 7 8; do
		leaf $i >leaf.$i
	done
	prof-merge -q leaf.* -o sum
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	cp "$BATS_FILE_TMPDIR"/{leaf.*,sum} .
}

# all FIRST LAST SPREAD: that many plans, each with the same sum.
all() {
	local i

	for ((i = $1; i <= $2; i++)); do
		plan "$i" "$3" leaf.*
		cmp "plan.$i" sum || { echo "plan $i of spread $3"; return 1; }
		rm "plan.$i"
	done
}

@test 'the sum has what the plans are about' {
	need jq
	[ "$(jq -c 'select(.record == "function") |
	    .values.indirect_call_target[0]? | length' sum | sort -n |
	    tail -n 1)" -gt 255 ]
	[ "$(grep -c '"record":"trace"' sum)" -gt 16 ]
	grep -q '"18446744073709551613"' sum
	[ "$(jq -c 'select(.record == "function" and .name == null)' sum)" \
	    = '' ]
	run -0 prof-merge leaf.*
	[[ $output == *'another shape'* ]]
}

@test 'flat: 20 plans of all at once, in any order' {
	all 1 20 8
	local i

	for i in 1 2 3 4 5 6 7 8 9 10; do
		prof-merge -q -S 1K $(ls leaf.* | shuf --random-source=<(yes $i)) |
		    cmp - sum
	done
}

@test 'two levels: 20 plans of pairs or threes' {
	all 1001 1020 3
}

@test 'chains and trees: 30 random plans' {
	all 2001 2030 5
}

@test 'plans with a weight, scaled once at each leaf' {
	local i weighted=()

	for i in 1 2 3 4 5 6 7 8; do
		weighted+=(-w 3/2,leaf.$i)
		prof-merge -q -w 3/2,leaf.$i -o half.$i
	done
	prof-merge -q "${weighted[@]}" -o scaled
	prof-merge -q half.* | cmp - scaled
	prof-merge -q -S 1K "${weighted[@]}" | cmp - scaled
}

trees=$top_srcdir/tests/data/trees

# tree OPTION... -- FILE...: the first two files, and then the others, come to
# the flat sum; so do they with a buffer of nothing.
tree() {
	local options=() buffer

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	for buffer in '' -S1; do
		prof-merge -q $buffer "${options[@]}" "$@" -o flat
		prof-merge -q $buffer "${options[@]}" "${@:1:2}" |
		    prof-merge -q $buffer "${options[@]}" - "${@:3}" |
		    cmp - flat
		prof-merge -q $buffer "${options[@]}" "${@:1:2}" |
		    prof-merge -q $buffer --to indexed "${options[@]}" - \
			"${@:3}" -o tree.profdata
		prof-index -q flat | cmp - tree.profdata
	done
}

@test 'names of dropped records reach profiles that are merged later' {
	local name='{"record":"name","name":"t1"}'

	cd "$trees"
	prof-merge -q a.ndjson b.ndjson | grep -qxF "$name"
	prof-merge -q -S1 a.ndjson b.ndjson | grep -qxF "$name"
	cd "$BATS_TEST_TMPDIR"
	tree -- "$trees"/{a,b,c}.ndjson
	# What a record shows is not told again.
	grep -qF '"target":"t1"' flat
	! grep -F '"record":"name"' flat || return 1
	tree -- "$trees"/{b,c,a}.ndjson
	# Names are no loss to other formats.
	prof-merge -q "$trees"/{a,b}.ndjson -o names
	quiet prof-merge --to text names >text
	write-raw raw -o names.profraw names
	! prof-filter --names hash names | grep -F t1 || return 1
}

@test 'traces are sorted again once their names are known' {
	tree -- "$trees"/{x,y,z}.ndjson
	tree -- "$trees"/{x,z,y}.ndjson
	# Those of one profile too.
	prof-merge "$trees/x.ndjson" | prof-merge - "$trees/z.ndjson" -o tree
	prof-merge "$trees"/{x,z}.ndjson | cmp - tree
}

@test 'partial merges may be sparse' {
	local part last

	tree --sparse -- "$trees"/{s1,s2,a,b,c}.ndjson
	# A larger shape, and a name that a target needs, with nothing but
	# zeros; a single record whose values are not in the order of ties.
	cat >empty <<-'END'
	{"record":"profile","stream":1,"kind":"instr","level":"ir"}
	{"record":"function","name":"f","hash":"0x0000000000000001","counts":[0,0,0]}
	{"record":"function","name":"g","hash":"0x0000000000000002","counts":[0],"values":{"indirect_call_target":[[]]}}
	{"record":"function","name":"t1","hash":"0x0000000000000003","counts":[0]}
	{"record":"end","last":true}
	END
	cat >ties <<-'END'
	{"record":"profile","stream":1,"kind":"instr","level":"ir"}
	{"record":"function","name":"g","hash":"0x0000000000000002","counts":["18446744073709551615"],"values":{"mem_op_size":[[{"size":7,"count":1},{"size":2,"count":1}]]}}
	{"record":"end","last":true}
	END
	tree --sparse -- empty "$trees/s2.ndjson" "$trees/c.ndjson"
	tree --sparse -- "$trees/c.ndjson" empty "$trees/b.ndjson"
	tree --sparse -- empty ties
	# What one input has stays as it is, as llvm-profdata has it.
	prof-merge -q --sparse ties | cmp - ties
	for part in '' --sparse; do
		for last in '' --sparse; do
			prof-merge -q $part empty |
			    prof-merge -q $last - ties |
			    prof-merge -q --sparse - "$trees/c.ndjson" -o tree
			prof-merge -q --sparse empty ties "$trees/c.ndjson" |
			    cmp - tree
		done
	done
}

@test 'random trees of functions, traces and heap data come to the flat sum' {
	run -0 "$top_srcdir/tests/support/trees.bash" 1 "${PROFTOOLS_TREES:-50}"
	[ "$output" = "${PROFTOOLS_TREES:-50} trees" ]
}
