# prof-index: what each indexed version holds, and for which compilers.

load ../support/helper

setup() {
	need jq
	good=$(data good)
	real=$(data real)
	cd "$BATS_TEST_TMPDIR"
}

ir() {
	profile '"level":"ir"' "$@"
}

# fe FIRST,LAST RECORD...: a front-end profile with hashes of these versions.
fe() {
	profile '"level":"frontend","frontend_versions":['"$1]" "${@:2}"
}

# The version number in the header of an indexed file.
version_of() {
	od -An -tu4 -j8 -N4 "$1" | tr -d ' '
}

# Names of functions in an indexed file.
names_in() {
	profraw-cat "$1" | jq -r '.name // empty' | sort
}

# Some of all that an indexed file can hold, and what none can.
everything() {
	profile "$(tr -d ' \n' <<-'END'
	"level": "ir", "context_sensitive": true, "entry_first": true,
	"loop_entries": true, "byte_coverage": true,
	"function_entry_only": true, "temporal": true, "salvaged": true,
	"wave_size": 64, "trace_stream_size": 7
	END
	)" '{"record":"binary","build_id":"01"}' \
	    '{"record":"binary","build_id":"0203"}' \
	    '{"record":"vtable","name":"_ZTV1A"}' \
	    "$(fn main 24 1,2 "$(tr -d ' \n' <<-'END'
	"bitmap": "01ff", "uniform_counts": [1, 1], "values": {
	  "indirect_call_target": [
	    [{"target": "f", "count": 3},
	     {"target_guid": "0x0000000000000000", "count": 1}], []],
	  "mem_op_size": [[{"size": 8, "count": 1}]],
	  "vtable_target": [[{"target": "_ZTV1A", "count": 4}]]}
	END
	)")" "$(fn f 1 3)" \
	    "$(nameless_fn 119 1 1)" \
	    '{"record":"trace","weight":5,"functions":["main","f"]}' \
	    '{"record":"odd"}'
}

# What of a stream is left in an indexed version, by the table of profdata(5).
held_by() {
	jq -cS --argjson v "$1" '
	del(.source, .salvaged, .wave_size, .uniform_counts) |
	if $v < 2 then del(.context_sensitive) else . end |
	if $v < 3 then del(.values) else . end |
	if $v < 6 then del(.entry_first) else . end |
	if $v < 7 then del(.byte_coverage, .function_entry_only) else . end |
	if $v < 9 then select(.record != "binary") else . end |
	if $v < 10 then select(.record != "trace") |
	    del(.temporal, .trace_stream_size) else . end |
	if $v < 11 then del(.bitmap, .loop_entries) |
	    if .values then del(.values.vtable_target) else . end
	else . end |
	if $v < 12 then select(.record != "vtable") else . end |
	if $v == 11 and .values then
	    .values.vtable_target[0][0] |= {count, target_guid:
		"0xa80047fd60784dd0"} else . end |
	select(.record != "odd" and (.guid and (.name | not) | not))
	' | sort
}

@test 'a profile too small to tell whether LLVM 22 hashed it' {
	profile '"level":"frontend","frontend_versions":[12,13]' \
	    "$(fn f 0x0b74cd8d92f6e306 5)" "$(fn g 3 5)" >x
	warns 'x: warning: too few hashes to tell clang 22 .* functions: 1$' \
	    -- prof-index --for clang-16 -o x.profdata x
	quiet prof-index --for clang-22 -o x.profdata x
	sed -i 's/0x0b/0x2b/' x
	quiet prof-index --for clang-16 -o x.profdata x
}

@test 'each version holds what it can, and tells what it cannot' {
	local v

	everything >x
	for v in {1..13}; do
		echo "version $v"
		prof-index --allow-empty --to indexed:"$v" -o indexed x \
		    2>told
		[ "$(version_of indexed)" -eq "$v" ]
		held_by "$v" <x >want
		quiet profraw-cat indexed | jq -cS 'del(.source)' | sort |
		    same want -
		sed 's/^prof-index: warning: //' told
	done >all
	golden prof-index/losses <all
}

