# profraw-cat: what each input decodes to, and what all programs do the same
# way: inputs, output, options, failures.

load ../support/helper

setup() {
	need jq
	good=$(data good)
	bad=$(data bad)
	real=$(data real)
	cd "$BATS_TEST_TMPDIR"
}

@test 'good raw profiles decode to their streams' {
	local file

	cd "$good"
	for file in *.profraw; do
		decodes "$file"
	done
}

@test 'warnings can be turned off' {
	quiet profraw-cat -q "$good/values.profraw" >out
	profraw-cat "$good/values.profraw" 2>stderr | cmp - out
	[ "$(wc -l <stderr)" -eq 1 ]
}

# The code of an error is not printed: unit tests look at it.
@test 'bad raw profiles are refused, at the place and for the reason' {
	local folder code offset regex message found

	for folder in $(some 4 "$bad"/*/); do
		read -r code offset regex <"$folder/error"
		echo "${folder#"$bad/"} $code $offset $regex"
		refused . profraw-cat -o file "$folder/input"
		message=$(grep -v ': hint: ' stderr | tail -n 1)
		message=${message#"profraw-cat: $folder/input: "}
		found=-
		if [[ $message =~ ^([a-z]+:\ )?(0x[0-9a-f]+):\ (.*) ]]; then
			found=${BASH_REMATCH[2]}
			message=${BASH_REMATCH[3]}
		fi
		echo "$found $message"
		[[ $found =~ ^($offset)$ ]]
		[[ $message =~ $regex ]]
		[ ! -s out ]
		[ ! -e file ]
	done
	[ "$(ls -A)" = $'out\nstderr' ]
}

# The flag has been there since LLVM 17.
@test 'profiles of six LLVM releases are what llvm-profdata says' {
	local file

	for file in "$real"/*.profraw; do
		echo "${file##*/}"
		quiet profraw-cat "$file" | text >got
		case ${file##*/} in
		1[3-6]-*)
			sed -i '/^# Instrument block coverage/,+1d' got
			;;
		esac
		same "${file%.profraw}.proftext" got
	done
}

# Function, site, name and count of each value.
shown_vtables() {
	awk -F '[][ ,:()\t]+' '
	/^  [^ ]/ { name = substr($0, 3, length - 3) }
	/Results:$/ { vtables = /VTable/ }
	/^Statistics/ { exit }
	vtables && /^\t/ { print name, $2, $3, $4 }' "$1"
}

@test 'vtables of real profiles are what llvm-profdata says' {
	local file

	for file in "$real"/*.show; do
		echo "${file##*/}"
		shown_vtables "$file" >want
		[ -s want ]
		profraw-cat "${file%.show}.profraw" | jq -r '
			select(.values.vtable_target) | .name as $name |
			.values.vtable_target | to_entries[] | .key as $site |
			.value[] | "\($name) \($site) \(.target) \(.count)"
		' >got
		same want got
	done
}

@test 'standard input is read without arguments and as -' {
	local way

	unsourced "$good/v10-64le.ndjson" >want
	for way in 'profraw-cat' 'profraw-cat -'; do
		quiet $way <"$good/v10-64le.profraw" >got
		jq -c '.source // empty | .file' got | grep -qx '"-"'
		unsourced got | same want -
		cat "$good/v10-64le.profraw" | quiet $way | unsourced |
		    same want -
	done
	quiet profraw-cat "$good/zero.profraw" - "$good/zero.profraw" \
	    <"$good/v10-64le.profraw" >got
	[ "$(grep -c '"record":"profile"' got)" -eq 3 ]
	jq -c 'select(.record == "profile") | .source.file' got | sed -n 2p |
	    grep -qx '"-"'
}

@test 'fifos and process substitutions are read to their end' {
	mkfifo fifo
	cat "$good/v10-64le.profraw" >fifo &
	quiet profraw-cat fifo | unsourced >got
	unsourced "$good/v10-64le.ndjson" | same - got
	quiet profraw-cat <(cat "$good/v10-64le.profraw") | unsourced |
	    same got -
}

