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

/*
 * Before the first call of text_lines_next there is no current line.  After a
 * failure, numbers mean nothing.
 */
struct text_lines {
	struct prof_span image;
	size_t pos;			/* behind the current line */
	uint64_t number;		/* of the current line, from 1 */
	struct prof_span line;		/* the current one, without its end */
	bool at_end;			/* there is no current line */
	struct prof_error *err;
	enum prof_status status;	/* PROF_FAIL after a failure */
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

/* How a number is written. */
typedef bool text_parse(struct prof_span, uint64_t max, uint64_t *out);

static bool
text_decimal(struct prof_span s, uint64_t max, uint64_t *out)
{
	return digits_parse(s, 10, max, out);
}

/* The current line is not `what`, or there is none. */
static void
text_lines_fail(struct text_lines *l, const char *what)
{
	char shown[ERR_NAME_SIZE];

	if (l->at_end)
		l->status = err_line(l->err, PROF_E_TRUNCATED, l->number,
		    "the file ends where %s should be", what);
	else
		l->status = err_line(l->err, PROF_E_CORRUPT, l->number,
		    "'%s' is not %s", err_name(shown, l->line), what);
}

/* Reads the current line as a number, and moves to the next one. */
static uint64_t
text_number(struct text_lines *l, const char *what, text_parse *parse,
    uint64_t max)
{
	uint64_t n = 0;

	if (l->at_end || !parse(l->line, max, &n))
		text_lines_fail(l, what);
	else
		text_lines_next(l);
	return n;
}

/*
 * Reads the number of items that take 2 bytes of the input at least; 0 after a
 * failure.
 */
static size_t
text_count(struct text_lines *l, const char *what, text_parse *parse,
    uint64_t max)
{
	uint64_t line = l->number, n = text_number(l, what, parse, max);
	size_t left = l->image.size - l->pos + (l->at_end ? 0 : l->line.size);

	/* The last one needs no newline, and that of this line is gone. */
	if (n > (left == 0 ? 0 : left / 2 + 1))
		l->status = err_line(l->err, PROF_E_TRUNCATED, line,
		    "%s %llu exceeds the %zu bytes left", what, ull(n), left);
	return l->status == PROF_OK ? (size_t)n : 0;
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
#define TEXT_DOUBT ": perhaps no profile"

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
static void
text_skip_traces(struct text_reader *r)
{
	struct text_lines *l = &r->lines;

	if (r->header.flags & PROF_TEMPORAL)
		l->status = err_line(l->err, PROF_E_UNSUPPORTED, l->number,
		    "there are traces already");
	r->header.flags |= PROF_TEMPORAL;
	text_lines_next(l);
	r->traces_left = text_count(l, "a number of traces", digits_auto,
	    UINT32_MAX);
	r->header.has_trace_stream_size = true;
	r->header.trace_stream_size = text_number(l, "a trace stream size",
	    digits_auto, UINT64_MAX);
	r->traces_line = l->number;
	r->traces_pos = l->at_end ? l->image.size :
	    (size_t)(l->line.data - l->image.data);
	for (uint64_t i = 0; i < r->traces_left && l->status == PROF_OK; i++) {
		text_number(l, "a trace's weight", digits_auto, UINT64_MAX);
		if (l->at_end)
			text_lines_fail(l, "the functions of a trace");
		text_lines_next(l);
	}
}

static bool
text_word_is(struct prof_span word, const char *other)
{
	return word.size == strlen(other) && strncasecmp(
	    (const char *)word.data, other, word.size) == 0;
}

static void
text_read_flag(struct text_reader *r)
{
	struct prof_header *h = &r->header;
	struct prof_span word = { r->lines.line.data + 1,
	    r->lines.line.size - 1 };
	size_t i = 0;

	while (i < text_flag_count && !text_word_is(word, text_flags[i].word))
		i++;
	if (i < text_flag_count && text_flags[i].set) {
		h->flags |= text_flags[i].flag;
	} else if (i < text_flag_count) {
		h->flags &= ~text_flags[i].flag;
	} else if (text_word_is(word, "ir")) {
		h->level = PROF_LEVEL_IR;
	} else if (text_word_is(word, "fe")) {
		/* With both flags, LLVM takes the profile for IR. */
		if (h->level == PROF_LEVEL_UNKNOWN)
			h->level = PROF_LEVEL_FRONTEND;
	} else if (text_word_is(word, "csir")) {
		h->level = PROF_LEVEL_IR;
		h->flags |= PROF_CONTEXT_SENSITIVE;
	} else if (text_word_is(word, "temporal_prof_traces")) {
		text_skip_traces(r);
		return;
	} else {
		text_lines_fail(&r->lines, "a flag of text profiles");
	}
	text_lines_next(&r->lines);
}

static void
text_next_profile(struct text_reader *r, struct prof_record *out)
{
	text_lines_next(&r->lines);
	while (r->lines.status == PROF_OK && !r->lines.at_end &&
	    r->lines.line.data[0] == ':') {
		text_read_flag(r);
		r->recognised = true;
	}
	/* Without a flag, a profile that has functions is of the front end. */
	if (r->header.level == PROF_LEVEL_UNKNOWN && !r->lines.at_end)
		r->header.level = PROF_LEVEL_FRONTEND;
	r->flags_done = true;
	r->header.source.format = "text";
	out->kind = PROF_REC_PROFILE;
	out->u.profile = r->header;
}

/* An array in the arena; NULL, and a failure, if out of memory. */
static void *
text_array(struct text_reader *r, size_t n, size_t size)
{
	void *p = arena_array(&r->arena, n, size);

	if (p == NULL)
		r->lines.status = err_memory(r->lines.err);
	return p;
}

static void
text_read_counts(struct text_reader *r, struct prof_function *f)
{
	struct text_lines *l = &r->lines;
	uint64_t line = l->number, *counts;
	size_t n = text_count(l, "a number of counters", text_decimal,
	    UINT64_MAX);

	if (n == 0)
		l->status = err_line(l->err, PROF_E_CORRUPT, line,
		    "the number of counters is 0");
	counts = text_array(r, n, sizeof(*counts));
	for (size_t i = 0; i < n && l->status == PROF_OK; i++)
		counts[i] = text_number(l, "a counter", text_decimal,
		    UINT64_MAX);
	f->counts = counts;
	f->counts_size = n;
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

static void
text_read_bitmap(struct text_reader *r, struct prof_function *f)
{
	struct text_lines *l = &r->lines;
	uint8_t *bytes;
	size_t n;

	if (l->at_end || l->line.data[0] != '$')
		return;
	l->line = text_trim((struct prof_span){ l->line.data + 1,
	    l->line.size - 1 });
	n = text_count(l, "a number of bitmap bytes", digits_auto, UINT64_MAX);
	bytes = text_array(r, n, 1);
	for (size_t i = 0; i < n && l->status == PROF_OK; i++)
		bytes[i] = (uint8_t)text_number(l, "a bitmap byte",
		    digits_auto, UINT8_MAX);
	f->bitmap = (struct prof_span){ bytes, n };
}

/* Reads VALUE:COUNT, split at the last colon. */
static void
text_read_value(struct text_reader *r, enum prof_value_kind kind,
    struct prof_value *v)
{
	struct text_lines *l = &r->lines;
	const uint8_t *colon = l->at_end ? NULL :
	    memrchr(l->line.data, ':', l->line.size);
	struct prof_span value, count;

	if (colon == NULL) {
		text_lines_fail(l, "VALUE:COUNT");
		return;
	}
	value = (struct prof_span){ l->line.data,
	    (size_t)(colon - l->line.data) };
	count = (struct prof_span){ colon + 1, l->line.size - value.size - 1 };
	*v = (struct prof_value){ 0 };
	if (!text_decimal(count, UINT64_MAX, &v->count)) {
		text_lines_fail(l, "VALUE:COUNT with a decimal count");
	} else if (kind == PROF_MEM_OP_SIZE) {
		if (!text_decimal(value, UINT64_MAX, &v->value))
			text_lines_fail(l, "SIZE:COUNT");
	} else if (value.size == 0) {
		text_lines_fail(l, "NAME:COUNT");
	} else if (!prof_span_equal(value, span_of_text(TEXT_EXTERNAL))) {
		v->name = value;
		v->value = codec_target_guid(r->base.context, value);
		if (kind == PROF_VTABLE_TARGET &&
		    !symtab_add(&r->vtables, value, v->value))
			l->status = err_memory(l->err);
	}
	text_lines_next(l);
}

static void
text_read_site(struct text_reader *r, enum prof_value_kind kind,
    struct prof_site *site)
{
	size_t n = text_count(&r->lines, "a number of values", text_decimal,
	    UINT32_MAX);
	struct prof_value *values = text_array(r, n, sizeof(*values));

	for (size_t i = 0; i < n && r->lines.status == PROF_OK; i++)
		text_read_value(r, kind, &values[i]);
	*site = (struct prof_site){ values, n };
}

/* A kind may occur several times; its sites are then concatenated. */
static void
text_read_kind(struct text_reader *r, struct prof_function *f)
{
	struct text_lines *l = &r->lines;
	uint64_t kind = text_number(l, "a value kind from 0 to 2",
	    text_decimal, PROF_VALUE_KINDS - 1);
	size_t n = text_count(l, "a number of value sites", text_decimal,
	    UINT32_MAX);
	struct prof_sites old;
	struct prof_site *sites;

	if (l->status != PROF_OK)
		return;
	old = f->values[kind];
	sites = text_array(r, old.size + n, sizeof(*sites));
	if (sites != NULL && old.size != 0)
		memcpy(sites, old.sites, old.size * sizeof(*sites));
	for (size_t i = 0; i < n && l->status == PROF_OK; i++)
		text_read_site(r, (enum prof_value_kind)kind,
		    &sites[old.size + i]);
	f->values[kind] = (struct prof_sites){ sites, old.size + n };
}

static void
text_next_function(struct text_reader *r, struct prof_record *out)
{
	struct prof_function *f = &out->u.function;
	struct text_lines *l = &r->lines;
	uint64_t kinds;

	out->kind = PROF_REC_FUNCTION;
	*f = (struct prof_function){ .symbol.name = l->line };
	text_lines_next(l);
	f->hash = text_number(l, "a function's hash", digits_auto, UINT64_MAX);
	/* Any file of printable bytes is read, and fails at the first hash. */
	if (l->status != PROF_OK && !r->recognised && l->err != NULL) {
		size_t size = strlen(l->err->reason);

		snprintf(l->err->reason + size, sizeof(l->err->reason) - size,
		    "%s", TEXT_DOUBT);
	}
	r->recognised = true;
	if (l->status == PROF_OK)
		text_read_counts(r, f);
	if (l->status == PROF_OK)
		text_read_bitmap(r, f);
	/* A line that is a decimal number is that of the kinds, else a name. */
	if (l->status != PROF_OK || l->at_end ||
	    !text_decimal(l->line, UINT32_MAX, &kinds))
		return;
	if (kinds == 0 || kinds > PROF_VALUE_KINDS) {
		text_lines_fail(l, "a number of value kinds from 1 to 3");
		return;
	}
	text_lines_next(l);
	for (; kinds != 0 && l->status == PROF_OK; kinds--)
		text_read_kind(r, f);
}

/*
 * The names of a trace stand in one line, split at commas; empty ones are
 * skipped.
 */
static void
text_split_names(struct text_reader *r, struct prof_trace *t)
{
	const uint8_t *p = r->lines.line.data, *end = p + r->lines.line.size;
	struct prof_symbol *functions;
	size_t commas = 0;

	for (size_t i = 0; i < r->lines.line.size; i++)
		commas += p[i] == ',';
	t->functions = functions = text_array(r, commas + 1,
	    sizeof(*functions));
	while (p < end && functions != NULL) {
		const uint8_t *comma = memchr(p, ',', (size_t)(end - p));
		const uint8_t *stop = comma == NULL ? end : comma;
		struct prof_span name = text_trim((struct prof_span){ p,
		    (size_t)(stop - p) });

		if (name.size != 0)
			functions[t->size++] = (struct prof_symbol){
			    .name = name };
		p = comma == NULL ? end : comma + 1;
	}
}

static void
text_next_trace(struct text_reader *r, struct prof_record *out)
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
	out->u.trace = (struct prof_trace){ .weight = text_number(&r->lines,
	    "a trace's weight", digits_auto, UINT64_MAX) };
	text_split_names(r, &out->u.trace);
	if (r->traces_left != 0)
		text_lines_next(&r->lines);
}

static enum prof_status
text_next(struct prof_reader *base, struct prof_record *out,
    struct prof_error *err)
{
	struct text_reader *r = (struct text_reader *)base;

	arena_reset(&r->arena);
	r->lines.err = err;
	if (!r->flags_done) {
		text_next_profile(r, out);
	} else if (!r->lines.at_end && !r->functions_done) {
		text_next_function(r, out);
	} else if (r->vtables_given < r->vtables.size) {
		out->kind = PROF_REC_VTABLE;
		out->u.vtable = (struct prof_vtable){ .symbol =
		    r->vtables.symbols[r->vtables_given++] };
	} else if (r->traces_left != 0) {
		r->functions_done = true;
		text_next_trace(r, out);
	} else {
		if (r->ended)
			return PROF_END;
		r->ended = true;
		out->kind = PROF_REC_END;
	}
	return r->lines.status;
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
		    "only blank lines: no profile");
	if (kind != NULL)
		return err_set(err, PROF_E_FORMAT, "not a profile but %s",
		    kind);
	return text_check_end(image, err);
}

struct prof_reader *
text_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	bool as_llvm = context != NULL && context->as_llvm;
	struct text_reader *r;

	if (!as_llvm && text_check(image, err) != PROF_OK)
		return NULL;
	r = codec_reader_new(&text_reader_ops, context, err);
	if (r == NULL)
		return NULL;
	r->lines.image = image;
	return &r->base;
}
