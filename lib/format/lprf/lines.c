#include "format/lprf/lines.h"

#include "base/error.h"
#include "base/json_text.h"
#include "model/value_sites.h"

void
lprf2_lines_begin(struct lprf2_lines *l, const struct lprf2_block *b)
{
	l->text = (struct cursor){ .data = b->sections[LPRF2_N].data,
	    .size = b->sections[LPRF2_N].size };
	l->at = b->at;
	l->size = b->size;
	l->next = 0;
}

static enum prof_status
lprf2_parse_line(struct lprf2_lines *l, struct prof_span line,
    struct prof_record *out, struct prof_error *err)
{
	struct prof_error why = { 0 };

	if (stream_scan(&l->record, line, out))
		return PROF_OK;
	if (jdoc_load(&l->record.doc, line, l->next + 1, &why) == PROF_OK) {
		l->record.doc.err = &why;
		if (stream_parse(&l->record, line, out) == PROF_OK)
			return PROF_OK;
	}
	return err_is_lack(why.code) ? err_repeat(err, &why) :
	    err_at(err, PROF_E_CORRUPT, l->at,
	    "block: record %zu of %zu: %s", l->next + 1, l->size, why.reason);
}

enum prof_status
lprf2_next_line(struct lprf2_lines *l, bool head, struct prof_record *out,
    struct prof_error *err)
{
	struct cursor *c = &l->text;
	const uint8_t *start = c->data + c->pos;
	const uint8_t *newline = cur_left(c) == 0 ? NULL :
	    memchr(start, '\n', cur_left(c));
	struct prof_span line = { start, 0 };

	if (newline == NULL)
		return err_at(err, PROF_E_CORRUPT, l->at,
		    "block: record %zu of %zu: its line has no end",
		    l->next + 1, l->size);
	line.size = (size_t)(newline - start);
	c->pos += line.size + 1;
	line = json_text_trim(line);
	arena_reset(&l->record.arena);
	if (lprf2_parse_line(l, line, out, err) != PROF_OK)
		return PROF_FAIL;
	if (head != (out->kind == PROF_REC_PROFILE) ||
	    out->kind == PROF_REC_END || out->kind == PROF_REC_FUNCTION ||
	    out->kind == PROF_REC_RAW_COUNTERS)
		return err_at(err, PROF_E_CORRUPT, l->at, "block: record %zu "
		    "of %zu: %s", l->next + 1, l->size, head ? "the first of "
		    "the file is not a profile record" : "a record of its kind "
		    "cannot occur there");
	if (++l->next == l->size && cur_left(c) != 0)
		return err_at(err, PROF_E_CORRUPT, l->at, "block: %zu bytes "
		    "follow its last record", cur_left(c));
	return PROF_OK;
}

/* Whether the line of a function with that text has nothing but that. */
static bool
lprf2_extra_is_read(struct lprf2_lines *l, struct prof_span line,
    struct prof_span extra, struct prof_error *why)
{
	struct prof_record out;
	const struct prof_function *f = &out.u.function;

	if (jdoc_load(&l->record.doc, line, 1, why) != PROF_OK)
		return false;
	l->record.doc.err = why;
	return stream_parse(&l->record, line, &out) == PROF_OK &&
	    out.kind == PROF_REC_FUNCTION && f->counts_size == 0 &&
	    f->bitmap.size == 0 && f->uniform_size == 0 &&
	    value_sites_count(f->values) == 0 &&
	    prof_span_equal(f->extra, extra);
}

enum prof_status
lprf2_check_extra(struct lprf2_lines *l, uint64_t at, struct prof_span extra,
    struct prof_error *err)
{
	struct prof_record function = { .kind = PROF_REC_FUNCTION,
	    .u.function = { .symbol.guid = 1, .extra = extra } };
	struct stream_output line = { .text = { 0 } };
	struct prof_error why = { 0 };
	bool read;

	stream_put_record(&line, &function);
	arena_reset(&l->record.arena);
	read = !line.text.failed && lprf2_extra_is_read(l, (struct prof_span){
	    line.text.data, line.text.size - 1 }, extra, &why);
	if (line.text.failed || err_is_lack(why.code))
		err_memory(err);
	else if (!read)
		err_at(err, PROF_E_CORRUPT, at, "block: section M: the unknown "
		    "keys of a function are not members of JSON");
	buf_free(&line.text);
	return read ? PROF_OK : PROF_FAIL;
}
