# What people see of xz, leveldb and Lua on terminals of 80 and 200 columns: the
# golden files are looked at, with `less -R` or cat.

load ../support/helper

setup() {
	need script zstd
	cd "$BATS_TEST_TMPDIR"
	cp "$(data screens)"/*.lprf .
	zstd -dq "$(data screens/lua.ndjson.zst)" -o lua.ndjson
}

# screen COLUMNS LINES COMMAND: what it prints on such a terminal.
screen() {
	env -u NO_COLOR TERM=xterm LC_ALL=C.UTF-8 COLUMNS="$1" LINES="$2" \
	    script -qec "$3" /dev/null </dev/null | tr -d '\r'
}

# Without colours, no line is wider than the terminal, and the lines fit.  Two
# lines are left, without which less -F would wait for a key.
fits() {
	sed 's/\x1b\[[0-9;]*m//g' got >plain
	[ "$(wc -l <plain)" -le "$(($2 - 2))" ] || return 1
	! LC_ALL=C.UTF-8 grep -E "^.{$(($1 + 1)),}" plain
}

# shown NAME COMMAND: the command on both terminals.
shown() {
	local columns lines

	while read -r columns lines; do
		screen "$columns" "$lines" "$2" >got
		golden "screens/$1-$columns" <got
		fits "$columns" "$lines"
	done <<-'END'
	80 24
	200 50
	END
}

@test 'a summary and the hottest functions: xz' {
	shown xz 'prof-show xz-encode.lprf'
}

@test 'a summary and the hottest functions, with names of C++: leveldb' {
	shown leveldb 'prof-show -C leveldb-20000.lprf'
}

@test 'who allocates: Lua' {
	shown lua-sites 'prof-show --heap lua.ndjson'
}

@test 'the callers of who allocates: Lua' {
	shown lua 'prof-show --heap --callers lua.ndjson'
}

@test 'what changed: xz' {
	shown xz-diff 'prof-diff xz-encode.lprf xz-decode.lprf'
}

@test 'what changed, with names of C++: leveldb' {
	shown leveldb-diff \
	    'prof-diff -C leveldb-6000.lprf leveldb-20000.lprf'
}

@test 'a screen without colours has the same text' {
	screen 80 24 'prof-show -C leveldb-20000.lprf' |
	    sed 's/\x1b\[[0-9;]*m//g' >want
	screen 80 24 'NO_COLOR=1 prof-show -C leveldb-20000.lprf' |
	    same want -
	screen 80 24 'prof-show --color=never -C leveldb-20000.lprf' |
	    same want -
}
