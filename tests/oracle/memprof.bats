# Heap profiles (MemProf) of the shared corpus, indexed: what llvm-profdata made
# of the same raw profile and program, to the byte.

load ../support/helper

setup() {
	need_corpus
	need jq
	corpus=$(corpus memprof)
	[ -d "$corpus/ref" ] || skip 'needs the heap profiles of the corpus'
	prof-symbolize --help >/dev/null 2>&1 || skip 'needs prof-symbolize'
	cd "$BATS_TEST_TMPDIR"
}

# The program of a sample, as far as it is debug information.
program_of() {
	case $1 in
	*-9rounds | ctx-v3synth-* | ctx-mix35-*)
		echo "$corpus/ctx-v22-nopie.dbg" ;;
	*) echo "$corpus/$1.dbg" ;;
	esac
}

# The indexed version that LLVM wrote: SAMPLE.REFERENCE.
version_of() {
	case $1 in
	ctx-v15-*.m0) echo 8 ;;
	ctx-v16-*.m0) echo 9 ;;
	*.by19.*) echo 12 ;;
	*) echo 13 ;;
	esac
}

# index NAME: what SAMPLE.REFERENCE should be, as the file ours.
index() {
	local sample=${1%%.*} section=${1##*.m} schema=

	[[ $section != *full ]] || schema=,full
	prof-symbolize -q --binary "$(program_of "$sample")" \
	    "$corpus/$sample.raw" >symbolized
	profraw-cat -q -o ours symbolized --to \
	    "indexed:$(version_of "$1"),memprof-${section%full}$schema"
}

# What is in a file, in no order.
records() {
	profraw-cat "$1" | canon
}

# names PATTERN...: references of the corpus that were made of raw profiles.
names() {
	local pattern file

	for pattern; do
		for file in "$corpus/ref"/$pattern.profdata; do
			file=${file##*/}
			[[ $file == y1.* ]] || echo "${file%.profdata}"
		done
	done
}

@test 'sections 3 and 4 are those of LLVM 19 and 22, to the byte' {
	local name n=0

	for name in $(names '*.m3' '*.m4' '*.m4full'); do
		# A pointer of llvm-profdata's own is in it.
		[ "$name" != hist-v22.m4full ] || continue
		echo "$name"
		index "$name"
		cmp ours "$corpus/ref/$name.profdata"
		n=$((n + 1))
	done
	[ $n -ge 32 ]
}

@test 'sections 0, 1 and 2 have the records of LLVM 15 to 22' {
	local name n=0

	for name in $(names '*.m0' '*.m1' '*.m2') hist-v22.m4full; do
		echo "$name"
		index "$name"
		[ "$(wc -c <ours)" -eq \
		    "$(wc -c <"$corpus/ref/$name.profdata")" ]
		records ours >got
		records "$corpus/ref/$name.profdata" | same - got
		n=$((n + 1))
	done
	[ $n -ge 17 ]
}

@test 'every raw profile becomes one that LLVM 22 reads' {
	local file n=0

	need llvm-profdata-22
	for file in "$corpus"/*.raw; do
		file=${file##*/}
		echo "$file"
		index "${file%.raw}.m4full"
		llvm-profdata-22 show --memory ours >shown
		grep -q 'Total contexts: [1-9]' shown
		n=$((n + 1))
	done
	[ $n -ge 24 ]
}

@test 'YAML becomes what LLVM 22 makes of it' {
	profraw-cat -q --to indexed -o ours "$corpus/y1.yaml"
	cmp ours "$corpus/ref/y1.m4.profdata"
}

@test 'clang 22 takes the profile for its own' {
	local flags=(-O1 -g -fdebug-info-for-profiling -S -emit-llvm)

	need clang++-22
	index ctx-v22-pie.m3
	cp "$corpus/ctx.cpp" .
	clang++-22 "${flags[@]}" -fmemory-profile-use=ours ctx.cpp -o ours.ll
	cp "$corpus/ref/ctx-v22-pie.m3.profdata" theirs
	clang++-22 "${flags[@]}" -fmemory-profile-use=theirs ctx.cpp \
	    -o theirs.ll
	grep -q '!memprof\|"memprof"=' ours.ll
	cmp ours.ll theirs.ll
}
