# Heap profiles in YAML, both ways.

load ../support/helper

setup() {
	samples=$(data memprof)
	cd "$BATS_TEST_TMPDIR"
}

# A document: the lines of standard input.
document() {
	printf -- '---\n'
	cat
	printf '...\n'
}

an_allocation() {
	document <<-'END'
	HeapProfileRecords:
	  - GUID: caller
	    AllocSites:
	      - Callstack:
	          - { Function: _Znwm, LineOffset: 2, Column: 7, IsInlineFrame: true }
	          - { Function: caller, LineOffset: 0x0b, Column: 010, IsInlineFrame: No }
	        MemInfoBlock: { TotalSize: 4096, AllocCount: 0b11 }
	    CallSites:
	      - Frames:
	          - { Function: 0xABcdef0123456789, LineOffset: 7, Column: 1, IsInlineFrame: n }
	        CalleeGuids: [ 0x11, caller, foo.llvm.123 ]
	DataAccessProfiles:
	  SampledRecords:
	    - { Symbol: hot, AccessCount: 1, Locations: [ { FileName: src/a.c, Line: 4 } ] }
	    - { Hash: 0xdeadbeef12345678, AccessCount: 18446744073709551615 }
	  KnownColdSymbols: [ cold ]
	  KnownColdStrHashes: [ 5 ]
	END
}

@test 'each part comes as a record' {
	an_allocation >some.yaml
	quiet profraw-cat some.yaml >got
	[ "$(jq -r '.source.format // empty' got)" = yaml ]
	unsourced got | same - <(sed 's/^\t//' <<-'END'
	{"record":"profile","stream":1,"kind":"memprof"}
	{"record":"stack","id":"0x09a4cd30b4d833e6","frames":[{"function":"_Znwm","guid":"0xe90f3ddeb49b2e46","line_offset":2,"column":7,"inline":true},{"function":"caller","guid":"0xe773599ef91e6be0","line_offset":11,"column":8}]}
	{"record":"stack","id":"0x0aa1097307c6e2ec","frames":[{"guid":"0xabcdef0123456789","line_offset":7,"column":1}]}
	{"record":"memprof_function","guid":"0xe773599ef91e6be0","name":"caller","alloc_sites":[{"stack":"0x09a4cd30b4d833e6","info":{"alloc_count":3,"total_size":4096}}],"call_sites":[{"stack":"0x0aa1097307c6e2ec","callee_guids":["0x0000000000000011","0xe773599ef91e6be0","0x5cf8c24cdb18bdac"]}]}
	{"record":"data_access","symbol":"hot","count":1,"locations":[{"file":"src/a.c","line":4}]}
	{"record":"data_access","hash":"0xdeadbeef12345678","count":"18446744073709551615"}
	{"record":"cold_symbol","symbol":"cold"}
	{"record":"cold_symbol","hash":"0x0000000000000005"}
	{"record":"end","last":true}
	END
	)
}

@test 'what is written' {
	an_allocation >some.yaml
	quiet profraw-cat --to yaml -o got some.yaml
	same got - <<-'END'
	---
	# MemProfSummary:
	#   Total contexts: 1
	#   Total cold contexts: 0
	#   Total hot contexts: 0
	#   Maximum cold context total size: 0
	#   Maximum warm context total size: 4096
	#   Maximum hot context total size: 0
	#   Num hot symbols and string literals: 2
	#   Num known cold symbols: 1
	#   Num known cold string literals: 1
	---
	HeapProfileRecords:
	  - GUID:            caller
	    AllocSites:
	      - Callstack:
	          - { Function: _Znwm, LineOffset: 2, Column: 7, IsInlineFrame: true }
	          - { Function: caller, LineOffset: 11, Column: 8, IsInlineFrame: false }
	        MemInfoBlock:
	          AllocCount:      3
	          TotalSize:       4096
	    CallSites:
	      - Frames:
	          - { Function: 0xabcdef0123456789, LineOffset: 7, Column: 1, IsInlineFrame: false }
	        CalleeGuids:     [ 0x11, caller, 0x5cf8c24cdb18bdac ]
	DataAccessProfiles:
	  SampledRecords:
	    - Hash:            16045690981402826360
	      AccessCount:     18446744073709551615
	    - Symbol:          hot
	      AccessCount:     1
	      Locations:
	        - FileName:        'src/a.c'
	          Line:            4
	  KnownColdSymbols:
	    - cold
	  KnownColdStrHashes: [ 5 ]
	...
	END
	# It has the records that it was made of, and is written the same.  The
	# most frequent access comes first, as LLVM shows it.
	same <(profraw-cat got | unsourced | sort) \
	    <(profraw-cat some.yaml | unsourced | sort)
	quiet profraw-cat --to yaml got | same got -
}

