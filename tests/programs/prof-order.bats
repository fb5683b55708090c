# prof-order: the orders that llvm-profdata finds, and how they are written.

load ../support/helper

setup() {
	real=$(data real)
	cd "$BATS_TEST_TMPDIR"
}

# generate SEED FUNCTIONS TRACES: a text profile with traces that have something
# in common, some names of local functions, and some that no record has.
generate() {
	awk -v seed="$1" -v functions="$2" -v traces="$3" '
	function draw(n) {
		seed = (seed * 69069 + 12345) % 2147483648
		return int(seed / 65536) % n
	}
	function name(i) {
		return (i % 7 == 0 ? "dir/a.c;" : i % 11 == 0 ? "b.c:" : "") \
		    "f" i
	}
	BEGIN {
		print ":ir\n:temporal_prof_traces\n" traces "\n" traces
		for (t = 0; t < traces; t++) {
			n = 1 + draw(functions)
			start = draw(functions)
			step = 1 + draw(3)
			print 1 + draw(5)
			for (i = 0; i < n; i++)
				printf "%s,", name((start + i * step + \
				    draw(4)) % functions)
			print ""
		}
		for (i = 0; i < functions; i++)
			if (i % 31 != 30)
				print name(i) "\n1\n1\n1\n"
	}'
}

# A stream with a trace for each argument, of functions with commas between.
traces() {
	local trace records=()

	for trace; do
		records+=("{\"record\":\"trace\",\"weight\":1,\"functions\":[\"${trace//,/\",\"}\"]}")
	done
	profile '"level":"ir","temporal":true' "${records[@]}"
}

@test 'orders of LLVM 22' {
	local seed functions traces

	need llvm-profdata-22
	seed=1
	while read -r functions traces; do
		echo "$functions functions, $traces traces"
		generate $((seed++)) "$functions" "$traces" >x
		llvm-profdata-22 order x >want
		quiet prof-order -q --to llvm x | same want -
	done <<-'END'
	1 1
	2 2
	5 3
	17 1
	40 4
	100 2
	150 8
	200 20
	333 5
	700 3
	1000 1
	1500 12
	END
}

@test 'the area of test traces is that of LLVM' {
	local n

	need llvm-profdata-22
	generate 5 300 9 >x
	for n in 1 4 8; do
		llvm-profdata-22 order --num-test-traces=$n x >want
		prof-order -q --to llvm --test-traces $n x | same want -
	done
}

@test 'indexed and raw profiles are ordered as by LLVM' {
	local file

	need llvm-profdata-22
	for file in "$real"/19-temporal.profraw \
	    "$real"/22-temporal_coverage.profraw; do
		llvm-profdata-22 order "$file" >want
		quiet prof-order --to llvm "$file" | same want -
	done
	generate 3 200 7 >x
	llvm-profdata-22 merge -o x.profdata x
	llvm-profdata-22 order x.profdata >want
	prof-order -q --to llvm x.profdata | same want -
	prof-merge --to indexed -o y.profdata x
	llvm-profdata-22 order y.profdata >want
	prof-order -q --to llvm y.profdata | same want -
}

@test 'an order that is known' {
	generate 1 120 6 >x
	quiet prof-order x >got
	golden prof-order/names <got
	quiet prof-order --to symbols x >got
	golden prof-order/symbols <got
}

@test 'names as they are, or as linkers want them' {
	traces 'a.c;f,b.c:f,main,dir/c.c;g,a.c;f' >x
	quiet prof-order x >got
	printf '%s\n' 'a.c;f' b.c:f main 'dir/c.c;g' | same - got
	quiet prof-order --to symbols x >got
	printf '%s\n' '# a.c' f main '# dir/c.c' g | same - got
}

@test 'llvm-profdata knows no names but those of records' {
	traces 'a.c;f,b.c:f,main,c.c;' >x
	sed -i "2i $(fn 'a.c;f' 1 1)\\n$(fn b.c:f 1 1)\\n$(fn 'c.c;' 1 1)" x
	quiet prof-order --to llvm x | tail -n +3 >got
	printf '%s\n' '# a.c' f b.c:f '' 'c.c;' | same - got
}

@test 'functions without a name are told of' {
	profile '"level":"ir","temporal":true' "$(fn known 1 1)" \
	    '{"record":"trace","weight":1,"functions":["a",{"guid":"0x0000000000000005"},{"guid":"0x96d0b2b0e0db2e0f"},"x\ny"]}' >x
	warns 'warning: functions without a known name: 3 of 4$' -- \
	    prof-order x >got
	same - got <<<a
	warns 'functions without a known name: 3 of 4$' -- \
	    prof-order --to symbols x >got
	same - got <<<a
	quiet prof-order -q x
}

@test 'a guid is looked up in the profile' {
	traces b,a | prof-filter --names hash |
	    sed "2i $(fn a 1 1)\\n$(fn b 1 1)" >x
	quiet prof-order x >got
	printf 'b\na\n' | same - got
}

@test 'traces of all inputs are used, in their order' {
	traces a,b,c,d e,f,g,h >x
	traces c,d,a,b >y
	traces a,b,c,d e,f,g,h c,d,a,b | quiet prof-order | same - <(
	    quiet prof-order x y)
	traces a,b,c,d e,f,g,h c,d,a,b >z
	prof-merge z | prof-order >got
	[ "$(wc -l <got)" -eq 8 ]
}

@test 'test traces are tried and not used' {
	traces a,b,c z,b,a >x
	warns '^prof-order: area under the curve of page faults: 2$' -- \
	    prof-order --test-traces 1 x >got
	printf 'a\nb\nc\n' | same - got
	refused '--test-traces 2 leaves no trace of 2' \
	    prof-order --test-traces 2 -o y x
	[ ! -e y ]
}

@test 'no traces, no order' {
	ir=$(profile '"level":"ir"' "$(fn a 1 1)")
	run -1 --separate-stderr prof-order <<<"$ir"
	[ -z "$output" ]
	[[ $stderr == *': there are no temporal traces: clang -fprofile-generate '* ]]
	run -1 --separate-stderr prof-order -q --to llvm <<<"$ir"
	[ "${lines[0]}" = '# Ordered 0 functions' ]
	[ "${#lines[@]}" -eq 2 ]
	[ -z "$stderr" ]
	quiet prof-order --allow-empty <<<"$ir"
	# A trace of nothing is one, and so is one of names that nobody knows.
	profile '"level":"ir","temporal":true' \
	    '{"record":"trace","weight":1,"functions":[]}' |
	    ends 1 '^prof-order: the list is empty$' -- prof-order -o got
	[ -e got ]
	[ ! -s got ]
	traces a,b | prof-filter --names hash >x
	ends 1 ' without a known name: 2 of 2$' 'list is empty' -- prof-order x
	warns ' without a known name: 2 of 2$' -- prof-order --allow-empty x
}

@test 'the list is written whole or not at all' {
	traces a,b >x
	quiet prof-order -o got x
	printf 'a\nb\n' | same - got
	head -n 2 x >cut
	refused 'ended' prof-order -o got cut
	printf 'a\nb\n' | same - got
	refused '/dev/full: ' prof-order -o /dev/full x
	run -2 bash -c 'prof-order x >/dev/full'
}

@test 'wrong options' {
	usage_error '--to accepts names' prof-order --to text
	usage_error '--test-traces needs a number' prof-order --test-traces 0
	usage_error '--test-traces needs a number' prof-order --test-traces 1x
	run -2 prof-order --to indexed
}
