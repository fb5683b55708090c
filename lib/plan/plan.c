#include "config.h"

#include "plan/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"
#include "base/json_text.h"
#include "model/record.h"

static int
compare_plan_inputs(const void *a, const void *b)
{
	const struct plan_input *x = a, *y = b;

	return prof_span_compare(x->path, y->path);
}

size_t
plan_sort(struct plan_input *inputs, size_t n)
{
	size_t i = 1;

	if (n > 1)
		qsort(inputs, n, sizeof(*inputs), compare_plan_inputs);
	while (i < n && compare_plan_inputs(&inputs[i - 1], &inputs[i]) != 0)
		i++;
	return i < n ? i : n;
}

/* To open an input takes about as long as to read so many bytes. */
enum { SPLIT_OPENING = 4096 };

static uint64_t
split_weight(const struct plan_input *input)
{
	return input->size < UINT64_MAX - SPLIT_OPENING ?
	    input->size + SPLIT_OPENING : UINT64_MAX;
}

/* The product n * k / of without overflow, for k up to `of`. */
static uint64_t
split_share(uint64_t n, uint64_t k, uint64_t of)
{
	return n / of * k + (uint64_t)((double)(n % of) / (double)of *
	    (double)k);
}

static void
split_by_shards(const struct plan_input *inputs, size_t n, size_t shards,
    size_t *ends)
{
	uint64_t all = 0, seen = 0;
	size_t from = 0;

	for (size_t i = 0; i < n; i++)
		all += split_weight(&inputs[i]);
	for (size_t k = 1; k <= shards; k++) {
		const size_t start = from;
		const uint64_t goal = split_share(all, k, shards);

		/*
		 * Each shard behind this one needs an input.  The middle of the
		 * last input of this one is the limit.
		 */
		while (from < n - (shards - k) && (from == start ||
		    k == shards || seen + split_weight(&inputs[from]) / 2 <=
		    goal))
			seen += split_weight(&inputs[from++]);
		ends[k - 1] = from;
	}
}

static size_t
split_by_limits(const struct plan_input *inputs, size_t n,
    const struct plan_split *how, size_t *ends)
{
	size_t shards = 0, from = 0;
	uint64_t bytes = 0;

	for (size_t i = 0; i < n; i++) {
		bool full = how->count != 0 ? i - from == how->count :
		    inputs[i].size > how->bytes ||
		    bytes > how->bytes - inputs[i].size;

		if (i != from && full) {
			ends[shards++] = from = i;
			bytes = 0;
		}
		bytes += inputs[i].size;
	}
	ends[shards++] = n;
	return shards;
}

enum prof_status
plan_split(const struct plan_input *inputs, size_t n,
    const struct plan_split *how, size_t **ends, size_t *shards,
    struct prof_error *err)
{
	uint64_t all = 0;

	if (n == 0)
		return err_set(err, PROF_E_LIMIT, "no input to plan");
	for (size_t i = 0; i < n; i++) {
		if (__builtin_add_overflow(all, split_weight(&inputs[i]), &all))
			return err_set(err, PROF_E_LIMIT, "the sizes of the "
			    "inputs exceed 64 bits");
	}
	if (how->shards > n)
		return err_set(err, PROF_E_LIMIT, "shards: %llu, inputs: %zu: "
		    "each shard needs one", ull(how->shards), n);
	*ends = calloc(n, sizeof(**ends));
	if (*ends == NULL)
		return err_memory(err);
	*shards = (size_t)how->shards;
	if (how->shards != 0)
		split_by_shards(inputs, n, *shards, *ends);
	else
		*shards = split_by_limits(inputs, n, how, *ends);
	return PROF_OK;
}

enum { PLAN_PIECE = 1 << 16 };

struct plan_writer {
	prof_sink *sink;
	void *arg;
	struct buf text;
};

static enum prof_status
plan_writer_flush(struct plan_writer *w, struct prof_error *err)
{
	int e = w->text.failed ? ENOMEM :
	    w->sink(w->arg, w->text.data, w->text.size);

	w->text.size = 0;
	if (w->text.failed)
		return err_memory(err);
	return e == 0 ? PROF_OK : err_system(err, e, "write");
}

