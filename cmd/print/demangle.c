/* Names of C++ and Rust functions as their authors wrote them: libiberty. */
#include "config.h"

#include "cmd/print/print.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "cmd/common/cli.h"
#include "cmd/common/messages.h"
#include "model/symtab.h"

/*
 * A name of a few hundred bytes may refer to its own parts so often that the
 * demanglers would never end.  One that gets longer than DEMANGLED_FEW bytes
 * and DEMANGLED_A_BYTE for each of its own is shown as it is.
 */
enum { DEMANGLED_A_BYTE = 16, DEMANGLED_FEW = 1 << 16 };

typedef int demangler(const char *, int, demangle_callbackref, void *);

/* A name that is being demangled. */
struct demangled {
	struct buf *out;
	int options;
	size_t end;			/* the size that out may have */
	uint64_t discarded;		/* bytes that out had for a while */
	bool lost;			/* a piece that found no room */
	jmp_buf too_long;
};

/*
 * All names together may have EXPANSION_FREE bytes and DEMANGLED_A_BYTE for
 * each of their own; those that got too long count, too, as they take time.
 * Real names have one to three times their size on average.
 */
static struct {
	uint64_t names, text;
	bool spent;
} demangled_so_far;

/* Whether a text has bytes that are not of ASCII. */
static bool
demangle_is_wide(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if ((text[i] & 0x80) != 0)
			return true;
	}
	return false;
}

/* There is none either if memory lacks: the name would not get longer. */
static bool
demangle_has_room(const struct demangled *d, size_t size)
{
	return !d->out->failed && size <= d->end - d->out->size;
}

/* With a callback, the demangler of C++ holds no memory that would leak. */
static void
demangle_append(const char *text, size_t size, void *arg)
{
	struct demangled *d = arg;

	if (!demangle_has_room(d, size))
		longjmp(d->too_long, 1);
	buf_put(d->out, text, size);
}

/*
 * That of Rust holds memory only while it gives an identifier beyond ASCII,
 * which is dropped if there is no room: then the name is shown as it is.
 */
static void
demangle_append_rust(const char *text, size_t size, void *arg)
{
	struct demangled *d = arg;

	if (demangle_has_room(d, size))
		buf_put(d->out, text, size);
	else if (demangle_is_wide(text, size))
		d->lost = true;
	else
		longjmp(d->too_long, 1);
}

static void
demangle_discard(struct demangled *d, size_t before)
{
	d->discarded += d->out->size - before;
	d->out->size = before;
}

/* False: the name is not one of this demangler, or gets too long. */
static bool
demangle_with(struct demangled *d, demangler *run, demangle_callbackref append,
    const char *mangled)
{
	const size_t before = d->out->size;

	d->end = before + DEMANGLED_FEW + DEMANGLED_A_BYTE * strlen(mangled);
	d->lost = false;
	if (setjmp(d->too_long) == 0) {
		if (run(mangled, d->options, append, d) != 0 && !d->lost)
			return true;
	}
	demangle_discard(d, before);
	return false;
}

/* Whether demangle_with succeeds; nothing is appended. */
static bool
demangle_fits(struct demangled *d, demangler *run, demangle_callbackref append,
    const char *mangled)
{
	const size_t before = d->out->size;
	bool fits = demangle_with(d, run, append, mangled);

	demangle_discard(d, before);
	return fits;
}

/*
 * Whether this may be the number of lifetimes behind F (a function) or D (a
 * trait object), and has three digits or more: no G0_, G_ or Ga1_.
 */
static bool
rust_lifetimes(const char *at)
{
	return (at[0] == 'F' || at[0] == 'D') && at[1] == 'G' &&
	    isalnum((unsigned char)at[2]) && isalnum((unsigned char)at[3]) &&
	    isalnum((unsigned char)at[4]);
}

/*
 * In parts that are not printed, the demangler of Rust counts to the number of
 * lifetimes, which may be 2^64.  If the letters are a part of an identifier, as
 * in PDFGenerator, the name is still one with another letter in the place of G;
 * if they are a type, it is none, as no type begins with Z.
 */
