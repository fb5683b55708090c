#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/json.h"
#include "model/words.h"
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
plan_parse_digest(const struct jval *v, uint8_t digest[SHA256_SIZE],
    struct arena *arena)
{
	struct prof_span bytes;

	if (jval_hex(v, arena, &bytes) != PROF_OK)
		return PROF_FAIL;
	if (bytes.size != SHA256_SIZE)
		return jval_fail(v, PROF_E_CORRUPT, "no digest");
	memcpy(digest, bytes.data, SHA256_SIZE);
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
	uint64_t number;

	if (jval_number(&version, &number) != PROF_OK)
		return PROF_FAIL;
	if (number != PLAN_VERSION)
		return jval_fail(&version, PROF_E_VERSION, "%llu is newer than "
		    "%d", ull(number), PLAN_VERSION);
	return jval_number(&inputs, &p->inputs) == PROF_OK &&
	    jval_number(&count, shards) == PROF_OK ?
	    plan_parse_digest(&digest, p->digest, arena) : PROF_FAIL;
}

static enum prof_status
plan_check_digest(struct prof_span lines, const uint8_t digest[SHA256_SIZE],
    uint64_t line, struct prof_error *err)
{
	uint8_t found[SHA256_SIZE];

	sha256_of(lines, found);
	return memcmp(digest, found, SHA256_SIZE) == 0 ? PROF_OK : err_line(err,
	    PROF_E_CORRUPT, line, "sha256 does not match the lines that it "
	    "covers");
}

static enum prof_status
plan_read_head(struct plan *p, struct plan_lines *l, struct jdoc *doc,
    uint64_t *shards, struct prof_error *err)
{
	struct arena arena = { 0 };
	struct prof_span line;
	enum prof_status status = plan_next_line(l, &line, err);
	struct jval head;

	if (status == PROF_OK)
		status = jdoc_load(doc, line, l->line, err);
	if (status != PROF_OK)
		return err_set(err, PROF_E_FORMAT, "empty: not a plan");
	doc->err = err;
	head = jdoc_root(doc);
	status = plan_parse_head(p, &head, shards, &arena);
	arena_free(&arena);
	return status;
}

/* Terms that are not known cannot be kept. */
static enum prof_status
plan_parse_terms(struct plan_terms *t, const struct jval *root, uint64_t line)
{
	static const char *const known[] = { "max_traces", "max_trace_length",
	    "level", NULL };
	const char *unknown = jval_unknown(root, known);
	struct jval traces = jval_get(root, "max_traces");
	struct jval length = jval_get(root, "max_trace_length");
	struct jval level = jval_get(root, "level");
	size_t word = PROF_LEVEL_UNKNOWN;

	if (unknown != NULL)
		return err_line(root->doc->err, PROF_E_VERSION, line, "neither "
		    "a shard nor known terms: %s", unknown);
	t->sampled = jval_is_there(&traces);
	if (t->sampled && jval_number(&traces, &t->max_traces) != PROF_OK)
		return PROF_FAIL;
	if (t->max_traces > UINT32_MAX)
		return jval_fail(&traces, PROF_E_LIMIT, "exceeds 32 bits");
	if (jval_is_there(&length) &&
	    jval_number(&length, &t->max_trace_length) != PROF_OK)
		return PROF_FAIL;
	if (jval_is_there(&level) &&
	    jval_word(&level, words_level, WORDS_LEVELS, &word) != PROF_OK)
		return PROF_FAIL;
	t->level = (enum prof_level)word;
	return PROF_OK;
}

/* The line behind the head, unless it is that of a shard. */
static enum prof_status
plan_read_terms(struct plan *p, struct plan_lines *l, struct jdoc *doc,
    struct prof_error *err)
{
	const struct plan_lines before = *l;
	struct prof_span line;
	enum prof_status status = plan_next_line(l, &line, err);
	struct jval root, shard;

	if (status == PROF_OK)
		status = jdoc_load(doc, line, l->line, err);
	if (status == PROF_FAIL)
		return PROF_FAIL;
	if (status == PROF_OK) {
		doc->err = err;
		root = jdoc_root(doc);
		shard = jval_get(&root, "shard");
		if (!jval_is_there(&shard))
			return plan_parse_terms(&p->terms, &root, l->line);
	}
	*l = before;
	return PROF_OK;
}

