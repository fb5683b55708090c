/* What prof-show prints for people: aligned, short, nothing that is not so. */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"
#include "show.h"

const char *const show_flags[PROF_FLAGS] = {
	"context-sensitive", "entry first", "loop entries", "byte coverage",
	"function entry only", "temporal", "debug info correlated",
	"binary correlated", "salvaged",
};

static void __attribute__((format(printf, 2, 3)))
print(struct buf *b, const char *format, ...)
{
	char line[256];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	if (n > 0)
		buf_put(b, line, (size_t)n < sizeof(line) ? (size_t)n :
		    sizeof(line) - 1);
}

/*
 * Names may hold any byte; a terminal shall not suffer from it.  In UTF-8 some
 * control characters take two bytes, U+0080 to U+009F.
 */
static void
put_printable(struct buf *b, size_t from)
{
	bool text = !b->failed && utf8_valid((struct prof_span){
	    b->data + from, b->size - from });

	for (size_t i = from; !b->failed && i < b->size; i++) {
		uint8_t *p = b->data + i;

		if (text && *p == 0xc2 && p[1] < 0xa0)
			p[0] = p[1] = '?';
		else if (*p < 0x20 || *p == 0x7f || (!text && *p >= 0x80))
			*p = '?';
	}
}

static void
put_source(struct buf *b, const struct prof_source *s)
{
	size_t start = b->size;

	if (s->file.size == 1 && s->file.data[0] == '-')
		print(b, "standard input");
	else
		buf_put(b, s->file.data, s->file.size);
	if (s->member.data != NULL) {
		print(b, "[");
		buf_put(b, s->member.data, s->member.size);
		print(b, "]");
	}
	put_printable(b, start);
	if (s->offset != 0)
		print(b, " at 0x%" PRIx64, s->offset);
}

static void
put_kind(struct buf *b, const struct prof_header *h)
{
	static const char *const levels[] = {
		[PROF_LEVEL_IR] = ", IR", [PROF_LEVEL_FRONTEND] = ", front end",
		[PROF_LEVEL_UNKNOWN] = "",
	};

	print(b, "%s", h->source.format == NULL ? "stream" :
	    h->source.format);
	if (h->source.version != 0)
		print(b, " version %" PRIu64, h->source.version);
	if (h->source.pointer_bits != 0)
		print(b, ", %u-bit %s-endian", h->source.pointer_bits,
		    h->source.endian == 'b' ? "big" : "little");
	print(b, "%s", levels[h->level]);
	for (int i = 0; i < PROF_FLAGS; i++) {
		if (h->flags >> i & 1)
			print(b, ", %s", show_flags[i]);
	}
}

static void
put_row(struct buf *b, const char *what, uint64_t n)
{
	print(b, "  %-22s %20" PRIu64, what, n);
}

static void
put_part(struct buf *b, uint64_t n, const char *what, bool *open)
{
	if (n == 0)
		return;
	print(b, "%s%" PRIu64 " %s", *open ? ", " : "  (", n, what);
	*open = true;
}

static void
put_functions(struct buf *b, const struct figures *g)
{
	bool open = false;

	put_row(b, "functions", g->functions);
	put_part(b, g->zero_functions, "never entered", &open);
	put_part(b, g->context_sensitive, "context-sensitive", &open);
	put_part(b, g->pseudo_functions, "pseudo", &open);
	put_part(b, g->nameless, "without name", &open);
	print(b, "%s\n", open ? ")" : "");
}

static void
put_optional(struct buf *b, const char *what, uint64_t n)
{
	if (n == 0)
		return;
	put_row(b, what, n);
	print(b, "\n");
}

static void
put_values(struct buf *b, const struct figures *g)
{
	static const char *const kinds[PROF_VALUE_KINDS] = {
		"indirect call sites", "memory operations", "vtable loads",
	};

	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		if (g->sites[k] == 0)
			continue;
		put_row(b, kinds[k], g->sites[k]);
		print(b, "  (%" PRIu64 " values)\n", g->values[k]);
	}
}

