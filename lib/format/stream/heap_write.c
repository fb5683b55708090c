/* Records of heap profiles to the members of their lines. */
#include "base/json_member.h"
#include "model/frame_json.h"
#include "model/mib.h"
#include "format/stream/stream.h"

void
stream_put_segment(struct buf *b, const struct prof_segment *s)
{
	json_member_number(b, "id", s->id);
	if (s->has_range) {
		json_member_id(b, "start", s->start);
		json_member_id(b, "end", s->end);
		json_member_id(b, "offset", s->offset);
	}
	if (s->file_addresses)
		json_member_flag(b, "file_addresses");
	if (s->build_id.size != 0) {
		json_member_key(b, "build_id");
		json_text_hex(b, s->build_id);
	}
}

static void
put_pcs(struct buf *b, const struct prof_stack *s)
{
	json_member_key(b, "pcs");
	for (size_t i = 0; i < s->pcs_size; i++) {
		json_text_plain(b, i == 0 ? "[" : ",");
		if (s->segments == NULL || s->segments[i] == PROF_NO_SEGMENT) {
			json_text_id(b, s->pcs[i]);
			continue;
		}
		json_text_plain(b, "[");
		json_text_number(b, s->segments[i]);
		json_text_plain(b, ",");
		json_text_id(b, s->pcs[i]);
		json_text_plain(b, "]");
	}
	json_text_plain(b, s->pcs_size == 0 ? "[]" : "]");
}

static void
put_new_frame(struct buf *b, const struct prof_frame *f)
{
	json_text_plain(b, "{");
	if (f->function.name.size != 0)
		json_member_bytes(b, "function", "function_hex",
		    f->function.name);
	if (f->function.guid != 0)
		json_member_id(b, "guid", f->function.guid);
	frame_put_location(b, f);
	if ((f->flags & PROF_FRAME_INLINE) != 0)
		json_member_flag(b, "inline");
	json_text_plain(b, "}");
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
	json_member_id(b, "id", s->id);
	if (s->pcs_size != 0 || s->frames_size == 0)
		put_pcs(b, s);
	if (s->frames_size == 0)
		return;
	json_member_key(b, "frames");
	for (size_t i = 0; i < s->frames_size; i++) {
		json_text_plain(b, i == 0 ? "[" : ",");
		put_frame(b, frames, &s->frames[i]);
	}
	json_text_plain(b, "]");
}

static void
put_info(struct buf *b, const struct prof_mib *m)
{
	json_member_key(b, "info");
	json_text_plain(b, "{");
	for (unsigned i = 1; i < PROF_MIB_ACCESS_HISTOGRAM; i++) {
		if (mib_has(m, i))
			json_member_number(b, mib_fields[i].key, m->value[i]);
	}
	if (m->histogram != NULL) {
		json_member_key(b,
		    mib_fields[PROF_MIB_ACCESS_HISTOGRAM].key);
		json_text_numbers(b, m->histogram, (size_t)
		    m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE]);
	}
	json_text_plain(b, "}");
}

void
stream_put_allocation(struct buf *b, const struct prof_allocation *a)
{
	json_member_id(b, "stack", a->stack);
	put_info(b, &a->info);
}

static void
put_callees(struct buf *b, const struct prof_call_site *c)
{
	json_member_key(b, "callee_guids");
	for (size_t i = 0; i < c->callees_size; i++) {
		json_text_plain(b, i == 0 ? "[" : ",");
		json_text_id(b, c->callee_guids[i]);
	}
	json_text_plain(b, "]");
}

void
stream_put_memprof_function(struct buf *b,
    const struct prof_memprof_function *f)
{
	json_member_id(b, "guid", prof_symbol_guid(&f->symbol));
	if (f->symbol.name.size != 0)
		json_member_bytes(b, "name", "name_hex", f->symbol.name);
	json_member_key(b, "alloc_sites");
	json_text_plain(b, "[");
	for (size_t i = 0; i < f->allocs_size; i++) {
		json_text_plain(b, i == 0 ? "{" : ",{");
		stream_put_allocation(b, &f->alloc_sites[i]);
		json_text_plain(b, "}");
	}
	json_text_plain(b, "]");
	json_member_key(b, "call_sites");
	json_text_plain(b, "[");
	for (size_t i = 0; i < f->calls_size; i++) {
		json_text_plain(b, i == 0 ? "{" : ",{");
		json_member_id(b, "stack", f->call_sites[i].stack);
		if (f->call_sites[i].callees_size != 0)
			put_callees(b, &f->call_sites[i]);
		json_text_plain(b, "}");
	}
	json_text_plain(b, "]");
}

static void
put_data(struct buf *b, const struct prof_data *d)
{
	if (d->symbol.data != NULL)
		json_member_bytes(b, "symbol", "symbol_hex", d->symbol);
	else
		json_member_id(b, "hash", d->hash);
}

void
stream_put_data_access(struct buf *b, const struct prof_data_access *a)
{
	put_data(b, &a->data);
	json_member_number(b, "count", a->count);
	if (a->size == 0)
		return;
	json_member_key(b, "locations");
	for (size_t i = 0; i < a->size; i++) {
		json_text_plain(b, i == 0 ? "[{" : ",{");
		if (a->locations[i].file.size != 0)
			json_member_bytes(b, "file", "file_hex",
			    a->locations[i].file);
		json_member_number(b, "line", a->locations[i].line);
		json_text_plain(b, "}");
	}
	json_text_plain(b, "]");
}

void
stream_put_cold_symbol(struct buf *b, const struct prof_data *d)
{
	put_data(b, d);
}
