# The JSON Schema of a line of the stream: lines of all samples hold against it,
# and wrong lines do not.

load ../support/helper

schema() {
	local status=0

	need python3
	python3 "$top_srcdir/tests/support/schema.py" \
	    "$top_srcdir/share/prof-stream.schema.json" "$1" || status=$?
	[ "$status" -ne 77 ] || skip 'needs python3-jsonschema'
	return "$status"
}

@test 'what is written holds against the schema' {
	cd "$(data)"
	schema good < <(cat good/*.ndjson memprof-raw/good/*.ndjson \
	    sample.ndjson esc-names.ndjson no-values.ndjson heap/app.ndjson \
	    heap/sample.ndjson symbolize/*.ndjson 2>/dev/null)
	schema good < <(profraw-cat good/v*.profraw memprof/v*.profdata \
	    real/*.profraw 2>/dev/null)
}

@test 'wrong lines do not hold against the schema' {
	schema wrong <"$(data wrong-lines.ndjson)"
}

@test 'the check of lines sees what is wrong' {
	echo '{"record":"end"}' >line
	schema good <line
	run ! schema wrong <line
	run ! schema good <"$(data wrong-lines.ndjson)"
}
