#include "format/memprof/read_data.h"

#include <stdlib.h>

#include "base/error.h"

/* Bytes of a record without its locations, and of a location. */
enum { RECORD_SIZE = 25, LOCATION_SIZE = 12 };

static enum prof_status
data_read_strings(struct memprof_section_data *d, struct cursor *c,
    struct prof_error *err)
{
	struct names_limit limit = names_limit_of(c->size, 1);
	size_t at = c->pos;
	uint64_t strings = cur_u64(c), cold = cur_u64(c), length = cur_u64(c);
	size_t blob = c->pos;
	const uint8_t *p = cur_bytes(c, length);

	if (p == NULL || cur_bytes(c, pad8(length)) == NULL)
		return err_at(err, PROF_E_TRUNCATED, at,
		    "data accesses: "
		    "strings of %llu bytes exceed the %zu left",
		    ull(length), c->size - at);
	d->strings.listed = true;
	if (names_read(&d->strings, (struct prof_span){ p, (size_t)length },
	    blob, &limit, err) != PROF_OK)
		return PROF_FAIL;
	if (strings > d->strings.list_size ||
	    cold != d->strings.list_size - strings)
		return err_at(err, PROF_E_CORRUPT, at, "data accesses: %llu "
		    "strings and %llu cold symbols are not the %zu strings of "
		    "the table", ull(strings), ull(cold), d->strings.list_size);
	d->strings_size = (size_t)strings;
	d->cold_size = (size_t)cold;
	return PROF_OK;
}

static enum prof_status
data_read_cold_hashes(struct memprof_section_data *d, struct cursor *c,
    struct prof_error *err)
{
	size_t at = c->pos;
	uint64_t n = cur_u64(c);

	if (c->failed || n > cur_left(c) / 8)
		return err_at(err, PROF_E_TRUNCATED, at, "data accesses: %llu "
		    "cold hashes exceed the %zu bytes left", ull(n),
		    cur_left(c));
	d->cold_hashes = *c;
	cur_bytes(c, n * 8);
	d->cold_hashes.size = c->pos;
	return PROF_OK;
}

static enum prof_status
data_read_string(const struct memprof_section_data *d, struct cursor *c,
    struct prof_span *out, struct prof_error *err)
{
	size_t at = c->pos;
	uint64_t index = cur_u64(c);

	if (index >= d->strings_size)
		return err_at(err, PROF_E_CORRUPT, at, "data accesses: string "
		    "%llu is not one of the %zu strings", ull(index),
		    d->strings_size);
	*out = d->strings.list[index];
	return PROF_OK;
}

/* Reads u64 string or hash, and u8 which of both it is. */
static enum prof_status
data_read_symbol(const struct memprof_section_data *d, struct cursor *c,
    struct prof_data *out, struct prof_error *err)
{
	struct cursor start = *c;
	uint64_t value = cur_u64(c);
	unsigned is_literal = cur_u8(c);

	if (is_literal > 1)
		return err_at(err, PROF_E_CORRUPT, c->pos - 1, "data accesses:"
		    " IsStringLiteral %u is neither 0 nor 1", is_literal);
	if (is_literal == 0)
		return data_read_string(d, &start, &out->symbol, err);
	out->hash = value;
	return PROF_OK;
}

static enum prof_status
data_read_access(const struct memprof_section_data *d, struct cursor *c,
    struct arena *a, struct prof_data_access *out, struct prof_error *err)
{
	struct prof_location *locations;
	size_t at = c->pos;
	uint64_t n;

	*out = (struct prof_data_access){ 0 };
	if (cur_left(c) < RECORD_SIZE)
		return err_at(err, PROF_E_TRUNCATED, at, "data accesses: the "
		    "%d bytes of a record exceed the %zu left", RECORD_SIZE,
		    cur_left(c));
	if (data_read_symbol(d, c, &out->data, err) != PROF_OK)
		return PROF_FAIL;
	out->count = cur_u64(c);
	n = cur_u64(c);
	if (n > cur_left(c) / LOCATION_SIZE)
		return err_at(err, PROF_E_TRUNCATED, at, "data accesses: %llu "
		    "locations exceed the %zu bytes left", ull(n),
		    cur_left(c));
	locations = arena_array(a, (size_t)n, sizeof(*locations));
	if (locations == NULL)
		return err_memory(err);
	for (size_t i = 0; i < n; i++) {
		if (data_read_string(d, c, &locations[i].file, err) != PROF_OK)
			return PROF_FAIL;
		locations[i].line = cur_u32(c);
	}
	out->locations = locations;
	out->size = (size_t)n;
	return PROF_OK;
}

