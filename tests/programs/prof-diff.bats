# prof-diff: what changed, in words and in JSON, and how much may.
# tests/oracle/overlap.bats holds its numbers against llvm-profdata's.

load ../support/helper

setup() {
	need jq
	cd "$BATS_TEST_TMPDIR"
	profile '"level":"ir"' "$(fn both 1 10,20)" "$(fn gone 2 30)" \
	    "$(fn other 3 40)" "$(fn same 4 50,50)" >a
	profile '"level":"ir"' "$(fn both 1 10,40)" "$(fn fresh 2 50)" \
	    "$(fn other 5 60)" "$(fn same 4 20,20)" >b
}

# diff_is JQ-FILTER ARGUMENTS: it is true of the lines, an array; n(STATE) is the
# number of functions or contexts in a state.
diff_is() {
	prof-diff --json "${@:2}" >out
	cat out
	jq -es "def n(\$s): .states[\$s] | .functions // .contexts; $1" out >/dev/null
}

@test 'functions newly run, no longer run, stale and changed' {
	# Shares: a has 200 counts, b has 200.
	diff_is '.[0] | .functions == {old: 4, new: 4} and .common == 2 and
	    n("no longer run") == 1 and n("newly run") == 1 and
	    n("changed") == 2 and ([.states[].functions] | add) == 5 and
	    .sum == {old: 200, new: 200} and
	    ((.overlap - (10 + 20 + 20 + 20) / 200) | fabs) < 1e-12 and
	    .states["no longer run"].share == {old: 0.15, new: 0} and
	    .states["newly run"].share == {old: 0, new: 0.25} and
	    .states.stale.share == {old: 0.2, new: 0.3}' a b
	diff_is '[.[1:][] | [.name, .state, .count.old, .count.new, .ratio]] ==
	    [["same", "changed", 100, 40, 0.4],
	    ["fresh", "newly run", 0, 50, null],
	    ["gone", "no longer run", 30, 0, 0],
	    ["both", "changed", 30, 50, 50 / 30],
	    ["other", "stale", 40, 60, 1.5]] and
	    .[5].hash_old == "0x0000000000000003" and
	    .[5].hash_new == "0x0000000000000005" and
	    (.[2] | has("hash_old") | not)' a b
	run -0 prof-diff a b
	printf '%s\n' "$output"
	lines_match '^OLD: a$' '^NEW: b$' '^functions:$' \
	    '^  functions +4 +4$' '^  total count +200 +200  \(100\.0%\)$' \
	    '^  overlap +35\.000%$' '^  stale: 1 +20\.000% +30\.000%$' \
	    '^  newly run: 1 +0\.000% +25\.000%$' \
	    '^  no longer run: 1 +15\.000% +0\.000%$' \
	    '^  changed: 2 +65\.000% +45\.000%$' \
	    '^ +in OLD +in NEW +counts +counts +ratio$' \
	    '^ +50\.000% +20\.000% +100 +40 +0\.4x  changed       same$' \
	    '^ +0\.000% +25\.000% +0 +50 +-  newly run     fresh  [(]new[)]$' \
	    '^ +15\.000% +0\.000% +30 +0 +0x  no longer run gone  [(]gone[)]$' \
	    '^ +15\.000% +25\.000% +30 +50 +1\.67x  changed       both$' \
	    '^ +20\.000% .* +1\.5x  stale         other  0x0{15}3 -> 0x0{15}5$' \
	    <<<"$output"
}

# sorted ORDER NAME...: the changes of x and y in an order.
sorted() {
	prof-diff --json --sort "$1" x y | jq -r 'select(.name).name' |
	    paste -sd' ' | same - <(echo "${@:2}")
}

@test '--sort: by share, count or ratio' {
	profile '"level":"ir"' "$(fn much 1 1000)" "$(fn little 1 5)" \
	    "$(fn gone 1 1)" "$(fn some 1 100)" "$(fn twice 1 500)" >x
	profile '"level":"ir"' "$(fn much 1 2100)" "$(fn little 1 100)" \
	    "$(fn some 1 10)" "$(fn twice 1 1002)" "$(fn fresh 1 0)" >y
	sorted share some much little twice gone
	sorted count much twice little some gone
	sorted ratio gone little some much twice
	usage_error "--sort accepts share, count or ratio, not 'name'" \
	    prof-diff --sort name x y
	# Bytes of heap contexts.
	profile '' "$(allocated a=1000 b=10 c=1)" | sed s/instr/memprof/ >x
	profile '' "$(allocated a=1900 b=100)" | sed s/instr/memprof/ >y
	prof-diff --json --sort ratio x y | jq -r '.frames[0] // empty' |
	    paste -sd' ' | same - <(echo c b a)
	prof-diff --sort count x y | grep -E ' 1000 +1900 +1\.9x  changed +a$'
}

