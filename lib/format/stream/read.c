#include <errno.h>

#include "base/digests.h"
#include "base/error.h"
#include "base/json_text.h"
#include "bundle/manifest.h"
#include "format/stream/stream.h"

/* Bytes that are pulled at once at most, and room for several of these. */
enum { PULL_SIZE = 1 << 16, PULL_ROOM = 2 * PULL_SIZE };

/* Lines that are found, and functions whose guids are computed, together. */
enum { LINES_AHEAD = 64 };

struct stream_line {
	struct prof_span text;		/* without its newline */
	struct prof_symbol function;	/* as written, or name.data is NULL */
};

struct stream_text {
	prof_pull *pull;		/* NULL: all bytes are in data */
	void *arg;
	int failure;			/* errno of the last pull, or 0 */
	struct buf pulled;
	struct prof_span data;		/* an image, or what is pulled */
	size_t pos;			/* behind the lines that were found */
	size_t searched;		/* bytes behind pos without a newline */
	bool ended;			/* nothing comes behind data */
	struct stream_line lines[LINES_AHEAD];
	size_t found, used;		/* of lines */
};

/*
 * Makes room for a pull: the rest is moved to the front of the buffer first if
 * there is little room behind it.  The text is valid if that fails, too.
 */
static bool
stream_text_reserve(struct stream_text *t)
{
	struct buf *b = &t->pulled;
	bool done;

	if (t->pos != 0 && b->room - b->size < PULL_SIZE) {
		b->size -= t->pos;
		memmove(b->data, b->data + t->pos, b->size);
		t->pos = 0;
	}
	done = buf_reserve(b, b->size == 0 ? PULL_ROOM : PULL_SIZE) != NULL;
	t->data = buf_span(b);
	return done;
}

/*
 * Pulls more behind the rest.  Spans of the text are valid until then, unless
 * it is an image.
 */
static enum prof_status
stream_text_pull(struct stream_text *t, struct prof_error *err)
{
	struct buf *b = &t->pulled;
	ssize_t n;

	if (t->failure != 0)
		return err_system(err, t->failure, "read");
	if (!stream_text_reserve(t))
		return err_memory(err);
	n = t->pull(t->arg, b->data + b->size, PULL_SIZE);
	if (n < 0) {
		t->failure = errno;
		return err_system(err, t->failure, "read");
	}
	b->size += (size_t)n;
	t->data = buf_span(b);
	t->ended = n == 0;
	return PROF_OK;
}

/* Finds whole lines; none if data has no newline behind pos. */
static void
stream_text_find(struct stream_text *t)
{
	static const char start[] = "{\"record\":\"function\",\"name\":\"";
	const size_t head = sizeof(start) - 1;
	struct prof_span names[LINES_AHEAD];
	struct stream_line *functions[LINES_AHEAD];
	uint64_t guids[LINES_AHEAD];
	size_t n = 0;

	t->found = t->used = 0;
	while (t->found < LINES_AHEAD && t->pos < t->data.size) {
		struct stream_line *l = &t->lines[t->found];
		const uint8_t *p = t->data.data + t->pos, *end, *quote = NULL;
		size_t left = t->data.size - t->pos, done = t->searched;

		end = left == done ? NULL : memchr(p + done, '\n', left - done);
		t->searched = end == NULL ? left : 0;
		if (end == NULL)
			break;
		*l = (struct stream_line){ .text = { p, (size_t)(end - p) } };
		if (l->text.size > head && memcmp(p, start, head) == 0)
			quote = memchr(p + head, '"', l->text.size - head);
		if (quote != NULL) {
			names[n] = (struct prof_span){ p + head,
			    (size_t)(quote - p) - head };
			functions[n++] = l;
		}
		t->found++;
		t->pos += l->text.size + 1;
	}
	md5_u64_many(names, n, guids);
	for (size_t i = 0; i < n; i++)
		functions[i]->function = (struct prof_symbol){ names[i],
		    guids[i] };
}

/*
 * The next line, PROF_END if there are no more.  *whole is false for a line
 * that the input ended in.
 */
static enum prof_status
stream_text_next(struct stream_text *t, struct stream_line *line, bool *whole,
    struct prof_error *err)
{
	if (t->used == t->found)
		stream_text_find(t);
	while (t->found == 0 && !t->ended) {
		if (stream_text_pull(t, err) != PROF_OK)
			return PROF_FAIL;
		stream_text_find(t);
	}
	*whole = t->found != 0;
	if (*whole) {
		*line = t->lines[t->used++];
		return PROF_OK;
	}
	if (t->pos == t->data.size)
		return PROF_END;
	*line = (struct stream_line){ .text = { t->data.data + t->pos,
	    t->data.size - t->pos } };
	t->pos = t->data.size;
	return PROF_OK;
}

/* Records by the tables of their members, and those that have none. */

