#include "format/indexed/traces.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/md5.h"

enum { DIGEST = 16 };

struct indexed_trace {
	size_t at, size;		/* in bytes */
	uint8_t key[DIGEST];		/* the smallest keys are sampled */
};

bool
indexed_traces_add(struct indexed_traces *t, const struct prof_trace *trace)
{
	size_t n = trace->size, at = t->bytes.size;

	if (n == 0)
		return true;
	if (n > INDEXED_MAX_TRACE_LENGTH && !t->all) {
		t->cut += n - INDEXED_MAX_TRACE_LENGTH;
		n = INDEXED_MAX_TRACE_LENGTH;
	}
	if (!ARRAY_ROOM(t->traces, t->size, t->room))
		return false;
	buf_u64le(&t->bytes, trace->weight);
	buf_u64le(&t->bytes, n);
	for (size_t i = 0; i < n; i++)
		buf_u64le(&t->bytes, prof_symbol_guid(&trace->functions[i]));
	t->traces[t->size++] = (struct indexed_trace){ .at = at,
	    .size = t->bytes.size - at };
	return !t->bytes.failed;
}

static int
trace_compare_keys(const void *a, const void *b)
{
	const struct indexed_trace *x = a, *y = b;
	int order = memcmp(x->key, y->key, DIGEST);

	return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

static int
trace_compare_offsets(const void *a, const void *b)
{
	const struct indexed_trace *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/*
 * The number of equal traces before a trace goes into its key.  So a trace that
 * occurs often is as likely to be sampled as by a random draw.
 */
static void
traces_number_equals(struct indexed_traces *t)
{
	uint8_t seed[DIGEST + 8] = { 0 };
	uint64_t before = 0;

	qsort(t->traces, t->size, sizeof(*t->traces), trace_compare_keys);
	for (size_t i = 0; i < t->size; i++) {
		uint8_t *key = t->traces[i].key;

		before = i > 0 && memcmp(seed, key, DIGEST) == 0 ?
		    before + 1 : 0;
		memcpy(seed, key, DIGEST);
		for (size_t k = 0; k < 8; k++)
			seed[DIGEST + k] = (uint8_t)(before >> 8 * k);
		md5(seed, sizeof(seed), key);
	}
}

/* Keeps the traces with the smallest keys, in the order of adding. */
static void
traces_sample(struct indexed_traces *t)
{
	if (t->size <= INDEXED_MAX_TRACES || t->all)
		return;
	for (size_t i = 0; i < t->size; i++)
		md5(t->bytes.data + t->traces[i].at, t->traces[i].size,
		    t->traces[i].key);
	traces_number_equals(t);
	qsort(t->traces, t->size, sizeof(*t->traces), trace_compare_keys);
	t->size = INDEXED_MAX_TRACES;
	qsort(t->traces, t->size, sizeof(*t->traces), trace_compare_offsets);
}

void
indexed_traces_write(struct indexed_traces *t, uint64_t stream_size,
    struct buf *out)
{
	traces_sample(t);
	buf_u64le(out, t->size);
	buf_u64le(out, stream_size);
	for (size_t i = 0; i < t->size; i++)
		buf_put(out, t->bytes.data + t->traces[i].at,
		    t->traces[i].size);
}

void
indexed_traces_free(struct indexed_traces *t)
{
	free(t->traces);
	buf_free(&t->bytes);
}
