# Leaves of trees of heap profiles, for trees.awk: contexts that differ only in
# what some formats drop, records of functions, data accesses; of runs at other
# addresses.  Which formats parts may have depends on that of the result: they
# hold all that it holds.

function hex(n) { return sprintf("\"0x%016x\"", n) }

# The formats of parts, and of the result, as options of prof-merge.
function add_format(option) { format[formats++] = option }

function choose_heap_formats(    v) {
	form = pick("stream hot hot full full")
	# Callees and data accesses.
	rich = form == "stream" || chance(.3)
	formats = 0
	last_format = ""
	if (form == "hot") {
		add_format("--to yaml")
		add_format("--to indexed")
		add_format("--to indexed:13,memprof-4")
		for (v = 2; v <= 3 && !rich; v++) {
			add_format("--to indexed:12,memprof-" v)
			add_format("--to indexed:13,memprof-" v)
		}
	} else if (form == "full" && (rich || chance(.2))) {
		add_format(rich ? "--to indexed:memprof-4,full" : "--to yaml")
	} else if (form == "full") {
		for (v = 9; v <= 11; v++)
			add_format("--to indexed:" v)
		for (v = 0; v <= 3; v++)
			add_format("--to indexed:12,full,memprof-" v)
		for (v = 2; v <= 4; v++)
			add_format("--to indexed:13,full,memprof-" v)
		# Fields that version 8 has not are unknown in it.
		if (chance(.3)) {
			last_format = "--to indexed:8"
			add_format(last_format)
		}
	}
	if (last_format == "" && formats)
		last_format = format[below(formats)]
	# Names of functions stay in YAML only.
	if (last_format == "--to yaml")
		formats = 0
	if (last_format == "--to yaml")
		add_format(last_format)
	add_format("--to stream")
	if (last_format == "")
		last_format = format[0]
}

function mib(    keys, n, i, s, least) {
	n = split("alloc_count total_size total_lifetime " \
	    "total_lifetime_access_density total_access_count " \
	    "min_access_count max_access_count min_size max_size " \
	    "alloc_timestamp dealloc_timestamp min_lifetime max_lifetime " \
	    "alloc_cpu_id dealloc_cpu_id num_migrated_cpu " \
	    "num_lifetime_overlaps num_same_alloc_cpu " \
	    "num_same_dealloc_cpu data_type_id total_access_density " \
	    "min_access_density max_access_density " \
	    "min_lifetime_access_density max_lifetime_access_density", keys)
	for (i = 1; i <= (form == "hot" ? 4 : n); i++) {
		least = i == 1 || keys[i] == "max_size" ? 1 + \
		    9 * (i > 1) : 0
		s = s ",\"" keys[i] "\":" least + below(9)
	}
	return "{" substr(s, 2) "}"
}

# The frames that stacks are made of, and the addresses that have them.
function make_frames(    i) {
	for (i = 0; i < 8; i++) {
		frame_name[i] = "f" 1 + below(5)
		frame_at[i] = below(4)
		frame_column[i] = below(3)
	}
}

# One frame, in one of the ways to write it.
function frame(i, inlined,    s) {
	s = "{" (chance(.3) ? "\"guid\":\"" guid[frame_name[i]] "\"" : \
	    "\"function\":\"" frame_name[i] (chance(.2) ? ".llvm.7" : "") "\"")
	if (chance(.3))
		s = s ",\"file\":\"" pick("a.c b.c") "\""
	if (chance(.5))
		s = s ",\"line\":" 10 + frame_at[i] ",\"start_line\":10"
	else
		s = s ",\"line_offset\":" frame_at[i]
	s = s ",\"column\":" frame_column[i]
	if (chance(.2))
		s = s ",\"discriminator\":" 1 + below(2)
	return s (inlined ? ",\"inline\":true}" : "}")
}

