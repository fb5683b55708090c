# Libraries that programs are linked with, which all of them load as they start,
# and those that are loaded when they are needed.

load ../support/helper

setup() {
	need readelf
	cd "$BATS_TEST_TMPDIR"
	printf ':ir\nf\n1\n1\n5\n\n' >good.proftext
	tar -cf a.tar good.proftext
}

# The libraries that a program names, a line each.
linked() {
	readelf -d "$top_builddir/cmd/$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}

# Skips the test if the loader does nothing for these programs.
need_loaded() {
	! linked profraw-cat | grep -q libarchive || skip 'libarchive is linked'
	[ -n "$(linked profraw-cat)" ] || skip 'the programs are static'
}

# The soname in the note of a program on FEATURE, and its priority.
noted() {
	grep -aoE '\[\{"soname":\["[^]]*"\],"feature":"'"$2"'","priority":"[a-z]*"\}\]' \
	    "$top_builddir/cmd/$1" | jq -r '.[0] | "\(.soname[0]) \(.priority)"'
}

# bad_library FEATURE <file: the loader finds it before the real library.
bad_library() {
	local program=profraw-cat soname

	[ "$1" != symbols ] || program=prof-symbolize
	mkdir bad
	soname=$(noted "$program" "$1")
	cat >"bad/${soname% *}"
	export LD_LIBRARY_PATH=$PWD/bad
}

@test 'programs start without libraries that bring many others' {
	local program

	need_loaded
	for program in $(cd "$top_builddir/cmd" && ls -d prof*-* llvm-profdata |
	    grep -vF .); do
		echo "$program"
		linked "$program" | grep -vE '^(lib(asan|c|deflate|gcc_s|jansson|m|nettle|protobuf-c|pthread|resolv|tsan|ubsan|z)|ld-linux.*)\.so' >others || :
		[ ! -s others ]
	done
}

@test 'a missing library is named' {
	local command

	need_loaded
	prof-bundle create -o bundle.tar good.proftext
	bad_library archives <<<'no library'
	for command in 'profraw-cat a.tar' 'prof-show a.tar' \
	    'prof-merge -o out a.tar' 'prof-bundle create -o out a.tar' \
	    'prof-bundle create -o out good.proftext' \
	    'prof-merge --keep-going -o out good.proftext a.tar' \
	    'prof-check a.tar good.proftext' 'prof-bundle list bundle.tar'; do
		run -2 --separate-stderr $command
		printf '%s: %s\n' "$command" "$stderr"
		[[ $stderr =~ cannot\ load\ .*/bad/libarchive\.so\.[0-9]+:\ .+ ]]
		# A stream says that it is none.
		[[ -z $output || $output == '{"record":"abort",'* ]]
		[ ! -e out ]
	done
	# Nothing is loaded for what is no archive.
	profraw-cat good.proftext | prof-merge -o out
}

@test 'libraries of one format are needed for it alone' {
	local feature file

	need_loaded
	prof-merge -o good.zst good.proftext
	mv good.zst good.zstd
	cp "$(data memprof)/sample.yaml" good.yaml
	for feature in yaml zstd; do
		rm -rf bad
		bad_library "$feature" <<<'no library'
		for file in good.*; do
			if [ "$file" = "good.$feature" ]; then
				refused 'cannot load .*/bad/lib' \
				    profraw-cat -o new "$file"
				[ ! -e new ]
			else
				profraw-cat "$file" >/dev/null
			fi
		done
	done
	# Nothing is written, either.
	refused 'cannot load .*/bad/libzstd' prof-merge -o new.zst good.proftext
	[ ! -e new.zst ]
}

@test 'what reads binaries is loaded when one is opened' {
	local binary=$(data symbolize)/app-22

	need_loaded
	bad_library symbols <<<'no library'
	prof-symbolize --help >/dev/null
	refused 'cannot load .*/bad/libdw' prof-symbolize -o new \
	    --binary "$binary.debug" "$binary.memprofraw"
	[ ! -e new ]
}

@test 'a library without a function that is called is named' {
	need_loaded
	need "${CC:-cc}"
	echo 'int archive_read_new;' >few.c
	"${CC:-cc}" -shared -fPIC -o few few.c
	bad_library archives <few
	run -2 --separate-stderr prof-merge -o out a.tar
	[[ $stderr =~ cannot\ load\ .*/bad/libarchive.*archive_ ]]
	[ ! -e out ]
}

@test 'programs say which libraries they load' {
	need_loaded
	need jq
	[[ $(noted profraw-cat archives) =~ ^libarchive\.so\.[0-9]+\ required$ ]]
	[[ $(noted profraw-cat yaml) =~ ^libyaml-0\.so\.[0-9]+\ required$ ]]
	[[ $(noted profraw-cat zstd) =~ ^libzstd\.so\.[0-9]+\ required$ ]]
	run -0 readelf -SW "$top_builddir/cmd/profraw-cat"
	[[ $output =~ \.note\.dlopen\ +NOTE ]]
	[ -z "$(noted profraw-cat debuginfod)" ]
	[[ $(noted prof-symbolize symbols) =~ ^libdw\.so\.[0-9]+\ required$ ]]
}
