/* Items of callers: made, copied, their fields set. */
#include <stdlib.h>
#include <string.h>

#include "libprof/private.h"
#include "model/record_copy.h"

static struct item_own *
own_new(struct prof *p, enum prof_item_kind kind)
{
	enum prof_record_kind record;
	struct item_own *own;

	problem_begin(p);
	if (!item_record_kind(kind, &record) || record == PROF_REC_OTHER) {
		problem_use(p, "items of that kind cannot be made");
		return NULL;
	}
	own = calloc(1, sizeof(*own));
	if (own == NULL) {
		problem_memory(p);
		return NULL;
	}
	own->p = p;
	own->shown.record.kind = record;
	item_show(&own->shown, own);
	return own;
}

struct prof_item *
prof_item_new(struct prof *p, enum prof_item_kind kind)
{
	struct item_own *own = own_new(p, kind);

	return own == NULL ? NULL : own->shown.views;
}

void
prof_item_free(struct prof_item *item)
{
	if (item == NULL)
		return;
	arena_free(&item->own->arena);
	free(item->own);
}

void
prof_item_clear(struct prof_item *item)
{
	struct item_own *own = item->own;

	memset(&own->shown.record.u, 0, sizeof(own->shown.record.u));
	arena_reset(&own->arena);
}

/* The field if its type is in the range and can be set; NULL with an error. */
static const struct item_field *
own_field(const struct prof_item *item, int field, enum item_type first,
    enum item_type last)
{
	const struct item_field *f = item_field(item->kind, field);

	problem_begin(item->own->p);
	if (f != NULL && f->type >= first && f->type <= last &&
	    f->type != ITEM_BYTE && f->type != ITEM_TEXT)
		return f;
	problem_use(item->own->p, "the item has no such field to be set");
	return NULL;
}

static int
own_set_mib(struct prof_item *item, int field, uint64_t value)
{
	struct prof_mib *info = item_mib(item);

	problem_begin(item->own->p);
	if (field <= 0 || info == NULL)
		return problem_use(item->own->p,
		    "the item has no memory info block");
	/* The size belongs to the histogram, once that is set. */
	if (field == PROF_MIB_ACCESS_HISTOGRAM_SIZE)
		info->histogram = NULL;
	info->fields |= (uint32_t)1 << field;
	info->value[field] = value;
	return 0;
}

static uint64_t
own_limit(const struct item_field *f)
{
	switch (f->type) {
	case ITEM_ENUM:
		return f->other;
	case ITEM_BOOL:
	case ITEM_FRAME_BIT:
		return 1;
	case ITEM_NUMBER32:
	case ITEM_FRAME_NUMBER:
		return UINT32_MAX;
	default:
		return UINT64_MAX;
	}
}

static void
own_set_frame_bit(struct prof_frame *frame, unsigned bit, bool value)
{
	frame->flags = value ? frame->flags | bit : frame->flags & ~bit;
}

static void
own_store(const struct item_field *f, char *structure, uint64_t value)
{
	char *at = structure + f->offset;
	unsigned word = (unsigned)value;
	uint32_t number = (uint32_t)value;
	bool flag = value != 0, known = true;

	switch (f->type) {
	case ITEM_ENUM:
		memcpy(at, &word, sizeof(word));
		return;
	case ITEM_BOOL:
		memcpy(at, &flag, sizeof(flag));
		return;
	case ITEM_FRAME_BIT:
		own_set_frame_bit((void *)structure, (unsigned)f->other, flag);
		return;
	case ITEM_FRAME_NUMBER:
		own_set_frame_bit((void *)structure, (unsigned)f->other, true);
		memcpy(at, &number, sizeof(number));
		return;
	case ITEM_NUMBER32:
		memcpy(at, &number, sizeof(number));
		return;
	case ITEM_GUID:
		((struct prof_symbol *)(void *)at)->guid = value;
		return;
	case ITEM_DATA_HASH:
		*(struct prof_data *)(void *)at = (struct prof_data){
		    .hash = value };
		return;
	case ITEM_NUMBER_IF:
		memcpy(structure + f->other, &known, sizeof(known));
		break;
	default:
		break;
	}
	memcpy(at, &value, sizeof(value));
}

int
prof_item_set_number(struct prof_item *item, int field, uint64_t value)
{
	const struct item_field *f;

	if (field < PROF_MIB_FIELDS)
		return own_set_mib(item, field, value);
	f = own_field(item, field, ITEM_NUMBER, ITEM_DATA_HASH);
	if (f == NULL)
		return -1;
	if (value > own_limit(f))
		return problem_use(item->own->p,
		    "the number is too large for its field");
	own_store(f, item->at, value);
	return 0;
}

static int
own_no_memory(struct prof_item *item)
{
	return problem_memory(item->own->p);
}

int
prof_item_set_bytes(struct prof_item *item, enum prof_field field,
    const void *bytes, size_t size)
{
	const struct item_field *f = own_field(item, (int)field, ITEM_SPAN,
	    ITEM_SPAN);
	struct prof_span copy;

	if (f == NULL)
		return -1;
	copy = arena_copy(&item->own->arena, (struct prof_span){ bytes, size });
	if (copy.data == NULL && size != 0)
		return own_no_memory(item);
	/* A field without bytes is not there. */
	if (size == 0)
		copy.data = NULL;
	memcpy((char *)item->at + f->offset, &copy, sizeof(copy));
	return 0;
}

