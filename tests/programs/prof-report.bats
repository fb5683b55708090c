# prof-report: the page's data are those of prof-show --json, foreign text stays
# text, and the page asks for nothing.

load ../support/helper

setup() {
	need jq
	cd "$BATS_TEST_TMPDIR"
}

# data_of PAGE: the JSON inside.
data_of() {
	sed -n 's/.*id="data">\([^<]*\)<.*/\1/p' "$1" | base64 -d | gunzip
}

# samples: a profile of each kind.
samples() {
	for file in good/{kinds,temporal,coverage-32be,names-one-missing,bits} \
	    real/{13-fe,22-ir,22-cs,22-fe_values,22-vtable,19-mcdc,19-temporal}
	do
		data "$file.profraw"
	done
	data memprof/v4.mixed.profdata
	pseudo_counts >huge.ndjson
	echo huge.ndjson
}

@test 'summaries and functions are those of prof-show --json' {
	for file in $(samples); do
		echo "$file"
		prof-report -q "$file" >page
		data_of page >data
		prof-show -q --json --cutoffs --binary-ids "$file" |
		    jq -c . >want
		jq -c '.profiles[].summary' data | diff want -
		prof-show -q --json --functions --counts --values -C \
		    --sort share "$file" |
		    jq -c 'del(.file, .offset) | if .demangled == .name then
			del(.demangled) else . end' >want
		jq -c '.profiles[].functions[] | del(.bitmap)' data |
		    diff want -
	done
}

