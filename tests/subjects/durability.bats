# In which order outputs are synced, named and put in place, and what remains if
# one of these steps fails.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	need_strace
	umask 022
	printf ':ir\nf\n1\n1\n5\n\n' >text
}

# traced COMMAND: its calls that change or sync files, a line each, without the
# numbers of files and the random part of names.
traced() {
	local calls=fchmod,fchown,utimensat,fsync,flock,link,linkat,rename

	strace -y -o calls -e trace=$calls,symlink,unlink,pwrite64,write "$@" ||
	    return
	# Opened files without a name look like </path/#123 (deleted)>.
	sed -E -e '/^[+-]{3}/d' -e 's,\) += 0$,),' \
	    -e 's,<[^>]*/#[0-9]+(>\(deleted\)| \(deleted\)>),NEW,g' \
	    -e "s,<$PWD>,FOLDER,g" -e "s,<$PWD/([^>]*)>,\1,g" \
	    -e 's,[0-9]+(NEW|FOLDER),\1,g' -e 's,\(([0-9]+)([a-z]),(\2,' \
	    -e 's,\.[0-9a-f]{8}",.X",g' -e 's,/proc/self/fd/[0-9]+,fd,' \
	    -e 's/^utimensat\(NEW, NULL, .*/utimensat(NEW)/' \
	    -e 's/^write\((NEW).*/write(\1)/' -e '/^write\(/!b' \
	    -e '/NEW/!d' calls | uniq
}

# failing CALL:ERROR:WHEN COMMAND: the command with that call failing.
failing() {
	local call error place

	IFS=: read -r call error place <<<"$1"
	strace -f -o calls -e trace="$call" -E GCOV_PREFIX="$BATS_RUN_TMPDIR" \
	    -e inject="$call:error=$error:when=$place" "${@:2}"
}

# An indexed profile of an old version.
old_profile() {
	prof-index --to indexed:9 -o "$1" text
}

@test 'a new output is synced before it has its name, and its folder after' {
	run -0 traced prof-index -qo new text
	diff -u - <(printf '%s\n' "$output") <<-'END'
	flock(NEW, LOCK_EX|LOCK_NB)
	write(NEW)
	fsync(NEW)
	linkat(AT_FDCWDFOLDER, "fd", AT_FDCWDFOLDER, "new", AT_SYMLINK_FOLLOW)
	fsync(FOLDER)
	END
}

@test 'a replaced file: mode, times, sync, lock, backup, name, sync' {
	old_profile file
	chmod 640 file
	run -0 traced prof-index --upgrade -q --preserve --backup .old file
	sed -E 's/^fchown.*/fchown(NEW)/' <<<"$output" | diff -u - <(cat <<-'END'
	flock(NEW, LOCK_EX|LOCK_NB)
	write(NEW)
	fchown(NEW)
	fchmod(NEW, 0640)
	utimensat(NEW)
	fsync(NEW)
	flock(file, LOCK_EX|LOCK_NB)
	link("file", "file.old")
	linkat(AT_FDCWDFOLDER, "fd", AT_FDCWDFOLDER, ".file.X", AT_SYMLINK_FOLLOW)
	rename(".file.X", "file")
	fsync(FOLDER)
	END
	)
}

# The name that a new file has before it replaces the file out.
temporary_name() {
	strace -o calls -e trace=rename prof-index -qo out text
	sed -n 's/^rename("\([^"]*\)", "out").*/\1/p' calls
}

@test 'a temporary file has the first name that is free' {
	local i

	need flock
	prof-index -qo out text
	# Files left behind are removed.
	touch .out.0000000{0..3}
	[ "$(temporary_name)" = .out.00000000 ]
	[ "$(echo .out.*)" = '.out.*' ]
	# Those of a program that is alive stay, as all that is no file.
	mkdir .out.00000000
	touch .out.00000001
	exec 9<.out.00000001
	flock 9
	[ "$(temporary_name)" = .out.00000002 ]
	[ -e .out.00000001 ]
	mkdir .out.0000000{2..9} .out.0000000{a..f}
	[[ $(temporary_name) =~ ^\.out\.[0-9a-f]{8}$ ]]
	[ "$(find .out.* | wc -l)" -eq 16 ]
	# The program that had the lock is gone.
	exec 9<&-
	[ "$(temporary_name)" = .out.00000001 ]
}

