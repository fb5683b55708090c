/* cover/stream.c - coverage as lines of JSON, prof-stream(5) */
#include "config.h"

#include "base/error.h"
#include "base/json_text.h"
#include "cover/mapping.h"
#include "cover/writer.h"
#include "format/stream/stream.h"

/* Words of enum cover_state, and one for struct cover_stale. */
enum { STREAM_STALE = 3, STREAM_STATES };
static const char *const states[STREAM_STATES] = { "counted", "not_counted",
    "unused", "stale" };

/* Numbers of the longest list: a region. */
enum { ROW_MAX = 8 };

/* What a condition was on a way: false, true and COVER_NOT_EVALUATED. */
static const char way_letters[] = "FT-";

/* Writing */

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
			buf_u8(b, (uint8_t)way_letters[*outcome++]);
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
	json_member_text(b, "state", states[state]);
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

/* Reading */

/* What a line has is in the memory of its record, until the next line. */
struct reader {
	struct cover *cover;
	struct stream_record *record;
};

/* Lists of a function: how many items there are, and their memory. */
static enum prof_status
reader_list(struct reader *r, const struct jval *list, size_t item_size,
    void *items, size_t *size)
{
	void *memory;

	if (jval_list(list, size) != PROF_OK)
		return PROF_FAIL;
	memory = arena_array(&r->record->arena, *size, item_size);
	memcpy(items, &memory, sizeof(memory));
	return memory == NULL ? err_memory(r->record->doc.err) : PROF_OK;
}

/*
 * A list of numbers, of which those missing at the end are 0.  From the fifth
 * on there are so many counts, which, if there are two, may be null: the bits
 * of those that are go to *nulls.
 */
