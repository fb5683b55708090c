/* Accesses to data, from YAML (MemProfYAML.h and DataAccessProf.h, LLVM 22). */
#include "base/error.h"
#include "format/yaml/yaml.h"

struct link {
	struct link *next;
	struct prof_location location;
};

static enum prof_status
read_location(struct yaml_source *y, struct prof_location *l,
    struct prof_error *err)
{
	static const char *const names[] = { "FileName", "Line" };
	static const struct yaml_keys keys = YAML_KEYS("a location", names, 0);
	enum prof_status status;
	struct yaml_map m;
	uint64_t line = 0;

	*l = (struct prof_location){ 0 };
	if (yaml_take_map(y, &m, &keys, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = yaml_next_key(y, &m, err)) == PROF_OK) {
		status = m.key == 0 ?
		    yaml_take_text(y, names[0], &l->file, err) :
		    yaml_take_number(y, names[1], UINT32_MAX, &line, err);
		if (status != PROF_OK)
			return PROF_FAIL;
	}
	l->line = (uint32_t)line;
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

static enum prof_status
lend_locations(struct yaml_source *y, const struct link *from,
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
read_locations(struct yaml_source *y, struct prof_data_access *a,
    struct prof_error *err)
{
	struct link *first = NULL, **end = &first;
	enum prof_status status;
	bool empty;

	if (yaml_take_list(y, "Locations", &empty, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = yaml_next_item(y, empty, err)) == PROF_OK) {
		*end = arena_alloc(&y->arena, sizeof(**end));
		if (*end == NULL)
			return err_memory(err);
		(*end)->next = NULL;
		if (read_location(y, &(*end)->location, err) != PROF_OK)
			return PROF_FAIL;
		end = &(*end)->next;
		a->size++;
	}
	return status == PROF_END ? lend_locations(y, first, a, err) :
	    PROF_FAIL;
}

/* LLVM takes the symbol if there are both, and 0 if there is neither. */
static enum prof_status
check_data(struct prof_data *d, bool has_hash, uint64_t line,
    struct prof_context *context, struct prof_error *err)
{
	if (d->symbol.size == 0)
		d->symbol = (struct prof_span){ NULL, 0 };
	if (d->symbol.data == NULL && !has_hash)
		return err_line(err, PROF_E_CORRUPT, line,
		    "a sampled record: neither Symbol nor Hash");
	if (d->symbol.data != NULL && has_hash) {
		warn_line(context, line, "Hash stands beside Symbol: it is "
		    "left out");
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
	if (yaml_take_map(y, &m, &keys, err) != PROF_OK)
		return PROF_FAIL;
	while ((status = yaml_next_key(y, &m, err)) == PROF_OK) {
		if (m.key == 0)
			status = yaml_take_text(y, names[0], &a->data.symbol,
			    err);
		else if (m.key == 3)
			status = read_locations(y, a, err);
		else
			status = yaml_take_number(y, names[m.key], UINT64_MAX,
			    m.key == 1 ? &a->data.hash : &a->count, err);
		if (status != PROF_OK)
			return PROF_FAIL;
	}
	if (status != PROF_END)
		return PROF_FAIL;
	return check_data(&a->data, (m.seen & 1 << 1) != 0, line, context,
	    err);
}
