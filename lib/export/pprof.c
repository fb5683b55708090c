/*
 * The format of pprof: a gzipped protocol buffer.  Facts: profile.proto, which
 * is copied from https://github.com/google/pprof.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/intern.h"
#include "model/mib.h"
#include "export/export.h"
#include "export/gzip.h"
#include "export/profile.pb-c.h"
#include "export/text.h"

typedef Perftools__Profiles__Profile profile_message;
typedef Perftools__Profiles__ValueType value_type;
typedef Perftools__Profiles__Sample sample_message;
typedef Perftools__Profiles__Mapping mapping_message;
typedef Perftools__Profiles__Location location_message;
typedef Perftools__Profiles__Line line_message;
typedef Perftools__Profiles__Function function_message;

static const struct {
	const char *type, *unit;
} pprof_types[HEAP_VALUES] = {
	[HEAP_COUNT] = { "alloc_objects", "count" },
	[HEAP_BYTES] = { "alloc_space", "bytes" },
	[HEAP_LIFETIME] = { "lifetime", "milliseconds" },
	[HEAP_ACCESSES] = { "accesses", "count" },
};

/*
 * Order of the sample types: pprof divides by the first one, if it is a count,
 * to show averages (-mean).
 */
static const enum heap_value type_order[HEAP_VALUES] = {
	HEAP_COUNT, HEAP_BYTES, HEAP_LIFETIME, HEAP_ACCESSES
};

/*
 * Ids of functions, locations and mappings are one above the number in the
 * tables: 0 means none in profile.proto.
 */
struct pprof {
	const struct heap *heap;
	const struct export_options *options;
	struct arena arena;		/* messages */
	struct intern strings, functions, locations;
	enum heap_value values[HEAP_VALUES];
	size_t values_size;
	profile_message profile;
	size_t function_room, location_room;
	uint64_t *ids;			/* function of each frame, or 0 */
	size_t *known, *unknown;	/* locations with lines, by mapping */
	bool failed;			/* out of memory */
};

/* A zeroed array of n items in the arena, or NULL. */
static void *
pprof_make(struct pprof *p, size_t n, size_t size)
{
	void *things = arena_array(&p->arena, n, size);

	if (things == NULL)
		p->failed = true;
	else if (n != 0)
		memset(things, 0, n * size);
	return things;
}

static int64_t
pprof_string(struct pprof *p, const struct buf *text)
{
	uint32_t n = text->failed ? INDEX_NONE :
	    intern_add(&p->strings, text->data, text->size);

	if (n == INDEX_NONE)
		p->failed = true;
	return n;
}

static int64_t
pprof_text_string(struct pprof *p, struct prof_span s)
{
	struct buf text = { 0 };
	int64_t n;

	export_text(&text, s);
	n = pprof_string(p, &text);
	buf_free(&text);
	return n;
}

static int64_t
pprof_plain_string(struct pprof *p, const char *s)
{
	return pprof_text_string(p, span_of_text(s));
}

static int64_t
pprof_name_string(struct pprof *p, uint32_t frame, heap_name *name)
{
	struct buf text = { 0 };
	int64_t n;

	export_name(&text, p->heap, frame, name);
	n = pprof_string(p, &text);
	buf_free(&text);
	return n;
}

static uint64_t
pprof_make_function(struct pprof *p, uint32_t frame)
{
	const struct prof_frame *f = &p->heap->frames[frame].source;
	int64_t key[] = {
		pprof_name_string(p, frame, p->options->name),
		pprof_name_string(p, frame, NULL),
		pprof_text_string(p, f->file), f->start_line,
	};
	uint32_t n = intern_add(&p->functions, key, sizeof(key));
	size_t known = p->profile.n_function;
	function_message *m;

	p->failed = p->failed || n == INDEX_NONE;
	if (n != known || p->failed)
		return (uint64_t)n + 1;
	p->failed = !ARRAY_ROOM(p->profile.function, known, p->function_room);
	m = pprof_make(p, 1, sizeof(*m));
	if (p->failed)
		return 0;
	perftools__profiles__function__init(m);
	m->id = (uint64_t)n + 1;
	m->name = key[0];
	m->system_name = key[1];
	m->filename = key[2];
	m->start_line = key[3];
	p->profile.function[p->profile.n_function++] = m;
	return m->id;
}

static uint64_t
pprof_function_id(struct pprof *p, uint32_t frame)
{
	if (p->ids[frame] == 0)
		p->ids[frame] = pprof_make_function(p, frame);
	return p->ids[frame];
}

