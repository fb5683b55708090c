# Pipes of programs: what comes out at the end is what one program would make,
# or nothing.

load ../support/helper

setup() {
	need jq
	good=$(data good)
	bad=$(data bad)
	real=$(data real)
	cd "$BATS_TEST_TMPDIR"
}

ir() {
	profile '"level":"ir"' "$@"
}

@test 'three programs make what one makes, of every real profile' {
	local file

	for file in $(some 2 "$real"/*.profraw); do
		echo "${file##*/}"
		quiet prof-index --to indexed:13 "$file" >want
		profraw-cat "$file" | prof-merge | prof-index | cmp - want
		quiet prof-merge --to indexed:13 "$file" | cmp - want
		prof-merge "$file" | gzip -c | prof-index | cmp - want
		# An indexed file goes through a pipe as well.
		prof-index <want | cmp - want
	done
}

@test 'and of every good one that can be merged' {
	local file merged=0

	for file in $(some 4 "$good"/*.profraw); do
		echo "${file##*/}"
		prof-merge -q "$file" >want 2>stderr || {
			grep -q 'correlated\|cannot be merged' stderr
			continue
		}
		merged=$((merged + 1))
		profraw-cat -q "$file" | prof-merge -q | cmp - want
		prof-merge -q <"$file" | cmp - want
		prof-merge -q want | cmp - want
		! prof-index -q want -o indexed 2>stderr ||
		    prof-index -q "$file" | cmp - indexed
	done
	[ "$merged" -gt "$(of_all 90 20)" ]
}

@test 'what was merged by one is merged by the next' {
	cd "$real"
	prof-merge 22-ir.profraw 22-ir_loops.profraw 22-cs.profraw \
	    >"$BATS_TEST_TMPDIR/want"
	prof-merge 22-cs.profraw 22-ir.profraw |
	    prof-merge 22-ir_loops.profraw - |
	    same "$BATS_TEST_TMPDIR/want" -
	{
		profraw-cat 22-ir_loops.profraw
		prof-merge 22-ir.profraw 22-cs.profraw
	} | prof-merge | same "$BATS_TEST_TMPDIR/want" -
}

@test 'streams may be put behind each other' {
	cp "$good/v10-64le.ndjson" x
	cp "$good/temporal-images.ndjson" y
	cp "$good/zero.ndjson" z
	quiet prof-merge x y z >want
	cat x y z | quiet prof-merge | same want -
	cat z x y | quiet prof-merge | same want -
	cat x y z | quiet profraw-cat >cat
	profraw-cat x y z | same cat -
	# Only the last profile says that it is.
	[ "$(grep -c '"last":true' cat)" -eq 1 ]
	[ "$(grep -c '"record":"end"' cat)" -eq 4 ]
	# Blank lines, and spaces around, are nothing.
	{ echo; sed 's/$/ /' x; printf '\r\n\n'; } | quiet profraw-cat |
	    same x -
}

# Whether the programs refuse the file with a message, and leave nothing.
cut_refused() {
	local program status

	for program in profraw-cat prof-merge prof-index; do
		status=0
		"$program" -o file <"$1" >out 2>stderr || status=$?
		if [ "$status" -ne 2 ] || [ -e file ] || [ -s out ] ||
		    [[ $(<stderr) != *$2* ]]; then
			tell "$status" "$program"
			cat "$1"
			return 1
		fi
	done
}

# All but the last newline.
@test 'a stream that is cut anywhere is refused' {
	local n

	{
		ir "$(fn a 1 1)" | sed 's/,"last":true//'
		profile '' '{"record":"x"}'
	} >whole
	quiet profraw-cat whole >/dev/null
	for n in $(seq $(($(wc -c <whole) - 2)) -1 1 | some 5); do
		head -c "$n" whole >cut
		cut_refused cut 'stream ended '
	done
	: >cut
	cut_refused cut 'empty'
	head -c -1 whole |
	    warns 'records of unknown types were left out: 1$' -- prof-merge |
	    same <(prof-merge whole) -
}

@test 'so is one behind another, and one in front of another' {
	ir "$(fn a 1 1)" >x
	for n in 1 2; do
		head -n "$n" x >cut
		cat x cut >behind
		cat cut x >before
		refused '' prof-merge behind
		refused '' prof-merge before
		refused '' prof-merge x cut
		refused '' prof-merge cut x
	done
}

@test 'standard output of a pipe that breaks says so to its end' {
	ir "$(fn a 1 1)" | head -n 2 >cut
	for pipe in 'profraw-cat' 'prof-merge' 'profraw-cat | prof-merge' \
	    'profraw-cat | profraw-cat' 'prof-merge | profraw-cat | cat' \
	    'profraw-cat | prof-merge | prof-merge'; do
		echo "$pipe"
		run -2 --separate-stderr pipe "$pipe" <cut
		[[ ${lines[-1]} == '{"record":"abort",'*'ended inside'* ]]
		[[ $stderr == *'ended inside a profile'* ]]
		run -2 --separate-stderr pipe "$pipe | prof-index -o file" \
		    <cut
		[ "$output" = '' ]
		[ ! -e file ]
	done
}

@test 'a damaged profile at one end leaves no file at the other' {
	local folder n=0

	for folder in "$bad"/*s-*/; do
		n=$((n + 1))
		status=0
		: >stderr
		profraw-cat "$folder/input" 2>>stderr |
		    prof-merge 2>>stderr | prof-index -o file 2>>stderr ||
		    status=$?
		[ "$status" -eq 2 ]
		[ ! -e file ]
		grep -q '^prof-merge: .*gave up' stderr
		grep -q '^prof-index: .*gave up' stderr
	done
	[ "$n" -gt 50 ]
}