static void
plan_put_digest(struct buf *b, const uint8_t digest[SHA256_SIZE])
{
	char text[SHA256_TEXT + 1];

	sha256_text(digest, text);
	json_member_text(b, "sha256", text);
}

static void
plan_put_input(struct buf *b, const struct plan_input *input)
{
	json_text_plain(b, "{");
	if (input->fetched)
		json_member_bytes(b, "name", "name_hex", input->path);
	else {
		json_member_bytes(b, "path", "path_hex", input->path);
		json_member_number(b, "size", input->size);
	}
	json_text_plain(b, "}\n");
}

static enum prof_status
plan_write_inputs(struct plan_writer *w, const struct plan_input *inputs,
    size_t n, struct prof_error *err)
{
	for (size_t i = 0; i < n; i++) {
		plan_put_input(&w->text, &inputs[i]);
		if (w->text.size >= PLAN_PIECE &&
		    plan_writer_flush(w, err) != PROF_OK)
			return PROF_FAIL;
	}
	return plan_writer_flush(w, err);
}

/* The sink of lines whose digest and size are wanted. */
struct plan_measure {
	struct sha256 *sha;
	uint64_t size;
};

static int
plan_measure_sink(void *measure, const void *data, size_t size)
{
	struct plan_measure *m = measure;

	sha256_add(m->sha, data, size);
	m->size += size;
	return 0;
}

/* Appends the line of a shard, which tells size and digest of its lines. */
static enum prof_status
plan_put_shard(struct buf *b, const struct plan_input *inputs, size_t n,
    size_t number, struct plan_writer *w, struct prof_error *err)
{
	struct plan_measure *m = w->arg;
	uint8_t digest[SHA256_SIZE];
	uint64_t bytes = 0;

	m->size = 0;
	if (plan_write_inputs(w, inputs, n, err) != PROF_OK)
		return PROF_FAIL;
	sha256_end(m->sha, digest);
	for (size_t i = 0; i < n; i++)
		bytes += inputs[i].size;
	json_text_plain(b, "{");
	json_member_number(b, "shard", number);
	json_member_number(b, "inputs", n);
	json_member_number(b, "bytes", bytes);
	json_member_number(b, "length", m->size);
	plan_put_digest(b, digest);
	json_text_plain(b, "}\n");
	return PROF_OK;
}

static enum prof_status
plan_put_index(struct buf *b, const struct plan_input *inputs,
    const size_t *ends, size_t shards, struct prof_error *err)
{
	struct plan_measure m = { .sha = sha256_new() };
	struct plan_writer w = { .sink = plan_measure_sink, .arg = &m };
	enum prof_status status = m.sha == NULL ? err_memory(err) : PROF_OK;
	size_t i = 0;

	for (size_t k = 0; status == PROF_OK && k < shards; k++) {
		status = plan_put_shard(b, &inputs[i], ends[k] - i, k + 1, &w,
		    err);
		i = ends[k];
	}
	sha256_free(m.sha);
	buf_free(&w.text);
	return status == PROF_OK && b->failed ? err_memory(err) : status;
}

enum prof_status
plan_write(const struct plan_input *inputs, const size_t *ends,
    size_t shards, const struct plan_terms *terms, prof_sink *sink, void *arg,
    struct prof_error *err)
{
	struct plan_writer w = { .sink = sink, .arg = arg };
	size_t n = ends[shards - 1];
	struct buf index = { 0 };
	uint8_t digest[SHA256_SIZE];
	enum prof_status status;

	if (terms->sampled || terms->max_trace_length != 0 ||
	    terms->level != PROF_LEVEL_UNKNOWN) {
		json_text_plain(&index, "{");
		if (terms->sampled)
			json_member_number(&index, "max_traces",
			    terms->max_traces);
		if (terms->max_trace_length != 0)
			json_member_number(&index, "max_trace_length",
			    terms->max_trace_length);
		if (terms->level != PROF_LEVEL_UNKNOWN)
			json_member_text(&index, "level",
			    words_level[terms->level]);
		json_text_plain(&index, "}\n");
	}
	/* Digests stand first, so lines of inputs are made twice, not kept. */
	status = plan_put_index(&index, inputs, ends, shards, err);
	if (status == PROF_OK) {
		sha256_of(buf_span(&index), digest);
		json_text_plain(&w.text, "{");
		json_member_number(&w.text, "plan", PLAN_VERSION);
		json_member_number(&w.text, "inputs", n);
		json_member_number(&w.text, "shards", shards);
		plan_put_digest(&w.text, digest);
		json_text_plain(&w.text, "}\n");
		buf_put(&w.text, index.data, index.size);
		status = plan_write_inputs(&w, inputs, n, err);
	}
	buf_free(&index);
	buf_free(&w.text);
	return status;
}

