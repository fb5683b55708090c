# prof-index --upgrade: indexed profiles in tar archives.

load ../support/helper

setup() {
	need jq
	cd "$BATS_TEST_TMPDIR"
	profile '"level":"ir"' "$(fn main 1 5,6)" "$(fn f 2 7)" >ir.ndjson
	profile '"level":"frontend"' "$(fn main 0xf000000000000001 5,6)" \
	    >frontend.ndjson
	mkdir -p tree/sub
	old 9 tree/a.profdata
	old 13 tree/current.profdata
	old 11 tree/sub/b
	echo notes >tree/notes.txt
	cp ir.ndjson tree/stream.ndjson
	ln tree/notes.txt tree/sub/hard
	ln -s ../notes.txt tree/sub/soft
	mkfifo tree/sub/fifo
	truncate -s 1M tree/hole
	echo end >>tree/hole
	# Longer than the field of a name.
	long=tree/$(printf '%099d' 0)/$(printf '%099d' 1)
	mkdir "${long%/*}"
	old 8 "$long"
	chmod 640 tree/a.profdata
	touch -d '2001-02-03 04:05:06.789' tree/*
	for file in tree/a.profdata tree/sub/b "$long"; do
		mkdir -p "want/${file%/*}"
		prof-index -qo "want/$file" "$file"
	done
}

# old VERSION FILE [STREAM]: an indexed profile of long ago.
old() {
	prof-index -q --to indexed:relabel,"$1" -o "$2" "${3-ir.ndjson}"
}

# listing ARCHIVE: all that tar knows of members but the size of profiles.
listing() {
	tar --numeric-owner --full-time -tvf "$1" |
	    awk '/profdata|sub\/b|0001$/ { $3 = "-" } { print }'
}

# check_upgraded ARCHIVE FORMAT: as tree, with the profiles of want.
check_upgraded() {
	rm -rf extracted
	mkdir extracted
	tar -xpf "$1" -C extracted
	[ "$2" = v7 ] || [ -p extracted/tree/sub/fifo ]
	[ extracted/tree/notes.txt -ef extracted/tree/sub/hard ]
	rm -f extracted/tree/sub/fifo
	cmp extracted/tree/a.profdata want/tree/a.profdata
	cmp extracted/tree/sub/b want/tree/sub/b
	[ "$2" = v7 ] || cmp "extracted/$long" "want/$long"
	cp -r want/. extracted
	rm -rf plain
	cp -a tree plain
	rm plain/sub/fifo
	cp -r want/tree/. plain
	[ "$2" != v7 ] || rm -r "plain${long#tree}" "extracted/$long"
	diff -r --no-dereference plain extracted/tree
}

# members FORMAT: what is put into it, for it has no room for all of tree.
members() {
	if [ "$1" = v7 ]; then
		printf '%s\n' '--exclude=0000*' --exclude=fifo tree
	else
		echo tree
	fi
}

@test 'tar archives of any format and compression' {
	local format packing extra members

	need tar

	while IFS=, read -r format packing extra; do
		[ -z "$packing" ] || command -v "$packing" >/dev/null ||
		    continue
		echo "$format $packing $extra"
		mapfile -t members < <(members "$format")
		tar --format="$format" $extra -cf old.tar "${members[@]}"
		cp old.tar new
		[ -z "$packing" ] || "$packing" -c <old.tar >new
		head -c 3 new >magic
		listing old.tar >before
		upgraded 0 new
		# The compression is the same.
		[ -z "$packing" ] || cmp -n 3 magic new
		${packing:-cat} ${packing:+-dc} <new >new.tar
		listing new.tar | same before -
		check_upgraded new.tar "$format"
		grep -qx 'new\[tree/a.profdata\]: version 9 to 13' stderr
		counted '[23]' 1 '[0-9]+' 0
	done <<-'END'
	v7
	oldgnu
	gnu
	gnu,,--sparse
	oldgnu,,--sparse
	ustar
	pax
	pax,,--sparse
	pax,,--pax-option=comment=x
	pax,gzip
	gnu,xz
	gnu,bzip2
	ustar,zstd
	pax,lz4
	gnu,lzma
	END
}

@test 'an archive that is current is not touched' {
	tar -cf archive tree/current.profdata tree/notes.txt
	stat -c '%i %y %z' archive >before
	upgraded 0 archive
	stat -c '%i %y %z' archive | same before -
	counted 0 1 1 0
	tar -cf archive tree/notes.txt
	upgraded 0 archive
	counted 0 0 1 0
}

@test 'two archives behind each other are both upgraded' {
	tar -cf archive tree/a.profdata
	tar -cf second tree/sub/b
	cat second >>archive
	upgraded 0 archive
	told '^archive\[tree/a.profdata\]: version 9 to 13$' \
	    '^archive\[tree/sub/b\]: version 11 to 13$'
	tar -ixOf archive tree/sub/b | cmp - want/tree/sub/b
}

@test 'members that cannot be upgraded stay, and others do not' {
	old 4 tree/refused frontend.ndjson
	head -c 100 tree/a.profdata >tree/cut
	tar -cf archive tree/cut tree/a.profdata tree/refused tree/notes.txt
	upgraded 1 archive
	reported 'map(.member) == ["tree/cut", "tree/refused", null] and
	    .[2].bad == 2 and .[2].used == 1'
	told '^prof-index: archive\[tree/cut\]: truncated: 0x' \
	    '^archive\[tree/a.profdata\]: version 9 to 13$' \
	    '^prof-index: archive\[tree/refused\]: .*--to indexed:relabel'
	counted 1 0 1 2
	tar -xOf archive tree/cut | cmp - tree/cut
	tar -xOf archive tree/refused | cmp - tree/refused
	tar -xOf archive tree/a.profdata | cmp - want/tree/a.profdata
	upgraded 2 --max-size 10 archive
	reported 'length == 4 and
	    .[0].reason == "member holds more bytes than the limit of 10"'
}

@test 'a damaged archive stays as it is' {
	mkdir only
	tar -cf whole.tar tree
	gzip -k whole.tar
	for file in whole.tar whole.tar.gz; do
		for size in 100 700 -700 -10; do
			head -c "$size" "$file" >only/cut
			cp only/cut before
			upgraded 2 only/cut
			cmp only/cut before
			[ "$(ls -A only)" = cut ]
		done
	done
	cp whole.tar only/cut
	printf x | dd of=only/cut bs=1 seek=3 conv=notrunc status=none
	cp only/cut before
	upgraded 2 only/cut
	cmp only/cut before
	printf '%01000d' 0 >>whole.tar
	cp whole.tar before
	upgraded 2 whole.tar
	cmp whole.tar before
	reported 'length == 2 and .[0].offset > 0'
}

@test 'options go for members too' {
	local inode

	tar -cf archive tree/a.profdata tree/sub/b
	cp archive before
	upgraded 0 --dry-run archive
	cmp archive before
	counted 2 0 0 0
	prof-index --upgrade --dry-run archive 2>/dev/null |
	    lines_match '^archive\[tree/a.profdata\]: version 9 to 13$' \
	    '^archive\[tree/sub/b\]: version 11 to 13$'
	inode=$(stat -c %i archive)
	upgraded 0 --member '*/b' --backup .old archive
	[ "$(stat -c %i archive.old)" -eq "$inode" ]
	cmp archive.old before
	tar -xOf archive tree/a.profdata | cmp - tree/a.profdata
	tar -xOf archive tree/sub/b | cmp - want/tree/sub/b
	upgraded 0 --for clang-16 archive
	told '^archive\[tree/sub/b\]: version 13 to 9$'
	rm archive.old
	mkdir folder
	cp before folder/a.tar
	echo text >folder/b
	upgraded 0 -r folder
	counted 2 0 1 0
}

