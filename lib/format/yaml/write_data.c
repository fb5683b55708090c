/* Writes the summary and the data accesses in YAML. */
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

static void
yaml_put_cold(struct yaml_text *t, const struct memprof_built *b)
{
	size_t names = yaml_count_cold_names(b);

	if (names != 0) {
		yaml_line(t, 2);
		yaml_put(t, "KnownColdSymbols:");
	}
	for (size_t i = 0; i < b->cold_size; i++) {
		if (b->cold_symbols[i].symbol.data == NULL)
			continue;
		yaml_item(t, 6);
		yaml_put_string(t, b->cold_symbols[i].symbol, false);
	}
	if (names == b->cold_size)
		return;
	yaml_line(t, 2);
	yaml_key(t, "KnownColdStrHashes");
	yaml_flow_begin(t, '[');
	for (size_t i = 0; i < b->cold_size; i++) {
		if (b->cold_symbols[i].symbol.data != NULL)
			continue;
		yaml_flow_member(t);
		yaml_put_number(t, b->cold_symbols[i].hash);
	}
	yaml_flow_end(t, ']');
}

void
yaml_write_data(struct yaml_text *t, const struct memprof_built *b)
{
	if (b->accesses_size + b->cold_size == 0)
		return;
	yaml_line(t, 0);
	yaml_put(t, "DataAccessProfiles:");
	if (b->accesses_size != 0) {
		yaml_line(t, 2);
		yaml_put(t, "SampledRecords:");
	}
	for (size_t i = 0; i < b->accesses_size; i++)
		yaml_put_access(t, &b->accesses[i]);
	yaml_put_cold(t, b);
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

	return utf8_valid(s) ? PROF_OK : err_set(err, PROF_E_UNSUPPORTED,
	    "%s '%s' is not UTF-8, and YAML is", what, err_name(shown, s));
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