# became STATE ARGUMENTS: the one change of functions, and its limit.
became() {
	local option=--max-${1// /-}

	prof-diff --json x y >out
	jq -se --arg state "$1" '.[0].states[$state].functions == 1 and
	    ([.[1:][] | select(.state == $state)] | length) == 1' out
	prof-diff x y | grep -E "^  $1: 1 "
	quiet prof-diff "$option" 1 x y >out
	run -1 --separate-stderr prof-diff "$option" 0 x y
	[ "$stderr" = "prof-diff: functions: 1 $1: $option is 0" ]
}

@test 'states of functions, each with its word and its limit' {
	local word

	# Very cold, warm and hot: above 99 and 99.9999 percent of the counts.
	profile '"level":"ir"' "$(fn main 1 1000000000)" "$(fn f 2 5)" \
	    "$(fn g 3 40000000)" >x
	profile '"level":"ir"' "$(fn main 1 1000000000)" \
	    "$(fn f 2 40000000)" "$(fn g 3 5)" >y
	became 'became hot'
	became 'became cold'
	diff_is '.[1:] | map([.name, .state]) == [["f", "became hot"],
	    ["g", "became cold"]]' x y
	# A function that is warm now is hot no longer.
	profile '"level":"ir"' "$(fn main 1 1000000000)" \
	    "$(fn f 2 40000000)" "$(fn g 3 90000)" "$(fn h 4 2000)" >y
	diff_is '.[0] | n("became hot") == 1 and n("became cold") == 1' x y
	# From warm to very cold it was never hot.
	profile '"level":"ir"' "$(fn main 1 1000000000)" \
	    "$(fn f 2 40000000)" "$(fn g 3 5)" "$(fn h 4 2000)" >x
	diff_is '.[0] | n("became hot") == 0 and n("became cold") == 0' x y
	diff_is '.[0] | n("became hot") == 0 and n("became cold") == 0' y x
	# Present, but with zero counters.
	profile '"level":"ir"' "$(fn main 1 10)" "$(fn f 2 5)" \
	    "$(fn g 3 0)" "$(fn never 4 0)" >x
	profile '"level":"ir"' "$(fn main 1 10)" "$(fn f 2 0)" \
	    "$(fn g 3 5)" >y
	became 'newly run'
	became 'no longer run'
	run ! grep -E '[(](new|gone)[)]' <(prof-diff x y)
	diff_is '.[0] | n("unchanged") == 2' x y
	profile '"level":"ir"' "$(fn f 2 5)" >x
	profile '"level":"ir"' "$(fn f 3 5)" >y
	became stale
	# A function of one counter is not known by its hash.
	profile '"level":"ir"' "$(fn f 2 5,6)" "$(fn one 1 3)" >x
	profile '"level":"ir"' "$(fn g 2 5,7)" "$(fn two 1 3)" >y
	became renamed
	diff_is '.[0] | n("newly run") == 1 and n("no longer run") == 1' x y
	prof-diff x y | grep -E 'newly run +two  \(new\)$'
	prof-diff x y | grep -E 'no longer run +one  \(gone\)$'
	diff_is '.[1:][] | select(.state == "renamed") | .name == "g" and
	    .old_name == "f" and .count == {old: 11, new: 12}' x y
	prof-diff x y | grep -E 'renamed +f -> g$'
	# One of two may be anything.
	profile '"level":"ir"' "$(fn f 2 5,6)" "$(fn e 2 5,6)" >x
	diff_is '.[0] | n("renamed") == 0 and n("no longer run") == 2' x y
	# All words are on the page.
	for word in $(jq -r 'select(.states).states | keys[] |
	    gsub(" "; "_")' out); do
		grep -qE "^\.It ${word//_/ }( Ta|\$)" \
		    "$top_srcdir/man/prof-diff.1"
	done
}

@test 'functions that moved to another file are one row' {
	profile '"level":"ir"' "$(fn 'x/a.c;f' 2 5)" "$(fn 'x/b.c;f' 2 9)" \
	    "$(fn 'x/a.c;g' 3 1)" "$(fn 'x/a.c;h' 4 1)" >x
	profile '"level":"ir"' "$(fn 'build/b.c;f' 2 9)" \
	    "$(fn 'build/a.c;f' 2 6)" "$(fn 'x/c.c;g' 3 1)" \
	    "$(fn 'y/a.c;h' 5 1)" >y
	diff_is '.[0] | n("moved") == 3 and n("newly run") == 1 and
	    n("no longer run") == 1' x y
	diff_is '.[1:] | map(select(.state == "moved") | [.old_name, .name,
	    .count.old, .count.new]) | sort == [
	    ["x/a.c;f", "build/a.c;f", 5, 6], ["x/a.c;g", "x/c.c;g", 1, 1],
	    ["x/b.c;f", "build/b.c;f", 9, 9]]' x y
	prof-diff x y | grep -E '^  moved: 3 .*prof-filter --remap-prefix or '
	run -1 --separate-stderr prof-diff --max-moved 2 x y
	[ "$stderr" = 'prof-diff: functions: 3 moved: --max-moved is 2' ]
	# With equal names they are compared.
	for side in x y; do
		prof-filter --strip-path "$side" >"$side-stripped"
	done
	diff_is '.[0] | n("moved") < 3' x-stripped y-stripped
}

