# prof-export: what other programs read, held against their own rules.

load ../support/helper

setup() {
	need jq
	cd "$BATS_TEST_TMPDIR"
	cp "$(data heap/sample.ndjson)" sample
}

# exports NAME ARGUMENT...: what is printed is in the golden file.
exports() {
	quiet prof-export "${@:2}" >got
	golden "prof-export/$1" <got
}

# Sum of a value over all contexts.
total() {
	prof-show --heap --json "$2" |
	    jq "select(.heap == \"summary\") | .$1"
}

@test 'folded stacks' {
	exports folded --to folded sample
	exports folded-lines --to folded --lines -C sample
	exports folded-lifetime --to folded --by lifetime sample
	# What flamegraph.pl wants: frames, a blank and a number.
	run ! grep -vE '^[^;]+(;[^;]+)* [0-9]+$' got
}

@test 'folded stacks add up to the summary' {
	local by

	for by in bytes count lifetime; do
		prof-export --to folded --by "$by" sample |
		    awk '{ sum += $NF } END { print sum }' >got
		total "$by" sample | same - got
	done
}

@test 'totals are the same in all faces' {
	local field=(count bytes lifetime accesses) by i want

	total bytes sample >want
	prof-show --heap sample | awk '$1 == "bytes" { print $2; exit }' |
	    same want -
	prof-show --heap sample | awk 'f { sum += $1 } $2 == "share" { f = 1 }
	    END { print sum }' | same want -
	prof-show --heap --json sample |
	    jq -s 'map(select(.heap == "site").bytes) | add' | same want -
	for i in 0 1 2 3; do
		by=${field[i]}
		echo "$by"
		want=$(prof-export -q --to folded --by "$by" sample |
		    awk '{ sum += $NF } END { print sum }')
		! command -v protoc >/dev/null || prof-export --to pprof sample |
		    decode | awk -v i="$i" '/^sample {/ { n = 0 }
		    $1 == "value:" && n++ == i { sum += $2 }
		    END { print sum }' | same - <(echo "$want")
	done
}

# One context of a function whose file is known, with other KEYS, and how the
# formats write it.
line_of() {
	printf '{"record":"profile","stream":1,"kind":"memprof"}\n'
	printf '{"record":"stack","id":"0x%016x","frames":[{"function":"f",' 1
	printf '"file":"a.c"%s}]}\n{"record":"allocation","stack":' "$1"
	printf '"0x%016x","info":{"alloc_count":1,"total_size":8}}\n' 1
	printf '{"record":"end","last":true}\n'
}

@test 'lines that are not known are not written' {
	local keys

	for keys in '' ',"start_line":11,"line_offset":4294967285,"column":7' \
	    ',"line_offset":4294967285'; do
		echo "$keys"
		line_of "$keys" >one
		prof-export --to folded --lines one | same - <(echo 'f a.c 8')
		prof-show --heap one | tail -n 1 | grep -q ' f  a.c$'
		if command -v protoc >/dev/null; then
			prof-export --to pprof one | decode | fields >got
			run ! grep '^/location/line/line ' got
		fi
	done
	line_of ',"line_offset":3' | prof-export --to folded --lines |
	    same - <(echo 'f a.c+3 8')
}

@test 'stacks begin at the frame that called the allocator' {
	local top

	line_of '},{"function":"g","line":3' >one
	prof-export --to folded one | same - <(echo 'g;f 8')
	# By the name of the runtime's function, by its file, and without name.
	for top in '{"function":"realloc"},{}' \
	    '{"function":"f","line":1,"file":"/x/memprof_malloc_linux.cpp"}'
	do
		jq -c --argjson top "[$top]" 'if .record == "stack" then
		    .frames |= $top + . else . end' one |
		    prof-export --to folded | same - <(echo 'g;f 8')
	done
	# Further down, such a function is one of the program.
	jq -c 'if .record == "stack" then .frames |= [{function: "top", line: 1},
	    {function: "malloc"}] + . else . end' one | prof-export --to folded |
	    same - <(echo 'g;f;malloc;top 8')
}

@test 'pprof' {
	need_protoc
	prof-export --to pprof sample | pprof_text >got
	golden prof-export/pprof <got
	prof-export --to pprof -C --by count sample | pprof_text >got
	golden prof-export/pprof-demangled <got
}

# One JSON array of [path, value] for each scalar field of protoc's text.
fields() {
	awk '
	/\{$/ { path = path "/" $1; next }
	/^ *\}$/ { sub(/\/[^\/]*$/, "", path); if (path == "") print "--";
	    next }
	{ sub(/^ */, ""); sub(/: /, " "); print path "/" $0 }'
}

