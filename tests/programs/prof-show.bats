# prof-show: what it prints, and that look-ups find what a walk does.

load ../support/helper

setup() {
	need jq
	good=$(data good)
	real=$(data real)
	cd "$BATS_TEST_TMPDIR"
	# Some of all: pseudo counts, sites, names to be demangled, and names
	# that a terminal should not see.
	cp "$(data sample.ndjson)" sample
}

ir() {
	profile '"level":"ir"' "$@"
}

# shows NAME ARGUMENT...: what is printed is in the golden file.
shows() {
	quiet prof-show "${@:2}" >got
	golden "prof-show/$1" <got
}

@test 'summaries of raw profiles' {
	cd "$good"
	quiet prof-show v10-64le.profraw v1-64be.profraw v4-32be.profraw \
	    v11-32le.profraw variants.profraw temporal-images.profraw \
	    correlated-debug.profraw correlated-binary.profraw \
	    coverage.profraw counts.profraw exe-so.profraw zero.profraw \
	    >"$BATS_TEST_TMPDIR/got"
	cd "$real"
	quiet prof-show 19-mcdc.profraw 22-cs.profraw 22-vtable.profraw \
	    13-fe.profraw 14-entry_coverage.profraw >>"$BATS_TEST_TMPDIR/got"
	golden prof-show/summary-raw <"$BATS_TEST_TMPDIR/got"
}

@test 'a summary of a stream, and of an archive' {
	need tar
	shows summary sample
	prof-merge sample | quiet prof-show | sed 1d | same <(sed 1d got) -
	tar -cf tar sample
	quiet prof-show tar | sed 1s/tar.sample./sample/ | same got -
	cat sample sample | quiet prof-show >twice
	[ "$(grep -c '^standard input: stream' twice)" -eq 2 ]
}

@test 'a stream of a raw profile shows what the profile does' {
	local face

	for face in '' --functions '--json --values'; do
		echo "$face"
		prof-show -q $face "$good"/*.profraw >want
		[ "$(wc -l <want)" -gt 300 ]
		profraw-cat -q "$good"/*.profraw | quiet prof-show -q $face |
		    same want -
	done
}

@test 'summaries with cutoffs' {
	shows cutoffs --cutoffs sample
	quiet prof-show --cutoffs "$real/22-ir.profraw" | sed 1d >got
	golden prof-show/cutoffs-raw <got
}

# The 16 shares are those of llvm-profdata.
# Without records that are context-sensitive, as llvm-profdata has it.
own_cutoffs() {
	profraw-cat "$1" | jq -c '
	    select(.hash // "0x0" | test("^0x[13579bdf]") | not)' |
	    prof-show --json --cutoffs | jq -r '.cutoffs[] |
	    "\(.parts_per_million / 10000) \(.min_count) \(.counters)"'
}

llvm_cutoffs() {
	"$1" show --detailed-summary "$2" | sed -nE 's/^([0-9]+) blocks .*'$(
	    )'with count >= ([0-9]+) account for ([0-9.]+).*/\3 \2 \1/p'
}

@test 'cutoffs are those of llvm-profdata' {
	local name tool tried

	for name in 15-cs 16-ir 19-mcdc 22-ir; do
		tool=llvm-profdata-${name%-*}
		command -v "$tool" >/dev/null || continue
		echo "$name"
		llvm_cutoffs "$tool" "$real/$name.profraw" >want
		[ "$(wc -l <want)" -eq 16 ]
		own_cutoffs "$real/$name.profraw" | same want -
		tried=yes
	done
	[ -n "${tried-}" ] || skip 'needs llvm-profdata'
}

@test 'functions, with counters, with values, or both' {
	shows functions --functions sample
	shows counts --counts sample
	shows values --values sample
	shows both --values --counts --functions sample
	quiet prof-show --counts --values sample | same got -
}

@test 'functions of raw profiles' {
	cd "$good"
	quiet prof-show --functions v10-64le.profraw names.profraw \
	    exe-so.profraw zero.profraw >"$BATS_TEST_TMPDIR/got"
	quiet prof-show --values v10-64be.profraw \
	    >>"$BATS_TEST_TMPDIR/got"
	golden prof-show/functions-raw <"$BATS_TEST_TMPDIR/got"
}

# No byte that a terminal takes for a command.
@test 'names are printed without control characters' {
	prof-show --values -C sample "$good/names.profraw" >got
	run ! grep -aP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' got
	sed -n '/names/,$d; /esc/p' got | grep -q 'esc?\[31m?tab??$'
	grep -qx ' *2  *1  0x0*9  ???' got
	grep -q 'größe' got
	iconv -f utf-8 -t utf-8 got >/dev/null
}

@test 'names are demangled: C++ and Rust, behind the file too' {
	shows demangled -C --values sample
	quiet prof-show --demangle --values sample | same got -
	shows demangled-json -C --functions --json sample
	shows demangled-raw -C --functions <"$real/22-vtable.profraw"
}

