#include "base/error.h"
#include "base/json_text.h"
#include "model/record.h"
#include "model/mib.h"
#include "format/stream/stream.h"
#include "format/values_json.h"
#include "model/value_sites.h"

const struct stream_symbol_keys stream_symbol = {
	"name", "name_hex", "guid"
};

const struct stream_symbol_keys stream_target = {
	"target", "target_hex", "target_guid"
};

void
stream_warn_unknown(struct stream_record *r, const struct jval *object,
    const char *const known[])
{
	const char *key = r->warned ? NULL : jval_unknown(object, known);
	char text[ERR_NAME_SIZE];

	if (key == NULL)
		return;
	r->warned = true;
	err_name(text, span_of_text(key));
	warn_line(r->context, r->doc.line,
	    "unknown key %s is ignored, and others like it", text);
}

enum prof_status
stream_parse_bytes(struct stream_record *r, const struct jval *object,
    const char *key, const char *hex_key, struct prof_span *out)
{
	struct jval text = jval_get(object, key);
	struct jval hex = jval_get(object, hex_key);
	enum prof_status status = PROF_OK;

	*out = (struct prof_span){ NULL, 0 };
	if (jval_is_there(&text) && jval_is_there(&hex))
		return jval_fail(&hex, PROF_E_CORRUPT, "occurs together with "
		    "%s", key);
	if (jval_is_there(&text))
		status = jval_string(&text, out);
	else if (jval_is_there(&hex))
		status = jval_hex(&hex, &r->arena, out);
	if (status == PROF_OK && out->data != NULL && out->size == 0)
		return jval_fail(jval_is_there(&text) ? &text : &hex,
		    PROF_E_CORRUPT, "empty");
	return status;
}

enum prof_status
stream_parse_symbol(struct stream_record *r, const struct jval *object,
    const struct stream_symbol_keys *keys, struct prof_symbol *out)
{
	struct jval guid = jval_get(object, keys->guid);

	*out = (struct prof_symbol){ 0 };
	if (stream_parse_bytes(r, object, keys->name, keys->hex, &out->name) !=
	    PROF_OK)
		return PROF_FAIL;
	if (!jval_is_there(&guid)) {
		if (out->name.data != NULL)
			return PROF_OK;
		guid = jval_get(object, keys->name);
		return jval_fail(&guid, PROF_E_CORRUPT,
		    "missing, and so is %s", keys->guid);
	}
	if (jval_id(&guid, &out->guid) != PROF_OK)
		return PROF_FAIL;
	if (out->name.data == NULL || out->guid == prof_guid(out->name))
		return PROF_OK;
	return jval_fail(&guid, PROF_E_CORRUPT, "is not the guid of %s",
	    keys->name);
}

enum prof_status
stream_parse_u64s(struct stream_record *r, const struct jval *list,
    enum prof_status (*parse)(const struct jval *, uint64_t *),
    const uint64_t **out, size_t *size)
{
	uint64_t *numbers;

	if (jval_list(list, size) != PROF_OK)
		return PROF_FAIL;
	numbers = arena_array(&r->arena, *size, sizeof(*numbers));
	if (numbers == NULL)
		return err_memory(r->doc.err);
	for (size_t i = 0; i < *size; i++) {
		struct jval item = jval_item(list, i);

		if (parse(&item, &numbers[i]) != PROF_OK)
			return PROF_FAIL;
	}
	*out = numbers;
	return PROF_OK;
}

enum prof_status
stream_parse_limited(const struct jval *v, uint64_t max, uint64_t *out)
{
	if (jval_number(v, out) != PROF_OK)
		return PROF_FAIL;
	if (*out > max)
		return jval_fail(v, PROF_E_CORRUPT, "%llu is above %llu",
		    (unsigned long long)*out, (unsigned long long)max);
	return PROF_OK;
}

enum prof_status
stream_parse_bounded(const struct jval *v, uint64_t min, uint64_t max,
    uint64_t *out)
{
	if (jval_number(v, out) != PROF_OK)
		return PROF_FAIL;
	if (*out < min || *out > max)
		return jval_fail(v, PROF_E_CORRUPT,
		    "%llu is not from %llu to %llu", (unsigned long long)*out,
		    (unsigned long long)min, (unsigned long long)max);
	return PROF_OK;
}

