#include "config.h"

#include "cmd/print/nearest_names.h"

#include "base/error.h"
#include "cmd/common/messages.h"

void
nearest_names_want(struct nearest_names *n, struct prof_span name)
{
	if (n->size < NEAREST_WANTED)
		nearest_begin(&n->wanted[n->size++], name);
}

void
nearest_names_add(struct nearest_names *n, const struct name_forms *f)
{
	for (size_t i = 0; i < n->size; i++)
		nearest_add(&n->wanted[i], f);
}

static const struct nearest *
nearest_names_find(const struct nearest_names *n, struct prof_span name)
{
	for (size_t i = 0; i < n->size; i++) {
		if (prof_span_equal(n->wanted[i].wanted, name))
			return n->wanted[i].size == 0 ? NULL : &n->wanted[i];
	}
	return NULL;
}

void
nearest_names_print(const struct nearest_names *names, const char *program,
    struct prof_span name)
{
	static const char *const before[] = { "'", ", '", " or '" };
	const struct nearest *n = nearest_names_find(names, name);
	char shown[ERR_NAME_SIZE];
	struct buf b = { 0 };

	for (size_t i = 0; n != NULL && i < n->size; i++) {
		const char *text = before[i == 0 ? 0 : i + 1 < n->size ? 1 : 2];

		buf_put(&b, text, strlen(text));
		buf_put(&b, n->names[i].text, n->names[i].size);
		buf_put(&b, "'", 1);
	}
	err_name(shown, name);
	if (b.size == 0 || b.failed)
		message_print("%s: no function %s\n", program, shown);
	else
		message_print("%s: no function %s: did you mean %.*s?\n",
		    program, shown, (int)b.size, (const char *)b.data);
	buf_free(&b);
}
