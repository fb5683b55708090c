/*
 * Salvage of files that are cut at any length: the records that are returned
 * are records of the whole file, in the same order.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/codec.h"
#include "tests/support/images.h"

/*
 * A record, for comparisons: `core` must be the same after salvage, and `rest`
 * may lack some of its words.
 */
struct item {
	enum prof_record_kind kind;
	struct buf core;
	struct buf rest;		/* functions: the values */
	size_t sites;			/* functions: value sites */
};

struct items {
	struct item *p;
	size_t size, room;
	bool salvaged, failed;
	unsigned profiles;
};

static void
put_u64s(struct buf *b, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_u64le(b, v[i]);
}

static void
put_values(struct item *it, const struct prof_function *f)
{
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		it->sites += f->values[k].size;
		buf_u64le(&it->core, f->values[k].size);
		for (size_t i = 0; i < f->values[k].size; i++) {
			const struct prof_site *s = &f->values[k].sites[i];

			for (size_t j = 0; j < s->size; j++) {
				buf_u64le(&it->rest, s->values[j].value);
				buf_u64le(&it->rest, s->values[j].count);
			}
		}
	}
}

static void
put_function(struct item *it, const struct prof_function *f)
{
	buf_u64le(&it->core, prof_symbol_guid(&f->symbol));
	buf_u64le(&it->core, f->hash);
	put_u64s(&it->core, f->counts, f->counts_size);
	buf_put(&it->core, f->bitmap.data, f->bitmap.size);
	put_u64s(&it->core, f->uniform_counts, f->uniform_size);
	put_values(it, f);
}

static void
put_allocation(struct item *it, const struct prof_allocation *a)
{
	buf_u64le(&it->core, a->stack);
	put_u64s(&it->core, a->info.value, PROF_MIB_FIELDS);
}

static void
put_record(struct item *it, const struct prof_record *r)
{
	const struct prof_trace *t = &r->u.trace;

	it->kind = r->kind;
	switch (r->kind) {
	case PROF_REC_FUNCTION:
		put_function(it, &r->u.function);
		break;
	case PROF_REC_ALLOCATION:
		put_allocation(it, &r->u.allocation);
		break;
	case PROF_REC_BINARY:
		buf_put(&it->core, r->u.build_id.data, r->u.build_id.size);
		break;
	case PROF_REC_VTABLE:
		buf_u64le(&it->core, prof_symbol_guid(&r->u.vtable.symbol));
		break;
	case PROF_REC_SEGMENT:
		buf_u64le(&it->core, r->u.segment.start);
		buf_u64le(&it->core, r->u.segment.end);
		break;
	case PROF_REC_STACK:
		buf_u64le(&it->core, r->u.stack.id);
		put_u64s(&it->core, r->u.stack.pcs, r->u.stack.pcs_size);
		break;
	case PROF_REC_MEMPROF_FUNCTION:
		buf_u64le(&it->core,
		    prof_symbol_guid(&r->u.memprof_function.symbol));
		break;
	case PROF_REC_RAW_COUNTERS:
		put_u64s(&it->rest, r->u.raw_counters.counts,
		    r->u.raw_counters.counts_size);
		break;
	case PROF_REC_TRACE:
		for (size_t i = 0; i < t->size; i++)
			buf_u64le(&it->rest,
			    prof_symbol_guid(&t->functions[i]));
		break;
	default:
		break;
	}
}

static bool
add(struct items *items, const struct prof_record *r)
{
	if (r->kind == PROF_REC_PROFILE) {
		items->profiles++;
		if (r->u.profile.flags & PROF_SALVAGED)
			items->salvaged = true;
	}
	if (!ARRAY_ROOM(items->p, items->size, items->room))
		return false;
	items->p[items->size] = (struct item){ .kind = r->kind };
	put_record(&items->p[items->size++], r);
	return true;
}

static void
decode(struct prof_context *context, struct prof_span image,
    struct items *items)
{
	struct prof_error err = { 0 };
	struct prof_reader *reader = prof_open(context, image, &err);
	enum prof_status status = PROF_FAIL;
	struct prof_record r;

	*items = (struct items){ 0 };
	while (reader != NULL &&
	    (status = prof_next(reader, &r, &err)) == PROF_OK) {
		if (!add(items, &r))
			abort();
	}
	items->failed = status != PROF_END;
	if (items->failed != (err.reason[0] != '\0'))
		abort();
	prof_close(reader);
}

static void
free_items(struct items *items)
{
	for (size_t i = 0; i < items->size; i++) {
		buf_free(&items->p[i].core);
		buf_free(&items->p[i].rest);
	}
	free(items->p);
}

