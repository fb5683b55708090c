# Raw heap profiles of all versions.  LLVM's reader is asked where it is there.

load ../support/helper

setup() {
	good=$(data memprof-raw/good)
	bad=$(data memprof-raw/bad)
	real=$(data memprof-raw/real)
	cd "$BATS_TEST_TMPDIR"
}

@test 'good raw heap profiles decode to their streams' {
	local file n=0

	cd "$good"
	for file in *.memprofraw; do
		decodes "$file"
		n=$((n + 1))
	done
	[ "$n" -ge 20 ]
}

# The code of an error is not printed: tests/unit/raw_errors.c looks at it.
@test 'bad raw heap profiles are refused, at the place and for the reason' {
	local folder code offset regex

	for folder in $(some 4 "$bad"/*/); do
		read -r code offset regex <"$folder/error"
		echo "${folder#"$bad/"} $code $offset $regex"
		[ "$offset" != - ] || offset='not a profile'
		refused ": $offset: .*$regex" profraw-cat -o file \
		    "$folder/input"
		[ ! -s out ]
		[ ! -e file ]
	done
}

@test 'a file that is cut off anywhere is refused' {
	local size n

	size=$(wc -c <"$good/v5-le.memprofraw")
	for n in $(seq $((size - 1)) | some 23); do
		head -c "$n" "$good/v5-le.memprofraw" >cut
		refused . profraw-cat -o file cut
	done
}

@test 'what says less than a file holds is told' {
	# Two segments or blocks of three.
	while read -r at regex; do
		cp "$good/v3-le.memprofraw" file
		printf '\2' | dd of=file bs=1 seek="$at" conv=notrunc status=none
		profraw-cat file >stream 2>stderr
		grep -qE "$regex" stderr
	done <<-'END'
	48 file: 0xb8: warning: 64 bytes after the last of 2 segments
	248 file: 0x218: warning: 144 bytes after the last of 2 memory info
	END
	[ "$(grep -c '"allocation"' stream)" -eq 2 ]
}

# Without what depends on where a stream was read from.
content() {
	jq -c 'del(.source)' "$@"
}

@test 'good profiles of versions that are written come back' {
	local version order

	for version in 3 4 5; do
		unsourced "$good/v$version-le.ndjson" >want
		for order in le be; do
			echo "$version $order"
			write-raw "memprof-raw:$version,$order" -o file "$good/v$version-le.ndjson"
			quiet profraw-cat file | content | same want -
			[ "$(profraw-cat file | head -n 1 | jq -r \
			    '.source | "\(.version) \(.endian)"')" = \
			    "$version ${order/le/little}" ] ||
			    [ "$order" = be ]
		done
	done
	# Versions without a dead pointer come back to the byte.
	for order in le be; do
		write-raw "memprof-raw:3,$order" -o file \
		    "$good/v3-le.memprofraw"
		cmp file "$good/v3-$order.memprofraw"
	done
	# The newest version, little-endian, unless told.
	write-raw memprof-raw -o file "$good/v5-be.memprofraw"
	write-raw memprof-raw:5,le -o other "$good/v5-le.ndjson"
	cmp file other
}

@test 'the fields of the header' {
	local words size

	write-raw memprof-raw:4,be -o file "$good/v4-le.memprofraw"
	words=$(head -c 48 file | od -An -v -tx1 | tr -d ' \n')
	size=$(wc -c <file)
	[ "$words" = ff6d70726f667281"$(printf %016x 4 "$size" 48 248 752)" ]
	write-raw memprof-raw -o file "$good/empty.memprofraw"
	[ "$(wc -c <file)" -eq 72 ]
	cmp file "$good/empty.memprofraw"
}

@test 'profiles become dumps, and dumps of one run one profile' {
	local n

	write-raw memprof-raw:5 -o file \
	    "$good/v5-le.memprofraw" "$good/v3-be.memprofraw" \
	    "$good/three.memprofraw"
	n=$(grep -c 'Magic' < <(LC_ALL=C grep -aobF $'\x81rforpm\xff' file |
	    sed 's/.*/Magic/'))
	[ "$n" -eq 3 ]
	warns '3 dumps of one run are added up' 'do not fit' -- \
	    profraw-cat -o stream file
	[ "$(grep -c '"profile"' stream)" -eq 1 ]
}

@test 'real raw heap profiles are read' {
	local file

	while read -r file version segments stacks; do
		quiet profraw-cat "$real/$file.memprofraw" >stream
		[ "$(head -n 1 stream | jq .source.version)" -eq "$version" ]
		[ "$(grep -c '"segment"' stream)" -eq "$segments" ]
		[ "$(grep -c '"stack","id"' stream)" -eq "$stacks" ]
		[ "$(grep -c '"allocation"' stream)" -eq "$stacks" ]
	done <<-'END'
	14 1 6 5
	16 2 7 5
	19 4 7 3
	22 5 7 2
	22-histogram 5 7 2
	END
}

# What llvm-profdata 22 shows; where the histogram was is of no interest.
show() {
	llvm-profdata-22 show --memory "$1" --profiled-binary="$2" 2>&1 |
	    grep -v '^#' | grep -v 'AccessHistogram: '
}

@test 'LLVM reads what is written: real profiles' {
	local name version

	need llvm-profdata-22
	for name in 19 22 22-histogram; do
		for version in 3 4 5; do
			[ "$name $version" != '22-histogram 3' ] || continue
			echo "$name $version"
			write-raw "memprof-raw:$version" -o file \
			    "$real/$name.memprofraw"
			show file "$real/$name.debug" |
			    sed 's/^    Version: .*/    Version/' >got
			sed 's/^    Version: .*/    Version/' \
			    "$real/$name.show" | same - got
		done
	done
}

@test 'all raw heap profiles of the corpus are read and come back' {
	local file version

	need_corpus
	for file in $(some 4 "$(corpus memprof)"/*.raw); do
		echo "${file##*/}"
		profraw-cat -q "$file" >stream
		version=$(head -n 1 stream | jq .source.version)
		[ "$version" -ge 3 ] || continue
		case $file in
		*mix35*) version=5 ;;
		esac
		write-raw "memprof-raw:$version" -o file stream
		profraw-cat -q file | content >got
		content stream | same - got
	done
}