# Parts of these names are two of the part before each: 2^36 in the end.
@test 'a name that would never end is shown as it is' {
	local cxx=_Z1f1AIiiE rust=INvC1a1fTNtC1a1bNtC1au8n_1x_9caE
	local i n at=8 digits=({0..9} {a..z} {A..Z}) name

	for i in {0..9} {A..Z}; do
		cxx+=S_IS${i}_S${i}_E
		# The place of the part before, less one, in base 62.
		n=$((at - 1))
		n=$( ((n < 62)) || echo "${digits[n / 62]}")${digits[n % 62]}
		at=${#rust}
		rust+=TB${n}_B${n}_E
	done
	for name in "$cxx" "_R${rust}E"; do
		ir "$(fn "$name" 1 1)" >stream
		brief prof-show --functions -C stream >got
		grep -q " $name\$" got
	done
}

# not_demangled NAME...: each is shown as it is, soon.
not_demangled() {
	local name

	for name; do
		ir "$(fn "$name" 1 1)" >stream
		brief prof-show --functions -C stream >got
		grep -q " $name\$" got
	done
}

# A type whose parts are two of the part before each, behind f<A<int> >.
type_of_parts() {
	local i n digits=({0..9} {A..Z}) type=S0_IiiE

	for ((i = 2; i < $1 + 2; i++)); do
		n=$( ((i < 36)) || echo "${digits[i / 36]}")${digits[i % 36]}
		type=S0_I${type}S${n}_E
	done
	printf %s "$type"
}

@test 'a name that would never end nor print is shown as it is' {
	local i parts packs folds members

	parts=$(type_of_parts 60)
	# Looking for a pack in an expansion, and counting the members of one.
	not_demangled "_Z1fI1AIiEEvDp$parts" "_Z1fI1AIiEEvDTspst${parts}E" \
	    "_Z1fI1AIiEEvDTsZst${parts}E" "_Z1fI1AIiEEvDTsPDp${parts}EE" \
	    "_GLOBAL__I__Z1fI1AIiEEvDp$parts" \
	    "_Z1fI1AIiEEvDp${parts}DTclsr3stdE7declvalIT_EEE"
	# Functions in template arguments of functions; the packs are empty.
	packs=vT_ folds=vDTflplT_E members=$(printf 'T_%.0s' {1..8})
	for i in {1..20}; do
		packs=v1AIL_Z1fIJJ${members}EEE${packs}EE
		folds=v1AIL_Z1fIJ${members}EE${folds}EE
	done
	not_demangled "_Z1fIJJEEE$packs" "_Z1fIJJEEE$folds"
	# 62^8 lifetimes of a type in a part that is not printed.
	not_demangled _RC1aIC1bFGzzzzzzzz_EuE _RC1aIC1bDGzzzzzzzz_EL_uE
}

@test 'names that only look as if they would not end are demangled' {
	local declval=DTclsr3stdE7declvalIT_EEE

	ir "$(fn _RNvC1a12PDFGenerator 1 1)" \
	    "$(fn "_Z1fI1AIiEJjlEEv$(type_of_parts 8)DpT0_" 1 1)" \
	    "$(fn "_Z1gI1AIiEJjEEv$(type_of_parts 8)DpT0_$declval" 1 1)" \
	    "$(fn _ZN1aIJidEE9isPointerIJcEEEvDpT_ 1 1)" >stream
	prof-show --functions -C stream >got
	grep -q ' a::PDFGenerator$' got
	grep -q ' void f<A<int>, unsigned int, long>(A<.*>, unsigned int, long)$' \
	    got
	grep -q ' void g<A<int>, unsigned int>(A<.*(std::declval<A<int> >)()))$' \
	    got
	grep -q ' void a<int, double>::isPointer<char>(char)$' got
}

@test 'a demangled name does not lose its end' {
	local name=_RNvIC1aTuuETB5_B5_ETB9_B9_ETBh_Bh_ETBp_Bp_ETBx_Bx_ETBF_BF_

	name+=ETBN_BN_ETBV_BV_ETB13_B13_ETB1b_B1b_ETB1l_B1l_EB1l_B1b_Bx_Bp_BF_
	name+=uuuuuuuuuuuuuuuuuuuuuuNtC1b12xxxxxxxxxxxxEu7caf_dma
	not_demangled "$name"
}

# foo comes behind names that have 64 KiB before they are known to be too long.
@test 'all demangled names have a limit' {
	local cxx=_Z1f1AIiiE i n

	for i in {0..9} {A..Z}; do
		cxx+=S_IS${i}_S${i}_E
	done
	for n in 10 4500; do
		ir "$(for ((i = 1; i < n; i++)); do fn "$cxx" "$i" 1; done)" \
		    "$(fn _Z3foov "$n" 1)" >"many$n"
	done
	quiet prof-show --functions -C many10 | grep ' foo()$'
	prof-show --functions -C many4500 >got 2>err
	grep -q ' _Z3foov$' got
	grep -qx 'prof-show: warning: demangled names take more than 256 MiB.*' err
	quiet prof-show -q --functions -C many4500 >/dev/null
	# Patterns match all.
	prof-show --function 'foo()' many4500 | grep -q ' _Z3foov$'
}

@test 'on a terminal, names are short, and cut in the middle' {
	local names=(
	    # f1(std::map<std::string, std::vector<std::string>>&)
	    _Z2f1RSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt6vectorIS5_SaIS5_EESt4lessIS5_ESaISt4pairIKS5_S8_EEE
	    _Z2f2RSt13unordered_mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt10unique_ptrI3FooSt14default_deleteIS7_EESt4hashIS5_ESt8equal_toIS5_ESaISt4pairIKS5_SA_EEE
	    _Z2f3RSt3mapI3Fooi3CmpSaISt4pairIKS0_iEEENSt7__cxx1112basic_stringIwSt11char_traitsIwESaIwEEE
	    _Z2f4RSt4pairISaIiESt4lessIiEERSo
	    _ZltIiEbRKSt6vectorIT_SaIS1_EE3Foo
	)

	need script
	ir "$(for name in "${names[@]}"; do fn "$name" 1 1; done)" >x
	on_terminal() {
		script -qec "stty cols $1; prof-show -C ${*:2} x" /dev/null |
		    tr -d '\r'
	}
	on_terminal 300 --functions | sed 1,2d | cut -c52- | same - <(cat <<-'END'
		f1(std::map<std::string, std::vector<std::string>>&)
		f2(std::unordered_map<std::string, std::unique_ptr<Foo>>&)
		f3(std::map<Foo, int, Cmp>&, std::basic_string<wchar_t>)
		f4(std::pair<std::allocator<int>, std::less<int>>&, std::ostream&)
		bool operator< <int>(std::vector<int> const&, Foo)
	END
	)
	on_terminal 80 --functions | sed 1,2d | cut -c52- | same - <(cat <<-'END'
		f1(std::map<s...d::string>>&)
		f2(std::unord...e_ptr<Foo>>&)
		f3(std::map<F...ing<wchar_t>)
		f4(std::pair<...td::ostream&)
		bool operator... const&, Foo)
	END
	)
	# Names are cut to no less, and never elsewhere.
	on_terminal 20 --functions | grep -xE '.{51}f1\(std::ma\.\.\.:string>>&\)'
	on_terminal 80 --json --functions | grep -c '__cxx11.*__cxx11' |
	    same - <(echo 3)
	prof-show -C --functions x | grep -c '::__cxx11::.*allocator' |
	    same - <(echo 3)
	on_terminal 80 --function f1 -o file
	grep '::__cxx11::' file
}