# Packs with the command, whose standard input and output are the files.
packed_as() {
	"${@:2}" <"$good/v10-64le.profraw" >"$1"
	quiet profraw-cat "$1" >got
	[ "$(jq -r '.source // empty | .file' got)" = "$1" ]
	unsourced got | same want -
	quiet profraw-cat <"$1" | unsourced | same want -
}

@test 'compressed files are read, whatever they are called' {
	local tool tried=

	unsourced "$good/v10-64le.ndjson" >want
	for tool in gzip bzip2 xz zstd lz4; do
		if command -v "$tool" >/dev/null; then
			echo "$tool"
			packed_as "file.$tool.profraw" "$tool" -c
			tried=yes
		fi
	done
	[ -n "$tried" ] || skip 'needs a compressor'
}

@test 'a compressed file that is cut or damaged is refused' {
	local file size

	need gzip
	for file in "$good/v10-64le.profraw" "$good/v10-64le.ndjson"; do
		gzip -c "$file" >whole
		for size in 5 20 200 -9 -5 -1; do
			echo "$size"
			head -c "$size" whole >cut
			refused 'cut: .*gzip data ends too early' \
			    profraw-cat cut
		done
		{ head -c -6 whole; printf 'x'; tail -c 5 whole; } >changed
		refused 'changed: .*gzip data' profraw-cat changed
	done
}