@test 'a version that holds all has nothing to tell' {
	local v

	profile '"level":"ir","entry_first":true' "$(fn main 24 1,2)" \
	    "$(fn f 1 3)" >x
	profile '"level":"ir","entry_first":true' "$(fn f 1 3)" \
	    "$(fn main 24 1,2)" >want
	for v in {6..13}; do
		echo "version $v"
		quiet prof-index --to indexed:"$v" x >indexed
		quiet profraw-cat indexed | prof-merge | same want -
		# What was read is written as it was.
		quiet prof-index --to indexed:"$v" indexed |
		    cmp - indexed
		quiet prof-merge --to "indexed:$v" x | cmp - indexed
		quiet prof-merge --to indexed:"$v" x |
		    cmp - indexed
	done
	# Other versions can be told in other ways.
	quiet prof-index x | cmp - indexed
	quiet prof-merge --to indexed x | cmp - indexed
}

@test 'versions before several hashes a name refuse them' {
	ir "$(fn a 1 1)" "$(fn a 2 1)" >x
	refused 'version 1 cannot hold the two hashes of function a$' \
	    prof-index --to indexed:1 x
	[ ! -s out ]
	quiet prof-index --to indexed:2 x >indexed
	[ "$(names_in indexed)" = $'a\na' ]
}

@test 'what no reader would take is refused' {
	ir "$(fn a 18446744073709551613 1)" >x
	quiet prof-index x >indexed
	profraw-cat indexed | grep -q '"hash":"0xfffffffffffffffd"'
	ir "$(fn a 18446744073709551614 1)" >x
	refused 'a\W.* hash ' prof-index x
	ir "$(fn a 1 '')" >x
	refused 'a\W.* no counters' prof-index x
	refused 'correlated' prof-index "$good/correlated-debug.profraw"
	mkdir empty
	refused 'no profile' prof-index empty
}

# indexed_for RELEASE VERSION SEPARATOR
indexed_for() {
	prof-index --for "$1" x -o indexed
	[ "$(version_of indexed)" -eq "$2" ] && grep -qaF "a.c$3f" indexed
}

@test 'each release gets its version and its names' {
	local row release

	ir "$(fn 'a.c;f' 1 1)" >x
	for row in 'clang-22 13 ;' 'clang-21 12 ;' 'clang-19 12 ;' \
	    'clang-18 11 ;' 'clang-17 10 :' 'clang-16 9 :' 'clang-15 8 :' \
	    'clang-14 7 :' 'clang-12 7 :' 'clang-11 6 :' 'clang-10 5 :' \
	    'clang-6 5 :' 'clang-5 4 :' 'clang-3.9 4 :' 'clang-3.8 3 :' \
	    'clang-3.7 2 :' 'clang-3.5 1 :' 'llvm-16 9 :' 'LLVM-16 9 :' \
	    'Clang-16.0.6 9 :' 'LLVM-18.1 11 ;' '16 9 :' '3.9 4 :' \
	    'clang16 9 :' 'clang-16.0.6 9 :' \
	    '/usr/bin/clang-16 9 :' './clang16 9 :' 'clang++-16 9 :' \
	    '/usr/bin/clang++-18 11 ;' 'rustc-1.37 5 :' 'rustc-1.80 11 ;' \
	    '/opt/rustc-1.81.0 11 ;' 'rustc-1.95 13 ;'; do
		echo "$row"
		indexed_for $row
	done
	for release in nocc-12 clang- clang-x clang-16x clang-16. '' 99 \
	    clang-23 clang-3.4 clang-0 rustc-1 rustc-1.36 rustc-1.96 \
	    rustc-2.70 clang++ xcode-16.2; do
		echo "$release"
		usage_error "unknown release '${release//+/.}'; use clang" \
		    prof-index --for "$release" x
	done
}

