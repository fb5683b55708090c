/* Names of C++ and Rust functions as their authors wrote them: libiberty. */
#include "config.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "cmd/print/demangle.h"
#include "model/local_name.h"

/* Where the function's own name begins in "file;name" or "file:name". */
static size_t
demangle_local_part(struct prof_span name)
{
	const uint8_t *at = local_name_separator(name);

	return at == NULL ? 0 : (size_t)(at + 1 - name.data);
}

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
	size_t end;			/* the size that out may have */
	jmp_buf too_long;
};

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
 * That of Rust holds memory only while it gives an identifier beyond ASCII;
 * others come between two of them.
 */
static void
demangle_append_rust(const char *text, size_t size, void *arg)
{
	struct demangled *d = arg;

	if (demangle_has_room(d, size))
		buf_put(d->out, text, size);
	else if (!demangle_is_wide(text, size))
		longjmp(d->too_long, 1);
}

/* False: the name is not one of this demangler, or gets too long. */
static bool
demangle_with(demangler *run, demangle_callbackref append, struct buf *out,
    const char *mangled, int options)
{
	const size_t before = out->size;
	struct demangled d = { .out = out };

	d.end = before + DEMANGLED_FEW + DEMANGLED_A_BYTE * strlen(mangled);
	if (setjmp(d.too_long) == 0) {
		if (run(mangled, options, append, &d) != 0)
			return true;
	}
	out->size = before;
	return false;
}

/*
 * The demanglers that return a string do not tell a name that is none of theirs
 * from a lack of memory; with a callback there is nothing to allocate.
 */
static bool
demangle_put(struct buf *out, const char *mangled, int options)
{
	return demangle_with(rust_demangle_callback, demangle_append_rust, out,
	    mangled, options) ||
	    demangle_with(cplus_demangle_v3_callback, demangle_append, out,
	    mangled, options);
}

static void
demangle_name(struct buf *out, struct prof_span name, int options)
{
	size_t start = demangle_local_part(name);
	char *mangled = NULL;

	buf_put(out, name.data, start);
	if (start == name.size)
		return;
	/* Spares C functions the demanglers, whose names all begin so. */
	if (name.data[start] != '_') {
		buf_put(out, name.data + start, name.size - start);
		return;
	}
	mangled = strndup((const char *)name.data + start, name.size - start);
	if (mangled == NULL)
		out->failed = true;
	if (mangled != NULL && !demangle_put(out, mangled, options))
		buf_put(out, name.data + start, name.size - start);
	free(mangled);
}

void
show_demangled(struct buf *out, struct prof_span name)
{
	demangle_name(out, name, DMGL_PARAMS | DMGL_ANSI);
}

void
show_demangled_without_type(struct buf *out, struct prof_span name)
{
	demangle_name(out, name, DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP);
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
