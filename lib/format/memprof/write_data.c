#include "format/memprof/write_data.h"

#include "base/arena.h"
#include "base/error.h"
#include "format/codec.h"
#include "model/name_section.h"
#include "model/symtab.h"

struct data_writer {
	const struct memprof_built *in;
	struct symtab names;		/* of symbols and files */
	struct symtab cold;
	uint64_t *hashes;		/* of cold string literals */
	size_t hashes_size;
	uint64_t nameless;		/* dropped locations without a file */
};

static bool
data_is_literal(const struct prof_data *d)
{
	return d->symbol.size == 0;
}

static bool
data_gather_access(struct data_writer *a, const struct prof_data_access *d)
{
	if (!data_is_literal(&d->data) &&
	    !symtab_add(&a->names, d->data.symbol, 0))
		return false;
	for (size_t i = 0; i < d->size; i++) {
		struct prof_span file = d->locations[i].file;

		if (file.size == 0)
			a->nameless++;
		else if (!symtab_add(&a->names, file, 0))
			return false;
	}
	return true;
}

static bool
data_gather_cold(struct data_writer *a, const struct prof_data *d)
{
	if (!data_is_literal(d))
		return symtab_add(&a->names, d->symbol, 0) &&
		    symtab_add(&a->cold, d->symbol, 0);
	a->hashes[a->hashes_size++] = d->hash;
	return true;
}

static bool
data_gather(struct data_writer *a, struct arena *arena)
{
	a->hashes = arena_array(arena, a->in->cold_size, sizeof(*a->hashes));
	if (a->hashes == NULL)
		return false;
	for (size_t i = 0; i < a->in->accesses_size; i++) {
		if (!data_gather_access(a, &a->in->accesses[i]))
			return false;
	}
	for (size_t i = 0; i < a->in->cold_size; i++) {
		if (!data_gather_cold(a, &a->in->cold_symbols[i]))
			return false;
	}
	return true;
}

/* The names of all symbols and files, then those of cold symbols again. */
static enum prof_status
data_put_names(const struct data_writer *a, struct arena *arena,
    struct buf *out, struct prof_error *err)
{
	size_t n = 0, start;
	struct prof_span *names = arena_array(arena, a->names.size +
	    a->cold.size, sizeof(*names));

	if (names == NULL)
		return err_memory(err);
	for (size_t i = 0; i < a->names.size; i++)
		names[n++] = a->names.symbols[i].name;
	for (size_t i = 0; i < a->cold.size; i++)
		names[n++] = a->cold.symbols[i].name;
	buf_u64le(out, a->names.size);
	buf_u64le(out, a->cold.size);
	start = out->size;
	buf_u64le(out, 0);
	if (names_write(out, names, n, err) != PROF_OK)
		return PROF_FAIL;
	if (out->failed)
		return err_memory(err);
	buf_set_u64le(out, start, out->size - start - 8);
	buf_zeros(out, (size_t)pad8(out->size - start));
	return PROF_OK;
}

static void
data_put_name(const struct data_writer *a, struct prof_span name,
    struct buf *out)
{
	buf_u64le(out, symtab_find(&a->names, prof_guid(name), NULL));
}

static void
data_put_access(const struct data_writer *a, const struct prof_data_access *d,
    struct buf *out)
{
	uint64_t locations = 0;

	if (data_is_literal(&d->data))
		buf_u64le(out, d->data.hash);
	else
		data_put_name(a, d->data.symbol, out);
	buf_u8(out, data_is_literal(&d->data));
	buf_u64le(out, d->count);
	for (size_t i = 0; i < d->size; i++)
		locations += d->locations[i].file.size != 0;
	buf_u64le(out, locations);
	for (size_t i = 0; i < d->size; i++) {
		if (d->locations[i].file.size == 0)
			continue;
		data_put_name(a, d->locations[i].file, out);
		buf_u32le(out, d->locations[i].line);
	}
}

enum prof_status
memprof_data_write(const struct memprof_built *in,
    struct prof_context *context, struct buf *out, struct prof_error *err)
{
	struct data_writer a = { .in = in };
	struct arena arena = { 0 };
	enum prof_status status = PROF_FAIL;

	if (!data_gather(&a, &arena))
		err_memory(err);
	else
		status = data_put_names(&a, &arena, out, err);
	if (status == PROF_OK) {
		buf_u64le(out, a.hashes_size);
		for (size_t i = 0; i < a.hashes_size; i++)
			buf_u64le(out, a.hashes[i]);
		buf_u64le(out, in->accesses_size);
		for (size_t i = 0; i < in->accesses_size; i++)
			data_put_access(&a, &in->accesses[i], out);
		if (a.nameless != 0)
			warn_lost(context, "%llu locations of data accesses "
			    "have no file: dropped",
			    (unsigned long long)a.nameless);
	}
	symtab_free(&a.names);
	symtab_free(&a.cold);
	arena_free(&arena);
	return status;
}
