#include "merge/core/notes.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

static const char *const merge_warnings[MERGE_WARNINGS] = {
	("records of another shape were dropped (numbers of counters, bitmap "
	    "bytes or value sites differ)"),
	"counters are at their limit",
	"nothing was subtracted: the other record has another shape",
};

void
merge_warn(const struct merge *m, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	err_report(m->warn, m->warn_arg, (struct prof_error){ 0 }, format, ap);
	va_end(ap);
}

/* The name, or the guid if no name is known. */
static const char *
merge_note_name(char name[ERR_NAME_SIZE], const struct merge_entry *e)
{
	if (e->name.size != 0)
		return err_name(name, e->name);
	snprintf(name, ERR_NAME_SIZE, "guid 0x%016llx",
	    (unsigned long long)e->guid);
	return name;
}

void
merge_note(struct merge_notes *n, const struct merge_entry *e)
{
	const bool applies[MERGE_WARNINGS] = { e->conflict, e->saturated,
	    e->not_subtracted };
	char name[ERR_NAME_SIZE];

	n->losses.overflows += e->saturated;
	n->losses.mismatches += e->conflict || e->not_subtracted;
	for (size_t i = 0; i < MERGE_WARNINGS; i++) {
		if (!applies[i] || n->count[i]++ >= MERGE_NAMED_FUNCTIONS)
			continue;
		snprintf(n->text[i][n->count[i] - 1], sizeof(n->text[i][0]),
		    "%s, hash 0x%016llx: %s", merge_note_name(name, e),
		    (unsigned long long)e->hash, merge_warnings[i]);
	}
}

void
merge_report(struct merge *m, const struct merge_notes *n)
{
	m->losses = n->losses;
	for (size_t i = 0; i < MERGE_WARNINGS; i++) {
		size_t k = 0;

		for (; k < n->count[i] && k < MERGE_NAMED_FUNCTIONS; k++)
			merge_warn(m, "%s", n->text[i][k]);
		if (k < n->count[i])
			merge_warn(m, "%zu more functions: %s",
			    n->count[i] - k, merge_warnings[i]);
	}
	if (m->head.extra_dropped)
		merge_warn(m, "unknown keys that are not the same in all "
		    "profiles were dropped");
	if (m->unknown_records != 0)
		merge_warn(m, "%llu records of unknown types were left out",
		    (unsigned long long)m->unknown_records);
}
