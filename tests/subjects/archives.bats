# Compressed files and archives as inputs, by any road.

load ../support/helper

setup() {
	need jq
	real=$(data real)
	cd "$BATS_TEST_TMPDIR"
	mkdir in
	cp "$real/22-ir.profraw" in/a.profraw
	cp "$real/16-ir.profraw" in/b.profraw
	prof-index -o want in/a.profraw in/b.profraw
	prof-index -o want-a in/a.profraw
}

# reads FILE WANT: what comes out of FILE, as a path, as standard input and
# from a pipe, is WANT.
reads() {
	quiet prof-merge --to indexed:13 -o out "$1"
	cmp out "$2"
	quiet prof-merge --to indexed:13 -o out <"$1"
	cmp out "$2"
	quiet pipe 'cat "$1" | prof-merge --to indexed:13 -o out' "$1"
	cmp out "$2"
}

@test 'compressed files' {
	local packer n=0

	for packer in gzip xz zstd bzip2 lz4 lzma compress; do
		command -v "$packer" >/dev/null || continue
		n=$((n + 1))
		echo "$packer"
		"$packer" -c <in/a.profraw >packed
		reads packed want-a
		# A name means nothing.
		mv packed a.txt
		reads a.txt want-a
	done
	[ "$n" -ge 1 ]
}

# archives: makes one in each format for which there is a program.
archives() {
	tar -cf all.tar in
	(cd in; ar rc ../all.ar a.profraw b.profraw) 2>/dev/null || rm -f all.ar
	(find in -type f | cpio -o -H newc --quiet >all.cpio) 2>/dev/null ||
	    rm -f all.cpio
	(find in -type f | cpio -o -H odc --quiet >all.odc) 2>/dev/null ||
	    rm -f all.odc
	zip -qr all.zip in 2>/dev/null || rm -f all.zip
	bsdtar -cf all.bsd.zip --format=zip in 2>/dev/null ||
	    rm -f all.bsd.zip
}

@test 'archives' {
	local archive n=0

	archives
	for archive in all.*; do
		echo "$archive"
		n=$((n + 1))
		reads "$archive" want
		gzip -c "$archive" >packed
		reads packed want
	done
	[ "$n" -ge 1 ]
}

@test '7z archives are read from files only' {
	bsdtar -cf all.7z --format=7zip in 2>/dev/null ||
	    7z a all.7z in >/dev/null 2>&1 || skip 'needs bsdtar or 7z'
	quiet prof-merge --to indexed:13 -o out all.7z
	cmp out want
	quiet prof-merge --to indexed:13 -o out <all.7z
	cmp out want
	run -2 pipe 'cat all.7z | prof-merge'
	[[ $output == *'can be read from an uncompressed file only'* ]]
}

@test 'compressed members of a compressed archive' {
	need zstd
	gzip in/a.profraw
	zstd -q --rm in/b.profraw
	tar -cf all.tar in
	reads all.tar want
	gzip all.tar
	reads all.tar.gz want
	# No further: an archive in an archive is no profile.
	tar -cf outer.tar all.tar.gz in/a.profraw.gz
	run -0 --separate-stderr prof-merge --to indexed:13 -o out outer.tar
	[ "$stderr" = \
	    'prof-merge: skipped 1 file that is not a profile' ]
	cmp out want-a
}

@test 'members that are no profiles are skipped and counted' {
	echo notes >in/notes.txt
	head -c 3000 /dev/urandom >in/random.bin
	tar -cf all.tar in
	run -0 --separate-stderr prof-merge --report report --to indexed:13 \
	    -o out all.tar
	cmp out want
	[ "$stderr" = \
	    'prof-merge: skipped 2 files that are not profiles' ]
	jq -es 'length == 1 and (.[0] | .used == 2 and .bad == 0 and
	    .skipped == 2)' report
	run -0 --separate-stderr prof-merge -q -o out all.tar
	[ -z "$stderr" ]
}

