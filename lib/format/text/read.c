#include "config.h"

#include "format/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/digits.h"
#include "base/error.h"
#include "model/symtab.h"
#include "format/codec.h"

const struct text_flag text_flags[] = {
	{ "entry_first", PROF_ENTRY_FIRST, true,
	    "Always instrument the function entry block" },
	{ "not_entry_first", PROF_ENTRY_FIRST, false, NULL },
	{ "instrument_loop_entries", PROF_LOOP_ENTRIES, true,
	    "Always instrument the loop entry blocks" },
	{ "single_byte_coverage", PROF_BYTE_COVERAGE, true,
	    "Instrument block coverage" },
};
const size_t text_flag_count = sizeof(text_flags) / sizeof(text_flags[0]);

struct text_reader {
	struct prof_reader base;
	struct prof_span image;
	size_t pos;			/* behind the current line */
	uint64_t line_number;		/* of the current line */
	struct prof_span line;		/* without its end */
	bool at_end;			/* there is no current line */
	struct prof_header header;
	size_t traces_pos;		/* where the trace block begins, or 0 */
	uint64_t traces_line, traces_left;
	bool flags_done, functions_done, ended;
	struct symtab vtables;		/* that values name */
	size_t vtables_given;
	struct arena arena;
};

/*
 * Moves to the next line that is neither empty nor a comment; those are dropped
 * everywhere, also inside of records.
 */
static void
advance(struct text_reader *r)
{
	do {
		const uint8_t *p = r->image.data + r->pos;
		size_t left = r->image.size - r->pos;
		const uint8_t *end = left == 0 ? NULL : memchr(p, '\n', left);

		if (left == 0) {
			r->at_end = true;
			return;
		}
		r->line = (struct prof_span){ p, end == NULL ? left :
		    (size_t)(end - p) };
		r->pos += r->line.size + (end != NULL);
		r->line_number++;
		if (end > p && end[-1] == '\r')
			r->line.size--;
	} while (r->line.size == 0 || r->line.data[0] == '#');
}

static enum prof_status
fail(const struct text_reader *r, struct prof_error *err, const char *what)
{
	char shown[ERR_NAME_SIZE];

	if (r->at_end)
		return err_line(err, PROF_E_TRUNCATED, r->line_number,
		    "the file ends where %s should be", what);
	return err_line(err, PROF_E_CORRUPT, r->line_number,
	    "'%s' is not %s", err_name(shown, r->line), what);
}

static bool
parse_decimal(struct prof_span s, uint64_t max, uint64_t *out)
{
	return digits_parse(s, 10, max, out);
}

typedef bool parse_number(struct prof_span, uint64_t max, uint64_t *out);

/* Takes a line that is a number. */
static enum prof_status
take_number(struct text_reader *r, parse_number *parse, uint64_t max,
    const char *what, uint64_t *out, struct prof_error *err)
{
	if (r->at_end || !parse(r->line, max, out))
		return fail(r, err, what);
	advance(r);
	return PROF_OK;
}

/* A count of things that take at least 2 bytes each, in the bytes left. */
static enum prof_status
take_count(struct text_reader *r, parse_number *parse, uint64_t max,
    const char *what, uint64_t *out, struct prof_error *err)
{
	uint64_t line = r->line_number;
	size_t left;

	if (take_number(r, parse, max, what, out, err) != PROF_OK)
		return PROF_FAIL;
	left = r->image.size - r->pos + (r->at_end ? 0 : r->line.size);
	/* The last one needs no newline, and that of this line is gone. */
	if (*out > (left == 0 ? 0 : left / 2 + 1))
		return err_line(err, PROF_E_TRUNCATED, line,
		    "%s %llu exceeds the %zu bytes left", what,
		    (unsigned long long)*out, left);
	return PROF_OK;
}

/* The numbers before the traces; the traces are read when they are given. */
static enum prof_status
skip_traces(struct text_reader *r, struct prof_error *err)
{
	uint64_t count, seen;

	if (r->header.flags & PROF_TEMPORAL)
		return err_line(err, PROF_E_UNSUPPORTED, r->line_number,
		    "there are traces already");
	advance(r);
	if (take_count(r, digits_auto, UINT32_MAX, "a number of traces",
	    &count, err) != PROF_OK || take_number(r, digits_auto, UINT64_MAX,
	    "a trace stream size", &seen, err) != PROF_OK)
		return PROF_FAIL;
	r->header.flags |= PROF_TEMPORAL;
	r->header.has_trace_stream_size = true;
	r->header.trace_stream_size = seen;
	r->traces_left = count;
	r->traces_line = r->line_number;
	r->traces_pos = r->at_end ? r->image.size :
	    (size_t)(r->line.data - r->image.data);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t weight;

		if (take_number(r, digits_auto, UINT64_MAX,
		    "a trace's weight", &weight, err) != PROF_OK)
			return PROF_FAIL;
		if (r->at_end)
			return fail(r, err, "the functions of a trace");
		advance(r);
	}
	return PROF_OK;
}

