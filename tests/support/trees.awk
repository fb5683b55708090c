# Writes leaves of one random tree of merges and prints commands: the flat merge
# of all leaves (flat, flat.profdata) and one by way of partial merges (tree,
# tree.profdata).  -v seed=N decides all; guids has "name=guid" for the names f1
# to f9 and t1 to t6, runs has raw profiles of real runs.  To be read with
# trees-heap.awk.

function chance(p) { return rand() < p }
function below(n) { return int(rand() * n) }
function pick(list,    a, n) { n = split(list, a, " "); return a[1 + below(n)] }

# A count: most are small, many are 0, a few are near the limit.
function count() {
	if (chance(.3))
		return 0
	if (chance(.02))
		return "\"184467440737095516" (10 + below(4)) "\""
	return below(50)
}

function symbol(key, name) {
	return chance(.4) ? "\"" (key == "name" ? "" : key "_") "guid\":\"" \
	    guid[name] "\"" : "\"" key "\":\"" name "\""
}

# Functions have names only in some leaves, but a name or guid is one function.
function function_key(i) {
	return i > 4 ? "\"name\":\"f" i "\"" : symbol("name", "f" i)
}

function site(    i, s, n) {
	n = below(4)
	for (i = 0; i < n; i++)
		s = s ",{" symbol("target", pick("t1 t2 t3 t4 t5 t6 f1 f2 f9")) \
		    ",\"count\":" below(4) "}"
	return "[" substr(s, 2) "]"
}

function sizes(    i, s, n) {
	n = below(4)
	for (i = 0; i < n; i++)
		s = s ",{\"size\":" below(6) ",\"count\":" below(3) "}"
	return "[" substr(s, 2) "]"
}

function counts(n,    s) {
	while (n-- > 0)
		s = s "," (empty ? 0 : count())
	return substr(s, 2)
}

function put_function(f, i,    hash, n, more) {
	hash = 1 + below(2)
	n = 1 + i % 3 + chance(.15)
	empty = chance(.25)
	if (i % 4 == 1)
		more = more ",\"bitmap\":\"" (empty || chance(.5) ? "00" : \
		    sprintf("%02x", below(256))) "\""
	if (i % 3 == 1 && !(empty && chance(.5)))
		more = more ",\"values\":{\"indirect_call_target\":[" \
		    (empty ? "[]" : site()) (chance(.2) ? ",[]" : "") "]}"
	else if (i % 3 == 2)
		more = more ",\"values\":{\"mem_op_size\":[" \
		    (empty ? "[]" : sizes()) "]}"
	if (!sparse && chance(.2))
		more = more ",\"x-key\":" below(2)
	printf "{\"record\":\"function\",%s,\"hash\":\"0x%016x\"," \
	    "\"counts\":[%s]%s}\n", function_key(i), hash * 16 + i,
	    chance(.02) ? "\"18446744073709551615\"" : counts(n), more >f
}

function put_trace(f,    i, s, n) {
	n = 1 + below(3)
	for (i = 0; i < n; i++)
		s = s "," (chance(.7) ? "\"f" 1 + below(9) "\"" : \
		    "{\"guid\":\"" guid[pick("f1 f2 f3 f4 t1 t2")] "\"}")
	printf "{\"record\":\"trace\",\"weight\":%d,\"functions\":[%s]}\n",
	    1 + below(3), substr(s, 2) >f
}

# A stack of two addresses in a module of one of two builds; frames of the
# second one may be unknown.
function put_heap(f,    i, k, pcs, frames) {
	k = 1 + below(2)
	printf "{\"record\":\"segment\",\"id\":0,\"start\":\"0x%016x\"," \
	    "\"end\":\"0x%016x\",\"offset\":\"0x%016x\"%s}\n", k * 65536,
	    k * 65536 + 4096, k * 65536,
	    chance(.8) ? ",\"build_id\":\"a" k "\"" : "" >f
	for (i = 1; i <= 4; i++) {
		if (i > 1 && chance(.4))
			continue
		pcs = sprintf("\"pcs\":[\"0x%016x\",\"0x%016x\"]",
		    k * 65536 + 16 * i, k * 65536 + 256 + below(2))
		frames = "\"frames\":[{\"function\":\"f" i "\"}," \
		    pick("{} {\"function\":\"main\",\"line\":7}") "]"
		printf "{\"record\":\"stack\",\"id\":\"0x%016x\",%s}\n", i,
		    i == 1 ? frames : \
		    pick(pcs " " frames " " pcs "," frames) >f
		printf "{\"record\":\"allocation\",\"stack\":\"0x%016x\"," \
		    "\"info\":{\"alloc_count\":%d,\"total_size\":%d," \
		    "\"min_size\":%d,\"max_size\":%d}}\n", i, 1 + below(9),
		    below(99), 1 + below(9), 9 + below(9) >f
	}
}

