/* cover/stream_read.c - coverage as lines of JSON, prof-stream(5), read */
#include "config.h"

#include "base/error.h"
#include "base/text.h"
#include "cover/mapping.h"
#include "cover/stream.h"
#include "format/stream/stream.h"

enum { ROW_MAX = 8 };

/*
 * A line in the form of the writer, taken apart from left to right; a newline
 * stands at its end.  Once something is odd, all fails; where that was is kept.
 */
struct line {
	const uint8_t *p, *end;
	struct arena *arena;		/* of strings with escapes */
	const char *key;		/* of the member */
	size_t item;			/* of its list, or SIZE_MAX */
	const char *reason;		/* NULL: nothing was odd */
};

static void
line_fail(struct line *l, const char *reason)
{
	if (l->reason == NULL)
		l->reason = reason;
}

static bool
line_skip(struct line *l, const char *text)
{
	size_t size = strlen(text);

	if (l->reason != NULL || (size_t)(l->end - l->p) < size ||
	    memcmp(l->p, text, size) != 0)
		return false;
	l->p += size;
	return true;
}

/* Whether the next member of the function is this one. */
static bool
line_has(struct line *l, const char *key)
{
	const uint8_t *start = l->p;

	if (line_skip(l, ",\"") && line_skip(l, key) && line_skip(l, "\":")) {
		l->key = key;
		l->item = SIZE_MAX;
		return true;
	}
	l->p = start;
	return false;
}

static void
line_need(struct line *l, const char *key)
{
	if (l->reason == NULL && !line_has(l, key)) {
		l->key = key;
		l->item = SIZE_MAX;
		line_fail(l, "missing");
	}
}

/* Whether item number i of a list comes; the brackets are skipped. */
static bool
line_item(struct line *l, size_t i)
{
	if (line_skip(l, i == 0 ? "[" : ","))
		return i > 0 || !line_skip(l, "]");
	if (i == 0 || !line_skip(l, "]"))
		line_fail(l, "not such a list");
	return false;
}

static uint64_t
line_number(struct line *l, uint64_t max)
{
	bool quoted = line_skip(l, "\"");
	const uint8_t *start = l->p;
	uint64_t v = 0;

	for (; *l->p >= '0' && *l->p <= '9'; l->p++)
		v = v * 10 + *l->p - '0';
	if (((l->p - start > 1 && (*start == '0' || l->p - start > 18)) ||
	    l->p == start) && !json_text_get_number((struct prof_span){ start,
	    (size_t)(l->p - start) }, &v))
		line_fail(l, "not a whole number");
	if (v > max)
		line_fail(l, "too large a number");
	if (quoted && !line_skip(l, "\""))
		line_fail(l, "not a whole number");
	return v;
}

/* Undoes the escapes that json_text_string writes. */
static struct prof_span
line_unescape(struct line *l)
{
	static const char letters[] = "bfnrt\"\\", bytes[] = "\b\f\n\r\t\"\\";
	uint8_t *to = arena_alloc(l->arena, (size_t)(l->end - l->p));
	struct prof_span s = { to, 0 };
	const char *letter;

	while (to != NULL && *l->p >= 0x20 && *l->p != '"') {
		if (*l->p != '\\') {
			to[s.size++] = *l->p++;
			continue;
		}
		letter = *++l->p < 0x20 ? NULL : strchr(letters, *l->p);
		if (letter != NULL) {
			to[s.size++] = (uint8_t)bytes[letter - letters];
			l->p++;
		} else if (line_skip(l, "u00") && l->end - l->p >= 2 &&
		    json_text_get_hex((struct prof_span){ l->p, 2 },
		    &to[s.size])) {
			s.size++;
			l->p += 2;
		} else {
			break;
		}
	}
	return s;
}