@test 'empty members and what only calls itself a profile are bad' {
	local name

	for name in empty.profraw x.profraw x.profdata x.memprofraw sub/x.profraw; do
		echo "$name"
		rm -rf in/empty.profraw in/x.* in/sub
		mkdir in/sub
		case $name in
		empty.profraw) : >in/empty.profraw ;;
		*) echo 'no profile' >"in/$name" ;;
		esac
		tar -cf all.tar in
		run -2 --separate-stderr prof-merge -o out all.tar
		[[ $stderr == "prof-merge: all.tar[in/$name]: "* ]]
		grep -v ': hint: ' <<<"$stderr" | lines_match .
		run -1 prof-merge --keep-going --report report --to indexed:13 \
		    -o out all.tar
		cmp out want
		jq -es --arg member "in/$name" 'length == 2 and
		    .[0].member == $member and .[1].bad == 1' report
		rm out
	done
}

@test 'links are refused, and paths are never followed' {
	ln -s ../outside in/c.profraw
	cp in/a.profraw outside
	tar -cf all.tar in
	run -2 --separate-stderr prof-merge -o out all.tar
	[ "$stderr" = \
	    'prof-merge: all.tar[in/c.profraw]: is a symbolic link' ]
	rm in/c.profraw
	ln in/a.profraw in/c.profraw
	tar -cf all.tar in
	run -2 --separate-stderr prof-merge -o out all.tar
	[[ $stderr == 'prof-merge: all.tar[in/'*'.profraw]: is a hard link' ]]
	mkdir -p deep/deep
	cp in/a.profraw deep/x.profraw
	(cd deep/deep && tar -Pcf ../../all.tar ../x.profraw)
	rm -r deep
	reads all.tar want-a
	[ ! -e ../x.profraw ]
	(cp in/a.profraw "$BATS_TEST_TMPDIR/abs" &&
	    tar -Pcf all.tar "$BATS_TEST_TMPDIR/abs" && rm abs)
	reads all.tar want-a
	[ ! -e abs ]
}

@test 'nothing is unpacked to disk' {
	need strace
	strace -o trace true 2>/dev/null || skip 'strace may not trace'
	tar -czf all.tar.gz in
	ASAN_OPTIONS=detect_leaks=0 strace -f -o trace \
	    prof-merge --to indexed:13 -o out all.tar.gz
	# The output, and nothing else, is made or written to.
	grep -E 'O_(CREAT|WRONLY|RDWR|TMPFILE)|creat\(|mkdir|memfd' trace |
	    grep -v '/dev/\|= -1 \|\.gcda"' >made || true
	[ "$(wc -l <made)" -eq 1 ]
	grep -qE '\.out\.|"\.", [^"]*O_TMPFILE' made
}

@test 'bombs in archives are bounded too' {
	need zstd
	mkdir bomb
	{
		cat in/a.profraw
		head -c 400M /dev/zero
	} | zstd -q >bomb/x.profraw.zst
	tar -cf all.tar bomb
	run -2 profraw-cat all.tar
	[[ $output == *'all.tar[bomb/x.profraw.zst]: '*' inflate to '* ]]
	run -2 profraw-cat --max-size 1M all.tar
	[[ $output == *'inflates to more bytes than the limit of 1048576'* ]]
	tar -cf all.tar in
	run -2 profraw-cat --max-size 1K all.tar
	[[ $output == *'all.tar[in/'*'more bytes than the limit of 1024'* ]]
}

@test 'one of thirty is cut: where it stops, and what is left' {
	local i

	mkdir lots
	for ((i = 10; i < 40; i++)); do
		cp "in/$( ((i % 2)) && echo a || echo b).profraw" \
		    "lots/$i.profraw"
	done
	head -c 900 lots/23.profraw >cut
	mv cut lots/23.profraw
	run -2 --separate-stderr prof-merge --to indexed:13 -o out lots
	lines_match '^prof-merge: lots/23.profraw: truncated: 0x.*: ' \
	    'hint: --keep-going .*, --salvage may' <<<"$stderr"
	[ ! -e out ]
	run -1 prof-merge --keep-going --report report --to indexed:13 -o out \
	    lots
	jq -es 'length == 2 and .[0].file == "lots/23.profraw" and
	    .[0].code == "truncated" and .[0].offset > 0 and
	    (.[1] | .used == 29 and .bad == 1)' report
	rm lots/23.profraw
	prof-merge --to indexed:13 -o want lots
	cmp out want
}