@test 'a profile and a binary: functions that do not fit' {
	local base=$(data correlate) good=$(data good) name want

	for name in temporal v9-32be v11 v11-32be debug debug-32be coverage; do
		prof-symbolize -q --binary "$base/$name" \
		    "$good/correlated-$name.profraw" >x
		diff_is '.[0] | .binary and n("unchanged") == .functions.old and
		    .functions.old > 0 and (has("overlap") | not)' x "$base/$name"
		want=$(jq '.[0].functions.old' -s out)
		# Hashes 1, 2 and so on become others.
		sed '/"function"/s/"hash":"0x./"hash":"0x2/' x >y
		diff_is '.[0] | n("stale") == '"$want" y "$base/$name"
	done
	base=$base/temporal
	prof-symbolize -q --binary "$base" "$good/correlated-temporal.profraw" |
	    sed 's/"never"/"nothing"/; s/\("first".*0x.*\)1"/\13"/
		s/"counts":\[1]/"counts":[1,5]/' >x
	run -1 --separate-stderr prof-diff --max-stale 0 --max-moved 0 x "$base"
	[ "$stderr" = 'prof-diff: functions: 1 stale: --max-stale is 0' ]
	# Numbers of counters do not matter; "never" is no function of x.
	lines_match '^OLD: x$' '^NEW: .*/temporal$' '^functions:$' \
	    '^  functions +3 +3$' '^  stale: 1 +14\.286%$' \
	    '^  unchanged: 1 +85\.714%$' '^ +in OLD +counts$' \
	    '^ +14\.286% +1  stale         first  0x0{15}3 -> 0x0{15}1$' \
	    <<<"$output"
	[ "$(prof-diff --top 0 x "$base" | grep -c stale)" -eq 1 ]
	# What ran and is not there.
	sed 's/"first"\(.*0x.*\)3"/"lost"\17"/' x >y
	run -1 --separate-stderr prof-diff --max-no-longer-run 0 y "$base"
	[ "$stderr" = 'prof-diff: functions: 1 no longer run: --max-no-longer-run is 0' ]
	grep -qE '^  no longer run: 1 +14\.286%$' <<<"$output"
	grep -qE '^ +14\.286% +1  no longer run lost  \(gone\)$' \
	    <<<"$output"
	profile '"level":"frontend"' "$(fn first 7 1)" >x
	prof-diff x "$base" >out
	usage_error '--max-newly-run needs two profiles' prof-diff \
	    --max-newly-run 1 x "$base"
	usage_error '--min-overlap needs two profiles' prof-diff \
	    --min-overlap 1 x "$base"
	refused 'no-records: no section __llvm_prf_data .*-fprofile-generate' \
	    prof-diff x "$(data correlate/bad/no-records)"
	refused 'half-record: damaged: no record of a function has a name' \
	    prof-diff x "$(data correlate/bad/half-record)"
	refused 'names: .*names: chunk size 32 exceeds' \
	    prof-diff x "$(data correlate/bad/names)"
	refused 'not a profile but an ELF file' prof-diff "$base" x
	# What is not known yet is not the same as none.
	refused 'a correlated profile: .* run prof-symbolize first' prof-diff \
	    --max-stale 0 "$good/correlated-temporal.profraw" "$base"
}

@test 'hashes of LLVM 22 and of releases before it' {
	local level='"level":"frontend","frontend_versions"'

	profile "$level:[7,12]" "$(fn f 0x2b74cd8d92f6e306 5)" \
	    "$(fn g 3 5)" >x
	profile "$level:[13,13]" "$(fn f 0x0b74cd8d92f6e306 5)" \
	    "$(fn g 3 5)" >y
	warns 'differ only in bits that clang 22 clears: 1 \(prof-diff --for' \
	    -- prof-diff x y >out
	grep -q '^  stale: 1 ' out
	quiet prof-diff --for clang-22 x y >out
	run ! grep stale out
	# Those of IR are flags.
	sed -i 's/"frontend",[^]]*]/"ir"/' x y
	quiet prof-diff x y >out
}

