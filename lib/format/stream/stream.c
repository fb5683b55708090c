/* The words of prof-stream(5) that its reader and its writer both use. */
#include "format/stream/stream.h"

const char *const stream_profile_keys[] = {
	"record", "stream", "kind", "level",
	/* Flags, as in prof.h. */
	"context_sensitive", "entry_first", "loop_entries", "byte_coverage",
	"function_entry_only", "temporal", "debug_info_correlated",
	"binary_correlated", "salvaged",
	"frontend_versions", "wave_size", "trace_stream_size", "inputs",
	"source", NULL
};

const struct stream_symbol_keys stream_symbol = {
	"name", "name_hex", "guid"
};

const struct stream_symbol_keys stream_target = {
	"target", "target_hex", "target_guid"
};
