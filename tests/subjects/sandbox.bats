# What a program cannot do once it reads input: tests/support/planted.c is
# loaded into each program, and tries.

load ../support/helper

setup() {
	grep -q '^#define SANDBOX 1' "$top_builddir/config.h" ||
	    skip 'built without a sandbox'
	planted=$top_builddir/tests/support/planted.so
	[ -e "$planted" ] || skip "needs $planted: make check builds it"
	[ "$(uname -s)" = Linux ] || skip 'needs Linux'
	cd "$BATS_TEST_TMPDIR"
	mkdir here elsewhere temporary
	# prof-merge may always make files in this folder.
	export TMPDIR=$BATS_TEST_TMPDIR/temporary
	profile '"level":"ir"' "$(fn f 1 1,2)" >stream
	cp stream here/planted
	echo old >elsewhere/old
}

# Version 1 of Landlock came with Linux 5.13, 4 with 6.7, and 6 with 6.12.
need_landlock() {
	says Success landlock "${1-1}" prof-merge ||
	    skip "this kernel has no version ${1-1} of Landlock"
}

# plant WHAT PATH COMMAND: the error that the command met when it tried, here.
plant() {
	(
		cd here
		PLANT=$1 PLANT_PATH=$2 LD_PRELOAD=$planted "${@:3}" \
		    <../stream 2>&1 >/dev/null
	) | sed -n 's/^planted: //p'
}

# says ERROR WHAT PATH COMMAND
says() {
	local error=$1 said

	shift
	said=$(plant "$@")
	[ "$said" = "$error" ] || {
		echo "$*: '$said', not '$error'" >&2
		return 1
	}
}

# A command line for each program; all read standard input or the file planted.
each_program() {
	cat <<-'END'
	llvm-cov report -instr-profile planted planted
	llvm-profdata show planted
	prof-bundle create
	prof-check
	prof-cover
	prof-diff planted planted
	prof-export --to folded
	prof-filter
	prof-index
	prof-merge
	prof-order
	prof-plan show planted
	prof-report
	prof-show
	prof-symbolize --debug-dir none
	profraw-cat
	END
}

@test 'there is a command line for each program' {
	each_program | sed 's/ .*//' | sort >listed
	ls "$top_srcdir/cmd" | sed -n 's/\.c$//p' | sort | diff - listed
}

@test 'no program creates a file, starts another or connects to a server' {
	local line

	need_landlock 4
	while read -r line; do
		says 'Permission denied' create ../elsewhere/new $line
		says 'Permission denied' create new $line
		says 'Permission denied' program /bin/true $line
		says 'Permission denied' internet . $line
	done < <(each_program)
	[ "$(ls elsewhere here)" = "$(printf '%s\n' elsewhere: old '' here: \
	    planted)" ]
}

@test 'without the sandbox, these are possible' {
	says Success create ../elsewhere/new \
	    env PROFTOOLS_SANDBOX=off prof-merge
	says 'Connection refused' internet . \
	    env PROFTOOLS_SANDBOX=off prof-merge
}

@test 'files outside the folder of the output stay as they are' {
	local what path

	need_landlock
	while read -r what path; do
		says 'Permission denied' "$what" "../elsewhere/$path" \
		    prof-merge -o out
		[ "$(ls elsewhere)" = old ]
		[ "$(cat elsewhere/old)" = old ]
		says Success "$what" "../elsewhere/$path" \
		    env PROFTOOLS_SANDBOX=off prof-merge -o out
		rm -rf elsewhere here/planted
		mkdir elsewhere
		echo old >elsewhere/old
		cp stream here/planted
	done <<-'END'
	create new
	write old
	truncate old
	remove old
	link new
	folder new
	rename old
	END
}

@test 'signals do not reach other programs' {
	need_landlock 6
	says Success signal . env PROFTOOLS_SANDBOX=off prof-merge
	says 'Operation not permitted' signal . prof-merge
}

@test 'threads are created, and files are read' {
	says Success thread . prof-merge
	says Success read ../elsewhere/old prof-merge
}

