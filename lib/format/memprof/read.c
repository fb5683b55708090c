#include "format/memprof/read.h"

#include "base/error.h"
#include "model/mib.h"

/* The least size in bytes of a record's reference to a call stack. */
static size_t
record_stack_size(const struct memprof_section *s)
{
	return s->row->stacks == MEMPROF_RADIX_INDEX ? 4 : 8;
}

/* Reads a number of things that take at least `size` bytes each. */
static enum prof_status
record_read_count(struct cursor *c, const char *what, size_t size,
    size_t *count, struct prof_error *err)
{
	size_t at = c->pos;
	uint64_t n = cur_u64(c);

	if (c->failed)
		return err_at(err, PROF_E_CORRUPT, at, "the 8 bytes of a "
		    "number of %s exceed the %zu left of the record", what,
		    cur_left(c));
	if (n > cur_left(c) / size)
		return err_at(err, PROF_E_CORRUPT, at,
		    "%llu %s exceed the %zu bytes left of the record",
		    ull(n), what, cur_left(c));
	*count = (size_t)n;
	return PROF_OK;
}

/*
 * Maxima are correct if one of them differs from its minimum: then the section
 * was written by a later release for readers of LLVM 15 (MIB_FALSE_MAXIMA).
 */
static void
record_note_maxima(struct memprof_section_reader *r, const struct prof_mib *m)
{
	if (m->value[PROF_MIB_MAX_SIZE] != m->value[PROF_MIB_MIN_SIZE] ||
	    m->value[PROF_MIB_MAX_ACCESS_COUNT] !=
	    m->value[PROF_MIB_MIN_ACCESS_COUNT])
		r->true_maxima = true;
}

/*
 * Makes fields unknown whose values mean nothing: maxima that are minima, and
 * the address of the histogram.  A block with the size of a histogram has an
 * empty one, as in streams.
 */
static void
record_hide_fields(const struct memprof_section_reader *r, struct prof_mib *m)
{
	if (r->section.schema == MEMPROF_SCHEMA_15 && !r->true_maxima)
		m->fields &= ~MIB_FALSE_MAXIMA;
	m->fields &= ~(UINT32_C(1) << PROF_MIB_ACCESS_HISTOGRAM);
	if (mib_has(m, PROF_MIB_ACCESS_HISTOGRAM_SIZE))
		m->fields |= UINT32_C(1) << PROF_MIB_ACCESS_HISTOGRAM;
	for (unsigned i = 0; i < PROF_MIB_FIELDS; i++) {
		if (!mib_has(m, i) || i == PROF_MIB_ACCESS_HISTOGRAM)
			m->value[i] = 0;
	}
}

static enum prof_status
record_read_mib(struct memprof_section_reader *r, struct cursor *c,
    struct prof_mib *m, struct prof_error *err)
{
	const struct memprof_section *s = &r->section;

	if (cur_left(c) < s->mib_size)
		return err_at(err, PROF_E_CORRUPT, c->pos, "the %zu bytes of a "
		    "memory info block exceed the %zu left of the record",
		    s->mib_size, cur_left(c));
	*m = (struct prof_mib){ 0 };
	for (unsigned i = 0; i < s->fields_size; i++) {
		unsigned field = s->fields[i];

		mib_set(m, field, mib_bytes(field) == 4 ? cur_u32(c) :
		    cur_u64(c));
	}
	record_note_maxima(r, m);
	record_hide_fields(r, m);
	return PROF_OK;
}

static enum prof_status
record_read_allocs(struct memprof_section_reader *r, struct cursor *c,
    struct arena *a, struct prof_memprof_function *f, struct prof_error *err)
{
	const struct memprof_section *s = &r->section;
	struct prof_allocation *sites;

