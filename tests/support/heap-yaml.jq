# Heap profiles of a stream, slurped (jq -rs), as `llvm-profdata show --memory`
# has them, with no two blanks in a row.  Hashes of data must be below 2^53.

def hex: sub("^0x0*"; "0x") | if . == "0x" then "0x0" else . end;

def decimal:
	ltrimstr("0x") | explode |
	reduce .[] as $c (0; . * 16 + (if $c > 96 then $c - 87 else $c - 48 end));

def frames($indent):
	"\($indent)- { Function: \(.guid | hex), LineOffset: \(.line_offset), " +
	"Column: \(.column), IsInlineFrame: \(.inline // false) }";

# "total_size" to "TotalSize".
def field:
	split("_") | map((.[:1] | ascii_upcase) + .[1:]) | join("");

(map(select(.record == "stack") | {(.id): .frames}) | add) as $stacks |
"HeapProfileRecords:",
(.[] | select(.record == "memprof_function") |
	" - GUID: \(.guid | hex)",
	(if .alloc_sites == [] then empty else " AllocSites:" end),
	(.alloc_sites[] |
		" - Callstack:", ($stacks[.stack][]? | frames(" ")),
		" MemInfoBlock:",
		(.info | to_entries[] | " \(.key | field): \(.value)")),
	(if .call_sites == [] then empty else " CallSites:" end),
	(.call_sites[] |
		" - Frames:", ($stacks[.stack][]? | frames(" ")),
		(.callee_guids // empty | map(hex) | join(", ") |
			" CalleeGuids: [ \(.) ]"))),
(map(select(.record == "data_access")) | if . == [] then empty else
	"DataAccessProfiles:", " SampledRecords:" end),
(.[] | select(.record == "data_access") |
	(if .symbol then " - Symbol: \(.symbol)" else
		" - Hash: \(.hash | decimal)" end),
	" AccessCount: \(.count)",
	(if .locations then " Locations:" else empty end),
	(.locations[]? | " - FileName: '\(.file)'", " Line: \(.line)")),
(map(select(.record == "cold_symbol" and .symbol)) |
	if . == [] then empty else
	" KnownColdSymbols:", (.[] | " - \(.symbol)") end),
(map(select(.record == "cold_symbol" and .hash).hash | decimal | tostring) |
	if . == [] then empty else
	" KnownColdStrHashes: [ \(join(", ")) ]" end)
