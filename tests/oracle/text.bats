# Text and raw profiles that we read and write, judged by llvm-profdata.

load ../support/helper
load ../support/oracle

setup() {
	cd "$BATS_TEST_TMPDIR"
}

need_tools() {
	local release

	for release; do
		need "llvm-profdata-$release"
	done
}

dropin=$top_builddir/cmd/llvm-profdata

# our_text FILE [--sparse]: with the names that LLVM's has, and its way with
# several records of a name.
our_text() {
	if [ $# -gt 1 ]; then
		"$dropin" merge --text ${2+"$2"} "$1" -o ours 2>/dev/null
	else
		prof-merge -q --to text:no-vtables "$1" -o ours
	fi
}

# prints_alike RELEASE FILE [--sparse]: both print the same text.
prints_alike() {
	"llvm-profdata-$1" merge --text ${3+"-sparse"} "$2" -o theirs \
	    2>/dev/null && our_text "$2" ${3+"$3"} && same theirs ours
}

# LLVM keeps the first of two records that do not fit, we the larger; it takes
# an empty file, and sites without their values not at all.  Correlated profiles
# need their binary.
is_exception() {
	case $1 in
	*/counter-mismatch-1.proftext | */empty.proftext | \
	    */v22-writebuffer-novalues.profraw | *corr*.profraw) return 0 ;;
	esac
	return 1
}

# all_print_alike FILE...: by LLVM 22; what it refuses we refuse.
all_print_alike() {
	local file

	for file; do
		! is_exception "$file" || continue
		echo "$file"
		if llvm-profdata-22 merge --text "$file" -o theirs \
		    2>/dev/null; then
			our_text "$file"
			same theirs ours
		else
			refused . prof-merge --to text "$file"
		fi
	done
}

@test 'texts are printed as by LLVM 22' {
	need_corpus
	need_tools 22
	all_print_alike $(some 4 "$(corpus indexed)"/text/*.proftext \
	    "$(corpus others)"/llvm-16/*.proftext)
}

@test 'indexed profiles are printed as by LLVM 22' {
	need_corpus
	need_tools 22
	all_print_alike $(some 8 "$(corpus indexed)"/*.profdata)
}

@test 'raw profiles are printed as by LLVM 22' {
	need_corpus
	need_tools 22
	all_print_alike $(some 4 "$(corpus raw)"/v{19,22}-*.profraw)
}

# Traces lose the names there that have no record; not with us.
@test 'and so they are with --sparse' {
	local file

	need_corpus
	need_tools 22
	for file in "$(corpus indexed)"/text/*.proftext \
	    "$(corpus raw)"/v22-{ir,fe_vp,mcdc,multi,bytecov}.profraw; do
		case $file in
		*/temporal.proftext) continue ;;
		esac
		echo "$file"
		prints_alike 22 "$file" --sparse
	done
}

# The release that knows the flags and parts of a text of the corpus.
first_release() {
	case $1 in
	loop) echo 22 ;;
	sbc* | temporal | fe_mcdc | ir_vtable) echo 19 ;;
	*) echo 13 ;;
	esac
}