static bool
rust_ends(struct demangled *d, const char *mangled)
{
	bool ends = true;
	char *copy;

	if (strncmp(mangled, "_R", 2) != 0)
		return true;
	for (const char *at = mangled; *at != '\0' && ends; at++)
		ends = !rust_lifetimes(at);
	if (ends)
		return true;
	if ((copy = strdup(mangled)) == NULL) {
		d->out->failed = true;
		return false;
	}
	for (char *at = copy; *at != '\0'; at++) {
		if (rust_lifetimes(at))
			at[1] = 'Z';
	}
	ends = demangle_fits(d, rust_demangle_callback, demangle_append_rust,
	    copy);
	free(copy);
	return ends;
}

/*
 * The demangler of C++ does two things without printing, so that the limit of
 * the size does not end them:
 *
 * - It looks for a parameter pack in all of a pattern before it expands it (Dp,
 *   sp) or counts the pack (sZ, sP).  The pattern may refer to its own parts so
 *   often that it has 2^60 of them.
 * - A list of empty packs prints nothing.  Each of its members may be a list of
 *   members of the template around it, and so on: 10 in each of 20 templates
 *   are 10^20.  Such lists are printed in fold expressions (fl, fr, fL, fR),
 *   and where a pack is inside of a pack.
 *
 * Therefore, the parts of names with packs, or with many names of functions
 * inside, are counted first.  Of 137 000 names in LLVM, Clang, Firefox and
 * libstdc++, none has more than 12 parts that are walked through, and of 8000
 * names of a program full of tuples and variants none has more than 84.  None
 * has more than 3 functions inside of each other, with or without such lists.
 */
enum {
	CXX_NAME = 1024,	/* libiberty demangles no longer ones */
	CXX_NAMES = 3, CXX_REFERENCES = 8, CXX_WALK = 1 << 10
};

/* What the demangler does for a part of a name, at most. */
struct cxx_cost {
	uint32_t parts;		/* a part counts for each reference */
	uint32_t walk;		/* those among which it looks for packs */
	uint32_t names;		/* of functions, inside of each other */
	uint32_t lists;		/* of template arguments, likewise */
	bool known, whole;	/* whole: a pack is printed as a list */
};

struct cxx_tree {
	const struct demangle_component *parts;
	struct cxx_cost costs[2 * CXX_NAME];
	bool counts;		/* unary operators may count a pack */
};

/* The one or two parts that a part has; NULL: none. */
static void
cxx_parts(const struct demangle_component *c,
    const struct demangle_component *of[2])
{
	of[0] = of[1] = NULL;
	switch (c->type) {
	case DEMANGLE_COMPONENT_NAME:
	case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
	case DEMANGLE_COMPONENT_FUNCTION_PARAM:
	case DEMANGLE_COMPONENT_SUB_STD:
	case DEMANGLE_COMPONENT_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_OPERATOR:
	case DEMANGLE_COMPONENT_CHARACTER:
	case DEMANGLE_COMPONENT_NUMBER:
	case DEMANGLE_COMPONENT_UNNAMED_TYPE:
		break;
	case DEMANGLE_COMPONENT_CTOR:
		of[0] = c->u.s_ctor.name;
		break;
	case DEMANGLE_COMPONENT_DTOR:
		of[0] = c->u.s_dtor.name;
		break;
	case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
		of[0] = c->u.s_extended_operator.name;
		break;
	case DEMANGLE_COMPONENT_FIXED_TYPE:
		of[0] = c->u.s_fixed.length;
		break;
	case DEMANGLE_COMPONENT_LAMBDA:
	case DEMANGLE_COMPONENT_DEFAULT_ARG:
		of[0] = c->u.s_unary_num.sub;
		break;
	default:
		of[0] = c->u.s_binary.left;
		of[1] = c->u.s_binary.right;
		break;
	}
}

static bool
cxx_is(const struct demangle_component *c, enum demangle_component_type type)
{
	return c != NULL && c->type == type;
}

/* A fold expression, as (... + args), begins with an operator as operand. */
static bool
cxx_folds(const struct demangle_component *c,
    const struct demangle_component *right)
{
	return ((c->type == DEMANGLE_COMPONENT_BINARY &&
	    cxx_is(right, DEMANGLE_COMPONENT_BINARY_ARGS)) ||
	    (c->type == DEMANGLE_COMPONENT_TRINARY &&
	    cxx_is(right, DEMANGLE_COMPONENT_TRINARY_ARG1))) &&
	    cxx_is(right->u.s_binary.left, DEMANGLE_COMPONENT_OPERATOR);
}

