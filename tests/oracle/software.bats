# Software that many use, built as its users would and run many times: xz and
# Lua, from the folder PROFTOOLS_SOFTWARE (xz/ and lua/), which .ci/run fills
# with the sources of Debian.

load ../support/helper
load ../support/oracle

release=19

has_software() {
	[ -d "${PROFTOOLS_SOFTWARE:-/nonexistent}/xz/src/liblzma" ] &&
	    [ -d "$PROFTOOLS_SOFTWARE/lua/src" ] &&
	    [ -z "${PROFTOOLS_NO_ORACLES-}" ] &&
	    command -v "clang-$release" "llvm-profdata-$release" >/dev/null
}

# What configure would find on any Linux of 64 bits, but for what xz leaves out.
xz_config() {
	local filter

	printf '#define %s 1\n' HAVE_CHECK_CRC32 HAVE_CHECK_CRC64 \
	    HAVE_CHECK_SHA256 HAVE_DECODERS HAVE_ENCODERS HAVE_INTTYPES_H \
	    HAVE_STDINT_H HAVE_STDBOOL_H HAVE_MF_BT2 HAVE_MF_BT3 HAVE_MF_BT4 \
	    HAVE_MF_HC3 HAVE_MF_HC4 MYTHREAD_POSIX NDEBUG \
	    TUKLIB_CPUCORES_SYSCONF TUKLIB_PHYSMEM_SYSCONF
	for filter in LZMA1 LZMA2 DELTA X86; do
		printf '#define HAVE_%s_%s 1\n' DECODER $filter ENCODER $filter
	done
	printf '#define %s\n' 'ASSUME_RAM 128' 'SIZEOF_SIZE_T 8' \
	    'PACKAGE "xz"' 'PACKAGE_NAME "XZ Utils"' 'PACKAGE_BUGREPORT ""' \
	    'PACKAGE_URL ""'
}

