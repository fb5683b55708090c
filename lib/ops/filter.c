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
 * A regular expression that is found in names.  regexec(3) begins again at each
 * byte of a name, and may read the name to its end each time: the time for a
 * name of 1 MB would be hours.  In long names, "^.*(regex)" is searched for,
 * which takes one pass, where it means the same.
 */
struct name_regex {
	regex_t given;
	regex_t from_start;	/* ^.*(given) */
	bool has_from_start;
	bool has_anchor;	/* then they differ in names of several lines */
};

enum { LONG_NAME = 1024, REASON_SIZE = 80 };

/* What regcomp(3) returns for the concatenation. */
static int
regex_compile_joined(regex_t *to, const char *before, const char *regex,
    const char *behind)
{
	struct buf text = { 0 };
	int e = REG_ESPACE;

	buf_text(&text, before);
	buf_text(&text, regex);
	buf_text(&text, behind);
	buf_put(&text, "", 1);
	if (!text.failed)
		e = regcomp(to, (const char *)text.data,
		    REG_EXTENDED | REG_NOSUB);
	buf_free(&text);
	return e;
}

static bool
regex_has_back_reference(const char *regex)
{
	for (; (regex = strchr(regex, '\\')) != NULL; regex++) {
		if (regex[1] >= '1' && regex[1] <= '9')
			return true;
	}
	return false;
}

/*
 * Whether "^.*(regex)" may be faster.  Without * and +, each try of the regex
 * as given ends after as many bytes as that has.  With an interval as {100},
 * regexec(3) would count from all starts at once, and make a large state for
 * nearly each byte.  So a regex that has both may take the square of the size
 * of a name.  Other ones have states by the number of characters in the regex,
 * which are many only if tens of them stand for any character.
 */
static bool
regex_is_worth_joining(const char *regex)
{
	return strpbrk(regex, "*+") != NULL && strchr(regex, '{') == NULL;
}

/*
 * Compiles "^.*(regex)", unless it may mean something else: a group in front
 * changes the numbers of back-references, and would end at a parenthesis that
 * closes none and stands for itself.  With one group more that is not closed,
 * an expression with such a parenthesis is well-formed, any other one is not.
 */
static int
name_regex_compile_from_start(struct name_regex *r, const char *regex)
{
	regex_t probe;
	int e;

	r->has_from_start = false;
	r->has_anchor = strpbrk(regex, "^$") != NULL;
	if (!regex_is_worth_joining(regex) || regex_has_back_reference(regex))
		return 0;
	e = regex_compile_joined(&probe, "((", regex, ")");
	if (e == 0)
		regfree(&probe);
	if (e == 0 || e == REG_ESPACE)
		return e;
	e = regex_compile_joined(&r->from_start, "^.*(", regex, ")");
	r->has_from_start = e == 0;
	return e == REG_ESPACE ? e : 0;
}

/* PROF_E_FORMAT with the reason if the expression is malformed. */
static enum prof_status
name_regex_make(struct name_regex *r, const char *regex,
    struct prof_error *err)
{
	char reason[REASON_SIZE];
	int e = regcomp(&r->given, regex, REG_EXTENDED | REG_NOSUB);

	if (e != 0) {
		regerror(e, &r->given, reason, sizeof(reason));
		return err_set(err, PROF_E_FORMAT, "'%s': %s", regex, reason);
	}
	if (name_regex_compile_from_start(r, regex) != 0) {
		regfree(&r->given);
		return err_memory(err);
	}
	return PROF_OK;
}

/* In "^.*(regex)", glibc finds the ^ of the regex behind any newline. */
static bool
name_regex_is_from_start(const struct name_regex *r, const char *name)
{
	return r->has_from_start && strlen(name) > LONG_NAME &&
	    (!r->has_anchor || strchr(name, '\n') == NULL);
}

/* Whether the expression is found anywhere in the name. */
static bool
name_regex_matches(const struct name_regex *r, const char *name)
{
	const regex_t *regex = name_regex_is_from_start(r, name) ?
	    &r->from_start : &r->given;

	return regexec(regex, name, 0, NULL, 0) == 0;
}

static void
name_regex_free(struct name_regex *r)
{
	regfree(&r->given);
	if (r->has_from_start)
		regfree(&r->from_start);
}

struct filter_rules {
	bool begun;			/* see filter_begin */
	bool demangled;			/* a name may be a demangled one */
	struct symtab names;
	const char **globs;
	size_t glob_count, glob_room;
	struct name_regex *regexes;
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
	const char *patterns[PATTERN_TEXTS];
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
		name_regex_free(&r->regexes[i]);
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

	if (!ARRAY_ROOM(r->regexes, r->regex_count, r->regex_room))
		return err_memory(err);
	if (name_regex_make(&r->regexes[r->regex_count], regex, err) !=
	    PROF_OK)
		return PROF_FAIL;
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
filter_has_hash(const struct filter_rules *r, uint64_t hash)
{
	for (size_t i = 0; i < r->hash_count; i++) {
		if (r->hashes[i] == hash)
			return true;
	}
	return false;
}

static bool
filter_matches_pattern(const struct filter_rules *r, const char *name)
{
	for (size_t i = 0; i < r->glob_count; i++) {
		if (fnmatch(r->globs[i], name, 0) == 0)
			return true;
	}
	for (size_t i = 0; i < r->regex_count; i++) {
		if (name_regex_matches(&r->regexes[i], name))
			return true;
	}
	return false;
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

static bool
filter_matches(const struct filter_rules *r, const struct prof_function *f,
    const struct filter_texts *t)
{
	return filter_has_hash(r, f->hash) ||
	    filter_matches_name(r, &f->symbol, t);
}

static bool
filter_has_count(const struct prof_function *f, uint64_t min_count)
{
	if (min_count == 0)
		return true;
	for (size_t i = 0; i < f->counts_size; i++) {
		if (f->counts[i] >= min_count)
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
	t->patterns[0] = (const char *)f->text.data;
	t->patterns[1] = (const char *)f->forms.forms[NAME_DEMANGLED].data;
	/* A type in front is followed by a blank. */
	if (t->patterns[1] == NULL || strchr(t->patterns[1], ' ') == NULL)
		return;
	f->plain.size = 0;
	f->without_type(&f->plain, name);
	buf_put(&f->plain, "", 1);
	t->patterns[2] = (const char *)f->plain.data;
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

enum prof_status
filter_function(struct filter *f, const struct prof_function *fn,
    struct prof_error *err)
{
	const struct filter_rules *keep = &f->rules[FILTER_KEEP];
	struct filter_texts t;

	if (!filter_make_texts(f, fn->symbol.name, &t))
		return err_memory(err);
	return filter_has_count(fn, f->min_count) &&
	    (!keep->begun || filter_matches(keep, fn, &t)) &&
	    !filter_matches(&f->rules[FILTER_DROP], fn, &t) ? PROF_OK :
	    PROF_END;
}

enum prof_status
filter_heap_function(struct filter *f, const struct prof_memprof_function *fn,
    struct prof_error *err)
{
	const struct filter_rules *keep = &f->rules[FILTER_KEEP];
	struct filter_texts t;

	if (!filter_make_texts(f, fn->symbol.name, &t))
		return err_memory(err);
	return (!keep->begun || filter_matches_name(keep, &fn->symbol, &t)) &&
	    !filter_matches_name(&f->rules[FILTER_DROP], &fn->symbol, &t) ?
	    PROF_OK : PROF_END;
}
