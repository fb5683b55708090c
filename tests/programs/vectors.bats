# The vectors in share/vectors: the programs read in them what stands beside
# them, and their generator makes them again.

load ../support/helper

vectors=$top_srcdir/share/vectors
folders='raw indexed memprof-raw memprof text lprf yaml stream bundle'

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# vector_of BASE: the vector among the files of one name.
vector_of() {
	local suffix

	for suffix in profraw profdata memprofraw lprf stream bundle yaml \
	    proftext; do
		if [ -e "$1.$suffix" ]; then
			echo "$1.$suffix"
			return
		fi
	done
	echo "no vector $1" >&2
	return 1
}

# is_beside VECTOR FORMAT FILE: the file, if there is one that is not the vector
# itself, holds the vector in that format.
is_beside() {
	[ "$1" = "$3" ] || [ ! -e "$3" ] ||
	    profraw-cat -q --to "$2" "$1" | diff - "$3"
}

# decodes BASE: the vector is small, and holds what the files beside it say.
decodes() {
	local vector

	vector=$(vector_of "$1") && [ "$(wc -c <"$vector")" -lt 2048 ] &&
	    profraw-cat -q "$vector" | diff - "$1.ndjson" &&
	    is_beside "$vector" text "$1.proftext" &&
	    is_beside "$vector" yaml "$1.yaml"
}

# decode FOLDER: all vectors of the folder do.
decode() {
	local file n=0

	for file in "$1"/*.ndjson; do
		(cd "$1" && decodes "$(basename "$file" .ndjson)") || return 1
		n=$((n + 1))
	done
	[ "$n" -gt 0 ]
}

@test 'vectors of all formats hold what stands beside them' {
	local folder

	for folder in $folders; do
		echo "$folder"
		decode "$vectors/$folder"
	done
}

@test 'binaries of all versions have the functions that stand beside them' {
	local base file n=0

	cd "$vectors/coverage"
	for file in *.elf *.o; do
		base=${file%.*}
		[ "${file##*.}" = o ] || base=${base%-*}
		[ "$(wc -c <"$file")" -lt 2048 ]
		prof-cover -q --to llvm-json least.proftext "$file" |
		    cmp - "$base.json"
		n=$((n + 1))
	done
	[ "$n" -eq 31 ]
	[ "$(cat v?.json | jq -c '.data[0].functions' | sort -u | wc -l)" -eq 4 ]
}

@test 'bad vectors are refused for the reason beside them' {
	local file name

	cd "$vectors/bad"
	prof-check $(ls | grep -v '\.reason$') >"$BATS_TEST_TMPDIR/out" ||
	    [ $? -eq 1 ]
	for file in $(ls | grep -v '\.reason$'); do
		printf '%s: bad: ' "$file"
		cat "${file%.*}.reason"
	done | diff - "$BATS_TEST_TMPDIR/out"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" -gt 50 ]
}

@test 'vectors are those of their generator' {
	local part

	need python3 jq
	python3 "$vectors/generate.py" new
	for part in new/*; do
		diff -r "$part" "$vectors/${part#new/}"
	done
}

@test 'there is one of each version, byte order and word size' {
	local bits order v

	cd "$vectors"
	for v in $(seq 11); do
		for bits in 64 32; do
			for order in le be; do
				[ -e "raw/v$v-$bits$order.profraw" ]
			done
		done
	done
	for v in $(seq 13); do
		[ -e "indexed/v$v.profdata" ]
	done
	for v in $(seq 5); do
		[ -e "memprof-raw/v$v-le.memprofraw" ]
		[ -e "memprof-raw/v$v-be.memprofraw" ]
		[ -e "memprof/v$((v - 1)).profdata" ]
	done
}

@test 'a wrong byte in any file of the vectors is seen' {
	local copy=$BATS_TEST_TMPDIR/copy file folder

	(cd "$vectors" && sha256sum --quiet -c SHA256SUMS)
	[ "$(cd "$vectors" && find $folders coverage bad -type f | wc -l)" -eq \
	    "$(wc -l <"$vectors/SHA256SUMS")" ]
	cp -R "$vectors" "$copy"
	chmod -R u+w "$copy"
	# A byte of a stream; those of vectors are not all of any meaning.
	for folder in $folders; do
		file=$(find "$copy/$folder" -name '*.ndjson' | sort | head -n 1)
		sed -i '1s/"stream":1/"stream": 1/' "$file"
		run ! decode "$copy/$folder"
		cp "$vectors/$folder/$(basename "$file")" "$file"
		decode "$copy/$folder"
	done
	run ! sha256sum --quiet -c <(sed 's/^../ff/' "$vectors/SHA256SUMS")
}

@test 'readers that were written from the pages alone decode the vectors' {
	need python3
	run -0 python3 "$top_srcdir/tests/vectors/reader.py" "$vectors"
	n=116 bad=57
	if python3 -c 'import yaml' 2>/dev/null; then n=$((n + 1)) bad=$((bad + 2)); fi
	if ! command -v zstd >/dev/null; then n=$((n - 1)) bad=$((bad - 1)); fi
	[[ ${lines[-1]} == "$n vectors, 0 wrong" ]]
	[[ ${lines[-2]} == "$bad bad vectors, 0 taken" ]]
	cp -R "$vectors" copy
	chmod -R u+w copy
	printf '\005' | dd of=copy/raw/v1-64le.profraw bs=1 seek=152 \
	    conv=notrunc status=none
	sed -i 's/"hash":"0x0a4d/"hash":"0x0b4d/' copy/indexed/v9.ndjson
	sed -i 's/"column":7/"column":8/' copy/memprof/v2.ndjson
	cp copy/raw/v8-64le.profraw copy/bad/raw-id-empty.profraw
	printf '\006' | dd of=copy/coverage/v2-32be.elf bs=1 seek=136 \
	    conv=notrunc status=none
	cp copy/lprf/v2.lprf copy/bad/lprf-block.lprf
	run ! python3 "$top_srcdir/tests/vectors/reader.py" copy
	[[ $output == *'raw v1-64le.profraw'* ]]
	[[ $output == *'indexed v9.profdata'* ]]
	[[ $output == *'memprof v2.profdata'* ]]
	[[ $output == *'coverage v2-32be.elf'* ]]
	[[ $output == *'taken: raw-id-empty.profraw'* ]]
	[[ ${lines[-2]} == "$bad bad vectors, 2 taken" ]]
	[[ ${lines[-1]} == "$n vectors, 4 wrong" ]]
}

# dumps PAGE: the displays of a page that are behind the name of a vector, each
# as that name and a line for each of the dump, without the notes.
dumps() {
	awk '
	/^\.Pa vectors\// { name = $2 }
	/^\.Bd/ && name != "" { inside = 1; print name; next }
	/^\.Ed/ { if (inside) name = ""; inside = 0 }
	inside { sub(/  .*/, ""); print }' "$1"
}

