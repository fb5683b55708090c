# prof-index --upgrade: indexed profiles rewritten in place.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	# Records that all versions have room for but for the last three.
	{
		echo '{"record":"binary","build_id":"0123456789abcdef"}'
		fn main 1 5,6
		fn 'a.c;f' 2 7 \
		    '"values":{"mem_op_size":[[{"size":8,"count":3}]]}'
		echo '{"record":"trace","weight":1,"functions":["main"]}'
	} >records
	mapfile -t lines <records
	profile '"level":"ir","temporal":true,"trace_stream_size":1' \
	    "${lines[@]}" >ir.ndjson
	profile '"level":"frontend"' "$(fn main 0xf000000000000001 5,6)" \
	    "$(fn f 2 7)" >frontend.ndjson
}

# old VERSION FILE [STREAM]: an indexed profile of long ago.
old() {
	prof-index -q --to indexed:relabel,"$1" -o "$2" "${3-ir.ndjson}"
	touch -d '2001-02-03 04:05:06' "$2"
}

version() {
	prof-show --json "$1" | jq .version
}

# section FILE: the version of its heap profile's section; 0 has none.
section() {
	od -An -td8 -j"$(od -An -td8 -j40 -N8 "$1" | tr -d ' ')" -N8 "$1" |
	    tr -d ' '
}

# No file but those that are named, hidden ones included.
only() {
	diff <(printf '%s\n' "$@" | sort) <(ls -A)
}

@test 'any version becomes any other, as prof-index writes it' {
	local from to

	for from in 1 2 3 5 8 9 10 11 12; do
		old "$from" old
		for to in 13 12 4 1; do
			echo "$from to $to"
			cp -p old file
			upgraded 0 --to indexed:"$to" file
			prof-index -q --to indexed:"$to" -o want old
			same want file
			[ "$(version file)" -eq "$to" ]
		done
	done
}

@test 'what a version has no room for is dropped, told and reported' {
	local version count

	while read -r version count; do
		old 13 file
		upgraded 0 --to indexed:"$version" file
		[ "$(grep -c 'warning: ' stderr)" -eq "$count" ]
		grep -qx "file: version 13 to $version" stderr
	done <<-'END'
	12 0
	10 0
	9 1
	8 2
	3 2
	2 3
	END
	sed -n 's/^[^:]*: file: warning: indexed version 2 cannot hold //p' \
	    stderr | sort | lines_match '^binary ids: dropped 1$' \
	    '^temporal traces' '^value profile data'
	# Nothing comes back.
	upgraded 0 file
	told '^file: version 2 to 13$'
}

@test 'a file that is current is not touched' {
	old 13 file
	stat -c '%i %y %z' file >before
	upgraded 0 file
	counted 0 1 0 0
	upgraded 0 --for clang-22 file
	stat -c '%i %y %z' file | same before -
	upgraded 0 --for clang-16 file
	grep -qx 'file: version 13 to 9' stderr
	grep -q '^file: local names written with .*: 1$' stderr
	profraw-cat file | jq -r 'select(.hash == "0x0000000000000002").name' |
	    grep -qx 'a.c:f'
	# The version says that it is current; its names are not.
	old 10 file
	upgraded 0 --to indexed:10 --for clang-17 file
	grep -qx 'file: version 10 to 10' stderr
}

@test 'front-end hashes keep their meaning, or are left alone' {
	old 12 file frontend.ndjson
	upgraded 0 file
	told 'version 12 to 13$' \
	    '^file: front-end hashes with flag bits cleared: 1$'
	profraw-cat file | grep -q '"hash":"0x0000000000000001"'
	# Old hashes under a new label, as llvm-profdata 22 writes them.
	old 13 file frontend.ndjson
	upgraded 0 file
	told 'version 13 to 13$' \
	    '^file: front-end hashes with flag bits cleared: 1$'
	upgraded 0 file
	counted 0 1 0 0

	old 4 file frontend.ndjson
	cp -p file before
	upgraded 2 file
	same before file
	grep -q 'hashes are of indexed versions 1 to 4 (clang 3.5 to 5): .*--to indexed:relabel' stderr
	reported '(.[0].reason | contains("functions, whose hash differs")) and
	    .[1].bad == 1 and .[1].used == 0'
	upgraded 0 --to indexed:relabel file
	told 'version 4 to 13$' '^file: front-end hashes relabelled$'
	profraw-cat file | grep -q '"hash":"0xf000000000000001"'
}

