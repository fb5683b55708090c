# Whole programs with small hostile inputs: each ends as for any bad input, in
# 100 MB of addresses, whatever the input declares or unpacks to.  A program
# starts with some 20 MB, and packed inputs may take twice --max-size.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	bash -c 'ulimit -v 100000; exec prof-merge --version' >/dev/null ||
	    skip 'needs a build without sanitizers'
}

# bounded COMMAND: fails if the command ends by a signal, for lack of memory, or
# in trouble without a message.
bounded() {
	local status=0

	(ulimit -v 100000; exec "$@") >output 2>messages || status=$?
	if [ "$status" -gt 2 ] || grep -Eqi 'out of memory|allocate memory' messages ||
	    { [ "$status" -eq 2 ] && [ ! -s messages ]; }; then
		echo "status $status: $*"
		cat messages
		return 1
	fi
	rm -rf out
}

# refused REASON COMMAND: the same, and it tells this reason.
refused() {
	bounded "${@:2}"
	grep -q -- "$1" messages output || { echo "$*"; cat messages; return 1; }
}

# Indexed profiles are told by these bytes; the rest of the size is zeros.
zeros() {
	printf '\377lprofi\201'
	head -c "$1" /dev/zero
}

# The command lines that other machines are compared with, for each bad sample.
@test 'samples that declare what they do not have take little memory' {
	local lines bad line runs=0

	grep -v '^#' "$top_srcdir/tests/hosts/commands" >commands
	find "$(data bad)" "$(data memprof-raw/bad)" "$(data correlate/bad)" \
	    -type f ! -name error ! -name README | sort >bad
	while read -r bad; do
		while read -r line; do
			printf '%s\n' "${line//FILE/$bad}"
		done <commands
	done <bad | some 37 >lines
	while read -r line; do
		bounded $line </dev/null
		runs=$((runs + 1))
	done <lines
	[ "$runs" -ge 150 ]
}

