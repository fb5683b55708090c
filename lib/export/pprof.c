/*
 * The format of pprof: a gzipped protocol buffer.  Facts: profile.proto, which
 * is copied from https://github.com/google/pprof.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/numbers.h"
#include "export/profile.pb-c.h"
#include "export/export.h"
#include "ops/heap/view.h"

typedef Perftools__Profiles__Profile profile_message;
typedef Perftools__Profiles__ValueType value_type;
typedef Perftools__Profiles__Sample sample_message;
typedef Perftools__Profiles__Mapping mapping_message;
typedef Perftools__Profiles__Location location_message;
typedef Perftools__Profiles__Line line_message;
typedef Perftools__Profiles__Function function_message;

/*
 * The sample types, in this order: pprof divides by the first one, if it is a
 * count, to show averages (-mean).
 */
static const struct {
	enum heap_value value;
	const char *type, *unit;
} pprof_types[HEAP_VALUES] = {
	{ HEAP_COUNT, "alloc_objects", "count" },
	{ HEAP_BYTES, "alloc_space", "bytes" },
	{ HEAP_LIFETIME, "lifetime", "milliseconds" },
	{ HEAP_ACCESSES, "accesses", "count" },
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

/* The number of a string, whose text is freed. */
static int64_t
pprof_string(struct pprof *p, struct buf *text)
{
	uint32_t n = text->failed ? INDEX_NONE :
	    intern_add(&p->strings, text->data, text->size);

	p->failed = p->failed || n == INDEX_NONE;
	buf_free(text);
	return n;
}

static int64_t
pprof_text_string(struct pprof *p, struct prof_span s)
{
	struct buf text = { 0 };

	export_text(&text, s);
	return pprof_string(p, &text);
}

static int64_t
pprof_name_string(struct pprof *p, uint32_t frame, heap_name *name)
{
	struct buf text = { 0 };

	export_name(&text, p->heap, frame, name);
	return pprof_string(p, &text);
}

/* The function of a frame, which is added if it is new. */
static uint64_t
pprof_function_id(struct pprof *p, uint32_t frame)
{
	const struct prof_frame *f = &p->heap->frames[frame].source;
	size_t known = p->profile.n_function;
	function_message *m;
	int64_t key[4];
	uint32_t n;

	if (p->ids[frame] != 0)
		return p->ids[frame];
	key[0] = pprof_name_string(p, frame, p->options->name);
	key[1] = pprof_name_string(p, frame, NULL);
	key[2] = pprof_text_string(p, f->file);
	key[3] = f->start_line;
	n = intern_add(&p->functions, key, sizeof(key));
	p->ids[frame] = (uint64_t)n + 1;
	p->failed = p->failed || n == INDEX_NONE;
	if (n != known || p->failed)
		return p->ids[frame];
	m = pprof_make(p, 1, sizeof(*m));
	if (m == NULL || !ARRAY_ADD(p->profile.function, p->profile.n_function,
	    p->function_room, m)) {
		p->failed = true;
		return 0;
	}
	perftools__profiles__function__init(m);
	m->id = p->ids[frame];
	m->name = key[0];
	m->system_name = key[1];
	m->filename = key[2];
	m->start_line = key[3];
	return m->id;
}

/*
 * A location is an address with all frames inlined at it, which is added if it
 * is new.  The location of an address that was not symbolized has the address
 * and no lines.
 */
static uint64_t
pprof_location_id(struct pprof *p, const uint32_t *frames, size_t size)
{
	uint32_t n = intern_add(&p->locations, frames,
	    size * sizeof(*frames)), line;
	const struct heap_frame *last = &p->heap->frames[frames[size - 1]];
	size_t known = p->profile.n_location;
	location_message *m;
	line_message *l;

	p->failed = p->failed || n == INDEX_NONE;
	if (n != known || p->failed)
		return (uint64_t)n + 1;
	m = pprof_make(p, 1, sizeof(*m));
	if (m == NULL || !ARRAY_ADD(p->profile.location, p->profile.n_location,
	    p->location_room, m)) {
		p->failed = true;
		return 0;
	}
	perftools__profiles__location__init(m);
	m->id = (uint64_t)n + 1;
	if (last->module != HEAP_NO_MODULE)
		m->mapping_id = (uint64_t)last->module + 1;
	if (size == 1 && !heap_is_source(last) && last->has_address) {
		m->address = last->address;
		if (m->mapping_id != 0)
			p->unknown[m->mapping_id - 1]++;
		return m->id;
	}
	if (m->mapping_id != 0)
		p->known[m->mapping_id - 1]++;
	m->line = pprof_make(p, size, sizeof(*m->line));
	for (size_t i = 0; i < size && !p->failed; i++) {
		l = pprof_make(p, 1, sizeof(*l));
		if (l == NULL)
			break;
		perftools__profiles__line__init(l);
		l->function_id = pprof_function_id(p, frames[i]);
		heap_frame_line(&p->heap->frames[frames[i]].source, &line);
		l->line = line;
		l->column = p->heap->frames[frames[i]].source.column;
		m->line[m->n_line++] = l;
	}
	return m->id;
}

static void
pprof_make_samples(struct pprof *p)
{
	const struct heap *h = p->heap;
	sample_message **list = pprof_make(p, h->contexts_size, sizeof(*list));

	p->profile.sample = list;
	for (size_t k = 0; !p->failed && k < h->contexts_size; k++) {
		const struct heap_context *c = &h->contexts[k];
		sample_message *m = pprof_make(p, 1, sizeof(*m));

		if (m == NULL)
			return;
		perftools__profiles__sample__init(m);
		m->location_id = pprof_make(p, c->size,
		    sizeof(*m->location_id));
		m->value = pprof_make(p, p->values_size, sizeof(*m->value));
		if (p->failed)
			return;
		/* Frames of one address end at the first not inlined. */
		for (size_t i = c->site, n; i < c->size; i += n) {
			for (n = 1; i + n < c->size &&
			    (h->frames[c->frames[i + n - 1]].source.flags &
			    PROF_FRAME_INLINE) != 0; n++)
				;
			m->location_id[m->n_location_id++] =
			    pprof_location_id(p, c->frames + i, n);
		}
		m->n_value = p->values_size;
		for (size_t i = 0; i < p->values_size; i++) {
			uint64_t v = c->info.value[heap_fields[p->values[i]]];

			m->value[i] = v > INT64_MAX ? INT64_MAX : (int64_t)v;
		}
		list[p->profile.n_sample++] = m;
	}
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
		struct buf id = { 0 };

		if (m == NULL)
			return;
		perftools__profiles__mapping__init(m);
		m->id = i + 1;
		m->memory_limit = UINT64_MAX;
		digits_append_hex(&id, h->modules[i].build_id);
		m->build_id = pprof_string(p, &id);
		/* If false, pprof symbolizes the mapping again by itself. */
		m->has_functions = m->has_filenames = m->has_line_numbers =
		    m->has_inline_frames = p->known[i] != 0 &&
		    p->unknown[i] == 0;
		list[p->profile.n_mapping++] = m;
	}
}

