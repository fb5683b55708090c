#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"
#include "model/symtab.h"
#include "format/codec.h"
#include "format/text/text.h"

/*
 * Lines of a text profile, and the numbers in them.  Empty lines and comments,
 * which begin with '#', do not count anywhere, not even inside of a record.
 */

/* Before the first call of text_lines_next there is no current line. */
struct text_lines {
	struct prof_span image;
	size_t pos;			/* behind the current line */
	uint64_t number;		/* of the current line, from 1 */
	struct prof_span line;		/* the current one, without its end */
	bool at_end;			/* there is no current line */
};

/* Inlined: there is a line for each counter. */
static inline void
text_lines_next(struct text_lines *l)
{
	do {
		const uint8_t *p = l->image.data + l->pos;
		size_t left = l->image.size - l->pos;
		const uint8_t *end = left == 0 ? NULL : memchr(p, '\n', left);

		if (left == 0) {
			l->at_end = true;
			return;
		}
		l->line = (struct prof_span){ p, end == NULL ? left :
		    (size_t)(end - p) };
		l->pos += l->line.size + (end != NULL);
		l->number++;
		if (end > p && end[-1] == '\r')
			l->line.size--;
	} while (l->line.size == 0 || l->line.data[0] == '#');
}

typedef bool text_parse(struct prof_span, uint64_t max, uint64_t *out);

static bool
text_decimal(struct prof_span s, uint64_t max, uint64_t *out)
{
	return digits_parse(s, 10, max, out);
}

/* What a number is called in errors, how it is written, and its limit. */
struct text_number {
	const char *what;
	text_parse *parse;
	uint64_t max;
};

/* Fails because the current line is not `what`, or because there is none. */
static enum prof_status
text_lines_err(const struct text_lines *l, struct prof_error *err,
    const char *what)
{
	char shown[ERR_NAME_SIZE];

	if (l->at_end)
		return err_line(err, PROF_E_TRUNCATED, l->number,
		    "the file ends where %s should be", what);
	return err_line(err, PROF_E_CORRUPT, l->number,
	    "'%s' is not %s", err_name(shown, l->line), what);
}

/* Reads the current line as a number, and moves to the next one. */
static enum prof_status
text_lines_number(struct text_lines *l, const struct text_number *n,
    uint64_t *out, struct prof_error *err)
{
	if (l->at_end || !n->parse(l->line, n->max, out))
		return text_lines_err(l, err, n->what);
	text_lines_next(l);
	return PROF_OK;
}

/* Reads the number of items that take 2 bytes of the input at least. */
static enum prof_status
text_lines_count(struct text_lines *l, const struct text_number *n,
    uint64_t *out, struct prof_error *err)
{
	uint64_t line = l->number;
	size_t left;

	if (text_lines_number(l, n, out, err) != PROF_OK)
		return PROF_FAIL;
	left = l->image.size - l->pos + (l->at_end ? 0 : l->line.size);
	/* The last one needs no newline, and that of this line is gone. */
	if (*out > (left == 0 ? 0 : left / 2 + 1))
		return err_line(err, PROF_E_TRUNCATED, line,
		    "%s %llu exceeds the %zu bytes left", n->what,
		    (unsigned long long)*out, left);
	return PROF_OK;
}

/* Recognising a text profile by its first bytes. */

