#include "ops/name_forms.h"

#include <ctype.h>
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
	n->demangle(&n->text, name, NAME_WHOLE);
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

/* Where the template arguments begin that a name ends with, or its end. */
static size_t
plain_arguments(const uint8_t *text, size_t size)
{
	size_t depth = 0, at = size;

	if (size == 0 || text[size - 1] != '>')
		return size;
	do {
		at--;
		depth += text[at] == '>';
		depth -= text[at] == '<';
	} while (depth != 0 && at != 0);
	if (depth != 0 || at == 0)
		return size;
	/* Rust has "::" in front of them. */
	while (at != 0 && strchr(": ", text[at - 1]) != NULL)
		at--;
	return at == 0 ? size : at;
}

bool
name_forms_make_plain(struct name_forms *n, struct prof_span name)
{
	struct prof_span file, local = local_name_split(name, &file);

	n->plain.size = 0;
	n->demangle(&n->plain, local, NAME_WITHOUT_PARAMETERS);
	if (prof_span_equal(local, buf_span(&n->plain)))
		n->plain.size = 0;
	n->arguments = plain_arguments(n->plain.data, n->plain.size);
	return !n->plain.failed;
}

/* The part behind the next "::" that is in no brackets, or the end. */
static size_t
plain_next_part(const struct name_forms *n, size_t at)
{
	const uint8_t *text = n->plain.data;
	const size_t end = n->arguments;
	size_t depth = 0;

	/* The rest of an operator is its last part. */
	if (end - at > 8 && memcmp(text + at, "operator", 8) == 0 &&
	    text[at + 8] != '_' && !isalnum(text[at + 8]))
		return end;
	for (; at + 1 < end; at++) {
		if (depth == 0 && text[at] == ':' && text[at + 1] == ':')
			return at + 2;
		depth += memchr("<({[", text[at], 4) != NULL;
		depth -= depth != 0 && memchr(">)}]", text[at], 4) != NULL;
	}
	return end;
}

/* Takes the arguments away that any part ends with; false if none does. */
static bool
plain_strip(struct name_forms *n)
{
	const size_t end = n->arguments;
	uint8_t *text = n->plain.data;
	size_t to = 0, from = 0, next, keep;

	for (size_t at = 0; (next = plain_next_part(n, at)) < end; at = next) {
		keep = at + plain_arguments(text + at, next - 2 - at) - from;
		memmove(text + to, text + from, keep);
		to += keep;
		from = next - 2;
	}
	memmove(text + to, text + from, end - from);
	n->plain.size = n->arguments = to + end - from;
	return n->arguments != end;
}

bool
name_forms_next(struct name_forms *n, size_t *state, struct prof_span *text,
    enum name_form *form)
{
	/* The lowest bit is set once the part was yielded with arguments. */
	const bool bare = (*state & 1) != 0;
	size_t at = *state / 2;

	if (at >= n->arguments) {
		if (at == 0 || !plain_strip(n))
			return false;
		at = *state = 0;
	}
	*state = bare ? 2 * plain_next_part(n, at) : *state + 1;
	*text = (struct prof_span){ n->plain.data + at,
	    (bare ? n->arguments : n->plain.size) - at };
	*form = at == 0 ? NAME_PLAIN : NAME_BASE;
	return true;
}

void
name_forms_free(struct name_forms *n)
{
	buf_free(&n->plain);
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
