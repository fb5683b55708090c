#include "model/record_copy.h"

#include <string.h>

#include "model/record_members.h"

/*
 * Replaces an array of n items, whose pointer is at `array`, by its copy, which
 * is returned in *copy.  n * size cannot overflow: such an array exists.
 */
static bool
record_copy_array(struct arena *a, void *array, size_t n, size_t size,
    char **copy)
{
	struct prof_span bytes = { NULL, n * size };

	memcpy(&bytes.data, array, sizeof(bytes.data));
	if (!arena_keep(a, &bytes))
		return false;
	memcpy(array, &bytes.data, sizeof(bytes.data));
	*copy = (char *)(uintptr_t)bytes.data;
	return true;
}

static bool record_copy_object(struct arena *, const struct record_object *,
    void *structure);

static bool
record_copy_list(struct arena *a, const struct record_object *t, void *array,
    size_t n)
{
	char *items;

	if (!record_copy_array(a, array, n, t->size, &items))
		return false;
	for (size_t i = 0; items != NULL && i < n; i++) {
		if (!record_copy_object(a, t, items + i * t->size))
			return false;
	}
	return true;
}

static bool
record_copy_numbers(struct arena *a, void *array, size_t n)
{
	char *copy;

	return record_copy_array(a, array, n, sizeof(uint64_t), &copy);
}

static bool
record_copy_text(struct arena *a, const char **text)
{
	char *copy;

	return *text == NULL || record_copy_array(a, text, strlen(*text) + 1,
	    1, &copy);
}

static bool
record_copy_values(struct arena *a, const struct record_object *t,
    struct prof_sites kinds[PROF_VALUE_KINDS])
{
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		if (!record_copy_list(a, t, &kinds[k].sites, kinds[k].size))
			return false;
	}
	return true;
}

static bool
record_copy_member(struct arena *a, const struct record_member *m,
    void *structure)
{
	void *at = member_at(structure, m->offset);
	struct prof_stack *stack = structure;
	struct prof_mib *info = at;

	switch (m->type) {
	case MEMBER_TEXT:
		return record_copy_text(a, at);
	case MEMBER_HEX:
	case MEMBER_BYTES:
		return arena_keep(a, at);
	case MEMBER_SYMBOL:
	case MEMBER_VTABLE:
		return arena_keep(a, &((struct prof_symbol *)at)->name);
	case MEMBER_DATA:
		return arena_keep(a, &((struct prof_data *)at)->symbol);
	case MEMBER_NUMBERS:
	case MEMBER_IDS:
		return record_copy_numbers(a, at,
		    member_list_size(structure, m));
	case MEMBER_PCS:
		return record_copy_numbers(a, &stack->pcs, stack->pcs_size) &&
		    record_copy_numbers(a, &stack->segments, stack->pcs_size);
	case MEMBER_INFO:
		return record_copy_numbers(a, &info->histogram,
		    (size_t)info->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE]);
	case MEMBER_OBJECT:
		return record_copy_object(a, m->object, at);
	case MEMBER_FRAMES:
		stack->frame_numbers = NULL;
		return record_copy_list(a, m->object, at, stack->frames_size);
	case MEMBER_LIST:
	case MEMBER_SYMBOLS:
		return record_copy_list(a, m->object, at,
		    member_list_size(structure, m));
	case MEMBER_VALUES:
		return record_copy_values(a, m->object, at);
	default:
		return true;
	}
}

static bool
record_copy_object(struct arena *a, const struct record_object *t,
    void *structure)
{
	for (size_t i = 0; i < t->members_size; i++) {
		if (!record_copy_member(a, &t->members[i], structure))
			return false;
	}
	return !t->has_extra || arena_keep(a,
	    member_at(structure, t->extra_offset));
}

bool
record_copy(struct arena *a, enum prof_record_kind kind, void *structure)
{
	return record_copy_object(a, record_object_of(kind), structure);
}