static struct prof_span
line_string(struct line *l)
{
	struct prof_span s = { NULL, 0 };
	uint8_t bits = 0;

	if (!line_skip(l, "\"")) {
		line_fail(l, "not a string");
		return s;
	}
	for (s.data = l->p; l->p[s.size] >= 0x20 && l->p[s.size] != '"' &&
	    l->p[s.size] != '\\'; s.size++)
		bits |= l->p[s.size];
	if (l->p[s.size] == '\\') {
		s = line_unescape(l);
		bits = 0x80;
	} else {
		l->p += s.size;
	}
	if (!line_skip(l, "\"") || (bits >= 0x80 && !utf8_valid(s)))
		line_fail(l, "not a string");
	return s;
}

static uint64_t
line_id(struct line *l)
{
	struct prof_span s = line_string(l);
	uint64_t id = 0;

	if (!json_text_get_id(s, &id))
		line_fail(l, "not \"0x\" and 16 lower-case hex digits");
	return id;
}

static struct prof_span
line_hex(struct line *l)
{
	struct prof_span s = line_string(l);
	uint8_t *bytes = arena_alloc(l->arena, s.size / 2);

	if (bytes == NULL || !json_text_get_hex(s, bytes))
		line_fail(l, "not bytes in lower-case hex digits");
	return (struct prof_span){ bytes, s.size / 2 };
}

/*
 * A list of numbers, of which those missing at the end are 0.  From the fifth
 * on there are so many counts, which, if there are two, may be null; returns
 * the bits of those that are.
 */
static unsigned
line_row(struct line *l, size_t least, size_t most, size_t counts,
    uint64_t row[ROW_MAX])
{
	unsigned nulls = 0;
	size_t n = 0;

	memset(row, 0, ROW_MAX * sizeof(*row));
	for (; line_item(l, n); n++) {
		bool count = n >= 4 && n - 4 < counts;

		if (n == most)
			line_fail(l, "too many numbers");
		else if (count && counts == 2 && line_skip(l, "null"))
			nulls |= 1u << (n - 4);
		else
			row[n] = line_number(l, count ? COVER_COUNT_MAX :
			    UINT32_MAX);
	}
	if (n < least)
		line_fail(l, "too few numbers");
	return nulls;
}

/* Lists of a function, and of a decision. */
enum { FILES, REGIONS, BRANCHES, DECISIONS, CONDITIONS, FALSE_WAYS, TRUE_WAYS,
    LISTS };

struct reader {
	struct cover *cover;
	struct stream_record record;	/* memory of the line */
	struct buf text;		/* of the line, with a newline */
	struct line line;
	struct cover_function function;
	bool stale, failed;		/* failed: out of memory */
	struct buf lists[LISTS];
};

/* A region of one of the lists: that of decisions has no counts. */
static struct cover_region
reader_region(struct reader *r, unsigned list)
{
	size_t counts = list == BRANCHES ? 2 : list == REGIONS;
	struct line *l = &r->line;
	uint64_t row[ROW_MAX], *tail = row + 4 + counts, kind = COVER_DECISION;
	unsigned nulls = line_row(l, 4 + counts, counts == 0 ? 5 : 8, counts,
	    row);
	struct cover_region out = {
	    .start = { (uint32_t)row[0], (uint32_t)row[1] },
	    .end = { (uint32_t)row[2], (uint32_t)row[3] },
	    .count = counts > 0 ? row[4] : 0, .other = counts > 1 ? row[5] : 0,
	    .file = (uint32_t)tail[0], .folded = nulls & 1,
	    .other_folded = nulls >> 1 & 1,
	    .expanded = list == REGIONS ? (uint32_t)tail[1] : 0 };

	if (counts > 0)
		kind = row[7] == 0 && list == BRANCHES ? COVER_BRANCH : row[7];
	out.kind = (uint8_t)kind;
	if (list == BRANCHES ? kind != COVER_BRANCH && kind != COVER_CONDITION :
	    list == REGIONS && (kind >= COVER_BRANCH || (out.expanded != 0 &&
	    kind != COVER_EXPANSION)))
		line_fail(l, "a kind that does not stand here");
	if (cover_place_number(out.end) < cover_place_number(out.start))
		line_fail(l, "ends before it begins");
	if (out.file >= r->function.files_size ||
	    out.expanded >= r->function.files_size)
		line_fail(l, "no such file of the function");
	return out;
}

