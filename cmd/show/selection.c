#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "cmd/show/selection.h"

bool
show_selection_add(struct show_selection *w, struct prof_span name, bool listed)
{
	if (!ARRAY_ROOM(w->names, w->size, w->room))
		return false;
	w->any = true;
	name = arena_copy(&w->arena, name);
	if (name.data == NULL)
		return false;
	w->names[w->size++] = (struct show_wanted_name){ name, listed, false };
	return true;
}

static int
compare_wanted_names(const void *a, const void *b)
{
	const struct show_wanted_name *x = a, *y = b;

	return prof_span_compare(x->name, y->name);
}

bool
show_selection_sort(struct show_selection *w)
{
	size_t n = 0;

	if (w->size != 0)
		qsort(w->names, w->size, sizeof(*w->names),
		    compare_wanted_names);
	for (size_t i = 0; i < w->size; i++) {
		if (n == 0 || compare_wanted_names(&w->names[n - 1],
		    &w->names[i]) != 0)
			w->names[n++] = w->names[i];
		else if (w->names[i].listed)
			w->names[n - 1].listed = true;
	}
	w->size = n;
	w->spans = calloc(n + 1, sizeof(*w->spans));
	for (size_t i = 0; w->spans != NULL && i < n; i++)
		w->spans[i] = w->names[i].name;
	return w->spans != NULL;
}

bool
show_selection_has(struct show_selection *w, struct prof_span name)
{
	struct show_wanted_name key = { .name = name }, *found;

	if (!w->any)
		return true;
	if (name.data == NULL || w->size == 0)
		return false;
	found = bsearch(&key, w->names, w->size, sizeof(*w->names),
	    compare_wanted_names);
	if (found != NULL)
		found->found = true;
	return found != NULL;
}

bool
show_selection_check(const struct show_selection *w, const char *program,
    bool quiet)
{
	char shown[ERR_NAME_SIZE];
	bool any = false, all = true;

	for (size_t i = 0; i < w->size; i++)
		any = any || w->names[i].found;
	for (size_t i = 0; i < w->size; i++) {
		if (w->names[i].found || (any && !w->names[i].listed))
			continue;
		all = false;
		if (!quiet)
			fprintf(stderr, "%s: no function %s\n", program,
			    err_name(shown, w->names[i].name));
	}
	if (w->any && w->size == 0 && !quiet)
		fprintf(stderr, "%s: the list names no function\n", program);
	return all && (any || !w->any);
}

void
show_selection_free(struct show_selection *w)
{
	free(w->names);
	free(w->spans);
	arena_free(&w->arena);
}
