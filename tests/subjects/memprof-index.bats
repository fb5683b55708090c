# Heap profiles (MemProf) in indexed files: how records of functions are made
# of stacks and allocations, and every version of their section, written.

load ../support/helper

setup() {
	need jq
	llvm=$(data memprof)
	cd "$BATS_TEST_TMPDIR"
}

# heap RECORD...: a stream of a heap profile.
heap() {
	profile '' "$@" | sed '1s/"instr"/"memprof"/'
}

id() {
	printf '"0x%016x"' "0x$1"
}

# stack ID PCS FRAMES: pcs are hexadecimal numbers; a frame is a digit, its
# function, and its line offset, and i if it is inlined, - if it is unknown, or
# else the whole frame.
stack() {
	local pcs='' frames='' word

	for word in $2; do
		pcs+=,$(id "$word")
	done
	for word in $3; do
		frames+=,$(frame "$word")
	done
	printf '{"record":"stack","id":%s%s%s}\n' "$(id "$1")" \
	    "${pcs:+,\"pcs\":[${pcs:1}]}" "${frames:+,\"frames\":[${frames:1}]}"
}

frame() {
	case $1 in
	-) printf '{}' ;;
	{*) printf '%s' "$1" ;;
	*i) printf '{"guid":%s,"line_offset":%s,"inline":true}' \
	    "$(id "${1:0:1}")" "$(tr -d i <<<"${1:1}")" ;;
	*) printf '{"guid":%s,"line_offset":%s}' "$(id "${1:0:1}")" "${1:1}" ;;
	esac
}

# site STACK COUNT [MORE KEYS]: what an allocation and an allocation site have.
site() {
	printf '"stack":%s,"info":{"alloc_count":%s%s}' "$(id "$1")" "$2" \
	    "${3:+,$3}"
}
allocation() {
	printf '{"record":"allocation",%s}\n' "$(site "$@")"
}

# of GUID ALLOC_SITES CALL_SITES: a function that was indexed already.
of() {
	printf '{"record":"memprof_function","guid":%s,"alloc_sites":[%s],' \
	    "$(id "$1")" "$2"
	printf '"call_sites":[%s]}\n' "$3"
}

# index OPTION...: of standard input, the file `file`.
index() {
	profraw-cat --to indexed -o file "$@"
}

# What functions have, a line each: COUNT[STACK] of allocations, (STACK) and its
# callees of calls.
functions() {
	profraw-cat "${1-file}" | jq -rs '
	    def digit: .[-1:];
	    (map(select(.record == "stack") | {(.id): [.frames[]? |
	    "\(.guid | digit)\(.line_offset)\(if .inline then "i" else "" end)"]
	    | join(" ")}) | add) as $stacks |
	    map(select(.record == "memprof_function") | (.guid | digit) +
	    ([.alloc_sites[] | " \(.info.alloc_count)[\($stacks[.stack])]"] |
	    join("")) + ([.call_sites[] | " (\($stacks[.stack]))" +
	    ([.callee_guids[]? | digit] | join(""))] | join(""))) | sort[]'
}

# has LINE...: the functions of the file.
has() {
	functions >got
	printf '%s\n' "$@" | same - got
}

# The guid of a name, 16 digits.
guid_of() {
	printf %s "$1" | md5sum | cut -c 1-16 | fold -w 2 | tac | tr -d '\n'
}

# Eight bytes of a file as a number, and where the section begins.
word_at() {
	od -An -tu8 -j"$1" -N8 file | tr -d ' '
}
section() {
	word_at 40
}

# The section's version; 0 has an offset in that place.
section_version() {
	local word

	word=$(word_at "$(section)")
	echo $((word > 4 ? 0 : word))
}

# The fields of the schema of a section of version $1.
schema() {
	local words=(24 32 48 32 92) n

	at=$(($(section) + words[$1]))
	n=$(word_at $at)
	[ "$n" -le 27 ]
	od -An -tu8 -v -w8 -j$((at + 8)) -N$((8 * n)) file | xargs
}

# The function 1 allocates, inlined into 2 and called by 3, called by 4.
program() {
	heap "$(stack 1 '10 20 30' '11i 22 33 44')" \
	    "$(allocation 1 2 '"total_size":16')"
}