/* The reason becomes one line of ASCII. */
static enum prof_status
abort_parse(struct stream_record *r, const struct jval *v)
{
	struct jval reason = jval_get(v, "reason");
	struct prof_span text = { NULL, 0 };
	char line[PROF_REASON_SIZE];
	size_t n = 0;

	if (jval_is_there(&reason) && jval_string(&reason, &text) != PROF_OK)
		return PROF_FAIL;
	for (; n < text.size && n < sizeof(line) - 1; n++) {
		uint8_t c = text.data[n];

		line[n] = c >= 0x20 && c < 0x7f ? (char)c : '?';
	}
	line[n] = '\0';
	return err_line(r->doc.err, PROF_E_TRUNCATED, r->doc.line,
	    "the writer gave up: %s", n == 0 ? "no reason is given" : line);
}

static bool
stream_is_record(struct prof_span type, const char *name)
{
	return strlen(name) == type.size &&
	    memcmp(name, type.data, type.size) == 0;
}

/* The head of a coverage becomes that of a profile: nothing is known of it. */
static enum prof_status
coverage_parse(const struct jval *root, struct prof_record *out)
{
	struct jval version = jval_get(root, "stream");
	uint64_t n;

	*out = (struct prof_record){ .kind = PROF_REC_PROFILE };
	if (jval_number(&version, &n) != PROF_OK)
		return PROF_FAIL;
	return n == STREAM_VERSION ? PROF_OK : jval_fail(&version,
	    PROF_E_VERSION, "version %llu of the stream is unknown", ull(n));
}

enum prof_status
stream_parse(struct stream_record *r, struct prof_span line,
    struct prof_record *out)
{
	static const char *const end_keys[] = { "record", "last", NULL };
	struct jval root = jdoc_root(&r->doc), last;
	struct jval type = jval_get(&root, "record");
	struct prof_span name;

	if (!jval_is_there(&type))
		return jval_fail(&type, PROF_E_FORMAT,
		    "missing: not a line of prof-stream(5)");
	if (jval_string(&type, &name) != PROF_OK)
		return PROF_FAIL;
	if (r->coverage && stream_is_record(name, "coverage"))
		return coverage_parse(&root, out);
	for (size_t i = 0; i < RECORD_OBJECTS && !r->coverage; i++) {
		if (!stream_is_record(name, record_objects[i]->record))
			continue;
		out->kind = record_objects[i]->kind;
		return stream_parse_object(r, &root, record_objects[i],
		    &out->u);
	}
	if (stream_is_record(name, "end")) {
		out->kind = PROF_REC_END;
		if (!r->coverage)	/* whose user warns by itself */
			stream_warn_unknown(r, &root, end_keys);
		r->last = false;
		last = jval_get(&root, "last");
		return jval_is_there(&last) ? jval_flag(&last, &r->last) :
		    PROF_OK;
	}
	out->kind = PROF_REC_OTHER;
	out->u.other = line;
	return stream_is_record(name, "abort") ? abort_parse(r, &root) :
	    PROF_OK;
}

void
stream_record_free(struct stream_record *r)
{
	jdoc_free(&r->doc);
	arena_free(&r->arena);
	buf_free(&r->values);
	buf_free(&r->sites);
	buf_free(&r->pcs);
	buf_free(&r->segments);
	buf_free(&r->frames);
	buf_free(&r->frame_numbers);
	buf_free(&r->extra);
}

/*
 * The reader of streams.  Of a stream that is pulled, only the current line and
 * the bytes pulled behind it are in memory.
 */

struct stream_reader {
	struct prof_reader base;
	struct stream_text text;
	uint64_t line;			/* lines begun */
	bool any;			/* a line that is not blank was read */
	bool began;			/* a profile was read */
	bool inside;			/* it has not ended */
	bool last;			/* it has, and is said to be the last */
	bool no_scan;
	struct stream_record record;
	struct stream_numbers numbers;
};

bool
stream_sniff(struct prof_span s)
{
	return json_text_begins_object(s) && !manifest_sniff(s);
}

bool
stream_is_coverage(struct prof_span s)
{
	static const char start[] = "{\"record\":\"coverage";
	size_t k = 0;

	for (size_t i = 0; i < s.size && k < sizeof(start) - 1; i++) {
		if (s.data[i] == (uint8_t)start[k])
			k++;
		else if (!json_text_is_blank(s.data[i]))
			return false;
	}
	return k == sizeof(start) - 1;
}

static const char *
stream_unit(const struct stream_reader *r)
{
	return r->record.coverage ? "coverage" : "profile";
}

/* The input ends without the end record of its last profile. */
static enum prof_status
stream_err_cut(struct stream_reader *r, struct prof_error *err)
{
	return err_line(err, PROF_E_TRUNCATED, r->line, "stream ended %s %s",
	    r->inside ? "inside a" : "before its last", stream_unit(r));
}

/*
 * A line that is not JSON: the stream is cut if the line is the last one, is
 * not a stream if it is the first one, and is corrupt otherwise.
 */
