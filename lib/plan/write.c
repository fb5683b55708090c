#include "config.h"

#include <errno.h>

#include "base/error.h"
#include "base/json_member.h"
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
plan_put_input(struct buf *b, const struct plan_input *input)
{
	json_text_plain(b, "{");
	json_member_bytes(b, "path", "path_hex", input->path);
	json_member_number(b, "size", input->size);
	json_text_plain(b, "}\n");
}

static void
plan_put_shard(struct buf *b, const struct plan_input *inputs, size_t n,
    size_t number)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += inputs[i].size;
	json_text_plain(b, "{");
	json_member_number(b, "shard", number);
	json_member_number(b, "inputs", n);
	json_member_number(b, "bytes", bytes);
	json_text_plain(b, "}\n");
}

/* All lines but the head. */
static enum prof_status
plan_write_body(struct plan_writer *w, const struct plan_input *inputs,
    const size_t *ends, size_t shards, struct prof_error *err)
{
	size_t i = 0;

	for (size_t k = 0; k < shards; k++) {
		plan_put_shard(&w->text, &inputs[i], ends[k] - i, k + 1);
		for (; i < ends[k]; i++) {
			plan_put_input(&w->text, &inputs[i]);
			if (w->text.size >= PLAN_PIECE &&
			    plan_writer_flush(w, err) != PROF_OK)
				return PROF_FAIL;
		}
	}
	return plan_writer_flush(w, err);
}

static int
plan_digest_sink(void *sha, const void *data, size_t size)
{
	sha256_add(sha, data, size);
	return 0;
}

static enum prof_status
plan_digest(const struct plan_input *inputs, const size_t *ends,
    size_t shards, uint8_t digest[SHA256_SIZE], struct prof_error *err)
{
	struct sha256 *sha = sha256_new();
	struct plan_writer w = { .sink = plan_digest_sink, .arg = sha };
	enum prof_status status;

	if (sha == NULL)
		return err_memory(err);
	status = plan_write_body(&w, inputs, ends, shards, err);
	sha256_end(sha, digest);
	sha256_free(sha);
	buf_free(&w.text);
	return status;
}

static void
plan_put_head(struct buf *b, size_t inputs, size_t shards,
    const uint8_t digest[SHA256_SIZE])
{
	char text[SHA256_TEXT + 1];

	sha256_text(digest, text);
	json_text_plain(b, "{");
	json_member_number(b, "plan", PLAN_VERSION);
	json_member_number(b, "inputs", inputs);
	json_member_number(b, "shards", shards);
	json_member_text(b, "sha256", text);
	json_text_plain(b, "}\n");
}

enum prof_status
plan_write(const struct plan_input *inputs, const size_t *ends,
    size_t shards, prof_sink *sink, void *arg, struct prof_error *err)
{
	struct plan_writer w = { .sink = sink, .arg = arg };
	uint8_t digest[SHA256_SIZE];
	enum prof_status status;

	/* The head names the digest, so the lines are made twice, not kept. */
	if (plan_digest(inputs, ends, shards, digest, err) != PROF_OK)
		return PROF_FAIL;
	plan_put_head(&w.text, ends[shards - 1], shards, digest);
	status = plan_write_body(&w, inputs, ends, shards, err);
	buf_free(&w.text);
	return status;
}
