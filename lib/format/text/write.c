#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/numbers.h"
#include "format/codec.h"
#include "format/text/text.h"
#include "model/record.h"
#include "model/symtab.h"
#include "model/value_sites.h"

/*
 * Where a target's name stands in the text of the functions.  LLVM only knows
 * names of symbols that have a record in the same file: at the end, the names
 * of all other targets are replaced (TEXT_EXTERNAL).
 */
struct text_target {
	size_t at, size;		/* of the name, in the text */
	uint64_t guid;
};

struct text_writer {
	struct prof_writer base;
	bool no_vtable_names, no_byte_coverage;
	struct prof_header header;
	bool began, any_function;
	/* What a reader may expect in the next line. */
	bool bitmap_may_follow, kinds_may_follow;
	struct buf functions;		/* text */
	struct buf traces;		/* text */
	uint64_t trace_count;
	struct text_target *targets;
	size_t target_count, target_room;
	size_t name, name_size;		/* of the last function, in the text */
	uint64_t repeated;		/* bytes of names that are elsewhere */
	struct symtab names, vtables;	/* guids only */
	struct symtab named;		/* guids that values name */
	/* Dropped items, reported once at the end. */
	uint64_t external, cut, binary_ids, uniform, empty_traces;
	uint64_t nameless_steps;	/* functions of traces without a name */
	uint64_t others;
};

/* Appends a line with a number. */
static void
text_put_line(struct buf *b, const char *before, uint64_t n)
{
	buf_text(b, before);
	digits_append(b, n);
	buf_text(b, "\n");
}

static enum prof_status
text_refuse_name(struct prof_span name, const char *why, struct prof_error *err)
{
	char shown[ERR_NAME_SIZE];

	if (why == NULL)
		return PROF_OK;
	return err_set(err, PROF_E_UNSUPPORTED,
	    "text cannot hold the name %s: %s", err_name(shown, name), why);
}

/* Why a name cannot stand in a line of its own, or NULL. */
static const char *
text_name_problem(struct prof_span name)
{
	if (name.size == 0)
		return "it is empty";
	if (memchr(name.data, '\n', name.size) != NULL)
		return "it holds the end of a line";
	if (memchr(name.data, '\0', name.size) != NULL)
		return "it holds NUL, where LLVM stops reading";
	return name.data[0] == '#' ? "it would be a comment" : NULL;
}

/* Refuses names of functions that a reader would take for something else. */
static enum prof_status
text_check_name(const struct text_writer *w, struct prof_span name,
    struct prof_error *err)
{
	const char *why = text_name_problem(name);
	size_t digits = 0;

	while (digits < name.size && name.data[digits] >= '0' &&
	    name.data[digits] <= '9')
		digits++;
	if (why == NULL && name.data[name.size - 1] == '\r')
		why = "it holds the end of a line";
	if (why == NULL && name.data[0] == ':' && !w->any_function)
		why = "it would be a flag";
	if (why == NULL && name.data[0] == '$' && w->bitmap_may_follow)
		why = "it would be the head of a bitmap";
	if (why == NULL && digits == name.size && w->kinds_may_follow)
		why = "it would be a number";
	return text_refuse_name(name, why, err);
}

/* The bytes of a name if the function before has the same one. */
static size_t
text_repeated_name(const struct text_writer *w, struct prof_span name)
{
	return name.size != 0 && name.size == w->name_size &&
	    memcmp(w->functions.data + w->name, name.data, name.size) == 0 ?
	    name.size : 0;
}

/*
 * The text is in memory until the end.  Names of targets, and of functions that
 * have several hashes, are a part of it; what takes hundreds of times the rest
 * repeats a few long ones.
 */
static enum prof_status
text_check_repeated(const struct text_writer *w, const struct prof_function *f,
    struct prof_error *err)
{
	uint64_t limit = expansion_limit(w->functions.size - w->repeated);
	uint64_t more = record_names_of_targets(f) +
	    text_repeated_name(w, f->symbol.name);

	return w->repeated + more <= limit ? PROF_OK : err_set(err,
	    PROF_E_LIMIT, "repeated names take more than %llu bytes of the "
	    "text", (unsigned long long)limit);
}

static enum prof_status
text_put_value(struct text_writer *w, enum prof_value_kind kind,
    const struct prof_value *v, struct prof_error *err)
{
	struct text_target target = { w->functions.size, v->name.size,
	    v->value };

	if (kind == PROF_MEM_OP_SIZE) {
		digits_append(&w->functions, v->value);
	} else {
		if (!ARRAY_ADD(w->targets, w->target_count, w->target_room,
		    target))
			return err_memory(err);
		buf_put(&w->functions, v->name.data, v->name.size);
		w->repeated += v->name.size;
	}
	text_put_line(&w->functions, ":", v->count);
	return PROF_OK;
}