@test 'a profile and itself' {
	diff_is 'length == 1 and (.[0] | .overlap > 0.999999 and
	    n("unchanged") == .functions.old)' a a
	quiet prof-diff --min-overlap 99.9 --min-count-share 100% \
	    --max-no-longer-run 0 --max-newly-run 0 --max-stale 0 a a >out
	profile '"level":"ir"' >none
	quiet prof-diff --min-overlap 100 --min-count-share 100 none none >out
}

@test 'one hash of several is gone' {
	profile '"level":"ir"' "$(fn f 1 1)" "$(fn f 2 3)" >x
	profile '"level":"ir"' "$(fn f 1 1)" >y
	diff_is '(.[0] | n("stale") == 1 and n("no longer run") == 0) and
	    .[1].state == "became hot" and (.[2] | .state == "stale" and
	    .count == {old: 3, new: 0})' x y
}

@test 'records of one hash that do not fit' {
	local files

	profile '"level":"ir"' "$(fn f 1 1)" "$(fn g 1 1)" >x
	profile '"level":"ir"' "$(fn f 1 1,2)" "$(fn g 1 1)" >y
	diff_is '(.[0] | n("stale") == 1 and
	    .states.stale.share.new == 0.75) and .[1].state == "stale"' x y
	# Of one side, the one with more counters stays.
	for files in 'x y' 'y x x' 'x x y'; do
		# shellcheck disable=SC2086
		cat $files >z
		run -0 --separate-stderr prof-diff --json z y
		[ "$(jq -r 'select(.states).states.stale.functions' \
		    <<<"$output")" = 0 ]
		[[ $stderr == *'z: warning: records of 1 functions do not '* ]]
	done
}

@test 'which of the records that do not fit stay depends on no order' {
	local all=(few many sites kinds pseudo empty bits uniform) i k file
	local call='[{"target_guid":"0x0000000000000001","count":1}]'
	local size='[{"size":8,"count":1}]'

	profile '"level":"ir"' "$(fn f 1 100)" >few
	profile '"level":"ir"' "$(fn f 1 1,2)" >many
	profile '"level":"ir"' "$(fn f 1 7 \
	    "\"values\":{\"mem_op_size\":[$size]}")" >sites
	profile '"level":"ir"' "$(fn f 1 8 \
	    "\"values\":{\"indirect_call_target\":[$call]}")" >kinds
	profile '"level":"ir"' "$(fn f 1 18446744073709551615)" >pseudo
	profile '"level":"ir"' "$(fn f 1 0,0,0)" >empty
	profile '"level":"ir"' "$(fn f 1 30 '"bitmap":"01"')" >bits
	profile '"level":"ir"' "$(fn f 1 40 '"uniform_counts":[40]')" >uniform
	for i in "${all[@]}"; do
		for k in "${all[@]}"; do
			# Those that stay come before and after one that does not.
			cat "$i" "$k" "$i" >x
			cat "$k" "$i" "$i" >y
			prof-merge -q x >sum
			for file in x y; do
				diff_is '.[0] | n("stale") == 0 and
				    .sum.old == .sum.new and
				    (.values | all(.sum.old == .sum.new))' \
				    "$file" sum
			done
		done
	done
}

@test 'many records that do not fit a large one take linear time' {
	{
		printf 'f\n1\n1000000\n'
		yes 0 | head -n 999999
		echo 5
		yes $'f\n1\n1\n1' | head -n 800000
	} >x
	printf 'f\n1\n1\n1\n' >y
	brief prof-diff -q --json x y >out
	[ "$(jq -s '.[0].sum.old' out)" = 5 ]
}

@test 'the hash and the name of a function depend on no order' {
	profile '"level":"ir"' "$(fn f 1 5)" >x
	profile '"level":"ir"' "$(fn f 3 1)" "$(fn f 2 1)" >y
	profile '"level":"ir"' "$(fn f 2 1)" "$(fn f 3 1)" >z
	diff_is '.[1].hash_new == "0x0000000000000002"' x y
	diff_is '.[1].hash_new == "0x0000000000000002"' x z
	# The guid of f.
	profile '"level":"ir"' "$(nameless_fn 0xcc914f75dd4ca18f 1 5)" >w
	profile '"level":"ir"' >none
	cat x w >y
	cat w x >z
	diff_is '.[1].name == "f"' none y
	diff_is '.[1].name == "f"' none z
}

