#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/json.h"
#include "plan/plan.h"

/* A walk over the lines of a plan. */
struct plan_lines {
	struct prof_span text;
	size_t pos;
	uint64_t line;			/* that was read last */
};

/* The next line without its newline; PROF_END behind the last. */
static enum prof_status
plan_next_line(struct plan_lines *l, struct prof_span *line,
    struct prof_error *err)
{
	const uint8_t *start = l->text.data + l->pos, *newline;

	if (l->pos == l->text.size)
		return PROF_END;
	l->line++;
	newline = memchr(start, '\n', l->text.size - l->pos);
	if (newline == NULL)
		return err_line(err, PROF_E_TRUNCATED, l->line,
		    "the plan ends inside a line");
	*line = (struct prof_span){ start, (size_t)(newline - start) };
	l->pos += line->size + 1;
	return PROF_OK;
}

static enum prof_status
plan_parse_head(struct plan *p, const struct jval *head, uint64_t *shards,
    struct arena *arena)
{
	struct jval version = jval_get(head, "plan");
	struct jval inputs = jval_get(head, "inputs");
	struct jval count = jval_get(head, "shards");
	struct jval digest = jval_get(head, "sha256");
	struct prof_span bytes;
	uint64_t number;

	if (jval_number(&version, &number) != PROF_OK)
		return PROF_FAIL;
	if (number != PLAN_VERSION)
		return jval_fail(&version, PROF_E_VERSION, "%llu is newer than "
		    "%d", ull(number), PLAN_VERSION);
	if (jval_number(&inputs, &p->inputs) != PROF_OK ||
	    jval_number(&count, shards) != PROF_OK ||
	    jval_hex(&digest, arena, &bytes) != PROF_OK)
		return PROF_FAIL;
	if (bytes.size != SHA256_SIZE)
		return jval_fail(&digest, PROF_E_CORRUPT, "no digest");
	memcpy(p->digest, bytes.data, SHA256_SIZE);
	return PROF_OK;
}

/* Reads the head, and compares its digest with all that follows. */
static enum prof_status
plan_read_head(struct plan *p, struct plan_lines *l, struct jdoc *doc,
    uint64_t *shards, struct prof_error *err)
{
	struct arena arena = { 0 };
	uint8_t digest[SHA256_SIZE];
	struct prof_span line;
	enum prof_status status = plan_next_line(l, &line, err);
	struct jval head;

	if (status == PROF_OK)
		status = jdoc_load(doc, line, l->line, err);
	if (status != PROF_OK)
		return err_set(err, PROF_E_FORMAT, "empty: no plan");
	doc->err = err;
	head = jdoc_root(doc);
	status = plan_parse_head(p, &head, shards, &arena);
	arena_free(&arena);
	if (status != PROF_OK)
		return PROF_FAIL;
	sha256_of((struct prof_span){ l->text.data + l->pos,
	    l->text.size - l->pos }, digest);
	if (memcmp(digest, p->digest, SHA256_SIZE) == 0)
		return PROF_OK;
	return err_line(err, PROF_E_CORRUPT, l->line, "sha256 is not that of "
	    "the lines that follow");
}

static enum prof_status
plan_read_shard(struct plan *p, struct plan_lines *l, struct jdoc *doc,
    struct prof_span line, struct prof_error *err)
{
	struct plan_shard s = { .offset = l->pos, .line = l->line };
	struct jval root, number, inputs, bytes;
	uint64_t k;

	if (jdoc_load(doc, line, l->line, err) != PROF_OK)
		return PROF_FAIL;
	doc->err = err;
	root = jdoc_root(doc);
	number = jval_get(&root, "shard");
	inputs = jval_get(&root, "inputs");
	bytes = jval_get(&root, "bytes");
	if (jval_number(&number, &k) != PROF_OK ||
	    jval_number(&inputs, &s.inputs) != PROF_OK ||
	    jval_number(&bytes, &s.bytes) != PROF_OK)
		return PROF_FAIL;
	if (k != p->size + 1)
		return jval_fail(&number, PROF_E_CORRUPT, "%llu is not %zu",
		    ull(k), p->size + 1);
	if (s.inputs == 0)
		return jval_fail(&inputs, PROF_E_CORRUPT, "a shard without "
		    "inputs");
	if (__builtin_add_overflow(p->bytes, s.bytes, &p->bytes))
		return jval_fail(&bytes, PROF_E_LIMIT, "exceeds 64 bits");
	return ARRAY_ADD(p->shards, p->size, p->room, s) ? PROF_OK :
	    err_memory(err);
}

