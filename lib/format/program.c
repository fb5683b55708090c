#include "format/program.h"

#include <string.h>

#include "base/arena.h"
#include "format/codec.h"

/* Limits of a block, so that it stays in the processor's cache while added. */
enum { BLOCK_FUNCTIONS = 1024, BLOCK_COUNTS = 1 << 15 };

size_t
program_layout_number(void)
{
	static size_t layouts;

	return __atomic_add_fetch(&layouts, 1, __ATOMIC_RELAXED);
}

/* Adds an empty block behind the last one; NULL if out of memory. */
static struct program_block *
program_add_block(struct program_layout *l, size_t counts)
{
	struct program_block *b;

	if (!ARRAY_ROOM(l->blocks, l->size, l->room))
		return NULL;
	b = &l->blocks[l->size];
	*b = (struct program_block){ .counts = counts };
	if (l->size++ != 0) {
		b->first = b[-1].first + b[-1].size;
		b->sites = b[-1].sites + b[-1].sites_size;
	}
	return b;
}

bool
program_add_function(struct program_layout *l, size_t counts,
    size_t counts_size, bool has_sites)
{
	struct program_block *b = l->size == 0 ? NULL :
	    &l->blocks[l->size - 1];

	if ((b == NULL || b->size == BLOCK_FUNCTIONS ||
	    counts != b->counts + b->counts_size ||
	    b->counts_size + counts_size > BLOCK_COUNTS) &&
	    (b = program_add_block(l, counts)) == NULL)
		return false;
	b->size++;
	b->counts_size += counts_size;
	b->sites_size += has_sites;
	return true;
}

struct prof_block
program_block(const struct program_layout *l, size_t index,
    const uint64_t *counts)
{
	const struct program_block *b = &l->blocks[index];

	return (struct prof_block){ .layout = l->number, .index = index,
	    .size = b->size, .counts = counts, .counts_size = b->counts_size,
	    .hash_mask = UINT64_MAX, .repeated_names = b->repeated_names };
}

const struct prof_function *
program_set_functions(const struct prof_block *b, struct prof_function *f)
{
	const uint64_t *counts = b->counts;

	for (size_t i = 0; i < b->size; i++) {
		f[i].hash &= b->hash_mask;
		f[i].counts = counts;
		counts += f[i].counts_size;
	}
	for (size_t i = 0; i < b->values_size; i++)
		memcpy(f[b->values[i].function].values, b->values[i].values,
		    sizeof(b->values[i].values));
	return f;
}
