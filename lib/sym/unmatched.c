#include "config.h"

#include "sym/unmatched.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "model/memprof_guid.h"

/* A list of names for a message: has room for three build ids. */
struct name_list {
	char text[128];
	size_t size, left_out;
};

/* Length of a list of two build ids. */
#define TWO_IDS 84

static void
unmatched_list_add(struct name_list *l, const char *name, size_t limit)
{
	size_t n = strlen(name) + (l->size == 0 ? 0 : 2);

	if (l->left_out != 0 || n >= limit - l->size) {
		l->left_out++;
		return;
	}
	snprintf(l->text + l->size, sizeof(l->text) - l->size, "%s%s",
	    l->size == 0 ? "" : ", ", name);
	l->size += n;
}

/* The list as text, with the number of names that did not fit. */
static const char *
unmatched_list_end(struct name_list *l, char *text, size_t size)
{
	if (l->left_out == 0)
		snprintf(text, size, "%s", l->text);
	else
		snprintf(text, size, "%s and %zu more", l->text, l->left_out);
	return text;
}

#define LIST_SIZE (sizeof(((struct name_list *)0)->text) + 32)

void
unmatched_add(struct unmatched *u, const struct prof_segment *s)
{
	u->segments++;
	for (size_t i = 0; i < u->start_count; i++) {
		if (u->starts[i] == s->start)
			return;
	}
	if (s->has_range && u->start_count < UNMATCHED_SHOWN)
		u->starts[u->start_count++] = s->start;
}

static void
unmatched_list_segments(const struct unmatched *u, struct name_list *l,
    size_t limit)
{
	for (size_t i = 0; i < u->start_count; i++) {
		char text[64];

		snprintf(text, sizeof(text), "none at 0x%llx",
		    (unsigned long long)u->starts[i]);
		unmatched_list_add(l, text, limit);
	}
	if (u->segments > u->start_count)
		l->left_out += (size_t)(u->segments - u->start_count);
}

/*
 * Lists the build ids of all modules in the order of the profile, in which the
 * program comes first; or, if `unknown`, of modules with unknown addresses.
 */
static void
unmatched_list_modules(const struct unmatched *u, const struct modules *m,
    struct name_list *l, bool unknown)
{
	size_t limit = unknown ? sizeof(l->text) : TWO_IDS;
	char id[ID_TEXT_SIZE];

	for (size_t i = 0; i < m->size; i++) {
		if (!unknown || m->items[i].unknown != 0)
			unmatched_list_add(l, module_id_text(id,
			    m->items[i].build_id), limit);
	}
	unmatched_list_segments(u, l, limit);
}

/* "PATH has build id X" for a message. */
static const char *
unmatched_binary_text(const struct binary *b, char *text, size_t size)
{
	const char *path = binary_path(b);
	size_t length = strlen(path), cut = length > 40 ? length - 37 : 0;
	char name[ERR_NAME_SIZE], id[ID_TEXT_SIZE];

	/* The end of a path, with the file name, says most. */
	err_name(name, (struct prof_span){ (const uint8_t *)path + cut,
	    length - cut });
	snprintf(text, size, "%s%s has build id %s", cut == 0 ? "" : "...",
	    name, module_id_text(id, binary_build_id(b)));
	return text;
}

#define BINARY_TEXT_SIZE (ERR_NAME_SIZE + ID_TEXT_SIZE + 16)

/* No binary belongs to the profile: says which modules it has. */
static enum prof_status
unmatched_err_nothing(const struct unmatched *u, const struct modules *m,
    struct prof_error *err)
{
	char ids[LIST_SIZE], binary[BINARY_TEXT_SIZE];
	struct name_list l = { 0 };

	unmatched_list_modules(u, m, &l, false);
	unmatched_list_end(&l, ids, sizeof(ids));
	if (m->size == 0 && u->segments == 0)
		return err_set(err, PROF_E_MISMATCH, "the profile does not say "
		    "which files its addresses belong to");
	if (m->binary_count == 0)
		return err_set(err, PROF_E_MISMATCH, "debug information was "
		    "found for no module of the profile, which have build "
		    "ids %s", ids);
	return err_set(err, PROF_E_MISMATCH, "%s, modules of the profile have "
	    "%s", unmatched_binary_text(m->binaries[0], binary, sizeof(binary)),
	    ids);
}

/* Warns of binaries and module_maps of the user that were not used. */
static void
unmatched_warn_unused(const struct unmatched *u, const struct modules *m)
{
	char ids[LIST_SIZE], binary[BINARY_TEXT_SIZE];
	struct name_list l = { 0 };

	unmatched_list_modules(u, m, &l, false);
	unmatched_list_end(&l, ids, sizeof(ids));
	for (size_t i = 0; i < m->binary_count; i++) {
		if (!m->used[i])
			modules_warn(m, PROF_E_NONE, "%s, modules of the "
			    "profile have %s",
			    unmatched_binary_text(m->binaries[i], binary,
			    sizeof(binary)), ids);
	}
	for (size_t i = 0; i < m->map_count; i++) {
		if (!m->maps[i].used)
			modules_warn(m, PROF_E_NONE, "no segment begins at "
			    "0x%llx", (unsigned long long)m->maps[i].start);
	}
}

/* Warns of addresses without debug information, and of those in no function. */
static void
unmatched_warn_unknown(const struct unmatched *u, const struct addresses *s)
{
	const struct modules *m = s->modules;
	struct name_list l = { 0 };
	char ids[LIST_SIZE];
	uint64_t unknown = 0, nowhere = 0, all = 0;

	for (size_t i = 0; i < s->size; i++) {
		const struct address *a = &s->items[i];
		bool without = a->requested && (a->count == 0 ||
		    !memprof_has_place(a->frames));

		all += a->requested;
		unknown += without && !a->known;
		nowhere += without && a->known;
	}
	unmatched_list_modules(u, m, &l, true);
	if (unknown != 0)
		modules_warn(m, PROF_E_NONE, "%llu of %llu addresses have no "
		    "debug information: build ids %s",
		    (unsigned long long)unknown, (unsigned long long)all,
		    l.size == 0 ? "unknown" : unmatched_list_end(&l, ids,
		    sizeof(ids)));
	if (nowhere != 0)
		modules_warn(m, PROF_E_NONE, "%llu of %llu addresses are in no "
		    "function of the debug information",
		    (unsigned long long)nowhere, (unsigned long long)all);
}

enum prof_status
unmatched_warn(const struct unmatched *u, const struct addresses *s,
    struct prof_error *err)
{
	const struct modules *m = s->modules;
	bool matched = u->found != 0;

	for (size_t i = 0; i < m->size && !matched; i++)
		matched = m->items[i].binary != NO_MODULE ||
		    m->items[i].frames != NULL;
	if (u->requested != 0 && !matched)
		return unmatched_err_nothing(u, m, err);
	if (m->size != 0 || u->segments != 0)
		unmatched_warn_unused(u, m);
	unmatched_warn_unknown(u, s);
	return PROF_OK;
}
