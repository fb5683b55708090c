# prof-bundle: profiles in one archive that any tar opens.

load ../support/helper

setup() {
	need jq
	cd "$BATS_TEST_TMPDIR"
}

# run N [NAME]: a stream of one function that ran N times, in runs/NAME.
run_of() {
	mkdir -p runs
	profile '"level":"ir"' "$(fn main 1 "$1,1")" >"runs/${2-$1}"
}

runs() {
	local i

	for i; do
		run_of "$i"
	done
}

manifest() {
	tar -xOf "$1" MANIFEST
}

# forge TAR [sed -E expressions]: a bundle whose manifest is changed.
forge() {
	mkdir forged
	tar -xf "$1" -C forged
	sed -i -E "${@:2}" forged/MANIFEST
	tar -cf "$1" -C forged MANIFEST $(cd forged && find . -type f |
	    sed 's/^\.\///' | grep -vx MANIFEST | LC_ALL=C sort)
	rm -r forged
}

@test 'a bundle is a tar archive that begins with its manifest' {
	runs 1 2 3
	quiet prof-bundle create -o b.tar runs/1 runs/2 runs/3
	run -0 tar -tf b.tar
	[ "${lines[0]}" = MANIFEST ]
	[ "$(sort <<<"$output")" = $'MANIFEST\nruns/1\nruns/2\nruns/3' ]
	mkdir dir
	tar -xf b.tar -C dir
	for i in 1 2 3; do
		cmp "dir/runs/$i" "runs/$i"
	done
	[ "$(tar --numeric-owner --utc -tvf b.tar | awk '
	    { print $1, $2, $4, $5 }' | sort -u)" = \
	    '-rw-r--r-- 0/0 1970-01-01 00:00' ]
}

@test 'the manifest tells of each profile' {
	local file=runs/1

	runs 1
	prof-bundle create -o b.tar runs/1
	manifest b.tar | jq -c . | cmp - <(manifest b.tar)
	[ "$(manifest b.tar | head -n 1)" = \
	    '{"bundle":1,"profiles":1,"members":1}' ]
	manifest b.tar | tail -n +2 >line
	[ "$(jq -r .sha256 line)" = "$(sha256sum <runs/1 | cut -d' ' -f1)" ]
	[ "$(jq -r .size line)" = "$(wc -c <runs/1)" ]
	[ "$(jq -c '[.path,.member,.format,.version,.kind,.profiles,
	    .binary_ids,.functions,.contexts,.count]' line)" = \
	    '["runs/1","runs/1","stream",1,"instr",1,[],1,0,2]' ]
}

@test 'counts and binary ids of raw profiles' {
	cp "$(data real)"/*.profraw .
	prof-bundle create -o b.tar *.profraw
	manifest b.tar | tail -n +2 | while IFS= read -r line; do
		file=$(jq -r .path <<<"$line")
		echo "$file"
		profraw-cat "$file" >stream
		jq -se --argjson m "$line" '
		    ([.[] | select(.record == "function")] | length) ==
		    $m.functions and
		    ([.[] | select(.record == "binary") | .build_id] | unique)
		    == $m.binary_ids and
		    .[0].source.version == $m.version' stream
	done
}

@test 'a sum above 2^53 is a decimal string' {
	profile '"level":"ir"' \
	    "$(fn f 1 '9007199254740991,9007199254740991')" >big
	prof-bundle create -o b.tar big
	manifest b.tar | grep -qF '"count":"18014398509481982"'
	prof-check -q b.tar
}

@test 'equal contents are equal bytes' {
	local packing

	runs 1 2 3 4
	for packing in none gzip xz zstd; do
		packing="--pack $packing --dedup content"
		prof-bundle create $packing -o a runs/1 runs/2 runs/3 runs/4
		touch -d 2001-01-01 runs/*
		chmod 600 runs/2
		prof-bundle create $packing runs/3 runs/4 runs/1 runs/2 >b
		printf '%s\n' runs/4 runs/2 >list
		prof-bundle create $packing -o c --files-from list runs/1 \
		    ./runs//3
		(TZ=Asia/Tokyo; export TZ; umask 077
		prof-bundle create $packing -o d runs)
		cmp a b
		cmp a c
		cmp a d
	done
}

@test 'any tar opens packed ones, whatever they are called' {
	local packing tool

	need xz gzip zstd
	runs 1 2
	for packing in xz gzip zstd; do
		prof-bundle create --pack $packing -o none runs
		$packing -dc <none | tar -tf - >names
		grep -qx runs/2 names
		prof-check none >out
		[ "$(grep -c ': ok: ' out)" -eq 2 ]
	done
}

@test 'other programs read bundles' {
	runs 1 2
	prof-bundle create --pack zstd -o b runs
	prof-merge runs/1 runs/2 >want
	quiet prof-merge b >got
	cmp want got
}

# same_bundle A B: they have the same manifest, and the same members.
same_bundle() {
	cmp <(manifest "$1") <(manifest "$2")
	rm -rf one.dir other.dir
	prof-bundle extract -C one.dir "$1"
	prof-bundle extract -C other.dir "$2"
	diff -r one.dir other.dir
}

@test 'archives and bundles give their members' {
	need zip gzip
	runs 1 2 3
	prof-bundle create -o want runs
	tar -cf a.tar runs/1 runs/3
	gzip runs/3
	zip -q b.zip runs/2 runs/1
	tar -czf c.tar.gz runs/3.gz
	echo 'no profile' >README
	tar -rf a.tar README
	prof-bundle create -o got a.tar b.zip 2>stderr
	same_bundle want got
	grep -qx 'prof-bundle: skipped 1 file that is not a profile' \
	    stderr
	prof-bundle create -o got c.tar.gz b.zip
	same_bundle want got
	prof-bundle create --pack xz -o one b.zip
	prof-bundle create -o got one c.tar.gz
	same_bundle want got
	prof-bundle create --member 'runs/[12]' -o got want
	[ "$(prof-bundle list got | wc -l)" -eq 2 ]
}

@test 'members come in the order of their places, however inputs are named' {
	local i

	runs $(seq 1 40)
	for i in 1 2 3 4; do
		(cd runs && ls | awk -v "i=$i" 'NR % 4 + 1 == i') |
		    sed 's/^/runs\//' | sort -r |
		    tar -czf "$i.tar.gz" -T -
	done
	prof-bundle create -o want runs
	[ "$(tar -tf want | tail -n +2)" = "$(ls -d runs/* | LC_ALL=C sort)" ]
	prof-bundle create -o got 3.tar.gz 1.tar.gz 4.tar.gz 2.tar.gz
	same_bundle want got
	[ "$(tar -tf got | tail -n +2)" = "$(cat <(tar -tf 1.tar.gz) \
	    <(tar -tf 2.tar.gz) <(tar -tf 3.tar.gz) <(tar -tf 4.tar.gz))" ]
	prof-bundle create -o want 1.tar.gz 2.tar.gz 3.tar.gz 4.tar.gz
	cmp want got
	prof-bundle create -o again got
	cmp want again
}

@test 'identical profiles are stored once' {
	runs 1 2
	cp runs/1 runs/copy
	warns 'repeated profiles, stored once: 1$' -- \
	    prof-bundle create --dedup content -o b.tar runs
	[ "$(manifest b.tar | head -n 1)" = \
	    '{"bundle":1,"profiles":3,"members":2}' ]
	[ "$(manifest b.tar | jq -r 'select(.path == "runs/copy").member')" = \
	    runs/1 ]
	[ "$(tar -tf b.tar | wc -l)" -eq 3 ]
	prof-bundle extract -C dir b.tar
	diff -r runs dir/runs
	prof-bundle create -q --dedup content -o c.tar runs/1 runs/copy \
	    runs/2 runs/1
	cmp b.tar c.tar
}

# ran BUNDLE: how often main ran in all of its profiles.
ran() {
	prof-merge -q "$1" | jq 'select(.name == "main").counts[0]'
}

@test 'equal profiles of several runs count each' {
	local i

	for i in 1 2 3 4 5; do
		run_of 7 $i
	done
	quiet prof-bundle create -o b.tar runs
	[ "$(ran b.tar)" = 35 ]
	prof-bundle extract -C dir b.tar
	diff -r runs dir/runs
	# A file that is named again, or is in an archive, is no other run.
	tar -cf a.tar runs
	run -0 prof-bundle create -o c.tar runs runs/4 a.tar b.tar
	[ "$output" = "prof-bundle: repeated profiles, stored once: 11" ]
	same_bundle b.tar c.tar
	# Their bytes alone.
	run -0 prof-bundle create --dedup content -o c.tar runs
	[[ $output = *'stored once: 4' ]]
	[ "$(ran c.tar)" = 7 ]
}

@test 'runs of one path are told by times, or as they are called' {
	local i

	for i in 1 2 3; do
		run_of 7 x
		mkdir $i
		mv runs/x $i/x
		touch -d 2001-01-01 $i/x
		tar -C $i -cf $i.tar x
	done
	run -0 prof-bundle create -o b [123].tar
	[[ $output = *'stored once: 2' ]]
	[ "$(ran b)" = 7 ]
	touch -d 2001-01-02 2/x
	tar -C 2 -cf 2.tar x
	run -0 prof-bundle create -o b [123].tar
	[[ $output = *'stored once: 1' ]]
	[ "$(manifest b | jq -r 'select(.run).run' | sort)" = \
	    $'@978307200\n@978393600' ]
	[ "$(ran b)" = 14 ]
	for i in 1 2 3; do
		quiet prof-bundle create --run "job $i" -o $i.bundle $i.tar
		touch $i/x
		(cd $i && prof-bundle create --run "job $i" -o ../x x)
		cmp x $i.bundle
	done
	quiet prof-bundle create -o all [123].bundle
	[ "$(ran all)" = 21 ]
	warns ' in several bundles, counted once: 3$' -- \
	    prof-merge -o sum 2.bundle all 1.bundle 2.bundle
	[ "$(ran sum)" = 21 ]
}

@test 'different profiles of one path keep apart' {
	local sum

	mkdir 1 2
	run_of 1 && mv runs/1 1/x
	run_of 2 && mv runs/2 2/x
	(cd 1 && prof-bundle create --dedup content -o ../1.tar x)
	(cd 2 && prof-bundle create --dedup content -o ../2.tar x)
	prof-bundle create -o b.tar 1.tar 2.tar
	prof-bundle create -o c.tar 2.tar 1.tar
	cmp b.tar c.tar
	[ "$(prof-bundle list --json b.tar | jq -r .path)" = $'x\nx' ]
	prof-bundle extract -C dir b.tar
	for i in 1 2; do
		sum=$(sha256sum <$i/x)
		cmp "$i/x" "dir/${sum%% *}/x"
	done
	prof-check -q b.tar
	prof-bundle extract -C dir2 1.tar
	cmp 1/x dir2/x
}

@test 'paths that tar could not unpack side by side' {
	runs 1 2
	tar -cf a.tar --transform s,runs/1,x, runs/1
	tar -cf b.tar --transform s,runs/2,x/y, runs/2
	tar -cf c.tar --transform s,runs/1,MANIFEST, runs/1
	tar -cf d.tar --transform s,runs/2,MANIFEST/y, runs/2
	prof-bundle create -o got a.tar b.tar c.tar d.tar
	prof-check -q got
	tar -tf got | sed -E 's,^[0-9a-f]{64}/,SHA/,' | sort |
	    same - <(printf '%s\n' MANIFEST SHA/MANIFEST SHA/MANIFEST/y SHA/x \
	    x/y)
	mkdir dir
	tar -xf got -C dir
	cmp dir/x/y runs/2
	prof-bundle extract -C mine got
	[ "$(find mine -type f | wc -l)" -eq 4 ]
	# Others keep their names: beside a folder of another name, and as long
	# as that of the manifest.
	mkdir -p x eightdir
	cp runs/1 w
	cp runs/2 x/y
	run_of 3
	cp runs/3 eightdir/z
	run_of 4
	cp runs/4 MANIFESTO
	run_of 5
	cp runs/5 MANIFES8
	prof-bundle create -o other w x/y eightdir/z MANIFESTO MANIFES8
	[ "$(tar -tf other | tail -n +2 | sort)" = \
	    $'MANIFES8\nMANIFESTO\neightdir/z\nw\nx/y' ]
}

@test 'paths are made relative' {
	mkdir d
	run_of 1
	cd d
	prof-bundle create -o a ../runs/1
	prof-bundle create -o b "$BATS_TEST_TMPDIR/runs/1"
	[ "$(prof-bundle list --json a | jq -r .path)" = runs/1 ]
	[ "$(prof-bundle list --json b | jq -r .path)" = \
	    "${BATS_TEST_TMPDIR#/}/runs/1" ]
}

@test 'names of any bytes and any length' {
	local long bytes=$'runs/\xff\x01\n"x'

	long=runs/$(printf '%0200d' 1)
	run_of 1 $'\xff\x01\n"x'
	run_of 2 "$(printf '%0200d' 1)"
	run_of 3 $'\xc3\xa4'
	prof-bundle create -o b.tar runs
	prof-check -q b.tar
	[ "$(manifest b.tar | jq -r 'select(.path_hex).path_hex')" = \
	    72756e732fff010a2278 ]
	# Only a suffix.
	cp runs/$'\xc3\xa4' .gz
	prof-bundle create -o gz .gz
	[ "$(prof-bundle list --json gz | jq -r .path)" = .gz ]
	prof-bundle extract -C dir b.tar
	diff -r runs dir/runs
	mkdir tarred
	tar -xf b.tar -C tarred
	cmp "tarred/$bytes" "$bytes"
	cmp "tarred/$long" "$long"
	cmp $'tarred/runs/\xc3\xa4' $'runs/\xc3\xa4'
}

@test 'add is create of both' {
	runs 1 2 3 4
	prof-bundle create --pack zstd -o b runs/1 runs/2
	prof-bundle create --pack zstd -o c runs/3 runs/4
	prof-bundle create --pack zstd -o want b c
	chmod 640 b
	prof-bundle add b runs/4 runs/3
	cmp want b
	[ "$(stat -c %a b)" = 640 ]
	prof-bundle add b runs/3
	cmp want b
	prof-bundle add --pack none b c
	tar -tf b >names
	prof-bundle create -o plain want
	cmp plain b
}

@test 'add refuses an archive, or a profile, that is not a bundle' {
	runs 1 2
	echo text >notes
	tar -cf plain.tar runs/1 notes
	refused 'plain.tar: not a bundle' prof-bundle add plain.tar runs/2
	[ "$(tar -tf plain.tar)" = $'runs/1\nnotes' ]
	cp runs/1 profile
	refused 'profile: not a bundle' prof-bundle add --keep-going \
	    profile runs/2
	cmp runs/1 profile
}

@test 'add keeps what --member does not name' {
	runs 1 2 3 4
	prof-bundle create -o b.tar runs/1 runs/2
	tar -cf more.tar runs/3 runs/4
	prof-bundle add --member '*/3' b.tar more.tar
	[ "$(manifest b.tar | jq -r .path | grep . | tr '\n' ' ')" = \
	    'null runs/1 runs/2 runs/3 ' ]
}

@test 'add changes nothing if it fails' {
	runs 1
	prof-bundle create -o b.tar runs/1
	cp b.tar was
	echo bad >runs/2
	refused 'runs/2: ' prof-bundle add b.tar runs/2
	cmp b.tar was
	run -1 prof-bundle add --keep-going b.tar runs/2
	cmp b.tar was
	head -c 3000 was >b.tar
	refused 'b.tar' prof-bundle add --keep-going b.tar runs/1
	[ "$(wc -c <b.tar)" -eq 3000 ]
	refused 'cannot open: No such file' prof-bundle add none runs/1
	[ "$(ls -A)" = $'b.tar\nout\nruns\nstderr\nwas' ]
}

@test 'bad inputs are refused, or left out' {
	runs 1 2
	head -c 30 runs/1 >runs/3
	: >runs/4.profraw
	refused 'runs/3: ' prof-bundle create -o b.tar runs
	[ ! -e b.tar ]
	run -1 prof-bundle create --keep-going --report report -o b.tar runs
	[ "$(prof-bundle list b.tar | wc -l)" -eq 2 ]
	[ "$(jq -r 'select(.file).file' report)" = $'runs/3\nruns/4.profraw' ]
	jq -se '.[-1] | .used == 2 and .bad == 2' report
	prof-bundle create -v -o b.tar runs/1 2>&1 | lines_match \
	    '^prof-bundle: runs/1: stream version 1$'
	rm runs/1 runs/2
	refused 'no profile' prof-bundle create --keep-going -o c.tar runs
	refused 'standard input: is read twice' \
	    prof-bundle create -o c.tar - <b.tar
	mkfifo pipe
	cat b.tar >pipe &
	refused 'pipe.*: is read twice' prof-bundle create -o c.tar pipe
	[ ! -e c.tar ]
}

@test 'of two that add to a bundle at once, one fails' {
	local want

	need_strace
	runs 1 2 3
	prof-bundle create -o b runs/1
	stopped fsync prof-bundle add b runs/2
	prof-bundle add b runs/3
	! continued || return 1
	grep -q 'b: it was changed by another program' first
	want=$'runs/1\nruns/3'
	[ "$(prof-bundle list --json b | jq -r .path)" = "$want" ]
	stopped linkat prof-bundle add b runs/2
	refused 'b: another program holds a lock' prof-bundle add b runs/2
	continued
	want=$'runs/1\nruns/2\nruns/3'
	[ "$(prof-bundle list --json b | jq -r .path)" = "$want" ]
}

@test 'list' {
	runs 1 2
	prof-bundle create -o b.tar runs
	prof-bundle list --json b.tar | cmp - <(manifest b.tar | tail -n +2)
	prof-bundle list b.tar | lines_match \
	    '^[0-9a-f]{12} +[0-9]+ instr   stream:1 runs/1$' \
	    '^[0-9a-f]{12} +[0-9]+ instr   stream:1 runs/2$'
	tar -cf plain.tar runs
	refused 'plain.tar: not a bundle' prof-bundle list plain.tar
	refused 'runs/1: not a bundle' prof-bundle list runs/1
	run -2 bash -c 'prof-bundle list b.tar >/dev/full'
}

@test 'no path leads out of the folder' {
	local path

	run_of 1
	prof-bundle create -o good runs/1
	for path in /tmp/x ../x a/../../x . .. a/./b a//b a/ '' 'a\\u0000b'; do
		cp good b
		forge b "2s#\"path\":\"[^\"]*\"#\"path\":\"$path\"#"
		run -2 prof-bundle extract -C dir b
		cp good b
		forge b "2s#\"member\":\"[^\"]*\"#\"member\":\"$path\"#"
		run -2 prof-bundle extract -C dir b
		[ ! -e dir ]
	done
	cp good b
	forge b '2s#"path":"[^"]*"#"path_hex":"2e2e2f78"#'
	refused 'path_hex: the path is absolute' prof-bundle extract -C dir b
}

@test 'links and devices in a bundle are refused, links outside not followed' {
	runs 1
	mkdir x
	prof-bundle create -o b.tar runs/1
	tar -xf b.tar -C x
	ln -s /etc/passwd x/link
	tar -cf c.tar -C x MANIFEST link runs/1
	run -1 prof-bundle extract --keep-going -C dir c.tar
	[ ! -e dir/link ]
	[ -f dir/runs/1 ]
	mkdir elsewhere dir2
	ln -s ../elsewhere dir2/runs
	refused 'the path of its folder is not a folder' prof-bundle extract -C dir2 b.tar
	[ -z "$(ls elsewhere)" ]
	mkdir -p dir3/runs
	ln -s ../../elsewhere/x dir3/runs/1
	refused 'exists, but is not a file' \
	    prof-bundle extract --force -C dir3 b.tar
	[ -z "$(ls elsewhere)" ]
}

@test 'extract' {
	runs 1 2 3
	prof-bundle create --pack zstd -o b runs
	prof-bundle extract -C dir b 'runs/[12]'
	[ "$(ls dir/runs)" = $'1\n2' ]
	refused 'the file exists: --force' prof-bundle extract -C dir b runs/1
	echo mine >dir/runs/1
	run -1 prof-bundle extract --keep-going -C dir b
	[ "$(cat dir/runs/1)" = mine ]
	cmp dir/runs/3 runs/3
	prof-bundle extract --force -C dir b
	diff -r runs dir/runs
	run -1 --separate-stderr prof-bundle extract --force -C dir b runs/1 no
	[ "$stderr" = 'prof-bundle: no: matches nothing' ]
	mkdir here
	cd here
	prof-bundle extract - <../b
	diff -r runs ../runs
	cd ..
	# Those that share their path, which list prints, are found by it.
	prof-bundle create --run r -o b2 runs
	prof-bundle create -o both b b2
	prof-bundle extract -C all both 'runs/1'
	find all -type f | grep -cE '^all/[0-9a-f]{64}/runs/1$' | grep -qx 2
	prof-bundle extract --force -C all both '[0-9a-f]*/runs/1'
	tar -cf plain.tar runs
	refused 'not a bundle' prof-bundle extract -C dir plain.tar
}

# equal_runs COUNTERS N: raw profiles in/0 to in/N-1, which are one file of a
# function without counts; all but the first are in the folder dir, too.
equal_runs() {
	mkdir in dir dir/in
	python3 - "$@" <<-'END'
	import os, struct, sys
	n = int(sys.argv[1])
	with open("in/0", "wb") as made:
	    made.write(struct.pack("<8Q5QI2H", 0xff6c70726f667281, 4 | 1 << 56,
	        1, n, 0, 0x4000, 0x6000, 1, 5, 1, 0x4000, 0, 0, n, 0, 0))
	    made.truncate(made.tell() + 8 * n)
	for i in range(1, int(sys.argv[2])):
	    os.link("in/0", "in/%d" % i)
	    open("dir/in/%d" % i, "w").close()
	END
}

# All files but one are there, so that not much is written.
@test 'copies of a member in a small bundle are bounded' {
	need python3
	equal_runs $((1 << 20)) 35
	prof-bundle create -q --pack zstd --dedup content -o b in
	[ "$(wc -c <b)" -le 10000 ]
	run -0 prof-bundle extract --keep-going=34 -C dir b
	[ "$(grep -c 'file exists' <<<"$output")" -eq 32 ]
	[ "$(grep -c "copies of members have more than $((
	    256 * 1024 * 1024 + 250 * $(wc -c <b))) bytes: .* --max-size" \
	    <<<"$output")" -eq 2 ]
	rm dir/in/0
	run -0 prof-bundle extract --keep-going=34 --max-size 1G \
	    -C dir b
	[ "$(grep -c 'file exists' <<<"$output")" -eq 34 ]
	cmp in/0 dir/in/0
	rm -r in dir
}

# Their files are there, so that nothing is written.
@test 'many equal profiles in a small bundle are no bomb' {
	need python3
	equal_runs $((1 << 17)) 300
	prof-bundle create -q --pack zstd --dedup content -o b in
	[ "$(wc -c <b)" -le 20000 ]
	run -0 prof-bundle extract --keep-going=299 -C dir b
	[ "$(grep -c 'file exists' <<<"$output")" -eq 299 ]
	cmp in/0 dir/in/0
	rm -r in dir
}

@test 'what is damaged is not extracted' {
	runs 1 2
	prof-bundle create -o b.tar runs
	sed -i 's/"counts":\[2,1\]/"counts":[7,1]/' b.tar
	run -1 prof-bundle extract --keep-going -C dir b.tar
	[ "$(ls dir/runs)" = 1 ]
	refused 'runs/2.*SHA-256' prof-bundle extract -C dir2 b.tar
	[ ! -e dir2 ]
}

@test 'what others put in place of an extracted file stays' {
	local status=0

	need_strace
	runs 1 2
	prof-bundle create -o b.tar runs
	sed -i 's/"counts":\[2,1\]/"counts":[7,1]/' b.tar
	stopped linkat prof-bundle extract -C dir b.tar
	echo other >other
	mv other dir/runs/1
	continued || status=$?
	[ "$status" -eq 2 ]
	[ "$(cat dir/runs/1)" = other ]
}

@test 'heap profiles' {
	cp "$(data heap/app.ndjson)" app
	prof-bundle create -o b.tar app
	prof-bundle list --json b.tar | jq -e '.kind == "memprof" and
	    .contexts > 0 and .functions == 0'
	prof-merge b.tar | unsourced | same - <(prof-merge app | unsourced)
}

@test 'usage' {
	local option

	usage_error 'first argument must be create, add, list or extract$' prof-bundle
	usage_error "unknown command 'x': use create, add" prof-bundle x
	usage_error 'add needs a bundle' prof-bundle add
	usage_error 'extract needs a bundle' prof-bundle extract
	usage_error '--json is for list' prof-bundle extract --json x
	usage_error '--force is for extract' prof-bundle list --force x
	usage_error '--output is for create$' prof-bundle list -o x y
	usage_error '--pack is for create and add' prof-bundle list --pack xz y
	usage_error '--dedup is for create and add' prof-bundle list --dedup run y
	usage_error '--dedup accepts run or content' prof-bundle create --dedup x y
	usage_error '--run cannot be used with' prof-bundle create --run 1 \
	    --dedup content y
	usage_error '--run needs text' prof-bundle create --run '' y
	for option in --pack=zstd --dedup=run --run=1; do
		usage_error 'is for create and add' prof-bundle extract $option y
	done
	usage_error "unknown command 'merge'" prof-bundle merge x
	usage_error '--to: use profraw-cat' prof-bundle create --to text y
	run -0 prof-bundle --help
	run -0 prof-bundle create --help
}
