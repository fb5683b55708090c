# tests/support/helper.bash - what the .bats files share; each begins with `load helper`
#
# make check sets top_srcdir, top_builddir, PROFTOOLS_CORPUS and puts the
# programs first in PATH (AM_TESTS_ENVIRONMENT).  The defaults here are for
# `bats tests/programs/NAME.bats` by hand, with a build in build/.
#
# Tests write to $BATS_TEST_TMPDIR only: under distcheck the source tree is
# read-only.

bats_require_minimum_version 1.5.0

: "${top_srcdir:=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}"
: "${top_builddir:=$top_srcdir/build}"
: "${PROFTOOLS_CORPUS:=$top_srcdir/../shared/corpus}"
case :$PATH: in
*":$top_builddir/cmd:"*) ;;
*) PATH=$top_builddir/cmd:$top_builddir/tests/support:$PATH ;;
esac
export top_srcdir top_builddir PROFTOOLS_CORPUS PATH

# Messages of the C library and jq's sorting shall not depend on the user.
export LC_ALL=C

# Path of a file of tests/data.
data() {
	printf '%s\n' "$top_srcdir/tests/data/$1"
}

# Path of a file of the shared corpus; call need_corpus first.
corpus() {
	printf '%s\n' "$PROFTOOLS_CORPUS/$1"
}

# some N [WORD...]: every N-th of the words, or of the lines of standard input,
# one a line; all of them with PROFTOOLS_ALL.
some() {
	if [ $# -gt 1 ]; then
		printf '%s\n' "${@:2}"
	else
		cat
	fi | awk -v n="${PROFTOOLS_ALL:+1}" -v other="$1" \
	    '(NR - 1) % (n ? n : other) == 0'
}

# of_all ALL SAMPLE: the number that holds for all files, or for those of `some`.
of_all() {
	if [ -n "${PROFTOOLS_ALL-}" ]; then
		echo "$1"
	else
		echo "$2"
	fi
}

# Skips the test unless all of the tools are there; PROFTOOLS_NO_ORACLES says
# to do without LLVM's, for a second run of the same tests.
need() {
	local tool

	for tool; do
		case ${PROFTOOLS_NO_ORACLES:+$tool} in
		clang* | llvm*) skip "does without $tool" ;;
		esac
		command -v "$tool" >/dev/null || skip "needs $tool"
	done
}

need_corpus() {
	[ -d "$PROFTOOLS_CORPUS" ] || skip 'needs the shared corpus'
}

# half_ran N: a text profile of N functions; half of them have only zero counts.
half_ran() {
	awk -v n="$1" 'BEGIN {
		print ":ir"
		for (i = seed = 1; i <= n; i++) {
			seed = (seed * 1103 + 12345) % 65536
			printf "f%05d\n1\n2\n0\n%d\n\n", i,
			    seed % 64 < 32 ? 0 : seed
		}
	}'
}

# protoc, or the compiler for C that the build uses, which decodes as well.
has_protoc() {
	protoc=$(command -v protoc || command -v protoc-c)
}

need_protoc() {
	has_protoc || skip 'needs protoc'
}

# The pprof file of standard input as text.
pprof_text() {
	has_protoc
	gunzip | "$protoc" --decode perftools.profiles.Profile \
	    --proto_path "$top_srcdir/lib/export" profile.proto
}

# LeakSanitizer fails below a tracer.
need_strace() {
	need strace
	export ASAN_OPTIONS=detect_leaks=0
	strace -o "$BATS_TEST_TMPDIR/trace" true 2>/dev/null ||
	    skip 'strace may not trace'
}

# Where calls fail, the counts of a coverage build would be cut: GCOV_PREFIX
# moves them elsewhere.

# killed CALL N COMMAND: the command, killed at the N-th call; false if it has
# fewer of them.
killed() {
	local trace=$BATS_TEST_TMPDIR/trace

	ASAN_OPTIONS=detect_leaks=0 strace -f -o "$trace" -e trace="$1" \
	    -E GCOV_PREFIX="$BATS_RUN_TMPDIR" \
	    -e inject="$1:signal=KILL:when=$2" "${@:3}" 2>/dev/null || true
	grep -q 'killed by SIGKILL' "$trace"
}

