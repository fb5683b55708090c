/*
 * Writes heap profiles in YAML, byte for byte as llvm-profdata show --memory of
 * LLVM 22.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/utf8.h"
#include "format/memprof_losses.h"
#include "model/memprof/build.h"
#include "model/memprof_guid.h"
#include "model/mib.h"
#include "model/symtab.h"
#include "format/yaml/write.h"

/* The text is written to the sink in pieces of about this size. */
enum { FLUSH_SIZE = 1 << 16 };

struct yaml_writer {
	struct prof_writer base;
	struct memprof_build *build;
	struct symtab names;		/* of functions; copies in the arena */
	struct arena arena;
	bool began, has_sources, salvaged;
	uint64_t others;		/* records that are not of the heap */
	struct memprof_built built;
	struct yaml_text text;
};

/*
 * Whether a name can be written in place of a guid, as LLVM hashes such names:
 * it must be UTF-8, must not look like a number, and must have that guid.
 */
static bool
name_stands_for_guid(struct prof_span name, uint64_t guid)
{
	return name.size != 0 && (name.data[0] < '0' || name.data[0] > '9') &&
	    utf8_valid(name) && memprof_guid(name) == guid;
}

/* Of two names with one guid, the first one in the order of bytes stays. */
static enum prof_status
yaml_add_name(struct yaml_writer *w, const struct prof_symbol *s,
    struct prof_error *err)
{
	uint64_t guid = s->guid != 0 ? s->guid : memprof_guid(s->name);
	size_t at = symtab_find(&w->names, guid, NULL);
	struct prof_span *old = at == SYMTAB_NONE ? NULL :
	    &w->names.symbols[at].name, name = s->name;

	if ((old != NULL && prof_span_compare(name, *old) >= 0) ||
	    !name_stands_for_guid(name, guid))
		return PROF_OK;
	if (old == NULL)
		return symtab_keep(&w->names, &w->arena, name, guid) ?
		    PROF_OK : err_memory(err);
	if (!arena_keep(&w->arena, &name))
		return err_memory(err);
	*old = name;
	return PROF_OK;
}

