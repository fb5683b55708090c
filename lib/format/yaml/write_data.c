/* Writes the summary and the data accesses in YAML. */
#include <stdlib.h>

#include "base/error.h"
#include "base/utf8.h"
#include "model/memprof/summary.h"
#include "format/yaml/write.h"

static void
yaml_put_access(struct yaml_text *t, const struct prof_data_access *a)
{
	yaml_item(t, 6);
	yaml_key(t, a->data.symbol.data != NULL ? "Symbol" : "Hash");
	if (a->data.symbol.data != NULL)
		yaml_put_string(t, a->data.symbol, false);
	else
		yaml_put_number(t, a->data.hash);
	yaml_line(t, 6);
	yaml_key(t, "AccessCount");
	yaml_put_number(t, a->count);
	if (a->size != 0) {
		yaml_line(t, 6);
		yaml_put(t, "Locations:");
	}
	for (size_t i = 0; i < a->size; i++) {
		yaml_item(t, 10);
		yaml_key(t, "FileName");
		yaml_put_string(t, a->locations[i].file, false);
		yaml_line(t, 10);
		yaml_key(t, "Line");
		yaml_put_number(t, a->locations[i].line);
	}
}

static size_t
yaml_count_cold_names(const struct memprof_built *b)
{
	size_t names = 0;

	for (size_t i = 0; i < b->cold_size; i++)
		names += b->cold_symbols[i].symbol.data != NULL;
	return names;
}

/* The address decides between accesses of one array with equal counts. */
static int
yaml_compare_accesses(const void *a, const void *b)
{
	const struct prof_data_access *x = *(const struct prof_data_access *
	    const *)a;
	const struct prof_data_access *y = *(const struct prof_data_access *
	    const *)b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return (x > y) - (x < y);
}

static int
yaml_compare_cold(const void *a, const void *b)
{
	const struct prof_data *x = a, *y = b;

	if (x->symbol.data == NULL || y->symbol.data == NULL)
		return x->symbol.data != NULL ? -1 : y->symbol.data != NULL ?
		    1 : (x->hash > y->hash) - (x->hash < y->hash);
	return prof_span_compare(x->symbol, y->symbol);
}

/* Names first, then hashes. */
static void
yaml_put_cold(struct yaml_text *t, const struct prof_data *cold, size_t names,
    size_t size)
{
	if (names != 0) {
		yaml_line(t, 2);
		yaml_put(t, "KnownColdSymbols:");
	}
	for (size_t i = 0; i < names; i++) {
		yaml_item(t, 6);
		yaml_put_string(t, cold[i].symbol, false);
	}
	if (names == size)
		return;
	yaml_line(t, 2);
	yaml_key(t, "KnownColdStrHashes");
	yaml_flow_begin(t, '[');
	for (size_t i = names; i < size; i++) {
		yaml_flow_member(t);
		yaml_put_number(t, cold[i].hash);
	}
	yaml_flow_end(t, ']');
}

bool
yaml_write_data(struct yaml_text *t, const struct memprof_built *b,
    struct arena *a)
{
	const struct prof_data_access **accesses = arena_array(a,
	    b->accesses_size, sizeof(const struct prof_data_access *));
	struct prof_data *cold = arena_array(a, b->cold_size, sizeof(*cold));

	if (accesses == NULL || cold == NULL)
		return false;
	if (b->accesses_size + b->cold_size == 0)
		return true;
	for (size_t i = 0; i < b->accesses_size; i++)
		accesses[i] = &b->accesses[i];
	qsort(accesses, b->accesses_size, sizeof(*accesses),
	    yaml_compare_accesses);
	for (size_t i = 0; i < b->cold_size; i++)
		cold[i] = b->cold_symbols[i];
	qsort(cold, b->cold_size, sizeof(*cold), yaml_compare_cold);
	yaml_line(t, 0);
	yaml_put(t, "DataAccessProfiles:");
	if (b->accesses_size != 0) {
		yaml_line(t, 2);
		yaml_put(t, "SampledRecords:");
	}
	for (size_t i = 0; i < b->accesses_size; i++)
		yaml_put_access(t, accesses[i]);
	yaml_put_cold(t, cold, yaml_count_cold_names(b), b->cold_size);
	return true;
}

static void
yaml_put_figure(struct yaml_text *t, const char *name, uint64_t n)
{
	yaml_line(t, 0);
	yaml_put(t, "#   ");
	yaml_put(t, name);
	yaml_put(t, ": ");
	yaml_put_number(t, n);
}

/* As MemProfSummary::printSummaryYaml, in a document of its own. */
bool
yaml_write_summary(struct yaml_text *t, const struct memprof_built *b)
{
	static const char *const names[MEMPROF_SUMMARY_FIELDS] = {
		[MEMPROF_CONTEXTS] = "Total contexts",
		[MEMPROF_COLD_CONTEXTS] = "Total cold contexts",
		[MEMPROF_HOT_CONTEXTS] = "Total hot contexts",
		[MEMPROF_MAX_COLD_SIZE] = "Maximum cold context total size",
		[MEMPROF_MAX_WARM_SIZE] = "Maximum warm context total size",
		[MEMPROF_MAX_HOT_SIZE] = "Maximum hot context total size",
	};
	uint64_t fields[MEMPROF_SUMMARY_FIELDS];
	size_t cold_names = yaml_count_cold_names(b);

	if (!memprof_summarize(b, fields))
		return false;
	yaml_put(t, "---\n# MemProfSummary:");
	for (size_t i = 0; i < MEMPROF_SUMMARY_FIELDS; i++)
		yaml_put_figure(t, names[i], fields[i]);
	if (b->accesses_size + b->cold_size != 0) {
		yaml_put_figure(t, "Num hot symbols and string literals",
		    b->accesses_size);
		yaml_put_figure(t, "Num known cold symbols", cold_names);
		yaml_put_figure(t, "Num known cold string literals",
		    b->cold_size - cold_names);
	}
	yaml_put(t, "\n---");
	return true;
}

/* YAML is UTF-8: other bytes above 0x7f cannot be written. */
static enum prof_status
yaml_check_utf8(struct prof_span s, const char *what, struct prof_error *err)
{
	char shown[ERR_NAME_SIZE];

	return utf8_valid(s) ? PROF_OK : err_set(err, PROF_E_UNSUPPORTED, "%s "
	    "'%s' is not UTF-8, which YAML requires", what, err_name(shown, s));
}

enum prof_status
yaml_check_data(const struct memprof_built *b, struct prof_error *err)
{
	for (size_t i = 0; i < b->accesses_size; i++) {
		const struct prof_data_access *a = &b->accesses[i];

		if (yaml_check_utf8(a->data.symbol, "symbol", err) != PROF_OK)
			return PROF_FAIL;
		for (size_t k = 0; k < a->size; k++) {
			if (yaml_check_utf8(
				a->locations[k].file, "file", err) != PROF_OK)
				return PROF_FAIL;
		}
	}
	for (size_t i = 0; i < b->cold_size; i++) {
		if (yaml_check_utf8(b->cold_symbols[i].symbol, "symbol", err) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}
