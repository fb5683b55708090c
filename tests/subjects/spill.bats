# -S: sums that go through temporary files are those of memory.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# many SEED FUNCTIONS: a profile of so many functions, some of whose names are
# those of other seeds, with value sites and traces.
many() {
	awk -v seed="$1" -v n="$2" 'BEGIN {
		srand(seed)
		print "{\"record\":\"profile\",\"stream\":1,\"kind\":" \
		    "\"instr\",\"level\":\"ir\",\"temporal\":true}"
		for (i = 0; i < n; i++) {
			k = int(rand() * 1000000)
			name = i % 2 ? "shared" i : "own" k "of" seed
			printf "{\"record\":\"function\",\"name\":\"%s\"," \
			    "\"hash\":\"0x%016x\",\"counts\":[%d,%d],", name,
			    i, k, rand() * 99
			printf "\"values\":{\"indirect_call_target\":[[" \
			    "{\"target\":\"shared%d\",\"count\":%d}]]}}\n",
			    k % n, 1 + k
		}
		for (i = 0; i < n / 10; i++)
			printf "{\"record\":\"trace\",\"weight\":1," \
			    "\"functions\":[\"shared%d\",\"shared%d\"]}\n",
			    rand() * n, rand() * n
		print "{\"record\":\"end\",\"last\":true}"
	}'
}

# What of it raw profiles can hold.
simple() {
	sed '/"trace"/d; s/,"temporal":true//; s/,"values":.*/}/'
}

@test 'any size gives the same bytes, in all formats' {
	local i size to

	for i in 1 2 3; do many $i 300 >in.$i; done
	simple <in.3 | write-raw raw -o in.4
	for to in stream indexed text; do
		prof-merge -q --to $to in.? -o plain
		for size in 1K 3K 20K 64K 1M; do
			prof-merge -q -S $size --to $to in.? -o out ||
			    { echo "$to $size"; return 1; }
			cmp out plain || { echo "$to $size"; return 1; }
		done
	done
	prof-merge -q in.4 in.4 --to text -o plain
	prof-merge -q -S 2K in.4 in.4 --to text | cmp - plain
	prof-index -q in.? -o plain
	prof-index -q -S 9K in.? -o out
	cmp out plain
	prof-merge -q in.? | prof-index -q --buffer-size=2K | cmp - plain
}

@test 'files are in TMPDIR, have no names, and are gone' {
	mkdir t
	many 1 200 >in
	TMPDIR=t prof-merge -S 1K in >/dev/null
	[ "$(ls -A t)" = '' ]
	run -2 --separate-stderr env TMPDIR="$PWD/none" prof-merge -S 1K in
	[ "$stderr" = "prof-merge: $PWD/none: cannot make a temporary file: No \
such file or directory" ]
	# What fits needs none.
	TMPDIR=$PWD/none prof-merge -S 1M in >/dev/null
}

@test 'a full disk ends it, with the name of the folder' {
	many 1 3000 >in
	many 2 3000 >more
	run -2 --separate-stderr bash -c "ulimit -f 16; \
	    TMPDIR=$PWD exec prof-merge -S 64K in more -o out"
	[ "$stderr" = "prof-merge: $PWD: write: File too large" ]
	[ ! -e out ]
	run -2 --separate-stderr bash -c "ulimit -f 16; \
	    TMPDIR=$PWD exec prof-merge --keep-going -S 64K in more -o out"
	[ "$stderr" = "prof-merge: $PWD: write: File too large" ]
	[ ! -e out ]
	! ls -A | grep -v -e in -e more -e stderr
}

@test 'weights and --sparse are as without -S' {
	local options

	many 1 200 >a
	sed -E 's/"counts":\[[^]]*\]/"counts":[0,0]/' a >zero
	many 2 200 | sed -E '/shared/s/"counts":\[[^]]*\]/"counts":[0,0]/' >b
	for options in '-w 1/3,a' '-w 7,a' '-w 1/2,b' --sparse; do
		prof-merge $options a zero b -o plain
		prof-merge $options -S 2K a zero b | cmp - plain ||
		    { echo "$options"; return 1; }
	done
}

