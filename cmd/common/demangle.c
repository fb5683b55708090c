/* Names of C++ and Rust functions as their authors wrote them: libiberty. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "cmd/common/demangle.h"

/* Where the function's own name begins in "file;name" or "file:name". */
static size_t
demangle_local_part(struct prof_span name)
{
	for (size_t i = 0; i < name.size; i++) {
		if (name.data[i] == ';')
			return i + 1;
	}
	for (size_t i = name.size; i > 0; i--) {
		if (name.data[i - 1] == ':')
			return i;
	}
	return 0;
}

void
show_name(struct buf *out, struct prof_span name, bool demangle)
{
	size_t start = demangle ? demangle_local_part(name) : 0;
	char *mangled = NULL, *plain = NULL;

	if (demangle)
		mangled = strndup((const char *)name.data + start,
		    name.size - start);
	if (mangled != NULL)
		plain = cplus_demangle(mangled,
		    DMGL_AUTO | DMGL_PARAMS | DMGL_ANSI);
	if (plain != NULL) {
		buf_put(out, name.data, start);
		buf_put(out, plain, strlen(plain));
	} else
		buf_put(out, name.data, name.size);
	free(mangled);
	free(plain);
}

void
show_demangled(struct buf *out, struct prof_span name)
{
	show_name(out, name, true);
}
