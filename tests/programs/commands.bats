# What commands print, for samples of all kinds: a line for each command with its
# status and a digest of standard output, then its messages.  The tables are in
# tests/data/golden/commands; `make update-golden` writes them.

load ../support/helper

setup() {
	local name file

	cd "$BATS_TEST_TMPDIR"
	while read -r name file; do
		cp "$(data "$file")" "$name"
	done <<-'END'
	kinds.profraw good/kinds.profraw
	traces.profraw good/temporal.profraw
	huge.profraw good/counts-huge.profraw
	coverage.profraw good/coverage-32be.profraw
	names.profraw good/names-one-missing.profraw
	v5.profraw good/v5-32be.profraw
	ir.profraw real/22-ir.profraw
	ir16.profraw real/16-ir.profraw
	fe.profraw real/22-fe_values.profraw
	ir.proftext real/22-ir.proftext
	run.memprofraw memprof-raw/good/v5-le.memprofraw
	runs.memprofraw memprof-raw/good/three.memprofraw
	mixed.profdata memprof/v4.mixed.profdata
	heap.profdata memprof/v2.llvm19.profdata
	heap.yaml memprof/sample.yaml
	app.ndjson heap/app.ndjson
	sample.ndjson heap/sample.ndjson
	END
	head -c 300 kinds.profraw >cut.profraw
	pseudo_counts >pseudo.ndjson
	printf '%s\n' main f 'bar*' >list
	chmod u+w ./*
	touch -d @1000000000 ./*	# bundles have the times of profiles
	counters='kinds.profraw traces.profraw pseudo.ndjson coverage.profraw
	    names.profraw v5.profraw ir.profraw ir16.profraw fe.profraw
	    ir.proftext mixed.profdata cut.profraw'
	heaps='run.memprofraw runs.memprofraw mixed.profdata heap.profdata
	    heap.yaml app.ndjson sample.ndjson'
}

# each SAMPLES: the commands of standard input, for each sample, which stands
# for @ or behind the command.
each() {
	awk -v samples="$1" '
	BEGIN { count = split(samples, sample) }
	{
		command = /@/ ? $0 : $0 " @"
		for (i = 1; i <= count; i++) {
			line = command
			gsub(/@/, sample[i], line)
			print line
		}
	}'
}

# pairs SAMPLES: the commands of standard input for two samples each, in the
# places of @ and ~.
pairs() {
	awk -v samples="$1" '
	BEGIN { count = split(samples, sample) }
	{
		for (i = 1; i <= count; i++) {
			for (k = 1; k <= count; k++) {
				line = $0
				sub(/@/, sample[i], line)
				sub(/~/, sample[k], line)
				print line
			}
		}
	}'
}

# table NAME: the outcomes of the commands of standard input, in a golden file.
table() {
	"$top_srcdir/tests/support/outcomes" | golden "commands/$1"
}

@test 'prof-show: counters' {
	each "$counters" <<-'END' | table show
	prof-show
	prof-show --functions
	prof-show --functions --counts --values
	prof-show --json --functions --counts --values
	prof-show --json --cutoffs
	prof-show --cutoffs
	prof-show --top 2
	prof-show --top 2 --values
	prof-show --json --top 1
	prof-show --function main --counts
	prof-show --functions-from list
	prof-show -C --functions
	prof-show --heap
	END
}

@test 'prof-show: heap' {
	each "$heaps" <<-'END' | table show-heap
	prof-show
	prof-show --json
	prof-show --functions
	prof-show --heap
	prof-show --heap --top 1
	prof-show --heap --sort count --stacks
	prof-show --heap --sort lifetime --callers
	prof-show --heap --sort accesses --hot
	prof-show --heap --histograms
	prof-show --heap --json
	prof-show --heap --json --stacks --histograms --hot
	END
}

@test 'prof-check and profraw-cat' {
	each "$counters $heaps" <<-'END' | table check
	prof-check
	prof-check --strict
	prof-check -q
	profraw-cat
	profraw-cat --salvage
	profraw-cat --scan
	END
}

@test 'prof-export' {
	each "$heaps ir.profraw" <<-'END' | table export
	prof-export --to folded
	prof-export --to folded --by count
	prof-export --to folded --by lifetime --lines
	prof-export --to folded --by accesses -C
	END
}

@test 'prof-filter' {
	each "$counters" <<-'END' | table filter
	prof-filter --function main
	prof-filter --glob '*a*'
	prof-filter --drop --glob '*a*' --allow-empty
	prof-filter --regex '^[a-m]' --min-count 2
	prof-filter --functions-from list
	prof-filter --drop --functions-from list
	prof-filter --hash 0x1
	prof-filter --drop --hash 0x1
	prof-filter --min-count 100
	prof-filter --names hash
	prof-filter --strip-path
	prof-filter --strip-path=1
	prof-filter --remap-prefix a=b
	END
}

@test 'prof-order' {
	each "$counters" <<-'END' | table order
	prof-order
	prof-order --to symbols
	prof-order --to llvm
	prof-order --test-traces 1
	prof-order --allow-empty @ traces.profraw
	END
}

@test 'prof-merge: options' {
	each "$counters $heaps" <<-'END' | table merge
	prof-merge
	prof-merge @ @
	prof-merge -w 3,@
	prof-merge -w 1/2,@
	prof-merge --sparse
	prof-merge --max-count 3
	prof-merge --fail-on overflow -w 9999999999999999999,@
	prof-merge --to text
	prof-merge --to yaml
	prof-merge --to lprf:2,plain
	prof-merge --keep-going @ cut.profraw
	END
}

@test 'prof-merge: what goes together' {
	pairs "$counters" <<-'END' | table merge-pairs
	prof-merge @ ~
	prof-merge --subtract @ ~
	END
	pairs "$heaps" <<-'END' | table merge-heaps
	prof-merge @ ~
	prof-merge --keep-going @ ~
	END
}

@test 'prof-merge: less' {
	pairs 'kinds.profraw pseudo.ndjson names.profraw v5.profraw
	    run.memprofraw mixed.profdata' <<-'END' |
	prof-merge --subtract ~ @
	prof-merge -w 3,@ --subtract ~
	prof-merge --fail-on mismatch @ ~
	END
	table merge-subtract
}

@test 'prof-index' {
	each 'kinds.profraw traces.profraw v5.profraw ir.profraw fe.profraw
	    ir.proftext mixed.profdata app.ndjson sample.ndjson' <<-'END' |
	prof-index --for clang-13 --to indexed:relabel
	prof-index --for clang-16
	prof-index --for LLVM-19
	prof-index --for clang-14
	prof-index --to indexed:1
	prof-index --to indexed:5
	prof-index --to indexed:10
	prof-index --to indexed:memprof-1
	prof-index --to indexed:memprof-3,full
	prof-index --to indexed:no-vtables
	END
	table index
}

# The bytes of an archive decide its digest; packed ones depend on libraries.
@test 'archives and bundles' {
	local kind file

	mkdir in
	cp kinds.profraw ir.profraw heap.profdata in
	cp names.profraw $'in/\xc3\xa4 b.profraw'
	head -c 100 ir.profraw >in/cut.profraw
	echo no profile >in/notes
	prof-bundle create --dedup content -q -o plain.bundle ir.profraw kinds.profraw
	for kind in ustar v7 gnu; do
		tar --format=$kind --sort=name --owner=0 --group=0 \
		    --mode=644 --mtime=@0 -cf $kind.tar in/*.prof* in/notes
	done
	for file in ustar.tar v7.tar gnu.tar plain.bundle; do
		cat <<-END
		prof-check $file
		prof-check --member '*b.prof*' $file
		prof-merge --keep-going --level frontend $file
		prof-merge --to text --member '*kinds*' $file
		prof-bundle list $file
		prof-bundle list --json $file
		prof-bundle create --dedup content --keep-going -o - $file
		prof-merge $file $file
		- cp $file new
		prof-bundle add --dedup content new heap.profdata traces.profraw
		cat new
		- cp $file new
		prof-index --upgrade new
		cat new
		END
		for size in 100 511 512 700 2000 3000; do
			cat <<-END
			- "head -c $size $file >cut.tar"
			prof-check cut.tar
			END
		done
	done | table archives
}

@test 'prof-diff' {
	pairs "$counters" <<-'END' | table diff
	prof-diff @ ~
	prof-diff --json --top 1 @ ~
	END
	pairs "$heaps" <<-'END' | table diff-heap
	prof-diff @ ~
	prof-diff --json @ ~
	END
}

@test 'prof-diff: limits' {
	pairs 'kinds.profraw ir.profraw ir16.profraw v5.profraw' <<-'END' |
	prof-diff --min-overlap 100 @ ~
	prof-diff --min-count-share 50 @ ~
	prof-diff --max-no-longer-run 0 @ ~
	prof-diff --sort ratio --max-no-longer-run 50% @ ~
	prof-diff --max-newly-run 1 @ ~
	prof-diff --max-stale 0 @ ~
	prof-diff --for LLVM-16 @ ~
	END
	table diff-limits
}

@test 'llvm-profdata: show and overlap' {
	each "${counters/pseudo.ndjson/huge.profraw}" <<-'END' | table llvm-show
	llvm-profdata show
	llvm-profdata show --all-functions --counts
	llvm-profdata show --ic-targets --memop-sizes --all-functions
	llvm-profdata show --topn=2
	llvm-profdata show --detailed-summary
	llvm-profdata show --function=main --counts
	llvm-profdata show --value-cutoff=3
	llvm-profdata show --list-below-cutoff --value-cutoff=3
	llvm-profdata show --binary-ids
	llvm-profdata show --temporal-profile-traces
	llvm-profdata show --covered
	llvm-profdata show --text --all-functions
	llvm-profdata merge --text -o -
	llvm-profdata merge --sparse --text -o -
	llvm-profdata merge --text -o - --weighted-input=3,@ ir.profraw
	llvm-profdata merge --text --failure-mode=all -o - cut.profraw
	llvm-profdata overlap @ ir.profraw
	llvm-profdata overlap --function=main @ kinds.profraw
	llvm-profdata order
	END
	each "$heaps" <<-'END' | table llvm-show-heap
	llvm-profdata show --memory
	llvm-profdata show
	END
}

@test 'llvm-profdata: the version of every release' {
	local release

	for release in $(seq 13 22); do
		ln -s "$(command -v llvm-profdata)" llvm-profdata-$release
		./llvm-profdata-$release --version | sed -n 1p
	done >got
	seq -f 'LLVM version %g' 13 22 | diff -u - got
}

# What a release writes, read back by our own reader; a release that refuses the
# sample leaves no file.
@test 'llvm-profdata: every release' {
	local release sample

	for release in $(seq 13 22); do
		for sample in kinds.profraw traces.profraw ir.proftext \
		    v5.profraw heap.yaml run.memprofraw; do
			cat <<-END
			llvm-profdata merge --compat=$release -o new $sample
			prof-check new
			- rm -f new
			llvm-profdata show --compat=$release $sample
			END
		done
	done | table llvm-releases
}