static line_message *
pprof_make_line(struct pprof *p, uint32_t frame)
{
	const struct prof_frame *f = &p->heap->frames[frame].source;
	line_message *m = pprof_make(p, 1, sizeof(*m));
	uint32_t line;

	if (m == NULL)
		return NULL;
	perftools__profiles__line__init(m);
	m->function_id = pprof_function_id(p, frame);
	heap_frame_line(f, &line);
	m->line = line;
	m->column = f->column;
	return m;
}

/*
 * A location is an address with all frames inlined at it.  The location of an
 * address that was not symbolized has the address and no lines.
 */
static void
pprof_fill_location(struct pprof *p, location_message *m,
    const uint32_t *frames, size_t size)
{
	const struct heap_frame *last = &p->heap->frames[frames[size - 1]];

	if (last->module != HEAP_NO_MODULE)
		m->mapping_id = (uint64_t)last->module + 1;
	if (size == 1 && !heap_is_source(last) && last->has_address) {
		m->address = last->address;
		if (m->mapping_id != 0)
			p->unknown[m->mapping_id - 1]++;
		return;
	}
	m->line = pprof_make(p, size, sizeof(*m->line));
	if (m->line == NULL)
		return;
	m->n_line = size;
	if (m->mapping_id != 0)
		p->known[m->mapping_id - 1]++;
	for (size_t i = 0; i < size; i++)
		m->line[i] = pprof_make_line(p, frames[i]);
}

static uint64_t
pprof_location_id(struct pprof *p, const uint32_t *frames, size_t size)
{
	uint32_t n = intern_add(&p->locations, frames,
	    size * sizeof(*frames));
	size_t known = p->profile.n_location;
	location_message *m;

	if (n == INDEX_NONE)
		p->failed = true;
	p->failed = p->failed || n == INDEX_NONE;
	p->failed = p->failed || n == INDEX_NONE;
	if (n != known || p->failed)
		return (uint64_t)n + 1;
	p->failed = !ARRAY_ROOM(p->profile.location, known, p->location_room);
	m = pprof_make(p, 1, sizeof(*m));
	if (p->failed)
		return 0;
	perftools__profiles__location__init(m);
	m->id = (uint64_t)n + 1;
	p->profile.location[p->profile.n_location++] = m;
	pprof_fill_location(p, m, frames, size);
	return m->id;
}

/* Frames of one address end at the first one that is not inline. */
static size_t
pprof_group_size(const struct heap *h, const uint32_t *frames, size_t left)
{
	size_t n = 0;

	while (n + 1 < left && (h->frames[frames[n]].source.flags &
	    PROF_FRAME_INLINE) != 0)
		n++;
	return n + 1;
}

