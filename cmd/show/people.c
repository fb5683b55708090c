/* The text of prof-show for people: aligned rows, without rows of zero. */
#include "config.h"

#include <inttypes.h>

#include "base/digits.h"
#include "base/swar.h"
#include "cmd/show/rows.h"
#include "cmd/show/show.h"
#include "cmd/common/people_text.h"

static void
show_people_values(struct buf *b, const struct figures *g)
{
	static const char *const kinds[PROF_VALUE_KINDS] = {
		"indirect call sites", "memory operations", "vtable loads",
	};

	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		if (g->sites[k] == 0)
			continue;
		show_row_print(b, kinds[k], g->sites[k]);
		show_print(b, "  (%" PRIu64 " values)\n", g->values[k]);
	}
}

static void
show_people_cutoffs(struct buf *b, const struct summary_entry *entries)
{
	show_print(b, "  %-10s %20s %10s\n", "share", "counters at least",
	    "counters");
	for (int i = 0; i < SUMMARY_CUTOFFS; i++)
		show_print(b, "  %9.4f%% %20" PRIu64 " %10" PRIu64 "\n",
		    entries[i].cutoff * 100.0 / (double)SUMMARY_SCALE,
		    entries[i].min_count, entries[i].counts);
}

static void
show_people_counters(struct buf *b, const struct figures *g)
{
	bool open = false;

	show_row(b, g, SHOW_FUNCTIONS);
	show_row_part(b, g, SHOW_ZERO_FUNCTIONS, &open);
	show_row_part(b, g, SHOW_CONTEXT_SENSITIVE, &open);
	show_row_part(b, g, SHOW_PSEUDO_FUNCTIONS, &open);
	show_row_part(b, g, SHOW_NAMELESS, &open);
	show_print(b, "%s\n", open ? ")" : "");
	open = false;
	show_row(b, g, SHOW_COUNTERS);
	show_row_part(b, g, SHOW_ZERO_COUNTERS, &open);
	show_print(b, "%s\n", open ? ")" : "");
	for (enum show_row row = SHOW_TOTAL_COUNT;
	    row <= SHOW_MAX_INTERNAL_COUNT; row++) {
		show_row(b, g, row);
		show_print(b, "\n");
	}
}

static void
show_people_summary(struct buf *b, const struct prof_header *h,
    const struct figures *g, const struct heap_figures *heap,
    const struct summary_entry *entries)
{
	show_source(b, &h->source);
	show_print(b, ": ");
	show_kind(b, h);
	show_print(b, "\n");
	/* A heap profile has no counters, so that zeros would mislead. */
	if (h->kind != PROF_MEMPROF || g->functions != 0)
		show_people_counters(b, g);
	if (heap != NULL)
		show_heap_rows_people(b, heap);
	show_rows_people(b, g, SHOW_DATA_ACCESSES, SHOW_COLD_LITERALS);
	show_people_values(b, g);
	show_rows_people(b, g, SHOW_BITMAP_BYTES, SHOW_BINARY_IDS);
	if (h->inputs > 1) {
		show_row_print(b, "merged profiles", h->inputs);
		show_print(b, "\n");
	}
	if (entries != NULL)
		show_people_cutoffs(b, entries);
}

static void
show_people_heading(struct buf *b, const struct prof_header *h)
{
	show_source(b, &h->source);
	show_print(b, ":\n%20s %8s  %-18s  %s\n", "max count", "counters",
	    "hash", "function");
}

/* A number in a column of that width, as %*llu has it. */
static void
show_people_column(struct buf *b, uint64_t n, size_t width)
{
	uint8_t digits[DIGITS_MAX];
	size_t size = (size_t)(digits_put(digits, n) - digits);
	uint8_t *p = buf_reserve(b, width + DIGITS_MAX);

	if (p == NULL)
		return;
	if (size < width)
		memset(p, ' ', width - size);
	p += size < width ? width - size : 0;
	memcpy(p, digits, size);
	b->size = (size_t)(p + size - b->data);
}

/* A function's line up to its name; printf would take most of the time. */
static void
show_people_figures(struct buf *b, const struct prof_function *f)
{
	uint8_t hash[16];

	if (prof_is_pseudo(f))
		show_print(b, "%20s", f->counts[0] == PROF_COUNT_HOT ?
		    "pseudo hot" : "pseudo warm");
	else
		show_people_column(b, figures_max_count(f), 20);
	buf_u8(b, ' ');
	show_people_column(b, f->counts_size, 8);
	swar_store(hash, swar_hex((uint32_t)(f->hash >> 32)));
	swar_store(hash + 8, swar_hex((uint32_t)f->hash));
	buf_put(b, "  0x", 4);
	buf_put(b, hash, sizeof(hash));
	buf_put(b, "  ", 2);
}

static void
show_people_counts(struct buf *b, const struct prof_function *f)
{
	buf_put(b, "                     [", 22);
	digits_append_many(b, f->counts, f->counts_size, ", ");
	if (f->counts_size != 0 && !b->failed)
		b->size -= 2;
	buf_put(b, "]\n", 2);
}

static void
show_people_target(struct buf *b, enum prof_value_kind kind,
    const struct prof_value *v, bool demangle)
{
	size_t start = b->size;

	show_print(b, "%20" PRIu64 "     ", v->count);
	if (kind == PROF_MEM_OP_SIZE)
		show_print(b, "%" PRIu64 " bytes", v->value);
	else if (v->name.data != NULL)
		show_name(b, v->name, demangle);
	else if (v->value == 0)
		show_print(b, "(external)");
	else
		show_print(b, "0x%016" PRIx64, v->value);
	show_printable(b, start);
	show_print(b, "\n");
}

static void
show_people_sites(struct buf *b, const struct prof_function *f, bool demangle)
{
	static const char *const kinds[PROF_VALUE_KINDS] = {
		"indirect call", "memory operation", "vtable load",
	};

	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		for (size_t i = 0; i < f->values[k].size; i++) {
			const struct prof_site *s = &f->values[k].sites[i];

			if (s->size == 0)
				continue;
			show_print(b, "%20s %s %zu\n", "", kinds[k], i);
			for (size_t n = 0; n < s->size; n++)
				show_people_target(b, (enum prof_value_kind)k,
				    &s->values[n], demangle);
		}
	}
}

static void
show_people_function(struct buf *b, const struct show_style *style,
    const struct prof_header *h, const struct prof_function *f)
{
	size_t start;

	(void)h;
	show_people_figures(b, f);
	start = b->size;
	if (f->symbol.name.data == NULL)
		show_print(b, "(guid 0x%016" PRIx64 ")", f->symbol.guid);
	else
		show_name(b, f->symbol.name, style->demangle);
	show_printable(b, start);
	buf_u8(b, '\n');
	if (style->counts)
		show_people_counts(b, f);
	if (style->values)
		show_people_sites(b, f, style->demangle);
}

const struct show_face show_people = { show_people_heading,
    show_people_function, show_people_summary };