@test 'the functions with the largest counters' {
	shows top --top 3 sample
	shows top-counts --top=3 --counts sample
	# More than there are: all but the pseudo ones, in order.
	quiet prof-show --top 1000000 sample >got
	[ "$(sed 1,2d got | wc -l)" -eq 10 ]
	sed 1,2d got | awk '{ print $1 }' | sort -rn -c
	! grep -q pseudo got || return 1
	for size in 0 -1 1000001 x 1x ''; do
		usage_error '--top needs a number from 1 to 1000000' \
		    prof-show --top "$size" sample
	done
}

@test 'ties of the largest go by name, then hash' {
	ir "$(fn b 2 5)" "$(fn c 1 5)" "$(fn b 1 1,5)" "$(fn a 1 5)" \
	    "$(fn d 1 4)" >x
	prof-show --top 4 x | awk 'NR > 2 { print $4, $3 }' >got
	printf '%s 0x000000000000000%d\n' a 1 b 1 b 2 c 1 | same - got
	for n in 1 2 3 5; do
		prof-show --top "$n" x | awk 'NR > 2 { print $4, $3 }' |
		    head -n 4 | same <(head -n "$n" got) -
	done
	# Functions without names go by guid.
	ir "$(nameless_fn 2 1 5)" "$(nameless_fn 3 1 5)" \
	    "$(nameless_fn 1 2 5)" "$(nameless_fn 1 1 5)" >x
	prof-show --json --top 3 x |
	    jq -r 'select(.guid) | "\(.guid[-1:]) \(.hash[-1:])"' |
	    same <(printf '1 1\n1 2\n2 1\n') -
}

@test 'JSON' {
	shows json --json sample
	shows json-cutoffs --json --cutoffs sample
	shows json-functions --json --values --counts sample
	jq -c . got | same got -
	cd "$good"
	quiet prof-show --json v10-64le.profraw names.profraw \
	    temporal-images.profraw >"$BATS_TEST_TMPDIR/got"
	quiet prof-show --json --values names.profraw \
	    >>"$BATS_TEST_TMPDIR/got"
	cd -
	golden prof-show/json-raw <got
	jq -c . got | same got -
}

