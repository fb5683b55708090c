# Programs of many functions, judged by llvm-profdata: hash tables that grow and
# whose chains are long.

load ../support/helper
load ../support/oracle

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# generate N FILES: a program of that many functions, every fifth of them local
# to its file, in main.c and part1.c to partFILES.c.
generate() {
	awk -v n="$1" -v files="$2" '
	function write_function(i, file) {
		printf "%sint f%d(int x) { int s = x;\n" \
		    "for (int i = 0; i < x %% %d; i++) if (i & %d) s += i;\n" \
		    "%s return s; }\n", i % 5 == 3 ? "static " : "", i,
		    i % 7 + 2, i % 3 + 1,
		    i % 4 ? "if (s > 3 && x < 9) s--;" : "" >file
		if (i % 5 == 3)
			printf "int (*p%d)(int) = f%d;\n", i, i >file
	}
	# Two of three functions are called.
	function write_run(k, file,    i) {
		printf "int run%d(int x) { int s = 0;\n", k >file
		for (i = k; i <= n; i += files)
			if (i % 3)
				printf "s += f%d(x + %d);\n", i, i % 13 >file
		print "return s; }" >file
	}
	BEGIN {
		print "#include <stdlib.h>" >"main.c"
		for (k = 1; k <= files; k++) {
			file = "part" k ".c"
			for (i = k; i <= n; i += files)
				write_function(i, file)
			write_run(k, file)
			close(file)
			print "int run" k "(int);" >"main.c"
			calls = calls " + run" k "(x)"
		}
		print "int main(int c, char **v) { int x = c > 1 ?" \
		    " atoi(v[1]) : 2; return (0" calls ") == 5; }" >"main.c"
	}'
}

# measure RELEASE FLAGS...: profiles of three runs.
measure() {
	local release=$1 n

	rm -f ./*.o ./*.profraw
	printf '%s\n' ./*.c |
	    xargs -P 2 -n 2 "clang-$release" -w "${@:2}" -c || return
	"clang-$release" "${@:2}" -o program ./*.o || return
	for n in 1 2 3; do
		gather "$n.profraw" ./program $((n * 4)) || return
	done
}

# As maps go, so does the order in the file: it is not asked for.
@test '200 functions are as with LLVM 13 to 16' {
	local release flags

	need_llvm 13 14 15 16
	generate 200 2
	for release in $(some 3 13 14 15 16); do
		for flags in -fprofile-instr-generate '-O1 -fprofile-generate'
		do
			echo "$release $flags"
			measure "$release" $flags
			alike "$release" 1.profraw
			alike "$release" 3.profraw 1.profraw 2.profraw
		done
	done
}

@test '20000 functions are as with LLVM 22 and 19' {
	local release flags=([19]=-fprofile-instr-generate
	    [22]=-fprofile-generate)

	need_llvm 19 22
	generate 20000 8
	for release in $(some 2 22 19); do
		measure "$release" "${flags[release]}"
		identical "$release" 1.profraw
		identical "$release" 1.profraw 2.profraw 3.profraw
		cp ours.profdata first.profdata
		identical "$release" 3.profraw 2.profraw 1.profraw
		cmp first.profdata ours.profdata
		[ "$(prof-show --json ours.profdata | jq .functions)" -eq 20009 ]
	done
}
