# What the compiler does with a heap profile of ours, and of many runs.

load ../support/helper
load ../support/oracle

debug=(-O1 -gmlt -fdebug-info-for-profiling -fno-omit-frame-pointer
	-mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls)
# Thresholds that short runs can reach.
thresholds=(-mllvm -memprof-ave-lifetime-cold-threshold=0
	-mllvm -memprof-lifetime-access-density-cold-threshold=100)

setup_file() {
	command -v clang++-22 llvm-profdata-22 >/dev/null &&
	    [ -z "${PROFTOOLS_NO_ORACLES-}" ] || return 0
	cd "$BATS_FILE_TMPDIR"
	awk -v contexts=50 -f "$top_srcdir/tests/support/contexts.awk" >p.cc
	clang++-22 "${debug[@]}" -fmemory-profile -fpie -pie -Wl,--build-id \
	    p.cc -o p
	# Runs of several sizes, whose libraries are at other addresses.
	for run in 1 2 3 4 5 6 7 8 9 10; do
		MEMPROF_OPTIONS=log_path=$PWD/log:print_text=false ./p $run
		mv log.* "$run.memprofraw"
	done
	prof-merge -q -- *.memprofraw | prof-symbolize -q --binary p |
	    prof-index -q -o ours.profdata
	prof-merge -q 1.memprofraw | prof-symbolize -q --binary p |
	    prof-index -q -o one.profdata
	llvm-profdata-22 merge --profiled-binary p -j 1 -o theirs.profdata \
	    1.memprofraw 2.memprofraw 3.memprofraw 4.memprofraw 5.memprofraw \
	    6.memprofraw 7.memprofraw 8.memprofraw 9.memprofraw 10.memprofraw
	llvm-profdata-22 merge --profiled-binary p -o first.profdata \
	    1.memprofraw
}

setup() {
	need clang++-22 llvm-profdata-22
	cd "$BATS_FILE_TMPDIR"
}

# The IR that clang-22 makes with the profile.
ir() {
	clang++-22 "${debug[@]}" -O2 -w -fmemory-profile-use="$1" \
	    "${thresholds[@]}" -emit-llvm -S p.cc -o -
}

# What the allocation sites of a profile come to: ALLOCATIONS SITES.
sums() {
	llvm-profdata-22 show --memory "$1" |
	    awk '/AllocCount/ { sum += $2; n++ } END { print sum, n }'
}

@test 'the attributes of calls are those of the profile of LLVM itself' {
	# Of one run: in others objects live longer, if the machine is busy.
	ir one.profdata >one.ll
	ir first.profdata >first.ll
	diff one.ll first.ll
	ir ours.profdata >ours.ll
	grep -q '!memprof' ours.ll
	[ "$(grep -c '"cold"' ours.ll)" -ge 25 ]
	[ "$(grep -c '"notcold"' ours.ll)" -ge 1 ]
}

@test 'counts are those of all runs; LLVM keeps the first' {
	# 50 objects a run, and 25 x 100 for each of 1 + 2 + ... + 10.
	[ "$(sums ours.profdata)" = "$((50 * 10 + 25 * 100 * 55)) 75" ]
	[ "$(sums first.profdata)" = "$((50 + 25 * 100)) 75" ]
	cmp theirs.profdata first.profdata ||
	    [ "$(sums theirs.profdata)" = "$((50 + 25 * 100)) 75" ]
}

@test 'no order of the runs changes a byte' {
	prof-merge -q 7.memprofraw 3.memprofraw 1.memprofraw 10.memprofraw |
	    prof-merge -q 9.memprofraw - 2.memprofraw 4.memprofraw \
	    8.memprofraw 6.memprofraw 5.memprofraw |
	    prof-symbolize -q --binary p | prof-index -q -o other.profdata
	cmp other.profdata ours.profdata
}

# Clang crashes on an allocation site whose stack is empty.
@test 'a site of which no frame is left does not reach the compiler' {
	cat >foo.c <<-'END'
	void *malloc(unsigned long);
	void *foo(void) { return malloc(100); }
	END
	cat >foo.stream <<-'END'
	{"record":"profile","stream":1,"kind":"memprof"}
	{"record":"stack","id":"0x0000000000000007","frames":[{"function":"foo"}]}
	{"record":"stack","id":"0x0000000000000008","frames":[{"function":"foo","line_offset":0,"column":26}]}
	{"record":"memprof_function","guid":"0x5cf8c24cdb18bdac","alloc_sites":[{"stack":"0x0000000000000007","info":{"alloc_count":5}},{"stack":"0x0000000000000008","info":{"alloc_count":1}}]}
	{"record":"end","last":true}
	END
	prof-index -q -o foo.profdata foo.stream
	clang-22 -O2 -g -c -fmemory-profile-use=foo.profdata foo.c -o foo.o
}

@test 'libraries are found where the loader looks, if their build ids agree' {
	local flags=(-g -O0 -fmemory-profile -Wl,--build-id -x c)
	local way

	cd "$BATS_TEST_TMPDIR"
	mkdir lib deep other
	echo 'void *malloc(unsigned long); void *leaf(void) { return malloc(9); }' |
	    clang-22 "${flags[@]}" -fPIC -shared -o deep/libleaf.so \
	    -Wl,-soname,libleaf.so -
	echo 'void *leaf(void); void *part(void) { return leaf(); }' |
	    clang-22 "${flags[@]}" -fPIC -shared -o lib/libpart.so - -x none \
	    deep/libleaf.so -Wl,-rpath,'${ORIGIN}/../deep'
	echo 'void *part(void); int main(void) { return part() == 0; }' >main.c
	for way in origin environment; do
		clang-22 "${flags[@]}" main.c -o $way -x none -Llib -lpart \
		    $([ $way != origin ] || echo '-Wl,-rpath,$ORIGIN/lib') \
		    -Wl,-rpath-link,deep
		LD_LIBRARY_PATH=$([ $way = origin ] || echo lib:deep) \
		    MEMPROF_OPTIONS=log_path=$PWD/$way:print_text=false ./$way
		mv $way.[0-9]* $way.memprofraw
		if [ $way = environment ]; then
			prof-show -q --heap --binary $way $way.memprofraw >got
			run ! grep -q 'leaf' got
			export LD_LIBRARY_PATH=other:lib:deep
		fi
		prof-show --json --heap --stacks --binary $way $way.memprofraw |
		    jq -r 'select(.heap == "context").frames[].function' |
		    head -n 3 | same - <(printf '%s\n' leaf part main)
		# llvm-profdata reads only the binaries that it is given.
		prof-symbolize -q --drop-unsymbolized --binary $way \
		    $way.memprofraw >got
		run ! grep -q leaf got
	done
	# Another build of a library is none.
	mv deep/libleaf.so other
	prof-show --heap --binary environment environment.memprofraw |
	    grep ' leaf '
	strip --strip-debug -R .note.gnu.build-id other/libleaf.so
	prof-show -q --heap --binary environment environment.memprofraw >got
	run ! grep -q ' leaf ' got
}
