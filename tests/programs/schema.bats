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

@test 'prof-cover refuses what the schema refuses' {
	local line head='{"record":"coverage","stream":1}' n=0

	schema wrong <"$(data wrong-coverage.ndjson)"
	schema good < <(cat "$(data cover.ndjson)")
	while IFS= read -r line; do
		case $line in
		'{"record":"coverage"'*) echo "$line" ;;
		*) printf '%s\n' "$head" "$line" ;;
		esac >"$BATS_TEST_TMPDIR/wrong"
		echo '{"record":"end","last":true}' >>"$BATS_TEST_TMPDIR/wrong"
		echo "$line"
		run -2 prof-cover --to lcov "$BATS_TEST_TMPDIR/wrong"
		n=$((n + 1))
	done <"$(data wrong-coverage.ndjson)"
	[ "$n" -gt 25 ]
}

@test 'the check of lines sees what is wrong' {
	echo '{"record":"end"}' >line
	schema good <line
	run ! schema wrong <line
	run ! schema good <"$(data wrong-lines.ndjson)"
}

# Properties are those of the table that the reader and the writer go by; some
# that are missing are refused without a word in the table.
@test 'the schema has the members of records, and no others' {
	need python3
	"$top_builddir/tests/support/members" | sort -u >table
	python3 "$top_srcdir/tests/support/schema-members.py" \
	    "$top_srcdir/share/prof-stream.schema.json" | sort -u >schema
	diff <(sed 's/ .*//' table) <(sed 's/ .*//' schema)
	[ "$(wc -l <table)" -gt 100 ]
	! comm -13 schema <(grep " required$" table) | grep .
}

@test 'the reader refuses what the schema refuses' {
	local n=0 line head='{"record":"profile","stream":1,"kind":"mixed"}'

	while IFS= read -r line; do
		case $line in
		'{"record":"profile"'*) echo "$line" ;;
		*) printf '%s\n' "$head" "$line" ;;
		esac >$((n += 1)).ndjson
		echo '{"record":"end","last":true}' >>"$n.ndjson"
	done <"$(data wrong-lines.ndjson)"
	[ "$n" -gt 100 ]
	prof-check --json *.ndjson >out || [ $? -eq 1 ]
	tail -n 1 out
	grep -v '"state":"bad"' out | sed '$d' | tee sound
	[ ! -s sound ]
}