@test 'tabs at the start of a line are blanks, as for LLVM' {
	printf '%s\n' --- HeapProfileRecords: '  - GUID: f' '    AllocSites:' \
	    '      - MemInfoBlock:' $'\t  # a comment' '          AllocCount: 1' \
	    $'          TotalSize: 2\t# and one' '        Callstack:' \
	    '          - { Function: f, LineOffset: 0, Column: 1, IsInlineFrame: false }' \
	    ... >plain
	sed $'s/^\t/ /' plain >want
	prof-merge want >want.ndjson
	quiet prof-merge plain | same want.ndjson -
	llvm-profdata merge plain -o got
	prof-check got
}

@test 'a profile of nothing' {
	profile '' | sed s/instr/memprof/ >want
	for text in --- '---\n...\n' '--- {}\n...\n' '---\n# a\n---\nnull\n' \
	    '---\nHeapProfileRecords:\nDataAccessProfiles:\n...\n' \
	    '---\nHeapProfileRecords: []\n...\n---\n...\n'; do
		printf -- "$text" >file.yaml
		quiet profraw-cat file.yaml | unsourced | same want -
	done
	quiet profraw-cat --to yaml want | tail -n 3 | same - <(document <<<{})
}

@test 'each document is a profile' {
	{ an_allocation; an_allocation; } | sed s/18446744073709551615/9/ >two.yaml
	quiet profraw-cat two.yaml >got
	[ "$(grep -c '"record":"profile"' got)" -eq 2 ]
	refused 'YAML holds one profile: use prof-merge$' \
	    profraw-cat --to yaml two.yaml
	quiet prof-merge --to yaml -o merged two.yaml
	grep -q 'AllocCount:      6$' merged
	grep -q 'AccessCount:     18$' merged
}

@test 'call sites as LLVM 20 had them' {
	document >old.yaml <<-'END'
	HeapProfileRecords:
	  - GUID: 0x10
	    CallSites:
	      - - { Function: 0x11, LineOffset: 1, Column: 2, IsInlineFrame: true }
	        - { Function: 0x10, LineOffset: 3, Column: 4, IsInlineFrame: false }
	      - []
	END
	sed 's/- - {/- Frames:\n        - {/; s/- \[\]/- Frames: []/' old.yaml \
	    >new.yaml
	same <(profraw-cat old.yaml | unsourced) \
	    <(quiet profraw-cat new.yaml | unsourced)
	[ "$(profraw-cat old.yaml | grep -c '"record":"stack"')" -eq 2 ]
}

@test 'what LLVM drops in silence is told' {
	document >both.yaml <<-'END'
	DataAccessProfiles:
	  SampledRecords:
	    - { Symbol: a, Hash: 7, AccessCount: 1 }
	END
	warns 'both\.yaml: line 4: warning: Hash occurs together with Symbol: it is '$(
	    )'left out$' -- profraw-cat both.yaml >got
}

@test 'a file that is cut between two lines' {
	an_allocation | sed '$d' >cut.yaml
	warns 'cut\.yaml: line 19: warning: there is no "\.\.\." at the end: '$(
	    )'the file may be truncated$' -- profraw-cat cut.yaml >got
	same <(unsourced got) <(an_allocation | profraw-cat - | unsourced)
	{ cat cut.yaml; an_allocation; } >two.yaml
	quiet profraw-cat two.yaml >got
}

# bad REGEX: the document of standard input is refused.
bad() {
	document >bad.yaml
	refused "bad\.yaml: ((damaged|truncated): )?$1\$" profraw-cat bad.yaml
}

# frame CHANGE: a record whose only frame is changed by sed.
frame() {
	sed "$1" <<-'END'
	HeapProfileRecords:
	  - GUID: 0x1
	    CallSites:
	      - Frames:
	          - { Function: f, LineOffset: 1, Column: 2, IsInlineFrame: true }
	END
}

# alloc INFO: a record with this memory info block.
alloc() {
	cat <<-END
	HeapProfileRecords:
	  - GUID: 0x1
	    AllocSites:
	      - Callstack: []
	        MemInfoBlock: $1
	END
}

