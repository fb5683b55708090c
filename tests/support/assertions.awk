# assertions.awk - prints the assertions of bats files that cannot fail.  A test
# ends at a command that fails, but not at one behind "!", nor at one in front
# of "&&": these have to be last in their function, or before "|| return 1".

FNR == 1 {
	ends()
	whole = last = document = ""
}

{
	line = $0
	sub(/^[ \t]+/, "", line)
}

document != "" {
	if (line == document)
		document = ""
	next
}

line ~ /^(#|$)/ {
	next
}

{
	words = line
	gsub(/<<</, "", words)	# a string, no document
}

match(words, /<<-?'?[A-Z]+/) {
	document = substr(words, RSTART, RLENGTH)
	gsub(/[^A-Z]/, "", document)
	opened = FILENAME ":" FNR
}

{
	if (whole == "")
		start = FNR
	whole = whole == "" ? line : whole " " line
}

whole ~ /(\\|&&|\|)$/ {
	sub(/ *\\$/, "", whole)
	next
}

{
	follows(whole)
	last = whole
	place = FILENAME ":" start
	whole = ""
}

END {
	ends()
}

function ends()
{
	follows("}")
	if (document != "")
		print opened ": no line " document " ends this document"
}

# Judges the last command, once the one behind it is known.
function follows(next_command)
{
	if (last == "" || last ~ /\|\|/ ||
	    next_command ~ /^([})]|(else|elif|fi)( |$))/)
		return
	if (last ~ /^! / || last ~ ("^(" checks ") .* && (! |(" checks ") )"))
		print place ": " last
}

BEGIN {
	checks = "\\[|\\[\\[|grep|cmp|diff|same|quiet|warns|ends|refused"
}
