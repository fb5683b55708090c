#include "ops/name_regex.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"

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

enum prof_status
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

bool
name_regex_matches(const struct name_regex *r, const char *name)
{
	const regex_t *regex = name_regex_is_from_start(r, name) ?
	    &r->from_start : &r->given;

	return regexec(regex, name, 0, NULL, 0) == 0;
}

void
name_regex_free(struct name_regex *r)
{
	regfree(&r->given);
	if (r->has_from_start)
		regfree(&r->from_start);
}