@test 'pprof: ids and references are valid' {
	need_protoc
	prof-export --to pprof -C sample | pprof_text | fields >got
	# The first string is empty.
	grep '^/string_table' got | head -n 1 | grep -qx '/string_table ""'
	awk '
	/^\/string_table / { strings++ }
	$1 == "/sample_type/type" { types++ }
	$1 == "/sample/value" { values++ }
	$1 ~ /^\/(mapping|location|function)\/id$/ {
		if ($2 < 1 || (($1, $2) in ids)) bad = 1
		ids[$1, $2]
	}
	/\/(location|mapping|function)_id / {
		kind = $1
		sub(/_id$/, "", kind)
		sub(/.*\//, "/", kind)
		refs[kind "/id", $2]
		referred++
	}
	$1 ~ /(name|build_id|type|unit)$/ && $2 > largest { largest = $2 }
	END {
		for (r in refs)
			if (!(r in ids)) bad = 1
		if (largest >= strings) bad = 1
		if (referred == 0 || types != 4 || values % types != 0 ||
		    values == 0)
			bad = 1
		exit bad
	}' got
	# All frames are there: in locations or as an address.
	grep -q '/location/address 12579$' got
	grep -qF '/string_table "load(char const*)"' got
	grep -qF '/string_table "_Z4loadPKc"' got
	grep -qF '/string_table "0123456789abcdef0123456789abcdef01234567"' \
	    got
}

@test 'the same input gives the same bytes, at any time' {
	local format

	for format in folded pprof; do
		prof-export --to $format sample >one
		touch -d 2001-01-01 sample
		prof-export --to $format <sample >two
		cmp one two
	done
	# gzip: no flags, no time.
	prof-export --to pprof sample | od -An -tx1 -N8 >got
	echo ' 1f 8b 08 00 00 00 00 00' | same - got
}

@test 'contexts of several profiles come together' {
	prof-export --to folded sample >one
	prof-export --to folded sample - <sample >two
	# Frames without a build id are of one run only.
	grep -v segment one | awk '{ $NF *= 2; print }' >want
	grep -v segment two | same want -
	[ "$(grep -c segment two)" -eq "$(grep -c segment one)" ]
}

@test 'values that only some contexts know are told, or refused' {
	warns 'warning: contexts without TotalAccessCount: 2 of 6' -- \
	    prof-export --to folded --by accesses sample >got
	quiet prof-export -q --to folded --by accesses sample | same got -
	sed 's/"total_access_count":[0-9]*,//' sample >less
	refused 'no context has TotalAccessCount' \
	    prof-export --to folded --by accesses less
	if has_protoc; then
		prof-export --to pprof less | pprof_text | fields >got
		[ "$(grep -c '^/sample_type/type' got)" -eq 3 ]
	fi
}

@test 'profiles without heap contexts are refused' {
	profile '"level":"ir"' "$(fn main 1 1)" >x
	refused 'no heap contexts: only heap profiles' \
	    prof-export --to folded x
	echo old >out.txt
	refused 'no heap contexts' prof-export --to pprof -o out.txt x
	grep -qx old out.txt
}

@test 'an output file is there as a whole or not at all' {
	quiet prof-export --to pprof -o file sample
	prof-export --to pprof sample | cmp - file
	head -n 5 sample >cut
	refused 'ended inside a profile' prof-export --to folded -o file cut
	prof-export --to pprof sample | cmp - file
	refused 'write: .*No space' prof-export --to folded -o /dev/full sample
	run -2 bash -c 'prof-export --to folded sample >/dev/full'
}

@test 'binary data are not written to a terminal' {
	need script
	run script -qec 'prof-export --to pprof sample' /dev/null
	[ "$status" -eq 2 ]
	[[ $output == *terminal* ]]
	run -0 script -qec 'prof-export --to folded sample' /dev/null
}

@test 'indexed profiles, raw ones and YAML' {
	local file

	need_corpus
	for file in ref/ctx-v22-pie.m4full.profdata ctx-v22-pie.raw \
	    ctx-v14-pie.raw y1.yaml big-v22.raw; do
		echo "$file"
		prof-export --to folded "$(corpus "memprof/$file")" |
		    awk '{ sum += $NF } END { print sum }' >got
		total bytes "$(corpus "memprof/$file")" | same - got
		prof-export --to pprof "$(corpus "memprof/$file")" >pprof
		! has_protoc || pprof_text <pprof >/dev/null
	done
}

@test 'options' {
	usage_error '--to FORMAT is needed' prof-export sample
	local suffix

	prof-export -o x.folded sample
	prof-export --to folded sample | cmp - x.folded
	usage_error '--lines needs --to folded' \
	    prof-export --to pprof --lines sample
	usage_error '--by accepts' prof-export --to folded --by size sample
}

@test 'the order of the inputs' {
	local a=$(data heap/app.ndjson) b=$(data heap/sample.ndjson) format

	prof-export -q --to folded "$a" "$b" |
	    cmp - <(prof-export -q --to folded "$b" "$a")
	for format in folded pprof; do
		prof-merge -q "$a" "$b" | prof-export -q --to $format |
		    cmp - <(prof-merge -q "$b" "$a" | prof-export -q --to $format)
	done
}

@test 'of a program that is not known, all frames stay' {
	local a='"pcs":[[0,"0x0000000000000011"],[0,"0x0000000000000012"],'
	local b='[0,"0x0000000000000013"]],"frames":[{},{},{"function":"start"}]'

	printf '%s\n' '{"record":"profile","stream":1,"kind":"memprof"}' \
	    '{"record":"segment","id":0,"build_id":"aa"}' \
	    "{\"record\":\"stack\",\"id\":\"0x0000000000000001\",$a$b}" \
	    '{"record":"allocation","stack":"0x0000000000000001","info":{"alloc_count":1,"total_size":5}}' \
	    '{"record":"end","last":true}' | prof-export --to folded | same <(echo 'start;[aa+0x12];[aa+0x11] 5') -
}
