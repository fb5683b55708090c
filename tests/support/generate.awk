# tests/support/generate.awk - the profile of one run of a made-up program, as a stream
#
#	awk -f tests/support/generate.awk -v seed=N -v run=N [-v plain=1] [-v functions=N]
#
# The seed makes the program: names, hashes, numbers of counters and sites.  The
# run makes what is counted.  With plain, there is nothing but sums of numbers
# below 2^53 to be made of several runs; without it, there are also numbers at
# the edges, pseudo counts, records of another shape, names that are missing,
# attributes and keys that differ, and runs of nothing.
#
# The generator of random numbers is that of Park and Miller, so that all awks
# give the same.

function random(n)
{
	state = state * 16807 % 2147483647
	return state % n
}

function chance(percent)
{
	return !plain && random(100) < percent
}

function list(n, item,    text, i)
{
	text = ""
	for (i = 0; i < n; i++)
		text = text (i > 0 ? "," : "") item[i]
	return text
}

function string(text)
{
	return "\"" text "\""
}

# What a counter can be, at place i of a function.
function count(i)
{
	# The first two are pseudo counts, if they come first.
	if (chance(4))
		return string(edge[i > 0 ? random(EDGES) : \
		    2 + random(EDGES - 2)])
	return random(3) == 0 ? 0 : random(2 + random(2) * 1000000)
}

function counts(n,    item, i)
{
	for (i = 0; i < n; i++)
		item[i] = zero ? 0 : count(i)
	if (pseudo)
		item[0] = string(edge[random(2)])
	return list(n, item)
}

function hex(n, digits,    text)
{
	for (text = ""; n-- > 0; )
		text = text sprintf("%x", digits < 0 ? random(16) : digits)
	return text
}

# One target several times only where it is unknown.
function target(i)
{
	if (i == 0)
		return "\"target_guid\":\"0x0000000000000000\""
	if (i == 1 && chance(40))
		return "\"target_guid\":\"0x5cf8c24cdb18bdac\""
	return "\"target\":" string(i == 1 ? "foo" : "callee" i)
}

function site(kind,    item, used, n, i, k)
{
	n = 0
	for (i = random(6); i > 0; i--) {
		k = random(6)
		if (k in used && (k > 0 || kind == "mem_op_size"))
			continue
		used[k] = 1
		item[n++] = sprintf("{%s,\"count\":%s}", \
		    kind == "mem_op_size" ? "\"size\":" k * k : target(k), \
		    random(4))
	}
	return "[" list(n, item) "]"
}

function sites(kind, n,    item, i)
{
	for (i = 0; i < n; i++)
		item[i] = site(kind)
	return sprintf("\"%s\":[%s]", kind, list(n, item))
}

function values(f,    item, n, k)
{
	n = 0
	for (k = 0; k < 3; k++) {
		if (shape[f, kind[k]] > 0)
			item[n++] = sites(kind[k], shape[f, kind[k]])
	}
	return n == 0 ? "" : ",\"values\":{" list(n, item) "}"
}

# The program, from the seed alone.
function make_program(    f)
{
	for (f = 0; f < functions; f++) {
		shape[f, "counts"] = 1 + random(5)
		shape[f, "bitmap"] = random(4) == 0 ? 1 + random(3) : 0
		for (k = 0; k < 3; k++)
			shape[f, kind[k]] = random(3) == 0 ? 1 + random(2) : 0
		hash[f] = hex(16, random(2) - 1)
		if (f > 0 && random(6) == 0)
			name[f] = name[f - 1]
		else if (random(5) == 0)
			name[f] = "\"name\":\"dir/a.c;f" f "\""
		else if (random(8) == 0)
			name[f] = "\"name_hex\":\"66ff" hex(6, -1) "\""
		else
			name[f] = "\"name\":\"_Z" length(f) "f" f "v\""
		if (taken[name[f], hash[f]]++)
			hash[f] = sprintf("%016x", f)
	}
}

function print_head()
{
	printf "{\"record\":\"profile\",\"stream\":1,\"kind\":\"instr\""
	printf "%s", chance(20) && none ? "" : ",\"level\":\"ir\""
	printf "%s", chance(50) ? ",\"entry_first\":true" : ""
	printf "%s", chance(30) ? ",\"loop_entries\":true" : ""
	printf "%s", chance(30) ? ",\"inputs\":" 1 + random(9) : ""
	printf "%s", chance(30) ? ",\"trace_stream_size\":" 99 : ""
	printf "%s", chance(50) ? ",\"x-run\":" random(2) : ""
	printf ",\"x-program\":\"%s\"}\n", seed
}

function print_others(    i)
{
	for (i = random(3); i > 0; i--)
		printf "{\"record\":\"binary\",\"build_id\":\"%s\"}\n", \
		    hex(2 + 6 * random(2), random(4))
	for (i = random(3); i > 0; i--)
		printf "{\"record\":\"vtable\",\"name\":\"_ZTV1%c\"}\n", \
		    65 + random(5)
}

function print_function(f,    n)
{
	if (!plain && random(5) == 0)
		return
	zero = random(4) == 0
	pseudo = chance(4)
	n = shape[f, "counts"]
	if (chance(4))
		n += 1 - random(2) * (n > 1 ? 2 : 0)
	printf "{\"record\":\"function\",%s,\"hash\":\"0x%s\"", \
	    !plain && f == 1 ? (random(2) ? "\"name\":\"foo\"" : \
	    "\"guid\":\"0x5cf8c24cdb18bdac\"") : name[f], hash[f]
	printf ",\"counts\":[%s]", counts(n)
	if (shape[f, "bitmap"] > 0)
		printf ",\"bitmap\":\"%s\"", \
		    hex(2 * (shape[f, "bitmap"] + chance(4)), -1)
	printf "%s", values(f)
	printf "%s}\n", chance(4) ? ",\"x-function\":" random(2) : ""
}

function print_traces(    item, i, k, n)
{
	for (i = random(3); i > 0; i--) {
		n = 0
		for (k = random(functions); k < functions; k += 1 + random(4))
			if (name[k] ~ /^"name":/)
				item[n++] = substr(name[k], 8)
		if (n > 0)
			printf "{\"record\":\"trace\",\"weight\":%d," \
			    "\"functions\":[%s]}\n", 1 + random(2), \
			    list(n, item)
	}
}

BEGIN {
	split("18446744073709551615 18446744073709551614 " \
	    "18446744073709551613 18446744073709551612 9223372036854775808 " \
	    "9007199254740992 9223372036854775806", parts, " ")
	for (i = 1; i in parts; i++)
		edge[i - 1] = parts[i]
	EDGES = 7
	kind[0] = "indirect_call_target"
	kind[1] = "mem_op_size"
	kind[2] = "vtable_target"
	if (functions == 0)
		functions = 12

	state = seed + 1
	random(2)
	make_program()
	state = (seed * 8191 + run * 131 + 7) % 2147483647
	for (i = 0; i < 8; i++)
		random(2)
	none = chance(10)
	print_head()
	print_others()
	for (f = 0; f < functions && !none; f++)
		print_function(f)
	print_traces()
	print "{\"record\":\"end\",\"last\":true}"
}