@test 'bad keys' {
	bad "line 2: the document: unknown key 'Heap'" <<<'Heap: []'
	bad "line 2: the document: a list, not a key" <<<'? [ 1 ]'
	bad 'line 2: the document: a list, not a map' <<<'- 1'
	bad 'line 2: the document: a scalar, not a map' <<<'word'
	bad "line 2: HeapProfileRecords: a map, not a list" \
	    <<<'HeapProfileRecords: { a: 1 }'
	bad 'line 2: a record: a scalar, not a map' \
	    <<<'HeapProfileRecords: [ 1 ]'
	bad 'line 2: a record: GUID is missing' <<<'HeapProfileRecords: [ {} ]'
	bad 'line 2: a record: GUID is missing' \
	    <<<'HeapProfileRecords: [ null ]'
	bad 'line 2: a record: GUID occurs twice' \
	    <<<'HeapProfileRecords: [ { GUID: f, GUID: f } ]'
	bad "line 2: DataAccessProfiles: unknown key 'Cold\?'" \
	    <<<'DataAccessProfiles: { "Cold\n": 1 }'
	bad 'line 6: a frame: Column is missing' < <(frame 's/Column: 2, //')
	bad "line 6: a frame: unknown key 'Inline'" \
	    < <(frame 's/IsInlineFrame/Inline/')
	bad "line 5: a call site: unknown key 'Callstack'" \
	    < <(frame s/Frames/Callstack/)
	bad "line 6: MemInfoBlock: unknown key 'AllocCounts'" \
	    < <(alloc '{ AllocCounts: 1 }')
	bad 'line 6: an allocation site: MemInfoBlock is missing' \
	    < <(alloc x | sed '$d')
}

@test 'bad values' {
	bad "line 3: GUID '12' is not a hexadecimal guid or a function's name" \
	    < <(frame s/0x1/12/)
	bad "line 3: GUID '' is not a hexadecimal guid or a function's name" \
	    < <(frame "s/0x1/''/")
	bad "line 3: GUID '0xg' is not a guid" < <(frame s/0x1/0xg/)
	bad "line 3: GUID '0x10000000000000000' is not a guid" \
	    < <(frame s/0x1/0x10000000000000000/)
	bad "line 6: Function: a list, not a scalar" \
	    < <(frame 's/: f,/: [ f ],/')
	bad 'line 6: LineOffset 4294967296 exceeds 4294967295' \
	    < <(frame 's/: 1/: 4294967296/')
	bad "line 6: Column '-2' is not a number" < <(frame 's/: 2/: -2/')
	bad "line 6: Column '2.0' is not a number" < <(frame 's/: 2/: 2.0/')
	bad "line 6: Column '08' is not a number" < <(frame 's/: 2/: 08/')
	bad "line 6: Column '' is not a number" < <(frame 's/: 2/: /')
	bad "line 6: IsInlineFrame '1' is not true or false" \
	    < <(frame s/true/1/)
	bad 'line 6: AllocCount 4294967296 exceeds 4294967295' \
	    < <(alloc '{ AllocCount: 4294967296 }')
	bad "line 6: TotalSize '18446744073709551616' is not a number" \
	    < <(alloc '{ TotalSize: 18446744073709551616 }')
	bad "line 2: CalleeGuids '7' is not a hexadecimal guid or a .*" <<-'END'
	HeapProfileRecords: [ { GUID: f, CallSites: [ { Frames: [], CalleeGuids: [ 7 ] } ] } ]
	END
	bad 'line 2: a sampled record: neither Symbol nor Hash' \
	    <<<'DataAccessProfiles: { SampledRecords: [ { AccessCount: 1 } ] }'
	bad 'line 2: a sampled record: AccessCount is missing' \
	    <<<'DataAccessProfiles: { SampledRecords: [ { Symbol: a } ] }'
	bad 'line 2: KnownColdSymbols: an empty name' \
	    <<<"DataAccessProfiles: { KnownColdSymbols: [ '' ] }"
}