/* More than that is not counted. */
static uint32_t
cxx_sum(uint32_t a, uint32_t b)
{
	return a + b > CXX_WALK ? CXX_WALK + 1 : a + b;
}

static uint32_t
cxx_max(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Adds what the part does beyond what its own parts do. */
static void
cxx_add(const struct cxx_tree *t, const struct demangle_component *c,
    const struct demangle_component *const of[2], struct cxx_cost *cost)
{
	if (c->type == DEMANGLE_COMPONENT_PACK_EXPANSION ||
	    (t->counts && c->type == DEMANGLE_COMPONENT_UNARY))
		cost->walk = cxx_sum(cost->walk, cost->parts);
	if (c->type == DEMANGLE_COMPONENT_TYPED_NAME ||
	    c->type == DEMANGLE_COMPONENT_CONVERSION)
		cost->names++;
	/* Arguments, and packs among these, are usual. */
	if (cost->lists > 2 || cxx_folds(c, of[1]))
		cost->whole = true;
}

/* A part is reached by many ways, but its own parts are counted only once. */
static const struct cxx_cost *
cxx_cost(struct cxx_tree *t, const struct demangle_component *c)
{
	static const struct cxx_cost none, other = { .walk = CXX_WALK + 1 };
	const struct demangle_component *of[2];
	const struct cxx_cost *l, *r;
	struct cxx_cost *cost;
	size_t number;

	if (c == NULL)
		return &none;
	number = ((uintptr_t)c - (uintptr_t)t->parts) / sizeof(*c);
	/* libiberty keeps all parts in one array. */
	if (number >= sizeof(t->costs) / sizeof(*t->costs))
		return &other;
	cost = &t->costs[number];
	if (cost->known)
		return cost;
	cost->known = true;
	cxx_parts(c, of);
	l = cxx_cost(t, of[0]);
	r = cxx_cost(t, of[1]);
	cost->parts = cxx_sum(cxx_sum(l->parts, r->parts), 1);
	cost->walk = cxx_sum(l->walk, r->walk);
	cost->names = cxx_max(l->names, r->names);
	cost->whole = l->whole || r->whole;
	if (c->type == DEMANGLE_COMPONENT_TEMPLATE_ARGLIST)
		cost->lists = cxx_max(r->lists, 1 +
		    (cxx_is(of[0], c->type) ? l->lists : 0));
	cxx_add(t, c, of, cost);
	return cost;
}

static size_t
cxx_count(const char *name, const char *pair)
{
	size_t n = 0;

	for (; (name = strstr(name, pair)) != NULL; name++)
		n++;
	return n;
}

/* These letters count a pack. */
static bool
cxx_counts(const char *name)
{
	return strstr(name, "sZ") != NULL || strstr(name, "sP") != NULL;
}

/* References to parts: S_, S0_, SA_ ... */
static size_t
cxx_references(const char *name)
{
	size_t n = 0;

	while ((name = strchr(name, 'S')) != NULL) {
		name++;
		n += *name == '_' || isdigit((unsigned char)*name) ||
		    isupper((unsigned char)*name);
	}
	return n;
}

/*
 * Whether the parts of a name are few if all are printed.  In a copy, a pack
 * expansion is an array, and an operator of packs the unary minus: these have
 * as many letters, and their parts are printed.  In identifiers, the letters do
 * not matter.  Not all of a function in an argument (_Z) is printed.
 */
static bool
cxx_prints(struct demangled *d, const char *name)
{
	static const char pairs[][2][3] = { { "Dp", "A_" }, { "sp", "ng" },
	    { "sZ", "ng" } };
	bool prints;
	char *copy;

	if (cxx_count(name, "_Z") > 1 || strstr(name, "sP") != NULL)
		return false;
	if ((copy = strdup(name)) == NULL) {
		d->out->failed = true;
		return false;
	}
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		for (char *at = copy; (at = strstr(at, pairs[i][0])) != NULL;)
			memcpy(at, pairs[i][1], 2);
	}
	prints = demangle_fits(d, cplus_demangle_v3_callback, demangle_append,
	    copy);
	free(copy);
	return prints;
}

/*
 * Whether the demangler of C++ takes few steps that print nothing.  It gives no
 * parts of some names that it demangles, as those with sr3stdE7declval; each
 * reference makes these at most twice as long.
 */
