#include "format/raw/window.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "format/raw/extent.h"

/* Bytes pulled at least; bytes of a header that tell what it is. */
enum { PULLED_LEAST = 1 << 16, HEAD = 16 };

static struct prof_span
raw_window_bytes(const struct raw_window *w)
{
	return (struct prof_span){ w->bytes.data == NULL ? NULL :
	    w->bytes.data + w->start, w->bytes.size - w->start };
}

uint64_t
raw_window_end(const struct raw_window *w)
{
	return w->origin + raw_window_bytes(w).size;
}

/*
 * Whether the image at `at` and a head behind it are there; PROF_END if not.
 * Value data show their size only when they are walked through.
 */
static enum prof_status
raw_window_has_image(const struct raw_window *w, size_t at,
    struct prof_error *err)
{
	struct prof_span file = raw_window_bytes(w);
	struct prof_error why = { 0 };
	struct raw_image im;
	size_t end;

	if (file.size - at < HEAD)
		return PROF_END;
	if (raw_image_open(&im, file, at, &why) != PROF_OK)
		return why.code == PROF_E_TRUNCATED ? PROF_END : PROF_OK;
	raw_extent(&im, &end, &why);
	if (why.code == PROF_E_MEMORY)
		return err_memory(err);
	return why.code == PROF_E_NONE &&
	    file.size - raw_skip_zeros(file, end) >= HEAD ? PROF_OK : PROF_END;
}

/*
 * Bytes to have at the next look at the image: those that its header declares,
 * and then half as many again each time, so that all looks take linear time.
 */
static size_t
raw_window_wanted(const struct raw_window *w, size_t at)
{
	struct prof_span file = raw_window_bytes(w);
	uint64_t have = file.size - at, most = w->max_size;
	uint64_t image = raw_image_declared(file, at);

	if (image <= have)
		image = have + have / 2;
	if (image > most || most - image < PULLED_LEAST)
		image = most;
	else
		image += PULLED_LEAST;
	/* One more byte shows that the limit is passed. */
	return image >= SIZE_MAX - at ? SIZE_MAX : at + (size_t)image + 1;
}

/* Moves the bytes that are still needed to the beginning of the buffer. */
static void
raw_window_compact(struct raw_window *w)
{
	if (w->start == 0)
		return;
	w->bytes.size -= w->start;
	memmove(w->bytes.data, w->bytes.data + w->start, w->bytes.size);
	w->start = 0;
}

/* The buffer grows with the bytes that come, whatever a header declares. */
static enum prof_status
raw_window_pull(struct raw_window *w, size_t wanted, struct prof_error *err)
{
	struct buf *b = &w->bytes;

	raw_window_compact(w);
	while (b->size < wanted && !w->ended) {
		uint8_t *p = buf_reserve(b, PULLED_LEAST);
		size_t room = b->room - b->size;
		ssize_t n;

		if (p == NULL)
			return err_memory(err);
		if (room > wanted - b->size)
			room = wanted - b->size;
		n = w->pull(w->arg, p, room);
		if (n < 0)
			return err_system(err, errno, "read");
		b->size += (size_t)n;
		w->ended = n == 0;
	}
	return PROF_OK;
}

/*
 * Many small images may follow a large one in the buffer, so their bytes are
 * moved only when others are pulled.
 */
static void
raw_window_drop(struct raw_window *w, size_t *at)
{
	size_t n = *at - *at % 8;

	w->start += n;
	w->origin += n;
	*at -= n;
}

enum prof_status
raw_window_fill(struct raw_window *w, size_t *at, struct prof_span *file,
    struct prof_error *err)
{
	enum prof_status status;

	raw_window_drop(w, at);
	while (!w->ended &&
	    (status = raw_window_has_image(w, *at, err)) != PROF_OK) {
		if (status == PROF_FAIL || raw_window_pull(w,
		    raw_window_wanted(w, *at), err) != PROF_OK)
			return PROF_FAIL;
		if (raw_window_bytes(w).size - *at > w->max_size)
			return err_set(err, PROF_E_LIMIT, "an image needs more "
			    "than %llu bytes", ull(w->max_size));
	}
	*file = raw_window_bytes(w);
	return PROF_OK;
}
