/* cover/functions.c - the functions of a cover, each once, and their files */
#include "config.h"

#include "base/bytes.h"
#include "base/error.h"
#include "cover/mapping.h"

void
cover_init(struct cover *c, const struct cover_options *options)
{
	*c = (struct cover){ .options = *options };
}

/* Whether two regions are one, whatever their counts. */
static bool
region_same(const struct cover_region *a, const struct cover_region *b)
{
	return memcmp(&a->start, &b->start, sizeof(a->start)) == 0 &&
	    memcmp(&a->end, &b->end, sizeof(a->end)) == 0 &&
	    a->file == b->file && a->expanded == b->expanded &&
	    a->kind == b->kind && a->folded == b->folded &&
	    a->other_folded == b->other_folded;
}

static bool
regions_same(const struct cover_region *a, size_t a_size,
    const struct cover_region *b, size_t b_size)
{
	for (size_t i = 0; i < a_size && a_size == b_size; i++) {
		if (!region_same(&a[i], &b[i]))
			return false;
	}
	return a_size == b_size;
}

static bool
decisions_same(const struct cover_function *a, const struct cover_function *b)
{
	for (size_t i = 0; i < a->decisions_size &&
	    a->decisions_size == b->decisions_size; i++) {
		if (!region_same(&a->decisions[i].region,
		    &b->decisions[i].region) ||
		    a->decisions[i].conditions_size !=
		    b->decisions[i].conditions_size)
			return false;
	}
	return a->decisions_size == b->decisions_size;
}

static bool
function_same_key(const void *arg, uint32_t item)
{
	const void *const *both = arg;
	const struct cover *c = both[0];
	const struct cover_function *a = both[1], *b = &c->functions[item];

	return a->files_size == b->files_size && (a->files_size == 0 ||
	    memcmp(a->files, b->files, a->files_size * sizeof(*a->files)) ==
	    0) && prof_span_equal(a->name, b->name);
}

static bool
function_same(const void *arg, uint32_t item)
{
	const void *const *both = arg;
	const struct cover *c = both[0];
	const struct cover_function *a = both[1], *b = &c->functions[item];

	return function_same_key(arg, item) && a->hash == b->hash &&
	    regions_same(a->regions, a->regions_size, b->regions,
	    b->regions_size) && regions_same(a->branches, a->branches_size,
	    b->branches, b->branches_size) && decisions_same(a, b);
}

static uint64_t
function_key_hash(uint64_t seed, const struct cover_function *f)
{
	return hash_span(hash_span(seed, f->name), (struct prof_span){
	    (const uint8_t *)f->files, f->files_size * sizeof(*f->files) });
}

/*
 * llvm-cov knows a function by its name and files, and the first one stays.
 * Here functions of one name that differ are all kept.
 */
static uint64_t
function_hash(const struct cover *c, const struct cover_function *f)
{
	uint64_t hash = function_key_hash(c->seen.seed, f);

	if (c->options.as_llvm)
		return hash;
	hash = hash_mix(hash, f->hash);
	for (size_t i = 0; i < f->regions_size; i++) {
		hash = hash_mix(hash, (uint64_t)f->regions[i].start.line << 32 |
		    f->regions[i].start.column);
		hash = hash_mix(hash, (uint64_t)f->regions[i].end.line << 32 |
		    f->regions[i].end.column);
	}
	return hash;
}

bool
cover_find_function(struct cover *c, const struct cover_function *f,
    struct cover_slot *out)
{
	const void *both[] = { c, f };

	if (!hash_index_reserve(&c->seen, c->functions_size + 1))
		return false;
	out->hash = function_hash(c, f);
	out->slot = hash_index_slot(&c->seen, out->hash, c->options.as_llvm ?
	    function_same_key : function_same, both);
	out->number = out->slot->item - 1;
	return true;
}

bool
cover_add_function(struct cover *c, const struct cover_function *f,
    const struct cover_slot *at)
{
	if (!ARRAY_ADD(c->functions, c->functions_size, c->functions_room, *f))
		return false;
	hash_index_fill(&c->seen, at->slot, at->hash);
	return true;
}

bool
cover_function_link(struct arena *a, struct cover_function *f)
{
	uint32_t *uses = arena_array(a, f->files_size, sizeof(*uses));

	if (uses == NULL)
		return false;
	memset(uses, 0xff, f->files_size * sizeof(*uses));
	for (size_t i = 0; i < f->regions_size; i++) {
		if (f->regions[i].kind == COVER_EXPANSION)
			uses[f->regions[i].expanded] = (uint32_t)i;
	}
	f->uses = uses;
	f->main_file = INDEX_NONE;
	for (uint32_t i = f->files_size; i-- > 0;) {
		if (uses[i] == INDEX_NONE)
			f->main_file = i;
	}
	return true;
}

