/* Numbers of texts and frames. */
#include "model/memprof_guid.h"
#include "merge/heap/state.h"

uint32_t
mheap_text(struct merge_heap *h, struct prof_span text)
{
	uint32_t n;

	if (text.data == NULL)
		return 0;
	n = intern_add(&h->frames.texts, text.data, text.size);
	return n == INDEX_NONE ? MHEAP_NONE : n + 1;
}

/*
 * Sets the members that follow from others (the guid of a name, the offset of a
 * line), so that frames are equal whether a profile stores these or not.
 */
uint32_t
mheap_frame(struct merge_heap *h, const struct prof_frame *from)
{
	const unsigned lines = PROF_FRAME_LINE | PROF_FRAME_START_LINE;
	struct prof_frame f = *from;

	if (f.function.guid == 0 && f.function.name.size != 0)
		f.function.guid = memprof_guid(f.function.name);
	if ((f.flags & lines) == lines &&
	    (f.flags & PROF_FRAME_LINE_OFFSET) == 0) {
		f.flags |= PROF_FRAME_LINE_OFFSET;
		f.line_offset = f.line - f.start_line;
	}
	return frame_pool_add(&h->frames, &f);
}