/* Adds the shard, whose inputs are the next `length` bytes of the text. */
static enum prof_status
plan_parse_shard(struct plan *p, const struct jval *root, struct arena *arena)
{
	struct jval number = jval_get(root, "shard");
	struct jval inputs = jval_get(root, "inputs");
	struct jval bytes = jval_get(root, "bytes");
	struct jval length = jval_get(root, "length");
	struct jval digest = jval_get(root, "sha256");
	struct plan_shard s = { .inputs = 0 };
	uint64_t k, size;

	if (jval_number(&number, &k) != PROF_OK ||
	    jval_number(&inputs, &s.inputs) != PROF_OK ||
	    jval_number(&bytes, &s.bytes) != PROF_OK ||
	    jval_number(&length, &size) != PROF_OK ||
	    plan_parse_digest(&digest, s.digest, arena) != PROF_OK)
		return PROF_FAIL;
	if (k != p->size + 1)
		return jval_fail(&number, PROF_E_CORRUPT, "%llu is not %zu",
		    ull(k), p->size + 1);
	if (s.inputs == 0)
		return jval_fail(&inputs, PROF_E_CORRUPT, "a shard without "
		    "inputs");
	if (size > p->text.size || s.inputs > size)
		return jval_fail(&length, PROF_E_CORRUPT, "%llu bytes for "
		    "%llu inputs", ull(size), ull(s.inputs));
	if (__builtin_add_overflow(p->bytes, s.bytes, &p->bytes))
		return jval_fail(&bytes, PROF_E_LIMIT, "exceeds 64 bits");
	s.length = (size_t)size;
	return ARRAY_ADD(p->shards, p->size, p->room, s) ? PROF_OK :
	    err_memory(root->doc->err);
}

static enum prof_status
plan_read_shard(struct plan *p, struct plan_lines *l, struct jdoc *doc,
    struct prof_error *err)
{
	struct arena arena = { 0 };
	struct prof_span line;
	enum prof_status status = plan_next_line(l, &line, err);
	struct jval root;

	if (status == PROF_END)
		return err_line(err, PROF_E_TRUNCATED, l->line, "shard %zu is "
		    "missing", p->size + 1);
	if (status != PROF_OK || jdoc_load(doc, line, l->line, err) != PROF_OK)
		return PROF_FAIL;
	doc->err = err;
	root = jdoc_root(doc);
	status = plan_parse_shard(p, &root, &arena);
	arena_free(&arena);
	return status;
}

/* Where the inputs of each shard are: the rest of the text, without gaps. */
static enum prof_status
plan_place_shards(struct plan *p, const struct plan_lines *l,
    struct prof_error *err)
{
	size_t offset = l->pos;
	uint64_t line = l->line, inputs = 0;

	for (size_t i = 0; i < p->size; i++) {
		struct plan_shard *s = &p->shards[i];

		if (s->length > p->text.size - offset)
			return err_line(err, PROF_E_TRUNCATED, p->head + 1 + i,
			    "length "
			    "%zu exceeds the %zu bytes left", s->length,
			    p->text.size - offset);
		s->offset = offset;
		s->line = line;
		offset += s->length;
		line += s->inputs;
		inputs += s->inputs;
	}
	if (offset != p->text.size)
		return err_line(err, PROF_E_CORRUPT, line, "%zu bytes follow "
		    "the last shard", p->text.size - offset);
	return inputs == p->inputs ? PROF_OK : err_line(err, PROF_E_CORRUPT, 1,
	    "inputs: %llu, but the shards have %llu", ull(p->inputs),
	    ull(inputs));
}

enum prof_status
plan_read(struct plan *p, struct prof_span text, struct prof_error *err)
{
	struct plan_lines l = { .text = text };
	struct jdoc doc = { .root = NULL };
	uint64_t shards = 0;
	enum prof_status status = plan_read_head(p, &l, &doc, &shards, err);
	size_t start = l.pos;

	p->text = text;
	if (status == PROF_OK && shards == 0)
		status = err_line(err, PROF_E_CORRUPT, 1, "shards: 0");
	if (status == PROF_OK)
		status = plan_read_terms(p, &l, &doc, err);
	p->head = (size_t)l.line;
	while (status == PROF_OK && p->size < shards)
		status = plan_read_shard(p, &l, &doc, err);
	if (status == PROF_OK)
		status = plan_check_digest((struct prof_span){
		    text.data + start, l.pos - start }, p->digest, 1, err);
	if (status == PROF_OK)
		status = plan_place_shards(p, &l, err);
	jdoc_free(&doc);
	return status;
}