static bool
word_is(struct prof_span word, const char *other)
{
	return word.size == strlen(other) && strncasecmp(
	    (const char *)word.data, other, word.size) == 0;
}

static enum prof_status
take_flag(struct text_reader *r, struct prof_error *err)
{
	struct prof_header *h = &r->header;
	struct prof_span word = { r->line.data + 1, r->line.size - 1 };

	for (size_t i = 0; i < text_flag_count; i++) {
		if (!word_is(word, text_flags[i].word))
			continue;
		if (text_flags[i].set)
			h->flags |= text_flags[i].flag;
		else
			h->flags &= ~text_flags[i].flag;
		advance(r);
		return PROF_OK;
	}
	if (word_is(word, "ir"))
		h->level = PROF_LEVEL_IR;
	else if (word_is(word, "fe")) {
		/* LLVM takes both flags, and then for IR. */
		if (h->level == PROF_LEVEL_UNKNOWN)
			h->level = PROF_LEVEL_FRONTEND;
	} else if (word_is(word, "csir")) {
		h->level = PROF_LEVEL_IR;
		h->flags |= PROF_CONTEXT_SENSITIVE;
	} else if (word_is(word, "temporal_prof_traces"))
		return skip_traces(r, err);
	else
		return fail(r, err, "a flag of text profiles");
	advance(r);
	return PROF_OK;
}

static enum prof_status
next_profile(struct text_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	advance(r);
	while (!r->at_end && r->line.data[0] == ':') {
		if (take_flag(r, err) != PROF_OK)
			return PROF_FAIL;
	}
	/* Without a flag the profile is the front end's, if it is anything. */
	if (r->header.level == PROF_LEVEL_UNKNOWN && !r->at_end)
		r->header.level = PROF_LEVEL_FRONTEND;
	r->flags_done = true;
	r->header.source.format = "text";
	out->kind = PROF_REC_PROFILE;
	out->u.profile = r->header;
	return PROF_OK;
}

static enum prof_status
take_counts(struct text_reader *r, struct prof_function *f,
    struct prof_error *err)
{
	uint64_t count, *counts, line = r->line_number;

	if (take_count(r, parse_decimal, UINT64_MAX, "a number of counters",
	    &count, err) != PROF_OK)
		return PROF_FAIL;
	if (count == 0)
		return err_line(err, PROF_E_CORRUPT, line,
		    "the number of counters is 0");
	counts = arena_array(&r->arena, (size_t)count, sizeof(*counts));
	if (counts == NULL)
		return err_memory(err);
	for (uint64_t i = 0; i < count; i++) {
		if (take_number(r, parse_decimal, UINT64_MAX, "a counter",
		    &counts[i], err) != PROF_OK)
			return PROF_FAIL;
	}
	f->counts = counts;
	f->counts_size = (size_t)count;
	return PROF_OK;
}

/* Without the blanks at both ends. */
static struct prof_span
trim(struct prof_span s)
{
	while (s.size > 0 && text_is_blank(s.data[0])) {
		s.data++;
		s.size--;
	}
	while (s.size > 0 && text_is_blank(s.data[s.size - 1]))
		s.size--;
	return s;
}

static enum prof_status
take_bitmap(struct text_reader *r, struct prof_function *f,
    struct prof_error *err)
{
	uint64_t count, byte;
	uint8_t *bytes;

	if (r->at_end || r->line.data[0] != '$')
		return PROF_OK;
	r->line = trim((struct prof_span){ r->line.data + 1,
	    r->line.size - 1 });
	if (take_count(r, digits_auto, UINT64_MAX, "a number of bitmap bytes",
	    &count, err) != PROF_OK)
		return PROF_FAIL;
	bytes = arena_alloc(&r->arena, (size_t)count);
	if (bytes == NULL)
		return err_memory(err);
	for (uint64_t i = 0; i < count; i++) {
		if (take_number(r, digits_auto, UINT8_MAX, "a bitmap byte",
		    &byte, err) != PROF_OK)
			return PROF_FAIL;
		bytes[i] = (uint8_t)byte;
	}
	f->bitmap = (struct prof_span){ bytes, (size_t)count };
	return PROF_OK;
}