@test 'sums above 2^53 are exact, in any order' {
	local large='9007199254740992,1' max='18446744073709551613' file

	profile '"level":"ir"' "$(fn f 1 $large)" "$(fn g 1 1)" >x
	profile '"level":"ir"' "$(fn g 1 1)" "$(fn f 1 $large)" >y
	profile '"level":"ir"' "$(fn f 1 $max)" "$(fn g 1 $max)" >z
	for file in x y; do
		prof-diff --json $file z >out
		grep -F \
		    '"sum":{"old":"9007199254740994","new":"36893488147419103226"}' \
		    out
		prof-diff $file z | grep -E \
		    '^  total count +9007199254740994 36893488147419103226 '
	done
	cmp <(prof-diff --json - z <x) <(prof-diff --json - z <y)
}

@test 'profiles of a side are added up' {
	local file=$BATS_TEST_TMPDIR/sum

	mkdir d
	cp a d/1
	cp b d/2
	tar -cf d.tar d/1 d/2
	prof-merge -o sum a b
	for side in d d.tar; do
		diff_is '.[0].overlap > 0.999999 and .[0].common == 6 and
		    .[0].sum == {old: 400, new: 400}' $side "$file"
	done
	cat a b | diff_is '.[0].sum == {old: 400, new: 200}' - a
}

@test 'values of each kind' {
	local sites='"values":{"mem_op_size":[[{"size":8,"count":3},{"size":16,"count":1}]]}'

	profile '"level":"ir"' "$(fn f 1 1 "$sites")" >x
	profile '"level":"ir"' "$(fn f 1 1 "${sites/16/32}")" >y
	diff_is '.[0].values | .mem_op_size.sum == {old: 4, new: 4} and
	    .mem_op_size.overlap == 0.75 and .vtable_target.overlap == 0' x y
	run -0 prof-diff x y
	[[ $output == *'memory operations '*'their overlap '*'75.000%'* ]]
}

@test 'pseudo counts are no counts' {
	profile '"level":"ir"' "$(fn f 1 '"18446744073709551615",7')" \
	    "$(fn g 1 5)" >x
	diff_is '.[0] | .sum.old == 5 and .overlap == 1 and .common == 2' x x
}

@test 'names and guids go together' {
	need md5sum
	local guid=$(printf f | md5sum | cut -c 1-16 |
	    sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)/0x\8\7\6\5\4\3\2\1/')

	profile '"level":"ir"' "$(fn f 1 5)" >x
	profile '"level":"ir"' "$(nameless_fn "$guid" 1 5)" >y
	diff_is '.[0].common == 1 and .[0].overlap == 1' x y
}

# many FUNCTIONS SEED: an indexed profile of names that have up to three hashes,
# some of them context-sensitive, in numbers and with sites that differ by seed.
many() {
	local level='"level":"ir","flags":["context_sensitive"]'

	profile "$level" "$(awk -v n="$1" -v seed="$2" 'BEGIN {
		srand(seed)
		for (i = 0; i < n; i++) {
			sites = ""
			if (rand() < .3)
				sites = sprintf(",\"values\":{\"mem_op_size\":" \
				    "[[{\"size\":8,\"count\":%d},{\"size\":%d," \
				    "\"count\":7}],[]]}", 99 * rand() + 1, 9 + i)
			counts = int(1e9 * rand() * rand() * rand())
			if (rand() < .9)
				counts = counts "," \
				    (rand() < .5 ? 0 : "5000000000")
			if (i % 7 == 0)
				counts = 0
			printf "{\"record\":\"function\",\"name\":" \
			    "\"f%d\",\"hash\":\"0x%d00000000000000%d\"," \
			    "\"counts\":[%s]%s}\n", i / 2 + 5 * seed, \
			    rand() < .3, i % 2 + (rand() < .1), counts, sites
		}
	}')" | prof-merge -q --to indexed
}

@test 'of changes as large as others, those come first that sort first' {
	profile '"level":"ir"' "$(nameless_fn 9 1 10)" "$(nameless_fn 3 2 10)" \
	    "$(fn d 2 10)" "$(nameless_fn 3 1 10)" "$(fn d 1 10)" \
	    "$(fn c 1 10)" "$(fn more 1 20)" "$(fn same 1 5)" >x
	profile '"level":"ir"' "$(fn same 1 5)" >y
	prof-diff --json x y | jq -r 'select(.state == "no longer run") |
	    "\(.name // .guid[-1:])\(.hash_old[-1:])"' | paste -sd' ' >got
	echo 'more1 31 32 91 c1 d1 d2' | same - got
}

@test 'two indexed files with functions of all states' {
	many 3000 1 >x
	many 2900 2 >y
	diff_is '[.[] | .state] | index("stale") and index("changed") and
	    index("newly run") and index("no longer run")' \
	    --top 5000 x y
	[ "$(jq -r 'select(.diff != null) | .diff' out | wc -l)" -ge 2 ]
	run -0 --separate-stderr prof-diff -v x y
	[[ $stderr == *'x: indexed version '*'y: indexed version '* ]]
}