@test 'functions by name: found or not' {
	prof-index -q --allow-empty sample -o indexed
	cat sample | gzip -c >sample.gz
	for file in sample sample.gz indexed; do
		echo "$file"
		quiet prof-show --function main "$file" >got
		[ "$(wc -l <got)" -eq 3 ]
		tail -n 1 got | grep -q ' main$'
		ends 1 '^prof-show: no function nosuch$' -- \
		    prof-show --function nosuch "$file" >got
		[ ! -s got ]
		run -1 --separate-stderr prof-show -q --function nosuch "$file"
		[ "$output$stderr" = '' ]
		run -1 --separate-stderr prof-show --function mai "$file"
		run -1 --separate-stderr prof-show --function '' "$file"
		# One of several is enough; they come as the file has them.
		quiet prof-show --function nosuch --function main \
		    --function hot "$file" >got
		[ "$(wc -l <got)" -eq 4 ]
		quiet prof-show --function main --counts "$file" |
		    grep -qF '[1, 0, 7]'
		quiet prof-show --json --function main "$file" |
		    jq -e '.name == "main"'
		quiet prof-show --function 'dir/a.cc;_ZL6helperi' -C "$file" |
		    grep -qF 'dir/a.cc;helper(int)'
	done
	# In one of several inputs.
	ir "$(fn other 1 1)" >y
	quiet prof-show --function main sample y indexed >got
	[ "$(grep -c ' main$' got)" -eq 2 ]
	! grep -q '^y:' got || return 1
	quiet prof-show --top 1 --function main --function hot sample |
	    grep -q ' main$'
}

@test 'a function is called by any form of its name, the stored one first' {
	ir "$(fn f 1 1)" "$(fn 'a.cc;f' 2 2)" "$(fn 'a.cc;_ZL4readi' 3 3)" \
	    "$(fn 'b.cc;_ZL4readi' 4 4)" "$(fn _Z4readi 5 5)" \
	    "$(fn 'b.c:only' 6 6)" "$(fn _ZN2ns1gEv 7 7)" >x
	prof-index x -o indexed
	# called NAME COUNT...: the functions that the name calls.
	called() {
		for file in x indexed; do
			quiet prof-show --function "$1" "$file" | sed 1,2d |
			    awk '{ print $1 }' | sort >got
			printf '%s\n' "${@:2}" | same - got
			echo "$1" | quiet prof-show --functions-from - "$file" |
			    sed 1,2d | awk '{ print $1 }' | sort | same - got
			quiet prof-show --top 9 --function "$1" "$file" |
			    sed 1,2d | awk '{ print $1 }' | sort | same - got
		done
	}
	called f 1
	called 'a.cc;f' 2
	called 'read(int)' 5
	called 'a.cc;read(int)' 3
	called _ZL4readi 3 4
	called only 6
	called 'ns::g()' 7
	# Without _Z4readi, the part behind the file is the next.
	grep -v '"_Z4readi"' x >y
	quiet prof-show --function 'read(int)' y | grep -c readi | same - <(echo 2)
	quiet prof-show --function f --function only x | sed 1,2d |
	    awk '{ print $1 }' | paste -sd' ' | same - <(echo '1 6')
	ends 1 'no such function' -- \
	    prof-show --function 'read(int)' --min-count 9 y >got
	for file in x indexed; do
		quiet prof-show --glob 'ns::*' "$file" | grep '7  *1 '
		quiet prof-show --glob '*read(int)' "$file" >got
		[ "$(wc -l <got)" -eq 5 ]
		# Local functions without their file, too.
		quiet prof-show --regex '^read' "$file" >got
		[ "$(wc -l <got)" -eq 5 ]
		# What a pattern finds is printed once.
		quiet prof-show --glob '*read*' --function 'a.cc;read(int)' \
		    "$file" >got
		[ "$(wc -l <got)" -eq 5 ]
	done
}

@test 'a name without parameters and namespaces is found if one function has it' {
	ir "$(fn _ZN3app8validateEi 1 1)" "$(fn _ZN3app8validateEl 2 2)" \
	    "$(fn _RNvCsjKiEPsGWgOR_4prog3fib 3 3)" \
	    "$(fn _ZN4prog3maxIiEET_S1_ 4 4)" "$(fn 'a.cc;_ZN4prog1xEv' 5 5)" \
	    "$(fn _ZN3app3runEv 6 6)" "$(fn run 7 7)" \
	    "$(fn _ZN3app1VIiE1WIiE3getIcEEvv 9 9)" >x
	ir "$(fn _ZN3app8validateEi 8 8)" >y
	prof-index x -o indexed
	for file in x indexed; do
		for name in fib prog::fib max prog::max 'max<int>' x app::run \
		    get 'V<int>::W<int>::get<char>' 'W<int>::get' \
		    app::V::W::get W::get; do
			prof-show --function "$name" "$file" | awk 'NR > 2'
		done | awk '{ print $1 }' | paste -sd' ' |
		    same - <(echo 3 3 4 4 4 5 6 9 9 9 9 9)
		quiet prof-show --function run "$file" | awk 'NR > 2 { print $1 }' |
		    same - <(echo 7)
		for name in validate app::validate; do
			ends 2 "$name is the name of several functions: $(
			    )app::validate\((int|long)\), app::validate" -- \
			    prof-show --function "$name" "$file" >got
			[ ! -s got ]
		done
		prof-show --functions-from <(echo 'app::validate(int)') "$file" |
		    grep -c validate | same - <(echo 1)
	done
	# Of each profile, by itself.
	run -2 --separate-stderr prof-show --function validate x y
	grep -q '  8 ' <<<"$output"
}

