#include "cmd/print/order_list.h"

#include <stdio.h>
#include <string.h>

#include "model/symtab.h"

static void
order_put_line(struct buf *b, const char *before, struct prof_span text)
{
	buf_put(b, before, strlen(before));
	buf_put(b, text.data, text.size);
	buf_put(b, "\n", 1);
}

/*
 * As in llvm-profdata, names are split at ';' only, and a function that occurs
 * in traces only gives an empty line.
 */
static void
order_put_as_llvm(struct buf *b, const struct order_function *f)
{
	struct prof_span name = f->symbol.name, file = { NULL, 0 };
	const uint8_t *at;

	if (!f->in_profile)
		name = file;
	at = name.size == 0 ? NULL : memchr(name.data, ';', name.size);
	if (at != NULL && at + 1 < name.data + name.size) {
		file = (struct prof_span){ name.data,
		    (size_t)(at - name.data) };
		name.data = at + 1;
		name.size -= file.size + 1;
	}
	if (file.size != 0)
		order_put_line(b, "# ", file);
	order_put_line(b, "", name);
}

/*
 * Linkers find local functions by name without file, and warn about repeated
 * names: a name in `seen` is not printed again.
 */
static bool
order_put_symbol(struct buf *b, struct prof_span name, struct symtab *seen)
{
	struct prof_span file, symbol = local_name_split(name, &file);

	if (symtab_find(seen, prof_guid(symbol), NULL) != SYMTAB_NONE)
		return true;
	if (file.size != 0)
		order_put_line(b, "# ", file);
	order_put_line(b, "", symbol);
	return symtab_add(seen, symbol, 0);
}

static bool
order_name_fits_line(struct prof_span name)
{
	return name.size != 0 && memchr(name.data, '\n', name.size) == NULL;
}

bool
order_list(struct buf *b, const struct order *o, enum order_form form,
    size_t *left_out)
{
	struct symtab seen = { 0 };
	bool done = true;

	*left_out = 0;
	for (size_t i = 0; done && i < order_size(o); i++) {
		struct order_function f = order_get(o, i);
		bool fits = order_name_fits_line(f.symbol.name);

		*left_out += !fits;
		if (form >= ORDER_LLVM)
			order_put_as_llvm(b, &f);
		else if (fits && form == ORDER_NAMES)
			order_put_line(b, "", f.symbol.name);
		else if (fits)
			done = order_put_symbol(b, f.symbol.name, &seen);
	}
	symtab_free(&seen);
	return done && !b->failed;
}

void
order_list_head(struct buf *b, const struct order *o, const uint64_t *area)
{
	static const char warning[] = "# Warning: Mach-O may prefix symbols "
	    "with \"_\" depending on the linkage and this output does not "
	    "take that into account. Some post-processing may be required "
	    "before passing to the linker via -order_file.\n";
	char line[80];
	int n;

	n = snprintf(line, sizeof(line), "# Ordered %zu functions\n",
	    order_size(o));
	buf_put(b, line, (size_t)n);
	if (area != NULL) {
		/* LLVM prints the area as a number of 32 bits. */
		n = snprintf(line, sizeof(line), "# Total area under the page "
		    "fault curve: %e\n", (double)(float)(uint32_t)*area);
		buf_put(b, line, (size_t)n);
	}
	buf_put(b, warning, sizeof(warning) - 1);
}
