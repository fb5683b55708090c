#include "ops/partition_writer.h"

#include "format/codec.h"
#include "ops/partition.h"

struct partition_writer {
	struct prof_writer base;
	struct partition partition;
	struct prof_writer *const *writers;
	bool *began;
};

static enum prof_status
partition_writer_put_to(void *arg, uint64_t class, const struct prof_record *r,
    struct prof_error *err)
{
	struct partition_writer *w = arg;

	w->began[class - 1] = true;
	return prof_put(w->writers[class - 1], r, err);
}

static enum prof_status
partition_writer_put(struct prof_writer *base, const struct prof_record *r,
    struct prof_error *err)
{
	struct partition_writer *w = (struct partition_writer *)base;

	return partition_add(&w->partition, r, partition_writer_put_to, w, err);
}

static enum prof_status
partition_writer_finish(struct prof_writer *base, struct prof_error *err)
{
	struct partition_writer *w = (struct partition_writer *)base;
	enum prof_status status = PROF_OK;

	for (uint64_t i = 0; status == PROF_OK && i < w->partition.classes;
	    i++) {
		if (w->began[i])
			status = prof_finish(w->writers[i], err);
	}
	return status;
}

static void
partition_writer_free(struct prof_writer *base)
{
	struct partition_writer *w = (struct partition_writer *)base;

	partition_free(&w->partition);
}

static const struct writer_ops partition_writer_ops = {
	.size = sizeof(struct partition_writer),
	.put = partition_writer_put,
	.finish = partition_writer_finish,
	.free = partition_writer_free,
};

struct prof_writer *
partition_writer_new(struct prof_context *context,
    struct prof_writer *const *writers, bool *began, uint64_t classes,
    struct prof_error *err)
{
	struct partition_writer *w = codec_writer_new(&partition_writer_ops,
	    context, NULL, NULL, err);

	if (w == NULL)
		return NULL;
	w->partition.classes = classes;
	w->writers = writers;
	w->began = began;
	return &w->base;
}
