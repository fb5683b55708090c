/* cover/functions.c - the functions of a cover, each once, and their files */
#include "config.h"

#include "base/bytes.h"
#include "base/error.h"
#include "cover/mapping.h"

bool
cover_init(struct cover *c, const struct cover_options *options)
{
	*c = (struct cover){ .options = *options };
	c->decoders = calloc(2, sizeof(*c->decoders));
	return c->decoders != NULL;
}

/*
 * Whether two regions are one, whatever their counts.  Only branches are told
 * from others by sides that cannot be taken.
 */
static bool
region_same(const struct cover_region *a, const struct cover_region *b)
{
	return memcmp(&a->start, &b->start, sizeof(a->start)) == 0 &&
	    memcmp(&a->end, &b->end, sizeof(a->end)) == 0 &&
	    a->file == b->file && a->expanded == b->expanded &&
	    a->kind == b->kind && (a->kind < COVER_BRANCH ||
	    (a->folded == b->folded && a->other_folded == b->other_folded));
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
	const struct cover_function *a = both[1];
	const struct cover_function *b = &c->entries[item].function;

	return a->files_size == b->files_size && (a->files_size == 0 ||
	    memcmp(a->files, b->files, a->files_size * sizeof(*a->files)) ==
	    0) && prof_span_equal(a->name, b->name);
}

static uint64_t
function_key_hash(uint64_t seed, const struct cover_function *f)
{
	return hash_span(hash_span(seed, f->name), (struct prof_span){
	    (const uint8_t *)f->files, f->files_size * sizeof(*f->files) });
}

static uint64_t
regions_hash(uint64_t hash, const struct cover_region *r, size_t size)
{
	for (; size > 0; r++, size--) {
		hash = hash_mix(hash, cover_place_number(r->start));
		hash = hash_mix(hash, cover_place_number(r->end));
		hash = hash_mix(hash, (uint64_t)r->file << 32 | r->kind);
	}
	return hash;
}

/* A hash of the files and the places of all regions, the same in each run. */
static uint64_t
function_shape(const struct cover *c, const struct cover_function *f)
{
	uint64_t hash = hash_mix(f->hash, f->branches_size);

	for (uint32_t i = 0; i < f->files_size; i++)
		hash = hash_span(hash, c->paths.items[f->files[i]]);
	hash = regions_hash(hash, f->regions, f->regions_size);
	return regions_hash(hash, f->branches, f->branches_size);
}

/* The function of an entry, decoded by one of the decoders. */
static const struct cover_function *
entry_open(struct cover *c, size_t number, unsigned which)
{
	const struct cover_entry *e = &c->entries[number];
	struct decoder *dec = &c->decoders[which];
	struct cover_wrong wrong;

	if (e->stored || (dec->is_open && dec->number == number))
		return e->stored ? &e->function : &dec->function;
	dec->is_open = true;
	dec->number = number;
	dec->function = e->function;
	/* It was decoded before: there is memory, and nothing is damaged. */
	decoder_read(dec, e->mapping, &e->counters, NULL, SIZE_MAX);
	if (!c->options.as_llvm)
		decoder_correct(dec, &wrong);
	decoder_give(dec, &dec->function);
	return &dec->function;
}

const struct cover_function *
cover_function_at(struct cover *c, size_t number)
{
	return entry_open(c, number, 0);
}

struct cover_function *
cover_function_store(struct cover *c, size_t number)
{
	struct cover_entry *e = &c->entries[number];
	const struct cover_function *f = entry_open(c, number, 1);
	size_t regions = f->regions_size, branches = f->branches_size;
	struct cover_region *copy;

	if (e->stored)
		return &e->function;
	copy = arena_array(&c->arena, regions + branches, sizeof(*copy));
	if (copy == NULL)
		return NULL;
	if (regions > 0)
		memcpy(copy, f->regions, regions * sizeof(*copy));
	if (branches > 0)
		memcpy(copy + regions, f->branches, branches * sizeof(*copy));
	e->function.regions = copy;
	e->function.regions_size = regions;
	e->function.branches = copy + regions;
	e->function.branches_size = branches;
	e->stored = true;
	return &e->function;
}

