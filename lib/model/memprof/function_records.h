/*
 * model/memprof/function_records.h - the builder's part for records of
 * functions: their allocation sites and call sites
 */
#ifndef MODEL_MEMPROF_FUNCTION_RECORDS_H
#define MODEL_MEMPROF_FUNCTION_RECORDS_H

#include "base/arena.h"
#include "base/id_map.h"
#include "base/list_pool.h"
#include "model/memprof/build.h"

/*
 * A site: the index of its record and of its stack.  `source` numbers the
 * input that named the site: 0 for all allocations, else a function's record.
 */
struct memprof_site {
	uint32_t record, stack, source;
	uint32_t next;			/* of its record: index + 1, or 0 */
};

/* Sites of one kind, chained by record. */
struct memprof_sites {
	struct memprof_site *items;
	uint32_t size;
	size_t room;
	struct hash_index keys;		/* the first of a record and stack */
	bool folded;			/* which is the only one */
};

struct memprof_chain {
	uint32_t first, last;		/* index + 1, or 0 */
	uint32_t size;
};

struct memprof_record_head {
	struct prof_span name;
	struct memprof_chain allocs, calls;
	const struct prof_mib *added;	/* info of the site added last */
};

struct memprof_callees {
	uint64_t *guids;
	size_t size, room;
};

/* All zero is empty. */
struct memprof_records {
	struct id_map guids;		/* of heads, in the same order */
	struct memprof_record_head *heads;
	size_t heads_room;
	struct memprof_sites allocs, calls;
	struct prof_mib **infos;	/* of allocs */
	size_t infos_room;
	/* Of calls; those that come last may have none. */
	struct memprof_callees *callees;
	size_t callees_size, callees_room;
	struct list_pool callee_keys;	/* call and guid */
	struct arena arena;
};

/* The record of a guid, added if it is new; INDEX_NONE if out of memory. */
uint32_t memprof_records_of(struct memprof_records *, uint64_t guid);

/* Names a record that has no name yet.  False if out of memory. */
bool memprof_records_name(struct memprof_records *, uint32_t record,
    struct prof_span name);

/*
 * Add a site.  One source may have several sites of the same stack, unless the
 * sites are folded; a site of another source with that stack is merged into the
 * first of them.  Sites of one source may share an info, which is merged once
 * into a record: a function that is inlined into itself adds its context
 * several times in a row.  False if out of memory.
 */
bool memprof_records_alloc(struct memprof_records *,
    const struct memprof_site *, struct prof_mib *info, uint64_t *saturated);
bool memprof_records_call(struct memprof_records *,
    const struct memprof_site *, const uint64_t *callees, size_t size);

/*
 * Sets records and callees, and frees what is not part of them: no site can be
 * added any more.  Stack i is now number numbers[i]; with such numbers, records
 * are sorted by guid, sites by stack, and callees.  Without, numbers is NULL
 * and all stand in the order in which they came.  False if out of memory.
 */
bool memprof_records_result(struct memprof_records *, struct arena *,
    const uint32_t *numbers, struct memprof_built *);

void memprof_records_free(struct memprof_records *);

#endif
