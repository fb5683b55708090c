/* llvm-profdata show --memory: of indexed profiles and YAML */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "profdata_show.h"

struct memory {
	struct prof_writer *writer;	/* of YAML, into text */
	struct buf text;
	bool any;			/* the profile has heap data */
};

static int
keep(void *arg, const void *data, size_t size)
{
	struct memory *m = arg;

	buf_put(&m->text, data, size);
	return m->text.failed ? ENOMEM : 0;
}

static enum prof_status
take(void *arg, const struct prof_record *r, struct prof_error *err)
{
	struct memory *m = arg;
	struct prof_record out = *r;

	switch (r->kind) {
	case PROF_REC_FUNCTION:
	case PROF_REC_TRACE:
	case PROF_REC_BINARY:
	case PROF_REC_VTABLE:
		return PROF_OK;
	case PROF_REC_PROFILE:
		m->any = r->u.profile.kind != PROF_INSTR;
		out.u.profile.kind = PROF_MEMPROF;
		break;
	case PROF_REC_ALLOCATION:
	case PROF_REC_SEGMENT:
		return err_set(err, PROF_E_UNSUPPORTED, "--memory shows "
		    "indexed heap profiles: merge this one first, or use "
		    "prof-show --heap");
	default:
		break;
	}
	return prof_put(m->writer, &out, err);
}

int
profdata_show_memory(struct profdata *p)
{
	const char *path = p->options.operands.items[0];
	struct prof_target target = { .format = "yaml" };
	char message[PROFDATA_MESSAGE_SIZE];
	struct memory m = { .any = false };
	struct prof_error err = { 0 };
	struct profdata_out *out;

	m.writer = prof_writer_new(p->context, &target, keep, &m, &err);
	if (m.writer == NULL ||
	    profdata_read(p, path, take, &m, NULL, &err) != PROF_OK ||
	    prof_finish(m.writer, &err) != PROF_OK)
		profdata_fail(path, "%s", profdata_message(message, &err));
	if (!m.any)
		profdata_fail(path, "the profile has no heap data");
	out = profdata_out_open(p);
	profdata_put(out, (struct prof_span){ m.text.data, m.text.size });
	profdata_out_close(out);
	prof_writer_free(m.writer);
	buf_free(&m.text);
	return 0;
}