# libarchive reads a zip by the headers of its members: without this test of the
# end, a zip that was cut behind the last member looks whole.
@test 'a zip that was cut inside of its directory' {
	need zip
	local size

	zip -q whole.zip in/a.profraw
	quiet prof-merge -o sum whole.zip
	size=$(stat -c %s whole.zip)
	for cut in 1 20 22 40; do
		head -c "$((size - cut))" whole.zip >cut.zip
		refused 'cut.zip: truncated: zip: ends inside its directory' \
		    prof-merge -o none cut.zip
		[ ! -e none ]
	done
	# Nothing of the directory is left.
	head -c "$((size - 100))" whole.zip >cut.zip
	run -2 prof-merge -o none cut.zip
	cat whole.zip - <<<'more bytes' >longer.zip
	refused 'longer.zip: damaged: zip: 11 bytes follow its end' \
	    prof-merge -o none longer.zip
}

# The record at the end has no room for their number, which is before it then.
@test 'a zip of more than 65535 members' {
	need python3
	python3 -c 'import zipfile
with zipfile.ZipFile("many.zip", "w") as made:
    made.write("in/a.profraw", "a.profraw")
    for number in range(65535):
        made.writestr(zipfile.ZipInfo(str(number)), b"")'
	quiet prof-merge --member a.profraw -o sum many.zip
	quiet prof-merge -o want in/a.profraw
	cmp <(sed 1d sum) <(sed 1d want)
}

# libarchive reads one archive, or ends before damage, and reports nothing.
@test 'what is behind the end of an archive, or of compressed data' {
	local f

	need zip cpio bzip2 lz4
	(cd in && zip -q ../a.zip a.profraw && zip -q ../b.zip b.profraw)
	echo a.profraw | (cd in && cpio --quiet -oH newc) >a.cpio
	echo b.profraw | (cd in && cpio --quiet -oH newc) >b.cpio
	for f in bzip2 lz4; do
		$f -qc in/a.profraw >"a.$f"
		$f -qc in/b.profraw >"b.$f"
	done
	for f in zip cpio; do
		cat "a.$f" "b.$f" >"both.$f"
		refused "both.$f: damaged: $f: .*" prof-merge -o none "both.$f"
		refused "standard input: damaged: $f: .*" prof-merge -o none <"both.$f"
	done
	for f in bzip2 lz4; do
		quiet pipe 'cat a.$1 b.$1 | prof-merge -o sum' "$f"
		cat "a.$f" - <<<'damaged' >"both.$f"
		refused "both.$f: damaged: $f: . bytes follow its end" \
		    prof-merge -o none "both.$f"
	done
	cat a.zip a.cpio >both
	refused 'both: damaged: zip: .* bytes follow its end' prof-merge -o none both
	[ ! -e none ]
}

@test 'a zip without a member that its directory has' {
	local size

	need zip
	(cd in && zip -q0 ../two.zip a.profraw b.profraw)
	# The header of the second member.
	size=$(grep -abo 'PK' two.zip | sed -n '2s/:.*//p')
	head -c "$size" two.zip >damaged.zip
	printf 'x' >>damaged.zip
	tail -c "+$((size + 2))" two.zip >>damaged.zip
	run -2 prof-merge -o none damaged.zip
	run -2 prof-merge -o none <damaged.zip
	[ ! -e none ]
}

# Each header of a zip may be in the extra field of the one before.
@test 'members of a zip that have the same bytes' {
	need python3
	python3 - <<-'END'
	import struct, zlib
	bytes = open("in/a.profraw", "rb").read()
	packer = zlib.compressobj(9, zlib.DEFLATED, -15)
	packed = packer.compress(bytes) + packer.flush()
	sizes = struct.pack("<3I", zlib.crc32(bytes), len(packed), len(bytes))
	local = directory = b""
	for i in range(3):
	    extra = struct.pack("<2H", 0x9999, 35 * (2 - i))
	    head = struct.pack("<5H", 20, 0, 8, 0, 0x21) + sizes
	    directory += (b"PK\1\2\x14\0" + head +
	        struct.pack("<5H2I", 1, 0, 0, 0, 0, 0, len(local)) + b"%d" % i)
	    local += (b"PK\3\4" + head + struct.pack("<2H", 1,
	        len(extra) + 35 * (2 - i)) + b"%d" % i + extra)
	local += packed
	open("same.zip", "wb").write(local + directory + b"PK\5\6" +
	    struct.pack("<4H2IH", 0, 0, 3, 3, len(directory), len(local), 0))
	END
	run -0 prof-merge --keep-going=2 --to indexed:13 -o out same.zip
	for i in 1 2; do
		[[ $output == *"same.zip[$i]: damaged: zip: shares its bytes with another member"* ]]
	done
	cmp out want-a
}