static uint64_t
count_add(uint64_t a, uint64_t b)
{
	return b > COVER_COUNT_MAX - a ? COVER_COUNT_MAX : a + b;
}

static void
regions_add(struct cover_region *to, const struct cover_region *from,
    size_t size)
{
	for (size_t i = 0; i < size; i++) {
		to[i].count = count_add(to[i].count, from[i].count);
		to[i].other = count_add(to[i].other, from[i].other);
	}
}

bool
cover_function_add(struct arena *a, struct cover_function *to,
    const struct cover_function *from)
{
	to->count = count_add(to->count, from->count);
	if (from->state < to->state)
		to->state = from->state;
	regions_add(to->regions, from->regions, to->regions_size);
	regions_add(to->branches, from->branches, to->branches_size);
	for (size_t i = 0; i < to->decisions_size; i++) {
		if (!cover_decision_add(a, &to->decisions[i],
		    &from->decisions[i]))
			return false;
	}
	return true;
}

bool
cover_put_function(struct cover *c, const struct cover_function *f)
{
	struct cover_slot at;

	if (!cover_find_function(c, f, &at))
		return false;
	if (at.number != INDEX_NONE)
		return cover_function_add(&c->arena,
		    &c->functions[at.number], f);
	return cover_add_function(c, f, &at);
}

/*
 * Removes functions that were seen but not emitted, where another binary or
 * stream has a real one of that name and files.
 */
static bool
cover_drop_unused(struct cover *c)
{
	struct hash_index real = { 0 };
	struct cover_function *f, *to = c->functions;
	struct hash_index_slot *slot;
	bool done = hash_index_reserve(&real, c->functions_size + 1);
	const void *both[] = { c, NULL };
	uint64_t hash;

	for (size_t i = 0; i < c->functions_size && done; i++) {
		both[1] = f = &c->functions[i];
		if (f->state == COVER_UNUSED)
			continue;
		hash = function_key_hash(real.seed, f);
		slot = hash_index_slot(&real, hash, function_same_key, both);
		if (slot->item == 0)
			hash_index_fill_item(&real, slot, hash, (uint32_t)i);
	}
	for (size_t i = 0; i < c->functions_size && done; i++) {
		both[1] = f = &c->functions[i];
		f->dropped = f->state == COVER_UNUSED && hash_index_find(&real,
		    function_key_hash(real.seed, f), function_same_key, both) !=
		    INDEX_NONE;
	}
	for (f = c->functions; f != c->functions + c->functions_size; f++) {
		if (!f->dropped)
			*to++ = *f;
	}
	if (c->functions != NULL)
		c->functions_size = (size_t)(to - c->functions);
	hash_index_free(&real);
	return done;
}

struct named_path {
	struct prof_span name;
	uint32_t number;
};

static int
named_path_compare(const void *a, const void *b)
{
	const struct named_path *x = a, *y = b;

	return prof_span_compare(x->name, y->name);
}

/* The numbers of all paths, sorted by their bytes; NULL: out of memory. */
static uint32_t *
cover_sort_paths(const struct cover *c)
{
	struct named_path *list = calloc((size_t)c->paths.size + 1,
	    sizeof(*list));
	uint32_t *sorted = calloc((size_t)c->paths.size + 1, sizeof(*sorted));

	if (list == NULL || sorted == NULL) {
		free(list);
		free(sorted);
		return NULL;
	}
	for (uint32_t i = 0; i < c->paths.size; i++)
		list[i] = (struct named_path){ c->paths.items[i], i };
	qsort(list, c->paths.size, sizeof(*list), named_path_compare);
	for (size_t i = 0; i < c->paths.size; i++)
		sorted[i] = list[i].number;
	free(list);
	return sorted;
}

/* A function where it stands in its main file. */
struct sorted_function {
	uint32_t rank;			/* of the path */
	uint64_t start;
	const struct cover_function *function;
};

static int
sorted_function_compare(const void *a, const void *b)
{
	const struct sorted_function *x = a, *y = b;
	const struct cover_function *f = x->function, *g = y->function;
	int order;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	order = prof_span_compare(f->name, g->name);
	if (order != 0)
		return order;
	if (f->hash != g->hash)
		return f->hash < g->hash ? -1 : 1;
	if (f->regions_size != g->regions_size)
		return f->regions_size < g->regions_size ? -1 : 1;
	for (size_t i = 0; i < f->regions_size; i++) {
		order = memcmp(&f->regions[i].start, &g->regions[i].start,
		    2 * sizeof(struct cover_place));
		if (order != 0)
			return order;
	}
	return f < g ? -1 : f > g;
}

