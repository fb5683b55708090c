#include "format/indexed/losses.h"

#include "model/releases.h"
#include "model/variants.h"
#include "model/words.h"

static const struct {
	const char *what, *how, *whose;
} texts[INDEXED_LOSSES] = {
	[LOST_VALUES] = { "value profile data", "from ", " functions" },
	[LOST_VTABLE_TARGETS] = { "vtable targets", "from ", " functions" },
	[LOST_BITMAPS] = { "MC/DC bitmaps", "from ", " functions" },
	[LOST_UNIFORM] = { "uniform counts", "from ", " functions" },
	[LOST_SITE_TAILS] = { "more than 255 values a site", "", " values" },
	[LOST_IDS] = { "binary ids", "", "" },
	[LOST_EMPTY_IDS] = { "empty binary ids", "", "" },
	[LOST_VTABLES] = { "names of vtables", "", "" },
	[LOST_NAMELESS_VTABLES] = { "vtables without a name", "", "" },
	[LOST_TRACES] = { "temporal traces", "", "" },
	[LOST_SAMPLED] = { "more than 100 temporal traces", "", " traces" },
	[LOST_TRACE_TAILS] = { "more than 10000 functions a trace", "",
	    " functions" },
	[LOST_OTHERS] = { "records of other kinds", "", "" },
};

/*
 * Flags that no warning names if they are dropped.  Those of correlation mean
 * nothing once the functions are known, and LLVM drops them too; the temporal
 * flag follows from the traces.
 */
enum {
	SILENT_FLAGS = PROF_DEBUG_INFO_CORRELATED | PROF_BINARY_CORRELATED |
	    PROF_TEMPORAL
};

void
indexed_losses_count(struct indexed_losses *l, const struct indexed_row *row,
    const struct prof_function *f)
{
	bool vtables = f->values[PROF_VTABLE_TARGET].size != 0;
	bool values = vtables || f->values[PROF_MEM_OP_SIZE].size != 0 ||
	    f->values[PROF_INDIRECT_CALL_TARGET].size != 0;

	if (row->value_kinds == 0)
		l->count[LOST_VALUES] += values;
	else if (row->value_kinds <= PROF_VTABLE_TARGET)
		l->count[LOST_VTABLE_TARGETS] += vtables;
	else if (vtables && llvm_release_reading(row->version)->value_kinds <
	    row->value_kinds)
		l->count[REFUSED_VTABLES]++;
	l->count[LOST_BITMAPS] += !row->bitmap && f->bitmap.size != 0;
	l->count[LOST_UNIFORM] += f->uniform_size != 0;
}

static void
losses_warn_of_header(const struct indexed_row *row, const struct prof_header
    *h, struct prof_context *context)
{
	for (int i = 0; i < PROF_FLAGS; i++) {
		unsigned flag = h->flags & ~(unsigned)SILENT_FLAGS & 1u << i;

		if (flag != 0 &&
		    (variants_from_flags(flag) & row->variants) == 0)
			warn_lost(context, "indexed version %u cannot hold the "
			    "attribute %s: dropped", row->version,
			    words_flag[i]);
	}
	if (h->wave_size != 0)
		warn_lost(context, "indexed version %u cannot hold a wave "
		    "size: dropped %llu", row->version,
		    (unsigned long long)h->wave_size);
}

void
indexed_losses_warn(const struct indexed_losses *l,
    const struct indexed_row *row, const struct prof_header *h,
    struct prof_context *context)
{
	losses_warn_of_header(row, h, context);
	for (int i = 0; i < REFUSED_VTABLES; i++) {
		if (l->count[i] != 0)
			warn_lost(context, "indexed version %u cannot hold %s: "
			    "dropped %s%llu%s", row->version, texts[i].what,
			    texts[i].how, (unsigned long long)l->count[i],
			    texts[i].whose);
	}
	if (l->count[REFUSED_VTABLES] != 0)
		warn_set(context, "LLVM %s will refuse this indexed version "
		    "%u for its vtable targets, which %llu functions have",
		    llvm_release_reading(row->version)->name, row->version,
		    (unsigned long long)l->count[REFUSED_VTABLES]);
}

void
indexed_warn_of_bits(const struct indexed_image *im,
    struct prof_context *context)
{
	if (indexed_unknown_bits(im) != 0)
		warn_lost_at(context, 8, "variant bits 0x%016llx are "
		    "unknown in version %u: ignored",
		    (unsigned long long)indexed_unknown_bits(im),
		    im->row->version);
}