function heap_stack(f, id,    n, i, k, frames, pcs) {
	n = 1 + below(4)
	for (i = 0; i < n; i++) {
		k = below(8)
		pcs = pcs "," hex(base + 4096 * (k % 2) + 16 * k + \
		    (chance(.2) ? 1 + below(2) : 0))
		if (form == "raw")
			continue
		if (chance(.1)) {
			frames = frames ",{}"
			continue
		}
		if (chance(.1))
			frames = frames ",{\"function\":\"m\",\"line\":1," \
			    "\"file\":\"/x/memprof_malloc_linux.cpp\"}"
		else if (k > 3)
			frames = frames "," frame(k, 0)
		else
			frames = frames "," frame(k, 1) "," frame(k + 4, 0)
	}
	# The last one is known, so that no stack is without frames.
	if (form != "raw") {
		frames = frames "," frame(7, 0)
		pcs = pcs "," hex(base + 8)
	}
	if (form == "raw" || index(frames, "{}") || chance(.6))
		pcs = ",\"pcs\":[" substr(pcs, 2) "]"
	else
		pcs = ""
	print "{\"record\":\"stack\",\"id\":" hex(id) pcs (frames == "" ? "" : \
	    ",\"frames\":[" substr(frames, 2) "]") "}" >f
}

function sites(stacks, info,    s, n, id) {
	for (n = below(4); n > 0; n--) {
		id = hex(1 + below(stacks))
		s = s ",{\"stack\":" id (info ? ",\"info\":" mib() : \
		    rich && chance(.5) ? ",\"callee_guids\":[\"" \
		    guid[pick("t1 t2")] "\",\"" guid[pick("t1 t3")] "\"]" : \
		    "") "}"
	}
	return "[" substr(s, 2) "]"
}

function data_key() {
	return chance(.2) ? "\"hash\":" hex(1 + below(3)) : \
	    "\"symbol\":\"" pick("d d.1 d-x e.llvm.7 e") "\""
}

function put_data(f,    n) {
	for (n = below(3); n > 0; n--)
		print "{\"record\":\"data_access\"," data_key() \
		    ",\"count\":" below(9) (chance(.5) ? "" : \
		    ",\"locations\":[{\"file\":\"" pick("a.c b.c") \
		    "\",\"line\":" 1 + below(2) "}]") "}" >f
	for (n = below(3); n > 0; n--)
		print "{\"record\":\"cold_symbol\"," data_key() "}" >f
}

# A run in which a module of one of two builds is at some address.
function put_heap_leaf(f,    i, stacks) {
	print "{\"record\":\"profile\",\"stream\":1,\"kind\":\"memprof\"}" >f
	base = 1048576 * (1 + below(3))
	print "{\"record\":\"segment\",\"id\":0,\"start\":" hex(base) \
	    ",\"end\":" hex(base + 65536) ",\"offset\":" hex(base) \
	    (form != "raw" && chance(.1) ? "" : ",\"build_id\":\"a" \
	    below(2) "\"") "}" >f
	stacks = 1 + below(6)
	for (i = 1; i <= stacks; i++)
		heap_stack(f, i)
	for (i = 1; i <= stacks; i++) {
		if (form == "raw" || chance(.7))
			print "{\"record\":\"allocation\",\"stack\":" hex(i) \
			    ",\"info\":" mib() "}" >f
	}
	for (i = form == "raw" ? 6 : below(4); i < 3; i++)
		print "{\"record\":\"memprof_function\",\"guid\":\"" \
		    guid["f" 1 + below(5)] "\",\"alloc_sites\":" \
		    sites(stacks, 1) ",\"call_sites\":" sites(stacks, 0) \
		    "}" >f
	if (rich)
		put_data(f)
	print "{\"record\":\"end\",\"last\":true}" >f
	close(f)
}

# A leaf is a stream, or what profraw-cat makes of it in the order it came.
function put_heap_input(f,    to) {
	put_heap_leaf(f)
	to = format[below(formats)]
	if (to == "--to stream" || chance(.4))
		return f
	print "profraw-cat -q " to " " f " >" f ".other"
	return f ".other"
}