@test 'what is subtracted is looked at in the end' {
	many 1 200 >a
	many 2 200 >b
	many 3 200 >c
	sed 's/"counts":\[/&1,/' a >shape
	for less in 'b' 'a' 'c shape' 'a b c'; do
		prof-merge a b c a $(printf ' --subtract %s' $less) \
		    -o plain 2>told
		prof-merge -S 2K a b c a $(printf ' --subtract %s' $less) \
		    2>again | cmp - plain || { echo "$less"; return 1; }
		cmp again told
	done
	run -0 --separate-stderr prof-merge -S 2K a b --subtract shape -o out
	[[ $stderr == *'nothing was subtracted'* ]]
}

@test 'names that only another part of the sum knows' {
	head='{"record":"profile","stream":1,"kind":"instr","level":"ir"}'
	end='{"record":"end","last":true}'
	fn() {
		echo "{\"record\":\"function\",$1,\"hash\":\"0x$2\",\"counts\":[$3]${4:+,$4}}"
	}
	{
		echo "$head"
		echo "{\"record\":\"vtable\",\"guid\":\"$(guid _ZTV1)\"}"
		echo '{"record":"vtable","name":"_ZTV2"}'
		fn "\"guid\":\"$(guid f)\"" 0000000000000001 3
		fn "\"guid\":\"$(guid f)\"" 0000000000000002 3
		fn "\"guid\":\"$(guid unknown)\"" 0000000000000001 3
		fn '"name":"g"' 0000000000000001 1 "\"values\":{\"indirect_call_target\":[[{\"target_guid\":\"$(guid f)\",\"count\":1},{\"target_guid\":\"$(guid late)\",\"count\":1},{\"target_guid\":\"0x0000000000000005\",\"count\":1}]],\"vtable_target\":[[{\"target_guid\":\"$(guid _ZTV2)\",\"count\":1},{\"target_guid\":\"$(guid _ZTV1)\",\"count\":1}]]}"
		echo "{\"record\":\"trace\",\"weight\":1,\"functions\":[{\"guid\":\"$(guid z)\"}]}"
		echo "{\"record\":\"trace\",\"weight\":1,\"functions\":[\"m\"]}"
		echo "$end"
	} >a
	many 1 200 >between
	{
		echo "$head"
		fn '"name":"f"' 0000000000000001 4
		# Dropped, its names are not.
		fn '"name":"g"' 0000000000000001 1,1 '"values":{"indirect_call_target":[[]]}'
		fn '"name":"h"' 0000000000000001 1,1
		fn '"name":"h"' 0000000000000001 1 '"values":{"indirect_call_target":[[{"target":"late","count":1},{"target":"_ZTV1","count":1}]]}'
		echo '{"record":"trace","weight":1,"functions":["z"]}'
		echo '{"record":"trace","weight":1,"functions":["a"]}'
		echo "$end"
	} >b
	{
		echo "$head"
		fn '"name":"k"' 0000000000000001 1 "\"values\":{\"indirect_call_target\":[[{\"target_guid\":\"$(guid late)\",\"count\":2}]]}"
		echo "$end"
	} >c
	for files in 'a between b c' 'c b between a' 'b between c a'; do
		prof-merge -q $files -o plain
		prof-merge -q -S 1K $files | cmp - plain ||
		    { echo "$files"; return 1; }
	done
	grep -q '"target":"late"' plain
	grep -q "\"guid\":\"$(guid unknown)\"" plain
	[ "$(grep -c '"name":"f"' plain)" = 2 ]
	[ "$(grep -c '"name":"_ZTV1"' plain)" = 1 ]
}

@test 'traces are sorted, but for those of one input' {
	many 1 300 >a
	many 2 300 | sed '/"trace"/d' >b
	prof-merge a -o plain
	grep '"trace"' a | cmp - <(grep '"trace"' plain)
	prof-merge -S 1K a | cmp - plain
	prof-merge a b -o plain
	! grep '"trace"' a | cmp -s - <(grep '"trace"' plain) || return 1
	prof-merge -S 1K a b | cmp - plain
	prof-merge a b a -o plain
	! grep '"trace"' a | cmp -s - <(grep '"trace"' plain | head -n 30) ||
	    return 1
	prof-merge -S 1K a b a | cmp - plain
}

