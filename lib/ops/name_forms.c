#include "ops/name_forms.h"

#include <string.h>

#include "model/symtab.h"

/* Leaves the form out if a later part of the text would be empty. */
static struct prof_span
name_tail(const uint8_t *text, size_t size, size_t start)
{
	if (start == 0 || start >= size)
		return (struct prof_span){ NULL, 0 };
	return (struct prof_span){ text + start, size - start };
}

bool
name_forms_make(struct name_forms *n, struct prof_span name, bool demangled)
{
	struct prof_span file;
	size_t start = name.size - local_name_split(name, &file).size, size;

	memset(n->forms, 0, sizeof(n->forms));
	n->forms[NAME_STORED] = name;
	n->forms[NAME_LOCAL] = name_tail(name.data, name.size, start);
	if (!demangled || name.data == NULL)
		return true;
	n->text.size = 0;
	n->demangle(&n->text, name);
	size = n->text.size;
	buf_put(&n->text, "", 1);
	if (n->text.failed)
		return false;
	/* The file stays as it is, so that both parts begin at one place. */
	if (prof_span_equal(name, (struct prof_span){ n->text.data, size }))
		return true;
	n->forms[NAME_DEMANGLED] = (struct prof_span){ n->text.data, size };
	n->forms[NAME_LOCAL_DEMANGLED] = name_tail(n->text.data, size, start);
	return true;
}

void
name_forms_free(struct name_forms *n)
{
	buf_free(&n->text);
}

bool
name_may_be_demangled(struct prof_span text)
{
	for (size_t i = 0; i < text.size; i++) {
		if (strchr("(: ", text.data[i]) != NULL && text.data[i] != 0)
			return true;
	}
	return false;
}
