/* Records of heap profiles about data: accesses and cold symbols. */
#include "base/json_member.h"
#include "format/stream/records.h"

/* A symbol, or the hash of a string literal, and not both. */
static enum prof_status
data_parse(struct stream_record *r, const struct jval *object,
    const struct stream_member *m, void *structure)
{
	struct prof_data *d = (void *)((char *)structure + m->offset);
	struct jval hash = jval_get(object, m->guid_key);

	if (stream_parse_bytes(r, object, m->key, m->hex_key, &d->symbol) !=
	    PROF_OK)
		return PROF_FAIL;
	if (d->symbol.data == NULL)
		return jval_id(&hash, &d->hash);
	if (jval_is_there(&hash))
		return jval_fail(&hash, PROF_E_CORRUPT, "stands beside %s",
		    m->key);
	return PROF_OK;
}

static void
data_put(struct stream_output *o, const struct stream_member *m,
    const void *structure)
{
	const struct prof_data *d = (const void *)((const char *)structure +
	    m->offset);

	if (d->symbol.data != NULL)
		json_member_bytes(&o->text, m->key, m->hex_key, d->symbol);
	else
		json_member_id(&o->text, m->guid_key, d->hash);
}

#define DATA_KEYS \
	.key = "symbol", .hex_key = "symbol_hex", .guid_key = "hash", \
	.parse = data_parse, .put = data_put

static const struct stream_member location_members[] = {
	{ .key = "file", .hex_key = "file_hex", .type = STREAM_BYTES,
	    STREAM_AT(prof_location, file) },
	{ .key = "line", .type = STREAM_NUMBER32, .presence = STREAM_ALWAYS,
	    STREAM_AT(prof_location, line) },
};

static const struct stream_object location_object = {
	.size = sizeof(struct prof_location),
	STREAM_MEMBERS(location_members), .unknown_at = 2,
};

static const struct stream_member data_access_members[] = {
	{ DATA_KEYS, STREAM_AT(prof_data_access, data) },
	{ .key = "count", .type = STREAM_NUMBER, .presence = STREAM_REQUIRED,
	    STREAM_AT(prof_data_access, count) },
	{ .key = "locations", .type = STREAM_LIST, .object = &location_object,
	    STREAM_LIST_AT(prof_data_access, locations, size) },
};

const struct stream_object stream_data_access = {
	.record = "data_access", .kind = PROF_REC_DATA_ACCESS,
	.size = sizeof(struct prof_data_access),
	STREAM_MEMBERS(data_access_members),
};

static const struct stream_member cold_symbol_members[] = {
	{ DATA_KEYS, .offset = 0 },
};

const struct stream_object stream_cold_symbol = {
	.record = "cold_symbol", .kind = PROF_REC_COLD_SYMBOL,
	.size = sizeof(struct prof_data), STREAM_MEMBERS(cold_symbol_members),
};