/* An array with room for n items behind the items of another one; or NULL. */
static void *
own_array(struct prof_item *item, const void *old, size_t count, size_t room,
    size_t size)
{
	char *new = arena_array(&item->own->arena, room, size);

	if (new != NULL && count > 0)
		memcpy(new, old, count * size);
	return new;
}

static void
own_store_histogram(struct prof_item *item, const uint64_t *numbers,
    size_t count)
{
	struct prof_mib *info = item_mib(item);

	own_set_mib(item, PROF_MIB_ACCESS_HISTOGRAM_SIZE, count);
	info->histogram = numbers;
}

/* Another size of the array leaves those behind that share the size. */
static void
own_store_array(struct prof_item *item, const struct item_field *f,
    const uint64_t *numbers, size_t count)
{
	char *structure = item->at;

	if (item->kind == PROF_ITEM_STACK && f->type == ITEM_ARRAY)
		((struct prof_stack *)item->at)->segments = NULL;
	memcpy(structure + f->offset, &numbers, sizeof(numbers));
	memcpy(structure + f->other, &count, sizeof(count));
}

int
prof_item_set_numbers(struct prof_item *item, enum prof_field field,
    const uint64_t *numbers, size_t count)
{
	const struct item_field *f = own_field(item, (int)field, ITEM_ARRAY,
	    ITEM_HISTOGRAM);
	uint64_t *copy;
	size_t size;

	if (f == NULL)
		return -1;
	memcpy(&size, (char *)item->at + f->other, sizeof(size));
	if (f->type == ITEM_SHARED_ARRAY && size != count)
		return problem_use(item->own->p,
		    "a stack has one segment for each pc");
	copy = own_array(item, numbers, count, count, sizeof(*copy));
	if (copy == NULL)
		return own_no_memory(item);
	if (f->type == ITEM_HISTOGRAM)
		own_store_histogram(item, copy, count);
	else
		own_store_array(item, f, copy, count);
	return 0;
}

static struct prof_item *
own_part(struct prof_item *item, enum prof_field field, size_t index)
{
	return (struct prof_item *)(uintptr_t)prof_item_part(item, field,
	    index);
}

/* Puts the count items of a list into a new array, with room for more. */
static bool
own_make_list_room(struct prof_item *item, const struct item_field *f,
    size_t count)
{
	char *at = (char *)item->at + f->offset;
	size_t room = 1;
	void *items;

	memcpy(&items, at, sizeof(items));
	while (room <= count && room <= SIZE_MAX / 2)
		room *= 2;
	items = room <= count ? NULL : own_array(item, items, count, room,
	    item_size(f->part));
	if (items != NULL)
		memcpy(at, &items, sizeof(items));
	return items != NULL;
}

/* Lists have room up to a power of two, so that adding takes constant time. */
struct prof_item *
prof_item_add(struct prof_item *item, enum prof_field field)
{
	const struct item_field *f = own_field(item, (int)field, ITEM_LIST,
	    ITEM_LIST);
	struct prof_item *part;
	size_t count;

	if (f == NULL)
		return NULL;
	count = prof_item_parts(item, field);
	if ((count & (count - 1)) == 0 &&
	    !own_make_list_room(item, f, count)) {
		own_no_memory(item);
		return NULL;
	}
	count++;
	memcpy((char *)item->at + f->other, &count, sizeof(count));
	part = own_part(item, field, count - 1);
	memset(part->at, 0, item_size(f->part));
	return part;
}

/* Copies of lists have no room, which prof_item_add takes for granted. */
static bool
own_make_room(struct prof_item *item)
{
	static const enum prof_field lists[] = { PROF_CALL_TARGETS,
		PROF_MEM_OP_SIZES, PROF_VTABLE_TARGETS, PROF_VALUES,
		PROF_FUNCTIONS, PROF_FRAMES, PROF_ALLOC_SITES,
		PROF_CALL_SITES, PROF_LOCATIONS };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		size_t count = prof_item_parts(item, lists[i]);

		if (count > 0 && !own_make_list_room(item,
		    item_field(item->kind, (int)lists[i]), count))
			return false;
		for (size_t k = 0; k < count; k++) {
			if (!own_make_room(own_part(item, lists[i], k)))
				return false;
		}
	}
	return true;
}

struct prof_item *
prof_item_copy(struct prof *p, const struct prof_item *item)
{
	struct item_own *own = own_new(p, item->kind);
	struct prof_record *r;

	if (own == NULL)
		return NULL;
	r = &own->shown.record;
	*r = *item_record(item);
	if ((r->kind == PROF_REC_END ||
	    record_copy(&own->arena, r->kind, &r->u)) &&
	    own_make_room(own->shown.views))
		return own->shown.views;
	prof_item_free(own->shown.views);
	problem_memory(p);
	return NULL;
}
