/* Members of the JSON objects that prof-show prints. */
#include "config.h"

#include "base/json_text.h"
#include "cmd/print/print.h"
#include "format/values_json.h"
#include "model/record.h"

void
show_source_keys(struct buf *b, const struct prof_source *s)
{
	json_member_bytes(b, "file", "file_hex", s->file);
	json_member_bytes(b, "member", "member_hex", s->member);
	if (s->offset != 0)
		json_member_number(b, "offset", s->offset);
}

void
show_kind_keys(struct buf *b, const struct prof_header *h)
{
	const struct prof_source *s = &h->source;

	if (s->format != NULL)
		json_member_text(b, "format", s->format);
	if (s->version != 0)
		json_member_number(b, "version", s->version);
	if (s->endian != 0)
		json_member_text(b, "endian",
		    s->endian == 'b' ? "big" : "little");
	if (s->pointer_bits != 0)
		json_member_number(b, "pointer_bits", s->pointer_bits);
	json_member_text(b, "kind", words_kind[h->kind]);
	if (h->level != PROF_LEVEL_UNKNOWN)
		json_member_text(b, "level", words_level[h->level]);
	for (int i = 0; i < PROF_FLAGS; i++) {
		if (h->flags >> i & 1) {
			json_member_flag(b, words_flag[i]);
		}
	}
}

void
show_demangled_key(struct buf *b, struct prof_span name, bool changed)
{
	struct buf plain = { 0 };

	show_demangled(&plain, name);
	if (!changed || !prof_span_equal(buf_span(&plain), name))
		json_member_bytes(b, "demangled", "demangled_hex",
		    buf_span(&plain));
	b->failed |= plain.failed;
	buf_free(&plain);
}

/* Frames of heap profiles as JSON. */

static void
frame_json_address(struct buf *b, const struct heap *h,
    const struct heap_frame *f)
{
	if (!f->has_address)
		return;
	if (f->module != HEAP_NO_MODULE) {
		const struct heap_module *m = &h->modules[f->module];

		if (m->build_id.size != 0) {
			json_member_key(b, "build_id");
			json_text_hex(b, m->build_id);
		} else
			json_member_number(b, "segment", m->segment);
	}
	json_member_key(b, "address");
	json_text_id(b, f->address);
}

static void
frame_json_function(struct buf *b, const struct prof_symbol *f, bool demangle)
{
	if (f->name.size != 0)
		json_member_bytes(b, "function", "function_hex", f->name);
	if (f->guid != 0) {
		json_member_key(b, "guid");
		json_text_id(b, f->guid);
	}
	if (f->name.size != 0 && demangle)
		show_demangled_key(b, f->name, false);
}

void
heap_frame_json(struct buf *b, const struct heap *h, uint32_t n, bool demangle)
{
	const struct heap_frame *frame = &h->frames[n];
	const struct prof_frame *f = &frame->source;

	json_text_plain(b, "{");
	frame_json_function(b, &f->function, demangle);
	frame_put_location(b, f);
	if (!heap_is_source(frame))
		frame_json_address(b, h, frame);
	if ((f->flags & PROF_FRAME_INLINE) != 0)
		json_member_flag(b, "inline");
	json_text_plain(b, "}");
}

/* Profiles and functions as prof-show --json prints them. */

static void
profile_json_cutoffs(struct buf *b, const struct summary_entry *entries)
{
	json_member_key(b, "cutoffs");
	json_text_plain(b, "[");
	for (int i = 0; i < SUMMARY_CUTOFFS; i++) {
		json_text_plain(b, i == 0 ? "{" : ",{");
		json_member_number(b, "parts_per_million", entries[i].cutoff);
		json_member_number(b, "min_count", entries[i].min_count);
		json_member_number(b, "counters", entries[i].counts);
		json_text_plain(b, "}");
	}
	json_text_plain(b, "]");
}

static void
profile_json_value_figures(struct buf *b, const struct figures *g)
{
	json_member_key(b, "values");
	json_text_plain(b, "{");
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		json_member_key(b, words_value_kind[k]);
		json_text_plain(b, "{");
		json_member_number(b, "sites", g->sites[k]);
		json_member_number(b, "values", g->values[k]);
		json_text_plain(b, "}");
	}
	json_text_plain(b, "}");
}

static void
profile_json_ids(struct buf *b, const struct buf *ids)
{
	json_member_key(b, "build_ids");
	json_text_plain(b, "[");
	for (size_t i = 0, start = 0; !ids->failed && i < ids->size; i++) {
		if (ids->data[i] != '\n')
			continue;
		json_text_plain(b, start == 0 ? "\"" : ",\"");
		buf_put(b, ids->data + start, i - start);
		json_text_plain(b, "\"");
		start = i + 1;
	}
	json_text_plain(b, "]");
}

void
profile_json_summary(struct buf *b, const struct profile_figures *p)
{
	const struct figures *g = p->figures;
	const struct prof_header *h = p->header;

	json_text_plain(b, "{");
	show_source_keys(b, &h->source);
	show_kind_keys(b, h);
	show_rows_json(b, g, SHOW_FUNCTIONS, SHOW_MISMATCHED);
	profile_json_value_figures(b, g);
	show_rows_json(b, g, SHOW_BITMAP_BYTES, SHOW_BINARY_IDS);
	if (p->ids != NULL)
		profile_json_ids(b, p->ids);
	json_member_number(b, "inputs", h->inputs == 0 ? 1 : h->inputs);
	if (p->heap != NULL)
		show_heap_rows_json(b, p->heap);
	show_data_json(b, g);
	if (p->entries != NULL)
		profile_json_cutoffs(b, p->entries);
	json_text_plain(b, "}");
}

void
profile_json_function(struct buf *b, enum prof_level level,
    const struct prof_function *f, unsigned parts)
{
	if (f->symbol.name.data != NULL)
		json_member_bytes(b, "name", "name_hex", f->symbol.name);
	else {
		json_member_key(b, "guid");
		json_text_id(b, f->symbol.guid);
	}
	if ((parts & (PROFILE_DEMANGLED | PROFILE_CHANGED)) != 0 &&
	    f->symbol.name.data != NULL)
		show_demangled_key(b, f->symbol.name,
		    (parts & PROFILE_CHANGED) != 0);
	json_member_key(b, "hash");
	json_text_id(b, f->hash);
	if (record_context_sensitive(level, f->hash))
		json_member_flag(b, "context_sensitive");
	if (prof_is_pseudo(f))
		json_member_text(b, "pseudo",
		    f->counts[0] == PROF_COUNT_HOT ? "hot" : "warm");
	else
		json_member_number(b, "max_count", figures_max_count(f));
	json_member_number(b, "counters", f->counts_size);
	if ((parts & PROFILE_COUNTS) != 0) {
		json_member_key(b, "counts");
		json_text_numbers(b, f->counts, f->counts_size);
	}
	if ((parts & PROFILE_VALUES) != 0) {
		json_member_key(b, "values");
		values_put_json(b, f->values);
	}
	if ((parts & PROFILE_BITMAP) != 0 && f->bitmap.size != 0) {
		json_member_key(b, "bitmap");
		json_text_hex(b, f->bitmap);
	}
}
