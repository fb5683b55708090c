/* JSON objects to the records of heap profiles. */
#include "base/error.h"
#include "model/mib.h"
#include "format/stream/stream.h"

/* A number that fits the field of that many bits, or 0 if it is missing. */
static enum prof_status
parse_width(const struct jval *v, uint64_t max, uint64_t *out)
{
	*out = 0;
	if (!jval_is_there(v))
		return PROF_OK;
	if (jval_number(v, out) != PROF_OK)
		return PROF_FAIL;
	if (*out > max)
		return jval_fail(v, PROF_E_CORRUPT, "%llu is above %llu",
		    (unsigned long long)*out, (unsigned long long)max);
	return PROF_OK;
}

static enum prof_status
parse_optional_id(const struct jval *object, const char *key, uint64_t *out)
{
	struct jval v = jval_get(object, key);

	*out = 0;
	return jval_is_there(&v) ? jval_id(&v, out) : PROF_OK;
}

enum prof_status
stream_parse_segment(struct stream_record *r, const struct jval *v,
    struct prof_record *out)
{
	static const char *const keys[] = {
		"record", "id", "start", "end", "offset", "file_addresses",
		"build_id", NULL
	};
	struct prof_segment *s = &out->u.segment;
	struct jval id = jval_get(v, "id"), start = jval_get(v, "start");
	struct jval end = jval_get(v, "end"), offset = jval_get(v, "offset");
	struct jval file = jval_get(v, "file_addresses");
	struct jval build_id = jval_get(v, "build_id");

	*s = (struct prof_segment){ 0 };
	stream_ignore_unknown(r, v, keys);
	if (jval_number(&id, &s->id) != PROF_OK)
		return PROF_FAIL;
	if (s->id == PROF_NO_SEGMENT)
		return jval_fail(&id, PROF_E_CORRUPT, "too large");
	s->has_range = jval_is_there(&start) || jval_is_there(&end) ||
	    jval_is_there(&offset);
	if (s->has_range && (jval_id(&start, &s->start) != PROF_OK ||
	    jval_id(&end, &s->end) != PROF_OK ||
	    jval_id(&offset, &s->offset) != PROF_OK))
		return PROF_FAIL;
	if (s->start > s->end)
		return jval_fail(&end, PROF_E_CORRUPT, "is before start");
	if (jval_is_there(&file) &&
	    jval_flag(&file, &s->file_addresses) != PROF_OK)
		return PROF_FAIL;
	if (!jval_is_there(&build_id))
		return PROF_OK;
	return jval_hex(&build_id, &r->arena, &s->build_id);
}

/* "0x..", or [SEGMENT,"0x.."]. */
static enum prof_status
parse_pc(const struct jval *v, uint64_t *pc, uint64_t *segment)
{
	struct jval part;
	size_t size;

	*segment = PROF_NO_SEGMENT;
	if (!jval_is_list(v))
		return jval_id(v, pc);
	if (jval_list(v, &size) != PROF_OK)
		return PROF_FAIL;
	if (size != 2)
		return jval_fail(v, PROF_E_CORRUPT,
		    "%zu items instead of a segment and an address", size);
	part = jval_item(v, 0);
	if (jval_number(&part, segment) != PROF_OK)
		return PROF_FAIL;
	if (*segment == PROF_NO_SEGMENT)
		return jval_fail(&part, PROF_E_CORRUPT, "too large");
	part = jval_item(v, 1);
	return jval_id(&part, pc);
}

static enum prof_status
parse_pcs(struct stream_record *r, const struct jval *list,
    struct prof_stack *s)
{
	uint64_t *pcs, *segments;

	if (jval_list(list, &s->pcs_size) != PROF_OK)
		return PROF_FAIL;
	pcs = arena_array(&r->arena, s->pcs_size, sizeof(*pcs));
	segments = arena_array(&r->arena, s->pcs_size, sizeof(*segments));
	if (pcs == NULL || segments == NULL)
		return err_memory(r->doc.err);
	for (size_t i = 0; i < s->pcs_size; i++) {
		struct jval pc = jval_item(list, i);

		if (parse_pc(&pc, &pcs[i], &segments[i]) != PROF_OK)
			return PROF_FAIL;
		if (segments[i] != PROF_NO_SEGMENT)
			s->segments = segments;
	}
	s->pcs = pcs;
	return PROF_OK;
}