# stopped CALL COMMAND: the command, stopped at its first such call; what comes
# next runs meanwhile.  continued: lets go of it, and returns its status.
stopped() {
	rm -f "$BATS_TEST_TMPDIR/stopped"
	ASAN_OPTIONS=detect_leaks=0 strace -f -o "$BATS_TEST_TMPDIR/stopped" \
	    -e trace="$1" -e inject="$1:signal=STOP:when=1" "${@:2}" \
	    2>"$BATS_TEST_TMPDIR/first" 3>&- &
	stopped_tracer=$!
	until grep -q 'stopped by SIGSTOP' "$BATS_TEST_TMPDIR/stopped" \
	    2>/dev/null; do
		kill -0 "$stopped_tracer" || return 1
	done
}

continued() {
	kill -CONT "$(sed -n '1s/ .*//p' "$BATS_TEST_TMPDIR/stopped")"
	wait "$stopped_tracer"
}

# A row of shell pipes: fails if any program of it does.
pipe() {
	bash -o pipefail -c "$1" pipe "${@:2}"
}

# Standard input, a stream, without what depends on where it was read from and
# on the order of its records: for holding two streams against each other.
canon() {
	jq -cS 'del(.source)' | sort
}

# Fails unless standard input equals the file tests/data/golden/NAME;
# `make update-golden` writes the file instead.
golden() {
	local file

	file=$(data "golden/$1")
	if [ -n "${UPDATE_GOLDEN-}" ]; then
		mkdir -p "$(dirname "$file")"
		cat >"$file"
	else
		diff -u "$file" -
	fi
}

# Whether the lines of standard input are as many as the regexes, and each
# matches its own.
lines_match() {
	local line regex

	for regex; do
		IFS= read -r line && [[ $line =~ $regex ]] || return 1
	done
	! IFS= read -r line
}

# tell STATUS COMMAND...: what happened, for a test that fails.
tell() {
	printf 'status %s: %s\n' "$1" "${*:2}"
	tail -n 5 "$BATS_TEST_TMPDIR/stderr"
	# Nobody sees the status of a command in front of a pipe: teardown fails.
	[ "$BASH_SUBSHELL" -eq 0 ] || : >"$BATS_TEST_TMPDIR/failed-in-subshell"
} >&2

# The last command of each teardown.
subshells_passed() {
	[ ! -e "$BATS_TEST_TMPDIR/failed-in-subshell" ]
}

teardown() {
	subshells_passed
}

# ends STATUS REGEX... -- COMMAND: the command has that status, and a line for
# each regex on standard error.  A reader of its output has to read all: behind
# `grep -q` or `head` the command may fail to write.
ends() {
	local regexes=() status=0 want=$1 said=$BATS_TEST_TMPDIR/stderr

	shift
	while [ "$1" != -- ]; do
		regexes+=("$1")
		shift
	done
	"${@:2}" 2>"$said" || status=$?
	if [ "$status" -ne "$want" ] ||
	    ! lines_match "${regexes[@]}" <"$said"; then
		tell "$status" "${@:2}"
		return 1
	fi
}

# warns REGEX... -- COMMAND: the command succeeds, and has these lines.
warns() {
	ends 0 "$@"
}

# The command succeeds without a word on standard error.
quiet() {
	warns -- "$@"
}

# brief COMMAND: the command, which fails if it takes 20 seconds of processor
# time: for inputs that would take minutes if time grew with their square.
brief() {
	(ulimit -t 20; exec "$@")
}

# A stream that its writer gave up ends with the reason; what is no stream may
# end anywhere.
is_given_up() {
	local first=

	IFS= read -r first <"$1" || :
	[[ $first != '{"record":'* ]] || [[ $(tail -n 1 "$1") == \
	    '{"record":"abort","reason":"'?*'"}' ]]
}

# refused REGEX COMMAND: status 2, and the last line on standard error matches,
# or the one before a hint.  What was printed is in the files out and stderr.
refused() {
	local status=0 said

	"${@:2}" >out 2>stderr || status=$?
	mapfile -t said < <(grep -v "^$2: hint: " stderr)
	if [ "$status" -ne 2 ] || ! is_given_up out ||
	    ! [[ ${said[*]: -1} =~ ^$2:.*$1 ]]; then
		tell "$status" "${@:2}"
		return 1
	fi
}

