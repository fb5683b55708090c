#include "config.h"

#include <stdlib.h>

#include "base/array.h"
#include "cmd/print/demangle.h"
#include "cmd/common/message_text.h"
#include "cmd/show/selection.h"
#include "model/record_copy.h"

bool
show_selection_add(struct show_selection *w, struct prof_span name, bool listed)
{
	if (!ARRAY_ROOM(w->names, w->size, w->room))
		return false;
	w->any = true;
	name = arena_copy(&w->arena, name);
	if (name.data == NULL)
		return false;
	w->names[w->size++] = (struct show_wanted_name){ name, listed, false,
	    NAME_FORMS };
	w->demangled = w->demangled || name_may_be_demangled(name);
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
	for (size_t i = 0; i < n; i++) {
		if (!w->names[i].listed)
			nearest_names_want(&w->nearest, w->names[i].name);
	}
	w->forms.demangle = match_demangled;
	w->spans = calloc(n + 1, sizeof(*w->spans));
	for (size_t i = 0; w->spans != NULL && i < n; i++)
		w->spans[i] = w->names[i].name;
	return w->spans != NULL;
}

void
show_selection_begin(struct show_selection *w)
{
	for (size_t i = 0; i < w->size; i++)
		w->names[i].form = NAME_FORMS;
	w->held_size = 0;
	arena_reset(&w->held_arena);
}

/* The wanted name of that text, or NULL. */
static struct show_wanted_name *
find_wanted_name(const struct show_selection *w, struct prof_span text)
{
	struct show_wanted_name key = { .name = text };

	if (text.data == NULL || w->size == 0)
		return NULL;
	return bsearch(&key, w->names, w->size, sizeof(*w->names),
	    compare_wanted_names);
}

bool
show_selection_match(struct show_selection *w, struct prof_span function,
    struct show_match *match)
{
	*match = (struct show_match){ 0, NAME_FORMS };
	if (function.data == NULL)
		return true;
	if (!name_forms_make(&w->forms, function, w->demangled))
		return false;
	for (int i = NAME_FORMS - 1; i >= 0; i--) {
		struct show_wanted_name *found =
		    find_wanted_name(w, w->forms.forms[i]);

		if (found == NULL)
			continue;
		w->found = found->found = true;
		match->name = (size_t)(found - w->names);
		match->form = (enum name_form)i;
		if (match->form < found->form)
			found->form = match->form;
	}
	if (!w->found)
		nearest_names_add(&w->nearest, &w->forms);
	return true;
}

bool
show_selection_hold(struct show_selection *w, const struct prof_function *f,
    const struct show_match *match)
{
	struct prof_function copy = *f;

	return record_copy(&w->held_arena, PROF_REC_FUNCTION, &copy) &&
	    ARRAY_ADD(w->held, w->held_size, w->held_room,
	    (struct show_held_function){ copy, match->name, match->form });
}

const struct prof_function *
show_selection_next(const struct show_selection *w, size_t *place,
    bool *wanted)
{
	const struct show_held_function *h;

	if (*place == w->held_size)
		return NULL;
	h = &w->held[(*place)++];
	*wanted = h->form == w->names[h->name].form;
	return &h->function;
}

bool
show_selection_check(const struct show_selection *w, const char *program,
    bool quiet)
{
	bool any = w->found, all = true;

	for (size_t i = 0; i < w->size; i++) {
		if (w->names[i].found || (any && !w->names[i].listed))
			continue;
		all = false;
		if (!quiet)
			nearest_names_print(&w->nearest, program,
			    w->names[i].name);
	}
	if (w->any && w->size == 0 && !quiet)
		message_print("%s: the list has no functions\n", program);
	return all && (any || !w->any);
}

void
show_selection_free(struct show_selection *w)
{
	free(w->names);
	free(w->spans);
	free(w->held);
	arena_free(&w->arena);
	arena_free(&w->held_arena);
	name_forms_free(&w->forms);
}