@test 'jq in the middle may drop functions' {
	profraw-cat "$real/22-ir.profraw" |
	    jq -c 'select(.name // "main" | test("clamp") | not)' |
	    prof-index -o indexed
	prof-show --functions indexed >got
	! grep -q clamp got || return 1
	[ "$(wc -l <got)" -eq $(($(prof-show --functions \
	    "$real/22-ir.profraw" | wc -l) - 2)) ]
}

@test 'an archive of profiles of all kinds is one profile' {
	need tar gzip zstd
	mkdir files
	cp "$real/22-ir.profraw" files/raw
	gzip -c "$real/22-ir_loops.profraw" >files/raw.gz
	prof-merge "$real/22-cs.profraw" >files/stream
	prof-index "$real/22-ir.profraw" -o files/indexed
	quiet prof-merge files/raw files/raw.gz files/stream files/indexed \
	    >want
	tar -c files | zstd -qc >all
	quiet prof-merge all | same want -
	quiet prof-merge files | same want -
	quiet profraw-cat all | quiet prof-merge | same want -
	quiet prof-index -q all | cmp - <(prof-index -q want)
}

# both FILE: a raw file that is pulled gives what one that is mapped gives, also
# in messages.
both() {
	local want=0 got=0

	prof-merge --to stream -o want - <"$1" 2>want.err || want=$?
	cat "$1" | prof-merge --to stream -o got - 2>got.err || got=$?
	[ $want = $got ] && cmp want.err got.err || return 1
	[ $want != 0 ] || cmp want got
}

@test 'raw profiles in a row give the same from a pipe' {
	local file

	for file in $(some 4 "$good"/*.profraw); do
		cat "$file" "$file" "$file" >row
		both row || { echo "$file"; return 1; }
	done
	for file in $(some 4 "$bad"/*/input); do
		cat "$good/v10-64le.profraw" "$file" >row
		both row || { echo "$file"; return 1; }
	done
}

@test 'a pipe of raw profiles needs the memory of one' {
	local i

	bash -c 'ulimit -v 100000; exec prof-merge --version' >/dev/null ||
	    skip 'needs a build without sanitizers'
	ir "$(for i in $(seq 4000); do fn function$i $i 1,2,3,4; done)" |
	    write-raw raw -o one
	for i in $(seq 7); do
		cat one one >two
		mv two one
	done
	[ "$(wc -c <one)" -gt 40000000 ]
	cat one one one | bash -c 'ulimit -v 100000; exec prof-merge -o out'
	grep -q '"inputs":384' out
	cat one one one | gzip -1 |
	    bash -c 'ulimit -v 100000; exec prof-merge -o packed'
	cmp out packed
	# An image that claims more than the bound is refused, not held.
	run -2 bash -c 'cat one | prof-merge --max-size 100K -o none'
	[[ $output == *'an image needs more than 102400 bytes' ]]
}

# The end of the first image shows only when its values are read, so many small
# ones are in memory by then.  To move them for each image takes minutes.
@test 'small raw profiles behind a large one take linear time' {
	need python3
	python3 - <<-'END' | brief prof-merge -q -o /dev/null
	import hashlib, struct, sys
	guid = int.from_bytes(hashlib.md5(b"f").digest()[:8], "little")
	def image(sites):
	    return (struct.pack("<8Q", 0xff6c70726f667281, 4 | 1 << 56, 1, 1, 3,
	        0x4000, 0x6000, 1) +
	        struct.pack("<5QI2H", guid, min(sites, 1), 0x4000, 0, 0, 1, 0,
	        sites) +
	        struct.pack("<Q8s", 1, b"\1\0f"))
	def values(sites):
	    body = (struct.pack("<2I", 1, sites) + b"\xff" * sites +
	        bytes(-sites % 8) + struct.pack("<2Q", 1, 1) * 255 * sites)
	    return struct.pack("<2I", 8 + len(body), 1) + body
	sys.stdout.buffer.write(image(14035) + values(14035) + image(0) * 200000)
	END
}

@test 'what cannot be printed is an error' {
	local command status

	[ -c /dev/full ] || skip 'needs /dev/full'
	cp "$top_srcdir/tests/data/good/v10-64le.profraw" a
	cp "$top_srcdir/tests/data/symbolize/app-22.memprofraw" h
	cp "$top_srcdir/tests/data/symbolize/app-22.debug" app
	prof-index -o indexed a
	prof-bundle create -q -o bundle a
	prof-plan create --shards 1 -o plan a
	while read -r command; do
		echo "$command"
		status=0
		$command >/dev/full 2>stderr || status=$?
		if [ "${command%% *}" = llvm-profdata ]; then
			[ "$status" -eq 1 ]
		else
			[ "$status" -eq 2 ]
		fi
		grep -q 'No space left on device$' stderr
	done <<-'END'
	profraw-cat a
	prof-merge a
	prof-merge --to indexed a
	prof-index a
	prof-filter --drop --glob x a
	prof-symbolize --binary app h
	prof-check a
	prof-check --json a
	prof-show a
	prof-show --functions a
	prof-show --json a
	prof-show --heap h
	prof-diff a a
	prof-diff --json a a
	prof-report a
	prof-export --to folded h
	prof-plan show plan
	prof-plan show --json plan
	prof-plan status plan
	prof-plan status --missing plan
	prof-bundle list bundle
	prof-bundle list --json bundle
	prof-check bundle
	llvm-profdata show indexed
	llvm-profdata overlap indexed indexed
	prof-merge --help
	prof-merge --version
	END
	for command in --help 'show --help' --version \
	    'merge --dump-input-file-list -o x indexed'; do
		echo "$command"
		run -1 bash -c "llvm-profdata $command >/dev/full"
	done
}
