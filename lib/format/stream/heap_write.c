/* Records of heap profiles to the members of their lines. */
#include "base/json_member.h"
#include "model/mib.h"
#include "format/stream/stream.h"

void
stream_put_segment(struct buf *b, const struct prof_segment *s)
{
	jkey_number(b, "id", s->id);
	if (s->has_range) {
		jkey_id(b, "start", s->start);
		jkey_id(b, "end", s->end);
		jkey_id(b, "offset", s->offset);
	}
	if (s->file_addresses)
		jkey_flag(b, "file_addresses");
	if (s->build_id.size != 0) {
		jkey(b, "build_id");
		jtext_hex(b, s->build_id);
	}
}

static void
put_pcs(struct buf *b, const struct prof_stack *s)
{
	jkey(b, "pcs");
	for (size_t i = 0; i < s->pcs_size; i++) {
		jtext_plain(b, i == 0 ? "[" : ",");
		if (s->segments == NULL || s->segments[i] == PROF_NO_SEGMENT) {
			jtext_id(b, s->pcs[i]);
			continue;
		}
		jtext_plain(b, "[");
		jtext_number(b, s->segments[i]);
		jtext_plain(b, ",");
		jtext_id(b, s->pcs[i]);
		jtext_plain(b, "]");
	}
	jtext_plain(b, s->pcs_size == 0 ? "[]" : "]");
}

static void
put_new_frame(struct buf *b, const struct prof_frame *f)
{
	jtext_plain(b, "{");
	if (f->function.name.size != 0)
		jkey_bytes(b, "function", "function_hex",
		    f->function.name);
	if (f->function.guid != 0)
		jkey_id(b, "guid", f->function.guid);
	jkey_place(b, f);
	if ((f->flags & PROF_FRAME_INLINE) != 0)
		jkey_flag(b, "inline");
	jtext_plain(b, "}");
}

static void
put_frame(struct buf *b, struct stream_frames *known,
    const struct prof_frame *f)
{
	struct prof_span text = stream_frames_find(known, f);
	size_t start = b->size;

	if (text.data != NULL) {
		buf_put(b, text.data, text.size);
		return;
	}
	put_new_frame(b, f);
	if (!b->failed)
		stream_frames_add(known, f, (struct prof_span){
		    b->data + start, b->size - start });
}

void
stream_put_stack(struct buf *b, struct stream_frames *frames,
    const struct prof_stack *s)
{
	jkey_id(b, "id", s->id);
	if (s->pcs_size != 0 || s->frames_size == 0)
		put_pcs(b, s);
	if (s->frames_size == 0)
		return;
	jkey(b, "frames");
	for (size_t i = 0; i < s->frames_size; i++) {
		jtext_plain(b, i == 0 ? "[" : ",");
		put_frame(b, frames, &s->frames[i]);
	}
	jtext_plain(b, "]");
}

static void
put_info(struct buf *b, const struct prof_mib *m)
{
	jkey(b, "info");
	jtext_plain(b, "{");
	for (unsigned i = 1; i < PROF_MIB_ACCESS_HISTOGRAM; i++) {
		if (mib_has(m, i))
			jkey_number(b, mib_fields[i].key, m->value[i]);
	}
	if (m->histogram != NULL) {
		jkey(b,
		    mib_fields[PROF_MIB_ACCESS_HISTOGRAM].key);
		jtext_numbers(b, m->histogram, (size_t)
		    m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE]);
	}
	jtext_plain(b, "}");
}

void
stream_put_allocation(struct buf *b, const struct prof_allocation *a)
{
	jkey_id(b, "stack", a->stack);
	put_info(b, &a->info);
}

static void
put_callees(struct buf *b, const struct prof_call_site *c)
{
	jkey(b, "callee_guids");
	for (size_t i = 0; i < c->callees_size; i++) {
		jtext_plain(b, i == 0 ? "[" : ",");
		jtext_id(b, c->callee_guids[i]);
	}
	jtext_plain(b, "]");
}

void
stream_put_memprof_function(struct buf *b,
    const struct prof_memprof_function *f)
{
	jkey_id(b, "guid", prof_symbol_guid(&f->symbol));
	if (f->symbol.name.size != 0)
		jkey_bytes(b, "name", "name_hex", f->symbol.name);
	jkey(b, "alloc_sites");
	jtext_plain(b, "[");
	for (size_t i = 0; i < f->allocs_size; i++) {
		jtext_plain(b, i == 0 ? "{" : ",{");
		stream_put_allocation(b, &f->alloc_sites[i]);
		jtext_plain(b, "}");
	}
	jtext_plain(b, "]");
	jkey(b, "call_sites");
	jtext_plain(b, "[");
	for (size_t i = 0; i < f->calls_size; i++) {
		jtext_plain(b, i == 0 ? "{" : ",{");
		jkey_id(b, "stack", f->call_sites[i].stack);
		if (f->call_sites[i].callees_size != 0)
			put_callees(b, &f->call_sites[i]);
		jtext_plain(b, "}");
	}
	jtext_plain(b, "]");
}

static void
put_data(struct buf *b, const struct prof_data *d)
{
	if (d->symbol.data != NULL)
		jkey_bytes(b, "symbol", "symbol_hex", d->symbol);
	else
		jkey_id(b, "hash", d->hash);
}

void
stream_put_data_access(struct buf *b, const struct prof_data_access *a)
{
	put_data(b, &a->data);
	jkey_number(b, "count", a->count);
	if (a->size == 0)
		return;
	jkey(b, "locations");
	for (size_t i = 0; i < a->size; i++) {
		jtext_plain(b, i == 0 ? "[{" : ",{");
		if (a->locations[i].file.size != 0)
			jkey_bytes(b, "file", "file_hex",
			    a->locations[i].file);
		jkey_number(b, "line", a->locations[i].line);
		jtext_plain(b, "}");
	}
	jtext_plain(b, "]");
}

void
stream_put_cold_symbol(struct buf *b, const struct prof_data *d)
{
	put_data(b, d);
}