# ranges FOUND: the vector of each dump, and the places where it starts and ends.
ranges() {
	awk '/^vectors/ { name = $1; next }
	$1 == "*" { next }
	NF == 1 { print name, start, $1; start = ""; next }
	start == "" { start = $1 }' "$1"
}

# dump VECTOR START END: its name, and its bytes as in the pages.
dump() {
	echo "$1"
	head -c $((0x$3)) "$top_srcdir/share/$1" |
	    od -Ax -tx1 -j $((0x$2)) | sed 's/^000//'
}

# A heap profile is a part of its file; other dumps are of whole files.
@test 'dumps in the pages are those of the vectors that they name' {
	local end name page start

	for page in "$top_srcdir"/man/*.5; do
		dumps "$page" >found
		ranges found >"$(basename "$page").ranges"
		while read -r name start end; do
			dump "$name" "$start" "$end"
			[ "$start" != 000 ] || [ $((0x$end)) -eq \
			    "$(wc -c <"$top_srcdir/share/$name")" ]
		done <"$(basename "$page").ranges" | diff found -
		[ "$(wc -l <found)" -le \
		    $((32 * $(wc -l <"$(basename "$page").ranges"))) ]
	done
	[ "$(cat *.ranges | wc -l)" -eq 6 ]
	sed 's/^010 ../010 ff/' "$top_srcdir/man/profraw.5" >page
	dumps page >found
	run ! diff found <(dump $(ranges found))
}

@test 'the tarball holds the vectors and their license' {
	need tar
	make -C "$top_builddir" --no-print-directory vectors >/dev/null
	tar -xzf "$top_builddir"/proftools-vectors-*.tar.gz
	cd proftools-vectors-*
	cmp LICENSE "$top_srcdir/LICENSE"
	rm LICENSE
	diff -r . "$vectors"
}