@test '--for reads what a compiler prints, and runs none' {
	local banner

	ir "$(fn 'a.c;f' 1 1)" >x
	indexed_for 'Debian clang version 16.0.6 (15~deb12u1)
Target: x86_64-pc-linux-gnu
InstalledDir: /usr/bin' 9 :
	indexed_for 'rustc 1.95.0 (0123abcd 2026-04-14)
LLVM version: 22.1.0' 13 ';'
	for banner in 'clang version 99.0.0' \
	    'clang version 17.0.0 (https://github.com/swiftlang/llvm-project)' \
	    'Apple clang version 12.0.5 (clang-1205.0.22.9)' \
	    'gcc (Debian 14.2.0-19) 14.2.0'; do
		echo "$banner"
		usage_error "unknown release '${banner//[.()]/.}'.*--version" \
		    prof-index --for "$banner"$'\nTarget: x' x
	done
	printf '#!/bin/sh\necho clang version 16.0.6\n>asked\n' >cc
	chmod +x cc
	for banner in ./cc "$PWD/cc" clang /usr/bin/ 'ccache clang-16'; do
		echo "$banner"
		usage_error "unknown release '$banner'; use .*, or .*CC --version" \
		    prof-index --for "$banner" x
	done
	[ ! -e asked ]
}

@test 'the words of --to that the help names are taken' {
	local word n=0

	ir "$(fn a 1 1)" >x
	prof-index --help | sed -n '/--for/q; s/indexed://; /--to/,$p' |
	    grep -oE '[a-zN-]+[,:]' | sed 's/-N/-3/; s/.$//' >words
	while read -r word; do
		quiet prof-index --to "indexed:$word" -o out x
		n=$((n + 1))
	done <words
	[ "$n" -eq 4 ]
}

@test '--to indexed:N overrules the version, not the names' {
	ir "$(fn 'a.c;f' 1 1)" >x
	quiet prof-index --for clang-16 --to indexed:8 x >indexed
	[ "$(version_of indexed)" -eq 8 ]
	[ "$(names_in indexed)" = 'a.c:f' ]
	quiet prof-index --to indexed:8 --for clang-16 x | cmp - indexed
	usage_error '--to accepts only indexed: use prof-merge' \
	    prof-index --to text:no-vtables x
	# Alone, it leaves names as they are.
	quiet prof-index --to indexed:9 x >indexed
	[ "$(names_in indexed)" = 'a.c;f' ]
}

@test 'names of local functions change in either direction' {
	local old new olds=() news=()

	while IFS='	' read -r old new; do
		olds+=("$(fn "$old" 1 1)")
		news+=("$(fn "$new" 1 1)")
	done <<-'END'
	main	main
	a.c:f	a.c;f
	dir/a.c:_ZL1fv	dir/a.c;_ZL1fv
	<unknown>:f	<unknown>;f
	C:/src/a.c:f	C:/src/a.c;f
	C:\\src\\a.c:f	C:\\src\\a.c;f
	a.m:-[Foo bar]	a.m;-[Foo bar]
	a.m:-[Foo bar:baz:]	a.m;-[Foo bar:baz:]
	a.m:+[Foo bar:]	a.m;+[Foo bar:]
	C:/a.m:-[Foo a:]	C:/a.m;-[Foo a:]
	-[Foo bar:baz:]	-[Foo bar:baz:]
	+[Foo bar:]	+[Foo bar:]
	a b.c:f g	a b.c;f g
	_RNvCs1_1a4main	_RNvCs1_1a4main
	END
	ir "${olds[@]}" | prof-merge >old
	ir "${news[@]}" | prof-merge >new
	for old in old new; do
		prof-index --for clang-17 "$old" | profraw-cat | prof-merge |
		    same old -
		prof-index --for clang-18 "$old" | profraw-cat | prof-merge |
		    same new -
	done
}

@test 'functions that become one are added up' {
	ir "$(fn a.c:f 1 1)" "$(fn 'a.c;f' 1 10)" >x
	prof-index --for clang-22 x | profraw-cat >got
	grep -qF "$(fn 'a.c;f' 1 11)" got
	[ "$(grep -c '"function"' got)" -eq 1 ]
	prof-index --for clang-16 x | profraw-cat | grep -qF "$(fn a.c:f 1 11)"
}