static enum prof_status
text_put_kind(struct text_writer *w, enum prof_value_kind kind,
    const struct prof_sites *sites, struct prof_error *err)
{
	buf_print(&w->functions,
	    "# ValueKind = %s:\n%d\n# NumValueSites:\n%zu\n",
	    words_value_kind_llvm[kind], (int)kind, sites->size);
	for (size_t i = 0; i < sites->size; i++) {
		size_t n = sites->sites[i].size;

		if (n > VALUES_SITE_MAX) {
			w->cut += n - VALUES_SITE_MAX;
			n = VALUES_SITE_MAX;
		}
		text_put_line(&w->functions, "", n);
		for (size_t k = 0; k < n; k++) {
			if (text_put_value(w, kind, &sites->sites[i].values[k],
			    err) != PROF_OK)
				return PROF_FAIL;
		}
	}
	return PROF_OK;
}

static enum prof_status
text_put_function(struct text_writer *w, const struct prof_function *f,
    struct prof_error *err)
{
	struct prof_span name = f->symbol.name;
	struct buf *b = &w->functions;
	int kinds = value_kinds_count(f->values);

	if (name.data == NULL) {
		w->base.written.nameless++;
		return PROF_OK;
	}
	if (text_check_name(w, name, err) != PROF_OK)
		return PROF_FAIL;
	if (f->counts_size == 0)
		return err_set(err, PROF_E_UNSUPPORTED,
		    "text cannot hold a function without counters");
	w->any_function = true;
	w->uniform += f->uniform_size != 0;
	if (!symtab_add(&w->names, (struct prof_span){ NULL, 0 },
	    prof_symbol_guid(&f->symbol)))
		return err_memory(err);
	w->repeated += text_repeated_name(w, name);
	w->name = b->size;
	w->name_size = name.size;
	buf_put(b, name.data, name.size);
	text_put_line(b, "\n# Func Hash:\n", f->hash);
	text_put_line(b, "# Num Counters:\n", f->counts_size);
	buf_text(b, "# Counter Values:\n");
	digits_append_many(b, f->counts, f->counts_size, "\n");
	if (f->bitmap.size != 0)
		buf_print(b, "# Num Bitmap Bytes:\n$%zu\n# Bitmap Byte "
		    "Values:\n", f->bitmap.size);
	for (size_t i = 0; i < f->bitmap.size; i++)
		buf_print(b, "0x%x\n", f->bitmap.data[i]);
	if (f->bitmap.size != 0)
		buf_text(b, "\n");
	if (kinds != 0)
		buf_print(b, "# Num Value Kinds:\n%d\n", kinds);
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		if (f->values[k].size != 0 && text_put_kind(w,
		    (enum prof_value_kind)k, &f->values[k], err) != PROF_OK)
			return PROF_FAIL;
	}
	buf_text(b, "\n");
	w->kinds_may_follow = kinds == 0;
	w->bitmap_may_follow = kinds == 0 && f->bitmap.size == 0;
	return b->failed ? err_memory(err) : PROF_OK;
}

/*
 * Text has no records of vtables: the guid only lets targets keep their names.
 */
static enum prof_status
text_put_vtable(struct text_writer *w, const struct prof_symbol *s,
    struct prof_error *err)
{
	if (w->no_vtable_names || s->name.data == NULL)
		return PROF_OK;
	if (text_refuse_name(s->name, text_name_problem(s->name), err) !=
	    PROF_OK)
		return PROF_FAIL;
	return symtab_add(&w->vtables, (struct prof_span){ NULL, 0 },
	    prof_symbol_guid(s)) ? PROF_OK : err_memory(err);
}

/* A trace's line is split at commas, and blanks around names are cut off. */
static enum prof_status
text_put_trace(struct text_writer *w, const struct prof_trace *t,
    struct prof_error *err)
{
	char shown[ERR_NAME_SIZE];
	size_t named = 0;

