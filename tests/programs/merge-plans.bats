# Any plan of partial merges, kept as streams, comes to one and the same sum.

load ../support/helper

# guid NAME: that of the name, as streams write it.
guid() {
	printf %s "$1" | md5sum | sed -E 's/^(..)(..)(..)(..)(..)(..)(..)(..).*/0x\8\7\6\5\4\3\2\1/'
}

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

setup() {
	local i

	cd "$BATS_TEST_TMPDIR"
	for i in 1 2 3 4 5 6 7 8; do
		leaf $i >leaf.$i
	done
	prof-merge -q leaf.* -o sum
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

@test 'flat: 60 plans of all at once, in any order' {
	all 1 60 8
	local i

	for i in 1 2 3 4 5 6 7 8 9 10; do
		prof-merge -q -S 1K $(ls leaf.* | shuf --random-source=<(yes $i)) |
		    cmp - sum
	done
}

@test 'two levels: 50 plans of pairs or threes' {
	all 1001 1050 3
}

@test 'chains and trees: 90 random plans' {
	all 2001 2090 5
}

@test 'plans with a weight, scaled once at each leaf' {
	local i

	prof-merge -q --scale 3/2 leaf.* -o scaled
	for i in 1 2 3 4 5 6 7 8; do
		prof-merge -q --scale 3/2 leaf.$i -o half.$i
	done
	prof-merge -q half.* | cmp - scaled
	prof-merge -q -S 1K --scale 3/2 leaf.* | cmp - scaled
}