static int
data_compare(const void *a, const void *b)
{
	const struct prof_data *x = a, *y = b;
	int kind = (x->symbol.data == NULL) - (y->symbol.data == NULL);

	if (kind != 0)
		return kind;
	if (x->symbol.data == NULL)
		return (x->hash > y->hash) - (x->hash < y->hash);
	return prof_span_compare(x->symbol, y->symbol);
}

/* Symbols and hashes must be unique, as LLVM adds each once. */
static enum prof_status
data_check_unique(struct prof_data *data, size_t n, size_t at,
    struct prof_error *err)
{
	char name[ERR_NAME_SIZE];

	qsort(data, n, sizeof(*data), data_compare);
	for (size_t i = 1; i < n; i++) {
		if (data_compare(&data[i - 1], &data[i]) != 0)
			continue;
		if (data[i].symbol.data == NULL)
			return err_at(err, PROF_E_CORRUPT, at, "data accesses:"
			    " hash 0x%016llx has two records",
			    ull(data[i].hash));
		return err_at(err, PROF_E_CORRUPT, at, "data accesses: symbol "
		    "%s has two records", err_name(name, data[i].symbol));
	}
	return PROF_OK;
}

static enum prof_status
data_check_accesses(struct memprof_section_data *d, struct cursor *c,
    struct prof_error *err)
{
	size_t at = c->pos, n = (size_t)d->records_size;
	struct prof_data *data = calloc(n + 1, sizeof(*data));
	enum prof_status status = data == NULL ? err_memory(err) : PROF_OK;
	struct arena arena = { 0 };
	struct prof_data_access record;

	for (size_t i = 0; i < n && status == PROF_OK; i++) {
		arena_reset(&arena);
		status = data_read_access(d, c, &arena, &record, err);
		if (status == PROF_OK)
			data[i] = record.data;
	}
	if (status == PROF_OK)
		status = data_check_unique(data, n, at, err);
	arena_free(&arena);
	free(data);
	return status;
}

enum prof_status
memprof_section_data_open(struct memprof_section_data *d,
    const struct memprof_section *s, struct prof_error *err)
{
	struct cursor c = { .data = s->image.data, .size = s->image.size,
	    .pos = s->data_access };
	size_t at;

	*d = (struct memprof_section_data){ .end = s->tables_end };
	if (s->data_access == 0)
		return PROF_OK;
	if (data_read_strings(d, &c, err) != PROF_OK ||
	    data_read_cold_hashes(d, &c, err) != PROF_OK)
		return PROF_FAIL;
	at = c.pos;
	d->records_size = cur_u64(&c);
	if (c.failed || d->records_size > cur_left(&c) / RECORD_SIZE)
		return err_at(err, PROF_E_TRUNCATED, at, "data accesses: %llu "
		    "records exceed the %zu bytes left",
		    ull(d->records_size), cur_left(&c));
	d->records = c;
	if (data_check_accesses(d, &c, err) != PROF_OK)
		return PROF_FAIL;
	d->end = c.pos;
	return PROF_OK;
}

/* The next cold symbol: those with names, then those with hashes. */
static enum prof_status
data_next_cold(struct memprof_section_data *d, struct prof_record *out)
{
	out->kind = PROF_REC_COLD_SYMBOL;
	out->u.cold_symbol = (struct prof_data){ 0 };
	if (d->next_cold < d->cold_size)
		out->u.cold_symbol.symbol =
		    d->strings.list[d->strings_size + d->next_cold++];
	else if (cur_left(&d->cold_hashes) > 0)
		out->u.cold_symbol.hash = cur_u64(&d->cold_hashes);
	else
		return PROF_END;
	return PROF_OK;
}

enum prof_status
memprof_section_data_next(struct memprof_section_data *d, struct arena *a,
    struct prof_record *out, struct prof_error *err)
{
	if (d->next_record == d->records_size)
		return data_next_cold(d, out);
	d->next_record++;
	out->kind = PROF_REC_DATA_ACCESS;
	return data_read_access(d, &d->records, a, &out->u.data_access, err);
}

void
memprof_section_data_close(struct memprof_section_data *d)
{
	names_free(&d->strings);
}