/* Outcomes of so many conditions and the result, as in "TF-:1". */
static void
reader_way(struct reader *r, size_t size)
{
	struct prof_span s = line_string(&r->line);
	bool fits = s.size == size + 2 && s.data[size] == ':' &&
	    (s.data[size + 1] & 0xfe) == '0';
	struct buf *out = &r->lists[fits && s.data[size + 1] == '1' ?
	    TRUE_WAYS : FALSE_WAYS];
	const char *outcome;

	for (size_t i = 0; i < size && fits; i++) {
		outcome = memchr(COVER_OUTCOMES, s.data[i], 3);
		fits = outcome != NULL;
		if (fits)
			buf_u8(out, (uint8_t)(outcome - COVER_OUTCOMES));
	}
	if (!fits)
		line_fail(&r->line, "a way is not such as \"TF-:1\"");
}

static void
reader_decision(struct reader *r)
{
	struct buf *conditions = &r->lists[CONDITIONS];
	struct buf *ways = &r->lists[FALSE_WAYS];
	struct cover_decision d = { 0 };
	struct line *l = &r->line;
	uint64_t row[ROW_MAX];

	conditions->size = ways[0].size = ways[1].size = 0;
	if (!line_skip(l, "{\"place\":"))
		line_fail(l, "no place");
	d.region = reader_region(r, DECISIONS);
	if (!line_skip(l, ",\"conditions\":"))
		line_fail(l, "no conditions");
	for (; line_item(l, d.conditions_size); d.conditions_size++) {
		line_row(l, 2, 3, 0, row);
		if (row[2] > 3)
			line_fail(l, "sides that are not from 0 to 3");
		buf_put(conditions, &(struct cover_condition){
		    { (uint32_t)row[0], (uint32_t)row[1] }, row[2] & 1,
		    row[2] >> 1 & 1, false, { 0, 0 } },
		    sizeof(*d.conditions));
	}
	if (d.conditions_size == 0 || !line_skip(l, ",\"ways\":"))
		line_fail(l, d.conditions_size == 0 ? "no conditions" :
		    "no ways");
	for (; line_item(l, d.ways); d.ways++) {
		if (d.ways == COVER_WAYS_MAX)
			line_fail(l, "too many ways");
		reader_way(r, d.conditions_size);
	}
	if (!line_skip(l, "}"))
		line_fail(l, "not such an object");
	if (l->reason != NULL)
		return;
	d.false_ways = ways[0].size / d.conditions_size;
	buf_put(&ways[0], ways[1].data, ways[1].size);
	d.conditions = (void *)(uintptr_t)arena_copy(l->arena,
	    buf_span(conditions)).data;
	d.outcomes = arena_copy(l->arena, buf_span(ways)).data;
	r->failed |= d.conditions == NULL || d.outcomes == NULL;
	buf_put(&r->lists[DECISIONS], &d, sizeof(d));
}

/* A path, or the hex digits of one that is not UTF-8. */
static void
reader_path(struct reader *r)
{
	bool hex = line_skip(&r->line, "{\"file_hex\":");
	struct prof_span path = hex ? line_hex(&r->line) :
	    line_string(&r->line);
	uint32_t number = 0;

	if (hex && !line_skip(&r->line, "}"))
		line_fail(&r->line, "not such an object");
	if (r->line.reason == NULL)
		number = cover_add_path(r->cover, path);
	r->failed |= number == INDEX_NONE;
	buf_put(&r->lists[FILES], &number, sizeof(number));
}

/* The items of one of the lists; returns how many there are. */
static size_t
reader_list(struct reader *r, unsigned list)
{
	struct cover_region region;
	size_t n = 0;

	r->lists[list].size = 0;
	for (; line_item(&r->line, n); n++) {
		r->line.item = n;
		if (list == FILES) {
			reader_path(r);
		} else if (list == DECISIONS) {
			reader_decision(r);
		} else {
			region = reader_region(r, list);
			buf_put(&r->lists[list], &region, sizeof(region));
		}
	}
	return n;
}

