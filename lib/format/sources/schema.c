/*
 * The RFC's portable entries: u64 number of entries, u8 number of fields, u8
 * tag and u8 type of each field, the values of each entry, zeros up to a
 * multiple of 8.
 */
#include "config.h"

#include "base/bytes.h"
#include "model/mib.h"
#include "format/sources/layout.h"

/* Types of fields; those of 32 and 64 bits are stored as ULEB128. */
enum { RFC_UINT8 = 1, RFC_UINT16, RFC_UINT32, RFC_UINT64 };

/*
 * The value of a tag is a field of LLVM's block, or the average of a total.
 * The RFC gives the types of StackID, AllocCount and NumSameDeallocCPU only.
 */
static const struct entry_field {
	uint8_t type, field;
	bool average;
} entry_fields[SOURCES_TAGS] = {
	[SOURCES_TAG_STACK] = { RFC_UINT64, 0, false },
	[2] = { RFC_UINT32, PROF_MIB_ALLOC_COUNT, false },
	[3] = { RFC_UINT32, PROF_MIB_TOTAL_SIZE, true },
	[4] = { RFC_UINT32, PROF_MIB_MIN_SIZE, false },
	[5] = { RFC_UINT32, PROF_MIB_MAX_SIZE, false },
	[6] = { RFC_UINT64, PROF_MIB_TOTAL_ACCESS_COUNT, true },
	[7] = { RFC_UINT64, PROF_MIB_MIN_ACCESS_COUNT, false },
	[8] = { RFC_UINT64, PROF_MIB_MAX_ACCESS_COUNT, false },
	[9] = { RFC_UINT32, PROF_MIB_TOTAL_LIFETIME, true },
	[10] = { RFC_UINT32, PROF_MIB_MIN_LIFETIME, false },
	[11] = { RFC_UINT32, PROF_MIB_MAX_LIFETIME, false },
	[12] = { RFC_UINT16, PROF_MIB_NUM_MIGRATED_CPU, false },
	[13] = { RFC_UINT32, PROF_MIB_NUM_LIFETIME_OVERLAPS, false },
	[14] = { RFC_UINT8, PROF_MIB_NUM_SAME_ALLOC_CPU, false },
	[15] = { RFC_UINT8, PROF_MIB_NUM_SAME_DEALLOC_CPU, false },
};

static const uint64_t type_max[] = {
	[RFC_UINT8] = UINT8_MAX, [RFC_UINT16] = UINT16_MAX,
	[RFC_UINT32] = UINT32_MAX, [RFC_UINT64] = UINT64_MAX
};

struct sources_entry
sources_entry_of(uint64_t stack_id, const struct prof_mib *m)
{
	uint64_t count = m->value[PROF_MIB_ALLOC_COUNT];
	struct sources_entry e = { .known = 1 << SOURCES_TAG_STACK };

	e.value[SOURCES_TAG_STACK] = stack_id;
	for (unsigned tag = 2; tag < SOURCES_TAGS; tag++) {
		const struct entry_field *entry_field = &entry_fields[tag];

		if (!mib_has(m, entry_field->field) ||
		    (entry_field->average && count == 0))
			continue;
		e.value[tag] = m->value[entry_field->field] /
		    (entry_field->average ? count : 1);
		e.known |= UINT32_C(1) << tag;
	}
	return e;
}

static void
sources_put_value(struct buf *b, unsigned type, uint64_t value,
    uint64_t *saturated)
{
	if (value > type_max[type]) {
		value = type_max[type];
		++*saturated;
	}
	if (type == RFC_UINT8 || type == RFC_UINT16)
		buf_number(b, value, type, false);
	else
		buf_uleb(b, value);
}

void
sources_entries_put(struct buf *b, const struct sources_entry *entries,
    size_t count, uint64_t *saturated)
{
	size_t begin = b->size;
	uint32_t known = 0;
	uint8_t fields = 0;

	for (size_t i = 0; i < count; i++)
		known |= entries[i].known;
	for (unsigned tag = 1; tag < SOURCES_TAGS; tag++)
		fields = (uint8_t)(fields + (known >> tag & 1));
	buf_u64le(b, count);
	buf_u8(b, fields);
	for (unsigned tag = 1; tag < SOURCES_TAGS; tag++) {
		if ((known >> tag & 1) == 0)
			continue;
		buf_u8(b, (uint8_t)tag);
		buf_u8(b, entry_fields[tag].type);
	}
	for (size_t i = 0; i < count; i++) {
		for (unsigned tag = 1; tag < SOURCES_TAGS; tag++) {
			if ((known >> tag & 1) != 0)
				sources_put_value(b, entry_fields[tag].type,
				    entries[i].value[tag], saturated);
		}
	}
	buf_zeros(b, (size_t)pad8(b->size - begin));
}

static uint64_t
sources_read_value(struct cursor *c, unsigned type)
{
	uint64_t value;

	switch (type) {
	case RFC_UINT8:
		return cur_u8(c);
	case RFC_UINT16:
		return cur_u16(c);
	case RFC_UINT32:
	case RFC_UINT64:
		value = cur_uleb(c);
		if (value > type_max[type])
			c->failed = true;
		return value;
	default:
		c->failed = true;
		return 0;
	}
}

bool
sources_entries_begin(struct sources_entries *e, struct prof_span table)
{
	*e = (struct sources_entries){
		.at = { .data = table.data, .size = table.size }
	};
	e->left = cur_u64(&e->at);
	e->fields = cur_u8(&e->at);
	e->schema = cur_bytes(&e->at, (uint64_t)2 * e->fields);
	/* Each value has a byte at least. */
	return !e->at.failed && (e->left == 0 || (e->fields != 0 &&
	    e->left <= cur_left(&e->at) / e->fields));
}

enum prof_status
sources_entries_next(struct sources_entries *e, struct sources_entry *out)
{
	if (e->left == 0)
		return PROF_END;
	e->left--;
	*out = (struct sources_entry){ .known = 0 };
	for (uint8_t i = 0; i < e->fields; i++) {
		uint64_t value =
		    sources_read_value(&e->at, e->schema[2 * i + 1]);
		uint8_t tag = e->schema[2 * i];

		if (tag < SOURCES_TAGS) {
			out->value[tag] = value;
			out->known |= UINT32_C(1) << tag;
		}
	}
	return e->at.failed ? PROF_FAIL : PROF_OK;
}
