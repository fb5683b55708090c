#include "config.h"

#include <errno.h>

#include "base/error.h"
#include "base/json_member.h"
#include "model/words.h"
#include "plan/plan.h"

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
	const struct plan_content *c = input->content;

	json_text_plain(b, "{");
	if (c != NULL && c->fetched)
		json_member_bytes(b, "name", "name_hex", input->path);
	else
		json_member_bytes(b, "path", "path_hex", input->path);
	if (c != NULL && c->number != 0) {
		json_member_bytes(b, "member", "member_hex", c->member);
		json_member_number(b, "number", c->number);
	}
	if (c == NULL || c->sized)
		json_member_number(b, "size", input->size);
	if (c != NULL && c->has_digest)
		plan_put_digest(b, c->digest);
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

static void
plan_put_terms(struct buf *b, const struct plan_terms *t)
{
	if (!t->sampled && t->max_trace_length == 0 &&
	    t->level == PROF_LEVEL_UNKNOWN)
		return;
	json_text_plain(b, "{");
	if (t->sampled)
		json_member_number(b, "max_traces", t->max_traces);
	if (t->max_trace_length != 0)
		json_member_number(b, "max_trace_length",
		    t->max_trace_length);
	if (t->level != PROF_LEVEL_UNKNOWN)
		json_member_text(b, "level", words_level[t->level]);
	json_text_plain(b, "}\n");
}

static void
plan_put_head(struct buf *b, size_t inputs, size_t shards,
    const struct buf *index)
{
	uint8_t digest[SHA256_SIZE];

	sha256_of(buf_span(index), digest);
	json_text_plain(b, "{");
	json_member_number(b, "plan", PLAN_VERSION);
	json_member_number(b, "inputs", inputs);
	json_member_number(b, "shards", shards);
	plan_put_digest(b, digest);
	json_text_plain(b, "}\n");
	buf_put(b, index->data, index->size);
}

enum prof_status
plan_write(const struct plan_input *inputs, const size_t *ends,
    size_t shards, const struct plan_terms *terms, prof_sink *sink, void *arg,
    struct prof_error *err)
{
	struct plan_writer w = { .sink = sink, .arg = arg };
	size_t n = ends[shards - 1];
	struct buf index = { 0 };
	enum prof_status status;

	plan_put_terms(&index, terms);
	/* Digests stand first, so lines of inputs are made twice, not kept. */
	status = plan_put_index(&index, inputs, ends, shards, err);
	if (status == PROF_OK) {
		plan_put_head(&w.text, n, shards, &index);
		status = plan_write_inputs(&w, inputs, n, err);
	}
	buf_free(&index);
	buf_free(&w.text);
	return status;
}