# holes SIZE NAME...: files of zeros, behind the first bytes of an indexed
# profile, which take one block of the disk.
holes() {
	local name

	for name in "${@:2}"; do
		printf '\377lprofi\201' >"$name"
		truncate -s "$1" "$name"
	done
}

@test 'sparse members are bounded together' {
	need tar zstd
	holes 30M $(seq 15)
	tar -cSf sparse.tar $(seq 15)
	zstd -q sparse.tar
	for file in sparse.tar sparse.tar.zst; do
		[ "$(wc -c <$file)" -le 71680 ]
		run -1 prof-check -j 1 "$file"
		[[ $output == *'[15]: bad: members of '*' bytes inflate to more than '*': if that is intended, give --max-size'* ]]
		[[ $output != *'[8]: bad: members'* ]]
		run -1 prof-check -j 1 --max-size 1G "$file"
		[[ $output != *'bad: members of'* ]]
	done
}

@test 'members that are alike are not bounded together' {
	need tar zstd
	holes 20M $(seq 15)
	tar -c $(seq 15) | zstd -q >alike.tar.zst
	[ "$(wc -c <alike.tar.zst)" -le 40960 ]
	run -1 prof-check -j 1 alike.tar.zst
	[[ $output == *'[15]: bad: 0x8: '* ]]
	[[ $output != *inflate* ]]
}

@test 'compressed members may be alike, but expand no further together' {
	need tar zstd
	holes 10M small bomb
	head -c 60000 /dev/urandom >>small
	zstd -q small bomb
	for i in $(seq 40); do
		cp small.zst "$i"
		cp bomb.zst "b$i"
	done
	tar -c $(seq 40) | zstd -q >alike.tar.zst
	[ "$(wc -c <alike.tar.zst)" -le 100000 ]
	run -1 prof-check -j 1 alike.tar.zst
	[[ $output == *'[40]: bad: 0x8: '* ]]
	[[ $output != *inflate* ]]
	tar -c $(seq -f b%.0f 40) | zstd -q >bombs.tar.zst
	run -1 prof-check -j 1 bombs.tar.zst
	[[ $output == *'[b40]: bad: members of '*' bytes inflate to more than '* ]]
}

# Each is 10 KB, and has a name of 10 MB.
@test 'names of small members are bounded together' {
	local name=$(printf '%09999990d' 0) i

	need tar zstd
	mkdir names
	for i in 1 2 3 4 5; do
		profile '' "$(fn "$name$i" 1 1)" |
		    write-raw raw -o "names/$i.profraw"
	done
	[ "$(wc -c <names/5.profraw)" -le 12000 ]
	profile '' "$(fn "$(printf '%04000d' 0)" 1 1)" |
	    write-raw raw -o names/short.profraw
	tar -c names/* | zstd -q >names.tar.zst
	run -1 prof-check -j 1 names.tar.zst
	[[ $output == *'[names/3.profraw]: ok: '* ]]
	[[ $output == *'[names/short.profraw]: ok: '* ]]
	[[ $output == *'[names/5.profraw]: bad: '*': names: uncompressed size '*' exceeds the limit'* ]]
	# Each is a file then.
	prof-check names
}

@test 'zips with records of zip64, comments, folders and a deleted member' {
	need zip
	quiet prof-merge -o want in/a.profraw
	zip -q - - <in/a.profraw >pipe.zip
	zip -qrz folder.zip in <<<'a comment' >/dev/null
	zip -q deleted.zip in/a.profraw in/b.profraw
	zip -qd deleted.zip in/b.profraw
	(cd in && zip -q ../grown.zip a.profraw)
	for f in pipe deleted grown; do
		prof-merge -q -o sum "$f.zip"
		cmp sum want
		prof-merge -q <"$f.zip" >sum
		cmp sum want
	done
	prof-merge -q -o sum folder.zip
	prof-merge -q <folder.zip | cmp - sum
}
