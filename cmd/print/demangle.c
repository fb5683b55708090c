/* Names of C++ and Rust functions as their authors wrote them: libiberty. */
#include "config.h"

#include <inttypes.h>
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

static void
demangle_append(const char *text, size_t size, void *out)
{
	buf_put(out, text, size);
}

/*
 * The demanglers that return a string do not tell a name that is none of theirs
 * from a lack of memory; with a callback there is nothing to allocate.
 */
static bool
demangle_put(struct buf *out, const char *mangled, int options)
{
	size_t before = out->size;

	if (rust_demangle_callback(mangled, options, demangle_append, out))
		return true;
	out->size = before;
	if (cplus_demangle_v3_callback(mangled, options, demangle_append, out))
		return true;
	out->size = before;
	return false;
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