@test 'what is packed in another way is left alone' {
	need gzip
	gzip -k tree/a.profdata
	upgraded 2 tree/a.profdata.gz
	grep -q 'a.profdata.gz: compressed, but not a tar archive$' stderr
	tar -cf archive tree/a.profdata.gz
	cp archive before
	upgraded 0 archive
	cmp archive before
	mkdir folder
	mv tree/a.profdata.gz folder
	upgraded 0 -r folder
	counted 0 0 1 0
}

@test 'names that are no text, and links with contents' {
	cp tree/a.profdata $'f\xff'
	tar -cf archive $'f\xff'
	upgraded 0 archive
	tar -tf archive --quoting-style=literal | same - <(printf 'f\xff\n')
	need python3
	python3 - <<-'END'
	import io, tarfile
	with tarfile.open('archive', 'w', format=tarfile.PAX_FORMAT) as t:
	    t.add('tree/a.profdata')
	    link = tarfile.TarInfo('link')
	    link.type, link.linkname, link.size = tarfile.LNKTYPE, 'tree/a.profdata', 5
	    link.pax_headers = {'comment': 'x'}
	    t.addfile(link, io.BytesIO(b'12345'))
	END
	cp archive before
	upgraded 2 archive
	grep -q 'tar: link: a hard link of 5 bytes cannot be written again$' stderr
	cmp archive before
}

@test 'sparse members have a limit together' {
	truncate -s 3M tree/large
	tar --sparse -cf archive tree/large tree/hole tree/a.profdata
	cp archive before
	upgraded 2 --max-size 3M archive
	grep -q 'tar: tree/hole: sparse members of more than 0 bytes' stderr
	cmp archive before
	upgraded 0 --max-size 8M archive
	counted 1 0 0 0
}

@test 'a bundle keeps its profiles and its manifest' {
	command -v prof-bundle >/dev/null || skip 'needs prof-bundle'
	prof-bundle create -o bundle tree/a.profdata
	cp bundle before
	upgraded 2 bundle
	cmp bundle before
	reported 'length == 2'
	grep -q 'prof-bundle(1)' stderr
}