static bool
is_external(struct prof_span name)
{
	static const char external[] = TEXT_EXTERNAL;

	return prof_span_equal(name, (struct prof_span){
	    (const uint8_t *)external, sizeof(external) - 1 });
}

/* VALUE:COUNT, split at the last colon. */
static enum prof_status
take_value(struct text_reader *r, enum prof_value_kind kind,
    struct prof_value *v, struct prof_error *err)
{
	const uint8_t *colon = r->at_end ? NULL :
	    memrchr(r->line.data, ':', r->line.size);
	struct prof_span value, count;

	if (colon == NULL)
		return fail(r, err, "VALUE:COUNT");
	value = (struct prof_span){ r->line.data,
	    (size_t)(colon - r->line.data) };
	count = (struct prof_span){ colon + 1,
	    r->line.size - value.size - 1 };
	*v = (struct prof_value){ 0 };
	if (!parse_decimal(count, UINT64_MAX, &v->count))
		return fail(r, err, "VALUE:COUNT with a decimal count");
	if (kind == PROF_MEM_OP_SIZE) {
		if (!parse_decimal(value, UINT64_MAX, &v->value))
			return fail(r, err, "SIZE:COUNT");
	} else if (value.size == 0) {
		return fail(r, err, "NAME:COUNT");
	} else if (!is_external(value)) {
		v->name = value;
		v->value = prof_guid(value);
		if (kind == PROF_VTABLE_TARGET &&
		    !symtab_add(&r->vtables, value, v->value))
			return err_memory(err);
	}
	advance(r);
	return PROF_OK;
}

static enum prof_status
take_site(struct text_reader *r, enum prof_value_kind kind,
    struct prof_site *site, struct prof_error *err)
{
	struct prof_value *values;
	uint64_t count;