static enum prof_status
stream_err_line(struct stream_reader *r, bool whole,
    const struct prof_error *why, struct prof_error *err)
{
	enum prof_code code = why->code;

	if (!whole && code == PROF_E_CORRUPT)
		return stream_err_cut(r, err);
	if (code == PROF_E_CORRUPT && !r->began)
		code = PROF_E_FORMAT;
	if (code == PROF_E_MEMORY)
		return err_memory(err);
	return err_line(err, code, r->line, "%s", why->reason);
}

static enum prof_status
stream_parse_line(struct stream_reader *r, struct prof_span line, bool whole,
    struct prof_record *out, struct prof_error *err)
{
	struct prof_error why = { 0 };

	if (jdoc_load(&r->record.doc, line, r->line, &why) != PROF_OK)
		return stream_err_line(r, whole, &why, err);
	r->record.doc.err = err;
	return stream_parse(&r->record, line, out);
}

/* The rules on the order of records. */
static enum prof_status
stream_check_order(struct stream_reader *r, const struct prof_record *record,
    struct prof_error *err)
{
	enum prof_record_kind kind = record->kind;
	bool head = kind == PROF_REC_PROFILE;

	if (!r->began && !r->record.coverage && kind == PROF_REC_OTHER &&
	    stream_is_coverage(record->u.other))
		return err_line(err, PROF_E_FORMAT, r->line,
		    "coverage, which prof-cover reads");
	if (!r->began && !head)
		return err_line(err, PROF_E_FORMAT, r->line,
		    "the stream does not begin with a %s record, which "
		    "filters have to keep", stream_unit(r));
	if (r->inside && head)
		return err_line(err, PROF_E_CORRUPT, r->line,
		    "a %s record before the end of the %s", stream_unit(r),
		    stream_unit(r));
	if (!r->inside && !head)
		return err_line(err, PROF_E_CORRUPT, r->line,
		    "a record between an end and the next %s", stream_unit(r));
	r->began = true;
	r->inside = kind != PROF_REC_END;
	r->last = kind == PROF_REC_END && r->record.last;
	return PROF_OK;
}

static enum prof_status
stream_next(struct prof_reader *base, struct prof_record *out,
    struct prof_error *err)
{
	struct stream_reader *r = (struct stream_reader *)base;
	enum prof_status status;
	struct stream_line found;
	struct prof_symbol *symbol = &out->u.function.symbol;
	struct prof_span line;
	bool whole;

	arena_reset(&r->record.arena);
	do {
		status = stream_text_next(&r->text, &found, &whole, err);
		if (status == PROF_END && !r->any)
			return err_set(err, PROF_E_FORMAT,
			    "empty: not a stream");
		if (status == PROF_END && (r->inside || !r->last))
			return stream_err_cut(r, err);
		if (status != PROF_OK)
			return status;
		r->line++;
		line = json_text_trim(found.text);
	} while (line.size == 0);
	r->any = true;
	if ((!whole || r->no_scan || r->record.coverage ||
	    !stream_scan(&r->record, line, out)) &&
	    stream_parse_line(r, line, whole, out, err) != PROF_OK)
		return PROF_FAIL;
	if (out->kind == PROF_REC_FUNCTION && symbol->name.data != NULL &&
	    symbol->name.data == found.function.name.data &&
	    symbol->name.size == found.function.name.size)
		symbol->guid = found.function.guid;
	r->base.line = r->line;
	return stream_check_order(r, out, err);
}

static void
stream_close(struct prof_reader *base)
{
	struct stream_reader *r = (struct stream_reader *)base;

	stream_record_free(&r->record);
	stream_numbers_free(&r->numbers);
	buf_free(&r->text.pulled);
}

static const struct reader_ops stream_reader_ops = {
	.size = sizeof(struct stream_reader),
	.next = stream_next,
	.close = stream_close,
};

static struct stream_reader *
stream_reader_new(struct prof_context *context, struct prof_error *err)
{
	struct stream_reader *r = codec_reader_new(&stream_reader_ops, context,
	    err);

	if (r == NULL)
		return NULL;
	r->record.context = context;
	if (context != NULL && context->frame_numbers)
		r->record.numbers = &r->numbers;
	return r;
}

struct prof_reader *
stream_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	struct stream_reader *r = stream_reader_new(context, err);

	if (r == NULL)
		return NULL;
	r->text.data = image;
	r->text.ended = true;
	return &r->base;
}

struct prof_reader *
stream_open_pull(struct prof_context *context, prof_pull *pull, void *arg,
    struct prof_error *err)
{
	struct stream_reader *r = stream_reader_new(context, err);

	if (r == NULL)
		return NULL;
	r->text.pull = pull;
	r->text.arg = arg;
	return &r->base;
}

struct prof_reader *
stream_open_coverage(struct prof_context *context, prof_pull *pull, void *arg,
    struct stream_record **record, struct prof_error *err)
{
	struct prof_reader *r = stream_open_pull(context, pull, arg, err);

	if (r == NULL)
		return NULL;
	*record = &((struct stream_reader *)r)->record;
	(*record)->coverage = true;
	return r;
}

void
stream_no_scan(struct prof_reader *base)
{
	((struct stream_reader *)base)->no_scan = true;
}