static enum prof_status
parse_frame(struct stream_record *r, const struct jval *v,
    struct prof_frame *f)
{
	static const char *const keys[] = {
		"function", "function_hex", "guid", "file", "file_hex", "line",
		"start_line", "line_offset", "column", "discriminator",
		"inline", NULL
	};
	const struct {
		unsigned flag;
		const char *key;
		uint32_t *value;
	} numbers[] = {
		{ PROF_FRAME_LINE, "line", &f->line },
		{ PROF_FRAME_START_LINE, "start_line", &f->start_line },
		{ PROF_FRAME_LINE_OFFSET, "line_offset", &f->line_offset },
		{ PROF_FRAME_COLUMN, "column", &f->column },
		{ PROF_FRAME_DISCRIMINATOR, "discriminator",
		    &f->discriminator },
	};
	struct jval in = jval_get(v, "inline");
	bool is_inline = false;

	*f = (struct prof_frame){ 0 };
	if (jval_object(v) != PROF_OK ||
	    stream_parse_bytes(r, v, "function", "function_hex",
	    &f->function.name) != PROF_OK ||
	    parse_optional_id(v, "guid", &f->function.guid) != PROF_OK ||
	    stream_parse_bytes(r, v, "file", "file_hex", &f->file) != PROF_OK)
		return PROF_FAIL;
	stream_ignore_unknown(r, v, keys);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct jval number = jval_get(v, numbers[i].key);
		uint64_t value;

		if (!jval_is_there(&number))
			continue;
		if (parse_width(&number, UINT32_MAX, &value) != PROF_OK)
			return PROF_FAIL;
		*numbers[i].value = (uint32_t)value;
		f->flags |= numbers[i].flag;
	}
	if (jval_is_there(&in) && jval_flag(&in, &is_inline) != PROF_OK)
		return PROF_FAIL;
	f->flags |= is_inline ? PROF_FRAME_INLINE : 0;
	return PROF_OK;
}

static enum prof_status
parse_frames(struct stream_record *r, const struct jval *list,
    struct prof_stack *s)
{
	struct prof_frame *frames;

	if (jval_list(list, &s->frames_size) != PROF_OK)
		return PROF_FAIL;
	frames = arena_array(&r->arena, s->frames_size, sizeof(*frames));
	if (frames == NULL)
		return err_memory(r->doc.err);
	for (size_t i = 0; i < s->frames_size; i++) {
		struct jval frame = jval_item(list, i);

		if (parse_frame(r, &frame, &frames[i]) != PROF_OK)
			return PROF_FAIL;
	}
	s->frames = frames;
	return PROF_OK;
}

/* Frames stand beside the pcs that they are of, or alone. */
static enum prof_status
check_frames(const struct jval *frames, const struct prof_stack *s)
{
	size_t ends = 0;

	for (size_t i = 0; i < s->frames_size; i++)
		ends += (s->frames[i].flags & PROF_FRAME_INLINE) == 0;
	if (s->frames_size == 0 || s->pcs_size == 0 || ends == s->pcs_size)
		return PROF_OK;
	return jval_fail(frames, PROF_E_CORRUPT, "%zu frames are not inline, "
	    "and there are %zu pcs", ends, s->pcs_size);
}

enum prof_status
stream_parse_stack(struct stream_record *r, const struct jval *v,
    struct prof_record *out)
{
	static const char *const keys[] = {
		"record", "id", "pcs", "frames", NULL
	};
	struct prof_stack *s = &out->u.stack;
	struct jval id = jval_get(v, "id"), pcs = jval_get(v, "pcs");
	struct jval frames = jval_get(v, "frames");

	*s = (struct prof_stack){ 0 };
	stream_ignore_unknown(r, v, keys);
	if (jval_id(&id, &s->id) != PROF_OK)
		return PROF_FAIL;
	if (!jval_is_there(&pcs) && !jval_is_there(&frames))
		return jval_fail(&pcs, PROF_E_CORRUPT,
		    "missing, and so is frames");
	if (jval_is_there(&pcs) && parse_pcs(r, &pcs, s) != PROF_OK)
		return PROF_FAIL;
	if (jval_is_there(&frames) && parse_frames(r, &frames, s) != PROF_OK)
		return PROF_FAIL;
	return check_frames(&frames, s);
}

/* A histogram that is there has the size that is said, or says it. */
static enum prof_status
parse_histogram(struct stream_record *r, const struct jval *v,
    struct prof_mib *m)
{
	size_t size;