/*
 * Sorts the functions by file and place, so that the order of binaries does not
 * matter.
 */
static bool
cover_sort_functions(struct cover *c, const uint32_t *paths)
{
	struct sorted_function *list = calloc(c->functions_size + 1,
	    sizeof(*list));
	struct cover_function *out = calloc(c->functions_size + 1,
	    sizeof(*out));
	uint32_t *rank = calloc((size_t)c->paths.size + 1, sizeof(*rank));
	const struct cover_function *f;
	bool done = list != NULL && out != NULL && rank != NULL;

	for (uint32_t i = 0; i < c->paths.size && done; i++)
		rank[paths[i]] = i;
	for (size_t i = 0; i < c->functions_size && done; i++) {
		f = &c->functions[i];
		list[i] = (struct sorted_function){ UINT32_MAX, 0, f };
		if (f->main_file == INDEX_NONE)
			continue;
		list[i].rank = rank[f->files[f->main_file]];
		for (size_t k = f->regions_size; k-- > 0;) {
			if (f->regions[k].file == f->main_file)
				list[i].start = (uint64_t)
				    f->regions[k].start.line << 32 |
				    f->regions[k].start.column;
		}
	}
	if (done) {
		qsort(list, c->functions_size, sizeof(*list),
		    sorted_function_compare);
		for (size_t i = 0; i < c->functions_size; i++)
			out[i] = *list[i].function;
		free(c->functions);
		c->functions = out;
		out = NULL;
	}
	free(out);
	free(list);
	free(rank);
	return done;
}

/*
 * Lists the functions of each path, in their order; a function that has a file
 * twice stands there once.
 */
static bool
cover_list_users(struct cover *c, size_t *last)
{
	const struct cover_function *f;
	size_t path, users = 0;

	for (int pass = 0; pass < 2; pass++) {
		memset(last, 0, c->paths.size * sizeof(*last));
		for (size_t i = 0; i < c->functions_size; i++) {
			f = &c->functions[i];
			for (uint32_t k = 0; k < f->files_size; k++) {
				path = f->files[k];
				if (last[path] == i + 1)
					continue;
				last[path] = i + 1;
				if (pass == 0)
					c->first[path + 1]++;
				else
					c->users[c->first[path]++] =
					    (uint32_t)i;
			}
		}
		if (pass == 1)
			break;
		for (size_t i = 0; i < c->paths.size; i++)
			c->first[i + 1] += c->first[i];
		users = c->first[c->paths.size];
		c->users = calloc(users + 1, sizeof(*c->users));
		if (c->users == NULL)
			return false;
	}
	/* Each start was moved to the next one's. */
	memmove(c->first + 1, c->first, c->paths.size * sizeof(*c->first));
	c->first[0] = 0;
	return true;
}

/* Sorts the ways through decisions, so that those of sums are the same. */
static bool
cover_sort_ways(struct cover *c)
{
	static const struct cover_decision none;

	for (size_t i = 0; i < c->functions_size; i++) {
		for (size_t k = 0; k < c->functions[i].decisions_size; k++) {
			if (!cover_decision_add(&c->arena,
			    &c->functions[i].decisions[k], &none))
				return false;
		}
	}
	return true;
}

enum prof_status
cover_finish(struct cover *c, struct prof_error *err)
{
	size_t *last = calloc((size_t)c->paths.size + 1, sizeof(*last));
	uint32_t *paths = cover_sort_paths(c);
	bool done;

	c->first = calloc((size_t)c->paths.size + 2, sizeof(*c->first));
	done = last != NULL && paths != NULL && c->first != NULL &&
	    (c->options.as_llvm || (cover_drop_unused(c) &&
	    cover_sort_functions(c, paths) && cover_sort_ways(c))) &&
	    cover_list_users(c, last);
	free(last);
	if (!done) {
		free(paths);
		return err_memory(err);
	}
	/* Paths that no function has are left out. */
	for (size_t i = 0; i < c->paths.size; i++) {
		if (c->first[paths[i] + 1] != c->first[paths[i]])
			paths[c->sorted_size++] = paths[i];
	}
	c->sorted = paths;
	return PROF_OK;
}

void
cover_free(struct cover *c)
{
	arena_free(&c->arena);
	intern_free(&c->paths);
	free(c->functions);
	hash_index_free(&c->seen);
	id_map_free(&c->records);
	id_map_free(&c->counted);
	free(c->stale);
	free(c->wrong);
	intern_free(&c->selections);
	free(c->sorted);
	free(c->first);
	free(c->users);
}