@test 'targets that become one are added up, and sorted as a merge does' {
	local target targets=

	for target in a.c:f=2 a.c:g=5 a.c:e=1 h=7 'a.c;f=3'; do
		targets+=",{\"target\":\"${target%=*}\",\"count\":${target#*=}}"
	done
	ir "$(fn main 1 1 "\"values\":{\"indirect_call_target\":[[${targets:1}]]}")" \
	    "$(fn a.c:f 1 1)" "$(fn a.c:g 1 1)" "$(fn a.c:e 1 1)" \
	    "$(fn h 1 1)" >x
	prof-index --for clang-22 x | profraw-cat |
	    jq -r '.values.indirect_call_target[0][]? |
	    "\(.target)=\(.count)"' | paste -sd' ' >got
	# Of those with equal counts, the lesser guid is first.
	echo 'h=7 a.c;g=5 a.c;f=5 a.c;e=1' | same - got
}

# The guid of a local function depends on its separator.
@test 'targets and traces follow the names' {
	ir "$(fn main 1 1 "$(tr -d ' \n' <<-'END'
	"values": {
	  "indirect_call_target": [[{"target": "a.c:f", "count": 2}]],
	  "vtable_target": [[{"target": "a.c:_ZTV1A", "count": 3}]]}
	END
	)")" "$(fn a.c:f 1 1)" '{"record":"vtable","name":"a.c:_ZTV1A"}' \
	    '{"record":"trace","weight":1,"functions":["main","a.c:f"]}' >x
	prof-index --for clang-22 x | profraw-cat | jq -cS 'del(.source)' |
	    sort >got
	sed 's/a\.c:/a.c;/g' x | prof-index | profraw-cat |
	    jq -cS 'del(.source)' | sort | same - got
	[ "$(grep -c 'a\.c;' got)" -eq 4 ]
	run ! grep 'a\.c:\|target_guid' got
}

@test 'names in front-end profiles keep their colon' {
	fe 12,13 "$(fn a.c:f 1 1)" >x
	for release in clang-19 clang-22; do
		prof-index --for "$release" x -o indexed
		[ "$(names_in indexed)" = a.c:f ]
	done
}

# versions FIRST,LAST: "version 13" or "versions 7 to 12".
versions() {
	[ "${1%,*}" = "${1#*,}" ] && echo "version ${1%,*}" ||
	    echo "versions ${1%,*} to ${1#*,}"
}

# hashed FIRST,LAST VERSION HASH: what hash a front-end function gets that has
# f000000000000018; - where the version is refused.
hashed() {
	fe "$1" "$(fn a 17293822569102704664 1)" >x
	if [ "$3" = - ]; then
		refused "hashes are of indexed $(versions "$1") \(clang " \
		    prof-index --to indexed:"$2" x &&
		    [ ! -s out ] && grep -q -- --to indexed:relabel stderr
	else
		quiet prof-index --to indexed:"$2" x -o indexed &&
		    profraw-cat indexed | grep -q "\"hash\":\"0x$3\""
	fi
}

@test 'front-end hashes are masked, kept or refused' {
	local row kept=f000000000000018 masked=0000000000000018

	for row in "1,4 1 $kept" "1,4 4 $kept" '1,4 5 -' '1,4 13 -' \
	    "1,5 4 $kept" "1,5 5 $kept" '1,5 6 -' '5,5 4 -' "5,5 5 $kept" \
	    '5,5 6 -' '6,6 5 -' "6,6 6 $kept" '6,6 7 -' '6,6 13 -' \
	    '7,12 6 -' "7,12 7 $kept" "7,12 10 $kept" "7,12 12 $kept" \
	    "7,12 13 $masked" "12,12 13 $masked" "12,13 12 $kept" \
	    "12,13 13 $masked" '13,13 12 -' '13,13 1 -'; do
		echo "$row"
		hashed $row
	done
}

@test 'refused hashes come with what to do' {
	local hashes target lost use own reader

	while IFS=$'\t' read -r hashes target lost use own reader; do
		echo "$hashes"
		fe "$hashes" "$(fn a 24 1)" "$(fn b 0x0fffffffffffffff 1)" \
		    "$(fn c 1 1)" >x
		refused "are of indexed $(versions "$hashes") \($own\): version $target \($reader\) would lose up to $lost of 3 functions, whose hash differs[.] Use --for $use, profile with the compiler in use or -fprofile-generate, or accept the loss by --to indexed:relabel$" \
		    prof-index --to indexed:"$target" x
		prof-index --for "$use" x -o indexed
	done <<-'END'
	13,13	9	1	clang-22	clang 22	clang 16
	7,12	6	1	clang-21	clang 12 to 21	clang 11
	6,6	13	1	clang-11	clang 11	clang 22
	5,5	13	1	clang-10	clang 6 to 10	clang 22
	5,5	4	2	clang-10	clang 6 to 10	clang 3[.]9 to 5
	1,4	9	3	clang-5	clang 3.5 to 5	clang 16
	1,5	13	3	clang-10	clang 3.5 to 10	clang 22
	END
}

