/*
 * llvm-profdata show --memory: of raw profiles the YAML of
 * RawMemProfReader::printYAML, LLVM 15 to 22: segments, then the allocation and
 * call sites of each function.
 */
#include "config.h"

#include "cmd/profdata/profdata.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/numbers.h"
#include "model/heap.h"
#include "model/memprof/build.h"
#include "model/mib.h"
#include "model/symtab.h"

struct memory_view {
	struct prof_writer *writer;	/* of YAML, into text */
	struct buf text;
	bool any;			/* the profile has heap data */
	bool raw;
	/* Of a raw profile. */
	struct memprof_build *build;
	struct memprof_built built;
	struct symtab names;		/* of functions in frames */
	struct arena arena;
	struct buf segments;		/* text */
	uint64_t version, segment_count, stack_count;
	unsigned last_field;		/* of statistics in the release */
};

static bool
raw_heap_add_segment(struct memory_view *m, const struct prof_segment *s)
{
	struct buf *b = &m->segments;

	m->segment_count++;
	buf_print(b, "  -\n    BuildId: %s", s->build_id.size == 0 ?
	    "<None>" : "");
	digits_append_hex(b, s->build_id);
	buf_print(b, "\n    Start: 0x%" PRIX64 "\n    End: 0x%" PRIX64
	    "\n    Offset: 0x%" PRIX64 "\n", s->start, s->end, s->offset);
	return !b->failed;
}

static bool
raw_heap_add_names(struct memory_view *m, const struct prof_stack *s)
{
	m->stack_count++;
	for (size_t i = 0; i < s->frames_size; i++) {
		const struct prof_symbol *f = &s->frames[i].function;
		struct prof_span name = memprof_frame_name(f->name);

		if (!symtab_keep(&m->names, &m->arena,
		    memprof_canonical_name(name), f->guid != 0 ? f->guid :
		    memprof_guid(name)))
			return false;
	}
	return true;
}

static enum prof_status
raw_heap_put(struct memory_view *m, const struct prof_record *r,
    struct prof_error *err)
{
	bool done = true;

	if (r->kind == PROF_REC_PROFILE)
		m->version = r->u.profile.source.version;
	else if (r->kind == PROF_REC_SEGMENT)
		done = raw_heap_add_segment(m, &r->u.segment);
	else if (r->kind == PROF_REC_STACK)
		done = raw_heap_add_names(m, &r->u.stack);
	return done ? memprof_build_put(m->build, r, err) : err_memory(err);
}

static void
raw_heap_print_frames(const struct memory_view *m, struct profdata_out *out,
    uint32_t stack, const char *before)
{
	const struct memprof_stack *s = &m->built.stacks[stack];

	for (uint32_t i = 0; i < s->size; i++) {
		const struct memprof_frame *f = &m->built.frames[s->frames[i]];
		struct prof_span name = symtab_name(&m->names, f->guid);

		profdata_print(out, "%s      -\n        Function: %" PRIu64
		    "\n        SymbolName: %s", before, f->guid,
		    name.data == NULL ? "<None>" : "");
		profdata_put(out, name);
		profdata_print(out, "\n        LineOffset: %" PRIu32
		    "\n        Column: %" PRIu32 "\n        Inline: %d\n",
		    f->line_offset, f->column, f->is_inline);
	}
}

static void
raw_heap_print_context(const struct memory_view *m, struct profdata_out *out,
    const struct memprof_alloc *a)
{
	const struct prof_mib *info = a->info;
	uint64_t size = info->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE];

	profdata_print(out, "    -\n      Callstack:\n");
	raw_heap_print_frames(m, out, a->stack, "");
	profdata_print(out, "      MemInfoBlock:\n");
	for (unsigned i = 1; i <= m->last_field; i++)
		profdata_print(out, "        %s: %" PRIu64 "\n",
		    mib_fields[i].name, mib_stored_value(info, i));
	if (info->histogram == NULL || size == 0)
		return;
	profdata_print(out, "        AccessHistogramValues:");
	for (uint64_t i = 0; i < size; i++)
		profdata_print(out, " %" PRIu64, info->histogram[i]);
	profdata_print(out, "\n");
}

static void
raw_heap_print(const struct memory_view *m, struct profdata_out *out)
{
	const struct memprof_record *r = m->built.records;
	const struct memprof_record *end = r + m->built.records_size;
	uint64_t functions = 0, sites = 0;

	for (; r < end; r++) {
		functions += r->allocs_size != 0;
		sites += r->allocs_size;
	}
	profdata_print(out, "MemprofProfile:\n  Summary:\n"
	    "    Version: %" PRIu64 "\n    NumSegments: %" PRIu64 "\n"
	    "    NumMibInfo: %" PRIu64 "\n    NumAllocFunctions: %" PRIu64 "\n"
	    "    NumStackOffsets: %" PRIu64 "\n  Segments:\n", m->version,
	    m->segment_count, sites, functions, m->stack_count);
	profdata_put(out, buf_span(&m->segments));
	profdata_print(out, "  Records:\n");
	for (r = m->built.records; r < end; r++) {
		profdata_print(out, "  -\n    FunctionGUID: %" PRIu64 "\n%s",
		    r->guid, r->allocs_size != 0 ? "    AllocSites:\n" : "");
		for (size_t i = 0; i < r->allocs_size; i++)
			raw_heap_print_context(m, out, &r->allocs[i]);
		if (r->calls_size != 0)
			profdata_print(out, "    CallSites:\n");
		for (size_t i = 0; i < r->calls_size; i++)
			raw_heap_print_frames(m, out, r->calls[i].stack,
			    "    -\n");
	}
}

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
		m->raw = profdata_is_format(&r->u.profile, "memprof-raw");
		out.u.profile.kind = PROF_MEMPROF;
		break;
	default:
		break;
	}
	if (m->raw && raw_heap_put(m, r, err) != PROF_OK)
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
	if (m->raw)
		raw_heap_print(m, out);
	profdata_out_close(out);
}

int
profdata_show_memory(struct profdata *p)
{
	const char *path = p->options.operands[0];
	struct prof_target target = { .format = "yaml" };
	char message[PROFDATA_MESSAGE_SIZE];
	struct memory_view m = { .last_field =
	    profdata_release(p)->memprof_field };
	struct prof_error err = { 0 };
	struct profdata_resolver *resolver;

	if (m.last_field == 0)
		llvm_fail(path, "--memory of LLVM %u, a summary of the "
		    "header, is not supported: use --compat=15 or later",
		    p->tool.release);
	resolver = profdata_resolver_new(p, show_memory_record, &m);
	m.build = memprof_build_new();
	if (m.build == NULL)
		profdata_out_of_memory();
	m.writer = prof_writer_new(p->cli.context, &target, buf_sink, &m.text,
	    &err);
	if (m.writer == NULL || profdata_read(p, path, profdata_resolver_put,
	    resolver, &err) != PROF_OK ||
	    profdata_resolver_finish(resolver, &err) != PROF_OK ||
	    prof_finish(m.writer, &err) != PROF_OK ||
	    memprof_build_finish(m.build, &m.built, &err) != PROF_OK)
		llvm_fail(path, "%s", profdata_message(message, &err));
	if (!m.any)
		llvm_fail(path, "the profile has no heap data");
	print_memory_view(p, &m);
	prof_writer_free(m.writer);
	memprof_build_free(m.build);
	symtab_free(&m.names);
	arena_free(&m.arena);
	buf_free(&m.segments);
	profdata_resolver_free(resolver);
	buf_free(&m.text);
	return 0;
}