@test 'columns and tallies are those of the functions, each of which is a line' {
	local samples

	half_ran 9000 >text
	samples=$(samples)
	for file in text $samples; do
		echo "$file"
		prof-report -q "$file" >page
		data_of page >data
		jq -e '.profiles[] | .pseudo as $pseudo | .columns ==
		    { sum: [.functions[] | if .pseudo then 0 else
			.counts | map(tonumber) | add // 0 end],
		    max: [.functions[] | .max_count // 0],
		    entries: [.functions[] | if .pseudo then 0 else
			.counts[0] // 0 end],
		    counters: [.functions[].counters] } and
		    (.tallies | add) == ([.functions[] |
			select(.pseudo | not) | .counters] | add // 0) and
		    .tallies[0] == ([.functions[] | select(.pseudo | not) |
			.counts[] | select(. == 0)] | length)' data ||
		    [[ $file == *huge* ]]
		jq '.profiles[].functions | length' data |
		    awk '{ n += $1 } END { print n }' >want
		grep -c '^{.*"counts":.*},*$' data | diff want - ||
		    [ "$(cat want)" -eq 0 ]
	done
}

@test 'MC/DC bitmaps are those of the stream' {
	file=$(data real/19-mcdc.profraw)
	prof-report "$file" >page
	profraw-cat "$file" | jq -r '.bitmap // empty' | sort >want
	[ -s want ]
	data_of page | jq -r '.profiles[].functions[].bitmap // empty' | sort |
	    diff want -
}

@test 'traces and their order are those of the profile and of prof-order' {
	file=$(data real/19-temporal.profraw)
	prof-report "$file" >page
	data_of page >data
	profraw-cat "$file" | jq -c 'select(.record == "trace") |
	    { weight, functions }' >want
	[ -s want ]
	jq -c '.profiles[0].traces[]' data | diff want -
	prof-order "$file" >want
	[ -s want ]
	jq -r '.profiles[0].order[]' data | diff want -
}

@test 'heap contexts are those of prof-show --heap --json' {
	for file in $(data heap/app.ndjson) $(data memprof/v4.mixed.profdata) \
	    $(data memprof/v2.llvm22.profdata) $(data memprof/sample.yaml) \
	    $(data memprof-raw/good/v1-be.memprofraw) \
	    $(data memprof-raw/good/v5-le.memprofraw); do
		echo "$file"
		prof-show -q --heap --json --stacks -C "$file" |
		    jq -cS 'select(.heap == "context") |
		    [.class, .site, .frames, .info]' | sort >want
		[ -s want ]
		prof-report "$file" >page
		data_of page >data
		jq -cS '.profiles[].heap | .frames as $f | .contexts[] |
		    [.class, .site, [.frames[] | $f[.]], .info]' data | sort |
		    diff want -
	done
}

@test '--top keeps the contexts with most bytes, and pages show sites' {
	prof-report --top 2 "$(data heap/app.ndjson)" >page
	[ "$(data_of page | jq -c '[.profiles[0].heap.contexts[].info |
	    .total_size]')" = '[644640,131040]' ]
	grep -q '<td>645408</td><td>20169</td><td>2</td>.*new_word' page
}

@test '--binary names functions that are known by their hash' {
	file=$(data memprof/v3.llvm22.profdata)
	run -2 prof-report --binary "$file" -o page "$file"
	[ ! -e page ]
	refused 'app-14.debug has build id .* modules of the profile have' \
	    prof-report --binary "$(data symbolize/app-14.debug)" -o page \
	    "$(data symbolize/app-22.memprofraw)"
	prof-report --binary "$(data symbolize/app-22.debug)" "$file" >page
	[ -s page ]
	# Addresses get functions, as those of prof-symbolize.
	for version in 14 22; do
		profile=$(data symbolize/app-$version.memprofraw)
		binaries=(--binary "$(data symbolize/app-$version.debug)"
		    --binary "$(data symbolize/libpart-$version.debug)")
		prof-report -q "${binaries[@]}" "$profile" | data_of - |
		    jq .profiles[].heap >got
		prof-symbolize -q "${binaries[@]}" "$profile" | prof-report -q |
		    data_of - | jq .profiles[].heap | same - got
		grep -q part_new got
	done
}

@test 'demangled names are short' {
	local name=_Z1fRSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcE

	profile '"level":"ir"' "$(fn "${name}SaIcEEESaIS5_EE" 1 1)" |
	    prof-report >page
	data_of page | jq -r '.profiles[].functions[].demangled' |
	    same - <(echo 'f(std::vector<std::string>&)')
	grep -qF 'f(std::vector&lt;std::string&gt;&amp;)' page
}

@test 'without JavaScript: totals and the first 50 functions' {
	half_ran 200 | prof-report >page
	grep -c '^<tr>' page | grep -qx 50
	grep -q '^<pre class="totals">  functions  *200$' page
	half_ran 200 | prof-show --functions --json --sort share --top 50 |
	    jq -r .name >want
	sed -n 's,.*class="name">\(f[0-9]*\)</td>.*,\1,p' page | diff want -
}

@test '--top keeps the functions with the largest share' {
	half_ran 200 >text
	prof-report text >page
	prof-report --top 7 text >less
	data_of page | jq -c '.profiles[0].functions[:7]' >want
	data_of less | jq -c '.profiles[0].functions' | diff want -
	[ "$(data_of less | jq '.profiles[0].summary.functions')" -eq 200 ]
	[ "$(data_of less | jq -c '.profiles[0].thresholds')" = \
	    "$(data_of page | jq -c '.profiles[0].thresholds')" ]
	run -2 prof-report --top 0 text
}

@test 'all profiles of an archive are in the page' {
	need zstd
	prof-report "$top_srcdir/demo/sample.tar.zst" >page
	prof-show --json "$top_srcdir/demo/sample.tar.zst" |
	    jq -r .member >want
	[ "$(wc -l <want)" -gt 1 ]
	data_of page | jq -r '.profiles[].summary.member' | diff want -
	grep -c '<section class="profile">' page |
	    grep -qx "$(wc -l <want)"
}

@test 'names are text, whatever they contain' {
	name='</script><img src=x onerror=alert(1)>\u202e&\u001b[31m\"'\'
	{
		profile '"level":"ir"' "$(fn "$name" 1 1,2)" \
		    "$(fn "f;$name" 2 5)"
	} >'<b>&"stream'
	mkdir '<'
	mv '<b>&"stream' '</title><script>alert(1)<'
	prof-report '</title><script>alert(1)<' >page
	[ "$(grep -o '<script' page | wc -l)" -eq 2 ]
	[ "$(grep -o '</script' page | wc -l)" -eq 2 ]
	run ! grep -qE '<(img|b)\b' page
	run ! grep -q $'\xe2\x80\xae\|\x1b' page
	grep -q '<title>&lt;/title&gt;&lt;script&gt;' page
	[ "$(data_of page | jq -r '.profiles[0].functions[1].name')" = \
	    "$(jq -rn "\"$name\"")" ]
}

# a and b: two profiles with functions of each state.
two_profiles() {
	profile '"level":"ir"' "$(fn both 1 10,20)" "$(fn gone 2 30)" \
	    "$(fn _Z5otherv 3 40)" "$(fn same 4 50,50)" "$(fn even 5 7)" >a
	profile '"level":"ir"' "$(fn both 1 10,40)" "$(fn fresh 2 50)" \
	    "$(fn _Z5otherv 5 60)" "$(fn same 4 20,20)" "$(fn even 5 7)" >b
}

# compared A B [OPTION...]: the comparison of the page is that of prof-diff; that
# also has functions of equal shares.
compared() {
	prof-report "${@:3}" -o page "$1" "$2"
	data_of page >data
	prof-diff --json -C --top 1000 "${@:3}" "$1" "$2" >want
	jq -c '.comparison[] | .subject, (.rows[] |
	    select(.state != "unchanged"))' data |
	    diff want -
	jq -r '.profiles[].summary.file' data | diff <(printf '%s\n' "$1" "$2") -
}

@test 'two profiles: the comparison of prof-diff --json, and both' {
	two_profiles
	compared a b
	[ "$(jq -c '[.comparison[0].rows[] |
	    select(.state == "unchanged") | .name]' data)" = '["even"]' ]
	grep -q 'other()' data
	profile '"level":"ir"' "$(fn f 1 5)" "$(fn f $((1 << 60 | 1)) 7)" >x
	compared x x
	[ "$(jq '.comparison | length' data)" -eq 2 ]
	compared "$(data real/14-fe_values.profraw)" \
	    "$(data real/22-fe_values.profraw)"
	prof-report --top 2 b a >page
	[ "$(data_of page | jq -c '[.comparison[0].rows, .profiles[].functions |
	    length]')" = '[2,2,2]' ]
	prof-report a - <b >page
	[ "$(data_of page | jq -r .comparison[0].subject.file_new)" = - ]
	grep -q '<title>profile against a</title>' page
}

@test 'two heap profiles: contexts of prof-diff --json' {
	for file in heap/app.ndjson memprof/v4.mixed.profdata; do
		prof-filter "$(data "$file")" | sed '0,/"total_size":[1-9]/s//&9/' >b
		prof-diff --json -C --top 1000 "$(data "$file")" b |
		    jq -c 'select(.diff == "context") |
			[.state, .bytes, .count]' | sort >want
		[ -s want ]
		prof-report "$(data "$file")" b >page
		data_of page | jq -c '.comparison[] | select(.names) |
		    .rows[] | [.state, .bytes, .count]' | sort >got
		# Those of equal shares too.
		comm -23 want got | diff /dev/null -
		data_of page | jq -e '.comparison[] | select(.names) |
		    (.names | length) as $n | all(.rows[].frames[]; . < $n)'
	done
}

@test 'two profiles: limits give verdicts and the exit status of prof-diff' {
	two_profiles
	run -1 --separate-stderr prof-report --max-no-longer-run 0 \
	    --min-overlap 30 -o page a b
	[ "$stderr" = 'prof-report: functions: 1 no longer run: '$(
	    )'--max-no-longer-run is 0' ]
	grep -q '<li>failed: functions: 1 no longer run: --max-no-l' page
	grep -q '<li>passed: functions: .* overlap: --min-overlap is 30%' page
	data_of page | jq -e '[.comparison[0].subject.verdicts[].verdict] ==
	    ["passed", "failed"]'
	usage_error 'limits need a second profile' prof-report --max-stale 1 a
	usage_error 'prof-diff OLD BINARY lists' prof-report a \
	    "$(data correlate/temporal)"
	usage_error 'or two to compare: sum more by prof-merge first$' \
	    prof-report a b a
	usage_error '--min-overlap needs a percentage' prof-report \
	    --min-overlap x a b
	run -2 prof-report -o other "$(data real/13-fe.profraw)" \
	    "$(data real/13-ir.profraw)"
	[[ $output == *'cannot be compared with'* ]]
	[ ! -e other ]
}

@test 'two profiles without JavaScript: what prof-diff prints' {
	two_profiles
	prof-report a b | sed 's,&gt;,>,g' >page
	prof-diff -C --top 50 a b | while IFS= read -r line; do
		echo "$line"
		grep -qF "$line" page || [[ $line == *even ]]
	done
}

# hash_of ELEMENT PAGE: the source expression of its text, which a policy names.
hash_of() {
	awk -v from="<$1>" -v to="</$1>" '
	{ text = text $0 "\n" }
	END {
		text = substr(text, index(text, from) + length(from))
		printf "%s", substr(text, 1, index(text, to) - 1)
	}' "$2" | openssl dgst -sha256 -binary | base64 |
	    sed "s/.*/'sha256-&'/"
}

@test 'the policy allows the script and the style of the page only' {
	need openssl
	half_ran 3 | prof-report >page
	policy="default-src 'none'; script-src $(hash_of script page); "
	policy+="style-src $(hash_of style page); "
	policy+="base-uri 'none'; form-action 'none'"
	grep -qF "content=\"$policy\"" page
	# The only address is the name of SVG's elements.
	[ "$(grep -oE '(https?|ftp|wss?|file)://[^" )]*' page | sort -u)" = \
	    http://www.w3.org/2000/svg ]
	run ! grep -qE '<(link|img|iframe|object|embed|base|form)\b' page
}

# Scripts of all pages.
@test 'scripts make no markup of text' {
	run ! grep -nE '\.(inner|outer)HTML|insertAdjacent|document\.write' \
	    "$top_srcdir"/cmd/page/*.js "$top_srcdir"/cmd/*/page/*.js
	run ! grep -nE '\beval\b|new Function|fetch\(|XMLHttp|import ?\(' \
	    "$top_srcdir"/cmd/page/*.js "$top_srcdir"/cmd/*/page/*.js
}

# scripts FOLDER: those that its sources.am has, in the order of the page.
scripts() {
	sed -nE "s,^\t%D%/([a-z]+\.js).*,$1/\1,p" "$1/sources.am"
}

@test 'scripts pass a check of their types' {
	need tsc
	local folder scripts

	cd "$top_srcdir"
	for folder in cmd/*/page; do
		scripts=$(scripts cmd/page; scripts "$folder")
		[ "$(printf '%s\n' "$scripts" | sort)" = \
		    "$(ls cmd/page/*.js "$folder"/*.js)" ]
		tsc --checkJs --allowJs --noEmit --strict --target es2021 \
		    --lib es2021,dom,dom.iterable $scripts
	done
}

# heap NAME BYTES [NAME BYTES]...: a heap profile; main calls each function.
heap() {
	local n=0

	printf '{"record":"profile","stream":1,"kind":"memprof"}\n'
	while [ $# -gt 0 ]; do
		n=$((n + 1))
		printf '{"record":"stack","id":"0x%016x","frames":[%s]}\n' $n \
		    "{\"function\":\"$1\"},{\"function\":\"main\"}"
		printf '{"record":"allocation","stack":"0x%016x","info":%s}\n' \
		    $n "{\"alloc_count\":1,\"total_size\":$2}"
		shift 2
	done
	printf '{"record":"end","last":true}\n'
}

@test 'no profile: no page' {
	run -2 prof-report -o page "$(data heap/sample.ndjson)".none
	[ ! -e page ]
	profile '"level":"ir"' >empty
	prof-report -o page empty
	[ "$(data_of page | jq '.profiles[0].functions | length')" -eq 0 ]
	head -c 300 "$(data good/kinds.profraw)" >cut
	run -2 prof-report -o other cut
	[ ! -e other ]
	[ "$(ls | tr '\n' ' ')" = 'cut empty page ' ]
}
