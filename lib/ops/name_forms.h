/*
 * ops/name_forms.h - the texts by which a user may call a function
 *
 * A profile has the linkage name, of local functions with their file in front.
 * Users see it demangled, and call a local function by what stands behind its
 * file, or any function by its name without parameters, template arguments and
 * namespaces.
 */
#ifndef OPS_NAME_FORMS_H
#define OPS_NAME_FORMS_H

#include "base/bytes.h"
#include "prof.h"

/* In the order in which a given name is looked for. */
enum name_form {
	NAME_STORED,			/* a.cc;_ZN2ns1fEv */
	NAME_DEMANGLED,			/* a.cc;ns::f() */
	NAME_LOCAL,			/* _ZN2ns1fEv */
	NAME_LOCAL_DEMANGLED,		/* ns::f() */
	NAME_PLAIN,			/* ns::f */
	NAME_BASE,			/* f */
	NAME_FORMS
};

enum name_style {
	NAME_WHOLE,			/* int ns::f<int>(int) */
	NAME_WITHOUT_TYPE,		/* ns::f<int>(int) */
	NAME_WITHOUT_PARAMETERS		/* ns::f<int> */
};

/* Appends the name demangled, of local ones the part behind the file. */
typedef void name_demangler(struct buf *, struct prof_span, enum name_style);

/* All zero but for `demangle`: no name yet. */
struct name_forms {
	name_demangler *demangle;
	/* Borrowed from the name and from text; NULL: as an earlier form. */
	struct prof_span forms[NAME_PLAIN];
	struct buf text;		/* the demangled form and a NUL */
	struct buf plain;		/* empty: no plain form */
	size_t arguments;		/* of a template: where they begin */
};

/*
 * Makes the forms of a name, which is borrowed; those that are demangled only
 * if wanted, but not the last two.  False if out of memory.
 */
bool name_forms_make(struct name_forms *, struct prof_span name,
    bool demangled);

/* Makes the last two forms for name_forms_next.  False if out of memory. */
bool name_forms_make_plain(struct name_forms *, struct prof_span name);

/*
 * Yields the texts of the last two forms one by one: with template arguments
 * and without those of the last part, the longest first; then without any.
 * *state is 0 at first.  False at the end.
 */
bool name_forms_next(struct name_forms *, size_t *state, struct prof_span *,
    enum name_form *);

void name_forms_free(struct name_forms *);

/*
 * Whether a text that a user gave can be a demangled name: functions of C++ and
 * Rust have parentheses, colons or blanks there.
 */
bool name_may_be_demangled(struct prof_span);

#endif
