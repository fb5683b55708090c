/* llvm-profdata show --memory */
#include "config.h"

#include <string.h>

#include "base/error.h"
#include "cmd/profdata/heap.h"
#include "cmd/profdata/show.h"
#include "cmd/profdata/resolver.h"

struct memory_view {
	struct prof_writer *writer;	/* of YAML, into text */
	struct buf text;
	struct profdata_heap *heap;	/* of a raw profile */
	bool any;			/* the profile has heap data */
	bool raw;
};

static enum prof_status
show_memory_record(void *arg, const struct prof_record *r,
    struct prof_error *err)
{
	struct memory_view *m = arg;
	struct prof_record out = *r;

	switch (r->kind) {
	case PROF_REC_FUNCTION:
	case PROF_REC_TRACE:
	case PROF_REC_BINARY:
	case PROF_REC_VTABLE:
	case PROF_REC_NAME:
		return PROF_OK;
	case PROF_REC_PROFILE:
		m->any = r->u.profile.kind != PROF_INSTR;
		m->raw = r->u.profile.source.format != NULL && strcmp(
		    r->u.profile.source.format, "memprof-raw") == 0;
		out.u.profile.kind = PROF_MEMPROF;
		break;
	default:
		break;
	}
	if (m->raw && profdata_heap_put(m->heap, r, err) != PROF_OK)
		return PROF_FAIL;
	return prof_put(m->writer, &out, err);
}

/* The first line of the YAML, "---", and the comments that follow it. */
static struct prof_span
yaml_summary_lines(const struct buf *text)
{
	size_t at = 0;

	while (at < text->size && (at == 0 || text->data[at] == '#')) {
		const uint8_t *end = memchr(text->data + at, '\n',
		    text->size - at);

		at = end == NULL ? text->size : (size_t)(end - text->data) + 1;
	}
	return (struct prof_span){ text->data, at };
}

static void
print_memory_view(struct profdata *p, struct memory_view *m)
{
	struct profdata_out *out = profdata_out_open(p);

	if (!m->raw)
		profdata_put(out, buf_span(&m->text));
	else if (profdata_since(p, 21))
		profdata_put(out, yaml_summary_lines(&m->text));
	if (m->raw && !profdata_heap_print(m->heap, out))
		profdata_out_of_memory();
	profdata_out_close(out);
}

int
profdata_show_memory(struct profdata *p)
{
	const char *path = p->options.operands.items[0];
	struct prof_target target = { .format = "yaml" };
	char message[PROFDATA_MESSAGE_SIZE];
	struct memory_view m = { .any = false };
	struct prof_error err = { 0 };
	struct profdata_resolver *resolver = profdata_resolver_new(p,
	    show_memory_record, &m);

	m.heap = profdata_heap_new();
	if (m.heap == NULL)
		profdata_out_of_memory();
	m.writer = prof_writer_new(p->context, &target, buf_sink, &m.text,
	    &err);
	if (m.writer == NULL || profdata_read(p, path, profdata_resolver_put,
	    resolver, &err) != PROF_OK ||
	    profdata_resolver_finish(resolver, &err) != PROF_OK ||
	    prof_finish(m.writer, &err) != PROF_OK)
		profdata_fail(path, "%s", profdata_message(message, &err));
	if (!m.any)
		profdata_fail(path, "the profile has no heap data");
	print_memory_view(p, &m);
	prof_writer_free(m.writer);
	profdata_heap_free(m.heap);
	profdata_resolver_free(resolver);
	buf_free(&m.text);
	return 0;
}
