#include "ops/nearest.h"

#include <string.h>

/* A text has more typing errors than this only if another one was meant. */
enum { ERRORS_MAX = 8 };

void
nearest_begin(struct nearest *n, struct prof_span wanted)
{
	n->wanted = wanted;
	n->size = 0;
}

static size_t
nearest_errors(const struct nearest *n)
{
	size_t third = n->wanted.size / 3;

	return third > ERRORS_MAX ? ERRORS_MAX : third;
}

static bool
nearest_is_part(struct prof_span part, struct prof_span text)
{
	if (part.size < 3 || part.size > text.size)
		return false;
	for (size_t i = 0; i <= text.size - part.size; i++) {
		const uint8_t *at = memchr(text.data + i, part.data[0],
		    text.size - part.size - i + 1);

		if (at == NULL)
			return false;
		if (memcmp(at, part.data, part.size) == 0)
			return true;
		i = (size_t)(at - text.data);
	}
	return false;
}

/*
 * The distance, or `limit` if it is that or more.  A text with the whole name
 * in it comes behind all that resemble the name.
 */
static size_t
nearest_distance(const struct nearest *n, struct prof_span text, size_t limit)
{
	size_t errors = nearest_errors(n), distance = limit;

	if (text.size == 0 || text.size > EDIT_TEXT_MAX || limit == 0)
		return limit;
	distance = edit_distance(n->wanted, text,
	    errors < limit ? errors : limit - 1);
	if (distance <= errors)
		return distance;
	return errors + 1 < limit && nearest_is_part(n->wanted, text) ?
	    errors + 1 : limit;
}

static void
nearest_insert(struct nearest *n, struct prof_span text, size_t distance)
{
	size_t i = n->size;

	for (size_t k = 0; k < n->size; k++) {
		if (n->names[k].size == text.size &&
		    memcmp(n->names[k].text, text.data, text.size) == 0)
			return;
	}
	if (n->size < NEAREST_NAMES)
		n->size++;
	else
		i--;
	for (; i > 0 && n->names[i - 1].distance > distance; i--)
		n->names[i] = n->names[i - 1];
	n->names[i].distance = distance;
	n->names[i].size = text.size;
	memcpy(n->names[i].text, text.data, text.size);
}

void
nearest_add(struct nearest *n, const struct name_forms *f)
{
	size_t limit = n->size < NEAREST_NAMES ? nearest_errors(n) + 2 :
	    n->names[NEAREST_NAMES - 1].distance;
	const struct prof_span *nearest = NULL;

	for (int i = 0; i < NAME_FORMS; i++) {
		size_t distance = nearest_distance(n, f->forms[i], limit);

		if (distance < limit) {
			nearest = &f->forms[i];
			limit = distance;
		}
	}
	if (nearest != NULL)
		nearest_insert(n, *nearest, limit);
}