	if (stream_parse_numbers(r, v, &m->histogram, &size) != PROF_OK)
		return PROF_FAIL;
	if (size == 0)
		m->histogram = NULL;
	if (mib_has(m, PROF_MIB_ACCESS_HISTOGRAM_SIZE) &&
	    m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE] != size)
		return jval_fail(v, PROF_E_CORRUPT, "%zu entries, and %s is "
		    "%llu", size,
		    mib_fields[PROF_MIB_ACCESS_HISTOGRAM_SIZE].key,
		    (unsigned long long)
		    m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE]);
	if (size > UINT32_MAX)
		return jval_fail(v, PROF_E_LIMIT, "%zu entries", size);
	mib_set(m, PROF_MIB_ACCESS_HISTOGRAM_SIZE, size);
	mib_set(m, PROF_MIB_ACCESS_HISTOGRAM, 0);
	return PROF_OK;
}

static enum prof_status
parse_info(struct stream_record *r, const struct jval *v, struct prof_mib *m)
{
	const char *keys[PROF_MIB_FIELDS] = { NULL };
	struct jval histogram;

	*m = (struct prof_mib){ 0 };
	if (jval_object(v) != PROF_OK)
		return PROF_FAIL;
	for (unsigned i = 1; i < PROF_MIB_FIELDS; i++)
		keys[i - 1] = mib_fields[i].key;
	stream_ignore_unknown(r, v, keys);
	for (unsigned i = 1; i < PROF_MIB_ACCESS_HISTOGRAM; i++) {
		struct jval field = jval_get(v, mib_fields[i].key);

		if (!jval_is_there(&field))
			continue;
		if (parse_width(&field, mib_max(i), &m->value[i]) != PROF_OK)
			return PROF_FAIL;
		m->fields |= UINT32_C(1) << i;
	}
	/* A file that knows the size has the field behind it too. */
	if (mib_has(m, PROF_MIB_ACCESS_HISTOGRAM_SIZE))
		mib_set(m, PROF_MIB_ACCESS_HISTOGRAM, 0);
	histogram = jval_get(v, mib_fields[PROF_MIB_ACCESS_HISTOGRAM].key);
	return jval_is_there(&histogram) ? parse_histogram(r, &histogram, m) :
	    PROF_OK;
}

static enum prof_status
parse_allocation(struct stream_record *r, const struct jval *v,
    struct prof_allocation *a)
{
	struct jval stack = jval_get(v, "stack"), info = jval_get(v, "info");

	if (jval_id(&stack, &a->stack) != PROF_OK)
		return PROF_FAIL;
	return parse_info(r, &info, &a->info);
}

enum prof_status
stream_parse_allocation(struct stream_record *r, const struct jval *v,
    struct prof_record *out)
{
	static const char *const keys[] = { "record", "stack", "info", NULL };

	stream_ignore_unknown(r, v, keys);
	return parse_allocation(r, v, &out->u.allocation);
}

static enum prof_status
parse_call_site(struct stream_record *r, const struct jval *v,
    struct prof_call_site *out)
{
	static const char *const keys[] = { "stack", "callee_guids", NULL };
	struct jval stack = jval_get(v, "stack");
	struct jval callees = jval_get(v, "callee_guids");
	uint64_t *guids;

	*out = (struct prof_call_site){ 0 };
	if (jval_object(v) != PROF_OK || jval_id(&stack, &out->stack) !=
	    PROF_OK)
		return PROF_FAIL;
	stream_ignore_unknown(r, v, keys);
	if (!jval_is_there(&callees))
		return PROF_OK;
	if (jval_list(&callees, &out->callees_size) != PROF_OK)
		return PROF_FAIL;
	guids = arena_array(&r->arena, out->callees_size, sizeof(*guids));
	if (guids == NULL)
		return err_memory(r->doc.err);
	for (size_t i = 0; i < out->callees_size; i++) {
		struct jval guid = jval_item(&callees, i);

		if (jval_id(&guid, &guids[i]) != PROF_OK)
			return PROF_FAIL;
	}
	out->callee_guids = guids;
	return PROF_OK;
}

static enum prof_status
parse_alloc_sites(struct stream_record *r, const struct jval *list,
    struct prof_memprof_function *f)
{
	static const char *const keys[] = { "stack", "info", NULL };
	struct prof_allocation *sites;

	if (!jval_is_there(list))
		return PROF_OK;
	if (jval_list(list, &f->allocs_size) != PROF_OK)
		return PROF_FAIL;
	sites = arena_array(&r->arena, f->allocs_size, sizeof(*sites));
	if (sites == NULL)
		return err_memory(r->doc.err);
	for (size_t i = 0; i < f->allocs_size; i++) {
		struct jval site = jval_item(list, i);

		if (jval_object(&site) != PROF_OK ||
		    parse_allocation(r, &site, &sites[i]) != PROF_OK)
			return PROF_FAIL;
		stream_ignore_unknown(r, &site, keys);
	}
	f->alloc_sites = sites;
	return PROF_OK;
}