static bool
text_is_all_blank(struct prof_span s)
{
	size_t i = 0;

	while (i < s.size && text_is_blank(s.data[i]))
		i++;
	return i == s.size;
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

/* Of a member of an archive, at least so many bytes are given (io/input.h). */
enum { FIRST_BYTES = 512 };

static bool
text_is_letter(uint8_t c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/*
 * Whether a line is a name that takes most of the first bytes, so that the hash
 * may be behind them.  Long names are mangled ones, perhaps with a file before
 * them; a README has blanks in so long a line.
 */
static bool
text_is_long_name(struct prof_span line)
{
	static const char others[] = "_.$:;/-";

	for (size_t i = 0; i < line.size; i++) {
		uint8_t c = line.data[i];

		if (!(c >= '0' && c <= '9') && !text_is_letter(c) &&
		    memchr(others, c, sizeof(others) - 1) == NULL)
			return false;
	}
	return line.size > FIRST_BYTES / 2;
}

/*
 * LLVM takes every file that begins with 8 printable bytes for a text profile.
 * Among the members of an archive that would be every README, so this asks for
 * more: a flag first (a colon without a letter behind it is a command of shell
 * scripts), or a name and a hash, or a name so long that the hash is not among
 * the first bytes.
 */
bool
text_sniff(struct prof_span first_bytes)
{
	struct text_lines l = { .image = first_bytes };
	struct prof_span name;
	uint64_t hash;

	if (!text_printable(first_bytes) || text_is_all_blank(first_bytes))
		return false;
	text_lines_next(&l);
	if (l.at_end)
		return false;
	if (l.line.data[0] == ':')
		return l.line.size > 1 && text_is_letter(l.line.data[1]);
	name = l.line;
	text_lines_next(&l);
	if (l.at_end)
		return first_bytes.size >= FIRST_BYTES &&
		    text_is_long_name(name);
	return digits_auto(l.line, UINT64_MAX, &hash);
}

/* Follows the reason if the first function was not read. */
#define TEXT_DOUBT ": no profile, or a damaged one"

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

/* The numbers of a profile, what errors call them, and their limits. */
static const struct text_number text_traces_count = {
	"a number of traces", digits_auto, UINT32_MAX
};
static const struct text_number text_trace_stream_size = {
	"a trace stream size", digits_auto, UINT64_MAX
};
static const struct text_number text_trace_weight = {
	"a trace's weight", digits_auto, UINT64_MAX
};
static const struct text_number text_counters_count = {
	"a number of counters", text_decimal, UINT64_MAX
};
static const struct text_number text_counter = {
	"a counter", text_decimal, UINT64_MAX
};
static const struct text_number text_bitmap_bytes_count = {
	"a number of bitmap bytes", digits_auto, UINT64_MAX
};
static const struct text_number text_bitmap_byte = {
	"a bitmap byte", digits_auto, UINT8_MAX
};
static const struct text_number text_values_count = {
	"a number of values", text_decimal, UINT32_MAX
};
static const struct text_number text_value_kind = {
	"a value kind from 0 to 2", text_decimal, PROF_VALUE_KINDS - 1
};
static const struct text_number text_value_sites_count = {
	"a number of value sites", text_decimal, UINT32_MAX
};
static const struct text_number text_function_hash = {
	"a function's hash", digits_auto, UINT64_MAX
};

struct text_reader {
	struct prof_reader base;
	struct text_lines lines;
	struct prof_header header;
	size_t traces_pos;		/* where the trace block begins, or 0 */
	uint64_t traces_line, traces_left;
	bool recognised;	/* a flag or a function has been read */
	bool flags_done, functions_done, ended;
	struct symtab vtables;		/* that values name */
	size_t vtables_given;
	struct arena arena;
};

/* Checks the traces and skips them: they are returned behind the functions. */
static enum prof_status
text_skip_traces(struct text_reader *r, struct prof_error *err)
{
	uint64_t count, seen;

	if (r->header.flags & PROF_TEMPORAL)
		return err_line(err, PROF_E_UNSUPPORTED, r->lines.number,
		    "there are traces already");
	text_lines_next(&r->lines);
	if (text_lines_count(&r->lines, &text_traces_count, &count, err) !=
	    PROF_OK ||
	    text_lines_number(&r->lines, &text_trace_stream_size, &seen, err) !=
	    PROF_OK)
		return PROF_FAIL;
	r->header.flags |= PROF_TEMPORAL;
	r->header.has_trace_stream_size = true;
	r->header.trace_stream_size = seen;
	r->traces_left = count;
	r->traces_line = r->lines.number;
	r->traces_pos = r->lines.at_end ? r->lines.image.size :
	    (size_t)(r->lines.line.data - r->lines.image.data);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t weight;

		if (text_lines_number(&r->lines, &text_trace_weight, &weight,
		    err) != PROF_OK)
			return PROF_FAIL;
		if (r->lines.at_end)
			return text_lines_err(&r->lines, err,
			    "the functions of a trace");
		text_lines_next(&r->lines);
	}
	return PROF_OK;
}

static bool
text_word_is(struct prof_span word, const char *other)
{
	return word.size == strlen(other) && strncasecmp(
	    (const char *)word.data, other, word.size) == 0;
}

static enum prof_status
text_read_flag(struct text_reader *r, struct prof_error *err)
{
	struct prof_header *h = &r->header;
	struct prof_span word = { r->lines.line.data + 1,
	    r->lines.line.size - 1 };

	for (size_t i = 0; i < text_flag_count; i++) {
		if (!text_word_is(word, text_flags[i].word))
			continue;
		if (text_flags[i].set)
			h->flags |= text_flags[i].flag;
		else
			h->flags &= ~text_flags[i].flag;
		text_lines_next(&r->lines);
		return PROF_OK;
	}
	if (text_word_is(word, "ir"))
		h->level = PROF_LEVEL_IR;
	else if (text_word_is(word, "fe")) {
		/* With both flags, LLVM takes the profile for IR. */
		if (h->level == PROF_LEVEL_UNKNOWN)
			h->level = PROF_LEVEL_FRONTEND;
	} else if (text_word_is(word, "csir")) {
		h->level = PROF_LEVEL_IR;
		h->flags |= PROF_CONTEXT_SENSITIVE;
	} else if (text_word_is(word, "temporal_prof_traces"))
		return text_skip_traces(r, err);
	else
		return text_lines_err(&r->lines, err,
		    "a flag of text profiles");
	text_lines_next(&r->lines);
	return PROF_OK;
}

static enum prof_status
text_next_profile(struct text_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	text_lines_next(&r->lines);
	while (!r->lines.at_end && r->lines.line.data[0] == ':') {
		if (text_read_flag(r, err) != PROF_OK)
			return PROF_FAIL;
		r->recognised = true;
	}
	/* Without a flag, a profile that has functions is of the front end. */
	if (r->header.level == PROF_LEVEL_UNKNOWN && !r->lines.at_end)
		r->header.level = PROF_LEVEL_FRONTEND;
	r->flags_done = true;
	r->header.source.format = "text";
	out->kind = PROF_REC_PROFILE;
	out->u.profile = r->header;
	return PROF_OK;
}

static enum prof_status
text_read_counts(struct text_reader *r, struct prof_function *f,
    struct prof_error *err)
{
	uint64_t count, *counts, line = r->lines.number;

	if (text_lines_count(&r->lines, &text_counters_count, &count, err) !=
	    PROF_OK)
		return PROF_FAIL;
	if (count == 0)
		return err_line(err, PROF_E_CORRUPT, line,
		    "the number of counters is 0");
	counts = arena_array(&r->arena, (size_t)count, sizeof(*counts));
	if (counts == NULL)
		return err_memory(err);
	for (uint64_t i = 0; i < count; i++) {
		if (text_lines_number(&r->lines, &text_counter, &counts[i],
		    err) != PROF_OK)
			return PROF_FAIL;
	}
	f->counts = counts;
	f->counts_size = (size_t)count;
	return PROF_OK;
}

/* Removes blanks at both ends. */
static struct prof_span
text_trim(struct prof_span s)
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
text_read_bitmap(struct text_reader *r, struct prof_function *f,
    struct prof_error *err)
{
	uint64_t count, byte;
	uint8_t *bytes;

	if (r->lines.at_end || r->lines.line.data[0] != '$')
		return PROF_OK;
	r->lines.line = text_trim((struct prof_span){ r->lines.line.data + 1,
	    r->lines.line.size - 1 });
	if (text_lines_count(&r->lines, &text_bitmap_bytes_count, &count,
	    err) != PROF_OK)
		return PROF_FAIL;
	bytes = arena_alloc(&r->arena, (size_t)count);
	if (bytes == NULL)
		return err_memory(err);
	for (uint64_t i = 0; i < count; i++) {
		if (text_lines_number(&r->lines, &text_bitmap_byte, &byte,
		    err) != PROF_OK)
			return PROF_FAIL;
		bytes[i] = (uint8_t)byte;
	}
	f->bitmap = (struct prof_span){ bytes, (size_t)count };
	return PROF_OK;
}

/* Reads VALUE:COUNT, split at the last colon. */
static enum prof_status
text_read_value(struct text_reader *r, enum prof_value_kind kind,
    struct prof_value *v, struct prof_error *err)
{
	const uint8_t *colon = r->lines.at_end ? NULL :
	    memrchr(r->lines.line.data, ':', r->lines.line.size);
	struct prof_span value, count;

	if (colon == NULL)
		return text_lines_err(&r->lines, err, "VALUE:COUNT");
	value = (struct prof_span){ r->lines.line.data,
	    (size_t)(colon - r->lines.line.data) };
	count = (struct prof_span){ colon + 1,
	    r->lines.line.size - value.size - 1 };
	*v = (struct prof_value){ 0 };
	if (!text_decimal(count, UINT64_MAX, &v->count))
		return text_lines_err(&r->lines, err,
		    "VALUE:COUNT with a decimal count");
	if (kind == PROF_MEM_OP_SIZE) {
		if (!text_decimal(value, UINT64_MAX, &v->value))
			return text_lines_err(&r->lines, err, "SIZE:COUNT");
	} else if (value.size == 0) {
		return text_lines_err(&r->lines, err, "NAME:COUNT");
	} else if (!prof_span_equal(value, span_of_text(TEXT_EXTERNAL))) {
		v->name = value;
		v->value = codec_target_guid(r->base.context, value);
		if (kind == PROF_VTABLE_TARGET &&
		    !symtab_add(&r->vtables, value, v->value))
			return err_memory(err);
	}
	text_lines_next(&r->lines);
	return PROF_OK;
}

static enum prof_status
text_read_site(struct text_reader *r, enum prof_value_kind kind,
    struct prof_site *site, struct prof_error *err)
{
	struct prof_value *values;
	uint64_t count;

	if (text_lines_count(&r->lines, &text_values_count, &count, err) !=
	    PROF_OK)
		return PROF_FAIL;
	values = arena_array(&r->arena, (size_t)count, sizeof(*values));
	if (values == NULL)
		return err_memory(err);
	*site = (struct prof_site){ values, (size_t)count };
	for (uint64_t i = 0; i < count; i++) {
		if (text_read_value(r, kind, &values[i], err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* A kind may occur several times; its sites are then concatenated. */
static enum prof_status
text_read_kind(struct text_reader *r, struct prof_function *f,
    struct prof_error *err)
{
	struct prof_site *sites;
	struct prof_sites old;
	uint64_t kind, count;

	if (text_lines_number(&r->lines, &text_value_kind, &kind, err) !=
	    PROF_OK ||
	    text_lines_count(&r->lines, &text_value_sites_count, &count, err) !=
	    PROF_OK)
		return PROF_FAIL;
	old = f->values[kind];
	sites = arena_array(&r->arena, old.size + (size_t)count,
	    sizeof(*sites));
	if (sites == NULL)
		return err_memory(err);
	if (old.size != 0)
		memcpy(sites, old.sites, old.size * sizeof(*sites));
	for (uint64_t i = 0; i < count; i++) {
		if (text_read_site(r, (enum prof_value_kind)kind,
		    &sites[old.size + i], err) != PROF_OK)
			return PROF_FAIL;
	}
	f->values[kind] = (struct prof_sites){ sites,
	    old.size + (size_t)count };
	return PROF_OK;
}

/* Any file of printable bytes is read as text, and fails at the first hash. */
static enum prof_status
text_read_hash(struct text_reader *r, uint64_t *hash, struct prof_error *err)
{
	enum prof_status status =
	    text_lines_number(&r->lines, &text_function_hash, hash, err);
	size_t size;

	if (status != PROF_OK && !r->recognised && err != NULL) {
		size = strlen(err->reason);
		snprintf(err->reason + size, sizeof(err->reason) - size, "%s",
		    TEXT_DOUBT);
	}
	r->recognised = true;
	return status;
}

static enum prof_status
text_next_function(struct text_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct prof_function *f = &out->u.function;
	uint64_t kinds;

	out->kind = PROF_REC_FUNCTION;
	*f = (struct prof_function){ .symbol.name = r->lines.line };
	text_lines_next(&r->lines);
	if (text_read_hash(r, &f->hash, err) != PROF_OK ||
	    text_read_counts(r, f, err) != PROF_OK ||
	    text_read_bitmap(r, f, err) != PROF_OK)
		return PROF_FAIL;
	/* A line that is a decimal number is that of the kinds, else a name. */
	if (r->lines.at_end || !text_decimal(r->lines.line, UINT32_MAX, &kinds))
		return PROF_OK;
	if (kinds == 0 || kinds > PROF_VALUE_KINDS)
		return text_lines_err(&r->lines, err,
		    "a number of value kinds from 1 to 3");
	text_lines_next(&r->lines);
	for (uint64_t i = 0; i < kinds; i++) {
		if (text_read_kind(r, f, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/*
 * The names of a trace stand in one line, split at commas; empty ones are
 * skipped.
 */
static enum prof_status
text_split_names(struct text_reader *r, struct prof_trace *t,
    struct prof_error *err)
{
	const uint8_t *p = r->lines.line.data, *end = p + r->lines.line.size;
	struct prof_symbol *functions;
	size_t commas = 0;

	for (size_t i = 0; i < r->lines.line.size; i++)
		commas += p[i] == ',';
	functions = arena_array(&r->arena, commas + 1, sizeof(*functions));
	if (functions == NULL)
		return err_memory(err);
	t->functions = functions;
	while (p < end) {
		const uint8_t *comma = memchr(p, ',', (size_t)(end - p));
		const uint8_t *stop = comma == NULL ? end : comma;
		struct prof_span name = text_trim((struct prof_span){ p,
		    (size_t)(stop - p) });

		if (name.size != 0)
			functions[t->size++] = (struct prof_symbol){
			    .name = name };
		p = comma == NULL ? end : comma + 1;
	}
	return PROF_OK;
}

static enum prof_status
text_next_trace(struct text_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	/* The block was checked when the head was read. */
	if (r->traces_pos != 0) {
		r->lines.pos = r->traces_pos;
		r->traces_pos = 0;
		r->lines.number = r->traces_line - 1;
		r->lines.at_end = false;
		text_lines_next(&r->lines);
	}
	r->traces_left--;
	out->kind = PROF_REC_TRACE;
	out->u.trace = (struct prof_trace){ 0 };
	if (text_lines_number(&r->lines, &text_trace_weight,
	    &out->u.trace.weight, err) != PROF_OK ||
	    text_split_names(r, &out->u.trace, err) != PROF_OK)
		return PROF_FAIL;
	if (r->traces_left != 0)
		text_lines_next(&r->lines);
	return PROF_OK;
}

static enum prof_status
text_next(struct prof_reader *base, struct prof_record *out,
    struct prof_error *err)
{
	struct text_reader *r = (struct text_reader *)base;

	arena_reset(&r->arena);
	if (!r->flags_done)
		return text_next_profile(r, out, err);
	if (!r->lines.at_end && !r->functions_done)
		return text_next_function(r, out, err);
	r->functions_done = true;
	if (r->vtables_given < r->vtables.size) {
		out->kind = PROF_REC_VTABLE;
		out->u.vtable = (struct prof_vtable){ .symbol =
		    r->vtables.symbols[r->vtables_given++] };
		return PROF_OK;
	}
	if (r->traces_left != 0)
		return text_next_trace(r, out, err);
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
}

static const struct reader_ops text_reader_ops = {
	.size = sizeof(struct text_reader),
	.next = text_next,
	.close = text_close,
};

/*
 * A number that was cut is a number too.  Every writer, LLVM's too, ends the
 * last line with a newline; only a comment is complete without one.
 */
static enum prof_status
text_check_end(struct prof_span image, struct prof_error *err)
{
	size_t line = image.size;
	uint64_t number = 1;

	while (line > 0 && image.data[line - 1] != '\n')
		line--;
	if (line == image.size || image.data[line] == '#')
		return PROF_OK;
	for (size_t i = 0; i < line; i++)
		number += image.data[i] == '\n';
	return err_line(err, PROF_E_TRUNCATED, number,
	    "no newline ends the last line, which may have been cut%s",
	    text_sniff(image) ? "" : TEXT_DOUBT);
}

/* Refuses what LLVM would read as text up to the first hash. */
static enum prof_status
text_check(struct prof_span image, struct prof_error *err)
{
	const char *kind = text_sniff(image) ? NULL : file_kind(image);

	if (text_is_all_blank(image))
		return err_set(err, PROF_E_FORMAT,
		    "only blank lines: no profile was written");
	if (kind != NULL)
		return err_at(err, PROF_E_FORMAT, 0, "not a profile but %s",
		    kind);
	return text_check_end(image, err);
}

struct prof_reader *
text_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	bool as_llvm = context != NULL && context->llvm_text;
	struct text_reader *r;

	if (!as_llvm && text_check(image, err) != PROF_OK)
		return NULL;
	r = codec_reader_new(&text_reader_ops, context, err);
	if (r == NULL)
		return NULL;
	r->lines.image = image;
	return &r->base;
}