static int64_t
pprof_clamp(uint64_t v)
{
	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static sample_message *
pprof_make_sample(struct pprof *p, const struct heap_context *c)
{
	sample_message *m = pprof_make(p, 1, sizeof(*m));

	if (m == NULL)
		return NULL;
	perftools__profiles__sample__init(m);
	m->location_id = pprof_make(p, c->size, sizeof(*m->location_id));
	m->value = pprof_make(p, p->values_size, sizeof(*m->value));
	if (p->failed)
		return NULL;
	for (size_t i = c->site, n; i < c->size; i += n) {
		n = pprof_group_size(p->heap, c->frames + i, c->size - i);
		m->location_id[m->n_location_id++] =
		    pprof_location_id(p, c->frames + i, n);
	}
	m->n_value = p->values_size;
	for (size_t i = 0; i < p->values_size; i++)
		m->value[i] =
		    pprof_clamp(c->info.value[heap_fields[p->values[i]]]);
	return m;
}

static void
pprof_make_samples(struct pprof *p)
{
	const struct heap *h = p->heap;
	sample_message **list = pprof_make(p, h->contexts_size, sizeof(*list));

	p->profile.sample = list;
	for (size_t i = 0; !p->failed && i < h->contexts_size; i++) {
		list[i] = pprof_make_sample(p, &h->contexts[i]);
		p->profile.n_sample++;
	}
}

static int64_t
pprof_build_id_string(struct pprof *p, struct prof_span id)
{
	static const char digits[] = "0123456789abcdef";
	struct buf text = { 0 };
	int64_t n;

	for (size_t i = 0; i < id.size; i++) {
		buf_put(&text, &digits[id.data[i] >> 4], 1);
		buf_put(&text, &digits[id.data[i] & 15], 1);
	}
	n = pprof_string(p, &text);
	buf_free(&text);
	return n;
}

/*
 * Addresses of locations are those of the file, not of a run.  A mapping of all
 * memory from 0 tells pprof so: GetBase in its internal/elfexec gives 0 for it.
 */
static void
pprof_make_mappings(struct pprof *p)
{
	const struct heap *h = p->heap;
	mapping_message **list = pprof_make(p, h->modules_size, sizeof(*list));

	p->profile.mapping = list;
	for (size_t i = 0; !p->failed && i < h->modules_size; i++) {
		mapping_message *m = pprof_make(p, 1, sizeof(*m));

		if (m == NULL)
			return;
		perftools__profiles__mapping__init(m);
		m->id = i + 1;
		m->memory_limit = UINT64_MAX;
		m->build_id = pprof_build_id_string(p, h->modules[i].build_id);
		/* If false, pprof symbolizes the mapping again by itself. */
		m->has_functions = m->has_filenames = m->has_line_numbers =
		    m->has_inline_frames = p->known[i] != 0 &&
		    p->unknown[i] == 0;
		list[i] = m;
		p->profile.n_mapping++;
	}
}

static bool
pprof_is_known(const struct heap *h, enum heap_value v)
{
	for (size_t i = 0; i < h->contexts_size; i++) {
		if (mib_has(&h->contexts[i].info, heap_fields[v]))
			return true;
	}
	return false;
}

static void
pprof_make_types(struct pprof *p)
{
	value_type **list = pprof_make(p, HEAP_VALUES, sizeof(*list));

	pprof_plain_string(p, "");
	p->profile.sample_type = list;
	for (int i = 0; !p->failed && i < HEAP_VALUES; i++) {
		enum heap_value v = type_order[i];
		value_type *m = pprof_make(p, 1, sizeof(*m));

		if (m == NULL || !pprof_is_known(p->heap, v))
			continue;
		perftools__profiles__value_type__init(m);
		m->type = pprof_plain_string(p, pprof_types[v].type);
		m->unit = pprof_plain_string(p, pprof_types[v].unit);
		list[p->profile.n_sample_type++] = m;
		p->values[p->values_size++] = v;
	}
	p->profile.default_sample_type =
	    pprof_plain_string(p, pprof_types[p->options->by].type);
}

/* protobuf-c wants strings that end with NUL; export_text escapes any NUL. */
static void
pprof_make_strings(struct pprof *p)
{
	char **list = pprof_make(p, p->strings.size, sizeof(*list));

	p->profile.string_table = list;
	for (size_t i = 0; !p->failed && i < p->strings.size; i++) {
		struct prof_span s = p->strings.items[i];
		char *text = pprof_make(p, s.size + 1, 1);

		if (text == NULL)
			return;
		if (s.size != 0)
			memcpy(text, s.data, s.size);
		list[i] = text;
		p->profile.n_string_table++;
	}
}

static enum prof_status
pprof_pack(struct pprof *p, struct buf *out, struct prof_error *err)
{
	enum prof_status status;
	struct buf bytes = { 0 };
	size_t size;
	uint8_t *room;

	if (p->failed)
		return err_memory(err);
	size = perftools__profiles__profile__get_packed_size(&p->profile);
	room = buf_reserve(&bytes, size);
	if (room == NULL)
		return err_memory(err);
	size = perftools__profiles__profile__pack(&p->profile, room);
	status = export_gzip(out, (struct prof_span){ room, size },
	    GZIP_USUAL, err);
	buf_free(&bytes);
	return status;
}

enum prof_status
export_pprof(struct buf *out, const struct heap *h,
    const struct export_options *o, struct prof_error *err)
{
	struct pprof p = { .heap = h, .options = o };
	enum prof_status status;

	perftools__profiles__profile__init(&p.profile);
	p.known = pprof_make(&p, h->modules_size, sizeof(*p.known));
	p.unknown = pprof_make(&p, h->modules_size, sizeof(*p.unknown));
	p.ids = pprof_make(&p, h->frames_size, sizeof(*p.ids));
	pprof_make_types(&p);
	if (!p.failed)
		pprof_make_samples(&p);
	if (!p.failed)
		pprof_make_mappings(&p);
	if (!p.failed)
		pprof_make_strings(&p);
	status = pprof_pack(&p, out, err);
	free(p.profile.function);
	free(p.profile.location);
	intern_free(&p.strings);
	intern_free(&p.functions);
	intern_free(&p.locations);
	arena_free(&p.arena);
	return status;
}