@test 'all releases print the texts that they know as we do' {
	local file release name

	need_corpus
	need_tools 13 14 15 16 19
	for file in $(some 4 "$(corpus indexed)"/text/*.proftext); do
		name=$(basename "$file" .proftext)
		for release in 13 14 15 16 19; do
			[ "$release" -ge "$(first_release "$name")" ] ||
			    continue
			echo "$release $name"
			prints_alike "$release" "$file"
		done
	done
}

# indexes_alike RELEASE FILE [OPTION]
indexes_alike() {
	"llvm-profdata-$1" merge ${3+"${3#-}"} "$2" -o theirs || return 1
	prof-merge -q ${3+"$3"} --to indexed:no-vtables --to \
	    "indexed:$(version_of "$1")" "$2" -o ours && cmp theirs ours
}

# drops_alike RELEASE FILE: llvm-profdata -sparse is as ours.  Records of one
# name stay or go together, unlike with prof-merge --sparse.
drops_alike() {
	"llvm-profdata-$1" merge -sparse "$2" -o theirs &&
	    "$dropin" merge --compat "$1" -sparse "$2" -o ours &&
	    cmp theirs ours
}

# Where LLVM keeps the hashes of a name in the order of the file, a text that we
# sorted has to be its input.
@test 'texts are indexed as by each release' {
	local file release name

	need_corpus
	need_tools 13 14 15 16 19 22
	for file in $(some 4 "$(corpus indexed)"/text/*.proftext); do
		name=$(basename "$file" .proftext)
		case $name in
		mh | ir_multihash)
			our_text "$file"
			cp ours "$name"
			file=$name
			;;
		esac
		for release in 13 14 15 16 19 22; do
			[ "$release" -ge "$(first_release "$name")" ] ||
			    continue
			echo "$release $name"
			indexes_alike "$release" "$file"
			drops_alike "$release" "$file"
		done
	done
}

# Up to LLVM 16, the order of a file depends on the names that --sparse drops.
@test 'many functions that never ran are left out as by each release' {
	local release size

	need_tools 13 14 15 16 19 22
	for size in $(some 3 30 47 200 1000 3000); do
		half_ran "$size" >half
		for release in 13 14 15 16 19 22; do
			echo "$release $size"
			indexes_alike "$release" half --sparse
			drops_alike "$release" half
		done
	done
}

# What a release prints of a raw profile that tests make of the file ours.
reads() {
	write-raw "raw:$2" -o raw ours &&
	    "llvm-profdata-$1" merge --text raw -o theirs
}

# LLVM up to 16 looks the targets of files of the other byte order up in the
# wrong order of bytes; up to 19 it prints no names of vtables.
@test 'raw profiles of our tests are read by their releases' {
	local file name machine pair

	need_corpus
	need_tools 13 14 16 19 22
	for file in $(some 3 \
	    "$(corpus indexed)"/text/{fe_basic,fe_200,cs}.proftext \
	    "$(corpus indexed)"/text/{ir_vp,entry,zeros,mh}.proftext \
	    "$(corpus raw)"/v22-{mcdc,temporal,temporal_bbcov}.profraw \
	    "$(corpus raw)"/v22-{bytecov,loopentry,sbcov}.profraw); do
		name=$(basename "$file")
		our_text "$file"
		for pair in 13:7 14:8 16:8 19:10 22:10; do
			case $name:$pair in
			v22-loopentry*:22:*) ;;
			v22-loopentry*) continue ;;
			v22-*:1[346]:*) continue ;;
			esac
			for machine in $(some 2 le,64 be,64 be,32 le,32); do
				case $name:$pair:$machine in
				ir_vp*:1[346]:*:be*) continue ;;
				ir_vp* | *:le,64 | *:be,32) ;;
				*) continue ;;
				esac
				echo "$name $pair $machine"
				reads "${pair%:*}" "${pair#*:},$machine"
				same ours theirs
			done
		done
	done
}

# judged TEXT, as printf has it, to the file text: whether LLVM 22 takes it.
# There, @ is a function and ~ the head of traces.
judged() {
	local row=${1//@/'f\n1\n1\n5\n'}

	printf "${row/'~'/':ir\n:temporal_prof_traces\n'}" >text
	llvm-profdata-22 merge --text text -o theirs 2>/dev/null
}

@test 'texts that LLVM 22 takes, we take' {
	local row

	need_tools 22
	while IFS= read -r row; do
		echo "$row"
		judged "$row"
		our_text text
		same theirs ours
	done < <(some 3 <<-'END'
	@
	@@
	f\n1\r\n1\n5\r\n
	f\n# c\n1\n\n#\n1\n5\n#\n
	#\n
	f\n0x1F\n1\n5\n
	f\n0B11\n1\n5\n
	f\n0o17\n1\n5\n
	f\n017\n1\n5\n
	f\n1\n01\n08\n
	a\rb#c\n1\n1\n5\n
	 f \n1\n1\n5\n
	12\n1\n1\n5\n
	$f\n1\n1\n5\n
	@4294967296\n1\n1\n5\n
	:IR\n@
	:cSiR\n:ir\n@
	:fe\n:ir\n@
	:ir\n:fe\n@
	:ir\n:entry_first\n:NOT_ENTRY_FIRST\n@
	:ir\n:entry_first\n:Instrument_Loop_Entries\n@
	:single_byte_coverage\n@
	@$2\n0x1\n255\n
	@$ 1 \n010\n
	@$\t1\t\n0b1\n
	@$0\n@
	@$1\n1\n$1\n2\n1\n6\n
	@$1\n1\n1\n1\n1\n1\n7:2\n
	@1\n0\n2\n2\nf:1\nb:3\n0\n
	@1\n0\n1\n1\nf.c:g:h:9\n
	@1\n0\n1\n3\nf:1\nf:1\nf:7\n
	@1\n0\n1\n2\n** External Symbol **:5\n** external symbol **:4\n
	@** external symbol **\n1\n1\n6\n1\n0\n1\n1\n** external symbol **:4\n
	@1\n1\n1\n2\n0:1\n18446744073709551615:010\n
	@1\n2\n1\n2\nvt:4\nf:3\n
	@2\n1\n1\n1\n7:2\n0\n1\n1\nf:1\n
	@2\n0\n0\n1\n1\n0\n
	@1\n0\n0\n@
	@3\n0\n1\n1\nf:1\n1\n1\n0\n0\n2\n1\nb:2\n0\n
	@2\n0\n1\n1\nf:1\n0\n0\n
	f\n1\n1\n18446744073709551615\n
	f\n1\n1\n18446744073709551613\n@
	f\n1\n2\n0\n18446744073709551615\n
	~1\n1\n1\nf,\n@
	~0x1\n0b11\n017\n f ,\tf\n@
	~2\n9\n3\nf\n0\n,f,,f,\n@
	~0\n0\n@
	:temporal_prof_traces\n1\n1\n1\nf\n:ir\n:entry_first\n@
	END
	)
}

@test 'texts that LLVM 22 refuses, we refuse' {
	local row

	need_tools 22
	while IFS= read -r row; do
		echo "$row"
		run ! judged "$row"
		refused 'text: [a-z]+: line [0-9]+: ' prof-merge text
	done < <(some 3 <<-'END'
	:irr\n@
	:ir \n@
	:\n@
	f\n
	f\nx\n1\n5\n
	f\n1 \n1\n5\n
	f\n #\n1\n5\n
	f\n+1\n1\n5\n
	f\n-1\n1\n5\n
	f\n08\n1\n5\n
	f\n0x\n1\n5\n
	f\n0b2\n1\n5\n
	f\n18446744073709551616\n1\n5\n
	f\n1\n
	f\n1\n0\n
	f\n1\n0x1\n5\n
	f\n1\n1\n0x5\n
	f\n1\n1\n5 \n
	f\n1\n1\n18446744073709551616\n
	f\n1\n2\n5\n
	f\n1\n1\n5\r
	f\n1\n1\n5\r\r\n
	@$\n1\n
	@$f\n1\n1\n5\n
	@$1\n256\n
	@$1\n1 \n
	@$2\n12\n
	@0\n
	@4\n0\n0\n
	@7\n1\n1\n5\n
	@1\n
	@1\n3\n0\n
	@1\n0x0\n0\n
	@2\n0\n0\n
	@1\n0\n
	@1\n0\nx\n
	@1\n0\n4294967296\n
	@1\n0\n2\n0\n
	@1\n0\n1\n4294967296\nf:1\n
	@1\n0\n1\n2\nf:1\n
	@1\n0\n1\n1\nf1\n
	@1\n0\n1\n1\nf:\n
	@1\n0\n1\n1\nf: 1\n
	@1\n0\n1\n1\nf:0x1\n
	@1\n0\n1\n1\n:1\n
	@1\n2\n1\n1\n:1\n
	@1\n1\n1\n1\nf:1\n
	@1\n1\n1\n1\n0x7:1\n
	~
	~x\n1\n
	~4294967296\n1\n
	~1\nx\n1\nf\n@
	~1\n1\n
	~1\n1\nf\n1\n@
	~1\n1\n1\n
	END
	)
}

# Each for a reason: LLVM counts bytes of bitmaps with 8 bits, loses a function
# whose hash is all ones, prints traces without the names that have no record,
# and texts that it cannot read.
@test 'where we differ from LLVM 22' {
	need_tools 22
	run ! judged "@\$256\n$(printf '1\\n%.0s' {1..256})"
	quiet prof-merge --to text text | grep -x '[$]256'
	judged 'f\n18446744073709551615\n1\n5\n'
	[ ! -s theirs ]
	quiet prof-merge --to text text | grep -x 18446744073709551615
	judged '~1\n1\n1\nf,gone\n@'
	grep -qx 'f,,' theirs
	quiet prof-merge --to text text | grep -x f,gone,
	judged '@:ir\n1\n1\n5\n'
	cp theirs text
	run ! llvm-profdata-22 merge --text text -o theirs
	judged '@:ir\n1\n1\n5\n'
	refused 'name :ir: it would be a flag' prof-merge --to text text
	judged '~1\n1\n1\nf\n:temporal_prof_traces\n1\n1\n1\nf\n@'
	refused 'line 7: there are traces already' prof-merge text
	judged '' && refused 'empty file' prof-merge text
}