@test 'two indexed files: damage is reported as that of any other' {
	local damaged

	many 300 1 >x
	many 300 2 >y
	LC_ALL=C sed 's/f20/g20/' y >named
	head -c -9 y >cut
	for damaged in named cut; do
		refused "$damaged: (damaged|truncated): 0x" prof-diff x "$damaged"
		refused "$damaged: (damaged|truncated): 0x" prof-diff "$damaged" x
	done
	profile '"level":"frontend"' "$(fn f 1 1)" | prof-merge --to indexed >c
	refused 'c: .*cannot be compared with' prof-diff x c
}

@test 'local functions of older and newer releases' {
	local sites='"values":{"indirect_call_target":[[{"target":"a.c:f","count":3}]]}'

	profile '"level":"ir"' "$(fn a.c:f 1 5 "$sites")" >x
	profile '"level":"ir"' "$(fn 'a.c;f' 1 5 "${sites/a.c:f/a.c;f}")" >y
	diff_is '.[0] | n("moved") == 1 and .overlap == 0' x y
	for release in clang-16 clang-22; do
		diff_is '.[0] | .common == 1 and .overlap == 1 and
		    .values.indirect_call_target.overlap == 1' \
		    --for "$release" x y
	done
	usage_error "unknown release 'nocc-12'" prof-diff --for nocc-12 x y
}

@test 'limits' {
	local status options whose sides

	while read -r status whose options; do
		echo "$options"
		run "-$status" --separate-stderr prof-diff $options a b
		if [ "$status" -eq 1 ]; then
			printf '%s\n' "$stderr"
			[ "${#stderr_lines[@]}" -eq 1 ]
			[[ $stderr == "prof-diff: functions: $whose "*"${options% *} is "* ]]
		fi
	done <<-'END'
	0 - --min-overlap 34.9
	1 35% --min-overlap 35.1%
	0 - --min-count-share 100%
	1 100% --min-count-share 101
	0 - --max-no-longer-run 1
	1 1 --max-no-longer-run 0
	0 - --max-no-longer-run 25%
	1 25% --max-no-longer-run 24%
	0 - --max-newly-run 1
	1 25% --max-newly-run 1%
	0 - --max-stale 1
	1 1 --max-stale 0
	END
	run -1 --separate-stderr prof-diff --max-no-longer-run 0 --max-newly-run 0 a b
	[ "${#stderr_lines[@]}" -eq 2 ]
	# What it is about is printed nevertheless.
	[[ $output == *'no longer run gone'* ]]
	# Half of the profiles did not make it.
	cat a b >all
	run -1 --separate-stderr prof-diff --min-count-share 60 all b
	[[ $stderr == 'prof-diff: functions: 50% of the counts of OLD: '* ]]
	# One count is not none: only two empty sides are the same.
	profile '"level":"ir"' "$(fn f 1 1)" >one
	profile '"level":"ir"' "$(fn f 1 0)" >none
	for sides in 'one none' 'none one'; do
		ends 1 'functions: 0% overlap: --min-overlap is 50%' -- \
		    prof-diff --min-overlap 50 $sides >got
	done
	quiet prof-diff --min-overlap 100 none none >got
	quiet prof-diff --min-overlap 100 one one >got
}

# Quotients are rounded: their sum is not exactly that of the counts.
@test 'limits that are reached exactly hold, in any order' {
	local functions i ten=()

	for i in {0..9}; do
		ten+=("$(fn "f$i" 1 1)")
	done
	profile '"level":"ir"' "${ten[@]}" >ten
	quiet prof-diff --min-overlap 100 ten ten >out
	functions=("$(fn a 1 16)" "$(fn b 1 18)" "$(fn c 1 40)" "$(fn d 1 34)")
	profile '"level":"ir"' "${functions[@]}" >x
	profile '"level":"ir"' "${functions[3]}" "${functions[2]}" \
	    "${functions[1]}" "${functions[0]}" >y
	quiet prof-diff --min-overlap 100 y y >out
	prof-diff --json x x | jq -c 'del(.file_old, .file_new)' >one
	prof-diff --json y y | jq -c 'del(.file_old, .file_new)' >two
	cmp one two
	# One and a bit more, if it is added up carelessly.
	profile '"level":"ir"' "$(fn a 1 18)" "$(fn b 1 9)" "$(fn c 1 1)" >z
	prof-diff --json z z | grep '"overlap":1,'
	# 100 * 0.57 is less than 57.
	profile '"level":"ir"' "$(fn f 1 100)" >x
	profile '"level":"ir"' "$(fn f 1 57)" >y
	quiet prof-diff --min-count-share 57 x y >out
	run -1 prof-diff --min-count-share 57.000001 x y
}