void
stream_put_symbol(struct buf *b, const struct stream_symbol_keys *keys,
    const struct prof_symbol *s)
{
	if (s->name.size != 0)
		json_member_bytes(b, keys->name, keys->hex, s->name);
	else
		json_member_id(b, keys->guid, prof_symbol_guid(s));
}

void
stream_put_extra(struct buf *b, struct prof_span extra)
{
	if (extra.size != 0) {
		buf_put(b, ",", 1);
		buf_put(b, extra.data, extra.size);
	}
}

static enum prof_status
stream_parse_value_item(struct stream_record *r, const struct jval *v,
    enum prof_value_kind kind, struct prof_value *out)
{
	static const char *const target_keys[] = {
		"target", "target_hex", "target_guid", "count", NULL
	};
	static const char *const size_keys[] = { "size", "count", NULL };
	bool is_size = kind == PROF_MEM_OP_SIZE;
	struct jval size = jval_get(v, "size"), count = jval_get(v, "count");
	struct prof_symbol target = { 0 };

	if (jval_object(v) != PROF_OK ||
	    (is_size ? jval_number(&size, &out->value) :
	    stream_parse_symbol(r, v, &stream_target, &target)) != PROF_OK ||
	    jval_number(&count, &out->count) != PROF_OK)
		return PROF_FAIL;
	if (!is_size)
		out->value = prof_symbol_guid(&target);
	out->name = target.name;
	stream_warn_unknown(r, v, is_size ? size_keys : target_keys);
	return PROF_OK;
}

static enum prof_status
stream_parse_sites(struct stream_record *r, const struct jval *v,
    enum prof_value_kind kind, struct prof_sites *out)
{
	struct prof_site *sites;

	if (jval_list(v, &out->size) != PROF_OK)
		return PROF_FAIL;
	sites = arena_array(&r->arena, out->size, sizeof(*sites));
	if (sites == NULL)
		return err_memory(r->doc.err);
	for (size_t i = 0; i < out->size; i++) {
		struct jval site = jval_item(v, i);
		struct prof_value *values;

		if (jval_list(&site, &sites[i].size) != PROF_OK)
			return PROF_FAIL;
		values = arena_array(&r->arena, sites[i].size,
		    sizeof(*values));
		if (values == NULL)
			return err_memory(r->doc.err);
		for (size_t k = 0; k < sites[i].size; k++) {
			struct jval item = jval_item(&site, k);

			if (stream_parse_value_item(r, &item, kind,
			    &values[k]) != PROF_OK)
				return PROF_FAIL;
		}
		sites[i].values = values;
	}
	out->sites = sites;
	return PROF_OK;
}

/* The object of the member; kinds that are missing are left alone. */
static enum prof_status
stream_parse_values(struct stream_record *r, const struct jval *v,
    struct prof_sites out[PROF_VALUE_KINDS])
{
	const char *keys[PROF_VALUE_KINDS + 1] = { NULL };

	if (jval_object(v) != PROF_OK)
		return PROF_FAIL;
	for (unsigned kind = 0; kind < PROF_VALUE_KINDS; kind++) {
		struct jval sites = jval_get(v, words_value_kind[kind]);

		keys[kind] = words_value_kind[kind];
		if (jval_is_there(&sites) &&
		    stream_parse_sites(r, &sites, kind, &out[kind]) != PROF_OK)
			return PROF_FAIL;
	}
	stream_warn_unknown(r, v, keys);
	return PROF_OK;
}

/* Forms of the head of a profile, and of where it was decoded from. */

/* Versions of the indexed format are small numbers (13 in LLVM 22). */
enum { VERSION_MAX = 65535 };

/* The version comes first: it says whether we understand the rest. */
static enum prof_status
profile_parse_version(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	struct jval version = jval_get(object, m->key);
	uint64_t n;

	(void)r;
	(void)structure;
	if (jval_number(&version, &n) != PROF_OK)
		return PROF_FAIL;
	if (n != STREAM_VERSION)
		return jval_fail(&version, PROF_E_VERSION, "version %llu of "
		    "the stream is unknown: only version %d is known",
		    (unsigned long long)n, STREAM_VERSION);
	return PROF_OK;
}

