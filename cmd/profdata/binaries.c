/* What binaries tell: functions of counters, frames of addresses. */
#include "config.h"

#include "cmd/profdata/profdata.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/numbers.h"
#include "io/map.h"
#include "sym/correlate.h"
#include "sym/symbolize.h"

static struct binary *
profdata_open_binary(struct profdata *p, const char *path)
{
	struct prof_error err = { 0 };
	struct binary *b;

	profdata_require(NULL, path);
	map_handle_errors();
	b = binary_open(path, &p->beside, &err);
	if (b == NULL && err.code == PROF_E_FORMAT)
		llvm_fail(path, "The file was not recognized as a valid "
		    "object file (%s)", err.reason);
	if (b == NULL)
		llvm_fail(NULL, "%s", err.reason);
	return b;
}

enum { MOST_BINARIES = 3 };

struct profdata_resolver {
	const struct profdata *p;
	cli_record *next;
	void *arg;
	struct binary *binaries[MOST_BINARIES];
	size_t count;
	struct binary_search search;
	struct correlate *correlate;
	struct symbolize *symbolize;
	struct buf ids;			/* of segments, for a message */
	bool matched;			/* a segment is of a binary */
};

/* Sets where binaries are found by build id; false if nowhere. */
static bool
resolver_set_search(struct profdata_resolver *s, struct profdata *p)
{
	const struct profdata_options *o = &p->options;
	bool any = o->debuginfod || o->debug_dirs.size != 0;

	if (any && o->correlate == PROFDATA_CORRELATE_NOT)
		llvm_fail(NULL, "Expected --correlate when %s is provided",
		    o->debuginfod ? "--debuginfod" : "--debug-file-directory");
	if (!any && o->correlate != PROFDATA_CORRELATE_NOT)
		llvm_fail(NULL, "Expected --debuginfod or "
		    "--debug-file-directory when --correlate is provided");
	s->search = (struct binary_search){ .debug_dirs = o->debug_dirs.items,
	    .debug_dir_count = o->debug_dirs.size,
	    .debuginfod = o->debuginfod, .work = &p->work };
	return any;
}

struct profdata_resolver *
profdata_resolver_new(struct profdata *p, cli_record *next, void *arg)
{
	struct profdata_resolver *s = calloc(1, sizeof(*s));
	const char *const paths[MOST_BINARIES] = { p->options.debug_info,
	    p->options.binary_file, p->options.profiled_binary };
	struct symbolize_options o = { .drop = true, .search = &p->beside,
	    .warn = profdata_warn, .warn_arg = p };
	struct prof_error err = { 0 };
	bool search;

	if (s == NULL)
		profdata_out_of_memory();
	s->p = p;
	s->next = next;
	s->arg = arg;
	if (profdata_is_given(paths[0]) && profdata_is_given(paths[1]))
		llvm_fail(NULL, "Expected only one of -debug-info, "
		    "-binary-file, -debuginfod or -debug-file-directory");
	search = resolver_set_search(s, p);
	for (size_t i = 0; i < MOST_BINARIES; i++) {
		if (profdata_is_given(paths[i]))
			s->binaries[s->count++] = profdata_open_binary(p,
			    paths[i]);
	}
	if (search || s->count != 0) {
		s->correlate = correlate_new(s->binaries, s->count, &s->search,
		    profdata_warn, p);
		if (s->correlate == NULL)
			profdata_out_of_memory();
	}
	if (s->count == 0)
		return s;
	o.binaries = s->binaries;
	o.binary_count = s->count;
	s->symbolize = symbolize_new(&o, &err);
	if (s->symbolize == NULL)
		profdata_out_of_memory();
	return s;
}

static void
resolver_note_build_id(struct profdata_resolver *s, struct prof_span id)
{
	if (id.size == 0)
		return;
	for (size_t i = 0; i < s->count; i++)
		s->matched |= prof_span_equal(id,
		    binary_build_id(s->binaries[i]));
	buf_put(&s->ids, " BuildId: ", 10);
	digits_append_hex(&s->ids, id);
	buf_put(&s->ids, "\n", 1);
}

/*
 * A stack of addresses ends the run, whatever --failure-mode, if no binary is
 * given or none is of the profile (RawMemProfReader::create; loadInput).
 */
static void
resolver_require_binary(const struct profdata_resolver *s)
{
	const char *where = s->p->command == PROFDATA_MERGE ?
	    s->p->cli.inputs.file : NULL;
	int size = (int)s->ids.size;
	const char *ids = size == 0 ? "" : (const char *)s->ids.data;

	if (s->symbolize == NULL)
		llvm_fail(where, "\nPath to profiled binary is empty, "
		    "expected binary with one of the following build ids:\n\n"
		    "%.*s", size, ids);
	if (size != 0 && !s->matched)
		llvm_fail(where, "No matching executable segments found in "
		    "binary %s\nThe segments of the profile have other build "
		    "ids than the binary:\n\n%.*s", binary_path(s->binaries[
		    s->count - 1]), size, ids);
}

static enum prof_status
resolver_symbolize(void *arg, const struct prof_record *in,
    struct prof_error *err)
{
	struct profdata_resolver *s = arg;
	struct prof_record out;
	enum prof_status status;

	if (in->kind == PROF_REC_SEGMENT)
		resolver_note_build_id(s, in->u.segment.build_id);
	if (in->kind == PROF_REC_STACK && in->u.stack.frames_size == 0 &&
	    in->u.stack.pcs_size != 0)
		resolver_require_binary(s);
	if (s->symbolize == NULL)
		return s->next(s->arg, in, err);
	status = symbolize_record(s->symbolize, in, &out, err);
	if (status != PROF_OK)
		return status == PROF_END ? PROF_OK : PROF_FAIL;
	return s->next(s->arg, &out, err);
}

bool
profdata_resolver_correlates(const struct profdata_resolver *s,
    struct prof_error *err)
{
	if (s->correlate == NULL)
		err_set(err, PROF_E_UNSUPPORTED, "unable to correlate "
		    "profile: debug info/binary for correlation is required, "
		    "name it with --debug-info or --binary-file");
	return s->correlate != NULL;
}

enum prof_status
profdata_resolver_put(void *arg, const struct prof_record *r,
    struct prof_error *err)
{
	struct profdata_resolver *s = arg;

	if (r->kind == PROF_REC_PROFILE) {
		s->ids.size = 0;
		s->matched = false;
	}
	if (s->correlate != NULL)
		return correlate_put(s->correlate, r, resolver_symbolize, s,
		    err);
	return r->kind == PROF_REC_RAW_COUNTERS &&
	    !profdata_resolver_correlates(s, err) ? PROF_FAIL :
	    resolver_symbolize(s, r, err);
}

enum prof_status
profdata_resolver_finish(struct profdata_resolver *s, struct prof_error *err)
{
	return s->symbolize == NULL ? PROF_OK :
	    symbolize_finish(s->symbolize, err);
}

void
profdata_resolver_free(struct profdata_resolver *s)
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
