/* cover/tests.c - what each test ran */
#include "config.h"

#include "base/error.h"
#include "cover/mapping.h"

/* Makes the lists of entries lists of tests, in the order of entries. */
static bool
tests_sort(struct cover *c)
{
	struct cover_test_run *r;

	if (c->test_runs != NULL)
		return true;
	c->test_runs = calloc((size_t)c->tests.size + 1,
	    sizeof(*c->test_runs));
	for (size_t i = c->entries_size; i-- > 0 && c->test_runs != NULL;) {
		for (uint32_t at = c->entries[i].runs, next; at != 0;
		    at = next) {
			r = &c->runs[at - 1];
			next = r->next;
			r->entry = (uint32_t)i;
			r->next = c->test_runs[r->test];
			c->test_runs[r->test] = at;
		}
		c->entries[i].runs = 0;
	}
	return c->test_runs != NULL;
}

/* Adds an entry with the counters of a run, or without; NULL: no run. */
static bool
test_put(struct cover *t, const struct cover_entry *from,
    const struct cover_test_run *run)
{
	struct cover_entry e = *from;
	struct decoder *dec = &t->decoders[0];
	struct cover_function whole = from->function;
	struct cover_wrong wrong;
	uint64_t number;
	uint32_t counted;

	e.selection = INDEX_NONE;
	if (run != NULL)
		e.mapping = run->mapping;
	e.counters = run != NULL ? *run->counters : (struct cover_counters){
	    .size = 0 };
	e.stored = dec->is_open = false;
	if (!decoder_read(dec, e.mapping, &e.counters, NULL, SIZE_MAX))
		return false;
	if (dec->uncountable)
		return true;
	decoder_correct(dec, &wrong);
	decoder_give(dec, &whole);
	whole.decisions_size = 0;
	/* Regions that could be summed up once can be so again. */
	if (!cover_function_link(&t->arena, &whole) ||
	    cover_tally_entry(t, &whole, &e, NULL) != PROF_OK)
		return false;
	e.function = whole;
	e.function.regions = e.function.branches = NULL;
	return cover_put_entry(t, &e, &whole, &number, &counted);
}

static bool
entry_has_path(const struct cover_entry *e, uint32_t path)
{
	uint32_t i = 0;

	while (i < e->function.files_size && e->function.files[i] != path)
		i++;
	return path == INDEX_NONE || i < e->function.files_size;
}

/* Fills the cover of a test; all: with functions that it has not run. */
static bool
test_fill(struct cover *t, const struct cover *c, uint32_t test, uint32_t path,
    bool all)
{
	const struct cover_test_run *r;
	uint32_t at = c->test_runs[test];
	bool fits = true;

	for (size_t i = 0; i < c->entries_size && fits; i++) {
		if (all && (at == 0 || c->runs[at - 1].entry != i))
			fits = test_put(t, &c->entries[i], NULL);
		for (; at != 0 && (r = &c->runs[at - 1])->entry == i && fits;
		    at = r->next)
			fits = !entry_has_path(&c->entries[i], path) ||
			    test_put(t, &c->entries[i], r);
	}
	return fits;
}

enum prof_status
cover_each_test(struct cover *c, uint32_t path, bool with_rest,
    cover_visit *visit, void *arg, struct prof_error *err)
{
	enum prof_status status = tests_sort(c) ? PROF_OK : err_memory(err);
	struct cover t;

	for (uint32_t i = with_rest ? 0 : 1; i < c->tests.size &&
	    status == PROF_OK; i++) {
		if (!cover_init(&t, &c->options))
			return err_memory(err);
		t.paths = c->paths;
		t.test = c->tests.items[i];
		t.sorted = malloc((c->sorted_size + 1) * sizeof(*t.sorted));
		t.sorted_size = c->sorted_size;
		if (t.sorted != NULL && t.sorted_size > 0)
			memcpy(t.sorted, c->sorted, t.sorted_size *
			    sizeof(*t.sorted));
		if (t.sorted == NULL || !test_fill(&t, c, i, path, i == 0) ||
		    !cover_list(&t))
			status = err_memory(err);
		if (status == PROF_OK && c->excluded != NULL)
			status = cover_exclude(&t, c->excluded, err);
		if (status == PROF_OK)
			status = visit(arg, &t, err);
		t.paths = (struct intern){ 0 };
		cover_free(&t);
	}
	return status;
}
