# What keeps the tree readable: no circles between files, folders that use only
# those below them, function names that lead to one place.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# structure BUILD: what tests/support/structure finds in the objects of a build;
# of a planted one, with a planted tree of sources around the script.
structure() {
	"$top_srcdir/tests/support/structure" "$1"
}

structure_planted() {
	mkdir -p tree/tests/support
	cp "$top_srcdir"/tests/support/structure* \
	    "$top_srcdir"/tests/support/layers tree/tests/support
	tree/tests/support/structure tree
}

# Prints the names that more than two of the files define as functions, and the
# files.  The name stands at the begin of a line, its type on the line before.
common_names() {
	awk '
	FNR == 1 { split("", here) }
	match($0, /^[a-zA-Z_][a-zA-Z_0-9]*\(/) {
		name = substr($0, 1, RLENGTH - 1)
		# A macro that defines is no function: its name is in capitals.
		if (name ~ /^(main|usage|__attribute__|[A-Z_]*)$/ ||
		    name in here)
			next
		here[name] = 1
		count[name]++
		files[name] = files[name] " " FILENAME
	}
	END {
		for (name in count)
			if (count[name] > 2)
				print name ":" files[name]
	}' "$@" | sort
}

# A file of the planted tree and its object: plant FILE <<TEXT
plant() {
	mkdir -p "$(dirname "tree/$1")"
	cat >"tree/$1.c"
	${CC:-cc} -c -o "tree/$1.o" "tree/$1.c"
}

@test 'no file of lib/ and cmd/ is part of a circle, and none uses a folder that it may not use' {
	need nm
	structure "$top_builddir" >found
	cat found
	[ ! -s found ]
}

@test 'a planted circle of three files is found' {
	need nm "${CC:-cc}"
	plant lib/base/one <<<'int two(void); int one(void) { return two(); }'
	plant lib/base/two <<<'int three(void); int two(void) { return three(); }'
	plant lib/base/three <<<'int one(void); int three(void) { return one(); }'
	plant lib/base/user <<<'int one(void); int user(void) { return one(); }'
	plant cmd/none <<<'int none(void) { return 0; }'
	structure_planted >found
	printf 'circle: lib/base/%s\n' one three two | diff - found
}

@test 'a planted use of a folder above is found, and a folder without a row' {
	need nm "${CC:-cc}"
	plant lib/base/low <<<'int high(void); int low(void) { return high(); }'
	plant lib/model/high <<<'int high(void) { return 0; }'
	plant lib/attic/old <<<'int old(void) { return 0; }'
	plant cmd/none <<<'int none(void) { return 0; }'
	structure_planted >found
	cat >want <<-'END'
	layer: lib/base/low uses lib/model/high (high)
	layer: the table has no row for lib/attic
	END
	diff want found
}

@test 'the table of layers names folders that exist' {
	local folder

	awk '!/^#/ { sub(/:/, "", $1); for (i = 1; i <= NF; i++) print $i }' \
	    "$top_srcdir/tests/support/layers" | sort -u >folders
	[ -s folders ]
	while read -r folder; do
		echo "$folder"
		[ -d "$top_srcdir/${folder%/\*}" ]
	done <folders
}

@test 'no function name stands in more than two files' {
	common_names $(find "$top_srcdir/lib" "$top_srcdir/cmd" -name '*.c') \
	    >found
	cat found
	[ ! -s found ]
}

@test 'a name that stands in three files is found' {
	local file

	for file in one two three; do
		printf 'static int\ntake_it(void)\n{\n}\n\nint\nmain(void)\n{\n}\n' >$file.c
	done
	common_names one.c two.c three.c >found
	echo 'take_it: one.c two.c three.c' | diff - found
	common_names one.c two.c >found
	[ ! -s found ]
}

@test 'each folder says in README.md what it holds' {
	local folder

	for folder in $(find "$top_srcdir/lib" "$top_srcdir/cmd" \
	    "$top_srcdir/tests" -name data -prune -o -type d -print); do
		echo "$folder"
		[ -s "$folder/README.md" ]
	done
}

# Stations of a path: `| FILE | FUNCTION | ... |`.
stations() {
	sed -nE 's/^\| ((lib|cmd)\/[^ |]*\.c) \| ([a-z_0-9]+) \|.*/\1 \3/p' "$@"
}

@test 'the paths in lib/README.md lead through functions that there are' {
	local file function

	stations "$top_srcdir/lib/README.md" >found
	[ "$(wc -l <found)" -gt 25 ]
	while read -r file function; do
		echo "$file $function"
		grep -q "^$function(" "$top_srcdir/$file"
	done <found
}

# Files of folders of lib/ and cmd/ that comments and READMEs name: NAME.
named_files() {
	(cd "$1" && grep -rhoE --include='*.[ch]' --include=README.md \
	    "\\b($(ls -d lib/*/ cmd/*/ | xargs -n 1 basename | paste -sd'|')|lib|cmd)(/[a-z_-]+)+\\.[ch]\\b" lib cmd |
	    sort -u)
}

@test 'files that comments and READMEs name are there' {
	local name

	(cd "$top_srcdir" && find lib cmd -name '*.[ch]' | sed 's,^,/,') >all
	named_files "$top_srcdir" >found
	[ "$(wc -l <found)" -gt 100 ]
	while read -r name; do
		grep -qF "/$name" all || echo "$name"
	done <found >missing
	diff /dev/null missing
	mkdir -p lib/io cmd/print
	echo '/* As io/gone.h says, and stdio.h. */' >lib/io/a.c
	named_files . | diff - <(echo io/gone.h)
}

# What a test or a command run by hand has left there is seen before it is kept.
@test 'the root holds the files that are named here' {
	git -C "$top_srcdir" ls-files --error-unmatch configure.ac >all ||
	    skip 'the sources are no repository'
	git -C "$top_srcdir" ls-files >all
	grep -v / all | LC_ALL=C sort | diff - <(printf '%s\n' .clang-format \
	    .clang-tidy .gitignore CONTRIBUTING.md LICENSE Makefile.am NEWS.md \
	    README.md SECURITY.md bootstrap configure.ac)
}