static void
put_cutoffs(struct buf *b, const struct summary_entry *entries)
{
	print(b, "  %-10s %20s %10s\n", "share", "counters at least",
	    "counters");
	for (int i = 0; i < SUMMARY_CUTOFFS; i++)
		print(b, "  %9.4f%% %20" PRIu64 " %10" PRIu64 "\n",
		    entries[i].cutoff * 100.0 / (double)SUMMARY_SCALE,
		    entries[i].min_count, entries[i].counts);
}

static void
summary(struct buf *b, const struct prof_header *h, const struct figures *g,
    const struct summary_entry *entries)
{
	const struct summary *s = &g->summary;
	bool open = false;

	put_source(b, &h->source);
	print(b, ": ");
	put_kind(b, h);
	print(b, "\n");
	put_functions(b, g);
	put_row(b, "counters", s->blocks);
	put_part(b, g->zero_counters, "zero", &open);
	print(b, "%s\n", open ? ")" : "");
	put_row(b, "total count", s->total_block_count);
	print(b, "\n");
	put_row(b, "largest first count", s->max_function_count);
	print(b, "\n");
	put_row(b, "largest other count", s->max_internal_block_count);
	print(b, "\n");
	put_values(b, g);
	put_optional(b, "MC/DC bitmap bytes", g->bitmap_bytes);
	put_optional(b, "unresolved counters", g->raw_counters);
	put_optional(b, "vtables", g->vtables);
	put_optional(b, "traces", g->traces);
	put_optional(b, "binary ids", g->binary_ids);
	put_optional(b, "merged profiles", h->inputs > 1 ? h->inputs : 0);
	if (entries != NULL)
		put_cutoffs(b, entries);
}

static void
heading(struct buf *b, const struct prof_header *h)
{
	put_source(b, &h->source);
	print(b, ":\n%20s %8s  %-18s  %s\n", "max count", "counters", "hash",
	    "function");
}

static void
put_counts(struct buf *b, const struct prof_function *f)
{
	print(b, "%20s [", "");
	for (size_t i = 0; i < f->counts_size; i++)
		print(b, "%s%" PRIu64, i == 0 ? "" : ", ", f->counts[i]);
	print(b, "]\n");
}

static void
put_target(struct buf *b, enum prof_value_kind kind,
    const struct prof_value *v, bool demangle)
{
	size_t start = b->size;

	print(b, "%20" PRIu64 "     ", v->count);
	if (kind == PROF_MEM_OP_SIZE)
		print(b, "%" PRIu64 " bytes", v->value);
	else if (v->name.data != NULL)
		show_name(b, v->name, demangle);
	else if (v->value == 0)
		print(b, "(external)");
	else
		print(b, "0x%016" PRIx64, v->value);
	put_printable(b, start);
	print(b, "\n");
}

static void
put_sites(struct buf *b, const struct prof_function *f, bool demangle)
{
	static const char *const kinds[PROF_VALUE_KINDS] = {
		"indirect call", "memory operation", "vtable load",
	};

	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		for (size_t i = 0; i < f->values[k].size; i++) {
			const struct prof_site *s = &f->values[k].sites[i];

			if (s->size == 0)
				continue;
			print(b, "%20s %s %zu\n", "", kinds[k], i);
			for (size_t n = 0; n < s->size; n++)
				put_target(b, (enum prof_value_kind)k,
				    &s->values[n], demangle);
		}
	}
}

static void
function(struct buf *b, const struct show_style *style,
    const struct prof_header *h, const struct prof_function *f)
{
	size_t start;

	(void)h;
	if (prof_is_pseudo(f))
		print(b, "%20s", f->counts[0] == PROF_COUNT_HOT ?
		    "pseudo hot" : "pseudo warm");
	else
		print(b, "%20" PRIu64, figures_max_count(f));
	print(b, " %8zu  0x%016" PRIx64 "  ", f->counts_size, f->hash);
	start = b->size;
	if (f->symbol.name.data == NULL)
		print(b, "(guid 0x%016" PRIx64 ")", f->symbol.guid);
	else
		show_name(b, f->symbol.name, style->demangle);
	put_printable(b, start);
	print(b, "\n");
	if (style->counts)
		put_counts(b, f);
	if (style->values)
		put_sites(b, f, style->demangle);
}

const struct show_face show_people = { heading, function, summary };
