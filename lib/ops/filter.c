#include "config.h"

#include "ops/filter.h"

#include <fnmatch.h>
#include <regex.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "model/symtab.h"
#include "prof/base.h"

/*
 * So many bytes of a name are searched for a regular expression: regexec(3)
 * begins again at each byte, and may read all that follows each time.
 */
enum { REGEX_BYTES_MAX = 16384, REASON_SIZE = 80 };

struct filter_rules {
	bool begun;			/* see filter_begin */
	bool demangled;			/* a name may be a demangled one */
	struct symtab names;
	const char **globs;
	size_t glob_count, glob_room;
	regex_t *regexes;
	size_t regex_count, regex_room;
	uint64_t *hashes;
	size_t hash_count, hash_room;
};

struct filter {
	struct filter_rules rules[2];		/* to keep, to drop */
	uint64_t min_count;
	struct arena arena;		/* bytes of rules' names */
	struct name_forms forms;	/* of the name at hand */
	name_demangler *without_type;
	struct buf text, plain;		/* the name at hand, with a NUL */
};

/*
 * The texts of the name at hand; patterns: stored, demangled, and demangled
 * without the type that the function returns, or NULL.
 */
enum { PATTERN_TEXTS = 3 };

struct filter_texts {
	const struct prof_span *forms;	/* NAME_FORMS of them */
	char *patterns[PATTERN_TEXTS];
};

struct filter *
filter_new(void)
{
	return calloc(1, sizeof(struct filter));
}

static void
filter_free_rules(struct filter_rules *r)
{
	symtab_free(&r->names);
	for (size_t i = 0; i < r->regex_count; i++)
		regfree(&r->regexes[i]);
	free(r->globs);
	free(r->regexes);
	free(r->hashes);
}

void
filter_free(struct filter *f)
{
	if (f == NULL)
		return;
	filter_free_rules(&f->rules[FILTER_KEEP]);
	filter_free_rules(&f->rules[FILTER_DROP]);
	arena_free(&f->arena);
	name_forms_free(&f->forms);
	buf_free(&f->text);
	buf_free(&f->plain);
	free(f);
}

void
filter_begin(struct filter *f, enum filter_side side)
{
	f->rules[side].begun = true;
}

void
filter_all_forms(struct filter *f, name_demangler *demangle,
    name_demangler *without_type)
{
	f->forms.demangle = demangle;
	f->without_type = without_type;
}

enum prof_status
filter_name(struct filter *f, enum filter_side side, struct prof_span name,
    struct prof_error *err)
{
	filter_begin(f, side);
	if (name_may_be_demangled(name))
		f->rules[side].demangled = true;
	return symtab_keep(&f->rules[side].names, &f->arena, name, 0) ?
	    PROF_OK : err_memory(err);
}

enum prof_status
filter_glob(struct filter *f, enum filter_side side, const char *pattern,
    struct prof_error *err)
{
	struct filter_rules *r = &f->rules[side];

	filter_begin(f, side);
	return ARRAY_ADD(r->globs, r->glob_count, r->glob_room, pattern) ?
	    PROF_OK : err_memory(err);
}

enum prof_status
filter_regex(struct filter *f, enum filter_side side, const char *regex,
    struct prof_error *err)
{
	struct filter_rules *r = &f->rules[side];
	char reason[REASON_SIZE];
	int e;

	if (!ARRAY_ROOM(r->regexes, r->regex_count, r->regex_room))
		return err_memory(err);
	e = regcomp(&r->regexes[r->regex_count], regex,
	    REG_EXTENDED | REG_NOSUB);
	if (e != 0) {
		regerror(e, &r->regexes[r->regex_count], reason,
		    sizeof(reason));
		return err_set(err, PROF_E_FORMAT, "'%s': %s", regex, reason);
	}
	r->regex_count++;
	filter_begin(f, side);
	return PROF_OK;
}

enum prof_status
filter_hash(struct filter *f, enum filter_side side, uint64_t hash,
    struct prof_error *err)
{
	struct filter_rules *r = &f->rules[side];

	filter_begin(f, side);
	return ARRAY_ADD(r->hashes, r->hash_count, r->hash_room, hash) ?
	    PROF_OK : err_memory(err);
}

void
filter_min_count(struct filter *f, uint64_t count)
{
	f->min_count = count;
}

static bool
filter_has_patterns(const struct filter_rules *r)
{
	return r->glob_count != 0 || r->regex_count != 0;
}