static void
profile_put_version(struct buf *b, const struct record_member *m,
    const void *structure)
{
	(void)structure;
	json_member_number(b, m->key, STREAM_VERSION);
}

/* [FIRST,LAST] */
static enum prof_status
profile_parse_frontend(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	struct prof_header *h = structure;
	struct jval list = jval_get(object, m->key), item;
	uint64_t first, last;
	size_t size;

	(void)r;
	if (!jval_is_there(&list))
		return PROF_OK;
	if (jval_list(&list, &size) != PROF_OK)
		return PROF_FAIL;
	if (size != 2)
		return jval_fail(&list, PROF_E_CORRUPT,
		    "%zu versions instead of the first and the last", size);
	item = jval_item(&list, 0);
	if (stream_parse_bounded(&item, 1, VERSION_MAX, &first) != PROF_OK)
		return PROF_FAIL;
	item = jval_item(&list, 1);
	if (stream_parse_bounded(&item, 1, VERSION_MAX, &last) != PROF_OK)
		return PROF_FAIL;
	if (last < first)
		return jval_fail(&item, PROF_E_CORRUPT, "%llu is before %llu",
		    ull(last), ull(first));
	h->frontend_first = (unsigned)first;
	h->frontend_last = (unsigned)last;
	return PROF_OK;
}

static void
profile_put_frontend(struct buf *b, const struct record_member *m,
    const void *structure)
{
	const struct prof_header *h = structure;
	const uint64_t versions[] = { h->frontend_first, h->frontend_last };

	if (h->frontend_first == 0)
		return;
	json_member_key(b, m->key);
	json_text_numbers(b, versions, 2);
}

static const char *const source_orders[] = { "little", "big" };

static enum prof_status
source_parse_endian(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	struct prof_source *s = structure;
	struct jval endian = jval_get(object, m->key);
	size_t i;

	(void)r;
	if (!jval_is_there(&endian))
		return PROF_OK;
	if (jval_word(&endian, source_orders, 2, &i) != PROF_OK)
		return PROF_FAIL;
	s->endian = (uint8_t)source_orders[i][0];
	return PROF_OK;
}

static void
source_put_endian(struct buf *b, const struct record_member *m,
    const void *structure)
{
	const struct prof_source *s = structure;

	if (s->endian != 0)
		json_member_text(b, m->key,
		    source_orders[s->endian == 'b']);
}

static enum prof_status
source_parse_bits(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	struct prof_source *s = structure;
	struct jval bits = jval_get(object, m->key);
	uint64_t n = 0;

	(void)r;
	if (!jval_is_there(&bits))
		return PROF_OK;
	if (jval_number(&bits, &n) != PROF_OK)
		return PROF_FAIL;
	if (n != 32 && n != 64)
		return jval_fail(&bits, PROF_E_CORRUPT,
		    "%llu is neither 32 nor 64", (unsigned long long)n);
	s->pointer_bits = (uint8_t)n;
	return PROF_OK;
}

static void
source_put_bits(struct buf *b, const struct record_member *m,
    const void *structure)
{
	const struct prof_source *s = structure;

	if (s->pointer_bits != 0)
		json_member_number(b, m->key, s->pointer_bits);
}

/* Forms of the members of functions, vtables and traces. */

static enum prof_status
function_parse_values(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	struct prof_function *f = structure;
	struct jval v = jval_get(object, m->key);

	return jval_is_there(&v) ? stream_parse_values(r, &v, f->values) :
	    PROF_OK;
}

static enum prof_status
vtable_parse_symbol(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	struct prof_vtable *t = structure;

	(void)m;
	return stream_parse_symbol(r, object, &stream_symbol, &t->symbol);
}

/* Addresses are of use to those who know the guid, too. */
static void
vtable_put_symbol(struct buf *b, const struct record_member *m,
    const void *structure)
{
	const struct prof_vtable *t = structure;

	stream_put_symbol(b, &stream_symbol, &t->symbol);
	if (t->has_range && t->symbol.name.size != 0)
		json_member_id(b, m->guid_key,
		    prof_symbol_guid(&t->symbol));
}