# A cpio archive (newc) of the files.
make_cpio() {
	local file size

	for file in "$@" TRAILER!!!; do
		size=0
		[ ! -e "$file" ] || size=$(wc -c <"$file")
		printf '070701%08x%08x%08x%08x%08x%08x%08x' 1 0100644 0 0 1 \
		    0 "$size"
		printf '%08x%08x%08x%08x%08x%08x' 0 0 0 0 $((${#file} + 1)) 0
		printf '%s\0' "$file"
		head -c $(((-111 - ${#file}) & 3)) /dev/zero
		[ ! -e "$file" ] || cat "$file"
		head -c $((-size & 3)) /dev/zero
	done
}

# Members of an archive: two profiles and three other files.
make_members() {
	mkdir -p folder
	cp "$good/v10-64le.profraw" a.profraw
	cp "$good/v4-32be.profraw" 'folder/b c.profraw'
	printf 'not \1 a profile\n' >README
	printf '\1' >one
	head -c 4096 /dev/zero >zeros
	members=(README a.profraw one zeros 'folder/b c.profraw')
	unsourced "$good/v10-64le.ndjson" | sed 's/,"last":true//' >want
	unsourced "$good/v4-32be.ndjson" >>want
}

archive_decodes() {
	warns 'skipped 3 files that are not profiles$' -- \
	    profraw-cat "$1" >got
	unsourced got | same want -
	jq -r '.source // empty | "\(.file)[\(.member)]"' got >names
	printf '%s\n' "$1[a.profraw]" "$1[folder/b c.profraw]" | same - names
	quiet profraw-cat -q "$1" | same got -
}

@test 'archives are read: profiles in order, other members skipped' {
	need tar gzip
	make_members
	tar -cf tar "${members[@]}"
	archive_decodes tar
	gzip -c tar >tar.gz
	archive_decodes tar.gz
	make_cpio "${members[@]}" >cpio
	archive_decodes cpio
}

@test 'so are zip files, tar files in zstd, and both through a pipe' {
	need tar zip zstd
	make_members
	zip -q archive "${members[@]}"
	archive_decodes archive.zip
	tar -c "${members[@]}" | zstd -qc >archive.tar.zst
	archive_decodes archive.tar.zst
	for file in archive.zip archive.tar.zst; do
		cat "$file" | profraw-cat -q | unsourced | same want -
	done
}

@test 'members of archives may be compressed' {
	need tar gzip
	make_members
	gzip a.profraw 'folder/b c.profraw'
	tar -cf tar README a.profraw.gz folder
	warns 'skipped 1 file that is not a profile' -- profraw-cat tar |
	    unsourced | same want -
	profraw-cat -q tar | jq -r '.source // empty | .member' >names
	printf '%s\n' a.profraw.gz 'folder/b c.profraw.gz' | same - names
}

@test 'a member that should be a profile and is not is refused by name' {
	need tar
	make_members
	: >empty.profraw
	cp one broken.profraw
	cp one broken.profdata
	cp "$bad/counters-none/input" bad
	for member in empty.profraw broken.profraw broken.profdata bad; do
		tar -cf tar README a.profraw "$member"
		refused " tar\[$member\]: " profraw-cat -q tar
		rm -f file
		refused " tar\[$member\]: " prof-merge -o file tar
		[ ! -e file ]
	done
	refused '\[bad\]: damaged: 0x110: record 1: NumCounters is 0$' profraw-cat -q tar
	printf '\1' | refused ': not a profile' profraw-cat
}

@test 'an archive without a profile is no input' {
	local program

	need tar
	make_members
	tar -cf tar README zeros
	for program in profraw-cat prof-merge prof-index prof-show; do
		refused 'no profile' "$program" tar
	done
}

@test 'folders are read in the order of names' {
	make_members
	mkdir files files/sub files/empty
	cp a.profraw files/m
	cp a.profraw files/sub/z
	cp a.profraw files/sub/.hidden
	ln -s m files/link
	quiet profraw-cat files a.profraw >got
	jq -r '.source // empty | .file' got >names
	printf '%s\n' files/m files/sub/.hidden files/sub/z a.profraw |
	    same - names
	quiet profraw-cat files a.profraw | same got -
	refused 'no profile' prof-merge files/empty
	cp one files/sub/one.profraw
	run -2 --separate-stderr profraw-cat files
	[[ $stderr == *' files/sub/one.profraw: not a profile'* ]]
}

@test 'names of inputs come from lists' {
	local newline=$'\n'

	make_members
	cp a.profraw "new${newline}line"
	printf '%s\n' a.profraw '' '7,a.profraw' 'folder/b c.profraw' >list
	quiet profraw-cat --files-from list a.profraw >got
	jq -r '.source // empty | .file' got >names
	printf '%s\n' a.profraw a.profraw 'folder/b c.profraw' a.profraw |
	    same - names
	printf '%s\0' "new${newline}line" a.profraw >list0
	quiet profraw-cat -0 --files-from=list0 >got
	[ "$(jq -c '.source // empty | .file' got)" = \
	    "\"new\\nline\"$newline\"a.profraw\"" ]
	quiet profraw-cat --null --files-from=- <list0 | same got -
	printf '%s' a.profraw | quiet profraw-cat --files-from - >got
	unsourced got | same <(unsourced "$good/v10-64le.ndjson") -
	printf '%s\n' folder | quiet profraw-cat --files-from - >got
	printf '%s\n' nothere | refused 'nothere: .*No such file' \
	    profraw-cat --files-from -
	refused 'nothere: .*No such file' profraw-cat --files-from nothere
}

@test 'an empty list is not standard input' {
	: >list
	refused 'no profile' prof-merge --files-from list \
	    <"$good/v10-64le.profraw"
}

@test 'indexed profiles and streams decode too' {
	local version

	prof-index -q "$real/22-vtable.profraw" -o indexed
	quiet profraw-cat indexed >got
	jq -c '.source // empty' got >source
	echo '{"file":"indexed","format":"indexed","version":13,' \
	    '"endian":"little"}' | tr -d ' ' | same - source
	prof-merge "$real/22-vtable.profraw" | jq -cS 'select(.name)' |
	    sort >want
	jq -cS 'select(.name)' got | sort | same want -
	# A stream keeps its first source, so that it may pass many programs.
	quiet profraw-cat got | same got -
	profile '' "$(fn main 1 1)" >plain
	quiet profraw-cat plain >got
	unsourced got | same plain -
}

@test 'variant bits of no version are reported and ignored' {
	local plain command
	local want='index: 0x8: warning: variant bits 0x0000010000000000 are unknown in version 13: ignored$'

	cd "$BATS_TEST_TMPDIR"
	profile '"level":"ir"' "$(fn main 1 5,6)" >stream
	prof-index -q -o index stream
	plain=$(profraw-cat index)
	printf '\001' | dd of=index bs=1 seek=13 conv=notrunc status=none
	warns "$want" -- profraw-cat index >got
	same got - <<<"$plain"
	# Once, although inputs may be read twice.
	for command in prof-merge profraw-cat prof-show \
	    'prof-filter --function main' 'prof-index -o out'; do
		echo "$command"
		# shellcheck disable=SC2086
		warns "^${command%% *}: $want" -- $command --keep-going index >got
	done
}

@test 'an indexed profile is written if it is one' {
	warns 'LLVM 14 does not read .* as in --to indexed:clang-14$' -- \
	    profraw-cat --to indexed "$real/16-ir.profraw" >got
	prof-index -q "$real/16-ir.profraw" | cmp got -
	quiet profraw-cat --to indexed:9 "$real/16-ir.profraw" >got
	quiet prof-index --to indexed:9 "$real/16-ir.profraw" | cmp got -
	quiet profraw-cat --to indexed:clang-16 \
	    "$real/16-ir.profraw" | cmp got -
	quiet profraw-cat --to=stream:1 "$real/16-ir.profraw" >got
	quiet profraw-cat "$real/16-ir.profraw" | same got -
	refused 'one profile: use prof-merge' \
	    profraw-cat --to indexed "$good/exe-so.profraw"
	[ ! -s out ]
	refused 'correlated' \
	    profraw-cat --to indexed "$good/correlated-debug.profraw"
}

@test 'wrong options are told in one line' {
	local program

	for program in profraw-cat prof-merge prof-index prof-show; do
		echo "$program"
		usage_error "unrecognized option '--nosuch'" \
		    "$program" --nosuch x
		usage_error "invalid option -- 'X'" "$program" -X
		usage_error "option '--files-from' requires an argument" \
		    "$program" --files-from
		usage_error "doesn't allow an argument" "$program" --help=me
	done
	for program in profraw-cat prof-merge; do
		usage_error "format 'nosuch' cannot be written" \
		    "$program" --to nosuch x
		usage_error "version 14 cannot be written: versions 1 to 13 can" \
		    "$program" --to indexed:14 x
		usage_error "version 2 cannot be written" \
		    "$program" --to stream:2 x
		usage_error "'' is not a version" "$program" --to indexed: x
		usage_error "'clang-99' is not a version of indexed, nor " \
		    "$program" --to indexed:clang-99 x
		usage_error 'version 32 cannot be written' "$program" --to yaml:32 x
	done
	for version in 0 -1 1x x 14 99999999999999999999; do
		usage_error '' prof-index --to indexed:"$version" x
		usage_error '' profraw-cat --to "indexed:$version" x
	done
	usage_error "invalid option -- 'w'" profraw-cat -w 2,x
	usage_error "unrecognized option '--output" prof-check --output=x
}

@test 'help and version go to standard output' {
	local program

	for program in profraw-cat prof-merge prof-index prof-show; do
		quiet "$program" --help >got
		head -n 1 got | grep -q "^usage: $program "
		[ "$(awk 'length > 80' got)" = '' ]
		quiet "$program" -h | same got -
		quiet "$program" --version >got
		grep -qE '^proftools [0-9]+\.[0-9]+' got
		[ "$(wc -l <got)" -eq 1 ]
		quiet "$program" -V | same got -
		# Of several, the first that ends the program counts.
		quiet "$program" --version --help | same got -
	done
}

@test 'inputs may stand between options' {
	quiet profraw-cat "$real/16-ir.profraw" -o file
	quiet profraw-cat -o- -- "$real/16-ir.profraw" | same file -
}

@test 'a full disk and a closed standard output are told' {
	local program

	[ -e /dev/full ] || skip 'needs /dev/full'
	for program in profraw-cat prof-merge prof-index prof-show \
	    'profraw-cat --help' 'prof-show --version' \
	    'prof-show --json --functions'; do
		echo "$program"
		run -2 bash -c "$program '$real/16-ir.profraw' \
		    2>stderr >/dev/full"
		lines_match "^${program%% *}: standard output: .*No space" \
		    <stderr
		run -2 bash -c "$program '$real/16-ir.profraw' 2>stderr >&-"
		lines_match "^${program%% *}: standard output: .*Bad file" \
		    <stderr
	done
	refused '/dev/full: .*No space' profraw-cat -o /dev/full \
	    "$real/16-ir.profraw"
}

# Enough for a pipe and all buffers.
@test 'a reader that goes away ends the program quietly' {
	local n program

	for n in {1..4000}; do
		echo "$good/v10-64le.profraw"
	done >list
	for program in profraw-cat 'prof-show --functions'; do
		bash -c "$program --files-from list 2>stderr
		    echo \$? >status" | head -n 1 >out
		[ -s out ]
		[ "$(cat status)" -eq 141 ]
		[ ! -s stderr ]
	done
	# Where the signal is ignored it is an error like others.
	(
		trap '' PIPE
		bash -c 'profraw-cat --files-from list 2>stderr
		    echo $? >status' | head -n 1 >out
	)
	[ "$(cat status)" -eq 2 ]
	grep -q 'standard output: .*Broken pipe' stderr
}

@test 'an output file appears whole or not at all' {
	quiet profraw-cat "$real/16-ir.profraw" -o file
	quiet profraw-cat "$real/16-ir.profraw" | same file -
	[ "$(ls -A)" = $'file\nstderr' ]
	cp file before
	for program in profraw-cat prof-merge prof-index; do
		refused 'NumCounters is 0$' "$program" -o file \
		    "$real/16-ir.profraw" "$bad/counters-none/input"
		same before file
		refused 'NumCounters is 0$' "$program" -o new \
		    "$real/16-ir.profraw" "$bad/counters-none/input"
		[ ! -s out ]
		[ "$(ls -A)" = $'before\nfile\nout\nstderr' ]
	done
	# A file may be input and output.
	quiet prof-merge file -o file
	quiet prof-merge before | same file -
}

@test 'an output file keeps its mode, its link and its place' {
	mkdir there
	echo old >there/file
	chmod 640 there/file
	ln -s there/file link
	quiet profraw-cat "$real/16-ir.profraw" -o link
	[ -L link ]
	[ "$(stat -c %a there/file)" = 640 ]
	grep -q function there/file
	umask 077
	quiet profraw-cat "$real/16-ir.profraw" -o new
	[ "$(stat -c %a new)" = 600 ]
	refused 'nothere/file: .*No such file' \
	    profraw-cat "$real/16-ir.profraw" -o nothere/file
	refused 'there/: ' profraw-cat "$real/16-ir.profraw" -o there/
}

@test 'a run that is killed leaves no file' {
	local n program status=0

	mkfifo fifo
	exec 4<>fifo
	profraw-cat -o file fifo 3>&- 4>&- &
	program=$!
	profile '' "$(fn main 1 1)" | head -n 2 >&4
	for n in {1..250}; do
		# The output has a name, or none until it is whole.
		! { ls -A; ls -l "/proc/$program/fd"; } 2>/dev/null |
		    grep -qE '^\.file\.|/#[0-9]+ \(deleted\)$' || break
		sleep 0.02
	done
	kill -TERM "$program"
	wait "$program" || status=$?
	exec 4>&-
	[ "$status" -eq 143 ]
	[ "$n" -lt 250 ]
	[ "$(ls -A)" = fifo ]
}

@test 'a stream that is not whole says so' {
	refused 'NumCounters is 0$' profraw-cat "$real/16-ir.profraw" \
	    "$bad/counters-none/input"
	cp out stream
	tail -n 1 stream | jq -e '.record == "abort" and
	    (.reason | test("NumCounters is 0"))'
	[ "$(grep -c '"last":true' stream)" -eq 0 ]
	# Who reads it fails for that reason, and says so in turn.
	for program in profraw-cat prof-merge prof-index prof-show; do
		refused "line $(wc -l <stream): .*gave up.*NumCounters is 0$" \
		    "$program" stream
	done
}

@test 'inputs behind a bad one are written too, to standard output' {
	run -2 bash -c '"${@:1}" >out 2>stderr' - profraw-cat \
	    "$bad/counters-none/input" "$real/13-ir.profraw" nothing \
	    "$real/16-ir.profraw"
	lines_match 'NumCounters is 0$' 'nothing: cannot open: ' \
	    'hint: --salvage may read intact parts$' <stderr
	jq -r '.record + (.source.file // "" | sub(".*/"; " ")) +
	    (if .last then " last" else "" end)' out |
	    grep -E '^(profile|end|abort)' | same - <(cat <<-'END'
		abort
		profile 13-ir.profraw
		abort
		profile 16-ir.profraw
		end last
		END
	)
	# Records of the bad one itself, as far as they go.
	profraw-cat "$real/16-ir.profraw" >whole
	head -n 3 whole >cut
	run -2 --separate-stderr profraw-cat cut whole
	head -n 3 <<<"$output" | same cut -
	jq -es '.[-1].last' <<<"$output" || jq -es . <<<"$output" >/dev/null
	# A file would not be put in place.
	refused 'NumCounters is 0' profraw-cat -o file \
	    "$bad/counters-none/input" "$real/13-ir.profraw"
	[ ! -e file ]
}

@test 'what is read is told on request' {
	warns ": $real/16-ir.profraw: raw version 8$" -- \
	    profraw-cat -v "$real/16-ir.profraw" >got
	profile '"level":"ir"' "$(fn a 1 1)" >x
	warns '^profraw-cat: x: stream$' -- profraw-cat -v x >got
	printf ':ir\na\n1\n1\n1\n' >text
	warns '^profraw-cat: text: text$' -- profraw-cat -v text >got
}

@test 'file names cannot spoil a terminal' {
	local name=$'esc\e[31m\n'

	cp "$bad/magic/input" "$name"
	refused 'esc\?\[31m\?: ' profraw-cat "$name"
	[ "$(wc -l <stderr)" -eq 1 ]
}

# UBSan: an offset was added to the null pointer of values that no function has.
@test 'blocks of functions without values' {
	quiet profraw-cat "$(data no-values.ndjson)" >got
	[ "$(grep -c '"record":"function"' got)" -eq 8 ]
	same got "$(data no-values.ndjson)"
}

@test 'functions of a program that moved are found, each at its own address' {
	cp "$real/22-fe_values.profraw" one
	{ head -c 192 one; printf '\330'; tail -c +194 one; } >other
	quiet profraw-cat other >want
	grep -q '"target":' want
	quiet profraw-cat one other | tail -n "$(wc -l <want)" | same want -
}

@test 'any byte between sections may be other than zero, with a warning' {
	local at

	# The bitmap has one byte, and seven behind it.
	for at in 297 303; do
		{
			head -c $at "$good/kinds.profraw"
			printf '\1'
			tail -c +$((at + 2)) "$good/kinds.profraw"
		} >file
		warns "^profraw-cat: file: $(printf '0x%x' $at): warning: padding between sections is not zero$" \
		    -- profraw-cat file >out
	done
}