@test 'digests of a raw profile tell clang 22 from those before' {
	zstd -dqc "$top_srcdir/demo/covered.tar.zst" |
	    tar -xf - alphabet.profraw
	profraw-cat alphabet.profraw | grep -qF '"frontend_versions":[13,13]'
	refused 'of indexed version 13 \(clang 22\): version 9 \(clang 16\) would lose up to 5 of 10 functions' \
	    prof-index --for clang-16 alphabet.profraw
	prof-index --to indexed:9,relabel -o indexed alphabet.profraw
	quiet prof-index --for clang-22 -o indexed alphabet.profraw
}

@test 'hashes that both rules give are not refused' {
	fe 13,13 "$(fn a 24 1)" >x
	quiet prof-index --for clang-16 x -o indexed
	profraw-cat indexed | grep -q '"hash":"0x0000000000000018"'
	# An && has a counter more since clang 12.
	fe 13,13 "$(fn a 0x18e 1)" >x
	quiet prof-index --for clang-16 x -o indexed
	refused 'would lose up to 1 of 1' prof-index --for clang-11 x
	# Their bitmaps are not renumbered for that.
	fe 13,13 "$(fn a 24 1 '"bitmap":"01"')" >x
	refused 'its MC/DC bitmaps are numbered' prof-index --for clang-18 x
}

@test '--to indexed:relabel writes front-end hashes as they are' {
	local row

	for row in '1,4 13' '13,13 7' '7,12 13'; do
		echo "$row"
		set -- $row
		fe "$1" "$(fn a 17293822569102704664 1 '"bitmap":"01"')" >x
		prof-index -q --to indexed:relabel,"$2" x -o indexed
		profraw-cat indexed | grep -q '"hash":"0xf000000000000018"'
	done
}

@test 'IR hashes are kept in all versions' {
	local v

	ir "$(fn a 17293822569102704664 1)" >x
	for v in {1..13}; do
		quiet prof-index --to indexed:"$v" x -o indexed
		profraw-cat indexed | grep -q '"hash":"0xf000000000000018"'
	done
}

@test 'the version that was read says how hashes were made' {
	fe 7,12 "$(fn a 1 1)" "$(fn b 0x0fffffffffffffff 1)" >x
	prof-index --to indexed:9 x -o indexed
	profraw-cat indexed | grep -qF '"frontend_versions":[7,12]'
	refused 'versions 7 to 12' prof-index --to indexed:6 indexed
	prof-index indexed -o newest
	profraw-cat newest | grep -qF '"frontend_versions":[13,13]'
	refused 'indexed version 13 ' prof-index --to indexed:12 newest
	# Version 13 with bits that its own hashes do not have.
	fe 7,12 "$(fn a 17293822569102704664 1)" >x
	prof-index -q --to indexed:relabel,13 x -o relabelled
	profraw-cat relabelled | grep -qF '"frontend_versions":[7,12]'
}

@test 'bitmaps of MC/DC are not renumbered in silence' {
	fe 11,11 "$(fn a 1 1 '"bitmap":"01"')" >x
	quiet prof-index --to indexed:11 x >indexed
	profraw-cat indexed | grep -qF '"bitmap":"01"'
	for v in 12 13; do
		refused 'bitmaps are numbered as .* 11' \
		    prof-index --to indexed:"$v" x
		quiet prof-index --to indexed:relabel,"$v" x >indexed
	done
	warns 'version 10 cannot hold MC/DC bitmaps' -- \
	    prof-index --to indexed:10 x >indexed
	fe 11,11 "$(fn a 1 1)" >x
	quiet prof-index x >indexed
}