@test 'a name that another program takes first is passed over' {
	prof-index -qo want text
	cp want out
	failing linkat:EEXIST:1 prof-index -qo out text
	cmp want out
	[ "$(sed -n 's/.*linkat(.*"\(\.out\.[^"]*\)".*/\1/p' calls)" = \
	    $'.out.00000000\n.out.00000001' ]
	[ "$(echo .out*)" = '.out*' ]
	# In the end there are none.
	ends 2 'prof-index: out: cannot name the new file: File exists' -- \
	    failing linkat:EEXIST:1+ prof-index -qo out text
	cmp want out
}

@test 'a temporary file that has to have a name is locked at once' {
	local n

	strace -o calls -e trace=openat prof-index -qo want text
	n=$(grep -n O_TMPFILE calls | head -n 1 | cut -d : -f 1)
	# As where a file system cannot make files without a name.
	strace -o calls -e trace=openat,flock,fsync,rename,rt_sigprocmask \
	    -e inject=openat:error=EOPNOTSUPP:when="$n" prof-index -qo new text
	same want new
	[ "$(echo .new.*)" = '.new.*' ]
	sed -n -E 's/^openat.*"(.*)", .*O_CREAT.*O_EXCL.*/create \1/p
	    s/^rt_sigprocmask\(SIG_SETMASK, (.).*/signals \1/p
	    s/^(flock|fsync|rename)\([0-9]*(.*[^ ]) += .*/\1(\2/p' calls >got
	same got - <<-'END'
	signals ~
	create .new.00000000
	flock(, LOCK_EX|LOCK_NB)
	signals [
	fsync()
	rename(".new.00000000", "new")
	fsync()
	END
}

@test 'a backup that has to be a copy is private until it is whole' {
	local calls

	old_profile file
	chmod 644 file
	cp -p file before
	failing link:EPERM:1 prof-index --upgrade -q --backup .old file
	cmp before file.old
	[ "$(stat -c %a%Y file.old)" = "$(stat -c %a%Y before)" ]
	rm file.old
	cp -p before file
	strace -f -y -o calls -e trace=link,write,fchmod,fsync,rename \
	    -e inject=link:error=EPERM:when=1 \
	    prof-index --upgrade -q --backup .old file
	calls=$(sed -nE '/ link\(/,/ rename/s/^[0-9]+ +(\w+)\(.*(, 0[0-7]+)?\).*/\1/p' \
	    calls)
	[ "$calls" = $'link\nfchmod\nwrite\nfchmod\nfsync\nrename' ]
	grep -A1 ' link(' calls | grep -q ', 0600)'
}

@test 'no backup stays where nothing was replaced' {
	local fault

	for fault in linkat:EIO:1 rename:EIO:1; do
		old_profile file
		cp file before
		ends 2 "prof-index: file: cannot (re)?name the new file: .*" -- \
		    failing "$fault" prof-index --upgrade -q --backup .old file
		cmp before file
		[ ! -e file.old ]
		[ -z "$(find . -name '.file*')" ]
	done
}

@test 'a backup stays where the new file is in place' {
	old_profile file
	cp file before
	ends 2 'prof-index: file: the new file is in place, but its folder .*' \
	    -- failing fsync:EIO:2 prof-index --upgrade -q --backup .old file
	cmp before file.old
	! cmp -s before file || return 1
	prof-check -q file
}

@test 'every step that fails is an error, and leaves what was there' {
	local fault message

	old_profile before
	while read -r fault message; do
		echo "$fault"
		cp -p before file
		ends 2 "prof-index: file: $message: .*" -- \
		    failing "$fault" prof-index --upgrade -q --preserve file
		cmp before file
		[ -z "$(find . -name '.file*')" ]
	done <<-'END'
	fchmod:EIO:1 cannot set the mode
	utimensat:EIO:1 cannot set the times
	fsync:EIO:1 cannot sync
	linkat:EIO:1 cannot name the new file
	rename:EIO:1 cannot rename the new file
	END
}

@test 'a file system that cannot sync, or knows no locks, is good enough' {
	local fault

	for fault in fsync:EINVAL:1+ flock:ENOLCK:1+; do
		old_profile file
		failing "$fault" prof-index --upgrade -q file
		prof-check -q file
	done
}

@test 'a file system without hidden names, or without new renames, is too' {
	local error

	prof-bundle create -o bundle text
	for error in EINVAL ENOSYS EIO; do
		rm -rf into
		# Without /proc, files have names from the beginning.
		strace -f -o calls -e trace=access,faccessat,renameat2 \
		    -E GCOV_PREFIX="$BATS_RUN_TMPDIR" \
		    -e inject=access,faccessat:error=ENOENT \
		    -e inject=renameat2:error=$error \
		    prof-bundle extract -C into bundle || [ $error = EIO ]
		grep -q "renameat2.*$error.*INJECTED" calls
		if [ $error = EIO ]; then
			[ ! -e into ]
			continue
		fi
		cmp into/text text
		[ "$(ls -A into)" = text ]
	done
}

@test 'where the group cannot be kept, its rights are not given away' {
	old_profile file
	chmod 664 file
	failing fchown:EPERM:1+ prof-index --upgrade -q file
	[ "$(stat -c %a file)" = 604 ]
	old_profile file
	chmod 664 file
	# The owner cannot be kept, but the group.
	failing fchown:EPERM:1 prof-index --upgrade -q file
	[ "$(stat -c %a file)" = 664 ]
}

@test 'output that could not be written once is lost, whatever comes later' {
	local i command status

	half_ran 400 | prof-merge >many
	mkdir runs
	for i in {1..150}; do
		profile '"level":"ir"' "$(fn main 1 "$i")" >"runs/number-$i"
	done
	prof-bundle create -q -o bundle runs
	prof-plan create --shards 1 -o plan runs
	mkdir old
	for i in {1..70}; do
		old_profile "old/number-$i-of-some-that-make-long-lines"
	done
	while read -r command; do
		status=0
		# shellcheck disable=SC2086
		failing write:ENOSPC:1 $command >out 2>stderr || status=$?
		echo "$command: $status"
		[ "$status" -eq 2 ]
		grep -E '(No space left on device|Input/output error)$' stderr
		status=0
		# shellcheck disable=SC2086
		$command >/dev/full 2>stderr || status=$?
		[ "$status" -eq 2 ]
		grep 'No space left on device$' stderr
	done <<-'END'
	prof-bundle list bundle
	prof-bundle list --json bundle
	prof-check --json runs
	prof-check --verbose runs
	prof-diff --json many runs/number-1
	prof-index --upgrade --dry-run -r old
	prof-plan show --shard 1 plan
	prof-merge many
	prof-show --functions many
	prof-show --json --functions many
	profraw-cat many
	END
	# A terminal gets each line at once.
	need script
	run -2 script -qec "strace -o calls -e trace=write \
	    -e inject=write:error=ENOSPC:when=1 prof-merge --help" \
	    /dev/null </dev/null
	[[ $output = *'standard output: '* ]]
}

@test 'a report of which a line is lost is none' {
	local command status

	old_profile old
	cp old older
	head -c 5 text >cut
	for command in 'prof-index --upgrade' \
	    'prof-merge --keep-going -o sum'; do
		: >report
		status=0
		# shellcheck disable=SC2086
		strace -f -o calls -P "$PWD/report" -e trace=write \
		    -e inject=write:error=ENOSPC:when=1 \
		    $command --report report old cut older >out 2>stderr ||
		    status=$?
		echo "$command: $status"
		[ "$status" -eq 2 ]
		grep -q '^prof-[a-z]*: report: ' stderr
	done
}

@test 'writes that are to be repeated are' {
	local fault

	prof-index -qo want text
	for fault in write:EAGAIN:1..2 write:EINTR:1..3; do
		failing "$fault" prof-index -qo - text >got
		cmp want got
	done
	ends 2 'prof-index: standard output: write: No space .*' -- \
	    failing write:ENOSPC:1 prof-index -qo - text >got
}

# Whether times differ by nanoseconds or by all.
@test 'a file that was touched in the meantime is left' {
	local status time

	for time in 2001-02-03T04:05:06.7 2001-02-03T04:05:07.5; do
		old_profile file
		touch -d 2001-02-03T04:05:06.5 file
		cp -p file before
		stopped fsync prof-index --upgrade -q --backup .old file
		touch -d "$time" file
		status=0
		continued || status=$?
		[ "$status" -eq 2 ]
		grep -q 'file: it was changed by another program' first
		cmp before file
		[ ! -e file.old ]
	done
}

# reading FILE CALL:ERROR:WHEN COMMAND: as failing, for calls on that file.
reading() {
	local call error place

	IFS=: read -r call error place <<<"$2"
	strace -f -o calls -P "$PWD/$1" -e trace="$call" \
	    -e inject="$call:error=$error:when=$place" "${@:3}"
}

@test 'reads that are to be repeated are, others fail' {
	local file fault n status

	cp "$(data real/22-ir.profraw)" a.profraw
	tar -cf a.tar a.profraw
	gzip -k a.profraw
	need python3
	python3 -m zipfile -c a.zip a.profraw
	for file in a.profraw a.tar a.profraw.gz a.zip; do
		profraw-cat "$file" >want
		for fault in read:EINTR:1 read:EAGAIN:1 read:EINTR:2+2; do
			reading "$file" $fault profraw-cat "$file" >got
			grep -q INJECTED calls
			cmp want got
		done
		# At the end of a file, too.
		for n in 1 2 3 4; do
			status=0
			reading "$file" read:EIO:$n profraw-cat "$file" >got \
			    2>stderr || status=$?
			grep -q INJECTED calls || break
			echo "$file $n"
			[ "$status" -eq 2 ]
			lines_match "$file.*: (cannot read: )?Input/output.*" \
			    <stderr
		done
		[ "$n" -gt 2 ]
	done
}

@test 'a limit of bytes holds to the byte' {
	local file size

	cp "$(data real/22-ir.profraw)" a.profraw
	size=$(stat -c %s a.profraw)
	tar -cf a.tar a.profraw
	gzip -k a.profraw
	for file in a.profraw a.tar a.profraw.gz; do
		quiet profraw-cat --max-size "$size" "$file" >got
		ends 2 "$file.*: (member inflates to|holds) more .* $((size - 1))" \
		    -- profraw-cat --max-size $((size - 1)) "$file" >got
	done
	quiet profraw-cat --max-size "$size" - <a.profraw >got
	ends 2 '.*: holds more bytes than the limit of .*' -- \
	    profraw-cat --max-size $((size - 1)) - <a.profraw >got
	# Streams have no limit where they are not compressed.
	prof-merge text >stream
	quiet prof-merge --max-size 9 stream >got
	quiet prof-merge --max-size 9 - <stream >got
	gzip stream
	ends 2 'stream.gz: member inflates to more bytes than the limit of 9' \
	    -- prof-merge --max-size 9 stream.gz >got
}

# A shell has read the first line.
@test 'standard input is read from where it stands' {
	printf 'skipped\n' | cat - text >both
	prof-merge text >want
	{ read -r _; prof-merge -; } <both >got
	jq -c 'del(.source)' want >one
	jq -c 'del(.source)' got | cmp - one
}

@test 'messages do not get into outputs where standard streams are closed' {
	prof-merge -o want text
	prof-merge -v -o error text 2>&-
	same want error
	prof-merge -v -o all text <&- >&- 2>&-
	same want all
	prof-bundle create -v -o want.tar text
	prof-bundle create -v -o got.tar text <&- >&- 2>&-
	same want.tar got.tar
	head -c 5 text >cut
	run -1 prof-merge --keep-going --report want.json -o want text cut
	status=0
	prof-merge --keep-going --report got.json -o all text cut <&- 2>&- ||
	    status=$?
	[ "$status" -eq 1 ]
	same want.json got.json
	same want all
	run -2 bash -c 'prof-merge text >&-'
	[[ $output == *': Bad file descriptor' ]]
	run -2 bash -c 'prof-merge - <&-'
	[[ $output == *': Bad file descriptor'* ]]
}

@test 'an upgrade is in place although standard output is closed' {
	old_profile file
	prof-index --upgrade -v file >&-
	prof-index -o want text
	same want file
}