@test 'heap profiles, context by context' {
	local heap=$(data heap/app.ndjson)

	# Other ids, and other addresses: the same frames.
	sed 's/"stack":"0x000000000000000/&1/; s/"id":"0x000000000000000/&1/
	    s/"0x00000000000011\(..\)"/"0x00000000000021\1"/' "$heap" >moved
	sed -i 's/"0x0000000000000001\([0-9]\)"/"0x00000000000000a\1"/' moved
	run ! cmp -s moved "$heap"
	diff_is '.[0] | .diff == "heap" and .contexts == {old: 4, new: 4} and
	    .common == 4 and .overlap > 0.999999' "$heap" moved
	# One context more often, one gone.
	jq -c 'if .record == "allocation" and .info.total_size == 896 then empty
	    elif .record == "allocation" and .info.total_size == 768 then
	    .info.total_size = 768000 else . end' "$heap" >b
	diff_is '(.[0] | n("no longer run") == 1 and
	    n("newly run") == 0 and .overlap < 0.6) and
	    any(.[]; .state == "no longer run" and .bytes == {old: 896, new: 0} and
	    .frames[0] == "grow_table") and
	    any(.[]; .state == "changed" and .bytes == {old: 768, new: 768000})' \
	    "$heap" b
	run -1 --separate-stderr prof-diff --min-overlap 90 --max-no-longer-run 0 \
	    "$heap" b
	printf '%s\n' "$output" "$stderr"
	[[ $output == *'new_word < read_stop_words < main'* ]]
	lines_match '^prof-diff: heap contexts: .* overlap: ' \
	    '^prof-diff: heap contexts: 1 no longer run: ' <<<"$stderr"
}

# allocated FUNCTION=BYTES...: an allocation in each function.
allocated() {
	local i n=0

	for i; do
		n=$((n + 1))
		printf '{"record":"stack","id":"0x%016x","frames":[{"function":"%s","line":1}]}\n' \
		    $n "${i%=*}"
		printf '{"record":"allocation","stack":"0x%016x","info":{"alloc_count":1,"total_size":%d}}\n' \
		    $n "${i#*=}"
	done
}

@test 'of heap contexts that changed as much, new ones come first' {
	profile '' "$(allocated e=10 d=20 c=10 both=50 b=10 a=10)" |
	    sed s/instr/memprof/ >a
	profile '' "$(allocated y=10 x=10 both=50 z=10 a=10 v=20)" |
	    sed s/instr/memprof/ >b
	prof-diff --json a b | jq -r '.frames[0] // empty' | paste -sd' ' |
	    same - <(echo v d y x z e c b)
}

