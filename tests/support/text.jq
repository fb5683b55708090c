# A stream (all lines in one list) of one profile, as the text that
# llvm-profdata merge --text prints of it.  It is made to be compared with that,
# and for nothing else.

# Decimal digits of a 64-bit number in hex, in groups of seven.
def decimal:
	reduce (.[2:] | explode[]) as $digit ([0]; reduce .[] as $group
	    ([[], ($digit - (if $digit > 57 then 87 else 48 end))];
	    ($group * 16 + .[1]) as $n |
	    [.[0] + [$n % 10000000], ($n / 10000000 | floor)]) |
	    if .[1] > 0 then .[0] + [.[1]] else .[0] end) |
	(.[-1] | tostring) + (.[:-1] | reverse |
	    map(tostring | ("0000000" + .)[-7:]) | add // "");
# A list of bytes from hex.
def bytes:
	[range(0; length; 2) as $i | .[$i:$i + 2] | ltrimstr("0") |
	    "0x" + .];
def site($kind; $known):
	sort_by(-(.count | tonumber)) | length, (.[] |
	    (if $kind == 1 then .size
	    elif $known[.target // ""] then .target
	    else "** External Symbol **" end | tostring) +
	    ":" + (.count | tostring));
def values($known):
	["IndirectCallTarget", "MemOPSize", "VTableTarget"] as $labels |
	[.indirect_call_target, .mem_op_size, .vtable_target] |
	to_entries | map(select(.value)) | "# Num Value Kinds:",
	length, (.[] | "# ValueKind = IPVK_\($labels[.key]):", .key,
	    "# NumValueSites:", (.value | length),
	    (.key as $kind | .value[] | site($kind; $known)));
def flag($key; $comment; $word):
	select(any(.record == "profile" and .[$key])) |
	"# \($comment)", ":\($word)";

(map(select(.record == "function") | {key: .name, value: true}) |
    from_entries) as $known |
(if any(.context_sensitive) then
    "# CSIR level Instrumentation Flag", ":csir"
elif any(.level == "ir") then
    "# IR level Instrumentation Flag", ":ir"
else empty end),
flag("entry_first"; "Always instrument the function entry block";
    "entry_first"),
flag("loop_entries"; "Always instrument the loop entry blocks";
    "instrument_loop_entries"),
flag("byte_coverage"; "Instrument block coverage";
    "single_byte_coverage"),
(map(select(.record == "trace")) | select(. != []) |
    ":temporal_prof_traces", "# Num Temporal Profile Traces:", length,
    "# Temporal Profile Trace Stream Size:", length,
    (.[] | "# Weight:", .weight, (.functions | map(. + ",") | add)),
    ""),
(map(select(.record == "function")) | sort_by([.name, .hash])[] |
    .name, "# Func Hash:", (.hash | decimal),
    "# Num Counters:", (.counts | length),
    "# Counter Values:", .counts[],
    (.bitmap // empty | bytes | "# Num Bitmap Bytes:",
	"$\(length)", "# Bitmap Byte Values:", .[], ""),
    (.values // empty | values($known)), "")