static enum prof_status
reader_row(const struct jval *list, size_t least, size_t most, size_t counts,
    uint64_t row[ROW_MAX], unsigned *nulls)
{
	size_t size;

	*nulls = 0;
	memset(row, 0, ROW_MAX * sizeof(*row));
	if (jval_list(list, &size) != PROF_OK)
		return PROF_FAIL;
	if (size < least || size > most)
		return jval_fail(list, PROF_E_CORRUPT, "%zu numbers, not %zu "
		    "to %zu", size, least, most);
	for (size_t i = 0; i < size; i++) {
		struct jval v = jval_item(list, i);
		bool count = i >= 4 && i - 4 < counts;

		if (count && counts == 2 && json_is_null(v.value))
			*nulls |= 1u << (i - 4);
		else if (stream_parse_limited(&v, count ? COVER_COUNT_MAX :
		    UINT32_MAX, &row[i]) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* A region with one count, a branch with two, or a decision with none. */
static enum prof_status
reader_region(const struct jval *v, size_t counts, uint32_t files,
    struct cover_region *out)
{
	uint64_t row[ROW_MAX], *tail = row + 4 + counts, kind;
	unsigned nulls;

	if (reader_row(v, 4 + counts, counts == 0 ? 5 : 8, counts, row,
	    &nulls) != PROF_OK)
		return PROF_FAIL;
	kind = counts == 0 ? COVER_DECISION : counts == 2 && row[7] == 0 ?
	    COVER_BRANCH : row[7];
	*out = (struct cover_region){
	    .start = { (uint32_t)row[0], (uint32_t)row[1] },
	    .end = { (uint32_t)row[2], (uint32_t)row[3] },
	    .count = counts > 0 ? row[4] : 0, .other = counts > 1 ? row[5] : 0,
	    .file = (uint32_t)tail[0],
	    .expanded = counts == 1 ? (uint32_t)tail[1] : 0,
	    .kind = (uint8_t)kind, .folded = nulls & 1,
	    .other_folded = nulls >> 1 & 1 };
	if ((counts == 1 && (kind >= COVER_BRANCH || (out->expanded != 0 &&
	    kind != COVER_EXPANSION))) || (counts == 2 &&
	    kind != COVER_BRANCH && kind != COVER_CONDITION))
		return jval_fail(v, PROF_E_CORRUPT,
		    "a kind that does not stand here");
	if (cover_place_number(out->end) < cover_place_number(out->start))
		return jval_fail(v, PROF_E_CORRUPT, "ends before it begins");
	if (out->file >= files || out->expanded >= files)
		return jval_fail(v, PROF_E_CORRUPT,
		    "no such file of the function");
	return PROF_OK;
}

/* Outcomes of conditions and the result, as in "TF-:1", which is *result. */
static enum prof_status
reader_way(const struct jval *v, size_t size, uint8_t *out, bool *result)
{
	struct prof_span s;
	const char *outcome;
	bool fits;

	if (jval_string(v, &s) != PROF_OK)
		return PROF_FAIL;
	fits = s.size == size + 2 && s.data[size] == ':' &&
	    (s.data[size + 1] & 0xfe) == '0';
	*result = fits && s.data[size + 1] == '1';
	for (size_t i = 0; i < size && fits; i++) {
		outcome = memchr(way_letters, s.data[i], 3);
		fits = outcome != NULL;
		out[i] = fits ? (uint8_t)(outcome - way_letters) : 0;
	}
	return fits ? PROF_OK : jval_fail(v, PROF_E_CORRUPT,
	    "a way is not such as \"TF-:1\"");
}

/* The ways of a decision: those with a false result are first. */
static enum prof_status
reader_ways(struct reader *r, const struct jval *list,
    struct cover_decision *d)
{
	size_t size = d->conditions_size;
	bool result = false, before;
	uint8_t *out;

	if (jval_list(list, &d->ways) != PROF_OK)
		return PROF_FAIL;
	if (d->ways > COVER_WAYS_MAX)
		return jval_fail(list, PROF_E_CORRUPT, "too many ways");
	out = arena_array(&r->record->arena, d->ways, size);
	if (out == NULL)
		return err_memory(r->record->doc.err);
	d->outcomes = out;
	for (size_t i = 0; i < d->ways; i++, out += size) {
		struct jval v = jval_item(list, i);

		before = result;
		if (reader_way(&v, size, out, &result) != PROF_OK)
			return PROF_FAIL;
		if (before && !result)
			return jval_fail(&v, PROF_E_CORRUPT,
			    "a false result behind a true one");
		d->false_ways += !result;
	}
	return PROF_OK;
}

static enum prof_status
reader_decision(struct reader *r, const struct jval *v, uint32_t files,
    struct cover_decision *d)
{
	static const char *const keys[] = { "place", "conditions", "ways",
	    NULL };
	struct jval place = jval_get(v, keys[0]);
	struct jval conditions = jval_get(v, keys[1]);
	struct jval ways = jval_get(v, keys[2]);
	uint64_t row[ROW_MAX];
	unsigned nulls;

	*d = (struct cover_decision){ .ways = 0 };
	if (jval_object(v) != PROF_OK ||
	    reader_region(&place, 0, files, &d->region) != PROF_OK ||
	    reader_list(r, &conditions, sizeof(*d->conditions),
	    &d->conditions, &d->conditions_size) != PROF_OK)
		return PROF_FAIL;
	stream_warn_unknown(r->record, v, keys);
	if (d->conditions_size == 0)
		return jval_fail(&conditions, PROF_E_CORRUPT, "empty");
	for (size_t i = 0; i < d->conditions_size; i++) {
		struct jval c = jval_item(&conditions, i);

		if (reader_row(&c, 2, 3, 0, row, &nulls) != PROF_OK)
			return PROF_FAIL;
		if (row[2] > 3)
			return jval_fail(&c, PROF_E_CORRUPT, "sides that are "
			    "not from 0 to 3");
		d->conditions[i] = (struct cover_condition){
		    .start = { (uint32_t)row[0], (uint32_t)row[1] },
		    .folded = row[2] & 1, .other_folded = row[2] >> 1 & 1 };
	}
	return reader_ways(r, &ways, d);
}

/* A path, or the hex digits of one that is not UTF-8. */
static enum prof_status
reader_path(struct reader *r, const struct jval *v, uint32_t *number)
{
	struct jval hex = jval_get(v, "file_hex");
	struct prof_span path;

	if ((jval_is_object(v) ? jval_hex(&hex, &r->record->arena, &path) :
	    jval_string(v, &path)) != PROF_OK)
		return PROF_FAIL;
	*number = cover_add_path(r->cover, path);
	return *number == INDEX_NONE ? err_memory(r->record->doc.err) :
	    PROF_OK;
}

static enum prof_status
reader_regions(struct reader *r, const struct jval *list, size_t counts,
    uint32_t files, struct cover_region **out, size_t *size)
{
	if (reader_list(r, list, sizeof(**out), out, size) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < *size; i++) {
		struct jval v = jval_item(list, i);

		if (reader_region(&v, counts, files, &(*out)[i]) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* What functions have of any state; *state is a number of a word. */
static enum prof_status
reader_head(struct reader *r, const struct jval *root,
    struct cover_function *f, size_t *state)
{
	struct jval hex = jval_get(root, "name_hex"), guid, hash, word, files;
	struct jval name = jval_get(root, "name");
	uint32_t *numbers;
	size_t size;

	guid = jval_get(root, "guid");
	hash = jval_get(root, "hash");
	files = jval_get(root, "files");
	word = jval_get(root, "state");
	if (jval_is_there(&hex) && jval_is_there(&name))
		return jval_fail(&hex, PROF_E_CORRUPT,
		    "occurs together with name");
	if ((jval_is_there(&hex) ? jval_hex(&hex, &r->record->arena,
	    &f->name) : jval_string(&name, &f->name)) != PROF_OK)
		return PROF_FAIL;
	f->guid = jval_is_there(&guid) ? 0 : prof_guid(f->name);
	if ((jval_is_there(&guid) && jval_id(&guid, &f->guid) != PROF_OK) ||
	    jval_id(&hash, &f->hash) != PROF_OK ||
	    reader_list(r, &files, sizeof(*numbers), &numbers, &size) !=
	    PROF_OK)
		return PROF_FAIL;
	if (size == 0)
		return jval_fail(&files, PROF_E_CORRUPT, "empty");
	for (size_t i = 0; i < size; i++) {
		struct jval v = jval_item(&files, i);

		if (reader_path(r, &v, &numbers[i]) != PROF_OK)
			return PROF_FAIL;
	}
	f->files = numbers;
	f->files_size = (uint32_t)size;
	return jval_word(&word, states, STREAM_STATES, state);
}

/* What functions have that are not stale. */
static enum prof_status
reader_body(struct reader *r, const struct jval *root,
    struct cover_function *f)
{
	struct jval count = jval_get(root, "count");
	struct jval regions = jval_get(root, "regions");
	struct jval branches = jval_get(root, "branches");
	struct jval decisions = jval_get(root, "decisions");

	if (stream_parse_limited(&count, COVER_COUNT_MAX, &f->count) !=
	    PROF_OK || reader_regions(r, &regions, 1, f->files_size,
	    &f->regions, &f->regions_size) != PROF_OK)
		return PROF_FAIL;
	if (jval_is_there(&branches) && reader_regions(r, &branches, 2,
	    f->files_size, &f->branches, &f->branches_size) != PROF_OK)
		return PROF_FAIL;
	if (jval_is_there(&decisions) && reader_list(r, &decisions,
	    sizeof(*f->decisions), &f->decisions, &f->decisions_size) !=
	    PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < f->decisions_size; i++) {
		struct jval v = jval_item(&decisions, i);

		if (reader_decision(r, &v, f->files_size, &f->decisions[i]) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* Copies items; false if out of memory. */
static bool
reader_copy(struct arena *a, void *items, size_t n, size_t size)
{
	void *from, *to = arena_array(a, n, size);

	memcpy(&from, items, sizeof(from));
	if (to != NULL && n > 0)
		memcpy(to, from, n * size);
	memcpy(items, &to, sizeof(to));
	return to != NULL;
}

#define COPY(a, items, n)	reader_copy(a, &(items), n, sizeof(*(items)))

/* Copies what the function points to. */
static bool
reader_keep(struct arena *a, struct cover_function *f)
{
	struct cover_decision *d;
	bool done = arena_keep(a, &f->name) && COPY(a, f->files,
	    f->files_size) && COPY(a, f->regions, f->regions_size) &&
	    COPY(a, f->branches, f->branches_size) &&
	    COPY(a, f->decisions, f->decisions_size) &&
	    cover_function_link(a, f);

	for (size_t i = 0; i < f->decisions_size && done; i++) {
		d = &f->decisions[i];
		done = COPY(a, d->conditions, d->conditions_size) &&
		    reader_copy(a, &d->outcomes, d->ways, d->conditions_size);
	}
	return done;
}

/*
 * Adds the function to the cover, or its counts to the same function there.
 * False if out of memory.
 */
static bool
reader_put(struct reader *r, const struct cover_function *f)
{
	struct cover *c = r->cover;
	size_t before = c->entries_size;

	return cover_put_function(c, f) && (c->entries_size == before ||
	    reader_keep(&c->arena, &c->entries[before].function));
}

static enum prof_status
reader_function(struct reader *r, const struct jval *root)
{
	static const char *const keys[] = { "record", "name", "name_hex",
	    "guid", "hash", "files", "state", "count", "regions", "branches",
	    "decisions", NULL };
	struct jval count = jval_get(root, "count");
	struct cover_function f = { .count = 0 };
	size_t state;
	bool done;

	if (reader_head(r, root, &f, &state) != PROF_OK)
		return PROF_FAIL;
	stream_warn_unknown(r->record, root, keys);
	if (state == STREAM_STALE && jval_is_there(&count))
		return jval_fail(&count, PROF_E_CORRUPT, "a stale one has "
		    "none");
	if (state == STREAM_STALE) {
		done = cover_put_stale(r->cover, &(struct cover_stale){ f.guid,
		    f.hash, f.name, f.files[0] });
	} else {
		f.state = (enum cover_state)state;
		if (reader_body(r, root, &f) != PROF_OK)
			return PROF_FAIL;
		done = cover_function_link(&r->record->arena, &f) &&
		    reader_put(r, &f);
	}
	return done ? PROF_OK : err_memory(r->record->doc.err);
}

static enum prof_status
reader_line(struct reader *r)
{
	struct jval root = jdoc_root(&r->record->doc);
	struct jval type = jval_get(&root, "record");
	char shown[ERR_NAME_SIZE];
	struct prof_span name;

	if (jval_string(&type, &name) != PROF_OK)
		return PROF_FAIL;
	err_name(shown, name);
	if (strcmp(shown, "coverage_function") == 0)
		return reader_function(r, &root);
	if (strcmp(shown, "profile") == 0)
		return jval_fail(&type, PROF_E_CORRUPT,
		    "a profile before the end of the coverage");
	/* What tests ran is part of the functions, too. */
	if (strcmp(shown, "coverage_test") != 0)
		warn_line(r->record->context, r->record->doc.line,
		    "unknown record %s is ignored", shown);
	return PROF_OK;
}

enum prof_status
cover_read_stream(struct cover *c, struct prof_context *context,
    prof_pull *pull, void *arg, struct prof_error *err)
{
	struct reader r = { .cover = c };
	struct prof_reader *lines = stream_open_coverage(context, pull, arg,
	    &r.record, err);
	enum prof_status status = lines == NULL ? PROF_FAIL : PROF_OK;
	struct prof_record record;

	while (status == PROF_OK) {
		status = prof_next(lines, &record, err);
		if (status == PROF_OK && record.kind == PROF_REC_OTHER)
			status = reader_line(&r);
	}
	prof_close(lines);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

bool
cover_is_stream(struct prof_span s)
{
	return stream_is_coverage(s);
}