static bool
cxx_is_sound(struct demangled *d, const char *name, size_t names)
{
	struct cxx_tree t = { .counts = cxx_counts(name) };
	struct demangle_component *top;
	const struct cxx_cost *cost;
	void *parts = NULL;

	errno = 0;
	top = cplus_demangle_v3_components(name, DMGL_PARAMS, &parts);
	if (top == NULL) {
		d->out->failed = d->out->failed || errno == ENOMEM;
		return names <= CXX_NAMES &&
		    (cxx_references(name) <= CXX_REFERENCES ||
		    cxx_prints(d, name));
	}
	t.parts = parts;
	cost = cxx_cost(&t, top);
	free(parts);
	return cost->walk <= CXX_WALK && (!cost->whole ||
	    cost->names <= CXX_NAMES);
}

/* Whether the limit of the size ends the demangler of C++. */
static bool
cxx_ends(struct demangled *d, const char *mangled)
{
	/* "_GLOBAL__I_" and the like stand in front of a name. */
	const char *name = strncmp(mangled, "_GLOBAL_", 8) == 0 ?
	    strstr(mangled, "_Z") : mangled;
	size_t names;

	if (name == NULL || strlen(name) > CXX_NAME)
		return name == NULL;
	/* Function pointers, lambdas in arguments, and conversions. */
	names = cxx_count(name, "_Z") + cxx_count(name, "cv");
	return (names <= CXX_NAMES && strstr(name, "Dp") == NULL &&
	    strstr(name, "sp") == NULL && !cxx_counts(name)) ||
	    cxx_is_sound(d, name, names);
}

/*
 * The demanglers that return a string do not tell a name that is none of theirs
 * from a lack of memory; with a callback there is nothing to allocate.
 */
static bool
demangle_put(struct demangled *d, const char *mangled)
{
	if (rust_ends(d, mangled) && demangle_with(d, rust_demangle_callback,
	    demangle_append_rust, mangled))
		return true;
	return cxx_ends(d, mangled) && demangle_with(d,
	    cplus_demangle_v3_callback, demangle_append, mangled);
}

/* Returns the number of bytes that were demangled but not used. */
static uint64_t
demangle_name(struct buf *out, struct prof_span name, int options)
{
	struct demangled d = { .out = out,
	    .options = DMGL_PARAMS | DMGL_ANSI | options };
	struct prof_span file;
	size_t start = name.size - local_name_split(name, &file).size;
	char *mangled = NULL;

	buf_put(out, name.data, start);
	if (start == name.size)
		return 0;
	/* Spares C functions the demanglers, whose names all begin so. */
	if (name.data[start] != '_') {
		buf_put(out, name.data + start, name.size - start);
		return 0;
	}
	mangled = strndup((const char *)name.data + start, name.size - start);
	if (mangled == NULL)
		out->failed = true;
	if (mangled != NULL && !demangle_put(&d, mangled))
		buf_put(out, name.data + start, name.size - start);
	free(mangled);
	return d.discarded;
}

void
show_demangled(struct buf *out, struct prof_span name)
{
	const size_t before = out->size;
	uint64_t discarded;

	if (demangled_so_far.spent) {
		buf_put(out, name.data, name.size);
		return;
	}
	discarded = demangle_name(out, name, 0);
	demangled_so_far.names += name.size;
	demangled_so_far.text += out->size - before + discarded;
	demangled_so_far.spent = demangled_so_far.text > expansion_limit_by(
	    demangled_so_far.names, DEMANGLED_A_BYTE);
}

void
show_warn_of_names(const struct cli *c)
{
	if (demangled_so_far.spent && !c->options.quiet)
		message_print("%s: warning: demangled names take more than "
		    "256 MiB plus 16 times the size of the names: further "
		    "ones are shown as they are\n", c->name);
}

void
match_demangled(struct buf *out, struct prof_span name)
{
	demangle_name(out, name, 0);
}

void
match_demangled_without_type(struct buf *out, struct prof_span name)
{
	demangle_name(out, name, DMGL_RET_DROP);
}

void
show_name(struct buf *out, struct prof_span name, bool demangle)
{
	if (demangle)
		show_demangled(out, name);
	else
		buf_put(out, name.data, name.size);
}

void
show_symbol(struct buf *b, const struct prof_symbol *symbol, bool demangle)
{
	if (symbol->name.data == NULL)
		buf_print(b, "(guid 0x%016" PRIx64 ")", symbol->guid);
	else
		show_name(b, symbol->name, demangle);
}