@test 'a name that is not found is told' {
	ir "$(fn read_line 1 1)" >x
	prof-index x -o indexed
	for file in x indexed; do
		ends 1 'no function raed_line$' -- \
		    prof-show --function raed_line "$file"
	done
}

@test 'functions of a hash, as compilers print it or as profiles do' {
	ir "$(fn a 11 1)" "$(fn b 11 2)" "$(fn c 0x11 3)" >x
	for hash in 11 0xb 0x000000000000000b 011; do
		prof-show --hash "$hash" x | awk 'NR > 2 { print $3, $4, $5 }' |
		    same - <(printf '0x000000000000000b 11 %s\n' a b)
	done
	prof-show --json --hash 17 x | jq -e '.name == "c"'
	ends 1 'no such function' -- prof-show --hash 12 x
	usage_error "decimal or 0x..., not '1b'" prof-show --hash 1b x
}

@test 'all records of a name are found' {
	ir "$(fn a 3 1)" "$(fn b 1 1)" "$(fn a 1 2)" "$(fn a 2 3)" >x
	prof-index x -o indexed
	for file in x indexed; do
		prof-show --function a "$file" | sed 1,2d |
		    awk '{ print $3, $4, $5 }' | sort >got
		printf '0x000000000000000%d %d a\n' 1 1 2 2 3 3 | same - got
	done
}

# 2000 functions, some of one name, in an order of no meaning.
many_functions() {
	awk -v several="$1" 'BEGIN {
		print "{\"record\":\"profile\",\"stream\":1,\"kind\":" \
		    "\"instr\",\"level\":\"ir\"}"
		for (i = 0; i < 2000; i++) {
			n = i * 7 % 2000
			printf "{\"record\":\"function\",\"name\":\"%s%d\"," \
			    "\"hash\":\"0x%016x\",\"counts\":[%d,%d]}\n", \
			    n % 3 ? "f" : "dir/a.c;", n, n % 50, n, i
			if (n % 40 == 0 && several)
				printf "{\"record\":\"function\",\"name\":" \
				    "\"%s%d\",\"hash\":\"0x%016x\"," \
				    "\"counts\":[1]}\n", \
				    n % 3 ? "f" : "dir/a.c;", n, 1000
		}
		print "{\"record\":\"end\",\"last\":true}"
	}'
}

# looked_up FILE: a look-up for each name of standard input.
looked_up() {
	xargs -d '\n' -P 2 -I{} prof-show --function {} "$1" | grep ' 0x' |
	    sed -E 's/(0x[0-9a-f]{16})  +[0-9]+/\1/'
}

@test 'a look-up finds what a walk finds, for every name' {
	many_functions 1 | prof-index -o indexed
	prof-show --functions indexed | grep ' 0x' >walk
	[ "$(wc -l <walk)" -eq 2050 ]
	awk '{ print $4 }' walk | sort -u >names
	[ "$(wc -l <names)" -eq 2000 ]
	some 20 <names >asked
	looked_up indexed <asked | sort >got
	awk 'NR == FNR { want[$0]; next } $4 in want' asked walk | sort |
	    same - got
}

