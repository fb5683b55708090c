#include "config.h"

#include "cmd/merge/spill.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "io/temporary.h"

/* Allocations of that size are mapped, and unmapped when they are freed. */
enum { SPILL_MAPPED = 1 << 18 };

void
cli_spill_files(struct cli_spill *s)
{
	s->files = (struct merge_files){ .arg = &s->scratch_files,
	    .create = scratch_create, .write = scratch_append,
	    .rewind = scratch_rewind, .pull = scratch_pull,
	    .read = scratch_read_at, .close = scratch_close };
}

/*
 * When glibc frees a large allocation, it takes later ones of that size from
 * the heap, where the tables of sums would leave gaps between those of readers:
 * the heap of many inputs became three times the limit.
 */
void
cli_map_tables(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, SPILL_MAPPED);
#endif
}

/*
 * With another allocator in front of glibc's (one that is preloaded, or that of
 * a sanitizer), mallopt makes the first use of glibc's, which initialises it
 * without a lock: two threads at once would abort when they end.
 */
void
cli_map_tables_begin(void)
{
#ifdef __GLIBC__
	(void)malloc_trim(0);
#endif
}

void
cli_spill_begin(struct cli *c, struct cli_spill *s, struct merge *m,
    uint64_t bytes)
{
	size_t limit = bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;

	cli_map_tables();
	cli_spill_files(s);
	s->scratch = (struct prof_scratch){ .arg = &s->scratch_files,
	    .write = scratch_write, .read = scratch_read };
	c->output.target.scratch = &s->scratch;
	if (merge_spill_to(m, limit < SCRATCH_LEAST_MEMORY ?
	    SCRATCH_LEAST_MEMORY : limit, &s->files, &c->err) != PROF_OK)
		cli_out_of_memory(c);
}

void
cli_spill_blame(struct cli *c, const struct cli_spill *s)
{
	if (!s->scratch_files.failed)
		return;
	c->inputs.file = temporary_folder();
	c->inputs.member = NULL;
	c->output.failed = false;
}

void
cli_spill_end(struct cli_spill *s)
{
	scratch_finish(&s->scratch_files);
}