@test 'bitmaps of MC/DC keep their meaning, or are left alone' {
	profile '"level":"frontend"' "$(fn f 2 7 '"bitmap":"ff"')" >mcdc.ndjson
	old 11 file mcdc.ndjson
	upgraded 2 --to indexed:12 file
	grep -q 'bitmaps are numbered as in indexed version 11:' stderr
	upgraded 0 --to indexed:12,relabel file
	grep -qx 'file: functions with MC/DC bitmaps relabelled: 1' stderr
	upgraded 2 --to indexed:11 file
	upgraded 0 --to indexed:10 file
	[ "$(grep -c ': warning: ' stderr)" -eq 1 ]
}

@test 'mode is kept, times on request' {
	old 9 file
	chmod 640 file
	upgraded 0 --preserve file
	[ "$(stat -c '%a %Y' file)" = \
	    "640 $(date -d '2001-02-03 04:05:06' +%s)" ]
	upgraded 0 --to indexed:9 file
	[ "$(stat -c %a file)" = 640 ]
	[ "$(stat -c %Y file)" -gt "$(date -d 2020-01-01 +%s)" ]
}

@test 'backups in a folder stay when the folder is upgraded again' {
	mkdir folder
	old 9 folder/file
	cp folder/file want
	upgraded 0 -r --backup .old folder
	upgraded 0 -r --backup .old folder
	same want folder/file.old
	[ "$(ls -A folder)" = $'file\nfile.old' ]
	upgraded 2 folder
	grep -q 'folder: a folder: --recursive rewrites the files' stderr
	# One that is named is a file like others.
	upgraded 0 --backup .old folder/file.old
	[ "$(version folder/file.old)" -eq 13 ]
}

@test 'backups of profiles stay without the option that made them' {
	mkdir folder
	old 9 folder/a.profdata
	cp folder/a.profdata want
	cp want folder/other.profdata.1
	cp want folder/a.profdata.b.profdata
	upgraded 0 -r --backup .orig folder
	cp want folder/a.profdata~
	upgraded 0 -r folder
	same want folder/a.profdata.orig
	same want folder/a.profdata~
	[ "$(version folder/a.profdata)" -eq 13 ]
	# No backups: the profile is not there, or the name is that of one.
	[ "$(version folder/other.profdata.1)" -eq 13 ]
	[ "$(version folder/a.profdata.b.profdata)" -eq 13 ]
}

@test 'the old file stays as a backup' {
	old 9 file
	cp -p file want
	upgraded 0 --backup .old file
	same want file.old
	[ "$(stat -c %y want)" = "$(stat -c %y file.old)" ]
	# It is there already: the same bytes, the same file, another.
	cp -p want file
	upgraded 0 --backup .old file
	rm -f file file.old
	cp -p want file
	ln file file.old
	upgraded 0 --backup .old file
	same want file.old
	cp -p want file
	echo other >file.old
	upgraded 2 --backup .old file
	grep -q 'its backup (\.old) already exists' stderr
	same want file
	[ "$(cat file.old)" = other ]
	# None of a file that is not rewritten.
	prof-index -qo file want
	upgraded 0 --backup .new file
	[ ! -e file.new ]
}

@test 'a dry run only tells' {
	old 4 one
	old 12 two frontend.ndjson
	old 13 three
	stat -c '%i %y %z' one two three >before
	prof-index --upgrade --dry-run --backup .old one two three >out 2>stderr
	stat -c '%i %y %z' one two three >after
	same before after
	lines_match '^one: version 4 to 13$' '^two: version 12 to 13$' \
	    '^two: front-end hashes with flag bits cleared: 1$' <out
	counted 2 1 0 0
	usage_error '--report - would be mixed with the output' \
	    prof-index --upgrade --dry-run --report - one
	[ ! -e one.old ]
}

@test 'links are followed, and stay' {
	mkdir folder
	old 9 folder/file
	ln -s folder/file link
	upgraded 0 --backup .old link
	[ -L link ]
	[ "$(version folder/file)" -eq 13 ]
	[ -e folder/file.old ]
	# Other names of the file keep what it was.
	old 9 folder/file
	ln folder/file other
	upgraded 0 folder/file
	[ "$(version other)" -eq 9 ]
}