@test 'binaries whose debug info or symbols lie take little memory' {
	local bad

	for bad in "$(data correlate/bad)"/*; do
		bounded prof-symbolize --binary "$bad" -o out \
		    "$(data correlate/v11)"
	done
}

@test 'a section of 1 TiB without bytes takes little memory' {
	need as
	printf '.section %s,"aw",@nobits\n.skip 1<<40\n' .bss __llvm_prf_cnts \
	    __llvm_prf_data __llvm_prf_names .debug_info .debug_abbrev |
	    as -o huge.o - || skip 'this assembler has no ELF'
	bounded prof-symbolize --binary huge.o -o out "$(data correlate/v11)"
	refused 'not a profile' prof-merge -o out huge.o
}

# Each compressed section, note and symbol table would be held on its own.
@test 'a binary whose sections and notes share their bytes is refused' {
	need python3
	python3 - <<-'END'
	import struct, zlib
	packed = struct.pack("<IIQQ", 1, 0, 10**7, 1) + zlib.compress(bytes(10**7))
	names = b"\0.debug_str\0.shstrtab\0"
	def write(path, kind, flags, segments, sections):
	    body = packed + bytes(10**6) + names
	    note = struct.pack("<IIQQQQQQ", 4, 4, 65, 0, 0, 10**6, 10**6, 4)
	    def section(name, kind, flags, at, size):
	        return struct.pack("<IIQQQQIIQQ", name, kind, flags, 0, at, size, 0, 0, 1, 0)
	    # Behind the body, at an odd place, where libelf copies notes.
	    end = 65 + len(body)
	    size = len(packed) if flags else 10**6
	    table = bytes(64) + section(1, kind, flags, 65, size) * sections + \
	        section(12, 3, 0, end - len(names), len(names))
	    head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3,
	        62, 1, 0, end, end + 56 * segments, 0, 64, 56, segments, 64,
	        sections + 2, sections + 1)
	    with open(path, "wb") as f:
	        f.write(head + b"\0" + body + note * segments + table)
	write("packed", 1, 0x800, 0, 1000)
	write("notes", 7, 2, 0, 1000)
	write("symbols", 2, 0, 0, 1000)
	write("segments", 7, 2, 1000, 1)
	END
	for file in packed notes symbols; do
		refused "$file: the sections overlap" prof-symbolize \
		    --binary "$file" -o out "$(data symbolize/app-22.memprofraw)"
	done
	refused 'segments: the segments of notes overlap' prof-symbolize \
	    --binary segments -o out "$(data symbolize/app-22.memprofraw)"
}

# Without these bounds, each of these would take more than a minute for a file
# of some megabytes, or memory for what the names unpack to.
@test 'names of sections take time and memory in proportion to the file' {
	local raw=$(data good/correlated-debug.profraw)

	need python3
	python3 - "$(data correlate/debug)" "$raw" <<-'END'
	import struct, sys
	file = open(sys.argv[1], "rb").read()
	start, = struct.unpack_from("<Q", file, 40)
	number, names = struct.unpack_from("<HH", file, 60)
	def write(path, change, sections=0, name=1):
	    b = bytearray(file)
	    row = bytearray(b[start + 64 * names:][:64])
	    at, size = struct.unpack_from("<QQ", row, 24)
	    text = change(row, bytes(b[at:at + size]))
	    struct.pack_into("<QQ", row, 24, len(b), len(text))
	    table = bytearray(b[start:start + 64 * number])
	    table[64 * names:64 * names + 64] = row
	    b += text
	    struct.pack_into("<Q", b, 40, len(b))
	    struct.pack_into("<H", b, 60, number + sections)
	    with open(path, "wb") as f:
	        f.write(b + table + (struct.pack("<II", name, 1) + bytes(56)) *
	            sections)
	def pack(row, text):
	    struct.pack_into("<Q", row, 8, 0x800)
	    return struct.pack("<IIQQ", 1, 0, 1 << 40, 1) + text
	write("packed", pack)
	write("endless", lambda row, text: text + b"x")
	write("long", lambda row, text: b"x" * 5000 + b"\0" + text, 100)
	write("many", lambda row, text: text, 60000)
	with open("profiles", "wb") as f:
	    f.write(open(sys.argv[2], "rb").read() * 60000)
	END
	refused 'packed: the names of sections are compressed' \
	    prof-symbolize --binary packed -o out "$raw"
	refused 'endless: the names of sections do not end with NUL' \
	    prof-symbolize --binary endless -o out "$raw"
	refused 'long: the names of sections overlap' \
	    prof-symbolize --binary long -o out "$raw"
	brief prof-symbolize --binary many -o out profiles
	[ "$(profraw-cat out | grep -c '"record":"profile"')" -eq 60000 ]
}

# Each symbol and each section has a name of 5 MB; those of symbols do not end.
@test 'names of functions in an ELF file are not searched for an end again' {
	need python3
	python3 - <<-'END'
	import struct
	text = b"\0" + b"x" * 5000000 + b"\0"
	symbols = struct.pack("<IIIBBH", 1, 0, 0, 2, 0, 1) * 200000
	def section(name, kind, at, size, link=0):
	    return struct.pack("<10I", name, kind, 0, 0, at, size, link, 0, 1, 16)
	at = 52 + len(text)
	names = at + len(symbols)
	table = section(0, 0, 0, 0) + section(1, 2, at, len(symbols), 2) + \
	    section(1, 3, 52, len(text)) + section(1, 3, names, 4)
	with open("library", "wb") as f:
	    f.write(b"\x7fELF\1\1\1" + bytes(9) + struct.pack("<HHIIIIIHHHHHH",
	        3, 3, 1, 0, 0, names + 4, 0, 52, 0, 0, 40, 4, 3) +
	        text + symbols + b"\0n\0\0" + table)
	END
	printf '%s\n' '{"record":"profile","stream":1,"kind":"memprof"}' \
	    '{"record":"end","last":true}' >profile
	run -2 bash -c "ulimit -t 10
	    exec prof-show --heap --binary library profile"
	[[ $output == *'library: names of symbols: more than '*' units of work'* ]]
}

# elfutils takes some 100 bytes for a byte of each.
@test 'debug information with more units or abbreviations than bytes is not read' {
	need python3
	python3 - <<-'END'
	import struct, zlib
	def number(n):
	    return bytes([n & 127 | 128]) + number(n >> 7) if n > 127 else bytes([n])
	def write(path, flags, info, abbreviations, name=b".debug_%s"):
	    info_name, abbreviations_name = name % b"info", name % b"abbrev"
	    names = b"\0" + b"\0".join((info_name, abbreviations_name, b".note",
	        b".shstrtab", b""))
	    note = struct.pack("<III", 4, 4, 3) + b"GNU\0abcd"
	    if flags:
	        info = struct.pack("<IIQQ", 1, 0, len(info), 1) + zlib.compress(info)
	    at, body, table = 64, b"", bytes(64)
	    for name, kind, flags, data in ((info_name, 1, flags, info),
	            (abbreviations_name, 1, 0, abbreviations), (b".note", 7, 2, note),
	            (b".shstrtab", 3, 0, names)):
	        table += struct.pack("<IIQQQQIIQQ", names.index(name), kind, flags, 0,
	            at + len(body), len(data), 0, 0, 4, 0)
	        body += data + bytes(-len(data) % 8)
	    with open(path, "wb") as f:
	        f.write(b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3,
	            62, 1, 0, 0, at + len(body), 0, 64, 56, 0, 64, 5, 4) + body + table)
	unit = struct.pack("<IHIB", 8, 4, 0, 8) + b"\1"
	write("units", 0x800, unit * 60000, b"\1\x11\0\0\0\0")
	table = b"".join(number(i) + b"\x11\0\0\0" for i in range(3000, 0, -1)) + b"\0"
	write("abbreviations", 0, unit * 3000, table)
	# A constant of -2^63, and a code of 0 that does not end the table.
	write("constant", 0, unit * 3000, number(3001) + b"\x11\0\x1c\x21" +
	    b"\x80" * 9 + b"\x7f\0\0" + table)
	write("zero", 0, unit * 3000, b"\x80\0\x11\0\0\0" + table)
	many = b"\1\x11\0" + b"\3\x19" * 257 + bytes(3)
	write("attributes", 0, unit, many)
	# Files that others name, with units that were split off.
	def split(path, flags, info, abbreviations, name=b".debug_%s.dwo", times=1):
	    write(path + ".dwo", flags, info, abbreviations, name)
	    unit = path.encode() + b".dwo\0" + bytes(8) + struct.pack("<QQ", 0, 256)
	    write("split-" + path, 0, (struct.pack("<IHIB", 8 + len(unit), 4, 0, 8) +
	        b"\1" + unit) * times, b"\1\x11\0\xb0\x42\x08\xb1\x42\7"
	        b"\x11\1\x12\7\0\0\0")
	split("units", 0x800, unit * 60000, b"\1\x11\0\0\0\0")
	split("abbreviations", 0, unit * 3000, table)
	split("attributes", 0, unit, many)
	split("plain", 0, unit * 3000, table, b".debug_%s")
	split("lto", 0, unit * 3000, table, b".gnu.debuglto_.debug_%s")
	# A file of all units, which is opened for each of them, is read.
	split("all", 0, (struct.pack("<IHIB", 108, 4, 0, 8) + b"\1" + bytes(100)) *
	    100, b"\1\x11\1\xb1\x42\7\0\0" + b"".join(number(i) +
	    b"\x11\0\0\0" for i in range(100, 1, -1)) + b"\0", times=100)
	# A unit that is found, behind others, in a file that is opened each time.
	found = unit * 400 + struct.pack("<IHIB", 17, 4, 0, 8) + b"\1" + bytes(9)
	for times in 1, 3:
	    split("found-%d" % times, 0, found, b"".join(number(i) + b"\x11\0\0\0"
	        for i in range(900, 1, -1)) + b"\1\x11\1\xb1\x42\7\0\0\0",
	        times=times)
	# Units of types, with abbreviations of seven attributes, are read.
	write("types", 0, b"".join(struct.pack("<IHBBIQI", 124, 5, 2, 8, 0, i, 24) +
	    b"\1" + bytes(103) for i in range(8000)), b"".join(number(i) +
	    b"\x13\1" + b"\x3b\x0b" * 7 + b"\0\0" for i in range(470, 0, -1)) + b"\0")
	END
	printf '%s\n' '{"record":"profile","stream":1,"kind":"memprof"}' \
	    '{"record":"segment","id":7,"build_id":"61626364"}' \
	    '{"record":"stack","id":"0x0000000000000001","pcs":[[7,"0x0000000000000010"]]}' \
	    '{"record":"allocation","stack":"0x0000000000000001","info":{"alloc_count":1}}' \
	    '{"record":"end","last":true}' >profile
	refused 'units: .debug_info: more than [0-9]* units of work' \
	    prof-symbolize --binary units -o out profile
	for file in abbreviations constant zero; do
		refused "$file: units of .debug_info: more than [0-9]* units" \
		    prof-symbolize --binary "$file" -o out profile
	done
	refused 'an abbreviation has more than 256 attributes' \
	    prof-symbolize --binary attributes -o out profile
	refused '/units.dwo: .debug_info.dwo: more than [0-9]* units of work' \
	    prof-symbolize --binary split-units -o out profile
	for file in abbreviations plain lto found-3; do
		refused "/$file.dwo: units of .debug_info: more than" \
		    prof-symbolize --binary "split-$file" -o out profile
	done
	refused '/attributes.dwo: .debug_abbrev: an abbreviation has more' \
	    prof-symbolize --binary split-attributes -o out profile
	for file in found-1 all; do
		refused 'addresses in no function of the debug info' \
		    prof-symbolize --binary "split-$file" -o out profile
	done
	refused 'addresses in no function of the debug information' \
	    prof-symbolize --binary types -o out profile
}

# 990 inlined functions in each other; names and folders that frames share.
@test 'a small binary does not make frames without end' {
	local profile frames='frames of addresses: more than '

	need python3 jq
	python3 - <<-'END'
	import struct
	build_id = bytes(range(1, 21))
	note = struct.pack("<III", 4, 20, 3) + b"GNU\0" + build_id
	def write(path, sections):
	    names = b"\0"
	    body, table = note, bytes(64)
	    sections = sections + [("names", 3, b"", 0, 0)]
	    for name, kind, data, link, entry in sections:
	        at = len(names)
	        names += name.encode() + b"\0"
	        data = data or names
	        table += struct.pack("<IIQQQQIIQQ", at, kind, 0, 0,
	            120 + len(body), len(data), link, 0, 1, entry)
	        body += data
	    with open(path, "wb") as f:
	        f.write(b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
	            "<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 120 + len(body), 0, 64, 56,
	            1, 64, len(sections) + 1, len(sections)) + struct.pack(
	            "<IIQQQQQQ", 4, 4, 120, 0, 0, len(note), len(note), 4) +
	            body + table)
	def nest(path, name, depth, size=0x10000):
	    ranges = struct.pack("<QQ", 0x1000, size)
	    place = b"\0\0\0\0" + ranges
	    unit = b"\4\0\0\0\0\0\x08\1" + ranges + b"\2" + place + \
	        (b"\3" + place) * depth + bytes(depth + 2)
	    write(path, [(".debug_abbrev", 1, b"\1\x11\1\x11\1\x12\7\0\0"
	        b"\2\x2e\1\3\x0e\x11\1\x12\7\0\0"
	        b"\3\x1d\1\3\x0e\x11\1\x12\7\0\0\0", 0, 0),
	        (".debug_info", 1, struct.pack("<I", len(unit)) + unit, 0, 0),
	        (".debug_str", 1, name + b"\0", 0, 0)])
	lists = b"\1\1\x08\1a\0\2\1\x08\2\x0b\2c\0\0b\0\0"
	def paths(path, folder, depth, lists=lists):
	    ranges = struct.pack("<QQ", 0x1000, 0x10000)
	    unit = b"\5\0\1\x08\0\0\0\0\1" + ranges + bytes(4) + folder + \
	        b"\0\2f\0" + ranges + (b"\3f\0" + ranges + b"\1") * depth + \
	        bytes(depth + 2)
	    lines = b"\1\1\1\xfb\x0e\x0d\0\1\1\1\1\0\0\0\1\0\0\1" + \
	        lists
	    lines = b"\5\0\x08\0" + struct.pack("<I", len(lines)) + lines + \
	        b"\0\1\1"
	    write(path, [(".debug_abbrev", 1,
	        b"\1\x11\1\x11\1\x12\7\x10\x17\x1b\x08\0\0"
	        b"\2\x2e\1\3\x08\x11\1\x12\7\0\0"
	        b"\3\x1d\1\3\x08\x11\1\x12\7\x58\x0b\0\0\0", 0, 0),
	        (".debug_info", 1, struct.pack("<I", len(unit)) + unit, 0, 0),
	        (".debug_line", 1, struct.pack("<I", len(lines)) + lines, 0, 0)])
	def profile(path, addresses):
	    with open(path, "w") as f:
	        f.write('{"record":"profile","stream":1,"kind":"memprof"}\n'
	            '{"record":"segment","id":7,"build_id":"%s"}\n'
	            '{"record":"stack","id":"0x0000000000000001","pcs":[%s]}\n'
	            '{"record":"allocation","stack":"0x0000000000000001","info":'
	            '{"alloc_count":1}}\n{"record":"end","last":true}\n' % (
	            build_id.hex(), ",".join('[7,"0x%016x"]' % a
	            for a in addresses)))
	nest("deep", b"f", 990)
	nest("nest", b"f", 60, 0x20000)
	nest("long", b"n" * 200000, 900)
	nest("sound", b"n" * 60000, 100)
	nest("demangled", b"_Z1f1AIiiE" + b"".join(b"S_IS%c_S%c_E" % (c, c)
	    for c in b"0123456789"), 60)
	paths("paths", b"/" + b"d" * 60000, 60)
	paths("longer", b"/" + b"d" * 100000, 2)
	# Their whole paths would take 2 GB.
	paths("files", b"/c", 2, b"\1\1\x08\1" + b"d" * 50000 +
	    b"\0\2\1\x08\2\x0b\xc0\xb8\2" + b"f\0\0" * 40000)
	write("symbols", [(".symtab", 2, bytes(24) + b"".join(
	    struct.pack("<IBBHQQ", 1 + i, 2, 0, 1, 0x1000 + 16 * i, 0)
	    for i in range(3000)), 2, 24),
	    (".strtab", 3, b"\0" + b"f" * 100000 + b"\0", 0, 0)])
	profile("many", range(0x1000, 0x1000 + 16 * 3000, 16))
	profile("same", [0x1010] * 3000)
	profile("one", [0x1010])
	profile("all", range(0x1000, 0x14000))
	END
	for profile in many same; do
		refused "$frames" prof-symbolize --binary deep -o out "$profile"
		refused "$frames" prof-symbolize --binary symbols -o out \
		    "$profile"
	done
	refused "$frames" prof-symbolize --binary long -o out one
	jq -c 'if .pcs then .id as $id | .pcs[] | {record: "stack",
	    id: (.[1] | "0x1" + .[3:]), pcs: [.]} elif .stack then empty
	    else . end' all >each
	run -2 bash -c 'ulimit -v 900000
	    exec prof-symbolize --binary nest each >/dev/null'
	[[ $output == *"$frames"* ]]
	prof-symbolize --binary sound one | jq -es '.[2].frames | length == 101
	    and all(.[]; .function | length == 60000)'
	refused "$frames" prof-symbolize --binary paths -o out many
	# The names alone take twice 128 MiB.
	run -2 bash -c 'ulimit -v 600000
	    exec prof-symbolize --demangle --binary demangled -o out many'
	[[ $output == *"$frames"* ]]
	prof-symbolize --demangle --binary demangled one |
	    jq -es '.[2].frames[0].function | length > 10000'
	prof-symbolize --binary longer one | jq -es '.[2].frames |
	    map(.file) == [null, "b", "b"]'
	run -0 bash -c 'ulimit -v 600000; exec prof-symbolize --binary files one'
	jq -es '.[2].frames | map(.file | length) == [0, 50005, 50005]' \
	    <<<"$output"
}

@test 'packed zeros are given up at the bound' {
	local packer

	need zstd bzip2 gzip xz
	zeros 100M >zeros
	for packer in 'zstd -q' 'bzip2 -1' 'gzip -1' 'xz -0'; do
		$packer <zeros >bomb
		refused 'inflates\{0,1\} to more ' \
		    prof-merge --max-size 16M -o out bomb
		refused 'inflates\{0,1\} to more ' \
		    profraw-cat --max-size 16M bomb
		refused 'inflates\{0,1\} to more ' \
		    prof-check --max-size 16M bomb
	done
}

@test 'a packed file within a packed file is not looked into' {
	need zstd
	zeros 200M | zstd -q | zstd -q >bomb
	bounded prof-merge -o out bomb
	[ "$(grep -c . messages)" -ge 1 ]
}

@test 'a sparse member of an archive takes the bound' {
	need tar
	zeros 0 >member
	truncate -s 8G member
	tar -cSf sparse.tar member
	[ "$(wc -c <sparse.tar)" -le 100000 ]
	refused 'more bytes than the limit of 16777216' \
	    prof-merge --max-size 16M -o out sparse.tar
	refused 'more bytes than the limit of 16777216' \
	    prof-check --max-size 16M sparse.tar
}

@test 'a stream of blank lines, and packed ones, take no memory' {
	need zstd
	profraw-cat "$(data real)/22-ir.profraw" | head -n 1 >stream
	head -c 150M /dev/zero | tr '\0' '\n' >>stream
	refused 'stream ended' profraw-cat stream
	refused 'stream ended' prof-merge -o out stream
	refused 'stream ended' prof-filter --glob '*' stream
	head -c 100M /dev/zero | tr '\0' '\n' | zstd -q >blank
	refused 'inflates to more bytes than' prof-merge --max-size 16M -o out blank
}

@test 'a sample takes the memory of the traces that it keeps' {
	# 2000 traces of 8000 functions, 122 MB of guids.
	awk 'BEGIN { for (i = 0; i < 8000; i++) tail = tail ",\"" i % 26 "\""
	    print "{\"record\":\"profile\",\"stream\":1,\"kind\":\"instr\"}"
	    for (i = 0; i < 2000; i++) print "{\"record\":\"trace\"," \
	        "\"weight\":1,\"functions\":[\"f" i "\"" tail "]}"
	    print "{\"record\":\"end\",\"last\":true}" }' >stream
	refused '"trace_stream_size":2000' prof-merge --max-traces 9 stream
	run -1 bounded prof-merge -o out stream
	[[ $output == *'prof-merge -o out stream'*memory* ]]
}

# references ELEMENT: 20000 of them, as members of a list.
references() {
	yes "$1" | head -n 20000 | paste -sd ,
}

# stack ID FRAMES: a stack and its allocation.
stack() {
	printf '{"record":"stack","id":"0x%016x","frames":[%s]}\n' "$1" "$2"
	printf '{"record":"allocation","stack":"0x%016x",' "$1"
	printf '"info":{"alloc_count":1,"total_size":1,"total_lifetime":1,'
	printf '"total_lifetime_access_density":1}}\n'
}

@test 'references to one long name are given up at the bound' {
	local long=$(printf '%0100000d' 0) repeats='names .* repeat to more than'
	local ref=guid\":\"$(guid "$long")\"

	profile '' "$(fn "$long" 1 1)" "$(fn f 1 1 \
	    "\"values\":{\"indirect_call_target\":[$(references \
	    "[{\"target_$ref,\"count\":1}]")]}")" >stream
	prof-index -q -o values stream
	prof-merge -q --to lprf -o values.lprf stream
	[ "$(wc -c <values.lprf)" -lt 1000 ]
	refused "$repeats" prof-merge values.lprf
	refused "$repeats" prof-check values.lprf
	refused "$repeats" prof-report -o out values
	refused 'repeated names take' prof-merge --to text -o out values
	profile '"temporal":true' "$(fn "$long" 1 1)" "$(printf %s \
	    '{"record":"trace","weight":1,"functions":[' \
	    "$(references "{\"$ref}")" ]})" >stream
	prof-index -q -o traces stream
	refused "$repeats" profraw-cat traces
	refused "$repeats" prof-merge --to text -o out traces
	profile '' "$(fn "$long" 1 1)" "$(stack 1 \
	    "$(references "{\"$ref,\"line_offset\":1,\"column\":1}")")" |
	    sed 1s/instr/mixed/ >stream
	prof-index -q -o frames stream
	refused "$repeats" prof-export --to folded -o out frames
	refused "$repeats" prof-merge -o out frames
}

# 5000 functions of one name of 100 KB: a record is repeated, with other hashes.
@test 'a long name with many hashes is given up at the bound' {
	local repeats='names .* repeat to more than' file

	need python3
	profile '' "$(fn "$(printf '%0100000d' 0)" 1 1)" |
	    prof-index -q --to indexed:8,relabel -o one -
	python3 - <<-'END'
	import struct
	one = open("one", "rb").read()
	table = struct.unpack("<Q", one[0x20:0x28])[0]
	item = struct.unpack("<Q", one[-8:])[0]
	def write(path, n):
	    records = b"".join(struct.pack("<QQQQ", i, 1, 1, 8) for i in range(n))
	    data = item + 2 + 24
	    image = bytearray(one[:data + 100000] + records)
	    image += bytes(-len(image) % 8)
	    image[0x20:0x28] = struct.pack("<Q", len(image))
	    image[data - 8:data] = struct.pack("<Q", len(records))
	    with open(path, "wb") as f:
	        f.write(image + one[table:])
	write("indexed", 5000)
	write("fewer", 2800)
	END
	bounded prof-merge -q --to lprf -o lprf fewer
	[ "$(wc -c <lprf)" -lt 20000 ]
	for file in indexed lprf; do
		refused "$repeats" prof-merge --to text -o out $file
		refused "$repeats" prof-check $file
	done
	refused "$repeats" prof-merge -o out indexed indexed indexed
}

# shared SIZE: an indexed profile of 400 contexts of 300 frames each, which all
# are of one function with a name of that size, in less than 100 KB.
shared() {
	local long=$(printf "%0$1d" 0) frames id
	local ref=guid\":\"$(guid "$long")\"

	frames=$(references "{\"$ref,\"line_offset\":1,\"column\":1}" |
	    cut -d '}' -f -299)}
	profile '' "$(fn "$long" 1 1)" "$(for ((id = 1; id <= 400; id++)); do
		stack $id "{\"$ref,\"line_offset\":$id,\"column\":2},$frames"
	done)" | sed 1s/instr/mixed/ >stream
	prof-index -q -o shared stream
	[ "$(wc -c <shared)" -lt 100000 ]
}

# 30 MB of names in 40 KB are sound, 460 MiB are not.
@test 'contexts share frames whose names have 256 bytes on average' {
	shared 256
	bounded prof-merge -q --to indexed -o out shared
	[ ! -s messages ]
	shared 4000
	refused 'names .* repeat to more than' profraw-cat shared
	refused 'names .* repeat to more than' prof-merge --to yaml -o out shared
}

@test 'a program that takes more is noticed' {
	need zstd
	zeros 200M | zstd -q >bomb
	run -1 bounded prof-merge --max-size 1G -o out bomb
	[[ $output == *'prof-merge --max-size 1G'*memory* ]]
	run -1 bounded bash -c 'kill -SEGV $$'
	run -1 bounded bash -c 'exit 2'
}

# As in threads of C libraries whose stacks are small.
@test 'a stack of 64 KB is enough to merge by blocks, to index and to upgrade' {
	local lprf=$(data screens/leveldb-20000.lprf)

	prof-merge -q --to lprf:2,plain -o in.lprf "$lprf"
	prof-index -q --to indexed:relabel,8 -o old "$lprf"
	cp old copy
	cp old old.bak
	ulimit -s 64
	bounded prof-merge -q -o sum.lprf in.lprf in.lprf
	[ -s sum.lprf ]
	bounded prof-index -q -o sum in.lprf
	bounded prof-index --upgrade --to indexed:relabel --backup=.bak old
	run -1 cmp -s old copy
	cmp old.bak copy
}