	if (record_read_count(c, "allocation sites",
		record_stack_size(s) + s->mib_size, &f->allocs_size,
		err) != PROF_OK)
		return PROF_FAIL;
	f->alloc_sites = sites = arena_array(a, f->allocs_size,
	    sizeof(*sites));
	if (sites == NULL)
		return err_memory(err);
	for (size_t i = 0; i < f->allocs_size; i++) {
		if (memprof_stack_set_read(&r->stacks, c, &sites[i].stack,
		    err) != PROF_OK ||
		    record_read_mib(r, c, &sites[i].info, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
record_read_callees(struct cursor *c, struct arena *a,
    struct prof_call_site *site, struct prof_error *err)
{
	uint64_t *guids;

	if (record_read_count(c, "callees", 8, &site->callees_size, err) !=
	    PROF_OK)
		return PROF_FAIL;
	site->callee_guids = guids = arena_array(a, site->callees_size,
	    sizeof(*guids));
	if (guids == NULL)
		return err_memory(err);
	for (size_t i = 0; i < site->callees_size; i++)
		guids[i] = cur_u64(c);
	return PROF_OK;
}

static enum prof_status
record_read_calls(struct memprof_section_reader *r, struct cursor *c,
    struct arena *a, struct prof_memprof_function *f, struct prof_error *err)
{
	const struct memprof_section *s = &r->section;
	struct prof_call_site *sites;

	if (record_read_count(c, "call sites", record_stack_size(s) +
	    (s->row->callees ? 8 : 0), &f->calls_size, err) != PROF_OK)
		return PROF_FAIL;
	f->call_sites = sites = arena_array(a, f->calls_size, sizeof(*sites));
	if (sites == NULL)
		return err_memory(err);
	for (size_t i = 0; i < f->calls_size; i++) {
		sites[i] = (struct prof_call_site){ 0 };
		if (memprof_stack_set_read(&r->stacks, c, &sites[i].stack,
		    err) != PROF_OK)
			return PROF_FAIL;
		if (s->row->callees &&
		    record_read_callees(c, a, &sites[i], err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
record_read_function(struct memprof_section_reader *r,
    const struct disk_hash_item *item, struct arena *a,
    struct prof_memprof_function *f, struct prof_error *err)
{
	struct cursor c = { .data = r->section.image.data, .pos = item->data,
	    .size = item->data + item->data_size };

	*f = (struct prof_memprof_function){ .symbol.guid = item->hash };
	if (record_read_allocs(r, &c, a, f, err) != PROF_OK ||
	    record_read_calls(r, &c, a, f, err) != PROF_OK)
		return PROF_FAIL;
	if (cur_left(&c) != 0)
		return err_at(err, PROF_E_CORRUPT, c.pos, "%zu bytes follow "
		    "the last call site of a record", cur_left(&c));
	return PROF_OK;
}

/* Checks all records, which also numbers all stacks that they refer to. */
static enum prof_status
record_check_all(struct memprof_section_reader *r, struct arena *a,
    struct prof_error *err)
{
	struct disk_hash_walk walk = { .table = &r->section.records };
	struct prof_memprof_function f;
	struct disk_hash_item item;
	enum prof_status status;

	if (disk_hash_check(&r->section.records, a, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = disk_hash_next(&walk, &item, err)) == PROF_OK) {
		arena_reset(a);
		if (record_read_function(r, &item, a, &f, err) != PROF_OK)
			return PROF_FAIL;
	}
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

enum prof_status
memprof_section_read(struct memprof_section_reader *r, struct prof_span image,
    size_t start, struct prof_error *err)
{
	struct memprof_section *s = &r->section;
	struct arena arena = { 0 };
	enum prof_status status;

	*r = (struct memprof_section_reader){ .walk.table = &s->records };
	status = memprof_section_open(s, image, start, err);
	if (status == PROF_OK)
		status = memprof_stack_set_open(&r->stacks, s, err);
	if (status == PROF_OK)
		status = record_check_all(r, &arena, err);
	if (status == PROF_OK)
		status = memprof_stack_set_finish(&r->stacks, err);
	if (status == PROF_OK)
		status = memprof_section_data_open(&r->data, s, err);
	arena_free(&arena);
	return status;
}

bool
memprof_section_has_data(const struct memprof_section_reader *r)
{
	return r->section.records.entries != 0 || r->data.records_size != 0 ||
	    r->data.cold_size != 0 || cur_left(&r->data.cold_hashes) != 0;
}

static void
section_name(const struct memprof_section_reader *r, struct prof_symbol *s)
{
	if (s->name.data == NULL)
		s->name = sources_name(r->sources, s->guid);
	if (s->name.data == NULL && r->names != NULL)
		s->name = symtab_name(r->names, s->guid);
}

static enum prof_status
section_next_stack(struct memprof_section_reader *r, struct arena *a,
    struct prof_record *out, struct prof_error *err)
{
	struct prof_stack *s = &out->u.stack;
	size_t number = r->next_stack++;
	struct prof_frame *frames;
	uint64_t llvm_id;

	if (memprof_stack_set_item(&r->stacks, number, a, s, err) != PROF_OK)
		return PROF_FAIL;
	frames = (struct prof_frame *)(uintptr_t)s->frames;
	/* Sources differ between stacks. */
	if (r->sources != NULL)
		s->frame_numbers = NULL;
	if (r->sources != NULL && (memprof_stack_set_llvm_id(&r->stacks,
	    number, &llvm_id, err) != PROF_OK || sources_decorate(r->sources,
	    llvm_id, frames, s->frames_size, err) == PROF_FAIL))
		return PROF_FAIL;
	for (size_t i = 0; i < s->frames_size; i++)
		section_name(r, &frames[i].function);
	out->kind = PROF_REC_STACK;
	return PROF_OK;
}

static enum prof_status
section_next_function(struct memprof_section_reader *r, struct arena *a,
    struct prof_record *out, struct prof_error *err)
{
	struct disk_hash_item item;
	enum prof_status status = disk_hash_next(&r->walk, &item, err);

	if (status != PROF_OK)
		return status;
	out->kind = PROF_REC_MEMPROF_FUNCTION;
	if (record_read_function(r, &item, a, &out->u.memprof_function, err) !=
	    PROF_OK)
		return PROF_FAIL;
	section_name(r, &out->u.memprof_function.symbol);
	return PROF_OK;
}

enum prof_status
memprof_section_next(struct memprof_section_reader *r, struct arena *a,
    struct prof_record *out, struct prof_error *err)
{
	enum prof_status status;

	if (r->next_stack < r->stacks.size)
		return section_next_stack(r, a, out, err);
	status = section_next_function(r, a, out, err);
	if (status != PROF_END)
		return status;
	return memprof_section_data_next(&r->data, a, out, err);
}

void
memprof_section_close(struct memprof_section_reader *r)
{
	memprof_stack_set_close(&r->stacks);
	memprof_section_data_close(&r->data);
}