@test 'folders and lists' {
	local status=0

	mkdir -p tree/sub
	old 9 tree/a
	old 13 tree/b
	old 12 tree/sub/c
	old 9 'tree/sub/d
e'
	echo text >tree/README
	echo ':ir' >tree/text.profdata
	: >tree/empty
	ln -s ../away tree/link
	refused 'tree: a folder: --recursive rewrites' prof-index --upgrade tree
	upgraded 0 -r tree
	counted 3 1 3 0
	told '^tree/a: version 9 to 13$' '^tree/sub/c: version 12 to 13$' \
	    '^tree/sub/d[?]e: version 9 to 13$'
	old 9 tree/a
	printf '%s\0' tree/a 'tree/sub/d
e' >list
	upgraded 0 -0 --files-from list
	counted 1 1 0 0
	# What was named is not passed over.
	upgraded 1 tree/a tree/README tree/text.profdata tree
	grep -q 'tree/README: not an indexed profile$' stderr
	grep -q 'tree/text.profdata: not an indexed profile, but .* text' stderr
	grep -q 'tree: a folder: --recursive rewrites' stderr
	[ "$(cat tree/README)" = text ]
}

@test 'one bad file does not stop the rest' {
	old 9 good
	old 9 better
	head -c 100 good >cut
	cp cut before
	upgraded 1 good cut missing better
	counted 2 0 0 2
	reported 'length == 3 and .[0].file == "cut" and .[0].offset > 0 and
	    .[0].reason != "" and .[1].file == "missing" and .[2].bad == 2'
	same before cut
	upgraded 1 good cut
	upgraded 2 cut missing
	upgraded 0 --files-from /dev/null
	reported 'length == 1 and .[0].inputs == 0'
}

@test 'a file that cannot be replaced is left, without remains' {
	[ "$(id -u)" -ne 0 ] || skip 'root may do anything'
	mkdir folder
	old 9 folder/file
	chmod 500 folder
	upgraded 2 folder/file
	chmod 700 folder
	cd folder
	only file
}

@test 'a killed or failing run leaves the old file or the new one' {
	local call how place

	need strace
	strace -o trace true 2>/dev/null || skip 'strace may not trace'
	mkdir folder
	old 9 before
	prof-index -qo after before
	cd folder
	for call in openat write fchmod utimensat fsync close link rename; do
		for how in signal=SIGKILL signal=SIGTERM error=EIO; do
			for place in $(some 2 {1..99}); do
				rm -rf ./.file.* file*
				cp -p ../before file
				strace -o ../trace -e trace="$call" \
				    -E GCOV_PREFIX="$BATS_RUN_TMPDIR" \
				    -e inject="$call:$how:when=$place" \
				    prof-index --upgrade --preserve \
				    --backup .old file 2>../stderr || true
				grep -qE 'INJECTED|killed|SIGTERM' ../trace ||
				    break
				echo "$call $how $place"
				cmp -s ../before file || same ../after file
				[ ! -e file.old ] || same ../before file.old
				[ $how = signal=SIGKILL ] ||
				    [ -z "$(find . -name '.file.*')" ]
			done
		done
	done
}

@test 'a file that others change in the meantime is theirs' {
	need strace
	strace -o trace true 2>/dev/null || skip 'strace may not trace'
	while read -r what; do
		echo "$what"
		old 9 file
		(sleep 1; eval "$what") &
		strace -o trace -e trace=fsync \
		    -e inject=fsync:delay_enter=2000000:when=1 \
		    prof-index --upgrade --backup .old file 2>stderr && false
		wait
		[ ! -e file.old ]
		[ -z "$(find . -name '.file.*')" ]
	done <<-'END'
	rm file
	echo other >file
	echo other >new; mv new file
	END
	[ "$(cat file)" = other ]
}

# heap FILE: the records of its heap profile, with stacks in the place of ids,
# which not all versions keep.
heap() {
	profraw-cat "$1" | jq -cs '(map(select(.record == "stack") |
	    {(.id): .frames}) | add) as $stacks | .[] |
	    if .record == "memprof_function" then
	    .alloc_sites[].stack |= $stacks[.] |
	    .call_sites[].stack |= $stacks[.] else . end |
	    select(.record | IN("profile", "stack") | not)' | sort
}

