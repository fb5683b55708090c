/*
 * Reads bytes as a plan, as the inputs of one with the right digests, which are
 * the same when written again, and as the account of a part.
 */
#include <string.h>

#include "base/arena.h"
#include "fuzz/fuzz.h"
#include "plan/account.h"
#include "plan/plan.h"

struct plan_copy {
	struct plan_terms terms;
	struct arena arena;
	struct plan_input *inputs;
	size_t size, room;
};

static int
put_text(void *text, const void *data, size_t size)
{
	buf_put(text, data, size);
	return 0;
}

static enum prof_status
copy_input(void *arg, const struct plan_input *in, struct prof_error *err)
{
	struct plan_copy *c = arg;
	struct plan_input new = *in;

	(void)err;
	new.path = arena_text(&c->arena, in->path);
	demand(strlen((const char *)new.path.data) == in->path.size,
	    "a path has no NUL");
	demand(ARRAY_ADD(c->inputs, c->size, c->room, new),
	    "memory is enough");
	return PROF_OK;
}

/* Reads all of a plan; false, with a reason, if it is refused. */
static bool
read_plan(struct prof_span text, struct plan_copy *c)
{
	struct plan p = { .size = 0 };
	struct prof_error err = { 0 };
	enum prof_status status = plan_read(&p, text, &err);

	for (size_t i = 0; status == PROF_OK && i < p.size; i++)
		status = plan_each(&p, i, copy_input, c, &err);
	demand(status == PROF_OK || err.reason[0] != '\0',
	    "a failure has a reason");
	c->terms = p.terms;
	plan_free(&p);
	return status == PROF_OK;
}

static void
free_copy(struct plan_copy *c)
{
	arena_free(&c->arena);
	free(c->inputs);
}

static void
write_copy(const struct plan_copy *c, struct buf *text)
{
	struct prof_error err = { 0 };

	demand(plan_write(c->inputs, &c->size, 1, &c->terms, put_text, text,
	    &err) == PROF_OK, "memory is enough");
}

/* Whatever was read comes to the same plan again. */
static void
rewrite_plan(struct prof_span text)
{
	struct plan_copy c = { .size = 0 }, again = { .size = 0 };
	struct buf once = { 0 }, twice = { 0 };

	if (read_plan(text, &c)) {
		write_copy(&c, &once);
		demand(read_plan(span_of(&once), &again),
		    "a plan that was written can be read");
		write_copy(&again, &twice);
		demand(prof_span_equal(span_of(&once), span_of(&twice)),
		    "a plan is the same when written again");
	}
	free_copy(&c);
	free_copy(&again);
	buf_free(&once);
	buf_free(&twice);
}

static void
put_digest(struct buf *text, struct prof_span of)
{
	uint8_t digest[SHA256_SIZE];
	char hex[SHA256_TEXT + 1];

	sha256_of(of, digest);
	sha256_text(digest, hex);
	buf_print(text, ",\"sha256\":\"%s\"}\n", hex);
}

/* A plan of one shard with these lines, and the digests that it needs. */
static void
rewrite_inputs(struct prof_span lines)
{
	struct buf text = { 0 }, shard = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < lines.size; i++)
		n += lines.data[i] == '\n';
	buf_print(&shard, "{\"shard\":1,\"inputs\":%zu,\"bytes\":0,"
	    "\"length\":%zu", n, lines.size);
	put_digest(&shard, lines);
	buf_print(&text, "{\"plan\":1,\"inputs\":%zu,\"shards\":1", n);
	put_digest(&text, span_of(&shard));
	buf_put(&text, shard.data, shard.size);
	buf_put(&text, lines.data, lines.size);
	demand(!text.failed && !shard.failed, "memory is enough");
	rewrite_plan(span_of(&text));
	buf_free(&text);
	buf_free(&shard);
}

/* The first line is the account, and others are of its bad inputs. */
static void
read_account(struct prof_span text)
{
	struct account a = { .size = 0 };
	struct prof_error err = { 0 };
	enum prof_status status = PROF_OK;
	struct buf out = { 0 };

	for (size_t i = 0; status == PROF_OK && text.size != 0; i++) {
		const uint8_t *end = memchr(text.data, '\n', text.size);
		struct prof_span line = { text.data, end == NULL ? text.size :
		    (size_t)(end - text.data) };

		status = i == 0 ? account_read(&a, line, &err) :
		    account_add_line(&a, line, &err);
		line.size += end != NULL;
		text.data += line.size;
		text.size -= line.size;
	}
	demand(status == PROF_OK || err.reason[0] != '\0',
	    "a failure has a reason");
	demand(account_sort(&a), "memory is enough");
	account_put(&out, &a);
	buf_free(&out);
	account_free(&a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct prof_span text = { data, size };

	rewrite_plan(text);
	rewrite_inputs(text);
	read_account(text);
	return 0;
}