static bool
plan_line_is_shard(struct prof_span line)
{
	static const char start[] = "{\"shard\":";

	return line.size >= sizeof(start) - 1 &&
	    memcmp(line.data, start, sizeof(start) - 1) == 0;
}

/* Reads the lines of shards; `left` counts inputs to come of the last one. */
static enum prof_status
plan_read_shards(struct plan *p, struct plan_lines *l, struct jdoc *doc,
    struct prof_error *err)
{
	uint64_t left = 0, inputs = 0;
	struct prof_span line;
	enum prof_status status;

	while ((status = plan_next_line(l, &line, err)) == PROF_OK) {
		if (plan_line_is_shard(line) != (left == 0))
			return err_line(err, PROF_E_CORRUPT, l->line, "%s",
			    left == 0 ? "no line of a shard" :
			    "a shard has too few inputs");
		if (left != 0) {
			left--;
			inputs++;
		} else if (plan_read_shard(p, l, doc, line, err) == PROF_OK) {
			left = p->shards[p->size - 1].inputs;
		} else {
			return PROF_FAIL;
		}
	}
	if (status == PROF_END && (left != 0 || inputs != p->inputs))
		return err_line(err, PROF_E_CORRUPT, l->line, "%llu inputs, "
		    "the head says %llu", ull(inputs), ull(p->inputs));
	return status == PROF_END ? PROF_OK : status;
}

enum prof_status
plan_read(struct plan *p, struct prof_span text, struct prof_error *err)
{
	struct plan_lines l = { .text = text };
	struct jdoc doc = { .root = NULL };
	uint64_t shards = 0;
	enum prof_status status = plan_read_head(p, &l, &doc, &shards, err);

	p->text = text;
	if (status == PROF_OK)
		status = plan_read_shards(p, &l, &doc, err);
	if (status == PROF_OK && (shards != p->size || shards == 0))
		status = err_line(err, PROF_E_CORRUPT, 1, "shards: %llu, there "
		    "are %zu", ull(shards), p->size);
	jdoc_free(&doc);
	return status;
}

static enum prof_status
plan_parse_input(const struct jval *root, struct plan_input *input,
    struct arena *arena)
{
	struct jval path = jval_get(root, "path");
	struct jval size = jval_get(root, "size");
	struct jval hex = jval_get(root, "path_hex");

	if (jval_is_there(&hex) ? jval_hex(&hex, arena, &input->path) != PROF_OK
	    : jval_string(&path, &input->path) != PROF_OK)
		return PROF_FAIL;
	if (input->path.size == 0 || memchr(input->path.data, '\0',
	    input->path.size) != NULL)
		return jval_fail(&path, PROF_E_CORRUPT, "no path");
	input->path = arena_text(arena, input->path);
	return input->path.data == NULL ? err_memory(root->doc->err) :
	    jval_number(&size, &input->size);
}

enum prof_status
plan_each(const struct plan *p, size_t shard, plan_take *take, void *arg,
    struct prof_error *err)
{
	const struct plan_shard *s = &p->shards[shard];
	struct plan_lines l = { p->text, s->offset, s->line };
	enum prof_status status = PROF_OK;
	struct arena arena = { 0 };
	struct jdoc doc = { .root = NULL };

	for (uint64_t i = 0; status == PROF_OK && i < s->inputs; i++) {
		struct plan_input input;
		struct prof_span line;
		struct jval root;

		arena_reset(&arena);
		status = plan_next_line(&l, &line, err);
		if (status == PROF_OK)
			status = jdoc_load(&doc, line, l.line, err);
		if (status != PROF_OK)
			break;
		doc.err = err;
		root = jdoc_root(&doc);
		status = plan_parse_input(&root, &input, &arena);
		if (status == PROF_OK)
			status = take(arg, &input, err);
	}
	arena_free(&arena);
	jdoc_free(&doc);
	return status;
}

void
plan_free(struct plan *p)
{
	free(p->shards);
	*p = (struct plan){ .size = 0 };
}