static const char *const function_keys[] = { "record", "name", "name_hex",
    "guid", "hash", "files", "state", "count", "regions", "branches",
    "decisions", NULL };
static const char *const decision_keys[] = { "place", "conditions", "ways",
    NULL };

static void
reader_state(struct reader *r)
{
	struct prof_span s = line_string(&r->line);
	unsigned i = 0;

	while (i < STREAM_STATES && !prof_span_equal(s,
	    span_of_text(cover_stream_states[i])))
		i++;
	if (i == STREAM_STATES)
		line_fail(&r->line, "not a known word");
	r->stale = i == STREAM_STALE;
	r->function.state = i < STREAM_STALE ? (enum cover_state)i :
	    COVER_NOT_COUNTED;
}

static void
reader_function(struct reader *r)
{
	struct cover_function *f = &r->function;
	struct line *l = &r->line;

	if (line_has(l, "name_hex")) {
		f->name = line_hex(l);
	} else {
		line_need(l, "name");
		f->name = line_string(l);
		if (line_has(l, "name_hex"))
			line_fail(l, "occurs together with name");
	}
	f->guid = line_has(l, "guid") ? line_id(l) : prof_guid(f->name);
	line_need(l, "hash");
	f->hash = line_id(l);
	line_need(l, "files");
	f->files_size = (uint32_t)reader_list(r, FILES);
	if (f->files_size == 0)
		line_fail(l, "empty");
	line_need(l, "state");
	reader_state(r);
	if (r->stale)
		return;
	line_need(l, "count");
	f->count = line_number(l, COVER_COUNT_MAX);
	line_need(l, "regions");
	f->regions_size = reader_list(r, REGIONS);
	if (line_has(l, "branches"))
		f->branches_size = reader_list(r, BRANCHES);
	if (line_has(l, "decisions"))
		f->decisions_size = reader_list(r, DECISIONS);
}

/* Takes the text apart; false if it is odd, or memory is out. */
static bool
reader_parse(struct reader *r)
{
	struct cover_function *f = &r->function;
	struct line *l = &r->line;

	*f = (struct cover_function){ 0 };
	arena_reset(&r->record.arena);
	*l = (struct line){ r->text.data, r->text.data + r->text.size - 1,
	    &r->record.arena, "record", SIZE_MAX, NULL };
	if (!line_skip(l, "{\"record\":\"coverage_function\""))
		line_fail(l, "another one");
	reader_function(r);
	if (!line_skip(l, "}") || l->p != l->end)
		line_fail(l, "other members do not go with it");
	f->files = (const void *)r->lists[FILES].data;
	f->regions = (void *)r->lists[REGIONS].data;
	f->branches = (void *)r->lists[BRANCHES].data;
	f->decisions = (void *)r->lists[DECISIONS].data;
	for (unsigned i = 0; i < LISTS; i++)
		r->failed |= r->lists[i].failed;
	return l->reason == NULL && !r->failed;
}

