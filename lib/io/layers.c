#include "config.h"

#include "io/layers.h"

#include <string.h>
#include <unistd.h>

#include "io/archive.h"
#include "io/gunzip.h"
#include "io/zstd_read.h"

ssize_t
layer_pull(void *arg, void *data, size_t size)
{
	struct layer *l = arg;
	size_t left = l->head_size - l->head_pos;
	ssize_t n;

	if (left == 0) {
		n = l->pull(l->arg, data, size);
		l->pulled += n > 0 ? (uint64_t)n : 0;
		return n;
	}
	if (size > left)
		size = left;
	memcpy(data, l->head + l->head_pos, size);
	l->head_pos += size;
	l->pulled += size;
	return (ssize_t)size;
}

/* Only the first layer of a regular file seeks. */
static int64_t
layer_seek(void *arg, int64_t offset, int whence)
{
	struct layer *l = arg;
	struct input *in = l->arg;

	in->sought = true;
	l->head_pos = l->head_size;
	return lseek(in->fd, (off_t)offset, whence);
}

static void
layer_free_gunzip(void *arg)
{
	gunzip_free(arg);
}

static void
layer_free_zstd(void *arg)
{
	zstd_reader_free(arg);
}

static void
layer_free_unpacker(void *arg)
{
	unpacker_free(arg);
}

struct layer *
layers_top(struct input *in)
{
	return &in->layers[in->depth - 1];
}

enum prof_status
layers_push(struct input *in, enum packing packing, prof_pull *pull)
{
	struct layer *below = layers_top(in), *l = below + 1;
	bool is_file = below == in->layers;
	struct packed_source source = {
		.pull = pull != NULL ? pull : layer_pull,
		.seek = is_file && in->regular ? layer_seek : NULL,
		.arg = pull != NULL ? (void *)in : (void *)below,
		.has_offsets = is_file || in->archive != NULL,
	};

	if (packing == PACKING_GZIP)
		*l = (struct layer){ .pull = gunzip_pull,
		    .free = layer_free_gunzip,
		    .arg = gunzip_new(layer_pull, below, &in->error) };
	else if (packing == PACKING_ZSTD)
		*l = (struct layer){ .pull = zstd_reader_pull,
		    .free = layer_free_zstd,
		    .arg = zstd_reader_new(layer_pull, below, &in->error) };
	else
		*l = (struct layer){ .pull = unpacker_pull,
		    .free = layer_free_unpacker,
		    .arg = unpacker_new(packing, &source, &in->error) };
	if (l->arg == NULL)
		return PROF_FAIL;
	in->depth++;
	return PROF_OK;
}

void
layers_pop_to(struct input *in, unsigned depth)
{
	while (in->depth > depth) {
		struct layer *l = layers_top(in);

		if (l->free != NULL)
			l->free(l->arg);
		in->depth--;
	}
}

/* Archives and compressed files have other bytes before their first newline. */
static bool
has_text_line(struct prof_span s)
{
	for (size_t i = 0; i < s.size; i++) {
		if (s.data[i] == '\n')
			return true;
		if (s.data[i] < 0x20 && s.data[i] != '\t' && s.data[i] != '\r')
			return false;
	}
	return false;
}

/*
 * Reads the first bytes of the top layer, and says how they are packed.  From a
 * pipe, whose writer may be slow, fewer are wanted, and a line of text is
 * enough.
 */
static enum prof_status
layers_sniff(struct input *in, enum packing *packing)
{
	struct layer *l = layers_top(in);
	size_t wanted = in->regular || in->archive != NULL ?
	    sizeof(l->head) : PACKING_BYTES;
	struct prof_span seen = { l->head, 0 };

	*packing = PACKING_NONE;
	while (seen.size < wanted && *packing == PACKING_NONE &&
	    (in->regular || !has_text_line(seen))) {
		ssize_t n = l->pull(l->arg, l->head + seen.size,
		    wanted - seen.size);

		if (n < 0)
			return PROF_FAIL;
		if (n == 0)
			break;
		seen.size += (size_t)n;
		*packing = packing_of(seen);
	}
	l->head_size = seen.size;
	l->head_pos = 0;
	return PROF_OK;
}

enum prof_status
layers_sniff_inside(struct input *in, enum packing *packing)
{
	if (layers_sniff(in, packing) != PROF_OK)
		return PROF_FAIL;
	if (!packing_is_stream(*packing))
		return PROF_OK;
	if (in->archive == NULL)
		in->compression = *packing;
	if (layers_push(in, *packing, NULL) != PROF_OK)
		return PROF_FAIL;
	return layers_sniff(in, packing);
}