static bool
filter_has_name(const struct filter_rules *r, const struct prof_symbol *s,
    const struct filter_texts *t)
{
	size_t i;

	if (r->names.size == 0)
		return false;
	i = symtab_find(&r->names, prof_symbol_guid(s), NULL);
	if (i != SYMTAB_NONE && (s->name.data == NULL ||
	    prof_span_equal(s->name, r->names.symbols[i].name)))
		return true;
	for (int form = NAME_STORED + 1; form < NAME_FORMS; form++) {
		struct prof_span name = t->forms[form];

		i = name.data == NULL ? SYMTAB_NONE :
		    symtab_find(&r->names, prof_guid(name), NULL);
		if (i != SYMTAB_NONE &&
		    prof_span_equal(name, r->names.symbols[i].name))
			return true;
	}
	return false;
}

static bool
filter_has_hash(const struct filter_rules *r, const struct prof_function *f)
{
	for (size_t i = 0; f != NULL && i < r->hash_count; i++) {
		if (r->hashes[i] == f->hash)
			return true;
	}
	return false;
}

/* The name is cut for the time of the search. */
static bool
filter_matches_pattern(const struct filter_rules *r, char *name)
{
	bool cut = r->regex_count != 0 && strlen(name) > REGEX_BYTES_MAX;
	char behind = cut ? name[REGEX_BYTES_MAX] : '\0';
	bool found = false;

	for (size_t i = 0; i < r->glob_count; i++) {
		if (fnmatch(r->globs[i], name, 0) == 0)
			return true;
	}
	if (cut)
		name[REGEX_BYTES_MAX] = '\0';
	for (size_t i = 0; i < r->regex_count && !found; i++)
		found = regexec(&r->regexes[i], name, 0, NULL,
		    cut ? REG_NOTEOL : 0) == 0;
	if (cut)
		name[REGEX_BYTES_MAX] = behind;
	return found;
}

static bool
filter_matches_name(const struct filter_rules *r, const struct prof_symbol *s,
    const struct filter_texts *t)
{
	if (filter_has_name(r, s, t))
		return true;
	for (int i = 0; i < PATTERN_TEXTS; i++) {
		if (t->patterns[i] != NULL &&
		    filter_matches_pattern(r, t->patterns[i]))
			return true;
	}
	return false;
}

/* Sets the texts for patterns; there are none for a name with a NUL. */
static void
filter_pattern_texts(struct filter *f, struct prof_span name,
    struct filter_texts *t)
{
	if (name.data == NULL || (name.size != 0 &&
	    memchr(name.data, '\0', name.size) != NULL))
		return;
	f->text.size = 0;
	buf_put(&f->text, name.data, name.size);
	buf_put(&f->text, "", 1);
	t->patterns[0] = (char *)f->text.data;
	t->patterns[1] = (char *)(uintptr_t)f->forms.forms[NAME_DEMANGLED].data;
	/* A type in front is followed by a blank. */
	if (t->patterns[1] == NULL || strchr(t->patterns[1], ' ') == NULL)
		return;
	f->plain.size = 0;
	f->without_type(&f->plain, name);
	buf_put(&f->plain, "", 1);
	t->patterns[2] = (char *)f->plain.data;
}

/* False if out of memory. */
static bool
filter_make_texts(struct filter *f, struct prof_span name,
    struct filter_texts *t)
{
	const struct filter_rules *keep = &f->rules[FILTER_KEEP];
	const struct filter_rules *drop = &f->rules[FILTER_DROP];
	bool patterns = filter_has_patterns(keep) || filter_has_patterns(drop);

	*t = (struct filter_texts){ .forms = f->forms.forms };
	if (f->forms.demangle != NULL && !name_forms_make(&f->forms, name,
	    patterns || keep->demangled || drop->demangled))
		return false;
	if (patterns)
		filter_pattern_texts(f, name, t);
	return !f->text.failed && !f->plain.failed;
}

/* Without a function, only rules about names match. */
static enum prof_status
filter_symbol(struct filter *f, const struct prof_symbol *s,
    const struct prof_function *fn, struct prof_error *err)
{
	const struct filter_rules *keep = &f->rules[FILTER_KEEP];
	const struct filter_rules *drop = &f->rules[FILTER_DROP];
	bool counts = f->min_count == 0 || fn == NULL;
	struct filter_texts t;

	if (!filter_make_texts(f, s->name, &t))
		return err_memory(err);
	for (size_t i = 0; !counts && i < fn->counts_size; i++)
		counts = fn->counts[i] >= f->min_count;
	return counts && (!keep->begun || filter_has_hash(keep, fn) ||
	    filter_matches_name(keep, s, &t)) && !filter_has_hash(drop, fn) &&
	    !filter_matches_name(drop, s, &t) ? PROF_OK : PROF_END;
}

enum prof_status
filter_function(struct filter *f, const struct prof_function *fn,
    struct prof_error *err)
{
	return filter_symbol(f, &fn->symbol, fn, err);
}

enum prof_status
filter_heap_function(struct filter *f, const struct prof_memprof_function *fn,
    struct prof_error *err)
{
	return filter_symbol(f, &fn->symbol, NULL, err);
}
