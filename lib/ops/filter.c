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
#include "model/record.h"
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
	struct symtab symbols;		/* of the names */
	struct filter_name *names;	/* symbols.size of them */
	size_t name_count, name_room;
	/* Names that may be plain ones; those of no stored function yet. */
	size_t plain, open;
	const char **globs;
	size_t glob_count, glob_room;
	regex_t *regexes;
	size_t regex_count, regex_room;
	uint64_t *hashes;
	size_t hash_count, hash_room;
};

enum { SIDES = FILTER_DROP + 1 };

/* What the names of a side say about a function. */
struct filter_match {
	enum name_form form;		/* NAME_FORMS: no name calls it */
	size_t name;
};

/* A function that waits for the end of the profile. */
struct filter_held {
	struct prof_record record;
	struct filter_match matches[SIDES];
};

struct filter {
	struct filter_rules rules[SIDES];		/* to keep, to drop */
	uint64_t min_count;
	struct arena arena;		/* bytes of rules' names */
	struct name_forms forms;	/* of the name at hand */
	struct buf text, plain;		/* the name at hand, with a NUL */
	struct arena held_arena;
	struct filter_held *held;
	size_t held_size, held_room;
};

/*
 * The texts of the name at hand; patterns: stored, demangled, and demangled
 * without the type that the function returns, or NULL.
 */
enum { PATTERN_TEXTS = 3 };

struct filter_texts {
	char *patterns[PATTERN_TEXTS];
	size_t local;			/* behind the file of each, or 0 */
};

struct filter *
filter_new(void)
{
	return calloc(1, sizeof(struct filter));
}