/* Each is a name, or an object that says why it is none. */
static enum prof_status
trace_parse_functions(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	static const char *const keys[] = { "name", "name_hex", "guid", NULL };
	struct prof_trace *t = structure;
	struct jval list = jval_get(object, m->key);
	struct prof_symbol *functions;

	if (jval_list(&list, &t->size) != PROF_OK)
		return PROF_FAIL;
	functions = arena_array(&r->arena, t->size, sizeof(*functions));
	if (functions == NULL)
		return err_memory(r->doc.err);
	for (size_t i = 0; i < t->size; i++) {
		struct jval item = jval_item(&list, i);
		struct prof_symbol *s = &functions[i];

		*s = (struct prof_symbol){ 0 };
		if (jval_is_object(&item)) {
			stream_warn_unknown(r, &item, keys);
			if (stream_parse_symbol(r, &item, &stream_symbol, s) !=
			    PROF_OK)
				return PROF_FAIL;
			continue;
		}
		if (jval_string(&item, &s->name) != PROF_OK)
			return PROF_FAIL;
		if (s->name.size == 0)
			return jval_fail(&item, PROF_E_CORRUPT, "empty");
	}
	t->functions = functions;
	return PROF_OK;
}

static void
trace_put_functions(struct buf *b, const struct record_member *m,
    const void *structure)
{
	const struct prof_trace *t = structure;

	json_member_key(b, m->key);
	json_text_plain(b, "[");
	for (size_t i = 0; i < t->size; i++) {
		const struct prof_symbol *s = &t->functions[i];

		if (i != 0)
			json_text_plain(b, ",");
		if (s->name.size != 0 && json_text_fits(s->name)) {
			json_text_string(b, s->name);
		} else {
			json_text_plain(b, "{");
			stream_put_symbol(b, &stream_symbol, s);
			json_text_plain(b, "}");
		}
	}
	json_text_plain(b, "]");
}

/* Forms of the members of heap profiles. */

static enum prof_status
segment_parse_id(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	struct prof_segment *s = structure;
	struct jval id = jval_get(object, m->key);

	(void)r;
	if (jval_number(&id, &s->id) != PROF_OK)
		return PROF_FAIL;
	if (s->id == PROF_NO_SEGMENT)
		return jval_fail(&id, PROF_E_CORRUPT, "too large");
	return PROF_OK;
}

static void
segment_put_id(struct buf *b, const struct record_member *m,
    const void *structure)
{
	const struct prof_segment *s = structure;

	json_member_number(b, m->key, s->id);
}

static enum prof_status
segment_check_range(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	const struct prof_segment *s = structure;
	struct jval end = jval_get(object, "end");

	(void)r;
	(void)m;
	return s->start <= s->end ? PROF_OK :
	    jval_fail(&end, PROF_E_CORRUPT, "is before start");
}

/* "0x..", or [SEGMENT,"0x.."]. */
static enum prof_status
stack_parse_pc(const struct jval *v, uint64_t *pc, uint64_t *segment)
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
stack_parse_pcs(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	struct prof_stack *s = structure;
	struct jval list = jval_get(object, m->key);
	uint64_t *pcs, *segments;

	if (!jval_is_there(&list))
		return PROF_OK;
	if (jval_list(&list, &s->pcs_size) != PROF_OK)
		return PROF_FAIL;
	pcs = arena_array(&r->arena, s->pcs_size, sizeof(*pcs));
	segments = arena_array(&r->arena, s->pcs_size, sizeof(*segments));
	if (pcs == NULL || segments == NULL)
		return err_memory(r->doc.err);
	for (size_t i = 0; i < s->pcs_size; i++) {
		struct jval pc = jval_item(&list, i);

		if (stack_parse_pc(&pc, &pcs[i], &segments[i]) != PROF_OK)
			return PROF_FAIL;
		if (segments[i] != PROF_NO_SEGMENT)
			s->segments = segments;
	}
	s->pcs = pcs;
	return PROF_OK;
}

