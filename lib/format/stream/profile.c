/* The head of a profile: a JSON object to a struct prof_header. */
#include "base/error.h"
#include "format/stream/stream.h"

/* Versions of the indexed format are small numbers (13 in LLVM 22). */
enum { VERSION_MAX = 65535 };

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

/* The version comes first: it says whether we understand the rest. */
static enum prof_status
parse_stream_version(const struct jval *v)
{
	struct jval version = jval_get(v, "stream");
	uint64_t n;

	if (jval_number(&version, &n) != PROF_OK)
		return PROF_FAIL;
	if (n != STREAM_VERSION)
		return jval_fail(&version, PROF_E_VERSION,
		    "version %llu of the stream is not known, %d is",
		    (unsigned long long)n, STREAM_VERSION);
	return PROF_OK;
}

static enum prof_status
parse_kind(const struct jval *v, enum prof_kind *out)
{
	struct jval kind = jval_get(v, "kind");
	size_t i;

	if (jval_word(&kind, words_kind, WORDS_KINDS, &i) != PROF_OK)
		return PROF_FAIL;
	*out = (enum prof_kind)i;
	return PROF_OK;
}

static enum prof_status
parse_level(const struct jval *v, enum prof_level *out)
{
	struct jval level = jval_get(v, "level");
	size_t i;

	if (!jval_is_there(&level))
		return PROF_OK;
	/* The word for unknown is no word: it is said by saying nothing. */
	if (jval_word(&level, words_level + 1, WORDS_LEVELS - 1,
	    &i) != PROF_OK)
		return PROF_FAIL;
	*out = (enum prof_level)(i + 1);
	return PROF_OK;
}

static enum prof_status
parse_flags(const struct jval *v, unsigned *out)
{
	for (unsigned i = 0; i < PROF_FLAGS; i++) {
		struct jval flag = jval_get(v,
		    stream_profile_keys[STREAM_FIRST_FLAG + i]);
		bool on = false;

		if (jval_is_there(&flag) && jval_flag(&flag, &on) != PROF_OK)
			return PROF_FAIL;
		*out |= on ? 1u << i : 0;
	}
	return PROF_OK;
}

/* A number with bounds; 0 if there is none. */
static enum prof_status
parse_bounded(const struct jval *v, uint64_t min, uint64_t max, uint64_t *out)
{
	*out = 0;
	if (!jval_is_there(v))
		return PROF_OK;
	if (jval_number(v, out) != PROF_OK)
		return PROF_FAIL;
	if (*out < min || *out > max)
		return jval_fail(v, PROF_E_CORRUPT,
		    "%llu is not from %llu to %llu", (unsigned long long)*out,
		    (unsigned long long)min, (unsigned long long)max);
	return PROF_OK;
}

static enum prof_status
parse_frontend_versions(const struct jval *v, struct prof_header *h)
{
	struct jval list = jval_get(v, "frontend_versions"), item;
	uint64_t first, last;
	size_t size;

	if (!jval_is_there(&list))
		return PROF_OK;
	if (jval_list(&list, &size) != PROF_OK)
		return PROF_FAIL;
	if (size != 2)
		return jval_fail(&list, PROF_E_CORRUPT,
		    "%zu versions instead of the first and the last", size);
	item = jval_item(&list, 0);
	if (parse_bounded(&item, 1, VERSION_MAX, &first) != PROF_OK)
		return PROF_FAIL;
	item = jval_item(&list, 1);
	if (parse_bounded(&item, first, VERSION_MAX, &last) != PROF_OK)
		return PROF_FAIL;
	h->frontend_first = (unsigned)first;
	h->frontend_last = (unsigned)last;
	return PROF_OK;
}

static enum prof_status
parse_figures(const struct jval *v, struct prof_header *h)
{
	struct jval wave = jval_get(v, "wave_size");
	struct jval traces = jval_get(v, "trace_stream_size");
	struct jval inputs = jval_get(v, "inputs");

	h->has_trace_stream_size = jval_is_there(&traces);
	if (parse_bounded(&wave, 0, UINT64_MAX, &h->wave_size) != PROF_OK ||
	    parse_bounded(&traces, 0, UINT64_MAX, &h->trace_stream_size) !=
	    PROF_OK)
		return PROF_FAIL;
	return parse_bounded(&inputs, 1, UINT64_MAX, &h->inputs);
}

static enum prof_status
parse_machine(const struct jval *v, struct prof_source *s)
{
	static const char *const orders[] = { "little", "big" };
	struct jval endian = jval_get(v, "endian");
	struct jval bits = jval_get(v, "pointer_bits");
	uint64_t n = 0;
	size_t i;

	if (jval_is_there(&endian)) {
		if (jval_word(&endian, orders, COUNT(orders), &i) != PROF_OK)
			return PROF_FAIL;
		s->endian = (uint8_t)orders[i][0];
	}
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

/* jansson's strings end with NUL, so the format's name need not be copied. */
static enum prof_status
parse_source(struct stream_record *r, const struct jval *profile,
    struct prof_source *s)
{
	static const char *const keys[] = {
		"file", "file_hex", "member", "member_hex", "format",
		"version", "endian", "pointer_bits", "offset", NULL
	};
	struct jval v = jval_get(profile, "source");
	struct jval format = jval_get(&v, "format");
	struct jval version = jval_get(&v, "version");
	struct jval offset = jval_get(&v, "offset");
	struct prof_span name = { NULL, 0 };

	if (!jval_is_there(&v))
		return PROF_OK;
	if (jval_object(&v) != PROF_OK ||
	    stream_parse_bytes(r, &v, "file", "file_hex", &s->file) !=
	    PROF_OK ||
	    stream_parse_bytes(r, &v, "member", "member_hex", &s->member) !=
	    PROF_OK ||
	    (jval_is_there(&format) && jval_string(&format, &name) != PROF_OK))
		return PROF_FAIL;
	s->format = (const char *)name.data;
	stream_ignore_unknown(r, &v, keys);
	if (parse_bounded(&version, 0, UINT64_MAX, &s->version) != PROF_OK ||
	    parse_machine(&v, s) != PROF_OK)
		return PROF_FAIL;
	return parse_bounded(&offset, 0, UINT64_MAX, &s->offset);
}

enum prof_status
stream_parse_profile(struct stream_record *r, const struct jval *v,
    struct prof_record *out)
{
	struct prof_header *h = &out->u.profile;

	*h = (struct prof_header){ 0 };
	if (parse_stream_version(v) != PROF_OK ||
	    parse_kind(v, &h->kind) != PROF_OK ||
	    parse_level(v, &h->level) != PROF_OK ||
	    parse_flags(v, &h->flags) != PROF_OK ||
	    parse_frontend_versions(v, h) != PROF_OK ||
	    parse_figures(v, h) != PROF_OK ||
	    parse_source(r, v, &h->source) != PROF_OK)
		return PROF_FAIL;
	return stream_keep_unknown(r, v, stream_profile_keys, &h->extra);
}