@test 'what is told of functions is told once' {
	many 1 120 >a
	sed 's/"counts":\[/&1,/' a >shape
	sed -E 's/"counts":\[[^]]*\]/"counts":["18446744073709551613",1]/' a >max
	run -0 --separate-stderr prof-merge a shape max max -o plain
	told=$stderr
	[[ $told == *'more functions: '*': records of another shape'* ]]
	run -0 --separate-stderr prof-merge -S 1K a shape max max -o out
	[ "$stderr" = "$told" ]
	cmp out plain
	run -0 --separate-stderr prof-merge a max max -o plain
	told=$stderr
	[[ $told == *'more functions: '*': counters are at their limit'* ]]
	run -0 --separate-stderr prof-merge -S 1K a max max -o out
	[ "$stderr" = "$told" ]
	cmp out plain
}

@test 'unknown keys stay if all agree, and heads are those of all' {
	many 1 100 | sed '1s/}$/,"k":1,"l":2}/; /"name":"shared/s/}$/,"x":[1,{"y":2}]}/' >a
	many 1 100 | sed '1s/}$/,"k":1,"l":3}/; /"name":"shared/s/}$/,"x":[1,{"y":2}]}/' >b
	run -0 --separate-stderr prof-merge a b a -o plain
	[[ $stderr == *'unknown keys'* ]]
	grep -q '"x":\[1,{"y":2}\]}$' plain
	run -0 --separate-stderr prof-merge -S 1K a b a -o out
	[[ $stderr == *'unknown keys'* ]]
	cmp out plain
	sed '1s/"ir"/"frontend"/' b >fe
	run -2 --separate-stderr prof-merge a fe -o plain
	told=$stderr
	run -2 --separate-stderr prof-merge -S 1K a fe -o plain
	[ "$stderr" = "$told" ]
}

@test 'heap data comes through beside functions' {
	cat >heap <<-END
	{"record":"profile","stream":1,"kind":"memprof"}
	{"record":"stack","id":"0x0000000000000001","pcs":["0x0000000000001000"]}
	{"record":"allocation","stack":"0x0000000000000001","info":{"alloc_count":2,"total_size":10}}
	{"record":"end","last":true}
	END
	many 1 100 >a
	prof-merge a heap a heap -o plain
	grep -q '"alloc_count":4' plain
	prof-merge -S 1K a heap a heap | cmp - plain
}

@test 'the inputs take no descriptors, and no memory for their names' {
	many 1 3 | simple | write-raw raw -o in
	yes in | head -n 3000 >list
	bash -c 'ulimit -n 20; exec prof-merge --files-from list -o few'
	grep -q '"inputs":3000' few
	bash -c 'ulimit -n 100; exec prof-merge -S 1K --files-from list' |
	    cmp - few
	# A list so long that a label for each would not fit.
	bash -c 'ulimit -v 100000; exec prof-merge --version' >/dev/null ||
	    skip 'needs a build without sanitizers'
	mkdir d
	cp in d/in
	yes "$(printf '%04000d' 0 | sed 's,00,./,g')d/in" | head -n 25000 >list
	bash -c 'ulimit -v 100000; exec prof-merge -j 1 --files-from list' |
	    grep -q '"inputs":25000'
}

@test 'more functions than there is memory for' {
	local i

	bash -c 'ulimit -v 100000; exec prof-merge --version' >/dev/null ||
	    skip 'needs a build without sanitizers'
	many 1 3000 >in
	for i in $(seq 1 100); do
		sed "s/\",\"hash/_with_a_name_that_takes_some_room_$i&/" in
	done >all
	prof-merge all -o plain
	run -2 bash -c 'ulimit -v 100000; exec prof-merge -j 1 all -o out'
	[[ $output == *'out of memory'* ]]
	bash -c 'ulimit -v 100000; exec prof-merge -S 4M all -o out'
	cmp out plain
}

@test 'options that need all functions at once, and sizes that are none' {
	many 1 3 >a
	run -2 prof-merge -S 1M --group-by binary-id -o dir a
	[[ $output == *'--buffer-size cannot be used with'* ]]
	for size in 0 -1 x 1X 99999999999999999999 ''; do
		run -2 prof-merge -S "$size" a
		[[ $output == *'needs a size above 0'* ]] ||
		    { echo "$size: $output"; return 1; }
	done
}