/* llvm-cov knows a function by its name and files, and the first one stays. */
static bool
function_same(const void *arg, uint32_t item)
{
	const void *const *both = arg;
	const struct cover_function *a = both[1], *b;
	/* Only the decoder changes. */
	struct cover *c = (struct cover *)(uintptr_t)both[0];

	if (!function_same_key(arg, item) || c->options.as_llvm)
		return function_same_key(arg, item);
	if (c->entries[item].shape != *(const uint64_t *)both[2])
		return false;
	b = entry_open(c, item, 1);
	return a->hash == b->hash && regions_same(a->regions, a->regions_size,
	    b->regions, b->regions_size) && regions_same(a->branches,
	    a->branches_size, b->branches, b->branches_size) &&
	    decisions_same(a, b);
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

/* Adds the counts of a function with the same regions. */
static bool
cover_function_add(struct cover *c, size_t number,
    const struct cover_function *from)
{
	struct cover_function *to = cover_function_store(c, number);

	if (to == NULL)
		return false;
	to->count = count_add(to->count, from->count);
	if (from->state < to->state)
		to->state = from->state;
	regions_add(to->regions, from->regions, to->regions_size);
	regions_add(to->branches, from->branches, to->branches_size);
	for (size_t i = 0; i < to->decisions_size; i++) {
		if (!cover_decision_add(&c->arena, &to->decisions[i],
		    &from->decisions[i]))
			return false;
	}
	return true;
}

/*
 * Adds sums to those of an entry, unless it has some of them: *met.  False if
 * out of memory.
 */
static bool
selection_join(struct intern *x, uint32_t *to, uint32_t more, bool *met)
{
	struct prof_span a, b;
	struct buf both = { 0 };

	if (*to == INDEX_NONE || more == INDEX_NONE) {
		*to = *to == INDEX_NONE ? more : *to;
		return true;
	}
	a = x->items[*to];
	b = x->items[more];
	for (size_t i = 0; i < a.size; i++) {
		*met |= a.data[i] != 0 && b.data[i] != 0;
		buf_u8(&both, a.data[i] | b.data[i]);
	}
	if (!*met)
		*to = both.failed ? INDEX_NONE : intern_add(x, both.data,
		    both.size);
	buf_free(&both);
	return *to != INDEX_NONE;
}

bool
cover_put_entry(struct cover *c, struct cover_entry *e,
    const struct cover_function *f, uint64_t *number, uint32_t *counted)
{
	const void *both[] = { c, f, &e->shape };
	struct hash_index_slot *slot;
	uint64_t hash;
	uint32_t *selection;
	bool met = false;

	if (!hash_index_reserve(&c->seen, c->entries_size + 1))
		return false;
	hash = function_key_hash(c->seen.seed, f);
	if (!c->options.as_llvm) {
		e->shape = function_shape(c, f);
		hash = hash_mix(hash, e->shape);
	}
	slot = hash_index_slot(&c->seen, hash, function_same, both);
	*number = slot->item - 1u;
	if (slot->item != 0) {
		selection = &c->entries[*number].selection;
		if (c->options.as_llvm)
			return true;
		if (!selection_join(&c->selections, selection, e->selection,
		    &met))
			return false;
		if (met)
			*counted = *selection;
		return met || cover_function_add(c, slot->item - 1, f);
	}
	*number = c->entries_size;
	for (size_t i = f->regions_size; i-- > 0;) {
		if (f->regions[i].file == f->main_file)
			e->start = f->regions[i].start;
	}
	e->line = f->regions_size > 0 ? f->regions[0].start.line : 0;
	if (!ARRAY_ADD(c->entries, c->entries_size, c->entries_room, *e))
		return false;
	hash_index_fill(&c->seen, slot, hash);
	return true;
}

bool
cover_put_function(struct cover *c, const struct cover_function *f)
{
	struct cover_entry e = { .function = *f, .stored = true,
	    .selection = INDEX_NONE };
	uint64_t number;
	uint32_t counted;

	return cover_put_entry(c, &e, f, &number, &counted);
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

/*
 * Drops functions that were seen but not emitted, where another binary or
 * stream has a real one of that name and files.
 */
static bool
cover_drop_unused(struct cover *c)
{
	struct hash_index real = { 0 };
	struct cover_entry *e;
	struct hash_index_slot *slot;
	bool done = hash_index_reserve(&real, c->entries_size + 1);
	const void *both[] = { c, NULL };
	uint64_t hash;

	for (size_t i = 0; i < c->entries_size && done; i++) {
		both[1] = &c->entries[i].function;
		if (c->entries[i].function.state == COVER_UNUSED)
			continue;
		hash = function_key_hash(real.seed, both[1]);
		slot = hash_index_slot(&real, hash, function_same_key, both);
		if (slot->item == 0)
			hash_index_fill_item(&real, slot, hash, (uint32_t)i);
	}
	for (size_t i = 0; i < c->entries_size && done; i++) {
		e = &c->entries[i];
		both[1] = &e->function;
		e->dropped = e->function.state == COVER_UNUSED &&
		    hash_index_find(&real, function_key_hash(real.seed,
		    both[1]), function_same_key, both) != INDEX_NONE;
	}
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
struct sorted_entry {
	uint32_t rank;			/* of the path */
	const struct cover_entry *entry;
};

static int
sorted_entry_compare(const void *a, const void *b)
{
	const struct sorted_entry *x = a, *y = b;
	const struct cover_entry *e = x->entry, *g = y->entry;
	int order;

	order = compare_u64(x->rank, y->rank);
	if (order == 0)
		order = compare_u64(cover_place_number(e->start),
		    cover_place_number(g->start));
	if (order == 0)
		order = prof_span_compare(e->function.name, g->function.name);
	if (order == 0)
		order = compare_u64(e->function.hash, g->function.hash);
	if (order == 0)
		order = compare_u64(e->shape, g->shape);
	return order != 0 ? order : (e > g) - (e < g);
}

/*
 * Sorts the functions by file and place, so that the order of binaries does not
 * matter.
 */
static bool
cover_sort_functions(struct cover *c, const uint32_t *ranks)
{
	struct sorted_entry *list = calloc(c->entries_size + 1, sizeof(*list));
	struct cover_entry *out = calloc(c->entries_size + 1, sizeof(*out));
	const struct cover_function *f;
	bool done = list != NULL && out != NULL;

	for (size_t i = 0; i < c->entries_size && done; i++) {
		f = &c->entries[i].function;
		list[i] = (struct sorted_entry){ f->main_file == INDEX_NONE ?
		    UINT32_MAX : ranks[f->files[f->main_file]],
		    &c->entries[i] };
	}
	if (done) {
		qsort(list, c->entries_size, sizeof(*list),
		    sorted_entry_compare);
		for (size_t i = 0; i < c->entries_size; i++)
			out[i] = *list[i].entry;
		free(c->entries);
		c->entries = out;
		out = NULL;
	}
	free(out);
	free(list);
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
		for (size_t i = 0; i < c->entries_size; i++) {
			f = &c->entries[i].function;
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

bool
cover_put_stale(struct cover *c, const struct cover_stale *stale)
{
	struct cover_stale s = *stale;

	return arena_keep(&c->arena, &s.name) && ARRAY_ADD(c->stale,
	    c->stale_size, c->stale_room, s);
}

/* Files are ranks here. */
static int
stale_compare(const void *a, const void *b)
{
	const struct cover_stale *x = a, *y = b;
	int order = prof_span_compare(x->name, y->name);

	if (order == 0)
		order = compare_u64(x->hash, y->hash);
	return order != 0 ? order : compare_u64(x->file, y->file);
}

/*
 * Sorts what is stale, each once.  A function of which another record was
 * counted is not stale.
 */
static bool
cover_sort_stale(struct cover *c, const uint32_t *paths, const uint32_t *ranks)
{
	struct cover_stale *s = c->stale;
	struct id_map counted = { 0 };
	size_t size = 0;
	bool done = true;

	for (size_t i = 0; i < c->entries_size && c->stale_size > 0 && done;
	    i++)
		done = c->entries[i].function.state != COVER_COUNTED ||
		    id_map_add(&counted, c->entries[i].function.guid, 0) !=
		    NULL;
	for (size_t i = 0; i < c->stale_size; i++) {
		if (id_map_find(&counted, s[i].guid) != NULL)
			continue;
		s[size] = s[i];
		s[size++].file = ranks[s[i].file];
	}
	c->stale_size = 0;
	if (size > 0)
		qsort(s, size, sizeof(*s), stale_compare);
	for (size_t i = 0; i < size; i++) {
		if (i + 1 < size && stale_compare(&s[i], &s[i + 1]) == 0)
			continue;
		s[c->stale_size] = s[i];
		s[c->stale_size++].file = paths[s[i].file];
	}
	id_map_free(&counted);
	return done;
}

/* Sorts the ways through decisions, so that those of sums are the same. */
static bool
cover_sort_ways(struct cover *c)
{
	static const struct cover_decision none;

	for (size_t i = 0; i < c->entries_size; i++) {
		struct cover_function *f = &c->entries[i].function;

		for (size_t k = 0; k < f->decisions_size; k++) {
			if (!cover_decision_add(&c->arena, &f->decisions[k],
			    &none))
				return false;
		}
	}
	return true;
}

bool
cover_list(struct cover *c)
{
	size_t *last = calloc((size_t)c->paths.size + 1, sizeof(*last));
	size_t entries = c->entries_size, size = c->sorted_size;
	bool done;

	free(c->first);
	free(c->users);
	c->users = NULL;
	c->first = calloc((size_t)c->paths.size + 2, sizeof(*c->first));
	c->entries_size = c->sorted_size = 0;
	for (size_t i = 0; i < entries; i++) {
		if (!c->entries[i].dropped)
			c->entries[c->entries_size++] = c->entries[i];
	}
	c->decoders[0].is_open = c->decoders[1].is_open = false;
	done = last != NULL && c->first != NULL && cover_list_users(c, last);
	free(last);
	/* Paths that no function has are left out. */
	for (size_t i = 0; i < size && done; i++) {
		if (c->first[c->sorted[i] + 1] != c->first[c->sorted[i]])
			c->sorted[c->sorted_size++] = c->sorted[i];
	}
	return done;
}

enum prof_status
cover_finish(struct cover *c, struct prof_error *err)
{
	uint32_t *ranks = calloc((size_t)c->paths.size + 1, sizeof(*ranks));
	bool done = ranks != NULL;

	c->sorted = cover_sort_paths(c);
	c->sorted_size = c->paths.size;
	for (uint32_t i = 0; i < c->paths.size && c->sorted != NULL && done;
	    i++)
		ranks[c->sorted[i]] = i;
	done = done && c->sorted != NULL;
	done = done && cover_sort_stale(c, c->sorted, ranks) &&
	    (c->options.as_llvm || (cover_drop_unused(c) &&
	    cover_sort_functions(c, ranks) && cover_sort_ways(c))) &&
	    cover_list(c);
	free(ranks);
	return done ? PROF_OK : err_memory(err);
}

void
cover_free(struct cover *c)
{
	arena_free(&c->arena);
	intern_free(&c->paths);
	free(c->entries);
	for (unsigned i = 0; i < 2 && c->decoders != NULL; i++)
		decoder_free(&c->decoders[i]);
	free(c->decoders);
	cover_tally_free(&c->tally);
	hash_index_free(&c->seen);
	id_map_free(&c->records);
	free(c->stale);
	free(c->wrong);
	intern_free(&c->selections);
	free(c->sorted);
	free(c->first);
	free(c->users);
	id_map_free(&c->originals);
	intern_free(&c->tests);
	free(c->runs);
	free(c->test_runs);
}