@test 'bad YAML' {
	bad 'line 3: YAML: did not find expected node content' \
	    <<<'HeapProfileRecords: ['
	bad 'line 2: YAML: .*' <<<$'HeapProfileRecords:\t- a: b'
	bad 'line 3: YAML: .*' <<<$'# two\n\xff'
	bad 'line 2: YAML: control characters are not allowed' <<<$'a: \x01'
	bad 'line 2: a YAML alias' <<<'HeapProfileRecords: *a'
	bad 'line 4: a YAML directive' <<<$'...\n\n%YAML 1.1'
	bad 'line 2: .*' < <(head -c 200000 /dev/zero | tr '\0' '[')
	bad 'line 3: .*' < <(echo 'HeapProfileRecords:'
	    head -c 200000 /dev/zero | tr '\0' '{')
	an_allocation | head -c 250 >cut.yaml
	refused 'cut\.yaml: [a-z]+: line 9: YAML: .*$' profraw-cat cut.yaml
}

# What each alias of nine stands for is nine times as much as the one before.
@test 'a small file that means much' {
	{
		echo '---'
		echo 'a: &a [ x, x, x, x, x, x, x, x, x ]'
		for i in b c d e f g h i; do
			echo "$i: &$i [ *$p, *$p, *$p, *$p, *$p, *$p, *$p ]"
			p=$i
		done
	} >laughs.yaml
	refused 'line 2: the document: unknown key .a.$' \
	    profraw-cat laughs.yaml
}

@test 'other formats are not taken for YAML' {
	printf -- '---x\n1\n1\n5\n\n' >file.proftext
	quiet profraw-cat file.proftext |
	    jq -r 'select(.record == "function").name' | same - <(echo ---x)
	printf -- '---x: 1\n' >file
	! profraw-cat file 2>/dev/null
}

@test 'what YAML cannot hold is told' {
	{
		profile '"salvaged":true' "$(fn f 1 1)" \
		    '{"record":"stack","id":'$(
		    )'"0x0000000000000001","frames":[{"function":"f",'$(
		    )'"file":"a.c","line":3,"line_offset":2,"column":1}]}' \
		    '{"record":"allocation","stack":"0x0000000000000001",'$(
		    )'"info":{"alloc_count":1,"access_histogram":[7]}}'
	} | sed s/instr/mixed/ >stream
	warns 'warning: YAML cannot hold other records '$(
	    )'than those of heap profiles: dropped 1$' \
	    'warning: YAML does not support source files: they are dropped$' \
	    'warning: YAML cannot hold access histograms: dropped 1$' \
	    'warning: YAML cannot say that a profile was salvaged$' -- \
	    profraw-cat --to yaml -o got stream
	sed -n '/AllocCount/,$p' got | tr -s ' \n' ' ' |
	    same - <(printf %s ' AllocCount: 1 AccessHistogramSize: 1 '$(
	    )'AccessHistogram: 0 ... ')
	profile '' '{"record":"cold_symbol","symbol_hex":"ff"}' >stream
	refused "symbol '\?' is not UTF-8, which YAML requires$" \
	    profraw-cat --to yaml stream
	profile '' '{"record":"raw_counters","counts":[1]}' >stream
	refused 'counters of a correlated profile have no functions yet$' \
	    profraw-cat --to yaml stream
}