/* Writes the known members of an object anew, in the order of the writer. */
static void
reader_rewrite(struct reader *r, const struct jval *object,
    const char *const keys[])
{
	struct buf *b = &r->text;

	stream_warn_unknown(&r->record, object, keys);
	for (; *keys != NULL; keys++) {
		struct jval v = jval_get(object, *keys), item;
		size_t size;

		if (!jval_is_there(&v))
			continue;
		json_member_key(b, *keys);
		if (strcmp(*keys, "decisions") != 0 || !jval_is_list(&v)) {
			jval_put(b, &v);
			continue;
		}
		jval_list(&v, &size);
		for (size_t i = 0; i < size; i++) {
			json_text_plain(b, i == 0 ? "[{" : ",{");
			item = jval_item(&v, i);
			reader_rewrite(r, &item, decision_keys);
			json_text_plain(b, "}");
		}
		json_text_plain(b, size == 0 ? "[]" : "]");
	}
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

/* Adds the function of the line, or its counts to what is there. */
static bool
reader_put(struct reader *r)
{
	struct cover_function *f = &r->function;
	struct cover *c = r->cover;
	size_t before = c->entries_size;

	if (r->stale)
		return cover_put_stale(c, &(struct cover_stale){ f->guid,
		    f->hash, f->name, f->files[0] });
	if ((f->state == COVER_COUNTED && id_map_add(&c->counted, f->guid,
	    0) == NULL) || !cover_function_link(&r->record.arena, f) ||
	    !cover_put_function(c, f))
		return false;
	return c->entries_size == before ||
	    reader_keep(&c->arena, &c->entries[before].function);
}

/* A line that is not in the form of the writer, or wrong. */
static enum prof_status
reader_odd(struct reader *r, struct prof_span text, uint64_t number,
    struct prof_error *err)
{
	char shown[ERR_NAME_SIZE], item[32] = "";
	struct prof_span name;
	struct jval root, type;

	if (r->failed)
		return err_memory(err);
	if (jdoc_load(&r->record.doc, text, number, err) != PROF_OK)
		return PROF_FAIL;
	root = jdoc_root(&r->record.doc);
	type = jval_get(&root, "record");
	if (jval_string(&type, &name) != PROF_OK)
		return PROF_FAIL;
	err_name(shown, name);
	if (strcmp(shown, "profile") == 0)
		return err_line(err, PROF_E_CORRUPT, number,
		    "a profile record before the end of the coverage");
	/* What tests ran is part of the functions, too. */
	if (strcmp(shown, "coverage_test") == 0)
		return PROF_OK;
	if (strcmp(shown, "coverage_function") != 0) {
		warn_line(r->record.context, number, "unknown record %s is "
		    "ignored", shown);
		return PROF_OK;
	}
	r->text.size = 0;
	json_text_plain(&r->text, "{");
	reader_rewrite(r, &root, function_keys);
	json_text_plain(&r->text, "}\n");
	if (!r->text.failed && reader_parse(r) && reader_put(r))
		return PROF_OK;
	if (r->text.failed || r->failed || r->line.reason == NULL)
		return err_memory(err);
	if (r->line.item != SIZE_MAX)
		snprintf(item, sizeof(item), "[%zu]", r->line.item);
	return err_line(err, PROF_E_CORRUPT, number, "%s%s: %s", r->line.key,
	    item, r->line.reason);
}

static enum prof_status
reader_line(struct reader *r, struct prof_span text, uint64_t number,
    struct prof_error *err)
{
	r->text.size = 0;
	buf_put(&r->text, text.data, text.size);
	buf_u8(&r->text, '\n');
	if (r->text.failed)
		return err_memory(err);
	if (!reader_parse(r))
		return reader_odd(r, text, number, err);
	return reader_put(r) ? PROF_OK : err_memory(err);
}

enum prof_status
cover_read_stream(struct cover *c, struct prof_context *context,
    prof_pull *pull, void *arg, struct prof_error *err)
{
	struct prof_reader *lines = stream_open_coverage(context, pull, arg,
	    err);
	struct reader r = { .cover = c, .record.context = context };
	enum prof_status status = lines == NULL ? PROF_FAIL : PROF_OK;
	struct prof_record record;

	while (status == PROF_OK) {
		status = prof_next(lines, &record, err);
		if (status == PROF_OK && record.kind == PROF_REC_OTHER)
			status = reader_line(&r, record.u.other, lines->line,
			    err);
	}
	prof_close(lines);
	stream_record_free(&r.record);
	buf_free(&r.text);
	for (unsigned i = 0; i < LISTS; i++)
		buf_free(&r.lists[i]);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

bool
cover_is_stream(struct prof_span s)
{
	static const char *const tokens[] = { "{", "\"record\"", ":",
	    "\"coverage" };
	size_t i = 0, size;

	for (unsigned k = 0; k < sizeof(tokens) / sizeof(*tokens); k++) {
		while (i < s.size && json_text_is_blank(s.data[i]))
			i++;
		size = strlen(tokens[k]);
		if (s.size - i < size ||
		    memcmp(s.data + i, tokens[k], size) != 0)
			return false;
		i += size;
	}
	return true;
}