@test 'raw heap profiles of two runs at other addresses' {
	local file

	for file in "$(data memprof-raw)"/real/*.memprofraw; do
		echo "$file"
		diff_is '.[0].diff == "heap" and
		    (.[0] | n("no longer run")) == 0 and .[0].overlap > 0.999999' "$file" "$file"
	done
}

@test 'front-end profiles are not compared with IR profiles' {
	local fe ir

	fe=$(data real)/13-fe.profraw
	ir=$(data real)/13-ir.profraw
	refused "an IR profile \(.*13-ir.profraw\) cannot be compared with a front-end profile \(.*13-fe.profraw\)" \
	    prof-diff "$fe" "$ir"
	refused 'a front-end profile .* cannot be compared with an IR profile' \
	    prof-diff "$ir" "$fe"
	# One without functions goes with any.
	profile '"level":"ir"' >none
	quiet prof-diff "$fe" none >/dev/null
}

# Names of C++ and of a file, and one that is markup and control characters.
odd_names() {
	profile '"level":"ir"' "$(fn _ZN3foo3barEi 1 10,20)" \
	    "$(fn 'x.c;_ZL4helpv' 2 50)" \
	    "$(fn 'a|b`c\n<&>\u001b[31m' 3 20)" >odd
	profile '"level":"ir"' "$(fn _ZN3foo3barEi 1 10,10)" \
	    "$(fn 'x.c;_ZL4helpv' 2 30)" "$(fn fresh 4 50)" >new
}

@test '-C: names as their authors wrote them, in all formats' {
	odd_names
	prof-diff odd new >got
	grep -qF '_ZN3foo3barEi' got
	prof-diff -C odd new >got
	grep -qF 'foo::bar(int)' got
	grep -qF 'x.c;help()' got
	run ! grep _Z got
	diff_is '[.[1:][] | [.name, .demangled]] ==
	    [["fresh", "fresh"],
	    ["a|b`c\n<&>\u001b[31m", "a|b`c\n<&>\u001b[31m"],
	    ["x.c;_ZL4helpv", "x.c;help()"],
	    ["_ZN3foo3barEi", "foo::bar(int)"]]' -C odd new
	diff_is 'all(has("demangled") | not)' odd new
}

@test 'an absolute address of a sum of heap profiles is in no module' {
	printf '%s\n' \
	    '{"record":"profile","stream":1,"kind":"memprof","inputs":2}' \
	    '{"record":"segment","id":0,"start":"0x0000000000001000",'$(
	    )'"end":"0x0000000000002000","offset":"0x0000000000001000"}' \
	    '{"record":"stack","id":"0x0000000000000007","pcs":[PC]}' \
	    '{"record":"allocation","stack":"0x0000000000000007",'$(
	    )'"info":{"alloc_count":1,"total_size":8}}' \
	    '{"record":"end","last":true}' >sum
	sed 's/PC/"0x0000000000001010"/' sum >a
	sed 's/PC/[0,"0x0000000000000010"]/' sum >b
	diff_is '.[0] | .common == 0 and n("no longer run") == 1 and
	    n("newly run") == 1' a b
	# In a profile of one run, the two are the same.
	sed -i 's/,"inputs":2//' a
	diff_is '.[0] | .common == 1 and n("unchanged") == 1' a b
}

@test '-C: frames of heap profiles' {
	sed 's/"grow_table"/"_ZN3foo3barEi"/' "$(data heap/app.ndjson)" >heap
	grep -q _ZN3foo3barEi heap
	diff_is '((.[0] | n("no longer run")) > 0) and ([.[] | .frames // [] | .[]] |
	    index("_ZN3foo3barEi") and index("grow_table")) and
	    ([.[] | .demangled // [] | .[]] | index("foo::bar(int)") and
	    (index("_ZN3foo3barEi") | not))' -C heap "$(data heap/app.ndjson)"
}

@test 'which changes are printed' {
	diff_is 'length == 3' --top 2 a b
	diff_is 'length == 3' --top 5 --top 2 a b
}

@test 'verdicts in JSON' {
	run -1 --separate-stderr prof-diff --json --top 0 --min-overlap 35 \
	    --max-no-longer-run 0 --max-newly-run 25% a b
	jq -e '.verdicts == [
	    {option: "--min-overlap", unit: "percent", limit: 35, value: 35,
		verdict: "passed"},
	    {option: "--max-newly-run", unit: "percent", limit: 25, value: 25,
		verdict: "passed"},
	    {option: "--max-no-longer-run", unit: "number", limit: 0, value: 1,
		verdict: "failed"}]' <<<"$output"
	diff_is 'all(has("verdicts") | not)' a b
	# Without counts there is no share of them.
	profile '"level":"ir"' >none
	diff_is '.[0] | has("verdicts") | not' --min-count-share 50 none b
}

@test 'formats: the same bytes each time, without control characters' {
	local format

	odd_names
	for format in '' --json; do
		prof-diff $format odd new >got
		prof-diff $format odd new | same got -
		run ! grep -aP '[\x00-\x09\x0b-\x1f\x7f]' got
	done
}

@test '-o: a file, whole or not at all' {
	prof-diff a b >want
	quiet prof-diff -o out a b
	same want out
	quiet prof-diff -o - a b | same want -
	# A limit that is exceeded is an answer; trouble leaves what was there.
	run -1 prof-diff -q --max-no-longer-run 0 -o failed a b
	same want failed
	head -n 3 b >cut
	run -2 prof-diff -o out a cut
	same want out
	run -2 prof-diff -o none a cut
	[ ! -e none ]
	refused 'missing/out: ' prof-diff -o missing/out a b
}

@test 'what is wrong' {
	usage_error 'two profiles are needed, OLD and NEW' prof-diff a
	usage_error 'two profiles are needed, OLD and NEW' prof-diff a b a
	# There is none of what --help does not list.
	usage_error "unrecognized option '--files-from'" \
	    prof-diff --files-from a a b
	run -1 grep -e --files-from -e --null <(prof-diff --help)
	usage_error '--min-overlap needs a percentage' prof-diff \
	    --min-overlap x a b
	usage_error '--min-overlap accepts at most 100%' prof-diff \
	    --min-overlap 110 a b
	usage_error '--max-no-longer-run accepts at most 100%' prof-diff \
	    --max-no-longer-run 101% a b
	usage_error '--max-no-longer-run needs a number' prof-diff --max-no-longer-run -1 a b
	usage_error '--top needs a number' prof-diff --top many a b
	usage_error '--top needs a number' prof-diff --top -1 a b
	refused 'missing: .*No such file' prof-diff a missing
	: >empty
	refused 'empty: empty file' prof-diff a empty
	head -n 3 a >cut
	refused 'cut: truncated: line [0-9]+: stream ended' prof-diff cut b
	tar -cf none.tar --files-from /dev/null
	refused 'none\.tar: ' prof-diff a none.tar
}
