/* Gzipped protocol buffers as pprof reads them: profile.proto. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/intern.h"
#include "model/mib.h"
#include "export/export.h"
#include "export/profile.pb-c.h"

typedef Perftools__Profiles__Profile profile_message;
typedef Perftools__Profiles__ValueType value_type;
typedef Perftools__Profiles__Sample sample_message;
typedef Perftools__Profiles__Mapping mapping_message;
typedef Perftools__Profiles__Location location_message;
typedef Perftools__Profiles__Line line_message;
typedef Perftools__Profiles__Function function_message;

static const struct {
	const char *type, *unit;
} types[HEAP_VALUES] = {
	[HEAP_COUNT] = { "alloc_objects", "count" },
	[HEAP_BYTES] = { "alloc_space", "bytes" },
	[HEAP_LIFETIME] = { "lifetime", "milliseconds" },
	[HEAP_ACCESSES] = { "accesses", "count" },
};

/* pprof takes the first for the number of samples. */
static const enum heap_value type_order[HEAP_VALUES] = {
	HEAP_COUNT, HEAP_BYTES, HEAP_LIFETIME, HEAP_ACCESSES
};

/* Ids are numbers in these tables plus 1: 0 is none. */
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

static void *
grow(struct pprof *p, void *array, size_t used, size_t *room)
{
	void *more = array_room(array, used, room, sizeof(void *));

	if (more == NULL)
		p->failed = true;
	return more;
}

/* Zeroed room for n things, or NULL. */
static void *
make(struct pprof *p, size_t n, size_t size)
{
	void *things = arena_array(&p->arena, n, size);

	if (things == NULL)
		p->failed = true;
	else if (n != 0)
		memset(things, 0, n * size);
	return things;
}

static int64_t
string_of(struct pprof *p, const struct buf *text)
{
	uint32_t n = text->failed ? INDEX_NONE :
	    intern_add(&p->strings, text->data, text->size);

	if (n == INDEX_NONE)
		p->failed = true;
	return n;
}

static int64_t
text_string(struct pprof *p, struct prof_span s)
{
	struct buf text = { 0 };
	int64_t n;

	export_text(&text, s);
	n = string_of(p, &text);
	buf_free(&text);
	return n;
}

static int64_t
plain_string(struct pprof *p, const char *s)
{
	return text_string(p, (struct prof_span){ (const uint8_t *)s,
	    strlen(s) });
}

static int64_t
name_string(struct pprof *p, uint32_t frame, heap_name *name)
{
	struct buf text = { 0 };
	int64_t n;

	export_name(&text, p->heap, frame, name);
	n = string_of(p, &text);
	buf_free(&text);
	return n;
}

static uint64_t
make_function(struct pprof *p, uint32_t frame)
{
	const struct prof_frame *f = &p->heap->frames[frame].source;
	int64_t key[] = {
		name_string(p, frame, p->options->name),
		name_string(p, frame, NULL),
		text_string(p, f->file), f->start_line,
	};
	uint32_t n = intern_add(&p->functions, key, sizeof(key));
	size_t known = p->profile.n_function;
	function_message **list, *m;

	if (n != known || p->failed)
		return (uint64_t)n + 1;
	list = grow(p, p->profile.function, known, &p->function_room);
	m = make(p, 1, sizeof(*m));
	if (p->failed)
		return 0;
	perftools__profiles__function__init(m);
	m->id = (uint64_t)n + 1;
	m->name = key[0];
	m->system_name = key[1];
	m->filename = key[2];
	m->start_line = key[3];
	p->profile.function = list;
	list[p->profile.n_function++] = m;
	return m->id;
}

static uint64_t
function_id(struct pprof *p, uint32_t frame)
{
	if (p->ids[frame] == 0)
		p->ids[frame] = make_function(p, frame);
	return p->ids[frame];
}

static line_message *
make_line(struct pprof *p, uint32_t frame)
{
	const struct prof_frame *f = &p->heap->frames[frame].source;
	line_message *m = make(p, 1, sizeof(*m));

	if (m == NULL)
		return NULL;
	perftools__profiles__line__init(m);
	m->function_id = function_id(p, frame);
	m->line = export_line(f);
	m->column = f->column;
	return m;
}

/* Frames of one address; one that is all there is of it has no lines. */
static void
fill_location(struct pprof *p, location_message *m, const uint32_t *frames,
    size_t size)
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
	m->line = make(p, size, sizeof(*m->line));
	if (m->line == NULL)
		return;
	m->n_line = size;
	if (m->mapping_id != 0)
		p->known[m->mapping_id - 1]++;
	for (size_t i = 0; i < size; i++)
		m->line[i] = make_line(p, frames[i]);
}

static uint64_t
location_id(struct pprof *p, const uint32_t *frames, size_t size)
{
	uint32_t n = intern_add(&p->locations, frames,
	    size * sizeof(*frames));
	size_t known = p->profile.n_location;
	location_message **list, *m;

	if (n == INDEX_NONE)
		p->failed = true;
	if (n != known || p->failed)
		return (uint64_t)n + 1;
	list = grow(p, p->profile.location, known, &p->location_room);
	m = make(p, 1, sizeof(*m));
	if (p->failed)
		return 0;
	perftools__profiles__location__init(m);
	m->id = (uint64_t)n + 1;
	p->profile.location = list;
	list[p->profile.n_location++] = m;
	fill_location(p, m, frames, size);
	return m->id;
}

