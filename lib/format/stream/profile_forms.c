/* Forms of the head of a profile, and of where it was decoded from. */
#include "base/error.h"
#include "base/json_member.h"
#include "format/stream/forms.h"

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
profile_put_version(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	(void)structure;
	json_member_number(&o->text, m->key, STREAM_VERSION);
}

const struct stream_form stream_version_form = {
	profile_parse_version, profile_put_version
};

/* [FIRST,LAST] */
static enum prof_status
profile_parse_frontend(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	struct prof_header *h = structure;
	struct jval list = jval_get(object, m->key), item;
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
	if (stream_parse_bounded(&item, 1, VERSION_MAX, &first) != PROF_OK)
		return PROF_FAIL;
	item = jval_item(&list, 1);
	if (stream_parse_bounded(&item, 1, VERSION_MAX, &last) != PROF_OK)
		return PROF_FAIL;
	if (last < first) {
		context_break_rule(r->context, STREAM_RULE_RANGE);
		return jval_fail(&item, PROF_E_CORRUPT, "%llu is before %llu",
		    ull(last), ull(first));
	}
	h->frontend_first = (unsigned)first;
	h->frontend_last = (unsigned)last;
	return PROF_OK;
}

static void
profile_put_frontend(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	const struct prof_header *h = structure;
	const uint64_t versions[] = { h->frontend_first, h->frontend_last };

	if (h->frontend_first == 0)
		return;
	json_member_key(&o->text, m->key);
	json_text_numbers(&o->text, versions, 2);
}

const struct stream_form stream_frontend_form = {
	profile_parse_frontend, profile_put_frontend
};

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
source_put_endian(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	const struct prof_source *s = structure;

	if (s->endian != 0)
		json_member_text(&o->text, m->key,
		    source_orders[s->endian == 'b']);
}

const struct stream_form stream_endian_form = {
	source_parse_endian, source_put_endian
};

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
source_put_bits(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	const struct prof_source *s = structure;

	if (s->pointer_bits != 0)
		json_member_number(&o->text, m->key, s->pointer_bits);
}

const struct stream_form stream_pointer_bits_form = {
	source_parse_bits, source_put_bits
};
