/* Frames of heap profiles as JSON. */
#include "config.h"

#include "base/json_text.h"
#include "cmd/print/frame_json.h"
#include "model/record.h"

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
frame_json_function(struct buf *b, const struct prof_symbol *f,
    heap_name *demangle)
{
	struct buf plain = { 0 };

	if (f->name.size != 0)
		json_member_bytes(b, "function", "function_hex", f->name);
	if (f->guid != 0) {
		json_member_key(b, "guid");
		json_text_id(b, f->guid);
	}
	if (f->name.size == 0 || demangle == NULL)
		return;
	demangle(&plain, f->name);
	json_member_bytes(b, "demangled", "demangled_hex", buf_span(&plain));
	b->failed |= plain.failed;
	buf_free(&plain);
}

void
heap_frame_json(struct buf *b, const struct heap *h, uint32_t n,
    heap_name *demangle)
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
