#include "io/gunzip.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/error.h"

enum { BLOCK = 1 << 16, GZIP_WINDOW = 15 + 16 };

struct gunzip {
	prof_pull *pull;
	void *arg;
	struct prof_error *err;
	z_stream z;
	uint64_t pulled;
	bool source_ended;
	bool between;		/* a member has ended, the next has not begun */
	uint8_t block[BLOCK];
};

struct gunzip *
gunzip_new(prof_pull *pull, void *arg, struct prof_error *err)
{
	struct gunzip *g = malloc(sizeof(*g));

	if (g == NULL) {
		err_memory(err);
		return NULL;
	}
	g->pull = pull;
	g->arg = arg;
	g->err = err;
	g->z = (z_stream){ .next_in = g->block };
	g->pulled = 0;
	g->source_ended = false;
	g->between = false;
	if (inflateInit2(&g->z, GZIP_WINDOW) != Z_OK) {
		err_memory(err);
		free(g);
		return NULL;
	}
	return g;
}

static enum prof_status
gunzip_refill(struct gunzip *g)
{
	ssize_t n = g->pull(g->arg, g->block, sizeof(g->block));

	if (n < 0)
		return PROF_FAIL;
	g->z.next_in = g->block;
	g->z.avail_in = (uInt)n;
	g->pulled += (uint64_t)n;
	g->source_ended = n == 0;
	return PROF_OK;
}

/*
 * Several members may follow each other (RFC 1952, 2.2), and zeros that pad
 * tape blocks may follow the last one.  PROF_END at the end.
 */
static enum prof_status
gunzip_next_member(struct gunzip *g)
{
	while (!g->source_ended) {
		if (g->z.avail_in == 0) {
			if (gunzip_refill(g) != PROF_OK)
				return PROF_FAIL;
		} else if (*g->z.next_in == 0) {
			g->z.next_in++;
			g->z.avail_in--;
		} else {
			g->between = false;
			inflateReset(&g->z);
			return PROF_OK;
		}
	}
	return PROF_END;
}

/* Inflates pending bytes first, and reads more only if they give no output. */
static enum prof_status
gunzip_inflate(struct gunzip *g)
{
	switch (inflate(&g->z, Z_NO_FLUSH)) {
	case Z_OK:
		return PROF_OK;
	case Z_STREAM_END:
		g->between = true;
		return PROF_OK;
	case Z_BUF_ERROR:
		if (gunzip_refill(g) != PROF_OK)
			return PROF_FAIL;
		if (!g->source_ended)
			return PROF_OK;
		return err_at(g->err, PROF_E_TRUNCATED, g->pulled,
		    "gzip data ends too early");
	case Z_MEM_ERROR:
		return err_memory(g->err);
	default:
		return err_at(g->err, PROF_E_CORRUPT,
		    g->pulled - g->z.avail_in, "gzip data: %s",
		    g->z.msg == NULL ? "no deflate stream" : g->z.msg);
	}
}

ssize_t
gunzip_pull(void *gunzip, void *data, size_t size)
{
	struct gunzip *g = gunzip;
	enum prof_status status = PROF_OK;
	uInt room = size > INT_MAX ? INT_MAX : (uInt)size;

	g->z.next_out = data;
	g->z.avail_out = room;
	while (g->z.avail_out == room && status == PROF_OK)
		status = g->between ? gunzip_next_member(g) : gunzip_inflate(g);
	return status == PROF_FAIL ? -1 : (ssize_t)(room - g->z.avail_out);
}

void
gunzip_free(struct gunzip *g)
{
	if (g != NULL)
		inflateEnd(&g->z);
	free(g);
}