static enum prof_status
plan_check_shard(const struct plan *p, size_t shard, struct prof_error *err)
{
	const struct plan_shard *s = &p->shards[shard];

	return plan_check_digest((struct prof_span){
	    p->text.data + s->offset, s->length }, s->digest,
	    p->head + 1 + shard, err);
}

enum prof_status
plan_verify(const struct plan *p, struct prof_error *err)
{
	for (size_t i = 0; i < p->size; i++) {
		if (plan_check_shard(p, i, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* A string, or bytes in hex, without NUL in them but one behind. */
static enum prof_status
plan_parse_name(const struct jval *root, const char *key, const char *hex_key,
    struct prof_span *name, struct arena *arena)
{
	struct jval text = jval_get(root, key), hex = jval_get(root, hex_key);

	if (jval_is_there(&hex) ? jval_hex(&hex, arena, name) != PROF_OK :
	    jval_string(&text, name) != PROF_OK)
		return PROF_FAIL;
	if (name->size == 0 || memchr(name->data, '\0', name->size) != NULL)
		return jval_fail(&text, PROF_E_CORRUPT, "no name");
	*name = arena_text(arena, *name);
	return name->data == NULL ? err_memory(root->doc->err) : PROF_OK;
}

static enum prof_status
plan_parse_content(const struct jval *root, struct plan_content *c,
    struct arena *arena)
{
	struct jval number = jval_get(root, "number");
	struct jval digest = jval_get(root, "sha256");

	struct jval name = jval_get(root, "name");
	struct jval name_hex = jval_get(root, "name_hex");
	struct jval size = jval_get(root, "size");

	*c = (struct plan_content){ .has_digest = jval_is_there(&digest),
	    .fetched = jval_is_there(&name) || jval_is_there(&name_hex) };
	/* Files have a size, but what a command reads may have none. */
	c->sized = !c->fetched || jval_is_there(&size);
	if (c->has_digest && plan_parse_digest(&digest, c->digest, arena) !=
	    PROF_OK)
		return PROF_FAIL;
	if (!jval_is_there(&number))
		return PROF_OK;
	if (jval_number(&number, &c->number) != PROF_OK)
		return PROF_FAIL;
	if (c->number == 0)
		return jval_fail(&number, PROF_E_CORRUPT, "0 is not a member");
	return plan_parse_name(root, "member", "member_hex", &c->member,
	    arena);
}

static enum prof_status
plan_parse_input(const struct jval *root, struct plan_input *input,
    struct plan_content *content, struct arena *arena)
{
	struct jval size = jval_get(root, "size");

	input->content = content;
	input->size = 0;
	if (plan_parse_content(root, content, arena) != PROF_OK ||
	    (content->fetched ? plan_parse_name(root, "name", "name_hex",
	    &input->path, arena) : plan_parse_name(root, "path", "path_hex",
	    &input->path, arena)) != PROF_OK)
		return PROF_FAIL;
	return content->sized ? jval_number(&size, &input->size) : PROF_OK;
}

/* Reads the next line, which is that of an input. */
static enum prof_status
plan_each_line(struct plan_lines *l, struct jdoc *doc, struct arena *arena,
    plan_take *take, void *arg, struct prof_error *err)
{
	struct plan_content content;
	struct plan_input input;
	struct prof_span line;
	enum prof_status status = plan_next_line(l, &line, err);
	struct jval root;

	if (status == PROF_END)
		return err_line(err, PROF_E_CORRUPT, l->line, "a shard has "
		    "too few inputs");
	if (status != PROF_OK || jdoc_load(doc, line, l->line, err) != PROF_OK)
		return PROF_FAIL;
	doc->err = err;
	root = jdoc_root(doc);
	return plan_parse_input(&root, &input, &content, arena) == PROF_OK ?
	    take(arg, &input, err) : PROF_FAIL;
}

enum prof_status
plan_each(const struct plan *p, size_t shard, plan_take *take, void *arg,
    struct prof_error *err)
{
	const struct plan_shard *s = &p->shards[shard];
	struct plan_lines l = { { p->text.data, s->offset + s->length },
	    s->offset, s->line };
	enum prof_status status = plan_check_shard(p, shard, err);
	struct arena arena = { 0 };
	struct jdoc doc = { .root = NULL };

	for (uint64_t i = 0; status == PROF_OK && i < s->inputs; i++) {
		arena_reset(&arena);
		status = plan_each_line(&l, &doc, &arena, take, arg, err);
	}
	if (status == PROF_OK && l.pos != l.text.size)
		status = err_line(err, PROF_E_CORRUPT, l.line, "a shard has "
		    "too many inputs");
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
