# The manual pages are true: their examples print what they show, and they tell
# of the options that there are.

load ../support/helper

# Prints the literal displays of a page that begin with a command, as a reader
# of the page sees them.
displays() {
	awk '
	/^\.Bd -literal/ { inside = 1; next }
	/^\.Ed/ { inside = shown = 0 }
	inside && /^\$ / { shown = 1 }
	shown' "$1" | sed 's/\\&//g; s/\\e/\\/g'
}

# Whether the first argument is the second, in which a line "..." stands for
# any number of lines.
is_like() {
	local any=$'\n...\n' got=$'\n'$1 want=$'\n'$2

	if [[ $want == *"$any"* ]]; then
		[[ $got == "${want%%"$any"*}"$'\n'*"${want#*"$any"}" ]]
	else
		[ "$got" = "$want" ]
	fi
}

# Runs a command, which must succeed and print what is expected.
check() {
	local got status

	[ -n "$1" ] || return 0
	printf '$ %s\n' "$1"
	got=$(bash -o pipefail -c "$1" </dev/null 2>stderr; echo ":$?")
	status=${got##*:}
	got=${got%:*}
	if [ "$status" -eq 0 ] && is_like "$got" "$2"; then
		return 0
	fi
	diff -u --label page --label here <(printf %s "$2") \
	    <(printf %s "$got") || true
	echo "status $status"
	cat stderr
	return 1
}

# Whether a command ends here, and not in the middle of a quote or pipe.
is_whole() {
	[[ $1 != *\\ ]] && bash -n -c "$1" 2>/dev/null
}

# Runs the examples of a page: a line "$ COMMAND", the lines that go on with
# it, and what it prints.
run_examples() {
	local line command= expected= more= failed=0

	while IFS= read -r line; do
		if [ -n "$more" ]; then
			command+=$'\n'$line
		elif [[ $line == '$ '* ]]; then
			check "$command" "$expected" || failed=1
			command=${line#'$ '}
			expected=
		else
			expected+=$line$'\n'
			continue
		fi
		more=
		is_whole "$command" || more=yes
	done < <(displays "$1")
	check "$command" "$expected" || failed=1
	return "$failed"
}

# Makes the current folder the one that the pages take for granted.
prepare() {
	local file

	need jq zstd
	mkdir "$1"
	cd "$1"
	cp "$top_srcdir/demo/sample.tar.zst" .
	zstd -dqc sample.tar.zst | tar -xf -
	mv sample/clang-16/frequent.profraw a.profraw
	mv sample/clang-19/alphabet.profraw b.profraw
	mv sample/clang-22/longest.profraw c.profraw
	rm -r sample
	zstd -dqc "$top_srcdir/demo/covered.tar.zst" | tar -xf -
	mkdir demo
	cp "$top_srcdir/demo/words.c" demo
	cp "$top_srcdir/tests/data/heap/app.ndjson" heap.ndjson
	cp "$top_srcdir/tests/data/cover.ndjson" .
	for file in app libpart; do
		cp "$top_srcdir/tests/data/symbolize/$file-22.debug" \
		    "$file.debug"
	done
	cp "$top_srcdir/tests/data/symbolize/app-22.memprofraw" app.memprofraw
	cp "$(data real)/19-temporal.profraw" startup.profraw
	mkdir runs
	cp [abc].profraw runs
	prof-index -q --to indexed:4 -o old.profdata c.profraw
	prof-index -q -o words.profdata frequent.profraw
	diff -u /dev/null demo/words.c >change.diff || true
}

@test 'examples of all pages print what they show' {
	local page failed=0

	for page in "$top_srcdir"/man/*.[1-9]; do
		echo "# ${page##*/}"
		prepare "$BATS_TEST_TMPDIR/${page##*/}"
		run_examples "$page" || failed=1
	done
	[ "$failed" -eq 0 ]
}

@test 'the check of examples sees what is wrong' {
	cd "$BATS_TEST_TMPDIR"
	example() {
		printf '%s\n' '.Bd -literal -offset indent' "$@" .Ed >page
	}
	example '$ echo a; echo b; echo c' a '\&...' c
	run_examples page
	example '$ echo a |' '    cat \e' '-' a "$ echo 'b" "c'" b c '$ true'
	run_examples page
	example '$ echo a; echo b' a
	run ! run_examples page
	example '$ echo a; echo b' a '\&...' a
	run ! run_examples page
	example '$ echo a' b '$ echo a' a
	run ! run_examples page
	example '$ echo a; false' a
	run ! run_examples page
	example '$ false | true'
	run ! run_examples page
}

# links FOLDER: each place that a page of the folder links to there, as FILE or
# FILE#PART, and the page, a line each.
links() {
	(cd "$1" && grep -oE 'href="[^"]*"' *.html) |
	    sed -nE 's/^([^:]*):href="(.*)"$/\1 \2/; /:\/\//d
		s/^([^ ]*) #/\1 \1#/; p' | sort -u
}

# places FOLDER: each file of the folder, and each part of it as FILE#PART.
places() {
	(cd "$1" && ls && grep -o 'id="[^"]*"' *.html) |
	    sed -E 's/:id="(.*)"$/#\1/'
}

# dangling FOLDER: prints the links that lead nowhere.
dangling() {
	awk 'NR == FNR { known[$0]; next }
	    !($2 in known) { print $1 ": " $2 }' <(places "$1") <(links "$1")
}

@test 'pages as HTML have an index, and links that lead somewhere' {
	local html=$BATS_TEST_TMPDIR/html lost=$BATS_TEST_TMPDIR/lost page

	need mandoc
	"$top_srcdir/man/html" "$html"
	for page in "$top_srcdir"/man/*.[1-9]; do
		page=$(basename "$page")
		grep -qF "<a href=\"$page.html\">" "$html/index.html"
		grep -q '</html>' "$html/$page.html"
	done
	[ "$(links "$html" | wc -l)" -gt 500 ]
	dangling "$html" | tee "$lost"
	[ ! -s "$lost" ]
	# No link leads to another project's copy of these pages.
	run ! grep -hE 'manpages.debian.org/(proftools|prof-merge|profraw)' \
	    "$html"/*.html
	rm "$html/proftext.5.html"
	sed -i 's/id="Rules"/id="Rule"/' "$html/prof-stream.5.html"
	dangling "$html" >"$lost"
	grep -q '^index.html: proftext.5.html$' "$lost"
	grep -q '^prof-stream.5.html: prof-stream.5.html#Rules$' "$lost"
}

# The options of LLVM's programs are those of their commands.
help_of() {
	local command

	"$1" --help
	case $1 in
	llvm-cov) set -- "$1" export report show ;;
	llvm-profdata) set -- "$1" merge show overlap order ;;
	*) return ;;
	esac
	for command in "${@:2}"; do
		"$1" "$command" --help
	done
}

@test 'the help of programs fits a screen, and ends with two examples that run' {
	local command page program

	for page in "$top_srcdir"/man/*.1; do
		program=$(basename "$page" .1)
		program=${program#proftools-}
		prepare "$BATS_TEST_TMPDIR/$program"
		"$program" --help >help
		[ "$(wc -l <help)" -le 60 ]
		[ "$(tail -n 3 help | head -n 1)" = Examples: ]
		while read -r command; do
			printf '$ %s\n' "$command"
			[[ $command == "$program "* ]]
			bash -o pipefail -c "$command" </dev/null >out
		done < <(tail -n 2 help)
	done
}

# options_in PAGE: those of which it tells, a line each.
options_in() {
	grep '^\.It Fl ' "$@" | grep -oE 'Fl -?[a-zA-Z0-9][a-z-]*' |
	    sed 's/^Fl /-/' | sort -u
}

# Of those that all programs have, proftools-options.7 tells.
@test 'pages of programs tell of their options' {
	local page program

	cd "$BATS_TEST_TMPDIR"
	options_in "$top_srcdir/man/proftools-options.7" >common
	[ "$(wc -l <common)" -gt 15 ]
	for page in "$top_srcdir"/man/*.1; do
		program=$(basename "$page" .1)
		program=${program#proftools-}
		help_of "$program" |
		    grep -oE -- '(^  -[a-zA-Z0-9][,= ]|--[a-zA-Z][a-z-]*)' |
		    tr -d ' ,=' | sort -u >help
		options_in "$page" >page
		echo "$program"
		grep -vxFf common page | sort >own
		grep -vxFf common help | diff -u - own
	done
}

@test 'pages of programs begin with three commands' {
	local page

	for page in "$top_srcdir"/man/*.1; do
		echo "${page##*/}"
		[ "$(sed '/^\.Ed/q' "$page" | grep -c '^\$ ')" -ge 3 ]
	done
}

