# tests/support/symbolize.bash - what tests of prof-symbolize share

setup() {
	samples=$(data symbolize)
	cd "$BATS_TEST_TMPDIR"
	cp "$samples"/*.debug "$samples"/*.memprofraw .
	chmod u+w ./*
	unset DEBUGINFOD_URLS
	export HOME=$PWD
}

# Build id of an ELF file.
id_of() {
	LC_ALL=C readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

# address FILE NAME: of a symbol, in hex.
address() {
	nm "$1" | sed -n "s/ [Tt] $2\$//p"
}

# Of a stream, the frames of each stack: names and places, a stack in a line.
frames() {
	jq -c 'select(.record == "stack") | .frames | map(if .function then
	    "\(.function) \(.file):\(.line)\(if .inline then "+" else "" end)"
	    else "-" end)' "$@"
}

# stack ID ADDRESS: a heap profile of one stack, of one address in hex.
stack() {
	printf '{"record":"profile","stream":1,"kind":"memprof"}\n'
	printf '{"record":"segment","id":7,"build_id":"%s"}\n' "$1"
	printf '{"record":"stack","id":"0x%016x","pcs":[[7,"0x%016x"]]}\n' 1 \
	    "0x$2"
	printf '{"record":"allocation","stack":"0x%016x","info":' 1
	printf '{"alloc_count":1}}\n{"record":"end","last":true}\n'
}

# profile_of FILE: makes the file profile, of one stack at the symbol probe.
profile_of() {
	stack "$(id_of "$1")" "$(address "$1" probe)" >profile
}

# build FILE FLAGS...: a program of its own with debug information, and the file
# profile: a heap profile of one stack, in an inlined function.
build() {
	need cc nm readelf objcopy
	cat >probe.c <<-'END'
	static inline __attribute__((always_inline)) void
	inner(void)
	{
		__asm__ volatile (".globl probe\nprobe: nop");
	}

	__attribute__((noinline)) void
	outer(void)
	{
		inner();
	}

	int
	main(void)
	{
		outer();
		return 0;
	}
	END
	cc -O1 -Wl,--build-id=sha1 "${@:2}" -o "$1" probe.c
	profile_of "$1"
}

# finds OPTIONS...: the frames of the stack are found.
finds() {
	quiet prof-symbolize "$@" profile | frames |
	    same - <(printf '["inner %s:4+","outer %s:10"]\n' \
	    "$PWD/probe.c" "$PWD/probe.c")
}
