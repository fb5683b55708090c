#include "config.h"

#include "plan/account.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"
#include "base/json_text.h"

void
account_put(struct buf *b, const struct account *a)
{
	char digest[SHA256_TEXT + 1];

	sha256_text(a->plan, digest);
	json_text_plain(b, "{");
	json_member_text(b, "record", "part");
	json_member_text(b, "plan", digest);
	json_member_key(b, "shards");
	json_text_plain(b, "[");
	for (size_t i = 0; i < a->size; i++) {
		const uint64_t pair[] = { a->shards[i].first,
		    a->shards[i].last };

		json_text_plain(b, i == 0 ? "" : ",");
		json_text_numbers(b, pair, 2);
	}
	json_text_plain(b, "]");
	json_member_number(b, "inputs", a->inputs);
	json_member_number(b, "used", a->used);
	json_member_number(b, "bad", a->bad);
	json_text_plain(b, "}\n");
	buf_put(b, a->lines.data, a->lines.size);
}

bool
account_sort(struct account *a)
{
	struct prof_span *lines = NULL;
	size_t size = 0, room = 0;
	struct buf sorted = { 0 };
	bool good = !a->lines.failed;

	for (size_t i = 0; good && i < a->lines.size;) {
		const uint8_t *start = a->lines.data + i;
		const uint8_t *newline = memchr(start, '\n', a->lines.size - i);
		size_t n = newline == NULL ? a->lines.size - i :
		    (size_t)(newline - start) + 1;

		good = ARRAY_ADD(lines, size, room,
		    (struct prof_span){ start, n });
		i += n;
	}
	if (good)
		prof_span_sort(lines, size);
	for (size_t i = 0; good && i < size; i++)
		buf_put(&sorted, lines[i].data, lines[i].size);
	good = good && !sorted.failed;
	free(lines);
	buf_free(good ? &a->lines : &sorted);
	if (good)
		a->lines = sorted;
	return good;
}

/* The ranges are in order, and shards lie between one and the next. */
static enum prof_status
account_read_ranges(struct account *a, const struct jval *list)
{
	uint64_t before = 0;
	size_t n, two;

	if (jval_list(list, &n) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < n; i++) {
		struct jval pair = jval_item(list, i), first, last;
		struct account_range r;

		if (jval_list(&pair, &two) != PROF_OK)
			return PROF_FAIL;
		first = jval_item(&pair, 0);
		last = jval_item(&pair, 1);
		if (jval_number(&first, &r.first) != PROF_OK ||
		    jval_number(&last, &r.last) != PROF_OK)
			return PROF_FAIL;
		if (r.first == 0 || r.first > r.last || (i != 0 &&
		    r.first - 1 <= before))
			return jval_fail(&pair, PROF_E_CORRUPT, "not a range "
			    "in ascending order");
		before = r.last;
		if (!ARRAY_ADD(a->shards, a->size, a->room, r))
			return err_memory(list->doc->err);
	}
	return n == 0 ? jval_fail(list, PROF_E_CORRUPT, "no shard") : PROF_OK;
}

static enum prof_status
account_read_members(struct account *a, const struct jval *root,
    struct arena *arena)
{
	struct jval plan = jval_get(root, "plan");
	struct jval shards = jval_get(root, "shards");
	struct jval inputs = jval_get(root, "inputs");
	struct jval used = jval_get(root, "used"), bad = jval_get(root, "bad");
	struct prof_span digest;

	if (jval_hex(&plan, arena, &digest) != PROF_OK)
		return PROF_FAIL;
	if (digest.size != SHA256_SIZE)
		return jval_fail(&plan, PROF_E_CORRUPT, "no digest");
	memcpy(a->plan, digest.data, SHA256_SIZE);
	if (account_read_ranges(a, &shards) != PROF_OK ||
	    jval_number(&inputs, &a->inputs) != PROF_OK ||
	    jval_number(&used, &a->used) != PROF_OK ||
	    jval_number(&bad, &a->bad) != PROF_OK)
		return PROF_FAIL;
	/* Members of archives count too, so there may be more. */
	if (a->used < a->inputs && a->bad < a->inputs - a->used)
		return jval_fail(&used, PROF_E_CORRUPT, "%llu used and %llu "
		    "bad of %llu inputs", ull(a->used), ull(a->bad),
		    ull(a->inputs));
	return PROF_OK;
}

/* Loads a line, and whether its record is of that kind. */
static enum prof_status
account_load(struct jdoc *doc, struct prof_span line, const char *kind,
    struct prof_error *err)
{
	struct prof_error why = { 0 };
	struct jval root, record;
	struct prof_span word;

	if (jdoc_load(doc, line, 2, &why) == PROF_OK) {
		doc->err = &why;
		root = jdoc_root(doc);
		record = jval_get(&root, "record");
		if (jval_string(&record, &word) == PROF_OK &&
		    word.size == strlen(kind) &&
		    memcmp(word.data, kind, word.size) == 0) {
			doc->err = err;
			return PROF_OK;
		}
	}
	doc->err = err;
	return why.code == PROF_E_MEMORY ? err_memory(err) : err_set(err,
	    PROF_E_FORMAT, "not a part of a plan: the %s record is missing",
	    kind);
}

enum prof_status
account_read(struct account *a, struct prof_span line, struct prof_error *err)
{
	struct jdoc doc = { .root = NULL };
	struct arena arena = { 0 };
	enum prof_status status = account_load(&doc, line, "part", err);

	if (status == PROF_OK) {
		struct jval root = jdoc_root(&doc);

		status = account_read_members(a, &root, &arena);
	}
	arena_free(&arena);
	jdoc_free(&doc);
	return status;
}

enum prof_status
account_file(struct prof_span line, struct arena *arena,
    struct prof_span *file, struct prof_error *err)
{
	struct jdoc doc = { .root = NULL };
	enum prof_status status = account_load(&doc, line, "bad", err);

	if (status == PROF_OK) {
		struct jval root = jdoc_root(&doc);
		struct jval name = jval_get(&root, "file");
		struct jval hex = jval_get(&root, "file_hex");

		status = jval_is_there(&hex) ? jval_hex(&hex, arena, file) :
		    jval_string(&name, file);
	}
	if (status == PROF_OK) {
		*file = arena_copy(arena, *file);
		if (file->data == NULL)
			status = err_memory(err);
	}
	jdoc_free(&doc);
	return status;
}

enum prof_status
account_add_line(struct account *a, struct prof_span line,
    struct prof_error *err)
{
	struct arena arena = { 0 };
	struct prof_span file;
	enum prof_status status = account_file(line, &arena, &file, err);

	arena_free(&arena);
	if (status != PROF_OK)
		return PROF_FAIL;
	buf_put(&a->lines, line.data, line.size);
	buf_put(&a->lines, "\n", 1);
	return a->lines.failed ? err_memory(err) : PROF_OK;
}

uint64_t
account_shards(const struct account *a)
{
	uint64_t n = 0;

	for (size_t i = 0; i < a->size; i++)
		n += a->shards[i].last - a->shards[i].first + 1;
	return n;
}

bool
account_next(struct account_walk *w)
{
	const struct account *a = w->account;

	if (w->range < a->size && w->shard == a->shards[w->range].last)
		w->range++;
	if (w->range == a->size)
		return false;
	w->shard = w->shard < a->shards[w->range].first ?
	    a->shards[w->range].first : w->shard + 1;
	return true;
}

void
account_free(struct account *a)
{
	free(a->shards);
	buf_free(&a->lines);
	*a = (struct account){ .size = 0 };
}
