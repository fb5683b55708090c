/* Names of C++ and Rust functions as their authors wrote them: libiberty. */
#include "config.h"

#include "cmd/print/print.h"

#include <ctype.h>
#include <inttypes.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "cmd/common/cli.h"
#include "cmd/common/messages.h"
#include "model/record.h"
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
 *   are 10^20.
 *
 * With few references, there are few parts: of 16, at most 3^5.  Of 133 000
 * names in LLVM, Clang and libstdc++, 8 000 have packs, and 144 of these more
 * references.
 */
enum {
	CXX_NAME = 1024,	/* libiberty demangles no longer ones */
	CXX_NAMES = 3, CXX_REFERENCES = 16
};

static size_t
cxx_count(const char *name, const char *pair)
{
	size_t n = 0;

	for (; (name = strstr(name, pair)) != NULL; name++)
		n++;
	return n;
}

/* References to parts, and to arguments of templates: S_, S0_, SA_, T_ ... */
static size_t
cxx_references(const char *name)
{
	size_t n = 0;

	while ((name = strpbrk(name, "ST")) != NULL) {
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
 * not matter.  Not all of a function in an argument (_Z) is printed, nor is an
 * empty list (JE, in old names IE).
 */
static bool
cxx_prints(struct demangled *d, const char *name)
{
	static const char pairs[][2][3] = { { "Dp", "A_" }, { "sp", "ng" },
	    { "sZ", "ng" } };
	bool prints;
	char *copy;

	if (cxx_count(name, "_Z") > 1 || strstr(name, "sP") != NULL ||
	    strstr(name, "JE") != NULL || strstr(name, "IE") != NULL)
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

/* Whether the limit of the size ends the demangler of C++. */
static bool
cxx_ends(struct demangled *d, const char *mangled)
{
	/* "_GLOBAL__I_" and the like stand in front of a name. */
	const char *name = strncmp(mangled, "_GLOBAL_", 8) == 0 ?
	    strstr(mangled, "_Z") : mangled;
	bool packs;

	if (name == NULL || strlen(name) > CXX_NAME)
		return name == NULL;
	packs = strstr(name, "Dp") != NULL || strstr(name, "sp") != NULL ||
	    strstr(name, "sZ") != NULL || strstr(name, "sP") != NULL;
	/* Function pointers, lambdas in arguments, and conversions. */
	if (!packs && cxx_count(name, "_Z") + cxx_count(name, "cv") <=
	    CXX_NAMES)
		return true;
	return cxx_references(name) <= CXX_REFERENCES || cxx_prints(d, name);
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
	    .options = DMGL_ANSI | options };
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
	discarded = demangle_name(out, name, DMGL_PARAMS);
	demangled_so_far.names += name.size;
	demangled_so_far.text += out->size - before + discarded;
	demangled_so_far.spent = demangled_so_far.text > expansion_limit_by(
	    demangled_so_far.names, DEMANGLED_A_BYTE);
	names_shorten(out, before);
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
match_demangled(struct buf *out, struct prof_span name, enum name_style style)
{
	static const int options[] = {
		[NAME_WHOLE] = DMGL_PARAMS,
		[NAME_WITHOUT_TYPE] = DMGL_PARAMS | DMGL_RET_DROP,
		[NAME_WITHOUT_PARAMETERS] = DMGL_NO_OPTS,
	};

	demangle_name(out, name, options[style]);
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
show_function_name(struct buf *b, enum prof_level level,
    const struct prof_function *f, bool demangle)
{
	if (f->symbol.name.data == NULL)
		buf_print(b, "(guid 0x%016" PRIx64 ")", f->symbol.guid);
	else
		show_name(b, f->symbol.name, demangle);
	if (record_context_sensitive(level, f->hash))
		buf_text(b, "  (context-sensitive)");
}