@test 'functions have what is inlined into them, and calls on the way' {
	program | quiet index
	has '1 2[11i 22 33 44]' '2 2[11i 22 33 44] (11i 22)' '3 (33)' '4 (44)'
	# The frames of one address belong together.
	heap "$(stack 1 '10 20' '11 22i 33')" "$(allocation 1 2)" | quiet index
	has '1 2[11 22i 33]' '2 (22i 33)' '3 (22i 33)'
	# A function that is there twice has both.
	heap "$(stack 1 '10' '11i 12i 13')" "$(allocation 1 2)" | quiet index
	has '1 2[11i 12i 13] 2[11i 12i 13] 2[11i 12i 13] (11i 12i 13)'
}

@test 'calls are told apart by address, or else by frames' {
	heap "$(stack 1 '10 20 40' '11 22 44')" \
	    "$(stack 2 '10 30 40' '11 22 44')" \
	    "$(allocation 1 2)" "$(allocation 2 3)" >stream
	quiet index stream
	has '1 2[11 22 44] 3[11 22 44]' '2 (22) (22)' '4 (44)'
	jq -c 'del(.pcs)' stream >unplaced
	quiet index unplaced
	has '1 2[11 22 44] 3[11 22 44]' '2 (22)' '4 (44)'
	# The same address in two modules.
	sed 's/\("0x0*30"\)/[7,"0x0000000000000020"]/
	    s/^{"record":"profile".*/&\n{"record":"segment","id":7}/' stream |
	    quiet index
	has '1 2[11 22 44] 3[11 22 44]' '2 (22) (22)' '4 (44)'
}

@test 'allocations of one stack are one' {
	heap "$(stack 1 '' 11)" "$(allocation 1 2 '"min_size":5')" \
	    "$(allocation 1 3 '"min_size":4')" |
	    quiet index --to indexed:full
	has '1 5[11]'
	profraw-cat file | grep -q '"min_size":4'
	heap "$(stack 1 '' 11)" "$(allocation 1 2)" \
	    "$(allocation 1 4294967295)" |
	    warns 'sums of allocations that are too large, .* kept: 1$' -- index
	has '1 4294967295[11]'
}

@test 'names and lines say which frame it is' {
	heap "$(stack 1 '' "$(printf '{"function":"%s",%s} ' main.llvm.5 \
	    '"line":12,"start_line":10,"inline":true' main.part.2 \
	    '"line":3,"start_line":10,"inline":true' a.__uniq.7.llvm.8 \
	    '"line":9')")" "$(allocation 1 1)" | quiet index
	profraw-cat file | jq -c 'select(.record == "stack") | .frames |
	    map([.guid, .line_offset])' | sort | tail -n 1 >got
	printf '[["0x%s",2],["0x%s",4294967289],["0x%s",9]]\n' \
	    "$(guid_of main)" "$(guid_of main)" "$(guid_of a.__uniq.7)" |
	    same - got
}

@test 'addresses without a function are left out, and told' {
	heap "$(stack 1 '10 20 30' '11 - 33')" "$(stack 2 '20 40' '- -')" \
	    "$(allocation 1 2)" "$(allocation 2 2)" |
	    warns 'addresses without a function are left out: 2, in stacks: 2' \
	    'allocations and call sites have no frame left: dropped 1' -- index
	has '1 2[11 33]' '3 (33)'
	heap "$(stack 1 '' '11 - 33')" "$(allocation 1 2)" |
	    warns 'without a function are left out: 1, in stacks: 1$' -- index
	has '1 2[11 33]' '3 (33)'
}

@test 'functions without lines are left out, if others have lines' {
	local f='{"function":"f"}' g='{"function":"g","file":"a.c"}' \
	    want='frames of neither line nor column, which no compiler .*'

	heap "$(stack 1 '10 20 30' "$f 22 33")" "$(stack 2 '10 40' "$f $g")" \
	    "$(stack 3 '20 30' '22 33')" "$(allocation 1 2)" \
	    "$(allocation 2 3)" "$(allocation 3 5)" >stream
	warns "stacks with $want are left out: 2$" \
	    'allocations and call sites have no frame left: dropped 1' -- \
	    index stream
	has '2 2[22 33] 5[22 33]' '3 (33)'
	# They may come last, and the first stack may be the one without lines.
	heap "$(stack 2 '10 40' "$f $g")" "$(stack 1 '20 30 10' "22 33 $f")" \
	    "$(allocation 1 2)" "$(allocation 2 3)" |
	    warns "$want are left out: 2\$" 'allocations and .* dropped 1' -- \
	    index
	has '2 2[22 33]' '3 (33)'
	# If no function has a line, all stay.
	heap "$(stack 1 '10 20' "$f $g")" "$(allocation 1 2)" |
	    warns "stacks with $want: 1$" -- index
	profraw-cat file | jq -c 'select(.record == "stack") | .frames |
	    map([.guid, .line_offset, .column])' | sort | tail -n 1 |
	    same - <(printf '[["0x%s",0,0],["0x%s",0,0]]\n' "$(guid_of f)" \
	    "$(guid_of g)")
}

# run_of ID START: the segment of one run in a sum, without build id.
run_of() {
	printf '{"record":"segment","id":%s,"start":%s,"end":%s,' "$1" \
	    "$(id "$2"000)" "$(id "$2"fff)"
	printf '"offset":%s,"file_addresses":true}\n' "$(id 0)"
}

@test 'contexts of a folded profile that have the same frames are one' {
	heap "$(run_of 0 1)" "$(run_of 1 7)" "$(stack 1 '10 20' '11 22')" \
	    "$(stack 2 '30 40' '11 22')" "$(stack 3 '50 60' '11 33')" \
	    "$(allocation 1 2)" "$(allocation 2 3)" "$(allocation 3 5)" |
	    jq -c 'if .record == "stack" then (.id[-1:] == "2") as $b |
	    .pcs |= map([if $b then 1 else 0 end, .]) elif .stream then
	    .inputs = 2 | .folded = true else . end' >sum
	prof-merge sum | prof-index -o merged
	quiet prof-index -o file sum
	cmp merged file
	has '1 5[11 22] 5[11 33]' '2 (22)' '3 (33)'
	# An address without function, which keeps the runs apart in prof-merge.
	jq -c 'if .record == "stack" and (.id[-1:] | tonumber) < 3 then
	    .pcs += [.pcs[0]] | .frames += [{}] else . end' sum >more
	prof-merge more | prof-index -q -o merged
	prof-index -q -o file more
	cmp merged file
	has '1 5[11 22] 5[11 33]' '2 (22)' '3 (33)'
	# Other profiles are indexed as llvm-profdata does.
	sed 's/,"folded":true//' sum | quiet prof-index -o file
	has '1 2[11 22] 3[11 22] 5[11 33]' '2 (22) (22)' '3 (33)'
}

@test 'runs without build ids are added to what was indexed before' {
	local run more=''

	heap "$(stack 7 '' '11 22')" "$(of 1 "{$(site 7 100)}" '')" |
	    quiet index
	mv file before
	# Addresses without function keep the runs apart in the sum.
	for run in 1 2 3; do
		heap "$(run_of 0 $run)" "$(stack 1 "10 20 ${run}00" '11 22 -')" \
		    "$(allocation 1 $run)" |
		    jq -c 'if .record == "stack" then .pcs |= map([0, .])
		    else . end' >run$run
	done
	prof-index -q -o file before run1 run2 run3
	has '1 106[11 22]' '2 (22)'
	prof-merge run1 run2 run3 before | prof-index -q -o file
	has '1 106[11 22]' '2 (22)'
	prof-merge -q --to yaml -o file before run1 run2 run3
	grep -qx ' *AllocCount: *106' file
}

@test 'nothing is left without functions' {
	heap "$(stack 1 '10 20' '')" "$(allocation 1 2)" >stream
	refused 'no stack of the heap profile has a function, of 1: run' \
	    profraw-cat --to indexed -o file stream
	heap "$(stack 1 '10 20' '- -')" "$(allocation 1 2)" >stream
	refused 'no stack of the heap' profraw-cat --to indexed -o file stream
	[ ! -e file ]
	# But a run may have allocated nothing.
	heap | quiet index
	[ "$(section_version)" -eq 3 ]
	[ -z "$(functions)" ]
}

@test 'the functions of the runtime itself are left out' {
	local name n=0

	for name in malloc_linux interceptors new_delete; do
		name=/x/memprof_$name.cpp
		heap "$(stack 1 '10 20' \
		    '{"guid":'"$(id 5)"',"file":"'$name'"} 22')" \
		    "$(allocation 1 2)" | quiet index
		has '2 2[22]'
		n=$((n + 1))
	done
	[ $n -eq 3 ]
	heap "$(stack 1 '' '{"guid":'"$(id 5)"','`
	    `'"file":"xmemprof_new_delete.cpp","line_offset":0} 22')" \
	    "$(allocation 1 2)" |
	    quiet index
	has '2 (22)' '5 2[50 22]'
}

@test 'what was indexed before is taken as it is' {
	heap "$(stack 1 '' '11i 22 33')" "$(stack 2 '' 44)" \
	    "$(of 1 "{$(site 1 2)},{$(site 1 3)}" '')" \
	    "$(of 3 '' "{\"stack\":$(id 2)},{\"stack\":$(id 2)}")" | quiet index
	has '1 2[11i 22 33] 3[11i 22 33]' '3 (44) (44)'
}

@test 'sites without a frame are dropped, since clang crashes on them' {
	local other frames

	while IFS='|' read -r other frames; do
		echo "$frames"
		heap "$(stack 1 '' "$frames")" "$(stack 2 '' '11 22')" \
		    "$(of 1 "{$(site 1 5)},{$(site 2 3)}" \
		    "{\"stack\":$(id 1)}")" |
		    jq -c 'if .record == "stack" then .frames //= [] else .
		    end' >stream
		warns ${other:+"$other.*: 1"} \
		    'allocations and call sites have no frame left: dropped 2' \
		    -- index stream
		has '1 3[11 22]'
	done <<-END
	|
	without a function|-
	frames of neither line|{"function":"f"}
	|{"guid":$(id 5),"file":"/x/memprof_malloc_linux.cpp"}
	END
}

@test 'what is there in both forms is one' {
	heap "$(stack 1 '10 20' '11 22')" "$(stack 2 '' 22)" \
	    "$(stack 3 '' 23)" \
	    "$(allocation 1 2)" "$(of 1 "{$(site 1 3)}" '')" \
	    "$(of 2 "{$(site 3 7)}" "{\"stack\":$(id 2),\"callee_guids\":[$(
	    id 8),$(id 8)]},{\"stack\":$(id 3)}")" \
	    "$(of 2 '' "{\"stack\":$(id 2),\"callee_guids\":[$(id 9),$(
	    id 8)]}")" | quiet index
	has '1 5[11 22]' '2 7[23] (22)889 (23)'
}

@test 'a function that is inlined into itself adds a context once' {
	heap "$(stack 1 '' '11i 12i 13')" "$(allocation 1 2)" >stream
	quiet index stream
	prof-index -q -o sum file stream
	mv sum file
	has '1 4[11i 12i 13] (11i 12i 13)'
	# Two contexts with the same frames are two.
	heap "$(stack 1 10 '11i 12')" "$(stack 2 20 '11i 12')" \
	    "$(allocation 1 2)" "$(allocation 2 3)" \
	    "$(of 1 "{$(site 1 10)}" '')" | quiet index
	has '1 15[11i 12] (11i 12) (11i 12)'
}

@test 'stacks have to be there, and those of one id are equal' {
	local what first again

	for what in "$(allocation 2 1)" "$(of 1 "{$(site 2 1)}" '')" \
	    "$(of 1 '' "{\"stack\":$(id 2)}")"; do
		heap "$(stack 1 '' 11)" "$what" >stream
		refused 'stack 0x0000000000000002 of a.* is missing' \
		    profraw-cat --to indexed stream -o file
	done
	while read -r first again; do
		heap "$(stack 1 "${first#*:}" "${first%:*}")" \
		    "$(stack 1 "${again#*:}" "${again%:*}")" >stream
		refused 'stack 0x0000000000000001 occurs twice .*and differs' \
		    profraw-cat --to indexed stream -o file
	done <<-END
	11: 12:
	11:10 11:20
	11: -:
	-:10 -:20
	:10 :20
	END
}

@test 'a stack that occurs again is the same' {
	local stack

	for stack in "$(stack 1 '' '11i 22 33')" "$(stack 1 '10 20' '11 22')" \
	    "$(stack 1 '10 20' '11 -')" "$(stack 1 '' '- 22')" \
	    "$(stack 1 10 '{"function":"f"}')" \
	    "$(stack 1 '10 20' '11 {"function":"f"}')"; do
		echo "$stack"
		heap "$stack" "$(stack 2 30 44)" "$(allocation 1 2)" \
		    "$(allocation 2 3)" >stream
		prof-index -o want stream 2>warnings
		heap "$stack" "$stack" "$(stack 2 30 44)" "$stack" \
		    "$(allocation 1 2)" "$(allocation 2 3)" >stream
		prof-index -o file stream 2>stderr
		cmp want file
		same warnings stderr
		prof-filter -q --to indexed -o file stream
		cmp want file
	done
}

@test 'each version of a file has the section that its readers know' {
	local file section fields n=0

	program >stream
	while read -r file section fields; do
		quiet profraw-cat --to "indexed:$file" -o file stream
		[ "$(section_version)" -eq "$section" ]
		schema "$section" >got
		[ "$(cat got)" = "$fields" ]
		has '1 2[11i 22 33 44]' '2 2[11i 22 33 44] (11i 22)' '3 (33)' \
		    '4 (44)'
		n=$((n + 1))
	done <<-END
	8 0 $(seq -s ' ' 19)
	9 0 $(seq -s ' ' 25)
	10 0 $(seq -s ' ' 25)
	11 0 $(seq -s ' ' 25)
	12 3 1 5 10 23
	13 3 1 5 10 23
	END
	[ $n -eq 6 ]
	for file in 1 4 7; do
		refused "indexed version $file cannot hold a heap profile" \
		    profraw-cat --to "indexed:$file" -o old stream
	done
}

@test 'the version of the section can be chosen, if readers know it' {
	local file section first last n=0

	program >stream
	while read -r file first last; do
		for section in 0 1 2 3 4; do
			set -- profraw-cat -o file stream \
			    --to "indexed:$file,memprof-$section"
			n=$((n + 1))
			if [ $section -lt "$first" ] || [ $section -gt "$last" ]
			then
				refused "readers of indexed version $file accept`
				    ` heap profiles \(MemProf\) of version`
				    ` $first to $last, not $section" "$@"
				continue
			fi
			quiet "$@"
			[ "$(section_version)" -eq $section ]
			has '1 2[11i 22 33 44]' '2 2[11i 22 33 44] (11i 22)' \
			    '3 (33)' '4 (44)'
		done
	done <<-END
	8 0 0
	9 0 0
	11 0 0
	12 0 3
	13 2 4
	END
	[ $n -eq 25 ]
	for section in 5 -1 x 33 ''; do
		usage_error "'memprof-$section' is not a version of indexed, nor memprof-0, " \
		    profraw-cat --to indexed:memprof-"$section"
	done
	usage_error "stream accepts only a version, not 'memprof-3'" \
	    profraw-cat --to stream:memprof-3
	usage_error "'full' is not a version of text, nor no-vtables" \
	    prof-merge --to text:full
}

@test 'stacks that begin alike come back' {
	# All of one to five frames of two functions.
	awk 'BEGIN {
		print "{\"record\":\"profile\",\"stream\":1,\"kind\":\"memprof\"}"
		for (size = 1; size <= 5; size++) {
			for (n = 0; n < 2 ^ size; n++) {
				list = ""
				for (i = 0; i < size; i++)
					list = list sprintf(",{\"guid\":" \
					    "\"0x%016x\",\"line_offset\":1}",
					    1 + int(n / 2 ^ i) % 2)
				id = sprintf("0x%016x", ++stacks)
				printf "{\"record\":\"stack\",\"id\":" \
				    "\"%s\",\"frames\":[%s]}\n", id,
				    substr(list, 2)
				printf "{\"record\":\"allocation\",\"stack\":" \
				    "\"%s\",\"info\":{\"alloc_count\":1}}\n", id
			}
		}
		print "{\"record\":\"end\",\"last\":true}"
	}' >stream
	# Version 2 has each stack by itself.
	quiet index --to indexed:13,memprof-2 stream
	functions >want
	tr -cd [ <want | wc -c | same - <(echo 62)
	quiet index --to indexed:13,memprof-3 stream
	functions | same want -
	# What stacks share is stored once.
	[ "$(wc -c <file)" -eq 3520 ]
}

@test 'a stack of more frames than are hashed at once comes back' {
	local version

	heap "$(stack 1 '' "$(seq -s ' ' -f '1%.0f' 150)")" \
	    "$(allocation 1 2)" >stream
	for version in 2 3; do
		quiet index --to indexed:13,memprof-$version stream
		# The leaf is first; stacks of calls begin behind it.
		profraw-cat -q file | jq -rs '
		    map(.frames // [] | map(.line_offset)) |
		    max_by(length)[]' | same <(seq 150) -
	done
}

@test 'a full schema has all that is known' {
	program >stream
	quiet profraw-cat --to indexed:full -o file stream
	[ "$(schema 3)" = "$(seq -s ' ' 27)" ]
	# What was indexed keeps its fields, beside those that compilers read.
	heap "$(stack 1 '' 11)" "$(of 1 "{$(site 1 2 '"max_size":3')}" '')" |
	    quiet index --to indexed:memprof-4
	[ "$(schema 4)" = '1 5 7 10 23' ]
}

@test 'a maximum that is unknown is its minimum, as LLVM 15 has it' {
	heap "$(stack 1 '' 11)" "$(allocation 1 1 \
	    '"min_size":3,"min_access_count":4,"min_lifetime":5')" |
	    quiet index --to indexed:full
	profraw-cat file | jq -c '.alloc_sites[0].info? | [.max_size,
	    .max_access_count, .max_lifetime]' | grep -v null >got
	[ "$(cat got)" = '[3,4,0]' ]
}

@test 'fields that are unknown in some blocks only are told' {
	local want='some memory info blocks have no values for fields that'
	local more='"total_size":8,"total_lifetime":7,'`
	    `'"total_lifetime_access_density":1'

	# As indexed files with and without a full schema, merged.
	heap "$(stack 1 '' 11)" "$(stack 2 '' 22)" \
	    "$(of 1 "{$(site 1 1 "$more")}" '')" \
	    "$(of 2 "{$(site 2 1 "$more,\"min_size\":5")}" '')" |
	    warns "$want others have: 0 is written" -- index
	# An allocation without density, as of LLVM 15, in a sum with others.
	heap "$(stack 1 '' 11)" "$(allocation 1 1 "$more")" \
	    "$(allocation 1 1 "${more%,*}")" | warns "$want" -- index
	# Those that no reader of the file looks for do not count.
	heap "$(stack 1 '' 11)" "$(allocation 1 1 "$more")" \
	    "$(allocation 1 1 "$more,\"min_size\":5")" | quiet index
}

@test 'callees and data accesses make it version 4' {
	local call="{\"stack\":$(id 1),\"callee_guids\":[$(id 8)]}"
	local access='{"record":"data_access","symbol":"t","count":2}'
	local cold='{"record":"cold_symbol","hash":"0x0000000000000007"}'
	local record

	for record in "$(of 1 '' "$call")" "$access" "$cold"; do
		heap "$(stack 1 '' 11)" "$record" >stream
		quiet profraw-cat --to indexed -o file stream
		[ "$(section_version)" -eq 4 ]
		profraw-cat file | grep -v '"stack"' | canon >got
		grep -v '"stack"' stream | canon | sed 's/"0x0*1"/&/' |
		    grep -v memprof_function | while read -r line; do
			grep -qF -- "$line" got
		done
	done
	heap "$(stack 1 '' 11)" "$(of 1 '' "$call,$call")" "$access" "$cold" \
	    "$cold" >stream
	warns 'version 3 cannot hold guids of callees: dropped 2' \
	    'version 3 cannot hold data accesses: dropped 1' \
	    'version 3 cannot hold cold symbols: dropped 1' -- \
	    profraw-cat --to indexed:12 -o file stream
	[ "$(section_version)" -eq 3 ]
}

@test 'data accesses have names as compilers look for them' {
	heap '{"record":"data_access","symbol":"t.llvm.5","count":2,'`
	    `'"locations":[{"file":"a.b.c","line":3}]}' \
	    '{"record":"data_access","symbol":"u.__uniq.1.x","count":1}' \
	    '{"record":"data_access","symbol":".str","count":1}' \
	    '{"record":"cold_symbol","symbol":"v.llvm.9"}' >stream
	quiet profraw-cat --to indexed -o file stream
	profraw-cat file | jq -rc 'select(.symbol) | [.symbol,
	    .locations[]?.file]' >got
	printf '%s\n' '["t","a.b.c"]' '["u.__uniq.1"]' '[".str"]' '["v"]' |
	    same - got
}

@test 'data accesses that are one for compilers are one' {
	local half='{"record":"data_access","symbol":"x",'`
	    `'"count":"9223372036854775808"}'

	heap '{"record":"data_access","symbol":"t.llvm.5","count":2,'`
	    `'"locations":[{"file":"a","line":3},{"file":"a","line":3}]}' \
	    '{"record":"data_access","symbol":"t","count":3,'`
	    `'"locations":[{"file":"a","line":3},{"file":"b","line":3}]}' \
	    '{"record":"cold_symbol","symbol":"u.1"}' \
	    '{"record":"cold_symbol","symbol":"u"}' | quiet index
	profraw-cat file | jq -rc 'select(.symbol) | [.symbol, .count,
	    .locations[]?.file]' >got
	printf '%s\n' '["t",5,"a","a","b"]' '["u",null]' | same - got
	heap "$half" "$half" | warns 'sums of data accesses that are too '`
	    `'large, so that the largest number is kept: 1$' -- index
	profraw-cat file | grep -q '"count":"18446744073709551615"'
	# What was accessed is not cold.
	heap '{"record":"cold_symbol","symbol":"z.llvm.2"}' \
	    '{"record":"cold_symbol","hash":"0x0000000000000007"}' \
	    '{"record":"cold_symbol","symbol":"y"}' \
	    '{"record":"data_access","symbol":"z.llvm.1","count":3}' \
	    '{"record":"data_access","hash":"0x0000000000000007","count":4}' |
	    quiet index
	profraw-cat file | jq -rc 'select(.symbol or .hash) |
	    [.record, .symbol // .hash]' | sort >got
	printf '%s\n' '["cold_symbol","y"]' \
	    '["data_access","0x0000000000000007"]' '["data_access","z"]' |
	    same - got
}

@test 'access histograms are left out, and told' {
	heap "$(stack 1 '' 11)" "$(allocation 1 1 \
	    '"access_histogram_size":2,"access_histogram":[3,4]')" |
	    warns 'MemProf version 3 cannot hold access histograms: dropped 1' \
	    -- index --to indexed:full
	profraw-cat file | grep -q '"access_histogram_size":2'
}

@test 'counters and a heap profile go into one file' {
	{
		profile '"level":"ir"' "$(fn main 24 5)" "$(stack 1 '' 11)" \
		    "$(allocation 1 2)" | sed '1s/"instr"/"mixed"/'
	} >stream
	quiet profraw-cat --to indexed -o file stream
	profraw-cat file | canon >got
	grep -q '"kind":"mixed","level":"ir"' got
	grep -q '"counts":\[5\]' got
	has '1 2[11]'
	need llvm-profdata-22
	llvm-profdata-22 show --all-functions file |
	    grep -q 'Total functions: 1'
	llvm-profdata-22 show --memory file | grep -q 'Total contexts: 1'
}

@test 'frames that are one for LLVM 19 are told' {
	local at='{"guid":'$(id 1)',"line_offset"'

	heap "$(stack 1 '' "$at:2,\"column\":63}")" \
	    "$(stack 2 '' "$at:3,\"column\":0}")" \
	    "$(allocation 1 1)" "$(allocation 2 1)" >stream
	warns 'version 2 cannot hold frames that have the id of another' \
	    'cannot hold call stacks that have the id of another' \
	    -- profraw-cat --to indexed:12,memprof-2 -o file stream
	warns 'version 0 cannot hold frames that have the id of another' \
	    -- profraw-cat --to indexed:12,memprof-0 -o file stream
	quiet profraw-cat --to indexed:12 -o file stream
	quiet profraw-cat --to indexed:memprof-2 -o file stream
	has '1 1[12] 1[13]'
}

@test 'sections are those that LLVM writes of the same YAML' {
	local version n=0

	for version in 2 3 4; do
		profraw-cat -q --to indexed:memprof-$version -o file \
		    "$llvm/sample.yaml"
		functions file >got
		functions "$llvm/v$version.yaml.profdata" | same - got
		[ $version -eq 2 ] || cmp file "$llvm/v$version.yaml.profdata"
		n=$((n + 1))
	done
	[ $n -eq 3 ]
}