/* Whether `part` is `all` with some words of 8 bytes left out. */
static bool
is_part(const struct buf *part, const struct buf *all)
{
	size_t at = 0;

	for (size_t i = 0; i < part->size; i += 8, at += 8) {
		while (at < all->size &&
		    memcmp(part->data + i, all->data + at, 8) != 0)
			at += 8;
		if (at == all->size)
			return false;
	}
	return true;
}

/*
 * Whether `part` can be what was salvaged of record `all`.  An allocation is
 * the sum of the blocks (MIBs) of several dumps, and smaller if a dump is lost.
 */
static bool
may_be_of(const struct item *part, const struct item *all)
{
	if (part->kind != all->kind)
		return false;
	if (part->kind == PROF_REC_ALLOCATION)
		return memcmp(part->core.data, all->core.data, 8) == 0 &&
		    load_u64(part->core.data + 16, false) <=
		    load_u64(all->core.data + 16, false);
	if (!same_bytes(&part->core, &all->core))
		return false;
	if (part->kind == PROF_REC_FUNCTION)
		return part->rest.size == 0 ||
		    same_bytes(&part->rest, &all->rest);
	return is_part(&part->rest, &all->rest);
}

/*
 * Whether all records are records of the whole file, in its order.  Allocations
 * may come in another order, because each is a sum over dumps.
 */
static bool
is_part_of(const struct items *part, const struct items *all)
{
	size_t at = 0;

	for (size_t i = 0; i < part->size; i++, at++) {
		if (part->p[i].kind == PROF_REC_ALLOCATION)
			at = 0;
		while (at < all->size && !may_be_of(&part->p[i], &all->p[at]))
			at++;
		if (at == all->size) {
			printf("# record %zu, kind %d\n", i,
			    (int)part->p[i].kind);
			return false;
		}
	}
	return true;
}

/* Cuts the file at each length, or a large file at each 13th. */
static void
cut_everywhere(struct prof_context *context, const char *name,
    struct prof_span whole)
{
	size_t step = whole.size > 3000 ? 13 : 1, salvaged = 0;
	/* A text that is cut behind a whole function is a sound text. */
	bool is_text = prof_sniff(whole) != NULL &&
	    strcmp(prof_sniff(whole), "text") == 0;
	struct items all, part, plain;
	bool ok = true;

	decode(context, whole, &all);
	if (!check(!all.failed && !all.salvaged, "%s: whole", name)) {
		free_items(&all);
		return;
	}
	for (size_t n = 0; n < whole.size && ok; n += step) {
		/* In memory of its own, so that reads behind it are found. */
		uint8_t *copy = malloc(n + 1);
		struct prof_span cut = { copy, n };

		if (copy == NULL)
			abort();
		memcpy(copy, whole.data, n);
		decode(context, cut, &part);
		decode(NULL, cut, &plain);
		ok = (is_text && !part.salvaged) ||
		    (is_part_of(&part, &all) &&
		    (part.failed || part.salvaged == plain.failed ||
		    (part.salvaged && is_text)) &&
		    (plain.failed || !part.failed));
		if (!ok)
			printf("# %s: cut to %zu, %d %d %d\n", name, n,
			    part.failed, part.salvaged, plain.failed);
		salvaged += part.salvaged;
		free_items(&part);
		free_items(&plain);
		free(copy);
	}
	check(ok, "%s: %zu of %zu lengths give something", name, salvaged,
	    whole.size / step);
	free_items(&all);
}

/* All files of a folder whose names end so. */
static void
test_folder(struct prof_context *context, const char *folder)
{
	static const char *const endings[] = { ".profraw", ".memprofraw",
	    ".profdata", ".proftext" };
	DIR *d = opendir(sample_path(folder));
	struct dirent *e;
	char path[1024];

	while (d != NULL && (e = readdir(d)) != NULL) {
		const char *end = strrchr(e->d_name, '.');
		struct buf b = { 0 };
		size_t i = 0;

		while (end != NULL && i < COUNT(endings) &&
		    strcmp(end, endings[i]) != 0)
			i++;
		if (end == NULL || i == COUNT(endings))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		check(read_sample(path, &b) && b.size > 0, "%s", e->d_name);
		cut_everywhere(context, e->d_name, buf_span(&b));
		buf_free(&b);
	}
	if (d != NULL)
		closedir(d);
}

int
main(void)
{
	struct prof_context *context = prof_context_new(NULL, NULL);

	if (context == NULL)
		return EXIT_FAILURE;
	prof_context_salvage(context, true);
	test_folder(context, "good");
	test_folder(context, "real");
	test_folder(context, "memprof-raw/good");
	test_folder(context, "memprof");
	prof_context_free(context);
	return done_testing();
}
