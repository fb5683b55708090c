/*
 * Reads bytes as what follows the digest of a file of prof-symbolize --cache:
 * with the right digest, the reader has to find damage by itself.
 */
#include "base/arena.h"
#include "base/digests.h"
#include "fuzz/fuzz.h"
#include "sym/sym.h"

static const struct prof_span build_id = { (const uint8_t *)"id", 2 };

/* Reads a cache and writes it again; false if it is refused. */
static bool
rewrite(struct prof_span cache, struct buf *out)
{
	struct arena arena = { 0 };
	struct frame_cache c;
	struct prof_error err = { 0 };
	bool good = frame_cache_read(cache, build_id, &arena, &c, &err) ==
	    PROF_OK;

	if (good)
		demand(frame_cache_write(out, build_id, c.addresses, c.count),
		    "memory is enough");
	else
		demand(err.reason[0] != '\0', "a failure has a reason");
	arena_free(&arena);
	return good;
}

/* A cache without addresses, with other bytes in place of its body. */
static void
put_cache(struct prof_span body, struct buf *out)
{
	size_t digest;

	demand(frame_cache_write(out, build_id, NULL, 0), "memory is enough");
	out->size -= 1;			/* the number of addresses */
	digest = out->size - (1 + build_id.size) - 16;
	buf_put(out, body.data, body.size);
	demand(!out->failed, "memory is enough");
	md5(out->data + digest + 16, out->size - digest - 16,
	    out->data + digest);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf cache = { 0 }, once = { 0 }, twice = { 0 };

	put_cache((struct prof_span){ data, size }, &cache);
	if (rewrite(span_of(&cache), &once)) {
		demand(rewrite(span_of(&once), &twice),
		    "a cache that was written can be read");
		demand(prof_span_equal(span_of(&once), span_of(&twice)),
		    "a cache is the same when written again");
	}
	buf_free(&cache);
	buf_free(&once);
	buf_free(&twice);
	return 0;
}
