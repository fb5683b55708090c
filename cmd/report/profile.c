/* One profile of a report, from its records. */
#include "config.h"

#include "base/error.h"
#include "base/json_text.h"
#include "base/numbers.h"
#include "cmd/report/report.h"
#include "model/record.h"

/* Forgets the profile before. */
static bool
report_profile_clear(struct report_profile *p, const struct prof_header *h)
{
	arena_reset(&p->arena);
	p->header = *h;
	figures_free(&p->figures);
	top_clear(&p->top);
	p->top.order = TOP_SHARE;
	p->top.limit = p->limit;
	p->top.values = true;
	p->ids.size = p->traces.size = 0;
	order_free(p->order);
	p->order = NULL;
	heap_view_free(p->view);
	p->view = NULL;
	p->heap = (struct heap){ .contexts_size = 0 };
	if (h->kind != PROF_INSTR && (p->view = heap_view_new(false)) == NULL)
		return false;
	if ((h->flags & PROF_TEMPORAL) != 0 &&
	    (p->order = order_new()) == NULL)
		return false;
	return record_copy(&p->arena, PROF_REC_PROFILE, &p->header);
}

/* The view numbers its profiles by their headers. */
static enum prof_status
report_add_heap(struct heap_view *view, const struct prof_record *r,
    struct prof_error *err)
{
	return view == NULL ? PROF_OK : heap_view_add(view, r, err);
}

enum prof_status
report_profile_begin(struct report_profile *p, const struct prof_record *r,
    struct prof_error *err)
{
	if (!report_profile_clear(p, &r->u.profile))
		return err_memory(err);
	return report_add_heap(p->view, r, err);
}

static void
report_add_id(struct buf *ids, struct prof_span id)
{
	digits_append_hex(ids, id);
	buf_u8(ids, '\n');
}

static void
report_add_trace(struct report_profile *p, const struct prof_trace *t)
{
	struct buf *b = &p->traces;

	json_text_plain(b, b->size == 0 ? "" : ",");
	report_trace_json(b, t);
}

enum prof_status
report_profile_add(struct report_profile *p, const struct prof_record *r,
    struct prof_error *err)
{
	if (r->kind == PROF_REC_BINARY)
		report_add_id(&p->ids, r->u.build_id);
	if (r->kind == PROF_REC_TRACE)
		report_add_trace(p, &r->u.trace);
	if (p->ids.failed || p->traces.failed ||
	    !figures_add(&p->figures, &p->header, r) ||
	    (r->kind == PROF_REC_FUNCTION &&
	    !top_add(&p->top, &r->u.function)))
		return err_memory(err);
	if (report_add_heap(p->view, r, err) != PROF_OK)
		return PROF_FAIL;
	return p->order == NULL ? PROF_OK : order_add(p->order, r, err);
}

enum prof_status
report_profile_end(struct report_profile *p, struct prof_error *err)
{
	const struct partition_how how = { PARTITION_SORT, p->threads };

	top_sort(&p->top, TOP_SHARE);
	if (p->view != NULL) {
		heap_view_name(p->view, p->names);
		p->heap = heap_view_get(p->view);
	}
	return p->order == NULL ? PROF_OK :
	    order_run(p->order, 0, how, err);
}

void
report_profile_free(struct report_profile *p)
{
	arena_free(&p->arena);
	figures_free(&p->figures);
	top_clear(&p->top);
	buf_free(&p->ids);
	buf_free(&p->traces);
	order_free(p->order);
	heap_view_free(p->view);
	*p = (struct report_profile){ .limit = 0 };
}