function put_leaf(f, level,    i) {
	printf "{\"record\":\"profile\",\"stream\":1,\"kind\":\"%s\"," \
	    "\"level\":\"%s\"%s%s%s}\n", heap ? "mixed" : "instr", level,
	    !sparse && chance(.1) ? ",\"entry_first\":true" : "",
	    traces ? ",\"temporal\":true" : "",
	    level == "ir" && chance(.3) ? ",\"inputs\":" 2 + below(3) : "" >f
	if (chance(.7))
		print "{\"record\":\"binary\",\"build_id\":\"0" below(3) \
		    "\"}" >f
	if (chance(.4))
		print "{\"record\":\"vtable\"," symbol("name", "t" \
		    (1 + below(6))) "}" >f
	for (i = 1; i <= 9; i++) {
		if (chance(.6))
			put_function(f, i)
	}
	for (i = 0; traces && chance(limits ? .9 : .6) && i < 3 * traces; i++)
		put_trace(f)
	if (chance(.2))
		print "{\"record\":\"name\",\"name\":\"t" (1 + below(6)) \
		    "\"}" >f
	if (heap && chance(.7))
		put_heap(f)
	print "{\"record\":\"end\",\"last\":true}" >f
	close(f)
}

# Bytes that are no profile, or the beginning of one.
function put_damaged(f) {
	if (chance(.5))
		print "no profile" >f
	else
		print "{\"record\":\"profile\",\"stream\":1,\"kind\":" \
		    "\"instr\",\"level\":\"ir\"}" >f
	close(f)
}

# Of the last format, or a partial merge.
function merge(inputs, out, final,    s) {
	s = "prof-merge -q -j " pick("1 2 3 8")
	if (going)
		s = s " --keep-going --level ir"
	if (chance(.3))
		s = s " -S " 1 + below(6) "K"
	s = s limits
	if (formats)
		s = s " " (final ? last_format : format[below(formats)])
	if (sparse && (final || sparse == 2 || chance(.5)))
		s = s " --sparse"
	return s " " inputs " >" out
}

function input(i) {
	return weight[i] ? "-w " weight[i] "," leaf[i] : leaf[i]
}

# Merges parts until few are left, then all: each part may come through others.
function put_plan(n,    i, k, j, parts, left, swap, list, good) {
	for (i = 0; i < n; i++) {
		left[i] = input(i)
		sound[i] = !bad[i]
	}
	while (n > 1 && (n > 4 || chance(.6))) {
		for (i = n - 1; i > 0; i--) {
			k = below(i + 1)
			swap = left[i]; left[i] = left[k]; left[k] = swap
			swap = sound[i]; sound[i] = sound[k]; sound[k] = swap
		}
		k = 1 + below(n > 4 ? 4 : n - 1)
		list = ""
		good = 0
		for (i = n - k; i < n; i++) {
			list = list " " left[i]
			good += sound[i]
		}
		# Of bad inputs alone there is no merge.
		if (good == 0)
			continue
		n -= k
		print merge(substr(list, 2), "part." ++parts, 0)
		left[n] = "part." parts
		sound[n++] = 1
	}
	list = ""
	for (i = 0; i < n; i++)
		list = list " " left[i]
	return substr(list, 2)
}

# Leaves of one kind whose partial merges may be in several formats: heap
# profiles, or raw profiles of runs.
function put_formats_tree(    i, n, run) {
	leaves = 2 + below(5)
	make_frames()
	if (runs != "" && chance(.4)) {
		n = split(runs, run, " ")
		add_format("--to stream")
		add_format("--to lprf")
		if (chance(.5))
			add_format("--to indexed")
		last_format = format[formats - 1]
	} else
		choose_heap_formats()
	for (i = 0; i < leaves; i++) {
		weight[i] = chance(.15) ? pick("2 3 1/2 7/3") : ""
		leaf[i] = n ? run[1 + below(n)] : put_heap_input("leaf." i)
		all = all " " input(i)
	}
	print merge(substr(all, 2), "flat", 1)
	tree = put_plan(leaves)
	print merge(tree, "tree", 1)
	print "cmp flat tree"
	print merge("flat", "flat.again", 1)
	print "cmp flat flat.again"
}

BEGIN {
	srand(seed)
	n = split(guids, a, " ")
	for (i = 1; i <= n; i++)
		guid[substr(a[i], 1, index(a[i], "=") - 1)] = \
		    substr(a[i], index(a[i], "=") + 1)
	if (chance(.5)) {
		put_formats_tree()
		exit
	}
	leaves = 2 + below(7)
	sparse = below(4)
	sparse = sparse > 2 ? 0 : sparse
	traces = chance(.5)
	# Of many traces a few are kept, from none on.
	if (traces && chance(.5)) {
		traces = 1 + below(3)
		limits = " --max-traces " below(6)
		if (chance(.4))
			limits = limits "," 1 + below(2)
	}
	heap = chance(.3)
	going = chance(.4)
	# One of another level, which is bad.
	stray = going && chance(.5) ? 1 + below(leaves - 1) : -1
	for (i = 0; i < leaves; i++) {
		weight[i] = chance(.15) ? pick("2 3 1/2 7/3") : ""
		bad[i] = going && i > 0 && (i == stray || chance(.25))
		leaf[i] = "leaf." i
		if (i == stray)
			put_leaf("leaf." i, "frontend")
		else if (bad[i])
			put_damaged("leaf." i)
		else
			put_leaf("leaf." i, "ir")
		all = all " " input(i)
	}
	if (!heap && chance(.2)) {
		empty = 0
		put_leaf("less", "ir")
		less = " --subtract less"
	}
	flat = substr(all, 2) less
	print merge(flat, "flat", 1)
	tree = put_plan(leaves) less
	print merge(tree, "tree", 1)
	print "cmp flat tree"
	last_format = "--to indexed"
	formats = 1
	print merge(flat, "flat.profdata", 1)
	print merge(tree, "tree.profdata", 1)
	print "cmp flat.profdata tree.profdata"
}
