# Small builds, which refuse what needs a library that they were built without,
# and static programs.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	printf ':ir\nf\n1\n1\n5\n\n' >good.proftext
}

# refused LIBRARY COMMAND: what needs the library is refused by its name, and
# leaves no file `out`.
refused() {
	run -2 --separate-stderr "${@:2}"
	printf '%s\n' "$stderr"
	[[ $stderr == *"this program was built without $1, which "* ]]
	[ ! -e out ]
}

need_without() {
	! is_built_with "$1" || skip "is built with $1"
}

@test 'without zstd' {
	need_without zstd
	refused libzstd prof-merge -o out "$top_srcdir/demo/sample.tar.zst"
	refused libzstd prof-merge --keep-going -o out good.proftext \
	    "$top_srcdir/demo/sample.tar.zst"
	refused libzstd prof-bundle create --pack zstd -o out good.proftext
	refused libzstd prof-merge -o out \
	    "$top_srcdir/share/vectors/lprf/packed.lprf"
	prof-merge --to lprf -o packed good.proftext
	prof-merge --to lprf:2,plain packed | cmp - packed
	prof-merge packed | grep -qF '"counts":[5]'
}

@test 'without yaml' {
	need_without yaml
	printf -- '---\nHeapProfileRecords:\n  - GUID: 1\n    AllocSites: []\n    CallSites: []\n...\n' >heap.yaml
	refused libyaml prof-merge -o out heap.yaml
	refused libyaml prof-check heap.yaml
}

@test 'without protobuf' {
	need_without protobuf
	refused protobuf-c prof-export --to pprof -o out \
	    "$(data memprof/v2.llvm22.profdata)"
}

@test 'what is left works without the libraries' {
	prof-merge -o out good.proftext good.proftext
	prof-index -o indexed out
	prof-show --top 1 indexed >shown
	grep -q ' 10 ' shown
	xz <out >out.xz
	tar -cf out.tar out
	prof-merge out.xz out.tar | jq -c 'select(.name == "f").counts' |
	    diff <(echo '[20]') -
}

# As a device or an empty container would run them.
@test 'static programs run where nothing else is' {
	local program

	need readelf
	! readelf -lW "$top_builddir/cmd/prof-merge" | grep -q INTERP ||
	    skip 'the programs are not static'
	[ "$(id -u)" -eq 0 ] || skip 'needs root for chroot'
	mkdir root
	for program in profraw-cat prof-merge prof-index prof-show; do
		cp "$top_builddir/cmd/$program" root
	done
	cp good.proftext root
	is_built_with zstd && cp "$top_srcdir/demo/sample.tar.zst" root/a
	[ -e root/a ] || tar -cf root/a good.proftext
	chroot root /profraw-cat a | chroot root /prof-merge - a >merged
	chroot root /prof-index -o /app.profdata - <merged
	chroot root /prof-show /app.profdata >shown
	profraw-cat root/a | prof-merge - root/a | prof-index -o app.profdata
	cmp app.profdata root/app.profdata
	# The same text but for the name of the file.
	prof-show app.profdata | tail -n +2 | diff - <(tail -n +2 shown)
}
