# The name of -o chooses format and compression of the output.

load ../support/helper

setup() {
	need jq
	good=$(data good)
	heap=$(data heap)
	cd "$BATS_TEST_TMPDIR"
	profile '"level":"ir"' "$(fn a 1 1,2,3)" >x
}

# What COMMAND -o app.SUFFIX writes is what --to FORMAT writes.
chosen() {
	quiet "${@:3}" -q --to "$2" >want
	quiet "${@:3}" -q -o "app.$1"
	cmp want "app.$1"
}

# taken WORD FORMAT COMMAND...: --to takes WORD as another name of FORMAT.
taken() {
	quiet "${@:3}" -q --to "$2" >want
	quiet "${@:3}" -q --to "$1" | same want -
}

@test '--to takes the suffix of a format for its name' {
	taken profdata indexed prof-merge x
	taken proftext text prof-merge x
	taken json stream prof-merge x
	taken ndjson stream profraw-cat x
	taken jsonl stream prof-filter x
	taken profdata:8 indexed:8 prof-merge x
	usage_error 'indexed version 99 cannot be written' \
	    prof-merge --to profdata:99 x
}

@test '--to says which formats there are' {
	local program

	for program in prof-merge profraw-cat prof-filter; do
		usage_error "format 'nosuch' cannot be written: --to accepts stream, indexed, text, yaml or lprf" \
		    "$program" --to nosuch x
		usage_error "format 'raw' cannot be written" \
		    "$program" --to raw x
		usage_error 'format raw is only read, not written' \
		    "$program" -o app.profraw x
		usage_error "format '' cannot be written" \
		    "$program" --to '' x
	done
}

@test 'a suffix chooses the format' {
	local program

	for program in prof-merge profraw-cat prof-filter; do
		chosen profdata indexed "$program" x
		chosen proftext text "$program" x
		chosen lprf lprf "$program" x
		chosen ndjson stream "$program" x
		chosen jsonl stream "$program" x
		chosen other stream "$program" x
	done
	prof-merge -o h.ndjson "$heap"/sample.ndjson
	chosen yaml yaml prof-merge h.ndjson
	# The whole suffix counts, and a name that is nothing else has none.
	chosen xprofdata stream prof-merge x
	quiet prof-merge x -o profdata
	cmp profdata x
	quiet prof-merge x -o .profdata
	head -c 8 .profdata | cmp - <(printf '\377lprofi\201')
}

@test 'an option is stronger than the suffix' {
	quiet prof-merge --to text x >want
	quiet prof-merge --to text -o got.profdata x
	cmp want got.profdata
	# The program is what its name says.
	quiet prof-index x >want
	usage_error 'app.proftext has the suffix of format text' \
	    prof-index -o app.proftext x
	usage_error 'app.json.gz has the suffix of format stream' \
	    prof-index -o app.json.gz x
	quiet prof-index -o got.other x
	cmp want got.other
	# Options of the format that the suffix chose.
	quiet prof-merge --to indexed:5 x >want
	quiet prof-merge --to indexed:5 -o got.profdata x
	cmp want got.profdata
	quiet prof-merge --to indexed:clang-16 -o got.profdata x
}

@test 'a suffix behind it compresses' {
	local row packer suffix

	need gzip xz zstd
	quiet prof-index x >want
	for row in gzip:gz xz:xz zstd:zst; do
		packer=${row%:*} suffix=${row#*:}
		quiet prof-merge -o "a.profdata.$suffix" x
		"$packer" -dc <"a.profdata.$suffix" | cmp - want
		quiet prof-index -o "b.$suffix" x
		cmp "a.profdata.$suffix" "b.$suffix"
		quiet prof-merge -o "a.$suffix" x
		"$packer" -dc <"a.$suffix" | cmp - x
		prof-export -o "a.folded.$suffix" "$heap"/sample.ndjson
		prof-export --to folded "$heap"/sample.ndjson >folded
		"$packer" -dc <"a.folded.$suffix" | cmp - folded
		# The same bytes at any time, and an input of every program.
		sleep 1
		quiet prof-merge -o "later.profdata.$suffix" x
		cmp "a.profdata.$suffix" "later.profdata.$suffix"
		prof-merge "a.profdata.$suffix" | cmp - <(prof-merge want)
	done
}

@test 'so do parallel programs' {
	need zstd
	for i in 1 2 3; do
		cp x "x$i"
	done
	quiet profraw-cat x1 x2 x3 >want
	quiet profraw-cat -o got.zst x1 x2 x3
	zstd -dqc got.zst | cmp - want
}

@test 'compressed outputs are there as a whole, or not at all' {
	printf '{"record":"profile","stream":1' >cut
	refused 'cut: ' prof-merge -o got.gz x cut
	[ ! -e got.gz ]
	echo old >got.zst
	refused 'cut: ' prof-merge -o got.zst x cut
	echo old | cmp - got.zst
	set -- .[!.]*
	[ ! -e "$1" ]
}

@test 'a compressed stream into a pipe ends with what went wrong' {
	need gzip
	printf '{"record":"profile","stream":1,"kind":"instr"}\n{' >cut
	mkfifo pipe.gz
	gzip -dc <pipe.gz >got &
	run -2 profraw-cat -o pipe.gz cut
	wait
	tail -n 1 got | jq -e '.record == "abort"'
}

@test 'a full disk is told of compressed outputs too' {
	need gzip
	[ -c /dev/full ] || skip 'no /dev/full'
	ln -s /dev/full full.gz
	refused 'full.gz: write: No space left on device' \
	    prof-merge -o full.gz x
}

@test 'bundles' {
	local suffix

	prof-bundle create -o plain x
	for suffix in gz:gzip xz:xz zst:zstd; do
		prof-bundle create --pack "${suffix#*:}" -o want x
		prof-bundle create -o "got.tar.${suffix%:*}" x
		cmp want "got.tar.${suffix%:*}"
	done
	prof-bundle create --pack gzip -o want x
	prof-bundle create -o got.tgz x
	cmp want got.tgz
	prof-bundle create --pack none -o got.tgz x
	cmp plain got.tgz
}

@test 'exports' {
	local row

	for row in folded:folded pprof:pb.gz; do
		prof-export --to "${row%:*}" "$heap"/sample.ndjson >want
		prof-export -o "got.${row#*:}" "$heap"/sample.ndjson
		cmp want "got.${row#*:}"
	done
	usage_error 'or a file with the suffix of one' \
	    prof-export -o got "$heap"/sample.ndjson
}

@test 'the folder of --group-by is no file' {
	prof-merge -q --group-by binary-id -o groups.gz x
	cmp groups.gz/none.ndjson x
}