static void
filter_free_rules(struct filter_rules *r)
{
	symtab_free(&r->symbols);
	free(r->names);
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
	arena_free(&f->held_arena);
	free(f->held);
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
filter_all_forms(struct filter *f, name_demangler *demangle)
{
	f->forms.demangle = demangle;
}

/* A mangled name is no part of another. */
static bool
filter_may_be_plain(struct prof_span name)
{
	return name.size != 0 && (name.size < 2 || name.data[0] != '_' ||
	    (name.data[1] != 'Z' && name.data[1] != 'R'));
}

enum prof_status
filter_name(struct filter *f, enum filter_side side, struct prof_span name,
    bool listed, struct prof_error *err)
{
	struct filter_rules *r = &f->rules[side];
	size_t i;

	filter_begin(f, side);
	if (name_may_be_demangled(name))
		r->demangled = true;
	if (!symtab_keep(&r->symbols, &f->arena, name, 0))
		return err_memory(err);
	i = symtab_find(&r->symbols, prof_guid(name), NULL);
	if (i < r->name_count) {
		r->names[i].listed |= listed;
		return PROF_OK;
	}
	r->plain += filter_may_be_plain(name);
	r->open = r->plain;
	return ARRAY_ADD(r->names, r->name_count, r->name_room,
	    ((struct filter_name){ r->symbols.symbols[i].name, listed, false,
	    NAME_FORMS, false })) ? PROF_OK : err_memory(err);
}

const struct filter_name *
filter_names(const struct filter *f, enum filter_side side, size_t *count)
{
	*count = f->rules[side].name_count;
	return f->rules[side].names;
}

void
filter_begin_profile(struct filter *f)
{
	for (int side = 0; side < SIDES; side++) {
		struct filter_rules *r = &f->rules[side];

		r->open = r->plain;
		for (size_t i = 0; i < r->name_count; i++) {
			r->names[i].form = NAME_FORMS;
			r->names[i].checked = false;
		}
	}
	f->held_size = 0;
	arena_reset(&f->held_arena);
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

/* Notes that a text calls the function at hand, if a name is that text. */
static void
filter_match_text(struct filter_rules *r, struct prof_span text, uint64_t guid,
    enum name_form form, struct filter_match *match)
{
	const size_t i = symtab_find(&r->symbols, guid, NULL);
	struct filter_name *name;

	if (i == SYMTAB_NONE || (text.data != NULL &&
	    !prof_span_equal(text, r->names[i].text)))
		return;
	name = &r->names[i];
	name->found = true;
	if (form == NAME_STORED && name->form != form)
		r->open -= filter_may_be_plain(name->text);
	if (form < name->form)
		name->form = form;
	if (form < match->form)
		*match = (struct filter_match){ form, i };
}

/* Sets the match of the names of a side.  False if out of memory. */
static bool
filter_match_names(struct filter *f, enum filter_side side,
    const struct prof_symbol *s, struct filter_match *match)
{
	struct filter_rules *r = &f->rules[side];
	struct prof_span text;
	enum name_form form;
	size_t state = 0;

	*match = (struct filter_match){ NAME_FORMS, 0 };
	if (r->name_count == 0)
		return true;
	filter_match_text(r, s->name, prof_symbol_guid(s), NAME_STORED, match);
	if (s->name.data == NULL || f->forms.demangle == NULL)
		return true;
	for (form = NAME_STORED + 1; form < NAME_PLAIN; form++) {
		text = f->forms.forms[form];
		if (text.data != NULL)
			filter_match_text(r, text, prof_guid(text), form,
			    match);
	}
	if (match->form != NAME_FORMS || r->open == 0)
		return true;
	if (!name_forms_make_plain(&f->forms, s->name))
		return false;
	while (name_forms_next(&f->forms, &state, &text, &form))
		filter_match_text(r, text, prof_guid(text), form, match);
	return true;
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
filter_matches_patterns(const struct filter_rules *r,
    const struct filter_texts *t)
{
	for (int i = 0; i < PATTERN_TEXTS; i++) {
		char *text = t->patterns[i];

		if (text != NULL && (filter_matches_pattern(r, text) ||
		    (t->local != 0 &&
		    filter_matches_pattern(r, text + t->local))))
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
	if (f->forms.forms[NAME_LOCAL].data != NULL)
		t->local = name.size - f->forms.forms[NAME_LOCAL].size;
	t->patterns[1] = (char *)(uintptr_t)f->forms.forms[NAME_DEMANGLED].data;
	/* A type in front is followed by a blank. */
	if (t->patterns[1] == NULL || strchr(t->patterns[1], ' ') == NULL)
		return;
	f->plain.size = 0;
	f->forms.demangle(&f->plain, name, NAME_WITHOUT_TYPE);
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

	*t = (struct filter_texts){ { NULL }, 0 };
	if (f->forms.demangle != NULL && !name_forms_make(&f->forms, name,
	    patterns || keep->demangled || drop->demangled))
		return false;
	if (patterns)
		filter_pattern_texts(f, name, t);
	return !f->text.failed && !f->plain.failed;
}

/* Keeps a function that a name calls in another form than the stored one. */
static enum prof_status
filter_hold(struct filter *f, const struct prof_record *r,
    const struct filter_match *matches, struct prof_error *err)
{
	struct filter_held held = { *r, { matches[0], matches[1] } };

	return record_copy(&f->held_arena, r->kind, &held.record.u) &&
	    ARRAY_ADD(f->held, f->held_size, f->held_room, held) ? PROF_END :
	    err_memory(err);
}

/* Without a function, only rules about names match. */
static enum prof_status
filter_symbol(struct filter *f, const struct prof_symbol *s,
    const struct prof_function *fn, const struct prof_record *r, bool *waits,
    struct prof_error *err)
{
	const struct filter_rules *keep = &f->rules[FILTER_KEEP];
	const struct filter_rules *drop = &f->rules[FILTER_DROP];
	bool counts = f->min_count == 0 || fn == NULL || prof_is_pseudo(fn);
	struct filter_match m[SIDES];
	struct filter_texts t;

	if (waits != NULL)
		*waits = false;
	if (!filter_make_texts(f, s->name, &t) ||
	    !filter_match_names(f, FILTER_KEEP, s, &m[FILTER_KEEP]) ||
	    !filter_match_names(f, FILTER_DROP, s, &m[FILTER_DROP]))
		return err_memory(err);
	for (size_t i = 0; !counts && i < fn->counts_size; i++)
		counts = fn->counts[i] >= f->min_count;
	if (!keep->begun || filter_has_hash(keep, fn) ||
	    filter_matches_patterns(keep, &t))
		m[FILTER_KEEP].form = NAME_STORED;
	if (filter_has_hash(drop, fn) || filter_matches_patterns(drop, &t))
		m[FILTER_DROP].form = NAME_STORED;
	if (!counts || m[FILTER_KEEP].form == NAME_FORMS ||
	    m[FILTER_DROP].form == NAME_STORED)
		return PROF_END;
	if (m[FILTER_KEEP].form == NAME_STORED &&
	    m[FILTER_DROP].form == NAME_FORMS)
		return PROF_OK;
	if (waits != NULL)
		*waits = true;
	return filter_hold(f, r, m, err);
}

enum prof_status
filter_function(struct filter *f, const struct prof_function *fn, bool *waits,
    struct prof_error *err)
{
	const struct prof_record r = { .kind = PROF_REC_FUNCTION,
	    .u.function = *fn };

	return filter_symbol(f, &fn->symbol, fn, &r, waits, err);
}

enum prof_status
filter_heap_function(struct filter *f, const struct prof_memprof_function *fn,
    bool *waits, struct prof_error *err)
{
	const struct prof_record r = { .kind = PROF_REC_MEMPROF_FUNCTION,
	    .u.memprof_function = *fn };

	return filter_symbol(f, &fn->symbol, NULL, &r, waits, err);
}

/* Whether a match is in the form that counts for its name. */
static bool
filter_counts(const struct filter *f, const struct filter_held *h,
    enum filter_side side)
{
	const struct filter_match *m = &h->matches[side];

	return m->form == NAME_STORED || (m->form != NAME_FORMS &&
	    m->form == f->rules[side].names[m->name].form);
}

static const struct prof_symbol *
filter_symbol_of(const struct prof_record *r)
{
	return r->kind == PROF_REC_FUNCTION ? &r->u.function.symbol :
	    &r->u.memprof_function.symbol;
}

enum { CANDIDATES = 3 };

/*
 * Whether the name that calls a function, the first of the profile, calls
 * others.  Instances of one function, whose linkage names differ, are shown as
 * one.
 */
static enum prof_status
filter_check_only(struct filter *f, size_t first, enum filter_side side,
    struct prof_error *err)
{
	const struct filter_match *m = &f->held[first].matches[side];
	char names[CANDIDATES][ERR_NAME_SIZE] = { "" }, name[ERR_NAME_SIZE];
	uint64_t guids[CANDIDATES];
	size_t count = 0, k;

	for (size_t i = first; i < f->held_size && count <= CANDIDATES; i++) {
		const struct filter_match *other = &f->held[i].matches[side];

		if (other->form != m->form || other->name != m->name)
			continue;
		f->text.size = 0;
		f->forms.demangle(&f->text, filter_symbol_of(
		    &f->held[i].record)->name, NAME_WHOLE);
		if (f->text.failed)
			return err_memory(err);
		for (k = 0; k < count && k < CANDIDATES &&
		    guids[k] != prof_guid(buf_span(&f->text)); k++)
			;
		if (k == count && k < CANDIDATES) {
			guids[k] = prof_guid(buf_span(&f->text));
			err_name(names[k], buf_span(&f->text));
		}
		count += k == count;
	}
	return count <= 1 ? PROF_OK : err_set(err, PROF_E_MISMATCH,
	    "%s is the name of several functions: %s, %s%s%s%s",
	    err_name(name, f->rules[side].names[m->name].text), names[0],
	    names[1], count > 2 ? ", " : "", names[2],
	    count > CANDIDATES ? " ..." : "");
}

enum prof_status
filter_end(struct filter *f, struct prof_error *err)
{
	for (size_t i = 0; i < f->held_size; i++) {
		for (int side = 0; side < SIDES; side++) {
			const struct filter_match *m =
			    &f->held[i].matches[side];
			struct filter_name *name;

			if (m->form < NAME_PLAIN || m->form == NAME_FORMS)
				continue;
			name = &f->rules[side].names[m->name];
			if (name->form != m->form || name->checked)
				continue;
			name->checked = true;
			if (filter_check_only(f, i, (enum filter_side)side,
			    err) != PROF_OK)
				return PROF_FAIL;
		}
	}
	return PROF_OK;
}

const struct prof_record *
filter_next(const struct filter *f, size_t *place, bool *kept)
{
	const struct filter_held *h;

	if (*place == f->held_size)
		return NULL;
	h = &f->held[(*place)++];
	*kept = filter_counts(f, h, FILTER_KEEP) &&
	    !filter_counts(f, h, FILTER_DROP);
	return &h->record;
}