/* A walk over the lines of a plan. */
struct plan_lines {
	struct prof_span text;
	size_t pos;
	uint64_t line;			/* that was read last */
};

/* Loads the next line; PROF_END behind the last. */
static enum prof_status
plan_load_line(struct plan_lines *l, struct jdoc *doc, struct prof_error *err)
{
	struct prof_span line = { l->text.data + l->pos, 0 };
	const uint8_t *newline;

	if (l->pos == l->text.size)
		return PROF_END;
	l->line++;
	newline = memchr(line.data, '\n', l->text.size - l->pos);
	if (newline == NULL)
		return err_line(err, PROF_E_TRUNCATED, l->line,
		    "the plan ends inside a line");
	line.size = (size_t)(newline - line.data);
	l->pos += line.size + 1;
	return jdoc_load(doc, line, l->line, err);
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
	enum prof_status status = plan_load_line(l, doc, err);
	struct jval root, shard;

	if (status == PROF_FAIL)
		return PROF_FAIL;
	if (status == PROF_OK) {
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
	enum prof_status status = plan_load_line(l, doc, err);
	struct jval root;

	if (status == PROF_END)
		return err_line(err, PROF_E_TRUNCATED, l->line, "shard %zu is "
		    "missing", p->size + 1);
	if (status != PROF_OK)
		return PROF_FAIL;
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
	enum prof_status status = plan_load_line(&l, &doc, err);
	struct arena arena = { 0 };
	struct jval head;
	size_t start = l.pos;

	if (status != PROF_OK)
		status = err_set(err, PROF_E_FORMAT, "empty: not a plan");
	else {
		head = jdoc_root(&doc);
		status = plan_parse_head(p, &head, &shards, &arena);
		arena_free(&arena);
	}
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
plan_parse_path(const struct jval *root, struct prof_span *path,
    const char *key, const char *hex_key, struct arena *arena)
{
	struct jval text = jval_get(root, key), hex = jval_get(root, hex_key);

	if (jval_is_there(&hex) ? jval_hex(&hex, arena, path) != PROF_OK :
	    jval_string(&text, path) != PROF_OK)
		return PROF_FAIL;
	if (path->size == 0 || memchr(path->data, '\0', path->size) != NULL)
		return jval_fail(&text, PROF_E_CORRUPT, "no name");
	*path = arena_text(arena, *path);
	return path->data == NULL ? err_memory(root->doc->err) : PROF_OK;
}

/* Reads the next line, which is that of an input. */
static enum prof_status
plan_each_line(struct plan_lines *l, struct jdoc *doc, struct arena *arena,
    plan_take *take, void *arg, struct prof_error *err)
{
	struct plan_input input = { .size = 0 };
	enum prof_status status = plan_load_line(l, doc, err);
	struct jval root, name, hex, size, number;

	if (status == PROF_END)
		return err_line(err, PROF_E_CORRUPT, l->line, "a shard has "
		    "too few inputs");
	if (status != PROF_OK)
		return PROF_FAIL;
	root = jdoc_root(doc);
	name = jval_get(&root, "name");
	hex = jval_get(&root, "name_hex");
	size = jval_get(&root, "size");
	number = jval_get(&root, "number");
	/* Plans of development versions had members of archives. */
	if (jval_is_there(&number))
		return jval_fail(&number, PROF_E_VERSION, "the plan is one of "
		    "members of archives, which is not read any more");
	input.fetched = jval_is_there(&name) || jval_is_there(&hex);
	if (plan_parse_path(&root, &input.path, input.fetched ? "name" :
	    "path", input.fetched ? "name_hex" : "path_hex", arena) != PROF_OK)
		return PROF_FAIL;
	/* A file has a size, but what a command will read has none yet. */
	if (!input.fetched && jval_number(&size, &input.size) != PROF_OK)
		return PROF_FAIL;
	return take(arg, &input, err);
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