static enum prof_status
parse_call_sites(struct stream_record *r, const struct jval *list,
    struct prof_memprof_function *f)
{
	struct prof_call_site *sites;

	if (!jval_is_there(list))
		return PROF_OK;
	if (jval_list(list, &f->calls_size) != PROF_OK)
		return PROF_FAIL;
	sites = arena_array(&r->arena, f->calls_size, sizeof(*sites));
	if (sites == NULL)
		return err_memory(r->doc.err);
	for (size_t i = 0; i < f->calls_size; i++) {
		struct jval site = jval_item(list, i);

		if (parse_call_site(r, &site, &sites[i]) != PROF_OK)
			return PROF_FAIL;
	}
	f->call_sites = sites;
	return PROF_OK;
}

enum prof_status
stream_parse_memprof_function(struct stream_record *r, const struct jval *v,
    struct prof_record *out)
{
	static const char *const keys[] = {
		"record", "guid", "name", "name_hex", "alloc_sites",
		"call_sites", NULL
	};
	struct prof_memprof_function *f = &out->u.memprof_function;
	struct jval guid = jval_get(v, "guid");
	struct jval allocs = jval_get(v, "alloc_sites");
	struct jval calls = jval_get(v, "call_sites");

	*f = (struct prof_memprof_function){ 0 };
	stream_ignore_unknown(r, v, keys);
	if (jval_id(&guid, &f->symbol.guid) != PROF_OK ||
	    stream_parse_bytes(r, v, "name", "name_hex", &f->symbol.name) !=
	    PROF_OK || parse_alloc_sites(r, &allocs, f) != PROF_OK)
		return PROF_FAIL;
	return parse_call_sites(r, &calls, f);
}

static enum prof_status
parse_data(struct stream_record *r, const struct jval *v,
    struct prof_data *out)
{
	struct jval hash = jval_get(v, "hash");

	*out = (struct prof_data){ 0 };
	if (stream_parse_bytes(r, v, "symbol", "symbol_hex", &out->symbol) !=
	    PROF_OK)
		return PROF_FAIL;
	if (out->symbol.data == NULL)
		return jval_id(&hash, &out->hash);
	if (jval_is_there(&hash))
		return jval_fail(&hash, PROF_E_CORRUPT, "stands beside %s",
		    "symbol");
	return PROF_OK;
}

static enum prof_status
parse_location(struct stream_record *r, const struct jval *v,
    struct prof_location *out)
{
	static const char *const keys[] = { "file", "file_hex", "line", NULL };
	struct jval line = jval_get(v, "line");
	uint64_t n;

	if (jval_object(v) != PROF_OK || stream_parse_bytes(r, v, "file",
	    "file_hex", &out->file) != PROF_OK ||
	    parse_width(&line, UINT32_MAX, &n) != PROF_OK)
		return PROF_FAIL;
	stream_ignore_unknown(r, v, keys);
	out->line = (uint32_t)n;
	return PROF_OK;
}

enum prof_status
stream_parse_data_access(struct stream_record *r, const struct jval *v,
    struct prof_record *out)
{
	static const char *const keys[] = {
		"record", "symbol", "symbol_hex", "hash", "count",
		"locations", NULL
	};
	struct prof_data_access *a = &out->u.data_access;
	struct jval count = jval_get(v, "count");
	struct jval list = jval_get(v, "locations");
	struct prof_location *locations;

	*a = (struct prof_data_access){ .count = 0 };
	stream_ignore_unknown(r, v, keys);
	if (parse_data(r, v, &a->data) != PROF_OK ||
	    jval_number(&count, &a->count) != PROF_OK)
		return PROF_FAIL;
	if (!jval_is_there(&list))
		return PROF_OK;
	if (jval_list(&list, &a->size) != PROF_OK)
		return PROF_FAIL;
	locations = arena_array(&r->arena, a->size, sizeof(*locations));
	if (locations == NULL)
		return err_memory(r->doc.err);
	for (size_t i = 0; i < a->size; i++) {
		struct jval item = jval_item(&list, i);

		if (parse_location(r, &item, &locations[i]) != PROF_OK)
			return PROF_FAIL;
	}
	a->locations = locations;
	return PROF_OK;
}

enum prof_status
stream_parse_cold_symbol(struct stream_record *r, const struct jval *v,
    struct prof_record *out)
{
	static const char *const keys[] = {
		"record", "symbol", "symbol_hex", "hash", NULL
	};

	stream_ignore_unknown(r, v, keys);
	return parse_data(r, v, &out->u.cold_symbol);
}