@test 'functions of a list: those not found are told' {
	prof-index -q --allow-empty sample -o indexed
	printf 'hot\nnosuch\n\nmain\nmain\nmai\n' >list
	for file in sample indexed; do
		printf 'hot\nmain\n' | quiet prof-show \
		    --functions-from - "$file" >want
		run -1 --separate-stderr prof-show --functions-from list "$file"
		same <(echo "$output") want
		[ "$stderr" = 'prof-show: no function nosuch
prof-show: no function mai' ]
		run -1 --separate-stderr \
		    prof-show -q --functions-from list "$file"
		[ "$stderr" = '' ]
		grep -xE 'hot|main' list | quiet prof-show --functions-from - \
		    "$file" | same - want
		# In one of several inputs is enough.
		quiet prof-show --functions-from <(echo main) "$file" sample \
		    >got
		[ "$(grep -c ' main$' got)" -eq 2 ]
		# A list of nothing is not one of all.
		run -1 --separate-stderr \
		    prof-show --functions-from /dev/null "$file"
		[ "$output$stderr" = \
		    'prof-show: the list has no functions' ]
	done
	refused 'nothere' prof-show --functions-from nothere sample
}

@test 'a list finds what a walk finds, in the same order' {
	many_functions 1 | prof-index -o indexed
	prof-show --functions indexed >walk
	awk 'NR > 2 { print $4 }' walk | sort -r >names
	quiet prof-show --functions-from names indexed | same - walk
	awk 'NR % 7 == 0' names >some
	quiet prof-show --functions-from some indexed | sed 1,2d >got
	[ "$(wc -l <got)" -gt 200 ]
	awk 'NR == FNR { want[$0]; next } $4 in want' some walk | same got -
}

@test 'so in all versions' {
	local v

	for v in $(some 3 {1..12}); do
		echo "version $v"
		many_functions $((v > 1)) |
		    prof-index --to indexed:"$v" -o indexed
		prof-show --functions indexed | grep ' 0x' >walk
		awk 'NR % 50 == 0 { print $4 }' walk | sort -u >names
		looked_up indexed <names | sort >got
		[ "$(wc -l <got)" -ge 40 ]
		grep -F -f <(sed 's/.*/  &$/' names) walk >all ||
		    awk 'NR == FNR { want[$0]; next } $4 in want' \
			names walk >all
		sort all | same - got
		run -1 prof-show --function nosuch indexed
	done
}

@test 'a look-up touches the rest of a file as little as it can' {
	# A function that cannot be read does no harm to others.
	ir "$(fn a 1 1)" "$(fn b 1 1)" | prof-index >indexed
	offset=$(grep -abo 'b' indexed | cut -d: -f1 | tail -n 1)
	[ -n "$offset" ]
	prof-show --function a indexed | grep -q ' a$'
}

@test 'options that do not go together are told' {
	usage_error '--cutoffs needs the summary' \
	    prof-show --cutoffs --functions sample
	usage_error '--cutoffs needs the summary' \
	    prof-show --function main --cutoffs sample
	usage_error '--sort accepts count, share, name or size' \
	    prof-show --sort bytes sample
	usage_error '--top needs a number from 1 to' prof-show --top 0 sample
}

@test 'what was printed before a failure stays, and is no success' {
	refused 'nothere: .*No such file' prof-show sample nothere
	grep -q '^sample: stream' out
	head -n 5 sample >cut
	refused 'ended inside a profile' prof-show cut
	refused 'ended inside a profile' prof-show --functions cut
	refused 'ended inside a profile' prof-show --function main cut
	refused 'ended inside a profile' prof-show --function nosuch cut
	refused 'NumCounters is 0' \
	    prof-show "$(data bad/counters-none/input)"
}

@test 'profiles behind a bad one are shown too' {
	need jq
	profile '"level":"ir"' "$(fn a 1 1,2)" >good
	head -n 2 good >cut
	run -2 --separate-stderr prof-show cut nothing good
	[ "$output" = "$(prof-show good)" ]
	lines_match 'cut: truncated: line 2: ' 'nothing: cannot open: ' <<<"$stderr"
	# The message stands behind the profiles before it.
	run -2 prof-show good cut good
	[ "${output%%prof-show: cut: truncated: line 2: *}" = "$(prof-show good)"$'\n' ]
	run -2 --separate-stderr prof-show --top 1 cut good
	[ "$output" = "$(prof-show --top 1 good)" ]
	run -2 --separate-stderr prof-show --json cut good
	[ "$output" = "$(prof-show --json good)" ]
	run -2 --separate-stderr prof-show --report report cut good
	jq -se 'length == 2 and .[0].file == "cut" and .[1].bad == 1' report
	run -2 prof-show cut
	run -1 prof-show --keep-going cut good
	mkdir folder
	mv cut good folder
	echo 'Read me.' >folder/README
	run -2 --separate-stderr prof-show folder
	lines_match 'cut: truncated: line 2: ' 'skipped 1 file that is not a profile' <<<"$stderr"
	rm folder/cut folder/good
	run -2 --separate-stderr prof-show folder
	lines_match '^prof-show: skipped 1 file that is not a profile$' \
	    '^prof-show: folder: no profile in the input$' <<<"$stderr"
	run -2 --separate-stderr prof-show -q folder
	[ "$stderr" = 'prof-show: folder: no profile in the input' ]
	: >list
	for program in prof-show prof-merge prof-report; do
		run -2 --separate-stderr $program --files-from list
		[ "$stderr" = "$program: list: no profile in the input" ]
	done
	run -2 prof-show folder folder
	[[ $output == *$'\nprof-show: no profile in the input' ]]
}

# shown ARGUMENTS...: the names of the functions that prof-show prints.
shown() {
	prof-show --json "$@" | jq -r .name | tr '\n' ' '
}

@test 'functions by pattern and by count' {
	profile '"level":"ir"' "$(fn parse_a 1 5)" "$(fn parse_b 2 50)" \
	    "$(fn main 3 9)" >x
	[ "$(shown --glob 'parse_*' x)" = 'parse_a parse_b ' ]
	[ "$(shown --regex '_b$|^m' x)" = 'parse_b main ' ]
	[ "$(shown --glob 'parse_*' --min-count 6 x)" = 'parse_b ' ]
	[ "$(shown --min-count 9 x)" = 'parse_b main ' ]
	[ "$(shown --glob '*_a' --function main x)" = 'parse_a main ' ]
	[ "$(shown --function main --min-count 10 x || :)" = '' ]
	[ "$(shown --regex . --top 1 x)" = 'parse_b ' ]
	# Names of indexed files are not looked up in their table then.
	prof-index -o x.profdata x
	[ "$(shown --regex '_a$' --function main x.profdata | tr ' ' '\n' |
	    sort | tr '\n' ' ')" = 'main parse_a ' ]
	run -1 --separate-stderr prof-show --glob 'nosuch*' x
	[ "$stderr" = 'prof-show: no such function' ]
	run -1 prof-show --min-count 51 x
	usage_error "'[(]'" prof-show --regex '(' x
	usage_error '--min-count needs a number, not' prof-show --min-count x x
	usage_error 'cannot be used with functions' prof-show --heap --glob '*' x
}

# A total of 1000: shares are easy to see.
ten_shares() {
	ir "$(fn b 1 500,100)" "$(fn a 2 300)" "$(fn c 3 40,30,20)" \
	    "$(fn d 4 10)" "$(fn e 5 0)"
}

@test 'the hottest functions stand below a summary' {
	ten_shares >x
	prof-show x | sed '1,/^ *share/d' | awk '{ print $1, $2, $3, $4, $6 }' \
	    >got
	same got - <<-'END'
	60.00% 60.00% hot 500 b
	30.00% 90.00% hot 300 a
	9.00% 99.00% hot 40 c
	1.00% 100.00% cold 10 d
	END
	# Ten in a pipe; those of them that were run.
	half_ran 100 | prof-show | sed '1,/^ *share/d' >got
	[ "$(wc -l <got)" -eq 10 ]
	sort -rn got | same got -
	half_ran 100 | prof-show --sort share --top 10 --json |
	    jq -r .name | same <(awk '{ print $6 }' got) -
	# Neither where nothing was run, nor where a counter is only 0 or 1.
	ir "$(fn a 1 0)" | prof-show >got
	run ! grep share got
	prof-show -q "$good/coverage.profraw" >got
	run ! grep share got
}

@test 'hot, warm and cold are those of a compiler' {
	# 99 percent of the total are in the first, 99.9999 in the first three.
	ir "$(fn a 1 1000000)" "$(fn b 1 5000)" "$(fn c 1 10)" "$(fn d 1 1)" |
	    prof-show | sed '1,/^ *share/d' | awk '{ print $3, $4 }' >got
	printf '%s\n' 'hot 1000000' 'warm 5000' 'cold 10' 'cold 1' | same - got
	# Where both are the same, such a counter is hot.
	ir "$(fn a 1 7)" "$(fn b 1 7)" | prof-show | sed '1,/^ *share/d' |
	    awk '{ print $3 }' >got
	printf 'hot\nhot\n' | same - got
}

@test 'functions in another order, by share, and the first of them' {
	ten_shares >x
	[ "$(shown --sort count x)" = 'b a c d e ' ]
	[ "$(shown --sort share x)" = 'b a c d e ' ]
	[ "$(shown --sort name x)" = 'a b c d e ' ]
	[ "$(shown --sort size x)" = 'c b a d e ' ]
	[ "$(shown --sort name --top 2 x)" = 'a b ' ]
	half_ran 100 >many
	[ "$(shown --sort name many)" = \
	    "$(seq -f 'f%05g ' 100 | tr -d '\n')" ]
	# Shares are of the whole, whatever was chosen.
	prof-index -o indexed x
	for file in x indexed; do
		prof-show --sort share --function c --function d "$file" |
		    awk 'NR > 2 { print $2, $6 }' >got
		printf '%s\n' '9.00% c' '1.00% d' | same - got
	done
	# Pseudo counts are no counts, but functions.
	prof-show --sort name sample | grep -c pseudo | same <(echo 2) -
}

@test 'sorted functions have their values' {
	prof-show --values --sort size --function _ZN5Shape4areaEv sample >got
	prof-show --values --function _ZN5Shape4areaEv sample | same got -
	prof-show --values --counts --top 2 sample >got
	grep -q 'indirect call 1' got
	grep -qF '[9223372036854775808]' got
}

@test '--binary-ids: the build ids of raw, indexed and stream inputs' {
	local ids=(0011aaff 22)

	profile '"level":"ir"' '{"record":"binary","build_id":"0011aaff"}' \
	    '{"record":"binary","build_id":"22"}' "$(fn main 1 1,2)" >x.ndjson
	prof-index -o x.profdata x.ndjson
	for f in x.ndjson x.profdata; do
		prof-show --binary-ids "$f" >got
		printf '    %s\n' "${ids[@]}" | same - <(grep -A2 '^  binary ids  *2$' got |
		    sed 1d)
		prof-show --binary-ids --json "$f" | jq -c .build_ids >got
		echo '["0011aaff","22"]' | same - got
	done
	# Those of a raw profile are those of its stream, and nothing is a list.
	profraw-cat "$(data good/correlated-v11.profraw)" |
	    jq -r 'select(.record == "binary").build_id' >want
	[ -s want ]
	prof-show --binary-ids --json "$(data good/correlated-v11.profraw)" |
	    jq -r '.build_ids[]' | same - want
	profile '"level":"ir"' "$(fn main 1 1,2)" >none
	prof-show --binary-ids --json none | jq -e '.build_ids == []'
	prof-show --json x.ndjson | jq -e 'has("build_ids") | not'
	prof-show --binary-ids none | same - <(prof-show none)
	usage_error '--binary-ids needs the summary' \
	    prof-show --binary-ids --functions x.ndjson
	usage_error '--heap cannot be used with' \
	    prof-show --binary-ids --heap x.ndjson
}

@test '-o: a file, whole or not at all' {
	local way

	for way in '' --json --functions '--top 2'; do
		prof-show $way sample >want
		prof-show $way -o got sample
		same got - <want
	done
	prof-show --functions -o got.gz sample
	gzip -dc got.gz | same - <(prof-show --functions sample)
	# What trouble leaves is what was there.
	head -c 100 sample >bad
	echo before >kept
	ends 2 'stream ended' -- prof-show -o kept sample bad
	echo before | same - kept
	ends 2 'stream ended' -- prof-show -o none sample bad
	[ ! -e none ]
	ends 2 nowhere -- prof-show -o nowhere/x sample
}

@test 'names with several hashes: two builds were mixed' {
	local cs=0x1000000000000000

	{
		printf ':ir\n'
		printf '%s\n%d\n1\n%d\n' main 1 10 main 2 20 once 3 5 \
		    main.cs $((cs + 1)) 1 main.cs 1 2 thrice 1 1 thrice 2 2 \
		    thrice 3 3
	} >mixed.proftext
	prof-show --list mismatched mixed.proftext | awk 'NR > 2 {
		print $NF, $1 }' | sort | same - <(printf '%s\n' 'main 10' \
	    'main 20' 'thrice 1' 'thrice 2' 'thrice 3')
	prof-show --list mismatched --glob 't*' mixed.proftext | grep -c thrice |
	    grep -qx 3
	prof-show mixed.proftext | grep -qx '  mismatched names *2'
	prof-show --json mixed.proftext | jq -e '.mismatched_names == 2'
	prof-check mixed.proftext | grep -q ': suspect: names of functions with several hashes: 2: .*--list mismatched'
	run -1 prof-check --strict mixed.proftext
	# In any format that sums are written in.
	for to in indexed lprf stream; do
		prof-merge --to $to -o sum mixed.proftext
		prof-show --list mismatched --json sum | jq -r .name | sort |
		    uniq -c | awk '{ print $1, $2 }' |
		    same - <(printf '2 main\n3 thrice\n')
	done
	ends 1 '^prof-show: no mismatched function once$' -- \
	    prof-show --list mismatched --function once mixed.proftext >none
	head -5 mixed.proftext | prof-show --list mismatched - >none
	[ ! -s none ]
	usage_error '--list accepts mismatched' prof-show --list all x
	usage_error '--list cannot be used with' \
	    prof-show --list mismatched --top 3 x
}

@test 'context-sensitive functions are marked' {
	{
		printf '%s\n' :ir :csir
		printf '%s\n%s\n1\n%d\n' main 1 5 main \
		    $((0x1000000000000002)) 7
	} >both.proftext
	prof-merge --to indexed -o both both.proftext
	# shellcheck disable=SC2086
	for given in '' --functions '--top 2'; do
		prof-show $given both | sed -n 's/.*  main/main/p' | sort |
		    same - <(printf 'main\nmain  (context-sensitive)\n')
	done
	prof-show --functions --json both |
	    jq -rs 'map(.context_sensitive // false) | sort | join(" ")' |
	    grep -qx 'false true'
	prof-report both | grep -q 'main  (context-sensitive)<'
	# In the hash of a front-end profile, the bit has no meaning.
	tail -n +3 both.proftext >plain
	run ! grep -q sensitive <(prof-show --functions plain)
}

@test 'functions of a correlated profile need its binary' {
	local profile=$(data good/correlated-v11.profraw)

	warns 'v11\.profraw: warning: functions of a correlated .*--binary' \
	    -- prof-show --functions "$profile" >out
	quiet prof-show --functions --binary "$(data correlate/v11)" \
	    "$profile" | grep -q '  main$'
}
