/* cover/stream.c - coverage as lines of JSON, prof-stream(5) */
#include "config.h"

#include "base/error.h"
#include "base/json_text.h"
#include "cover/stream.h"
#include "cover/writer.h"

const char *const cover_stream_states[] = { "counted", "not_counted", "unused",
    "stale" };

/* Appends a list of numbers; bit N of nulls makes number N null. */
static void
stream_put_row(struct buf *b, const uint64_t *row, size_t size,
    unsigned nulls)
{
	for (size_t i = 0; i < size; i++) {
		buf_put(b, i == 0 ? "[" : ",", 1);
		if ((nulls >> i & 1) != 0)
			json_text_plain(b, "null");
		else
			json_text_number(b, row[i]);
	}
	buf_put(b, "]", 1);
}

/* Regions, or branches, whose sides that cannot be taken have no count. */
static void
stream_put_regions(struct buf *b, const char *key,
    const struct cover_region *r, size_t size)
{
	json_member_key(b, key);
	for (size_t i = 0; i < size; i++, r++) {
		bool branch = r->kind >= COVER_BRANCH;
		uint64_t row[ROW_MAX] = { r->start.line, r->start.column,
		    r->end.line, r->end.column, r->count, r->other };
		unsigned nulls = branch ? 16u * r->folded +
		    32u * r->other_folded : 0;
		size_t n = branch ? 6 : 5;

		if ((r->file | r->expanded | r->kind) != 0 &&
		    (r->kind != COVER_BRANCH || r->file != 0)) {
			row[n++] = r->file;
			if (!branch)
				row[n++] = r->expanded;
			row[n++] = r->kind;
		}
		buf_put(b, i == 0 ? "[" : ",", 1);
		stream_put_row(b, row, n, nulls);
	}
	json_text_plain(b, size == 0 ? "[]" : "]");
}

static void
stream_put_decision(struct buf *b, const struct cover_decision *d)
{
	const struct cover_region *r = &d->region;
	const struct cover_condition *c = d->conditions;
	const uint8_t *outcome = d->outcomes;
	uint64_t row[ROW_MAX] = { r->start.line, r->start.column, r->end.line,
	    r->end.column, r->file };

	json_text_plain(b, "{\"place\":");
	stream_put_row(b, row, r->file != 0 ? 5 : 4, 0);
	json_text_plain(b, ",\"conditions\":");
	for (size_t i = 0; i < d->conditions_size; i++, c++) {
		row[0] = c->start.line;
		row[1] = c->start.column;
		row[2] = c->folded + 2u * c->other_folded;
		buf_put(b, i == 0 ? "[" : ",", 1);
		stream_put_row(b, row, row[2] != 0 ? 3 : 2, 0);
	}
	json_text_plain(b, "],\"ways\":[");
	for (size_t i = 0; i < d->ways; i++) {
		json_text_plain(b, i == 0 ? "\"" : ",\"");
		for (size_t k = 0; k < d->conditions_size; k++)
			buf_u8(b, (uint8_t)COVER_OUTCOMES[*outcome++]);
		json_text_plain(b, i < d->false_ways ? ":0\"" : ":1\"");
	}
	json_text_plain(b, "]}");
}

static void
stream_put_path(struct buf *b, struct prof_span path)
{
	if (json_text_fits(path)) {
		json_text_string(b, path);
	} else {
		json_text_plain(b, "{\"file_hex\":");
		json_text_hex(b, path);
		buf_put(b, "}", 1);
	}
}

/* What functions have of any state. */
static void
stream_put_head(struct buf *b, const struct cover *c,
    const struct cover_function *f, unsigned state)
{
	json_text_plain(b, c->test.size > 0 ? "{\"record\":\"coverage_test\"" :
	    "{\"record\":\"coverage_function\"");
	if (c->test.size > 0)
		json_member_bytes(b, "test", "test_hex", c->test);
	json_member_bytes(b, "name", "name_hex", f->name);
	if (f->guid != prof_guid(f->name))
		json_member_id(b, "guid", f->guid);
	json_member_id(b, "hash", f->hash);
	json_member_key(b, "files");
	for (uint32_t i = 0; i < f->files_size; i++) {
		json_text_plain(b, i == 0 ? "[" : ",");
		stream_put_path(b, c->paths.items[f->files[i]]);
	}
	buf_put(b, "]", 1);
	json_member_text(b, "state", cover_stream_states[state]);
}

static void
stream_put_coverage(struct buf *b, const struct cover *c,
    const struct cover_function *f)
{
	stream_put_head(b, c, f, f->state);
	json_member_number(b, "count", f->count);
	stream_put_regions(b, "regions", f->regions, f->regions_size);
	if (f->branches_size > 0)
		stream_put_regions(b, "branches", f->branches,
		    f->branches_size);
	for (size_t i = 0; i < f->decisions_size; i++) {
		json_text_plain(b, i == 0 ? ",\"decisions\":[" : ",");
		stream_put_decision(b, &f->decisions[i]);
	}
	json_text_plain(b, f->decisions_size > 0 ? "]}\n" : "}\n");
}

/* A cover_visit: writes all functions. */
static enum prof_status
stream_put_functions(void *arg, struct cover *c, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct cover_writer *w = arg;

	for (size_t i = 0; i < c->entries_size && status == PROF_OK; i++) {
		stream_put_coverage(&w->out, c, cover_function_at(c, i));
		status = cover_writer_flush(w, WRITER_PIECE, err);
	}
	return status;
}

/* What tests ran is told beside the functions, which have all counts. */
enum prof_status
cover_write_stream(struct cover *c, prof_sink *sink, void *arg,
    struct prof_error *err)
{
	struct cover_writer w = { .cover = c, .sink = sink, .arg = arg };
	enum prof_status status;

	json_text_plain(&w.out, "{\"record\":\"coverage\",\"stream\":1}\n");
	status = stream_put_functions(&w, c, err);
	for (size_t i = 0; i < c->stale_size && status == PROF_OK; i++) {
		const struct cover_stale *s = &c->stale[i];

		stream_put_head(&w.out, c, &(struct cover_function){
		    .name = s->name, .guid = s->guid, .hash = s->hash,
		    .files = &s->file, .files_size = 1 }, STREAM_STALE);
		json_text_plain(&w.out, "}\n");
		status = cover_writer_flush(&w, WRITER_PIECE, err);
	}
	if (status == PROF_OK && c->tests.size > 0)
		status = cover_each_test(c, INDEX_NONE, false,
		    stream_put_functions, &w, err);
	json_text_plain(&w.out, "{\"record\":\"end\",\"last\":true}\n");
	if (status == PROF_OK)
		status = cover_writer_flush(&w, 0, err);
	buf_free(&w.out);
	return status;
}