	if (!(w->header.flags & PROF_TEMPORAL))
		return err_set(err, PROF_E_UNSUPPORTED,
		    "text cannot hold a trace in a profile that is not "
		    "temporal");
	for (size_t i = 0; i < t->size; i++)
		named += t->functions[i].name.data != NULL;
	w->nameless_steps += t->size - named;
	if (named == 0) {
		w->empty_traces++;
		return PROF_OK;
	}
	w->trace_count++;
	buf_print(&w->traces, "# Weight:\n%" PRIu64 "\n", t->weight);
	for (size_t i = 0; i < t->size; i++) {
		struct prof_span n = t->functions[i].name;

		if (n.data == NULL)
			continue;
		if (text_name_problem(n) != NULL ||
		    memchr(n.data, ',', n.size) != NULL ||
		    text_is_blank(n.data[0]) ||
		    text_is_blank(n.data[n.size - 1]))
			return err_set(err, PROF_E_UNSUPPORTED, "text cannot "
			    "hold the name '%s' in a trace",
			    err_name(shown, n));
		buf_put(&w->traces, n.data, n.size);
		buf_print(&w->traces, ",");
	}
	buf_print(&w->traces, "\n");
	return w->traces.failed ? err_memory(err) : PROF_OK;
}

static enum prof_status
text_put_profile(struct text_writer *w, const struct prof_header *h,
    struct prof_error *err)
{
	if (w->began)
		return err_set(err, PROF_E_MISMATCH,
		    "text holds one profile: use prof-merge");
	if (h->kind != PROF_INSTR)
		return err_set(err, PROF_E_UNSUPPORTED,
		    "text cannot hold heap profiles");
	if (h->level == PROF_LEVEL_FRONTEND &&
	    h->flags & PROF_CONTEXT_SENSITIVE)
		return err_set(err, PROF_E_UNSUPPORTED, "text cannot hold "
		    "context-sensitive records of the front end");
	w->began = true;
	w->header = *h;
	return PROF_OK;
}

static enum prof_status
text_put(struct prof_writer *base, const struct prof_record *r,
    struct prof_error *err)
{
	struct text_writer *w = (struct text_writer *)base;

	switch (r->kind) {
	case PROF_REC_PROFILE:
		return text_put_profile(w, &r->u.profile, err);
	case PROF_REC_FUNCTION:
		return text_check_repeated(w, &r->u.function, err) == PROF_OK ?
		    text_put_function(w, &r->u.function, err) : PROF_FAIL;
	case PROF_REC_TRACE:
		return text_put_trace(w, &r->u.trace, err);
	case PROF_REC_VTABLE:
		return text_put_vtable(w, &r->u.vtable.symbol, err);
	case PROF_REC_BINARY:
		w->binary_ids++;
		return PROF_OK;
	case PROF_REC_RAW_COUNTERS:
		return err_set(err, PROF_E_UNSUPPORTED, "counters of a "
		    "correlated profile have no functions yet: run "
		    "prof-symbolize");
	case PROF_REC_NAME:
	case PROF_REC_END:
		return PROF_OK;
	default:
		w->others++;
		return PROF_OK;
	}
}

/*
 * Whether readers recognise the text by its first bytes, without any flag.
 * LLVM 20 and later take a file that begins with "---" for YAML
 * (YAMLMemProfReader::hasFormat in MemProfReader.cpp).
 */
static bool
text_is_recognised(const struct text_writer *w)
{
	static const struct prof_span yaml = { (const uint8_t *)"---", 3 };
	struct prof_span text = buf_span(&w->functions);

	return text.size == 0 ||
	    (text_printable(text) && !json_text_begins_object(text) &&
	    !prof_span_begins_in(text, &yaml, 1));
}

static enum prof_status
text_write_head(struct text_writer *w, struct prof_error *err)
{
	struct prof_header *h = &w->header;
	unsigned hidden = w->no_byte_coverage ? PROF_BYTE_COVERAGE : 0;
	uint64_t seen = h->has_trace_stream_size ? h->trace_stream_size :
	    w->trace_count;
	enum prof_status status;
	struct buf b = { 0 };

	/* The context-sensitive flag implies IR. */
	if (h->flags & PROF_CONTEXT_SENSITIVE)
		buf_print(&b, "# CSIR level Instrumentation Flag\n:csir\n");
	else if (h->level == PROF_LEVEL_IR)
		buf_print(&b, "# IR level Instrumentation Flag\n:ir\n");
	for (size_t i = 0; i < text_flag_count; i++) {
		if (h->flags & ~hidden & text_flags[i].flag &&
		    text_flags[i].comment != NULL)
			buf_print(&b, "# %s\n:%s\n", text_flags[i].comment,
			    text_flags[i].word);
	}
	if (b.size == 0 && !text_is_recognised(w))
		buf_print(&b, "# Front-end Instrumentation Flag\n:fe\n");
	if (h->flags & PROF_TEMPORAL) {
		buf_print(&b, ":temporal_prof_traces\n"
		    "# Num Temporal Profile Traces:\n%" PRIu64 "\n"
		    "# Temporal Profile Trace Stream Size:\n%" PRIu64 "\n",
		    w->trace_count, seen);
		buf_put(&b, w->traces.data, w->traces.size);
		buf_print(&b, "\n");
	}
	status = b.failed ? err_memory(err) :
	    sink_write(&w->base, b.data, b.size, err);
	buf_free(&b);
	return status;
}

