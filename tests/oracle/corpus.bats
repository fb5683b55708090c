# Every instrumentation profile of the shared corpus, of all versions, is read
# as its own LLVM reads it, or refused for a reason.

load ../support/helper
load ../support/oracle

setup() {
	need_corpus
	need llvm-profdata-22
	cd "$BATS_TEST_TMPDIR"
}

# What LLVM 22 says of the profile that we make of a file.
said_of_ours() {
	prof-merge -q --to indexed:relabel "$1" -o ours.profdata &&
	    llvm-profdata-22 merge --text ours.profdata -o said
}

# Text of before LLVM 17 does not tell of coverage.
without_coverage() {
	sed '/^# Instrument block coverage/,+1d' "$1"
}

# Whether a text is what is said, but for that flag.
says() {
	cmp -s "$1" said || same <(without_coverage "$1") \
	    <(without_coverage said)
}

# The text that goes with a raw profile: that of the file it was made from by
# swapping bytes, or its own.
text_of() {
	printf '%s.proftext\n' "${1%.profraw}" | sed 's/-be\././'
}

@test 'raw profiles are what the texts beside them say' {
	local file n=0

	for file in $(some 4 "$(corpus raw)"/*.profraw); do
		[ -e "$(text_of "$file")" ] || continue
		case $file in
		*corr*) continue ;;
		esac
		echo "$file"
		said_of_ours "$file"
		says "$(text_of "$file")"
		n=$((n + 1))
	done
	[ "$n" -ge "$(of_all 35 9)" ]
}

@test 'big-endian profiles are what their little-endian twins are' {
	local file

	for file in $(some 4 "$(corpus raw)"/*-be.profraw); do
		echo "$file"
		identical 22 "$file"
		[ -e "${file%-be.profraw}.profraw" ] || continue
		same <(profraw-cat "$file" | canon) \
		    <(profraw-cat "${file%-be.profraw}.profraw" | canon)
	done
}

@test 'correlated profiles are refused until there is a binary' {
	local file

	for file in "$(corpus raw)"/*corr*.profraw; do
		echo "$file"
		refused 'a correlated profile: its functions are known only from' \
		    prof-merge --to indexed "$file" -o ours.profdata
		refused 'a correlated profile' prof-index "$file" \
		    -o ours.profdata
		[ ! -e ours.profdata ]
	done
}

# The first of our LLVMs that can read a file says what is in it.
text_by_any() {
	local release

	for release in 13 14 15 16 19 22; do
		! "llvm-profdata-$release" merge --text "$1" -o text \
		    2>/dev/null || return 0
	done
	return 1
}

# Raw profiles of LLVM 11, 12 and 18 have no reader here.  Those of 18 are from
# programs that 14 compiled too.
@test 'profiles from LLVM and llvm-profparser are read' {
	local file folder

	for file in $(some 4 "$(corpus others)"/*/*.prof{raw,data}*); do
		echo "$file"
		said_of_ours "$file"
		text_by_any "$file" || case $file in
		*/llvm-1[12]/*.profraw)
			profraw-cat -q "$file" | prof-merge | text >text
			;;
		*/llvm-18/*.profraw)
			text_by_any "${file/llvm-18/llvm-14}"
			;;
		*)
			false
			;;
		esac
		says text
	done
}

# The reader of LLVM 22 takes all versions; tools of the time agree.
@test 'indexed profiles come out as they went in' {
	local file version n=0

	need llvm-profdata-13 llvm-profdata-16 llvm-profdata-19
	ls "$(corpus indexed)"/*.profdata | some 20 >list
	while read -r file; do
		echo "$file"
		version=$((0x$(od -An -tx4 -j8 -N4 "$file" | tr -d ' ')))
		prof-index -q --to indexed:"$version" "$file" \
		    -o ours.profdata
		text_by_any "$file"
		mv text want
		text_by_any ours.profdata
		same want text
		llvm-profdata-22 merge --text ours.profdata -o text
		llvm-profdata-22 merge --text "$file" -o want
		same want text
		! cmp -s "$file" ours.profdata || n=$((n + 1))
	done <list
	# Those of LLVM, apart from some with many hashes of one name.
	[ "$((2 * n))" -ge "$(wc -l <list)" ]
}

# Of functions that do not fit LLVM keeps the first, we the larger.
@test 'text profiles are taken, or refused, as LLVM 22 does' {
	local file

	for file in $(some 4 "$(corpus indexed)"/text/*.proftext \
	    "$(corpus others)"/llvm-16/*.proftext); do
		case $file in
		*/counter-mismatch-1.proftext | */empty.proftext) continue ;;
		esac
		echo "$file"
		if llvm-profdata-22 merge "$file" -o theirs.profdata; then
			said_of_ours "$file"
			llvm-profdata-22 merge --text theirs.profdata -o text
			same text said
		else
			refused . prof-merge "$file"
		fi
	done
}