@test 'every program has a page, and proftools.7 names it' {
	local file program

	cd "$top_srcdir"
	for file in $(grep -l '^main(' cmd/*.c); do
		program=$(basename "$file" .c)
		# LLVM has a page of that name.
		program=${program/#llvm-/proftools-llvm-}
		echo "$program"
		[ -e "man/$program.1" ]
		grep -q "^\.It Xr $program 1" man/proftools.7
	done
}

# groff runs the words of a cell that is wider than its column into the next.
@test 'the first column of a table is as wide as its widest cell' {
	awk '
	/^\.Bl/ { width = split($0, q, "\"") > 2 ? length(q[2]) : 0 }
	/^\.El/ { width = 0 }
	!width || !/^\.It .* Ta/ || /^\.It Ta/ || / Ta \\ / { next }
	{
		cell = substr($0, 5)
		sub(/ Ta.*/, "", cell)
		sub(/^Xr /, "(", cell)
		gsub(/ ?Ns /, "", cell)
		gsub(/Fl /, "-", cell)
		gsub(/[A-Z][a-z] |\\[&-]/, "", cell)
		gsub(/ ,/, ",", cell)
	}
	length(cell) > width { print FILENAME ": " cell ": wider than " width }
	' "$top_srcdir"/man/*.[0-9] | same - /dev/null
}