	if (take_count(r, parse_decimal, UINT32_MAX, "a number of values",
	    &count, err) != PROF_OK)
		return PROF_FAIL;
	values = arena_array(&r->arena, (size_t)count, sizeof(*values));
	if (values == NULL)
		return err_memory(err);
	*site = (struct prof_site){ values, (size_t)count };
	for (uint64_t i = 0; i < count; i++) {
		if (take_value(r, kind, &values[i], err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* A kind may stand several times; its sites follow each other then. */
static enum prof_status
take_kind(struct text_reader *r, struct prof_function *f,
    struct prof_error *err)
{
	struct prof_site *sites;
	struct prof_sites old;
	uint64_t kind, count;

	if (take_number(r, parse_decimal, PROF_VALUE_KINDS - 1,
	    "a value kind from 0 to 2", &kind, err) != PROF_OK ||
	    take_count(r, parse_decimal, UINT32_MAX,
	    "a number of value sites", &count, err) != PROF_OK)
		return PROF_FAIL;
	old = f->values[kind];
	sites = arena_array(&r->arena, old.size + (size_t)count,
	    sizeof(*sites));
	if (sites == NULL)
		return err_memory(err);
	if (old.size != 0)
		memcpy(sites, old.sites, old.size * sizeof(*sites));
	for (uint64_t i = 0; i < count; i++) {
		if (take_site(r, (enum prof_value_kind)kind,
		    &sites[old.size + i], err) != PROF_OK)
			return PROF_FAIL;
	}
	f->values[kind] = (struct prof_sites){ sites,
	    old.size + (size_t)count };
	return PROF_OK;
}

/* A line that is a decimal number is the number of kinds, else a name. */
static enum prof_status
take_kinds(struct text_reader *r, struct prof_function *f,
    struct prof_error *err)
{
	uint64_t kinds;

	if (r->at_end || !parse_decimal(r->line, UINT32_MAX, &kinds))
		return PROF_OK;
	if (kinds == 0 || kinds > PROF_VALUE_KINDS)
		return fail(r, err, "a number of value kinds from 1 to 3");
	advance(r);
	for (uint64_t i = 0; i < kinds; i++) {
		if (take_kind(r, f, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
next_function(struct text_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct prof_function *f = &out->u.function;

	out->kind = PROF_REC_FUNCTION;
	*f = (struct prof_function){ .symbol.name = r->line };
	advance(r);
	if (take_number(r, digits_auto, UINT64_MAX, "a function's hash",
	    &f->hash, err) != PROF_OK || take_counts(r, f, err) != PROF_OK ||
	    take_bitmap(r, f, err) != PROF_OK)
		return PROF_FAIL;
	return take_kinds(r, f, err);
}

/* The names of a trace stand in one line; empty ones do not count. */
static enum prof_status
split_names(struct text_reader *r, struct prof_trace *t,
    struct prof_error *err)
{
	const uint8_t *p = r->line.data, *end = p + r->line.size;
	struct prof_symbol *functions;
	size_t commas = 0;

	for (size_t i = 0; i < r->line.size; i++)
		commas += p[i] == ',';
	functions = arena_array(&r->arena, commas + 1, sizeof(*functions));
	if (functions == NULL)
		return err_memory(err);
	t->functions = functions;
	while (p < end) {
		const uint8_t *comma = memchr(p, ',', (size_t)(end - p));
		const uint8_t *stop = comma == NULL ? end : comma;
		struct prof_span name = trim((struct prof_span){ p,
		    (size_t)(stop - p) });

		if (name.size != 0)
			functions[t->size++] = (struct prof_symbol){
			    .name = name };
		p = comma == NULL ? end : comma + 1;
	}
	return PROF_OK;
}

static enum prof_status
next_trace(struct text_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	/* The block was checked when the head was read. */
	if (r->traces_pos != 0) {
		r->pos = r->traces_pos;
		r->traces_pos = 0;
		r->line_number = r->traces_line - 1;
		r->at_end = false;
		advance(r);
	}
	r->traces_left--;
	out->kind = PROF_REC_TRACE;
	out->u.trace = (struct prof_trace){ 0 };
	if (take_number(r, digits_auto, UINT64_MAX, "a trace's weight",
	    &out->u.trace.weight, err) != PROF_OK ||
	    split_names(r, &out->u.trace, err) != PROF_OK)
		return PROF_FAIL;
	if (r->traces_left != 0)
		advance(r);
	return PROF_OK;
}

static enum prof_status
text_next(struct prof_reader *base, struct prof_record *out,
    struct prof_error *err)
{
	struct text_reader *r = (struct text_reader *)base;

	arena_reset(&r->arena);
	if (!r->flags_done)
		return next_profile(r, out, err);
	if (!r->at_end && !r->functions_done)
		return next_function(r, out, err);
	r->functions_done = true;
	if (r->vtables_given < r->vtables.size) {
		out->kind = PROF_REC_VTABLE;
		out->u.vtable = (struct prof_vtable){ .symbol =
		    r->vtables.symbols[r->vtables_given++] };
		return PROF_OK;
	}
	if (r->traces_left != 0)
		return next_trace(r, out, err);
	if (r->ended)
		return PROF_END;
	r->ended = true;
	out->kind = PROF_REC_END;
	return PROF_OK;
}

static void
text_close(struct prof_reader *base)
{
	struct text_reader *r = (struct text_reader *)base;

	arena_free(&r->arena);
	symtab_free(&r->vtables);
	free(r);
}

static const struct reader_ops text_reader_ops = {
	.next = text_next,
	.close = text_close,
};

struct prof_reader *
text_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	struct text_reader *r = calloc(1, sizeof(*r));

	if (r == NULL) {
		err_memory(err);
		return NULL;
	}
	r->base = (struct prof_reader){ .ops = &text_reader_ops,
	    .context = context };
	r->image = image;
	return &r->base;
}

bool
text_printable(struct prof_span first_bytes)
{
	size_t n = first_bytes.size < 8 ? first_bytes.size : 8;

	for (size_t i = 0; i < n; i++) {
		uint8_t c = first_bytes.data[i];

		if (!text_is_blank(c) && (c < 0x20 || c > 0x7e))
			return false;
	}
	return n != 0;
}

/*
 * LLVM takes every file that begins with 8 printable bytes for a text profile.
 * Among the members of an archive that would be every README, so this asks for
 * more: a flag first, or a name and a hash.
 */
bool
text_sniff(struct prof_span first_bytes)
{
	struct text_reader r = { .image = first_bytes };
	uint64_t hash;

	if (!text_printable(first_bytes))
		return false;
	advance(&r);
	if (r.at_end)
		return false;
	if (r.line.data[0] == ':')
		return true;
	advance(&r);
	return !r.at_end && digits_auto(r.line, UINT64_MAX, &hash);
}
