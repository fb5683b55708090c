#include "config.h"

#include "profdata_stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sym/correlate.h"
#include "sym/symbolize.h"

enum { MOST_BINARIES = 3 };

struct profdata_stage {
	profdata_record *next;
	void *arg;
	struct binary *binaries[MOST_BINARIES];
	size_t count;
	struct correlate *correlate;
	struct symbolize *symbolize;
	struct buf ids;			/* of segments, for a message */
};

static void
open_binary(struct profdata_stage *s, const char *path)
{
	struct prof_error err = { 0 };

	if (path == NULL || *path == '\0')
		return;
	profdata_need_file(path);
	s->binaries[s->count] = binary_open(path, NULL, &err);
	if (s->binaries[s->count] == NULL)
		profdata_fail(path, "%s", err.reason);
	s->count++;
}

struct profdata_stage *
profdata_stage_new(struct profdata *p, profdata_record *next, void *arg)
{
	struct profdata_stage *s = calloc(1, sizeof(*s));
	struct symbolize_options o = { .drop = true, .warn = profdata_warn,
	    .warn_arg = p };
	struct prof_error err = { 0 };

	if (s == NULL)
		profdata_out_of_memory();
	s->next = next;
	s->arg = arg;
	open_binary(s, p->options.debug_info);
	open_binary(s, p->options.binary_file);
	open_binary(s, p->options.profiled_binary);
	if (s->count == 0)
		return s;
	o.binaries = s->binaries;
	o.binary_count = s->count;
	s->correlate = correlate_new(s->binaries, s->count, NULL,
	    profdata_warn, p);
	s->symbolize = symbolize_new(&o, &err);
	if (s->correlate == NULL || s->symbolize == NULL)
		profdata_out_of_memory();
	return s;
}

static enum prof_status
symbolized(void *arg, const struct prof_record *in, struct prof_error *err)
{
	struct profdata_stage *s = arg;
	struct prof_record out;
	enum prof_status status = symbolize_record(s->symbolize, in, &out,
	    err);

	if (status != PROF_OK)
		return status == PROF_END ? PROF_OK : PROF_FAIL;
	return s->next(s->arg, &out, err);
}

static void
keep_id(struct profdata_stage *s, struct prof_span id)
{
	char hex[3];

	if (id.size == 0)
		return;
	buf_put(&s->ids, " BuildId: ", 10);
	for (size_t i = 0; i < id.size; i++) {
		snprintf(hex, sizeof(hex), "%02x", id.data[i]);
		buf_put(&s->ids, hex, 2);
	}
	buf_put(&s->ids, "\n", 1);
}

/* Without binaries, what needs one ends the run, as LLVM has it. */
static enum prof_status
without_binary(struct profdata_stage *s, const struct prof_record *r,
    struct prof_error *err)
{
	if (r->kind == PROF_REC_RAW_COUNTERS)
		return err_set(err, PROF_E_UNSUPPORTED, "unable to correlate "
		    "profile: debug info/binary for correlation is required, "
		    "name it with --debug-info or --binary-file");
	if (r->kind == PROF_REC_SEGMENT)
		keep_id(s, r->u.segment.build_id);
	if (r->kind == PROF_REC_STACK && r->u.stack.frames_size == 0 &&
	    r->u.stack.pcs_size != 0)
		profdata_fail(NULL, "Path to profiled binary is empty, "
		    "expected binary with one of the following build ids:\n\n"
		    "%.*s", (int)s->ids.size, s->ids.data == NULL ? "" :
		    (const char *)s->ids.data);
	return s->next(s->arg, r, err);
}

enum prof_status
profdata_stage_put(void *arg, const struct prof_record *r,
    struct prof_error *err)
{
	struct profdata_stage *s = arg;

	if (r->kind == PROF_REC_PROFILE)
		s->ids.size = 0;
	return s->count == 0 ? without_binary(s, r, err) :
	    correlate_put(s->correlate, r, symbolized, s, err);
}

bool
profdata_stage_has_binary(const struct profdata_stage *s)
{
	return s->count != 0;
}

enum prof_status
profdata_stage_finish(struct profdata_stage *s, struct prof_error *err)
{
	return s->symbolize == NULL ? PROF_OK :
	    symbolize_finish(s->symbolize, err);
}

void
profdata_stage_free(struct profdata_stage *s)
{
	if (s == NULL)
		return;
	symbolize_free(s->symbolize);
	correlate_free(s->correlate);
	for (size_t i = 0; i < s->count; i++)
		binary_close(s->binaries[i]);
	buf_free(&s->ids);
	free(s);
}
