# structure.awk - which file of lib/ and cmd/ uses functions of which other one
#
# Reads what `nm -A -g -P` prints of all objects, and before that, as a file of
# its own, the table of who may use whom: "FOLDER: FOLDER..." a line, where a
# folder stands for itself only, and FOLDER/* for those below it.
#
# Prints "circle: FILE" for each file that is part of a circle, or lies between
# two of them: a circle is two files that use each other's functions or data,
# directly or by way of others; and "layer: FILE uses FILE (SYMBOL)" for each
# use that the table does not allow.

FNR == NR {
	if ($0 !~ /^#/ && sub(/:/, "", $1)) {
		for (i = 2; i <= NF; i++)
			allowed[$1, $i] = 1
		known[$1] = 1
	}
	next
}

{
	file = $1
	sub(/:$/, "", file)
	sub(/\[.*/, "", file)
	sub(/\.o$/, "", file)
	sub(/^.*\/(lib|cmd)\//, "/&", file)
	match(file, /(lib|cmd)\/.*$/)
	file = substr(file, RSTART)
	files[file] = 1
	if ($3 == "U" || $3 == "w" || $3 == "v")
		needs[file, $2] = 1
	else if ($2 != "main")
		home[$2] = file
}

function folder(path) {
	sub(/\/[^\/]*$/, "", path)
	return path
}

function may_use(from, to,    up) {
	if (from == to || (from, to) in allowed)
		return 1
	for (up = to; up ~ /\//; up = folder(up))
		if ((from, folder(up) "/*") in allowed)
			return 1
	return 0
}

# Files that use no other that is left, or are used by none, are in no circle.
function peel(    file, pair, part, uses, used, more) {
	do {
		more = 0
		split("", uses)
		split("", used)
		for (pair in edges) {
			split(pair, part, SUBSEP)
			if (part[1] in left && part[2] in left)
				uses[part[1]] = used[part[2]] = 1
		}
		for (file in left) {
			if (!(file in uses && file in used)) {
				delete left[file]
				more = 1
			}
		}
	} while (more)
}

END {
	for (pair in needs) {
		split(pair, part, SUBSEP)
		to = home[part[2]]
		if (to == "" || to == part[1])
			continue
		edges[part[1], to] = part[2]
	}
	for (pair in edges) {
		split(pair, part, SUBSEP)
		if (!may_use(folder(part[1]), folder(part[2])))
			print "layer: " part[1] " uses " part[2] \
			    " (" edges[pair] ")"
	}
	for (file in files) {
		left[file] = 1
		if (!(folder(file) in known))
			print "layer: the table has no row for " folder(file)
	}
	peel()
	for (file in left)
		print "circle: " file
}