@test 'heap profiles keep what the new version has room for' {
	local file from heap to told

	for file in $(some 2 "$(data memprof)"/*.profdata); do
		echo "${file##*/}"
		cp "$file" file
		chmod u+w file
		from=$(version file)
		heap=$(section file)
		upgraded 0 file
		told=("^file: version $from to 13\$")
		if [ "$from" -eq 13 ]; then
			same "$file" file
			counted 0 1 0 0
			told=()
		elif [ "$heap" -ne "$(section file)" ]; then
			told+=("^file: heap profile .* written as version 3\$")
		fi
		told "${told[@]}"
		heap "$file" >want
		heap file | same want -
		for to in 12 9; do
			upgraded 0 --to indexed:"$to" file
			[ "$(version file)" -eq "$to" ]
			! grep ': warning: ' stderr |
			    grep -v ': warning: MemProf ' || return 1
		done
		upgraded 2 --to indexed:7 file
		grep -q 'version 7 cannot hold a heap profile' stderr
		[ "$(version file)" -eq 9 ]
	done
}

@test 'a section of heap profiles is of the version that was asked for' {
	local from to what

	for from in v0.llvm16 v3.llvm22 v4.llvm22; do
		heap "$(data "memprof/$from.profdata")" >want
		for to in 2 3 4; do
			echo "$from $to"
			cp "$(data "memprof/$from.profdata")" file
			chmod u+w file
			upgraded 0 --to indexed:memprof-"$to" file
			heap file | same want -
			[ "$(section file)" -eq "$to" ]
		done
		upgraded 0 --to indexed:memprof-4 file
		counted 0 1 0 0
		# It stays what it is, where that is known.
		upgraded 0 --to indexed:12 file
		[ "$(section file)" -eq 3 ]
		grep -qxF "file: heap profile (MemProf) of version 4$(
		    ) written as version 3" stderr
		upgraded 0 file
		run ! grep -F MemProf stderr
		[ "$(section file)" -eq 3 ]
		upgraded 0 --to indexed:memprof-2 file
		grep -qxF "file: heap profile (MemProf) of version 3$(
		    ) written as version 2" stderr
	done
	upgraded 2 --to indexed:memprof-1 file
	grep -q 'accept heap profiles (MemProf) of version 2 to 4, not 1' stderr
	[ "$(section file)" -eq 2 ]
	upgraded 2 --to indexed:9,memprof-3 file
	cp "$(data memprof/v4.yaml.profdata)" file
	upgraded 0 --to indexed:memprof-3 file
	for what in 'guids of callees: dropped 3' 'data accesses: dropped 2' \
	    'cold symbols: dropped 4'; do
		grep -q "warning: MemProf version 3 cannot hold $what$" stderr
	done
}

@test 'heap profiles can be read by LLVM 22 afterwards' {
	local file

	need llvm-profdata-22
	for file in "$(data memprof)"/*.profdata; do
		cp "$file" file
		chmod u+w file
		upgraded 0 file
		llvm-profdata-22 show --memory file >got
		grep -q 'GUID:' got
		# LLVM has two maxima there, which are minima.
		[[ $file != *llvm15* ]] || continue
		profraw-cat file | jq -rsf "$top_srcdir/tests/support/heap-yaml.jq" >want
		grep -v '^#\|^---$\|^\.\.\.$\|  AccessHistogram:' got |
		    tr -s ' ' | same want -
	done
}

@test 'usage' {
	old 9 file
	usage_error 'standard input cannot be upgraded' prof-index --upgrade
	usage_error 'standard input' prof-index --upgrade -
	usage_error '-o, --to indexed:no-vtables and --fail-on cannot be used' \
	    prof-index --upgrade -o out file
	usage_error '-o, --to indexed:no-vtables and --fail-on cannot be used' \
	    prof-index --upgrade --to indexed:no-vtables file
	usage_error '-o, --to indexed:no-vtables and --fail-on cannot be used' \
	    prof-index --upgrade --fail-on overflow file
	usage_error "'a/b' is not a suffix" prof-index --upgrade --backup a/b file
	usage_error "'' is not a suffix" prof-index --upgrade --backup= file
	usage_error 'need --upgrade' prof-index --dry-run file
	usage_error 'need --upgrade' prof-index -r .
	usage_error "invalid option -- 'r'" prof-merge -r .
	usage_error 'indexed version 14 cannot be written' \
	    prof-index --upgrade --to indexed:14 file
	echo 3,file >list
	refused 'weights cannot be used' prof-index --upgrade --files-from list
	run -2 prof-index --upgrade --report missing/report file
	[ "$(version file)" -eq 9 ]
	run -2 bash -c 'prof-index --upgrade --dry-run file >/dev/full'
}

@test 'limits of counters are not looked at' {
	usage_error '--max-count cannot be used with --upgrade' prof-index \
	    --upgrade --max-count 1 x.profdata
}