@test 'empty ids and records of unknown types have no place' {
	profile '"level":"ir"' '{"record":"binary","build_id":""}' \
	    '{"record":"binary","build_id":"aa"}' '{"record":"other"}' \
	    "$(fn f 1 1)" >x
	warns '^profraw-cat: warning: indexed version 13 cannot hold empty binary ids: dropped 1$' \
	    '^profraw-cat: warning: indexed version 13 cannot hold records of other kinds: dropped 1$' \
	    -- profraw-cat --to indexed -o indexed x
	profraw-cat indexed | jq -c .build_id | sort -u | paste -sd' ' |
	    same - <(echo '"aa" null')
}

@test 'names of vtables can be left out' {
	everything | prof-index -q --allow-empty --to indexed:no-vtables >indexed
	profraw-cat indexed >got
	run ! grep -F '_ZTV1A' got
	grep -qF '{"target_guid":"0xa80047fd60784dd0","count":4}' got
	profraw-cat indexed | quiet prof-index | cmp - indexed
	# Then nothing was lost that could be told.
	warns 'LLVM 18 will refuse' -- prof-index \
	    --to indexed:11,no-vtables "$real/19-vtable32.profraw" >indexed
}

# many FIRST LAST: a site of sizes, the smallest with the largest count.
many() {
	fn a 1 1 "\"values\":{\"mem_op_size\":[$(seq "$1" "$2" |
	    jq -sc 'map({size: ., count: (1000 - .)})')]}"
}

@test 'of more than 255 values of a site the largest are kept' {
	ir "$(many 1 255)" >x
	quiet prof-index x >indexed
	profraw-cat indexed | prof-merge | same x -
	ir "$(many 1 300)" >x
	ir "$(many 1 255)" >want
	warns 'cannot hold more than 255 values a site: dropped 45$' \
	    -- prof-index x >indexed
	profraw-cat indexed | prof-merge | same want -
	# Only what is left after all inputs are added up is cut.
	ir "$(many 200 300)" >y
	ir "$(many 1 199)" >z
	prof-index -q y z >got
	prof-index -q z y | cmp - got
	[ "$(profraw-cat got | jq -c '
	    .values.mem_op_size[0] // empty | [.[].size]')" = \
	    "$(seq 255 | jq -sc .)" ]
}

# Traces of functions f1 to f150, in the order of the numbers that are read.
traces() {
	local n

	while read -r n; do
		echo '{"record":"trace","weight":1,"functions":["f'"$n"'"]}'
	done
}

@test 'of more than 100 traces 100 are kept, whatever their order' {
	local n

	for n in {1..150}; do
		fn "f$n" 1 1
	done >functions
	mapfile -t functions <functions
	mapfile -t up < <(seq 150 | traces)
	mapfile -t down < <(seq 150 -1 1 | traces)
	ir "${functions[@]}" "${up[@]:0:100}" >x
	quiet prof-index x >indexed
	[ "$(profraw-cat indexed | grep -c '"trace"')" -eq 100 ]
	ir "${functions[@]}" "${up[@]}" >x
	warns 'more than 100 temporal traces: dropped 50$' -- \
	    prof-index x >indexed
	profraw-cat indexed >got
	[ "$(grep -c '"trace"' got)" -eq 100 ]
	grep -qF '"trace_stream_size":150' got
	ir "${functions[@]}" "${down[@]}" >x
	prof-index -q x | profraw-cat | grep '"trace"' | sort >other
	grep '"trace"' got | sort | same - other
	# The same in parts, and not just the first or the last.
	ir "${functions[@]}" "${up[@]:70}" >x
	ir "${up[@]:0:70}" >y
	for order in 'x y' 'y x'; do
		prof-index -q $order | profraw-cat | grep '"trace"' | sort |
		    same other -
	done
	run ! same <(printf '%s\n' "${up[@]:0:100}" | sort) other
	run ! same <(printf '%s\n' "${up[@]:50}" | sort) other
}

# Neither all nor none of those that are the same.
@test 'a trace that came often is as likely to stay as others' {
	seq 90 | traces >x
	yes 99 | head -n 60 | traces >>x
	mapfile -t traces <x
	ir "$(fn f99 1 1)" "${traces[@]}" | prof-index -q | profraw-cat >got
	[ "$(grep -c '"trace"' got)" -eq 100 ]
	[ "$(grep -c '"f99"\]' got)" -ge 25 ]
	[ "$(grep -c '"f99"\]' got)" -le 55 ]
}

