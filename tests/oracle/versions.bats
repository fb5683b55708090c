# Profiles of each clang, written for each other: llvm-profdata and clang of
# that release read them as their own, and what cannot be is refused.

load ../support/helper
load ../support/oracle

releases='13 14 15 16 19 22'

setup() {
	cd "$BATS_TEST_TMPDIR"
	take_sources
}

# 6 times 6 pairs.
@test 'IR profiles of all clangs are the same to all llvm-profdata' {
	local from to

	need_llvm $releases
	for from in $(some 3 $releases); do
		build "$from" program -O1 -fprofile-generate objects.cc
		gather 1.profraw ./program 9
		gather 2.profraw ./program 30
		"llvm-profdata-$from" merge --text -o want 1.profraw 2.profraw
		for to in $releases; do
			echo "$from to $to"
			prof-merge 1.profraw 2.profraw | prof-index -q \
			    --to "indexed:$(version_of "$to")" \
			    -o ours.profdata
			"llvm-profdata-$to" merge --text ours.profdata -o got
			same want got
		done
	done
}

# A stream without what a version has no place for.
reduced() {
	jq -c --argjson v "$1" '
	select((.record != "trace" or $v >= 10) and
	    (.record != "vtable" or $v >= 12) and
	    (.record != "binary" or $v >= 9)) |
	del(.source, .frontend_versions, .trace_stream_size) |
	if $v < 12 and .values.vtable_target then
	    .values.vtable_target |= map(map({count}))
	else . end |
	if $v < 11 then del(.bitmap, .loop_entries) |
	    if .values then .values |= del(.vtable_target) else . end
	else . end |
	if $v < 10 then del(.temporal) else . end |
	if $v < 7 then del(.byte_coverage, .function_entry_only) else . end |
	if $v < 6 then del(.entry_first) else . end |
	if $v < 3 then del(.values) else . end |
	if .values == {} then del(.values) else . end |
	if .record == "vtable" then del(.guid, .start, .size) else . end'
}

# What is read of a version that no release here writes, or reads alone, is what
# was written.
@test 'each version holds what it can' {
	local flags version release

	need_llvm 13 22
	for flags in '-O1 -fprofile-generate
	    -mllvm -pgo-temporal-instrumentation
	    -mllvm -enable-vtable-value-profiling' \
	    '-O1 -fprofile-generate -mllvm -pgo-instrument-entry' \
	    '-O1 -fprofile-generate -mllvm -pgo-instrument-loop-entries' \
	    '-O1 -fprofile-generate -mllvm -pgo-function-entry-coverage' \
	    '-fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc'; do
		build 22 program $flags objects.cc
		gather 1.profraw ./program 9
		prof-merge 1.profraw -o all
		for version in $(some 4 {1..13}); do
			echo "$version" $flags
			prof-index -q --to indexed:relabel,"$version" \
			    all -o ours.profdata
			profraw-cat ours.profdata | reduced "$version" |
			    canon >got
			reduced "$version" <all | canon | same - got
			llvm-profdata-22 show --all-functions ours.profdata |
			    grep -q '^  _Z4callPFiiEi:$'
			[ "$version" -gt 7 ] || llvm-profdata-13 show \
			    --counts --all-functions ours.profdata |
			    grep -q '^  _Z4callPFiiEi:$'
		done
	done
}

@test 'names of local functions are what the asked clang looks for' {
	local from to

	need_llvm $releases
	for to in $releases; do
		build "$to" program -O2 -fprofile-generate locals.c
		gather "$to.profraw" ./program
		"llvm-profdata-$to" merge -o own.profdata "$to.profraw"
		"clang-$to" -O2 -fprofile-use=own.profdata -S -emit-llvm \
		    locals.c -o "$to.ll"
		grep -q '!{!"VP", i32 0,' "$to.ll"
	done
	for from in $(some 3 $releases); do
		for to in $(some 2 $releases); do
			echo "$from to $to"
			prof-index -q --for "clang-$to" "$from.profraw" \
			    -o ours.profdata
			"clang-$to" -O2 -fprofile-use=ours.profdata -Wall \
			    -mllvm -pgo-warn-missing-function -S -emit-llvm \
			    locals.c -o got.ll 2>log
			same /dev/null log
			same "$to.ll" got.ll
		done
	done
}