# LLVM frees a histogram twice if several dumps have one, and crashes.
@test 'LLVM agrees about the corpus' {
	local file name binary version

	need llvm-profdata-22
	need_corpus
	for file in $(some 4 "$(corpus memprof)"/*-v{19,22}*.raw); do
		name=${file%.raw}
		binary=${name%-9rounds}.dbg
		case $name in
		*/histmulti-*) continue ;;
		*-v19*) version=4 ;;
		*) version=5 ;;
		esac
		echo "${name##*/}"
		write-raw "memprof-raw:$version" -o ours "$file"
		show "$file" "$binary" | sed '/^    Version:/d' >want
		[ "$(wc -l <want)" -gt 20 ]
		show ours "$binary" | sed '/^    Version:/d' | same want -
	done
}

# Sums of histograms; LLVM shows those of stacks that it has frames of.
@test 'LLVM agrees about histograms' {
	need llvm-profdata-22
	need_corpus
	for name in hist-v19 hist-v22; do
		profraw-cat -q "$(corpus "memprof/$name.raw")" | jq -c '.info |
		    select(.access_histogram_size > 0) | .access_histogram |
		    add' | sort >ours
		llvm-profdata-22 show --memory \
		    "$(corpus "memprof/$name.raw")" \
		    --profiled-binary="$(corpus "memprof/$name.dbg")" |
		    awk '/AccessHistogramValues: / {
			sum = 0
			for (i = 2; i <= NF; i++)
				sum += $i
			print sum
		}' | sort >theirs
		[ -s theirs ]
		[ -z "$(comm -13 ours theirs)" ]
	done
}