@test 'of a trace of more than 10000 functions the first are kept' {
	seq 10001 | sed 's/.*/"f&"/' | paste -sd , >list
	ir "$(fn f10000 1 1)" \
	    "{\"record\":\"trace\",\"weight\":1,\"functions\":[$(<list)]}" >x
	warns 'more than 10000 functions a trace: dropped 1$' -- \
	    prof-index x >indexed
	profraw-cat indexed | jq 'select(.record == "trace") |
	    .functions | length, last' >got
	printf '%s\n' 10000 '"f10000"' | same - got
}

@test 'functions whose names were cut off are told by number, and status 1' {
	local lost='hold functions without a name: dropped 9 of 12$'
	local other='cannot hold the attribute salvaged: dropped$'
	local to=(--to indexed:13)

	head -c -200 "$(data real/22-ir.profraw)" >cut
	run -1 --separate-stderr profraw-cat --salvage -o stream cut
	ends 1 "$lost" "$other" -- prof-index "${to[@]}" -o got stream
	[ "$(profraw-cat got | jq -s 'map(select(.name)) | length')" -eq 3 ]
	warns "$lost" "$other" -- prof-index "${to[@]}" --allow-empty -o same stream
	cmp got same
	ends 1 -- prof-index -q -o same stream
	cmp got same
	prof-merge -q stream | ends 1 'dropped 9 of 12$' "$other" -- \
	    prof-index "${to[@]}" -o same
	cmp got same
	# Nor do threads change that, or spills.
	ends 1 "$lost" "$other" -- prof-index "${to[@]}" -j 2 -o same stream
	ends 1 "$lost" "$other" -- prof-index "${to[@]}" -S 64K -o same stream
	cmp got same
}

@test 'a profile of nothing is written' {
	local v

	ir >x
	for v in {1..13}; do
		quiet prof-index --to indexed:"$v" x >indexed
		quiet profraw-cat indexed | unsourced | same x -
	done
	[ "$(wc -c <indexed)" -eq 560 ]
	quiet prof-index -q "$good/zero.profraw" | profraw-cat |
	    grep -q '"binary"'
	: >empty
	refused 'empty' prof-index empty
	refused 'no profile' prof-index --files-from empty
}

# warning_of LLVMS OLDEST WORDS
warning_of() {
	echo "warning: LLVM $1 wrote an input; LLVM $2 does not read version 13: name your compiler, as in $3clang-$2"
}

@test 'a warning if a compiler of the inputs does not read the version' {
	local old='14 to 17' row file llvms

	prof-index -o new "$real/22-ir.profraw" "$good/v8-64le.profraw" \
	    "$good/v9-64le.profraw" 2>err
	[ "$(grep LLVM err)" = "prof-index: $(warning_of "$old" 14 '--for ')" ]
	prof-index -j 2 -o new "$good/v9-64le.profraw" "$real/22-ir.profraw" \
	    "$good/v8-64le.profraw" 2>err
	[ "$(grep LLVM err)" = "prof-index: $(warning_of "$old" 14 '--for ')" ]
	for row in 'v9-64le 18' 'v10-64le 19 to 22' 'v7-64le 13'; do
		read -r file llvms <<<"$row"
		warns "$(warning_of "$llvms" "${llvms%% *}" '--for ')$" -- \
		    prof-index -o got "$good/$file.profraw"
	done
	quiet prof-index -q -o got "$good/v8-64le.profraw"
	quiet prof-index --for clang-17 -o got "$good/v8-64le.profraw"
	prof-index --to indexed:13 -o new "$real/22-ir.profraw"
	quiet prof-index -o got new
	quiet prof-index --to indexed:13 -o got "$good/v8-64le.profraw"
	quiet prof-merge -o got.ndjson "$good/v8-64le.profraw"
	ends 0 "$(warning_of "$old" 14 --to\ indexed:)" -- \
	    prof-merge -o got.profdata "$good/v8-64le.profraw"
}