static enum prof_status
yaml_add_frame_names(struct yaml_writer *w, const struct prof_stack *s,
    struct prof_error *err)
{
	for (size_t i = 0; i < s->frames_size; i++) {
		const struct prof_frame *f = &s->frames[i];

		if (f->file.size != 0 || (f->flags & (PROF_FRAME_LINE |
		    PROF_FRAME_DISCRIMINATOR)) != 0)
			w->has_sources = true;
		if (f->function.name.size != 0 &&
		    yaml_add_name(w, &f->function, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
yaml_write_put(struct prof_writer *base, const struct prof_record *r,
    struct prof_error *err)
{
	struct yaml_writer *w = (struct yaml_writer *)base;

	if (r->kind == PROF_REC_PROFILE) {
		if (w->began)
			return err_set(err, PROF_E_MISMATCH,
			    "YAML holds one profile: use prof-merge");
		w->began = true;
		w->salvaged = (r->u.profile.flags & PROF_SALVAGED) != 0;
		if (r->u.profile.folded)
			memprof_build_fold(w->build);
		return PROF_OK;
	}
	if (r->kind == PROF_REC_END || r->kind == PROF_REC_NAME)
		return PROF_OK;
	if (r->kind == PROF_REC_RAW_COUNTERS)
		return err_set(err, PROF_E_UNSUPPORTED, "counters of a "
		    "correlated profile have no functions yet");
	if (!memprof_build_accepts(r->kind)) {
		w->others++;
		return PROF_OK;
	}
	if (r->kind == PROF_REC_STACK &&
	    yaml_add_frame_names(w, &r->u.stack, err) != PROF_OK)
		return PROF_FAIL;
	if (r->kind == PROF_REC_MEMPROF_FUNCTION && yaml_add_name(w,
	    &r->u.memprof_function.symbol, err) != PROF_OK)
		return PROF_FAIL;
	return memprof_build_put(w->build, r, err);
}

static void
yaml_put_function(struct yaml_writer *w, uint64_t guid, bool in_flow)
{
	struct prof_span name = symtab_name(&w->names, guid);

	if (name.data != NULL)
		yaml_put_string(&w->text, name, in_flow);
	else
		yaml_put_hex(&w->text, guid);
}

static void
yaml_put_frame(struct yaml_writer *w, const struct memprof_frame *f)
{
	struct yaml_text *t = &w->text;

	yaml_flow_begin(t, '{');
	yaml_flow_member(t);
	yaml_put(t, "Function: ");
	yaml_put_function(w, f->guid, true);
	yaml_flow_member(t);
	yaml_put(t, "LineOffset: ");
	yaml_put_number(t, f->line_offset);
	yaml_flow_member(t);
	yaml_put(t, "Column: ");
	yaml_put_number(t, f->column);
	yaml_flow_member(t);
	yaml_put(t, f->is_inline ? "IsInlineFrame: true" :
	    "IsInlineFrame: false");
	yaml_flow_end(t, '}');
}

/* Writes a stack as the first key of a list's item. */
static void
yaml_put_stack(struct yaml_writer *w, const char *key, uint32_t stack)
{
	const struct memprof_stack *s = &w->built.stacks[stack];
	struct yaml_text *t = &w->text;

	yaml_item(t, 8);
	if (s->size == 0) {
		yaml_key(t, key);
		yaml_put(t, "[]");
		return;
	}
	yaml_put(t, key);
	yaml_put(t, ":");
	for (uint32_t i = 0; i < s->size; i++) {
		yaml_item(t, 12);
		yaml_put_frame(w, &w->built.frames[s->frames[i]]);
	}
}

/* The histogram's address is written with its size; the histogram is not. */
static bool
yaml_shows_field(const struct prof_mib *m, unsigned field)
{
	return mib_has(m, field) || (field == PROF_MIB_ACCESS_HISTOGRAM &&
	    mib_has(m, PROF_MIB_ACCESS_HISTOGRAM_SIZE));
}

static void
yaml_put_mib(struct yaml_text *t, const struct prof_mib *m)
{
	yaml_line(t, 8);
	if ((m->fields >> 1) == 0) {
		yaml_key(t, "MemInfoBlock");
		yaml_put(t, "{}");
		return;
	}
	yaml_put(t, "MemInfoBlock:");
	for (unsigned i = 1; i < PROF_MIB_FIELDS; i++) {
		if (!yaml_shows_field(m, i))
			continue;
		yaml_line(t, 10);
		yaml_key(t, mib_fields[i].name);
		yaml_put_number(t, m->value[i]);
	}
}

static void
yaml_put_call(struct yaml_writer *w, const struct memprof_call *c)
{
	struct yaml_text *t = &w->text;

	yaml_put_stack(w, "Frames", c->stack);
	if (c->callees_size == 0)
		return;
	yaml_line(t, 8);
	yaml_key(t, "CalleeGuids");
	yaml_flow_begin(t, '[');
	for (size_t i = 0; i < c->callees_size; i++) {
		yaml_flow_member(t);
		yaml_put_function(w, c->callees[i], true);
	}
	yaml_flow_end(t, ']');
}

static void
yaml_put_record(struct yaml_writer *w, const struct memprof_record *r)
{
	struct yaml_text *t = &w->text;

	yaml_item(t, 4);
	yaml_key(t, "GUID");
	yaml_put_function(w, r->guid, false);
	if (r->allocs_size != 0) {
		yaml_line(t, 4);
		yaml_put(t, "AllocSites:");
	}
	for (size_t i = 0; i < r->allocs_size; i++) {
		yaml_put_stack(w, "Callstack", r->allocs[i].stack);
		yaml_put_mib(t, r->allocs[i].info);
	}
	if (r->calls_size != 0) {
		yaml_line(t, 4);
		yaml_put(t, "CallSites:");
	}
	for (size_t i = 0; i < r->calls_size; i++)
		yaml_put_call(w, &r->calls[i]);
}

/* Writes the text so far to the sink, so that it need not be in memory. */
static enum prof_status
yaml_flush(struct yaml_writer *w, struct prof_error *err)
{
	struct yaml_text *t = &w->text;
	enum prof_status status = t->out.failed ? err_memory(err) :
	    sink_write(&w->base, t->out.data, t->out.size, err);

	t->out.size = t->line = 0;
	return status;
}

static void
yaml_warn_losses(const struct yaml_writer *w)
{
	if (w->others != 0)
		warn_lost(w->base.context, "YAML holds heap profiles: %llu "
		    "other records are dropped",
		    (unsigned long long)w->others);
	if (w->has_sources)
		warn_lost(w->base.context, "YAML does not support source "
		    "files: they are dropped");
	if (w->built.histograms != 0)
		warn_lost(w->base.context, "YAML cannot hold access "
		    "histograms: dropped %llu",
		    (unsigned long long)w->built.histograms);
	if (w->salvaged)
		warn_lost(w->base.context, "YAML cannot say that a profile "
		    "was salvaged");
}

static enum prof_status
yaml_write_records(struct yaml_writer *w, struct prof_error *err)
{
	const struct memprof_built *b = &w->built;
	struct yaml_text *t = &w->text;

	if (b->records_size != 0) {
		yaml_line(t, 0);
		yaml_put(t, "HeapProfileRecords:");
	}
	for (uint32_t i = 0; i < b->records_size; i++) {
		yaml_put_record(w, &b->records[i]);
		if ((t->out.size >= FLUSH_SIZE || t->out.failed) &&
		    yaml_flush(w, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
yaml_write_finish(struct prof_writer *base, struct prof_error *err)
{
	struct yaml_writer *w = (struct yaml_writer *)base;
	const struct memprof_built *b = &w->built;

	if (!w->began)
		return err_set(err, PROF_E_FORMAT, "no profile");
	if (memprof_build_finish(w->build, &w->built, err) != PROF_OK)
		return PROF_FAIL;
	memprof_losses_warn(base->context, &b->losses);
	if (yaml_check_data(b, err) != PROF_OK)
		return PROF_FAIL;
	yaml_warn_losses(w);
	if (!yaml_write_summary(&w->text, b))
		return err_memory(err);
	if (b->records_size + b->accesses_size + b->cold_size == 0)
		yaml_put(&w->text, "\n{}");
	if (yaml_write_records(w, err) != PROF_OK)
		return PROF_FAIL;
	if (!yaml_write_data(&w->text, b, &w->arena))
		return err_memory(err);
	yaml_put(&w->text, "\n...\n");
	return yaml_flush(w, err);
}

static void
yaml_write_free(struct prof_writer *base)
{
	struct yaml_writer *w = (struct yaml_writer *)base;

	memprof_build_free(w->build);
	symtab_free(&w->names);
	arena_free(&w->arena);
	buf_free(&w->text.out);
}

static const struct writer_ops yaml_write_ops = {
	.size = sizeof(struct yaml_writer),
	.heap_only = true,
	.put = yaml_write_put,
	.finish = yaml_write_finish,
	.free = yaml_write_free,
};

struct prof_writer *
yaml_writer_new(struct prof_context *context, const struct prof_target *t,
    prof_sink *sink, void *arg, struct prof_error *err)
{
	struct yaml_writer *w = codec_writer_new(&yaml_write_ops, context,
	    sink, arg, err);

	(void)t;
	if (w == NULL)
		return NULL;
	w->build = memprof_build_new();
	if (w->build == NULL) {
		prof_writer_free(&w->base);
		err_memory(err);
		return NULL;
	}
	return &w->base;
}
