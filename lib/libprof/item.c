/* Fields of items, read. */
#include <string.h>

#include "base/error.h"
#include "libprof/private.h"

enum prof_item_kind
prof_item_kind(const struct prof_item *item)
{
	return item->kind;
}

const struct prof_record *
item_record(const struct prof_item *item)
{
	return item->kind >= PROF_ITEM_SITE ? NULL :
	    &((const struct item_record *)(const void *)item)->record;
}

struct prof_mib *
item_mib(const struct prof_item *item)
{
	bool has = item->kind == PROF_ITEM_ALLOCATION ||
	    item->kind == PROF_ITEM_ALLOC_SITE;

	return has ? &((struct prof_allocation *)item->at)->info : NULL;
}

static int
item_mib_number(const struct prof_item *item, int field, uint64_t *value)
{
	const struct prof_mib *info = item_mib(item);

	if (field <= 0 || field >= PROF_MIB_FIELDS || info == NULL ||
	    (info->fields >> field & 1) == 0)
		return 0;
	*value = info->value[field];
	return 1;
}

/* The number that is stored there, known or not. */
static uint64_t
item_stored(const struct item_field *f, const void *structure)
{
	const void *at = (const char *)structure + f->offset;
	unsigned word;

	switch (f->type) {
	case ITEM_ENUM:
		memcpy(&word, at, sizeof(word));
		return word;
	case ITEM_BYTE:
		return *(const uint8_t *)at;
	case ITEM_BOOL:
		return *(const bool *)at;
	case ITEM_GUID:
		return prof_symbol_guid(at);
	case ITEM_DATA_HASH:
		return ((const struct prof_data *)at)->hash;
	case ITEM_NUMBER32:
	case ITEM_FRAME_NUMBER:
		return *(const uint32_t *)at;
	case ITEM_FRAME_BIT:
		return (((const struct prof_frame *)structure)->flags &
		    f->other) != 0;
	default:
		return *(const uint64_t *)at;
	}
}

static bool
item_is_known(const struct item_field *f, const void *structure,
    uint64_t value)
{
	const char *bytes = structure;
	const struct prof_symbol *symbol;

	switch (f->type) {
	case ITEM_NUMBER_IF:
		return *(const bool *)(bytes + f->other);
	case ITEM_FRAME_NUMBER:
		return (((const struct prof_frame *)structure)->flags &
		    f->other) != 0;
	case ITEM_GUID:
		symbol = (const void *)(bytes + f->offset);
		return value != 0 || symbol->name.data != NULL;
	case ITEM_DATA_HASH:
		return ((const struct prof_data *)(const void *)
		    (bytes + f->offset))->symbol.data == NULL;
	case ITEM_NUMBER:
	case ITEM_NUMBER32:
	case ITEM_ENUM:
	case ITEM_BYTE:
	case ITEM_BOOL:
	case ITEM_FRAME_BIT:
		return f->known || value != 0;
	default:
		return false;
	}
}

int
prof_item_number(const struct prof_item *item, int field, uint64_t *value)
{
	const struct item_field *f;
	uint64_t stored;

	*value = 0;
	if (field < PROF_MIB_FIELDS)
		return item_mib_number(item, field, value);
	f = item_field(item->kind, field);
	if (f == NULL || f->type >= ITEM_SPAN)
		return 0;
	stored = item_stored(f, item->at);
	if (!item_is_known(f, item->at, stored))
		return 0;
	*value = stored;
	return 1;
}

const char *
prof_item_bytes(const struct prof_item *item, enum prof_field field,
    size_t *size)
{
	const struct item_field *f = item_field(item->kind, (int)field);
	const void *at = f == NULL ? NULL : (char *)item->at + f->offset;
	const struct prof_span *span = at;
	const char *text;

	*size = 0;
	if (f != NULL && f->type == ITEM_SPAN && span->data != NULL) {
		*size = span->size;
		return (const char *)span->data;
	}
	if (f == NULL || f->type != ITEM_TEXT)
		return NULL;
	memcpy(&text, at, sizeof(text));
	*size = text == NULL ? 0 : strlen(text);
	return text;
}

static const uint64_t *
item_histogram(const struct prof_item *item, size_t *count)
{
	const struct prof_mib *info = item_mib(item);

	if (info == NULL || info->histogram == NULL)
		return NULL;
	*count = (size_t)info->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE];
	return info->histogram;
}

const uint64_t *
prof_item_numbers(const struct prof_item *item, enum prof_field field,
    size_t *count)
{
	const struct item_field *f = item_field(item->kind, (int)field);
	const char *structure = item->at;
	const uint64_t *numbers;

	*count = 0;
	if (f != NULL && f->type == ITEM_HISTOGRAM)
		return item_histogram(item, count);
	if (f == NULL || (f->type != ITEM_ARRAY &&
	    f->type != ITEM_SHARED_ARRAY))
		return NULL;
	memcpy(&numbers, structure + f->offset, sizeof(numbers));
	if (numbers != NULL)
		memcpy(count, structure + f->other, sizeof(*count));
	return numbers;
}

size_t
prof_item_parts(const struct prof_item *item, enum prof_field field)
{
	const struct item_field *f = item_field(item->kind, (int)field);
	size_t count;

	if (f == NULL || f->type != ITEM_LIST)
		return 0;
	memcpy(&count, (const char *)item->at + f->other, sizeof(count));
	return count;
}

const struct prof_item *
prof_item_part(const struct prof_item *item, enum prof_field field,
    size_t index)
{
	const struct item_field *f = item_field(item->kind, (int)field);
	/* The view behind that of the item, which is not constant itself. */
	struct prof_item *part = (struct prof_item *)(uintptr_t)(item + 1);
	char *items;

	if (index >= prof_item_parts(item, field))
		return NULL;
	memcpy(&items, (const char *)item->at + f->offset, sizeof(items));
	*part = (struct prof_item){ .kind = f->part, .own = item->own,
	    .at = items + index * item_size(f->part) };
	return part;
}

uint64_t
prof_name_guid(const char *name, size_t size)
{
	return prof_guid((struct prof_span){ (const uint8_t *)name, size });
}