@test 'a version that the compiler of --for does not read is refused' {
	local given

	for given in '--for clang-17 --to indexed:12' \
	    '--to indexed:12 --for clang-17' '--to indexed:12,clang-17'; do
		# shellcheck disable=SC2086
		usage_error '--to indexed:12 contradicts --for clang-17, which reads versions up to 10' \
		    prof-index $given -o x "$real/22-ir.profraw"
	done
	quiet prof-index --for clang-19 --to indexed:9 -o got \
	    "$real/22-ir.profraw"
	[ "$(version_of got)" = 9 ]
}

@test 'the last --to counts, without the words of those before' {
	prof-index --for clang-16 -o want "$real/22-ir.profraw"
	prof-index --to indexed:13,full,relabel --to indexed:clang-19 \
	    --for clang-16 --to indexed -o got "$real/22-ir.profraw"
	cmp want got
	prof-merge --to text "$real/22-ir.profraw" >want
	prof-merge --to indexed:9,clang-14 --text "$real/22-ir.profraw" |
	    cmp want
	prof-merge --to indexed:9 --to stream "$real/22-ir.profraw" |
	    same - <(prof-merge "$real/22-ir.profraw")
}

@test 'standard output may be a pipe, but no terminal' {
	need script
	everything | prof-index -q --allow-empty -o file
	everything | prof-index -q --allow-empty | cat | cmp - file
	run script -qec "prof-index -q '$real/16-ir.profraw'" /dev/null
	[ "$status" -eq 2 ]
	[[ $output == "prof-index: standard output: refusing to write "* ]]
	run script -qec "profraw-cat --to indexed '$real/16-ir.profraw'" \
	    /dev/null
	[ "$status" -eq 2 ]
}

@test 'each llvm-profdata reads each version that it knows' {
	local row v tried

	profile '"level":"ir","entry_first":true' "$(fn a 24 1,2)" \
	    "$(fn b 1152921504606846977 0,7,0)" \
	    "$(fn c.c:d 3 5)" >x
	text <x >want
	for row in '13 1 4 7' '14 3 7' '15 8' '16 9' '19 11 12' \
	    '22 1 2 3 4 5 6 7 8 9 10 11 12 13'; do
		set -- $row
		command -v "llvm-profdata-$1" >/dev/null || continue
		for v in "${@:2}"; do
			echo "llvm-profdata-$1, version $v"
			prof-index -q --to indexed:"$v" x -o indexed
			"llvm-profdata-$1" merge --text indexed -o got
			[ "$v" -ge 6 ] || sed -i '/:ir/r /dev/stdin' got \
			    < <(sed -n 3,4p want)
			same want got
		done
		tried=yes
	done
	[ -n "${tried-}" ] || skip 'needs llvm-profdata'
}

@test 'the options of prof-merge, which is prof-merge --to indexed' {
	local given

	ir '{"record":"binary","build_id":"01"}' "$(fn a 1 1,2,3)" \
	    "$(fn b 2 0,0)" "$(fn c 3 9)" >x
	ir "$(fn a 1 7,2,3)" >y
	printf '0.7,x\ny\n' >list
	for given in -sparse -w3,x --weighted-input=0.7,x '-f list' \
	    '--input-files list' '--num-threads 2' '--subtract y' \
	    '--max-count 100' '--max-traces 3' -S1M; do
		# shellcheck disable=SC2086
		prof-index -q $given -o got x y || [ $? = 1 ]
		prof-merge -q $given --to indexed -o want x y || [ $? = 1 ]
		cmp want got
	done
	warns 'profiles without binary ids, in folder/none.profdata: 1$' -- \
	    prof-index --group-by binary-id -o folder x y
	[ "$(ls folder)" = $'01.profdata\nnone.profdata' ]
	quiet prof-index -o file y
	for given in -sparse '--max-traces 3' '--group-by binary-id' \
	    '--level ir' -S1M; do
		# shellcheck disable=SC2086
		usage_error 'options for the sum cannot be used with --upgrade' \
		    prof-index --upgrade $given file
	done
	for given in '-w 2,file' '--subtract file'; do
		# shellcheck disable=SC2086
		usage_error 'cannot be used with --upgrade' \
		    prof-index --upgrade $given file
	done
	usage_error 'use prof-symbolize --binary' prof-index --debug-info x y
}