# Names that are no plain scalars, or that mean something else.
names() {
	cat <<-'END'
	plain
	a.b
	with space
	 before
	behind\u0020
	a,b
	a: b
	#a
	a # b
	-
	- a
	?x
	{a}
	[a]
	*a
	&a
	!a
	|
	>
	%a
	@a
	`a
	it's
	"quoted"
	back\\slash
	12
	0o17
	0o18
	0xff
	0xfg
	1.5
	1.
	.5
	.
	1e5
	1e
	+1
	-1e+5
	e5
	null
	~
	~a
	True
	TRUE
	yes
	.inf
	-.INF
	.nan
	src/a.c
	dollar$
	tab\ta
	line\na
	bell\u0007
	escape\u001b
	del\u007f
	nel\u0085
	c1\u0090
	nbsp\u00a0
	bom\ufeff
	end\uffff
	line\u2028a\u2029b
	\u00fc\u20ac\ud83d\ude00
	END
}

# A profile with all of the names of standard input, as files.
named() {
	local line=1 name

	printf '{"record":"profile","stream":1,"kind":"memprof"}\n'
	printf '{"record":"data_access","symbol":"a","count":1,"locations":['
	while IFS= read -r name; do
		[ "$line" -eq 1 ] || printf ,
		name=${name//\"/\\\"}
		printf '{"file":"%s","line":%s}' "$name" "$line"
		line=$((line + 1))
	done
	printf ']}\n{"record":"end","last":true}\n'
}

@test 'names of all kinds come back' {
	names | named >stream
	quiet profraw-cat --to yaml -o names.yaml stream
	same <(jq -c . stream) <(profraw-cat names.yaml | unsourced)
}

# Without what LLVM writes as it is, though no parser takes it.
@test 'names are quoted as LLVM quotes them' {
	need llvm-profdata-22
	names | grep -v u007f | named >stream
	profraw-cat --to yaml -o names.yaml stream
	llvm-profdata-22 merge --memprof-version=4 names.yaml -o names.profdata
	llvm-profdata-22 show --memory names.profdata | same names.yaml -
}

# Lines that are long enough to be wrapped, and just not.
@test 'lines are wrapped as LLVM wraps them' {
	need llvm-profdata-22
	for n in 1 12 123 1234 12345 123456 1234567 12345678 123456789; do
		for guid in 0x1 0x12345678 0x123456789abcdef0; do
			printf '  - GUID: 0x%s%s\n    CallSites:\n' $n ${#guid}
			printf '      - Frames: [ { Function: %s, '$(
			    )'LineOffset: %s, Column: %s, '$(
			    )'IsInlineFrame: true } ]\n' $guid $n $n
			printf '        CalleeGuids: [ 0x%s, 0x%s, 0x%s, '$(
			    )'%s, 0x%s7, 0x7, %s ]\n' $n $n $n $guid $n $guid
		done
	done | { echo HeapProfileRecords:; cat; } | document >wrap.yaml
	llvm-profdata-22 merge --memprof-version=4 wrap.yaml -o wrap.profdata
	llvm-profdata-22 show --memory wrap.profdata >want
	quiet profraw-cat --to yaml wrap.profdata | same want -
}

# shown FILE...: LLVM shows it as we write it, and makes the same file of both.
shown() {
	local file schema words

	for file; do
		case $file in
		*full*) schema=--memprof-full-schema words=,full ;;
		*) schema= words= ;;
		esac
		# The address of a histogram differs from run to run.
		llvm-profdata-22 show --memory "$file" |
		    sed 's/AccessHistogram: .*/AccessHistogram: 0/' >want
		echo "$file"
		profraw-cat -q --to yaml -o got "$file"
		same want got
		llvm-profdata-22 merge --memprof-version=4 $schema want -o a
		llvm-profdata-22 merge --memprof-version=4 $schema got -o b
		cmp a b
		prof-index --to "indexed:memprof-4$words" -o c got
		same <(profraw-cat a | canon) <(profraw-cat c | canon)
	done
}

@test 'what LLVM shows of indexed files' {
	need llvm-profdata-22
	shown "$samples"/v[234]*.llvm22.profdata \
	    "$samples"/v[234]*.yaml.profdata
}

@test 'what LLVM shows of the corpus' {
	need llvm-profdata-22
	need_corpus
	shown $(some 5 "$PROFTOOLS_CORPUS"/memprof/ref/*.m[234]*.profdata)
}

# indexed YAML: the indexed file is LLVM's.
indexed() {
	local version

	for version in 2 3 4; do
		llvm-profdata-22 merge --memprof-version=$version "$1" -o want
		prof-index -q --to indexed:memprof-$version -o got "$1"
		echo "$1, version $version"
		cmp want got
	done
}

@test 'a function with guid 0 and without a name keeps its guid' {
	document <<-'END' >zero.yaml
	HeapProfileRecords:
	  - GUID: 0x0
	    AllocSites:
	      - Callstack:
	          - { Function: 0x11, LineOffset: 1, Column: 2, IsInlineFrame: false }
	        MemInfoBlock: { AllocCount: 1, TotalSize: 8 }
	END
	quiet prof-merge --to yaml zero.yaml | grep -x '  - GUID: *0x0'
	prof-index -o zero zero.yaml
	profraw-cat zero | grep -q '"memprof_function","guid":"0x0\{16\}"'
}

@test 'indexed files are those of LLVM' {
	need llvm-profdata-22
	indexed "$samples"/sample.yaml
	an_allocation | sed s/0x1234/0x1/ >some.yaml
	indexed some.yaml
}

@test 'indexed files of the corpus' {
	need_corpus
	prof-index --to indexed:memprof-4 -o got "$(corpus memprof/y1.yaml)"
	cmp got "$(corpus memprof/ref/y1.m4.profdata)"
	need llvm-profdata-22
	indexed "$(corpus memprof/y1.yaml)"
	indexed "$(corpus memprof/base.yaml)"
}