static void
stack_put_pcs(struct buf *b, const struct record_member *m,
    const void *structure)
{
	const struct prof_stack *s = structure;

	/* A stack without pcs and frames is an empty one. */
	if (s->pcs_size == 0 && s->frames_size != 0)
		return;
	json_member_key(b, m->key);
	for (size_t i = 0; i < s->pcs_size; i++) {
		json_text_plain(b, i == 0 ? "[" : ",");
		if (s->segments == NULL || s->segments[i] == PROF_NO_SEGMENT) {
			json_text_id(b, s->pcs[i]);
			continue;
		}
		json_text_plain(b, "[");
		json_text_number(b, s->segments[i]);
		json_text_plain(b, ",");
		json_text_id(b, s->pcs[i]);
		json_text_plain(b, "]");
	}
	json_text_plain(b, s->pcs_size == 0 ? "[]" : "]");
}

static enum prof_status
frame_parse_numbers(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	struct prof_frame *f = structure;

	(void)r;
	for (size_t i = 0; i < m->keys_size; i++) {
		struct jval number = jval_get(object, m->keys[i]);
		uint64_t value;

		if (!jval_is_there(&number))
			continue;
		if (stream_parse_limited(&number, UINT32_MAX, &value) !=
		    PROF_OK)
			return PROF_FAIL;
		*frame_number_of(f, i) = (uint32_t)value;
		f->flags |= frame_numbers[i].flag;
	}
	return PROF_OK;
}

static void
frame_put_number_members(struct buf *b,
    const struct record_member *m, const void *structure)
{
	(void)m;
	frame_put_numbers(b, structure);
}

static enum prof_status
frame_parse_inline(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	struct prof_frame *f = structure;
	struct jval v = jval_get(object, m->key);
	bool is_inline = false;

	(void)r;
	if (jval_is_there(&v) && jval_flag(&v, &is_inline) != PROF_OK)
		return PROF_FAIL;
	f->flags |= is_inline ? PROF_FRAME_INLINE : 0;
	return PROF_OK;
}

static void
frame_put_inline(struct buf *b, const struct record_member *m,
    const void *structure)
{
	const struct prof_frame *f = structure;

	if ((f->flags & PROF_FRAME_INLINE) != 0)
		json_member_flag(b, m->key);
}

/* Frames stand beside the pcs that they are of, or alone. */
static enum prof_status
stack_check_frames(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	const struct prof_stack *s = structure;
	struct jval pcs = jval_get(object, "pcs");
	struct jval frames = jval_get(object, "frames");
	size_t ends = 0;

	(void)r;
	(void)m;
	if (!jval_is_there(&pcs) && !jval_is_there(&frames))
		return jval_fail(&pcs, PROF_E_CORRUPT,
		    "missing, and so is frames");
	for (size_t i = 0; i < s->frames_size; i++)
		ends += (s->frames[i].flags & PROF_FRAME_INLINE) == 0;
	if (s->frames_size == 0 || s->pcs_size == 0 || ends == s->pcs_size)
		return PROF_OK;
	return jval_fail(&frames, PROF_E_CORRUPT, "%zu frames are not inline, "
	    "and there are %zu pcs", ends, s->pcs_size);
}

/* A histogram that is there has the size that is said, or says it. */
static enum prof_status
info_parse_histogram(struct stream_record *r, const struct jval *v,
    struct prof_mib *m)
{
	size_t size;

