/* Reads data accesses in YAML (MemProfYAML.h and DataAccessProf.h, LLVM 22). */
#include "base/error.h"
#include "format/yaml/yaml.h"

struct location_link {
	struct location_link *next;
	struct prof_location location;
};

static enum prof_status
access_read_location(struct yaml_source *y, struct prof_location *l,
    struct prof_error *err)
{
	static const char *const names[] = { "FileName", "Line" };
	static const struct yaml_keys keys = YAML_KEYS("a location", names, 0);
	enum prof_status status;
	struct yaml_map m;
	uint64_t line = 0;

	*l = (struct prof_location){ 0 };
	if (yaml_read_map(y, &m, &keys, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = yaml_next_key(y, &m, err)) == PROF_OK) {
		status = m.key == 0 ?
		    yaml_read_text(y, names[0], &l->file, err) :
		    yaml_read_number(y, names[1], UINT32_MAX, &line, err);
		if (status != PROF_OK)
			return PROF_FAIL;
	}
	l->line = (uint32_t)line;
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

static enum prof_status
access_set_locations(struct yaml_source *y, const struct location_link *from,
    struct prof_data_access *a, struct prof_error *err)
{
	struct prof_location *locations = arena_array(&y->arena, a->size,
	    sizeof(*locations));

	if (locations == NULL)
		return err_memory(err);
	for (size_t i = 0; from != NULL; from = from->next)
		locations[i++] = from->location;
	a->locations = locations;
	return PROF_OK;
}

static enum prof_status
access_read_locations(struct yaml_source *y, struct prof_data_access *a,
    struct prof_error *err)
{
	struct location_link *first = NULL, **end = &first;
	enum prof_status status;
	bool empty;

	if (yaml_read_list(y, "Locations", &empty, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = yaml_next_item(y, empty, err)) == PROF_OK) {
		*end = arena_alloc(&y->arena, sizeof(**end));
		if (*end == NULL)
			return err_memory(err);
		(*end)->next = NULL;
		if (access_read_location(y, &(*end)->location, err) != PROF_OK)
			return PROF_FAIL;
		end = &(*end)->next;
		a->size++;
	}
	return status == PROF_END ? access_set_locations(y, first, a, err) :
	    PROF_FAIL;
}

/*
 * A record must have a symbol or a hash.  LLVM uses the symbol if there are
 * both, and the hash 0 if there is neither.
 */
static enum prof_status
access_check_symbol(struct prof_data *d, bool has_hash, uint64_t line,
    struct prof_context *context, struct prof_error *err)
{
	if (d->symbol.size == 0)
		d->symbol = (struct prof_span){ NULL, 0 };
	if (d->symbol.data == NULL && !has_hash)
		return err_line(err, PROF_E_CORRUPT, line,
		    "a sampled record: neither Symbol nor Hash");
	if (d->symbol.data != NULL && has_hash) {
		warn_line(context, line, "Hash occurs together with Symbol: it "
		    "is left out");
		d->hash = 0;
	}
	return PROF_OK;
}

enum prof_status
yaml_access_read(struct yaml_source *y, struct prof_data_access *a,
    struct prof_context *context, struct prof_error *err)
{
	static const char *const names[] = {
		"Symbol", "Hash", "AccessCount", "Locations"
	};
	static const struct yaml_keys keys =
	    YAML_KEYS("a sampled record", names, 1 << 2);
	uint64_t line = y->now.line;
	enum prof_status status;
	struct yaml_map m;

	*a = (struct prof_data_access){ .count = 0 };
	if (yaml_read_map(y, &m, &keys, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = yaml_next_key(y, &m, err)) == PROF_OK) {
		if (m.key == 0)
			status = yaml_read_text(y, names[0], &a->data.symbol,
			    err);
		else if (m.key == 3)
			status = access_read_locations(y, a, err);
		else
			status = yaml_read_number(y, names[m.key], UINT64_MAX,
			    m.key == 1 ? &a->data.hash : &a->count, err);
		if (status != PROF_OK)
			return PROF_FAIL;
	}
	if (status != PROF_END)
		return PROF_FAIL;
	return access_check_symbol(
	    &a->data, (m.seen & 1 << 1) != 0, line, context, err);
}