@test 'the folders of output, report and temporaries are writable' {
	local folder line

	need_landlock
	mkdir -p a/out a/report a/tmp
	while read -r folder line; do
		echo "$folder: $line"
		says Success create "../a/$folder/new" env TMPDIR=../a/tmp $line
		rm "a/$folder/new"
		says 'Permission denied' create ../elsewhere/new \
		    env TMPDIR=../a/tmp $line
	done <<-'END'
	out prof-merge -o ../a/out/x
	report prof-check --report ../a/report/x
	report prof-merge --report ../a/report/x
	tmp prof-merge -S 64M
	out llvm-profdata merge -o ../a/out/y -
	END
	says 'Permission denied' create ../a/tmp/new env TMPDIR=../a/tmp \
	    prof-filter
}

@test 'an output may be a device, a pipe, or a link to another folder' {
	need_landlock
	mkdir real
	ln -s real/linked link
	mkfifo fifo
	cat fifo >piped &
	quiet prof-merge -o fifo stream
	wait $!
	quiet prof-merge -o /dev/null stream
	quiet prof-merge -o /dev/stdout stream >one
	quiet prof-merge -o >(cat >two) stream
	quiet prof-merge -o link stream
	same real/linked one
	same piped one
	says 'Permission denied' create ../elsewhere/new prof-merge \
	    -o /dev/null
}

@test '--upgrade writes where its inputs are' {
	local line

	need_landlock
	mkdir a
	prof-index --to indexed:5 -o a/p stream
	cp -R a b
	echo b/p >list
	for line in a/p '-r a' '-r a/p'; do
		says Success create ../a/new prof-index --upgrade --dry-run \
		    ${line/a/..\/a}
		rm a/new
		says 'Permission denied' create ../elsewhere/new \
		    prof-index --upgrade --dry-run ${line/a/..\/a}
	done
	says Success create ../elsewhere/new prof-index --upgrade --dry-run \
	    --files-from ../list ../a/p
	prof-index --upgrade a/p
	prof-index --upgrade --files-from list
	same a/p b/p
}

@test 'prof-plan clean removes files anywhere, and creates none' {
	need_landlock
	mkdir a
	cp stream a/in
	prof-plan create --shards 1 -o plan a/in
	prof-plan part plan --shard 1 -o part
	says 'Permission denied' create ../elsewhere/new \
	    prof-plan clean ../plan ../part
	says Success remove ../elsewhere/old prof-plan clean ../plan ../part
}

@test 'extract and --group-by write in folders that they make' {
	need_landlock
	prof-bundle create -o bundle stream
	mkdir into
	says Success create ../into/new prof-bundle extract -C ../into ../bundle
	says 'Permission denied' create ../elsewhere/new \
	    prof-bundle extract -C ../into/more ../bundle
	ls into/more/*
	says 'Permission denied' create ../elsewhere/new \
	    prof-merge --group-by binary-id -o ../into/groups
	ls into/groups/*
	says Success create ../new prof-bundle add ../bundle
}

@test 'debuginfod has connections and its cache, and starts no programs' {
	local ask='prof-symbolize --debuginfod'

	need_landlock 4
	export DEBUGINFOD_URLS=http://127.0.0.1:9 DEBUGINFOD_CACHE_PATH=$PWD/c
	mkdir c
	says 'Connection refused' internet . $ask
	says Success create ../c/new $ask
	says 'Permission denied' create ../elsewhere/new $ask
	says 'Permission denied' program /bin/true $ask
}

@test 'an interrupted or missing sandbox changes nothing' {
	local call

	need_strace
	prof-merge -o want stream
	for call in landlock_create_ruleset landlock_add_rule \
	    landlock_restrict_self prctl; do
		echo "$call"
		rm -f trace out
		quiet strace -o trace -e trace="$call" \
		    -e inject="$call:error=ENOSYS" prof-merge -o out stream
		grep -q INJECTED trace
		same want out
	done
}

@test '--fetch: the command is not restricted' {
	need_landlock
	prof-plan create --shards 1 --fetch 'cat "$1"' -o here/plan planted
	(cd here && prof-plan part plan --shard 1 \
	    --fetch 'cat "$1" 2>/dev/null; echo >../elsewhere/made') >out
	grep -q '"used":1' out
	[ -e elsewhere/made ]
}
