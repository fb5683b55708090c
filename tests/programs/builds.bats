# Static programs, and what they do without libraries beside them.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	printf ':ir\nf\n1\n1\n5\n\n' >good.proftext
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
	cp "$top_srcdir/demo/sample.tar.zst" root/a
	chroot root /profraw-cat a | chroot root /prof-merge - a >merged
	chroot root /prof-index -o /app.profdata - <merged
	chroot root /prof-show /app.profdata >shown
	profraw-cat root/a | prof-merge - root/a | prof-index -o app.profdata
	cmp app.profdata root/app.profdata
	# The same text but for the name of the file.
	prof-show app.profdata | tail -n +2 | diff - <(tail -n +2 shown)
}