static void
pprof_make_types(struct pprof *p)
{
	struct heap_figures figures = heap_figures_of(p->heap, true);
	value_type **list = pprof_make(p, HEAP_VALUES, sizeof(*list));
	const char *first = NULL;

	pprof_text_string(p, span_of_text(""));
	p->profile.sample_type = list;
	for (int i = 0; !p->failed && i < HEAP_VALUES; i++) {
		enum heap_value v = pprof_types[i].value;
		value_type *m = pprof_make(p, 1, sizeof(*m));

		if (v == p->options->by)
			first = pprof_types[i].type;
		if (m == NULL || !figures.known[v])
			continue;
		perftools__profiles__value_type__init(m);
		m->type = pprof_text_string(p,
		    span_of_text(pprof_types[i].type));
		m->unit = pprof_text_string(p,
		    span_of_text(pprof_types[i].unit));
		list[p->profile.n_sample_type++] = m;
		p->values[p->values_size++] = v;
	}
	p->profile.default_sample_type = pprof_text_string(p,
	    span_of_text(first));
}

enum prof_status
export_pprof(struct buf *out, const struct heap *h,
    const struct export_options *o, struct prof_error *err)
{
	struct pprof p = { .heap = h, .options = o };
	enum prof_status status = PROF_FAIL;
	struct gzip_stream *gzip = NULL;
	struct buf packed = { 0 };
	struct prof_span text;

	perftools__profiles__profile__init(&p.profile);
	p.known = pprof_make(&p, h->modules_size, sizeof(*p.known));
	p.unknown = pprof_make(&p, h->modules_size, sizeof(*p.unknown));
	p.ids = pprof_make(&p, h->frames_size, sizeof(*p.ids));
	pprof_make_types(&p);
	if (!p.failed)
		pprof_make_samples(&p);
	if (!p.failed)
		pprof_make_mappings(&p);
	/* protobuf-c wants a NUL behind strings; export_text escapes others. */
	p.profile.string_table = pprof_make(&p, p.strings.size,
	    sizeof(*p.profile.string_table));
	for (size_t i = 0; !p.failed && i < p.strings.size; i++) {
		text = arena_text(&p.arena, p.strings.items[i]);
		p.failed = text.data == NULL;
		p.profile.string_table[i] = (char *)(uintptr_t)text.data;
		p.profile.n_string_table++;
	}
	if (!p.failed && buf_reserve(&packed,
	    perftools__profiles__profile__get_packed_size(&p.profile)) != NULL)
		gzip = gzip_stream_new(GZIP_USUAL);
	if (gzip == NULL) {
		err_memory(err);
	} else {
		packed.size = perftools__profiles__profile__pack(&p.profile,
		    packed.data);
		status = gzip_stream_put(gzip, out, buf_span(&packed), true,
		    err);
	}
	gzip_stream_free(gzip);
	buf_free(&packed);
	free(p.profile.function);
	free(p.profile.location);
	intern_free(&p.strings);
	intern_free(&p.functions);
	intern_free(&p.locations);
	arena_free(&p.arena);
	return status;
}
