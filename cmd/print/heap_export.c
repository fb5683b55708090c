#include "config.h"

#include "cmd/print/print.h"

#include "base/error.h"
#include "cmd/common/pipeline.h"
#include "model/mib.h"
#include "ops/heap/view.h"

void
heap_naming_warn(const struct cli *c, const char *file,
    enum heap_naming naming)
{
	static const char *const hints[] = {
		[HEAP_HASHED] = "functions are known only by their hash: "
		    "--binary BINARY names them, the stream of "
		    "prof-merge keeps their names",
		[HEAP_ADDRESSES] = "call stacks have addresses only: "
		    "prof-symbolize --binary PROGRAM adds the functions",
	};

	if (naming == HEAP_NAMED || c->options.quiet)
		return;
	if (file == NULL)
		message_print("%s: warning: %s\n", c->name, hints[naming]);
	else
		message_print("%s: %s: warning: %s\n", c->name, file,
		    hints[naming]);
}

static enum prof_status
export_add_record(void *view, const struct prof_record *r,
    struct prof_error *err)
{
	return heap_view_add(view, r, err);
}

/* A weight that no context has would give an empty graph: an error. */
static enum prof_status
export_check_weight(struct cli *c, const struct heap *h, enum heap_value by)
{
	const struct mib_field *f = &mib_fields[heap_fields[by]];
	size_t unknown = 0;

	for (size_t i = 0; i < h->contexts_size; i++)
		unknown += !mib_has(&h->contexts[i].info, heap_fields[by]);
	if (h->contexts_size == 0)
		return err_set(&c->err, PROF_E_FORMAT, "no heap contexts: "
		    "only heap profiles (memprof) can be exported");
	if (unknown == h->contexts_size)
		return err_set(&c->err, PROF_E_FORMAT, "no context has %s",
		    f->name);
	if (unknown != 0 && !c->options.quiet)
		message_print("%s: warning: %zu of %zu contexts have no "
		    "%s\n", c->name, unknown, h->contexts_size, f->name);
	return PROF_OK;
}

static enum prof_status
export_put(struct cli *c, const struct heap_export *e, struct heap_view *view,
    struct buf *b)
{
	static const struct heap_names none;
	enum heap_naming naming = heap_view_name(view, e->names != NULL ?
	    e->names : &none);
	struct heap heap = heap_view_get(view);

	if (naming == HEAP_ADDRESSES)
		heap_naming_warn(c, NULL, naming);
	if (export_check_weight(c, &heap, e->options.by) != PROF_OK)
		return PROF_FAIL;
	if (heap_view_saturated(view) != 0 && !c->options.quiet)
		message_print("%s: warning: %llu sums are larger than their "
		    "fields\n", c->name,
		    (unsigned long long)heap_view_saturated(view));
	return e->format->write(b, &heap, &e->options, &c->err);
}

enum prof_status
cli_export_heap(struct cli *c, const struct heap_export *e)
{
	struct heap_view *view = heap_view_new(false);
	struct buf b = { 0 };
	enum prof_status status;

	if (view == NULL)
		return err_memory(&c->err);
	status = cli_open_bytes(c, e->format->gzipped);
	if (status == PROF_OK)
		status = cli_read(c, export_add_record, view);
	if (status == PROF_OK)
		status = export_put(c, e, view, &b);
	if (status == PROF_OK)
		status = cli_write_text(c, &b);
	buf_free(&b);
	heap_view_free(view);
	return status;
}
