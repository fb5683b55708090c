# tests/support/oracle.bash - what the oracle_*.bats files share: LLVM's tools as judges
#
# To be loaded after helper.

# Brings the programs here: names of local functions have paths in them.
take_sources() {
	cp "$(data oracle)"/*.* .
}

# The indexed version that a release of LLVM writes.
version_of() {
	case $1 in
	13 | 14) echo 7 ;;
	15) echo 8 ;;
	16) echo 9 ;;
	19) echo 12 ;;
	22) echo 13 ;;
	esac
}

need_llvm() {
	local release

	for release; do
		need "clang-$release" "llvm-profdata-$release"
	done
}

# build RELEASE PROGRAM SOURCES AND FLAGS...
build() {
	"clang-$1" -w -fno-rtti -Wl,--build-id=sha1 -o "$2" "${@:3}" -ldl
}

# gather NAME COMMAND...: runs the command, whose profile goes to the file.
gather() {
	LLVM_PROFILE_FILE=$1 "${@:2}" >/dev/null || :
	[ -s "$1" ]
}

# index RELEASE FILE...: our own profile, as a pipe of the programs makes it
# and as one program does; both must be the same.
index() {
	local version

	version=$(version_of "$1")
	pipe 'profraw-cat -q "${@:2}" | prof-merge -q |
	    prof-index -q --to indexed:no-vtables,"$1" \
	    -o ours.profdata' "$version" "${@:2}" &&
	    prof-merge -q --to "indexed:$version,no-vtables" \
	    -o direct.profdata "${@:2}" && cmp ours.profdata direct.profdata
}

# identical RELEASE FILE...: what we make of the files is what llvm-profdata of
# that release does, to the byte.
identical() {
	"llvm-profdata-$1" merge -o theirs.profdata "${@:2}" &&
	    index "$@" && cmp theirs.profdata ours.profdata
}

# The bytes before the hash table: header, summary, summary of
# context-sensitive functions.
front_of() {
	local version bits

	version=$(od -An -tu4 -j8 -N4 "$1")
	bits=$(od -An -tu1 -j15 -N1 "$1")
	case $((version)) in
	[1-7]) size=40 ;;
	8) size=48 ;;
	9) size=56 ;;
	10 | 11) size=64 ;;
	*) size=72 ;;
	esac
	echo $((size + 448 * (1 + (bits >> 1 & 1))))
}

# Up to LLVM 16, the order in the hash table is that of maps that depend on the
# order of insertion: the same records, in a file of the same size, with the
# same header and summary, are all that can be asked for.
alike() {
	"llvm-profdata-$1" merge -o theirs.profdata "${@:2}" &&
	    index "$@" &&
	    cmp -n "$(front_of ours.profdata)" theirs.profdata ours.profdata &&
	    [ "$(wc -c <theirs.profdata)" -eq "$(wc -c <ours.profdata)" ] &&
	    same <(profraw-cat theirs.profdata | canon) \
	    <(profraw-cat ours.profdata | canon)
}

# overlap_as_llvm A B [CLASS]: overlaps and sums of llvm-profdata overlap, from
# what prof-diff says; CLASS is true for context-sensitive functions.
overlap_as_llvm() {
	prof-diff -q --json --top 0 "$1" "$2" |
	    jq -r --argjson class "${3-false}" '
	    select(.diff == "functions" and .context_sensitive == $class) |
	    def row($name): [$name, .sum.old, .sum.new, .overlap];
	    row("Edge"), (.values |
		(.indirect_call_target | row("IndirectCall")),
		(.mem_op_size | row("MemOP")),
		(.vtable_target | row("VTable"))) |
	    @tsv' | awk -F '\t' '
	$1 == "Edge" && ($2 < 1 || $3 < 1) { exit }
	$1 != "Edge" && $2 < 1 && $3 < 1 { next }
	{
		printf "  %s profile overlap: %.3f%%\n", $1, 100 * $4
		printf "  %s profile base count sum: %.0f\n", $1, $2
		printf "  %s profile test count sum: %.0f\n", $1, $3
	}'
}

# overlap_alike RELEASE A B [CLASS [OPTION]]: whether both say the same.
overlap_alike() {
	echo "llvm-profdata-$1 overlap $2 $3"
	"llvm-profdata-$1" overlap ${5-} "$2" "$3" 2>/dev/null |
	    sed -n '/^Program level/,$ { / profile /p; }' |
	    grep -v 'only in' >want
	overlap_as_llvm "$2" "$3" "${4-false}" >got
	same want got
}