/* Frames of one address end at the first that is not inline. */
static size_t
group_size(const struct heap *h, const uint32_t *frames, size_t left)
{
	size_t n = 0;

	while (n + 1 < left && (h->frames[frames[n]].source.flags &
	    PROF_FRAME_INLINE) != 0)
		n++;
	return n + 1;
}

static int64_t
clamp(uint64_t v)
{
	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static sample_message *
make_sample(struct pprof *p, const struct heap_context *c)
{
	sample_message *m = make(p, 1, sizeof(*m));

	if (m == NULL)
		return NULL;
	perftools__profiles__sample__init(m);
	m->location_id = make(p, c->size, sizeof(*m->location_id));
	m->value = make(p, p->values_size, sizeof(*m->value));
	if (p->failed)
		return NULL;
	for (size_t i = 0, n; i < c->size; i += n) {
		n = group_size(p->heap, c->frames + i, c->size - i);
		m->location_id[m->n_location_id++] =
		    location_id(p, c->frames + i, n);
	}
	m->n_value = p->values_size;
	for (size_t i = 0; i < p->values_size; i++)
		m->value[i] = clamp(c->info.value[heap_fields[p->values[i]]]);
	return m;
}

static void
make_samples(struct pprof *p)
{
	const struct heap *h = p->heap;
	sample_message **list = make(p, h->contexts_size, sizeof(*list));

	p->profile.sample = list;
	for (size_t i = 0; !p->failed && i < h->contexts_size; i++) {
		list[i] = make_sample(p, &h->contexts[i]);
		p->profile.n_sample++;
	}
}

static int64_t
build_id_string(struct pprof *p, struct prof_span id)
{
	static const char digits[] = "0123456789abcdef";
	struct buf text = { 0 };
	int64_t n;

	for (size_t i = 0; i < id.size; i++) {
		buf_put(&text, &digits[id.data[i] >> 4], 1);
		buf_put(&text, &digits[id.data[i] & 15], 1);
	}
	n = string_of(p, &text);
	buf_free(&text);
	return n;
}

/*
 * Addresses are those of the file already, not of a run: pprof knows a mapping
 * of all memory from 0 as one that needs no more arithmetic (GetBase in
 * internal/elfexec).
 */
static void
make_mappings(struct pprof *p)
{
	const struct heap *h = p->heap;
	mapping_message **list = make(p, h->modules_size, sizeof(*list));

	p->profile.mapping = list;
	for (size_t i = 0; !p->failed && i < h->modules_size; i++) {
		mapping_message *m = make(p, 1, sizeof(*m));

		if (m == NULL)
			return;
		perftools__profiles__mapping__init(m);
		m->id = i + 1;
		m->memory_limit = UINT64_MAX;
		m->build_id = build_id_string(p, h->modules[i].build_id);
		/* Otherwise pprof may look for what is missing. */
		m->has_functions = m->has_filenames = m->has_line_numbers =
		    m->has_inline_frames = p->known[i] != 0 &&
		    p->unknown[i] == 0;
		list[i] = m;
		p->profile.n_mapping++;
	}
}

static bool
is_known(const struct heap *h, enum heap_value v)
{
	for (size_t i = 0; i < h->contexts_size; i++) {
		if (mib_has(&h->contexts[i].info, heap_fields[v]))
			return true;
	}
	return false;
}

static void
make_types(struct pprof *p)
{
	value_type **list = make(p, HEAP_VALUES, sizeof(*list));

	plain_string(p, "");
	p->profile.sample_type = list;
	for (int i = 0; !p->failed && i < HEAP_VALUES; i++) {
		enum heap_value v = type_order[i];
		value_type *m = make(p, 1, sizeof(*m));

		if (m == NULL || !is_known(p->heap, v))
			continue;
		perftools__profiles__value_type__init(m);
		m->type = plain_string(p, types[v].type);
		m->unit = plain_string(p, types[v].unit);
		list[p->profile.n_sample_type++] = m;
		p->values[p->values_size++] = v;
	}
	p->profile.default_sample_type =
	    plain_string(p, types[p->options->by].type);
}

/* protobuf-c's strings end with NUL; export_text leaves none inside. */
static void
make_strings(struct pprof *p)
{
	char **list = make(p, p->strings.size, sizeof(*list));

	p->profile.string_table = list;
	for (size_t i = 0; !p->failed && i < p->strings.size; i++) {
		struct prof_span s = p->strings.items[i];
		char *text = make(p, s.size + 1, 1);

		if (text == NULL)
			return;
		if (s.size != 0)
			memcpy(text, s.data, s.size);
		list[i] = text;
		p->profile.n_string_table++;
	}
}

static enum prof_status
pack(struct pprof *p, struct buf *out, struct prof_error *err)
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
	status = export_gzip(out, (struct prof_span){ room, size }, err);
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
	p.known = make(&p, h->modules_size, sizeof(*p.known));
	p.unknown = make(&p, h->modules_size, sizeof(*p.unknown));
	p.ids = make(&p, h->frames_size, sizeof(*p.ids));
	make_types(&p);
	if (!p.failed)
		make_samples(&p);
	if (!p.failed)
		make_mappings(&p);
	if (!p.failed)
		make_strings(&p);
	status = pack(&p, out, err);
	free(p.profile.function);
	free(p.profile.location);
	intern_free(&p.strings);
	intern_free(&p.functions);
	intern_free(&p.locations);
	arena_free(&p.arena);
	return status;
}