# usage_error REGEX COMMAND: status 2, and on standard error a line that matches
# and one that tells of --help.
usage_error() {
	local status=0

	"${@:2}" >out 2>stderr || status=$?
	if [ "$status" -ne 2 ] || [ -s out ] ||
	    ! lines_match "^$2: .*$1" "^Try '$2 --help'\.$" <stderr; then
		tell "$status" "${@:2}"
		return 1
	fi
}

# Fails unless both files are the same, and shows where they are not.
same() {
	local difference

	difference=$(diff -u "$1" "$2") || {
		head -n 40 <<<"$difference"
		return 1
	}
}

# A stream of one profile: keys of its head behind kind, then records.
profile() {
	printf '{"record":"profile","stream":1,"kind":"instr"%s}\n' "${1:+,$1}"
	[ $# -eq 1 ] || printf '%s\n' "${@:2}"
	printf '{"record":"end","last":true}\n'
}

# A function record: name, hash (a number), counts, more keys.
fn() {
	printf '{"record":"function","name":"%s","hash":"0x%016x",' "$1" "$2"
	printf '"counts":[%s]%s}\n' "$3" "${4:+,$4}"
}

# A stream of functions with pseudo counts and with large counts.
pseudo_counts() {
	profile '"level":"ir"' "$(fn hot 24 '"18446744073709551615"')" \
	    "$(fn over 24 '"72057594037927937",7')" \
	    "$(fn top 24 '0,"18446744073709551613"')" \
	    "$(fn warm 24 '"18446744073709551614",0')"
}

# The guid of a name, as streams write it.
guid() {
	printf %s "$1" | md5sum | sed -E \
	    's/^(..)(..)(..)(..)(..)(..)(..)(..).*/0x\8\7\6\5\4\3\2\1/'
}

# fn for a function that is known by its guid only, a number.
nameless_fn() {
	printf '{"record":"function","guid":"0x%016x",' "$1"
	printf '"hash":"0x%016x","counts":[%s]}\n' "${@:2}"
}

# A stream without what says where it was read from.
unsourced() {
	jq -c 'del(.source)' "$@"
}

# A stream of one profile as llvm-profdata merge --text has it.
text() {
	jq -rsf "$top_srcdir/tests/support/text.jq"
}

# Whether each line of the file matches one of the regexes in the other, and
# each regex is of use.
told_as_expected() {
	! grep -qvE -f "$2" "$1" || return 1
	while IFS= read -r regex; do
		grep -qE -- "$regex" "$1" || return
	done <"$2"
}

# decodes FILE: profraw-cat writes FILE's .ndjson, with the warnings of its .warn,
# or with none.
decodes() {
	local name=${1%.*} out=$BATS_TEST_TMPDIR/out
	local said=$BATS_TEST_TMPDIR/stderr

	echo "$1"
	profraw-cat "$1" >"$out" 2>"$said" || return
	same "$name.ndjson" "$out" || return
	if [ -e "$name.warn" ]; then
		told_as_expected "$said" "$name.warn"
	else
		same /dev/null "$said"
	fi
}

# upgraded STATUS ARGUMENTS: the status of the run, and what it printed.
upgraded() {
	local status=0

	prof-index --upgrade -v --report report "${@:2}" >out 2>stderr ||
	    status=$?
	if [ "$status" -ne "$1" ]; then
		tell "$status" prof-index --upgrade "${@:2}"
		return 1
	fi
}

# told REGEX...: the lines about files and members, of warnings and messages,
# in the order of the run; none for no REGEX.
told() {
	grep -v ' files .*upgraded: ' stderr | lines_match "$@"
}

# counted UPGRADED CURRENT SKIPPED BAD
counted() {
	grep -qE "^prof-index: files (to be )?upgraded: $1, current: $2, $(
	    )not indexed: $3, bad: $4$" stderr
}

# reported JQ-FILTER: it is true of the report's lines, an array.
reported() {
	jq -es "$1" report >/dev/null || {
		cat report
		return 1
	}
}