static bool
text_has_guid(const struct symtab *t, uint64_t guid)
{
	return symtab_find(t, guid, NULL) != SYMTAB_NONE;
}

/* The functions, with the names of targets that have no record replaced. */
static enum prof_status
text_write_functions(struct text_writer *w, struct prof_error *err)
{
	size_t done = 0;

	for (size_t i = 0; i < w->target_count; i++) {
		const struct text_target *t = &w->targets[i];

		if (t->size != 0 && (text_has_guid(&w->names, t->guid) ||
		    text_has_guid(&w->vtables, t->guid))) {
			if (!symtab_add(&w->named, (struct prof_span){ NULL,
			    0 }, t->guid))
				return err_memory(err);
			continue;
		}
		w->external += t->guid != 0;
		if (sink_write(&w->base, w->functions.data + done,
		    t->at - done, err) != PROF_OK ||
		    sink_write(&w->base, TEXT_EXTERNAL,
		    sizeof(TEXT_EXTERNAL) - 1, err) != PROF_OK)
			return PROF_FAIL;
		done = t->at + t->size;
	}
	return done == w->functions.size ? PROF_OK : sink_write(&w->base,
	    w->functions.data + done, w->functions.size - done, err);
}

static void
text_warn_lost(const struct text_writer *w, uint64_t n, const char *what)
{
	if (n != 0)
		warn_lost(w->base.context, "text cannot hold %s: dropped "
		    "%llu", what, (unsigned long long)n);
}

static void
text_warn_losses(const struct text_writer *w)
{
	struct prof_context *context = w->base.context;
	uint64_t vtables = 0;

	/* Vtables have no records of their own in text. */
	for (size_t i = 0; i < w->vtables.size; i++)
		vtables += !text_has_guid(&w->named,
		    w->vtables.symbols[i].guid);
	text_warn_lost(w, w->external,
	    "targets that have no record of their own");
	text_warn_lost(w, vtables, "vtables that are not targets");
	text_warn_lost(w, w->cut, "more than 255 values at a site");
	text_warn_lost(w, w->binary_ids, "binary ids");
	text_warn_lost(w, w->uniform, "uniform counters");
	writer_warn_nameless(&w->base, "text");
	text_warn_lost(w, w->empty_traces, "traces without functions");
	text_warn_lost(w, w->nameless_steps, "functions of traces that have no "
	    "name");
	text_warn_lost(w, w->others, "records of unknown types");
	text_warn_lost(w, w->header.wave_size, "a wave size");
	if (w->header.flags & PROF_FUNCTION_ENTRY_ONLY)
		warn_lost(context, "text cannot say that only function "
		    "entries were instrumented");
	if (w->header.flags & PROF_SALVAGED)
		warn_lost(context, "text cannot say that a profile was "
		    "salvaged");
}

static enum prof_status
text_finish(struct prof_writer *base, struct prof_error *err)
{
	struct text_writer *w = (struct text_writer *)base;

	if (!w->began)
		return err_set(err, PROF_E_FORMAT, "no profile");
	if (text_write_head(w, err) != PROF_OK ||
	    text_write_functions(w, err) != PROF_OK)
		return PROF_FAIL;
	text_warn_losses(w);
	return PROF_OK;
}

static void
text_free(struct prof_writer *base)
{
	struct text_writer *w = (struct text_writer *)base;

	buf_free(&w->functions);
	buf_free(&w->traces);
	symtab_free(&w->names);
	symtab_free(&w->vtables);
	symtab_free(&w->named);
	free(w->targets);
}

static const struct writer_ops text_ops = {
	.size = sizeof(struct text_writer),
	.put = text_put,
	.finish = text_finish,
	.free = text_free,
};

struct prof_writer *
text_writer_new(struct prof_context *context, const struct prof_target *t,
    prof_sink *sink, void *arg, struct prof_error *err)
{
	struct text_writer *w = codec_writer_new(&text_ops, context, sink,
	    arg, err);

	if (w == NULL)
		return NULL;
	w->no_vtable_names = t->no_vtable_names;
	w->no_byte_coverage = t->no_byte_coverage;
	return &w->base;
}