	if (stream_parse_u64s(r, v, jval_number, &m->histogram, &size) !=
	    PROF_OK)
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

/* The members of allocation statistics are the rows of mib_fields. */
static enum prof_status
allocation_parse_info(struct stream_record *r, const struct jval *object,
    const struct record_member *member, void *structure)
{
	struct prof_mib *m = &((struct prof_allocation *)structure)->info;
	const char *keys[PROF_MIB_FIELDS] = { NULL };
	struct jval v = jval_get(object, member->key), histogram;

	if (jval_object(&v) != PROF_OK)
		return PROF_FAIL;
	for (unsigned i = 1; i < PROF_MIB_FIELDS; i++)
		keys[i - 1] = mib_fields[i].key;
	stream_warn_unknown(r, &v, keys);
	for (unsigned i = 1; i < PROF_MIB_ACCESS_HISTOGRAM; i++) {
		struct jval field = jval_get(&v, mib_fields[i].key);

		if (!jval_is_there(&field))
			continue;
		if (stream_parse_limited(&field, mib_max(i), &m->value[i]) !=
		    PROF_OK)
			return PROF_FAIL;
		m->fields |= UINT32_C(1) << i;
	}
	/* A file that knows the size has the field behind it too. */
	if (mib_has(m, PROF_MIB_ACCESS_HISTOGRAM_SIZE))
		mib_set(m, PROF_MIB_ACCESS_HISTOGRAM, 0);
	histogram = jval_get(&v, mib_fields[PROF_MIB_ACCESS_HISTOGRAM].key);
	return jval_is_there(&histogram) ?
	    info_parse_histogram(r, &histogram, m) : PROF_OK;
}

static void
allocation_put_info(struct buf *b,
    const struct record_member *member, const void *structure)
{
	const struct prof_allocation *a = structure;

	(void)member;
	mib_put_info(b, &a->info);
}

static enum prof_status
memprof_function_parse_guid(struct stream_record *r,
    const struct jval *object, const struct record_member *m, void *structure)
{
	struct prof_memprof_function *f = structure;
	struct jval guid = jval_get(object, m->key);

	(void)r;
	return jval_id(&guid, &f->symbol.guid);
}

static void
memprof_function_put_guid(struct buf *b,
    const struct record_member *m, const void *structure)
{
	const struct prof_memprof_function *f = structure;

	json_member_id(b, m->key, prof_symbol_guid(&f->symbol));
}

/* A symbol, or the hash of a string literal, and not both. */
static enum prof_status
data_parse(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	struct prof_data *d = (void *)((char *)structure + m->offset);
	struct jval hash = jval_get(object, m->guid_key);

	if (stream_parse_bytes(r, object, m->key, m->hex_key, &d->symbol) !=
	    PROF_OK)
		return PROF_FAIL;
	if (d->symbol.data == NULL)
		return jval_id(&hash, &d->hash);
	if (jval_is_there(&hash))
		return jval_fail(&hash, PROF_E_CORRUPT, "occurs together with "
		    "%s", m->key);
	return PROF_OK;
}

static void
data_put(struct buf *b, const struct record_member *m,
    const void *structure)
{
	const struct prof_data *d = (const void *)((const char *)structure +
	    m->offset);

	if (d->symbol.data != NULL)
		json_member_bytes(b, m->key, m->hex_key, d->symbol);
	else
		json_member_id(b, m->guid_key, d->hash);
}

const struct stream_form stream_forms[MEMBER_TYPES] = {
	[MEMBER_STREAM_VERSION] = {
		profile_parse_version, profile_put_version
	},
	[MEMBER_FRONTEND] = { profile_parse_frontend, profile_put_frontend },
	[MEMBER_ENDIAN] = { source_parse_endian, source_put_endian },
	[MEMBER_POINTER_BITS] = { source_parse_bits, source_put_bits },
	/* Functions are written by hand: stream_put_function. */
	[MEMBER_VALUES] = { function_parse_values, NULL },
	[MEMBER_VTABLE] = { vtable_parse_symbol, vtable_put_symbol },
	[MEMBER_SYMBOLS] = { trace_parse_functions, trace_put_functions },
	[MEMBER_SEGMENT_ID] = { segment_parse_id, segment_put_id },
	[MEMBER_SEGMENT_RANGE] = { segment_check_range, NULL },
	[MEMBER_PCS] = { stack_parse_pcs, stack_put_pcs },
	[MEMBER_STACK_FRAMES] = { stack_check_frames, NULL },
	[MEMBER_FRAME_NUMBERS] = {
		frame_parse_numbers, frame_put_number_members
	},
	[MEMBER_INLINE] = { frame_parse_inline, frame_put_inline },
	[MEMBER_INFO] = { allocation_parse_info, allocation_put_info },
	[MEMBER_GUID] = {
		memprof_function_parse_guid, memprof_function_put_guid
	},
	[MEMBER_DATA] = { data_parse, data_put },
};