# build_xz PROGRAM FLAG...
build_xz() {
	local xz=$PROFTOOLS_SOFTWARE/xz/src

	"clang-$release" -O1 -w -std=gnu99 -D_GNU_SOURCE -DHAVE_CONFIG_H \
	    -DLOCALEDIR='""' -DTUKLIB_SYMBOL_PREFIX=lzma_ -I. \
	    $(printf -- '-I%s ' "$xz"/{xz,common,liblzma,liblzma/*/}) \
	    "${@:2}" -Wl,--build-id=sha1 -pthread -o "$1" \
	    $(ls "$xz"/xz/*.c "$xz"/common/tuklib_*.c "$xz"/liblzma/*/*.c |
	    grep -vE '_tablegen|_small|_dummy')
}

# build_lua PROGRAM FLAG...
build_lua() {
	"clang-$release" -O1 -w -DLUA_USE_POSIX "${@:2}" \
	    -Wl,--build-id=sha1 -o "$1" \
	    $(ls "$PROFTOOLS_SOFTWARE"/lua/src/*.c | grep -v 'luac\.c$') -lm
}

# Runs of xz: packing and unpacking of each of its own sources.
run_xz() {
	local file

	for file in "$PROFTOOLS_SOFTWARE"/xz/src/{xz,liblzma/*}/*.c; do
		LLVM_PROFILE_FILE=$1/pack-$2 "./xz.$1" -1 -k -c "$file" >xz.xz
		LLVM_PROFILE_FILE=$1/unpack-$2 "./xz.$1" -d -c xz.xz |
		    cmp "$file" -
	done
}

# Makes tables, strings and a garbage collection.
lua_script='local t = {}
for i = 1, 2000 do
	t[i] = { name = ("x"):rep(i % 50) .. i, sub = { i } }
end
table.sort(t, function(a, b) return a.name < b.name end)
assert(#t == 2000 and t[1].name == "100")
t = nil
collectgarbage()
for word in ("some words to be found"):gmatch("%a+") do assert(#word > 1) end'

setup_file() {
	local job jobs=()

	has_software || return 0
	cd "$BATS_FILE_TMPDIR"
	mkdir fe ir lua-fe lua-ir
	xz_config >config.h
	build_xz xz.fe -fprofile-instr-generate -fcoverage-mapping &
	jobs+=($!)
	# At the same addresses in each run, for targets in the files they share.
	build_xz xz.ir -fprofile-generate -no-pie &
	jobs+=($!)
	build_lua lua.fe -fprofile-instr-generate -fcoverage-mapping &
	jobs+=($!)
	build_lua lua.ir -fprofile-generate -no-pie &
	jobs+=($!)
	build_lua lua.heap -gmlt -fdebug-info-for-profiling \
	    -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
	    -fno-optimize-sibling-calls -fmemory-profile -fpie -pie &
	jobs+=($!)
	for job in "${jobs[@]}"; do
		wait "$job"
	done
	run_xz fe %p-%m.profraw
	run_xz ir %2m.profraw
	echo "$lua_script" >script.lua
	for job in 1 2 3; do
		LLVM_PROFILE_FILE=lua-fe/%p-%m.profraw ./lua.fe script.lua
		LLVM_PROFILE_FILE=lua-ir/%m.profraw ./lua.ir script.lua
	done
	MEMPROF_OPTIONS=log_path=$PWD/heap:print_text=false \
	    ./lua.heap script.lua
	mv heap.* heap.memprofraw
}

setup() {
	need "clang-$release" "llvm-profdata-$release" jq
	has_software || skip 'needs PROFTOOLS_SOFTWARE'
	cd "$BATS_FILE_TMPDIR"
}

@test 'hundreds of raw files are merged as by llvm-profdata, to the byte' {
	[ "$(ls fe | wc -l)" -ge 150 ]
	identical "$release" fe/*.profraw
	identical "$release" lua-fe/*.profraw
}

@test 'so are files that runs have shared' {
	[ "$(ls ir | wc -l)" -le 4 ]
	identical "$release" ir/*.profraw
	identical "$release" lua-ir/*.profraw
	# The counts are those of all runs: each packed and unpacked.
	prof-show --json ir/pack-*.profraw ir/unpack-*.profraw | jq -e \
	    '.functions > 300 and .max_function_count > 1000' >/dev/null
}

# figures FILE: what llvm-profdata show says of a profile.
figures() {
	"llvm-profdata-$release" show "$1" | grep -E '^(Total|Max)'
}

@test 'figures and counters are those that llvm-profdata shows' {
	local kind

	for kind in fe ir lua-fe lua-ir; do
		prof-merge -q $kind/*.profraw -o sum
		prof-index -q --for "clang-$release" -o sum.profdata sum
		prof-show --json sum | jq -r '
		    "Total functions: \(.functions)",
		    "Maximum function count: \(.max_function_count)",
		    "Maximum internal block count: \(.max_internal_count)"' |
		    same <(figures sum.profdata) -
		# Each counter: of a name and hash, in no order.
		"llvm-profdata-$release" show --all-functions --counts \
		    sum.profdata | awk '
		    /^  [^ ].*:$/ { name = substr($0, 3, length - 3) }
		    /^    Hash: / { hash = $2 }
		    /^    Function count: / { first = $3 }
		    /^    Block counts: / {
			gsub(/[][ ]|Block counts:/, "")
			print name, hash, first ($0 == "" ? "" : ",") $0
		    }' | sort >want
		prof-show --json --counts sum | jq -r \
		    '"\(.name) \(.hash) \(.counts | map(tostring) | join(","))"' |
		    sort >got
		[ "$(wc -l <got)" -ge 300 ]
		case $kind in
		*fe) same want got ;;
		*) same <(cut -d' ' -f1-2 want) <(cut -d' ' -f1-2 got) ;;
		esac
	done
}

@test 'coverage is the same by both' {
	need "llvm-cov-$release"
	prof-merge -q --to "indexed:clang-$release" -o ours.profdata \
	    fe/*.profraw
	"llvm-profdata-$release" merge -o theirs.profdata fe/*.profraw
	for whose in ours theirs; do
		"llvm-cov-$release" report ./xz.fe \
		    -instr-profile="$whose.profdata" >"$whose.report" 2>&1
	done
	same theirs.report ours.report
	grep -q 'lzma_encoder\.c' ours.report
	run ! grep -i mismatch ours.report
}

@test 'functions that are kept by their names are those of nm' {
	local pattern

	prof-merge -q fe/*.profraw -o sum
	for pattern in 'lzma_*' '*_encoder_*' 'lzma_[a-m]*_init'; do
		prof-filter --glob "$pattern" sum |
		    jq -r 'select(.hash) | .name' | grep -v : | sort >got
		nm ./xz.fe | awk '$2 == "T" { print $3 }' | sort |
		    while read -r name; do
			# As a pattern.
			[[ $name != $pattern ]] || echo "$name"
		done >all
		# The profile has none of the runtime and the C library.
		jq -r 'select(.hash) | .name' sum | sort | comm -12 all - >want
		[ "$(wc -l <want)" -ge 10 ]
		same want got
	done
	# And what is left out is the rest.
	prof-filter --drop --glob 'lzma_*' sum >rest
	prof-filter --glob 'lzma_*' sum | prof-merge - rest |
	    jq -c 'del(.inputs)' | same <(jq -c 'del(.source, .inputs)' sum) -
}

@test 'packing differs from unpacking as llvm-profdata says' {
	local kind

	for kind in fe ir; do
		prof-merge -q --to "indexed:clang-$release" \
		    -o pack.profdata $kind/pack-*.profraw
		prof-merge -q --to "indexed:clang-$release" \
		    -o unpack.profdata $kind/unpack-*.profraw
		overlap_alike "$release" pack.profdata unpack.profdata
		overlap_alike "$release" unpack.profdata pack.profdata
	done
}

@test 'the profile serves the compiler, without a warning' {
	local source=$PROFTOOLS_SOFTWARE/lua/src/ltable.c

	prof-merge -q --to "indexed:clang-$release" -o ours.profdata \
	    lua-ir/*.profraw
	"clang-$release" -O2 -Wall -Wprofile-instr-out-of-date \
	    -Wbackend-plugin -DLUA_USE_POSIX -fprofile-use=ours.profdata \
	    -emit-llvm -S -o use.ll "$source" 2>use.log
	same /dev/null use.log
	grep -q '!prof' use.ll
}

@test 'the heap of Lua is indexed as by llvm-profdata' {
	# llvm-profdata looks for no debug information of the C library.
	prof-symbolize -q --drop-unsymbolized --binary lua.heap \
	    heap.memprofraw -o heap
	# As the release does unless it is asked for another version.
	prof-index -q --for "clang-$release" --to indexed:memprof-0 \
	    -o ours.profdata heap
	"llvm-profdata-$release" merge --profiled-binary lua.heap \
	    -o theirs.profdata heap.memprofraw
	same <(profraw-cat theirs.profdata | canon) \
	    <(profraw-cat ours.profdata | canon)
	grep -q '"memprof_function"' <(profraw-cat ours.profdata)
}

# Of pprof as text, the function whose calls allocated most bytes: of each call
# stack, the first one that has a line.
top_of_pprof() {
	awk '
	BEGIN { n = texts = 0 }
	/^[a-z_]+ \{$/ { block = $1; locations = values = 0 }
	$1 == "location_id:" { stack[n, ++locations] = $2 }
	$1 == "value:" && ++values == 2 {
		depth[n] = locations
		bytes[n++] = $2
	}
	$1 == "id:" { id = $2 }
	$1 == "function_id:" { callee = $2 }
	block == "location" && $1 == "line:" && !(id in calls) {
		calls[id] = callee
	}
	block == "function" && $1 == "name:" { names[id] = $2 }
	$1 == "string_table:" { gsub(/"/, ""); strings[texts++] = $2 }
	END {
		for (s = 0; s < n; s++) {
			i = 1
			while (i <= depth[s] && !(stack[s, i] in calls))
				i++
			name = names[calls[stack[s, i]]]
			sum[strings[name]] += bytes[s]
		}
		for (name in sum)
			print sum[name], name
	}' | sort -k 1,1nr | head -n 1
}

# Each call stack of the raw heap profile: BYTES ADDRESS..., as in the program.
heap_stacks() {
	local bytes bias pcs pc

	profraw-cat heap.memprofraw | jq -rs '
	    map(select(.record == "segment"))[0].offset as $bias |
	    (map(select(.record == "stack") | { key: .id, value: .pcs }) |
		from_entries) as $pcs |
	    .[] | select(.record == "allocation") |
	    "\(.info.total_size) \($bias) \($pcs[.stack] | join(" "))"' |
	    while read -r bytes bias pcs; do
		printf %s "$bytes"
		for pc in $pcs; do
			printf ' 0x%x' $((pc - bias))
		done
		echo
	done
}

# The same as top_of_pprof, by llvm-symbolizer.
top_of_symbolizer() {
	heap_stacks >stacks
	grep -o '0x[0-9a-f]*' stacks | sort -u >addresses
	"llvm-symbolizer-$release" --obj=lua.heap --inlines --functions \
	    <addresses | awk -v RS= -F '\n' '{
		print $1, $2 ~ /^\?\?/ ? "unknown" : "known" }' |
	    paste -d ' ' addresses - >names
	awk 'NR == FNR { if ($3 == "known") name[$1] = $2; next } {
		for (i = 2; i <= NF; i++)
			if ($i in name) {
				sum[name[$i]] += $1
				break
			}
	} END { for (n in sum) print sum[n], n }' names stacks |
	    sort -k 1,1nr | head -n 1
}

@test 'the top of its pprof is what llvm-symbolizer names, with its bytes' {
	need "llvm-symbolizer-$release"
	need_protoc
	prof-symbolize -q --binary lua.heap heap.memprofraw |
	    prof-export --to pprof | pprof_text | top_of_pprof >got
	[ -s got ]
	top_of_symbolizer | same - got
}