@test 'without --for, clang 16 does not find local functions of clang 19' {
	need_llvm 16 19
	build 19 program -O2 -fprofile-generate locals.c
	gather 1.profraw ./program
	prof-index -q --to indexed:9 1.profraw -o ours.profdata
	clang-16 -O2 -fprofile-use=ours.profdata -mllvm \
	    -pgo-warn-missing-function -c locals.c -o locals.o 2>log
	grep -q 'no profile data available for function three' log
}

@test 'traces and targets follow the names' {
	need_llvm 19
	build 19 program -O1 -fprofile-generate -mllvm \
	    -pgo-temporal-instrumentation locals.c
	gather 1.profraw ./program
	llvm-profdata-19 merge --text 1.profraw -o theirs
	sed 's/locals\.c;/locals.c:/g' theirs >want
	run ! cmp -s theirs want
	prof-index --for LLVM-17 1.profraw -o ours.profdata
	llvm-profdata-19 merge --text ours.profdata -o got
	same want got
	# And back again.
	prof-index --for clang-19 ours.profdata -o again.profdata
	llvm-profdata-19 merge -o theirs.profdata 1.profraw
	same <(profraw-cat theirs.profdata | canon | grep -v '"binary"') \
	    <(profraw-cat again.profdata | canon | grep -v '"binary"')
}

# The names that a clang gives to the functions of blocks.m.
objc_names() {
	"clang-$1" -target x86_64-apple-macosx12 -fblocks -O1 \
	    -fprofile-generate -mllvm -enable-name-compression=false \
	    -S -emit-llvm blocks.m -o - |
	    sed -n 's/^@__llvm_prf_nm .* c"[^\\]*\\00\(.*\)", section.*/\1/p' |
	    sed 's/\\01/\n/g' | sort
}

named() {
	local name

	profile '"level":"ir"' "$(while IFS= read -r name; do
		fn "$name" 24 1
	done)"
}

@test 'names of Objective-C methods and blocks are those of either clang' {
	local from to

	need_llvm 16 22
	for from in 16 22; do
		to=$((38 - from))
		objc_names "$from" | named >stream
		objc_names "$to" >want
		[ "$(grep -c 'blocks\.m[:;].*area:by:\]' want)" -eq 2 ]
		prof-index -q --for "clang-$to" stream -o ours.profdata
		profraw-cat ours.profdata |
		    jq -r 'select(.name).name' | sort | same want -
	done
}

# Hashes of functions of more than ten nodes are those of MD5, of which clang
# 22 does not use the upper bits.
@test 'clang 22 finds the front-end functions of clang 19' {
	local source

	need_llvm 19 22
	for source in objects.cc 'jumps.c helpers.c'; do
		for n in 19 22; do
			build "$n" program -fprofile-instr-generate $source
			gather "$n.profraw" ./program 30
		done
		run ! cmp <(profraw-cat 19.profraw | jq .hash) \
		    <(profraw-cat 22.profraw | jq .hash)
		prof-index --for clang-22 19.profraw -o ours.profdata
		llvm-profdata-22 merge 22.profraw -o own.profdata
		for source in $source; do
			for n in ours own; do
				clang-22 -O1 -fno-rtti -S -emit-llvm \
				    -Wall -Wno-unused "$source" -o "$n.ll" \
				    -fprofile-instr-use="$n.profdata" 2>log
				same /dev/null log
			done
			same own.ll ours.ll
		done
	done
}

@test 'front-end profiles are not written for who hashes in another way' {
	local version

	need_llvm 16 22
	build 16 program -fprofile-instr-generate jumps.c helpers.c
	gather 16.profraw ./program 9
	for version in 1 4 5 6; do
		refused "versions 7 to 12.* version $version .*would lose" prof-index \
		    --to indexed:"$version" 16.profraw -o ours.profdata
		[ ! -e ours.profdata ]
		prof-index -q --to indexed:relabel,"$version" \
		    16.profraw -o ours.profdata
		"llvm-profdata-16" merge --text ours.profdata -o got
		"llvm-profdata-16" merge --text 16.profraw -o want
		same want got
		rm ours.profdata
	done
	refused 'versions 7 to 12' prof-index --for clang-11 16.profraw
	build 22 program -fprofile-instr-generate jumps.c helpers.c
	gather 22.profraw ./program 9
	llvm-profdata-22 merge 22.profraw -o 22.profdata
	refused 'of indexed version 13 .clang 22.: .*' prof-index --for clang-19 22.profdata
	prof-index -q --to indexed:relabel --for clang-19 22.profdata -o ours.profdata
	# What a raw profile of 22 was made for, it does not say.
	prof-index -q --for clang-19 22.profraw -o again.profdata
	cmp ours.profdata again.profdata
}
