/* cover/mapping.c - functions of a binary, with the counts of a profile */
#include "config.h"

#include <ctype.h>

#include <zlib.h>

#include "base/bytes.h"
#include "base/digests.h"
#include "base/error.h"
#include "cover/mapping.h"
#include "model/name_section.h"

/* What differs between versions of the mapping (coverage(5)). */
static const struct mapping_layout {
	bool name_pointers;		/* names by address and size */
	bool own_sections;		/* records stand in __llvm_covfun */
	bool folder;			/* name 0 is the compiler's folder */
} layouts[] = {
	{ .name_pointers = true },
	{ 0 },
	{ 0 },
	{ .own_sections = true },
	{ .own_sections = true },
	{ .own_sections = true, .folder = true },
	{ .own_sections = true, .folder = true },
};

/* A table of files: consecutive numbers of paths. */
struct file_table {
	size_t first, size;
	uint64_t hash;			/* of them */
};

/* A record of a function, before it is decoded. */
struct mapped {
	uint64_t guid, hash;
	struct prof_span mapping;
	uint32_t symbol;		/* of the names, or INDEX_NONE */
	uint32_t table;
	bool dummy;
};

/* Since LLVM 15, records of calling contexts do not make others stale. */
enum { RELEASE_CONTEXTS = 15 };

/* LLVM 19 and 20 join counters that are single bytes by or. */
enum { RELEASE_ONCE = 19, RELEASE_ONCE_LAST = 20 };

/* The reader of a binary.  The arrays are those of one function at a time. */
struct mapping {
	struct cover *cover;
	const struct cover_sections *sections;
	const struct cover_sums *sums;
	struct cover_choice choice;
	const struct cover_counts **chosen;	/* those of the choice */
	bool *fresh;			/* of each sum: it is one of them */
	uint32_t selection;		/* of all sums of the binary */
	uint32_t fresh_set;		/* that of the sums in `choice`, which
					   are those that are not in: */
	uint32_t choice_but;		/* a selection, or INDEX_NONE */
	uint32_t counted;		/* by cover_put_entry */
	const struct mapping_layout *layout;
	struct names names;
	struct names_limit limit;	/* also of file tables */

	uint32_t *paths;		/* of all tables */
	size_t paths_size, paths_room;
	struct id_map tables;		/* digest to number in table_list */
	struct file_table *table_list;
	size_t table_size, table_room;

	struct mapped *records;
	size_t records_size, records_room;
	uint32_t *by_symbol;		/* one more than its record; 0: none */
	size_t by_symbol_size, by_symbol_room, next_symbol;

	struct decoder *dec;		/* the first one of the cover */
	struct buf path;
	struct cover_counters counters;
};

/* Paths of files */

static bool
path_has_drive(struct prof_span p)
{
	return p.size > 2 && isalpha(p.data[0]) && p.data[1] == ':' &&
	    (p.data[2] == '\\' || p.data[2] == '/');
}

static bool
path_is_absolute(struct prof_span p)
{
	return p.size > 0 && p.data[0] == '/';
}

/* Copies a path of Windows with slashes, as patterns and diffs have it. */
static bool
mapping_take_slashes(struct mapping *m, struct prof_span *path)
{
	uint8_t *copy;

	if (!arena_keep(&m->cover->arena, path))
		return false;
	copy = (uint8_t *)(uintptr_t)path->data;
	for (size_t i = 0; i < path->size; i++)
		copy[i] = copy[i] == '\\' ? '/' : copy[i];
	return true;
}

void
cover_path_put(struct buf *b, struct prof_span path)
{
	const uint8_t *p = path.data, *end = p + path.size, *slash;
	size_t size, at;

	if (b->size == 0 && path_is_absolute(path))
		buf_u8(b, '/');
	for (; p != end; p = slash == end ? end : slash + 1) {
		slash = memchr(p, '/', (size_t)(end - p));
		if (slash == NULL)
			slash = end;
		size = (size_t)(slash - p);
		if (size == 0 || (size == 1 && p[0] == '.'))
			continue;
		for (at = b->size; at > 0 && b->data[at - 1] != '/'; at--)
			;
		if (size != 2 || memcmp(p, "..", 2) != 0 || b->size == 0 ||
		    (b->size - at == 2 && memcmp(b->data + at, "..", 2) == 0)) {
			if (b->size > 0 && b->data[b->size - 1] != '/')
				buf_u8(b, '/');
			buf_put(b, p, size);
			if (b->failed)
				return;
		} else
			b->size = at > 1 ? at - 1 : at;
	}
}

/* Since LLVM 15, "." and ".." are taken out of paths. */
enum { RELEASE_DOTS = 15 };

/* The number of the path of a file below a folder. */
static uint32_t
mapping_path(struct mapping *m, struct prof_span folder, struct prof_span name)
{
	struct buf *b = &m->path;

	/* LLVM takes a path of Windows as relative on other systems. */
	if (folder.data == NULL || path_is_absolute(name) ||
	    (!m->cover->options.as_llvm && path_has_drive(name)))
		return cover_add_path(m->cover, name);
	b->size = 0;
	if (m->cover->options.release < RELEASE_DOTS) {
		buf_put(b, folder.data, folder.size);
		if (b->size > 0 && b->data[b->size - 1] != '/')
			buf_u8(b, '/');
		buf_put(b, name.data, name.size);
	} else {
		cover_path_put(b, folder);
		cover_path_put(b, name);
	}
	return b->failed ? INDEX_NONE : cover_add_path(m->cover, buf_span(b));
}

/* Tables of files, and headers */

static enum prof_status
mapping_damaged(const struct cursor *c, const char *section, const char *what,
    struct prof_error *err)
{
	return err_at(err, PROF_E_CORRUPT, c->pos, "%s: %s", section, what);
}

#define MAP	"__llvm_covmap"
#define FUNCTIONS "__llvm_covfun"

/* The names of a table, inflated if they are compressed. */
static enum prof_status
mapping_inflate_names(struct mapping *m, struct cursor *c,
    struct prof_span *plain, struct prof_error *err)
{
	uint64_t size = cur_uleb(c), packed = cur_uleb(c);
	const uint8_t *bytes;
	uint8_t *out;
	uLongf got;

	bytes = cur_bytes(c, packed == 0 ? size : packed);
	if (bytes == NULL)
		return mapping_damaged(c, MAP, "names of files are cut off",
		    err);
	*plain = (struct prof_span){ bytes, (size_t)size };
	if (packed == 0)
		return PROF_OK;
	if (size > m->limit.bytes)
		return err_at(err, PROF_E_LIMIT, c->pos, MAP ": names of files "
		    "of %llu bytes exceed the limit of %llu", ull(size),
		    ull(m->limit.bytes));
	m->limit.bytes -= size;
	out = arena_alloc(&m->cover->arena, (size_t)size);
	if (out == NULL)
		return err_memory(err);
	got = (uLongf)size;
	if (uncompress(out, &got, bytes, (uLong)packed) != Z_OK || got != size)
		return mapping_damaged(c, MAP, "names of files do not inflate "
		    "to their size", err);
	plain->data = out;
	return PROF_OK;
}

/* Reads a table and adds it under its digest. */
static enum prof_status
mapping_add_table(struct mapping *m, struct prof_span encoded, uint64_t offset,
    struct prof_error *err)
{
	struct cursor c = { .data = encoded.data, .size = encoded.size };
	struct file_table table = { .first = m->paths_size };
	struct prof_span plain = { 0 }, name, folder = { 0 };
	uint64_t count = cur_uleb(&c), size;
	const struct cover_options *o = &m->cover->options;
	uint32_t path;

	(void)offset;
	if (m->layout->own_sections) {
		if (mapping_inflate_names(m, &c, &plain, err) != PROF_OK)
			return PROF_FAIL;
		c = (struct cursor){ .data = plain.data, .size = plain.size };
	}
	if (c.failed || count == 0 || count > cur_left(&c))
		return mapping_damaged(&c, MAP, "the number of files is wrong",
		    err);
	for (uint64_t i = 0; i < count; i++) {
		size = cur_uleb(&c);
		name.data = cur_bytes(&c, size);
		name.size = (size_t)size;
		if (name.data == NULL)
			return mapping_damaged(&c, MAP, "the name of a file is "
			    "cut off", err);
		if (!o->as_llvm && (path_has_drive(name) ||
		    path_has_drive(folder)) && !mapping_take_slashes(m, &name))
			return err_memory(err);
		path = mapping_path(m, folder, name);
		if (path == INDEX_NONE || !ARRAY_ADD(m->paths, m->paths_size,
		    m->paths_room, path))
			return err_memory(err);
		if (i == 0 && m->layout->folder)
			folder = o->folder.size > 0 ? o->folder : name;
	}
	table.size = (size_t)count;
	table.hash = hash_span(m->cover->record_seed, (struct prof_span){
	    (const void *)(m->paths + table.first),
	    table.size * sizeof(*m->paths) });
	if (id_map_add(&m->tables, md5_u64(encoded.data, encoded.size),
	    m->table_size) == NULL || !ARRAY_ADD(m->table_list, m->table_size,
	    m->table_room, table))
		return err_memory(err);
	return PROF_OK;
}

/*
 * A dummy stands for a function that the compiler saw but did not emit: hash 0,
 * one file, no expression, one region without counter.
 */
static bool
mapping_is_dummy(uint64_t hash, struct prof_span mapping)
{
	struct cursor c = { .data = mapping.data, .size = mapping.size };

	if (hash != 0 || cur_uleb(&c) != 1)
		return false;
	cur_uleb(&c);
	return cur_uleb(&c) == 0 && cur_uleb(&c) == 1 &&
	    (cur_uleb(&c) & 3) == 0 && !c.failed;
}

/*
 * Adds a record, unless its name is not there; of one name, the first one stays
 * that is no dummy.
 */
static bool
mapping_add_record(struct mapping *m, const struct mapped *r)
{
	uint32_t number;

	if (r->symbol == INDEX_NONE)
		return true;
	while (m->by_symbol_size <= r->symbol) {
		if (!ARRAY_ADD(m->by_symbol, m->by_symbol_size,
		    m->by_symbol_room, 0))
			return false;
	}
	number = m->by_symbol[r->symbol];
	if (number == 0) {
		m->by_symbol[r->symbol] = (uint32_t)m->records_size + 1;
		return ARRAY_ADD(m->records, m->records_size, m->records_room,
		    *r);
	}
	if (m->records[number - 1].dummy && !r->dummy)
		m->records[number - 1] = *r;
	return true;
}

/* The name of a record of version 1, by its address. */
static enum prof_status
mapping_name_at(const struct mapping *m, uint64_t address, uint64_t size,
    struct cursor *c, struct prof_span *name, struct prof_error *err)
{
	const struct cover_sections *s = m->sections;

	if (address < s->names_address ||
	    address - s->names_address > s->names.size ||
	    size > s->names.size - (address - s->names_address))
		return mapping_damaged(c, MAP, "a name is outside of the names",
		    err);
	*name = (struct prof_span){ s->names.data + (address -
	    s->names_address), (size_t)size };
	return PROF_OK;
}

/* Reads the head of a record: but in version 1, its name is its digest. */
static enum prof_status
mapping_read_head(struct mapping *m, struct cursor *c, struct mapped *r,
    uint32_t *size, struct prof_error *err)
{
	struct prof_span name;
	uint64_t address;

	*r = (struct mapped){ 0 };
	if (m->layout->name_pointers && m->sections->relocatable)
		return err_at(err, PROF_E_UNSUPPORTED, c->pos, MAP ": version "
		    "1 in an object that is not linked");
	if (m->layout->name_pointers) {
		address = m->sections->pointer_size == 8 ? cur_u64(c) :
		    cur_u32(c);
		name.size = cur_u32(c);
		if (c->failed || mapping_name_at(m, address, name.size, c,
		    &name, err) != PROF_OK)
			return mapping_damaged(c, MAP, "a record is cut off",
			    err);
		r->guid = prof_guid(name);
		if (!symtab_add(&m->names.table, name, r->guid))
			return err_memory(err);
	} else
		r->guid = cur_u64(c);
	r->symbol = (uint32_t)symtab_find(&m->names.table, r->guid,
	    &m->next_symbol);
	*size = cur_u32(c);
	r->hash = cur_u64(c);
	return PROF_OK;
}

/* Reads the headers, with the records of versions before 4 behind them. */
static enum prof_status
mapping_read_headers(struct mapping *m, struct prof_error *err)
{
	struct cursor c = { .data = m->sections->map.data,
	    .size = m->sections->map.size, .big = m->sections->big };
	uint32_t records, names, mappings, version, size;
	struct cursor head, maps;
	const uint8_t *bytes;
	struct mapped r;

	while (cur_left(&c) > 0) {
		records = cur_u32(&c);
		names = cur_u32(&c);
		mappings = cur_u32(&c);
		version = cur_u32(&c);
		if (c.failed)
			return mapping_damaged(&c, MAP, "a header is cut off",
			    err);
		if (version >= sizeof(layouts) / sizeof(*layouts))
			return err_at(err, PROF_E_UNSUPPORTED, c.pos - 4, MAP
			    ": version %llu is newer than %zu",
			    ull(version) + 1, sizeof(layouts) /
			    sizeof(*layouts));
		m->layout = &layouts[version];
		if (m->layout->own_sections && (records | mappings) != 0)
			return mapping_damaged(&c, MAP, "records before a "
			    "table of files", err);
		/* Records come first, then the names, then the mappings. */
		head = c;
		size = m->layout->name_pointers ?
		    m->sections->pointer_size + 16 : 20;
		if (cur_bytes(&c, (uint64_t)records * size) == NULL ||
		    (bytes = cur_bytes(&c, names)) == NULL)
			return mapping_damaged(&c, MAP, "the table of files is "
			    "cut off", err);
		if (mapping_add_table(m, (struct prof_span){ bytes, names },
		    c.pos, err) != PROF_OK)
			return PROF_FAIL;
		maps = c;
		for (uint32_t i = 0; i < records; i++) {
			if (mapping_read_head(m, &head, &r, &size, err) !=
			    PROF_OK)
				return PROF_FAIL;
			r.mapping = (struct prof_span){ cur_bytes(&maps, size),
			    size };
			if (maps.failed)
				return mapping_damaged(&maps, MAP,
				    "a mapping is cut off", err);
			r.table = (uint32_t)m->table_size - 1;
			r.dummy = mapping_is_dummy(r.hash, r.mapping);
			if (!mapping_add_record(m, &r))
				return err_memory(err);
		}
		cur_bytes(&c, mappings);
		if (c.failed)
			return mapping_damaged(&c, MAP, "mappings are cut off",
			    err);
		if (pad8(c.pos) <= cur_left(&c))
			cur_bytes(&c, pad8(c.pos));
		else
			c.pos = c.size;
	}
	return PROF_OK;
}

/* Reads a section of records, each of which begins at a multiple of 8. */
static enum prof_status
mapping_read_records(struct mapping *m, struct prof_span section,
    struct prof_error *err)
{
	struct cursor c = { .data = section.data, .size = section.size,
	    .big = m->sections->big };
	const uint64_t *table;
	struct mapped r;
	uint64_t files;
	uint32_t size;

	while (cur_left(&c) > 0) {
		if (mapping_read_head(m, &c, &r, &size, err) != PROF_OK)
			return PROF_FAIL;
		files = cur_u64(&c);
		r.mapping = (struct prof_span){ cur_bytes(&c, size), size };
		if (c.failed)
			return mapping_damaged(&c, FUNCTIONS, "a record is cut "
			    "off", err);
		table = id_map_find(&m->tables, files);
		if (table == NULL)
			return err_at(err, PROF_E_CORRUPT, c.pos, FUNCTIONS
			    ": no table of files 0x%016llx", ull(files));
		r.table = (uint32_t)*table;
		r.dummy = mapping_is_dummy(r.hash, r.mapping);
		if (!mapping_add_record(m, &r))
			return err_memory(err);
		if (pad8(c.pos) <= cur_left(&c))
			cur_bytes(&c, pad8(c.pos));
		else
			c.pos = c.size;
	}
	return PROF_OK;
}

/* Functions of the cover */

static struct prof_span
mapped_name(const struct mapping *m, const struct mapped *r)
{
	return m->names.table.symbols[r->symbol].name;
}

/* The name without the name of its file, if that is the first file. */
static struct prof_span
function_short_name(struct prof_span name, struct prof_span file)
{
	if (file.size == 0 || name.size <= file.size ||
	    memcmp(name.data, file.data, file.size) != 0)
		return name;
	return (struct prof_span){ name.data + file.size + 1,
	    name.size - file.size - 1 };
}

/*
 * Makes the function that was decoded, and adds it, or its counts to what is
 * there.  *number is where it is then.
 */
static enum prof_status
mapping_keep(struct mapping *m, const struct mapped *r, enum cover_state state,
    uint64_t *number, struct prof_error *err)
{
	struct cover *c = m->cover;
	struct decoder *dec = m->dec;
	struct cover_entry e = { .mapping = r->mapping,
	    .counters = m->counters, .selection = m->fresh_set };
	struct cover_function whole, *f = &e.function;
	struct prof_span files = { (const void *)dec->files,
	    dec->files_size * sizeof(*dec->files) };
	struct prof_span counts = { (const void *)m->counters.counts,
	    m->counters.size * sizeof(*m->counters.counts) };

	*f = (struct cover_function){ .guid = r->guid, .hash = r->hash,
	    .state = state,
	    .files_size = (uint32_t)dec->files_size };
	f->name = function_short_name(mapped_name(m, r),
	    c->paths.items[dec->files[0]]);
	/* A sum of several sums is in memory that is used again. */
	if (m->choice.size > 1 && !arena_keep(&c->arena, &counts))
		return err_memory(err);
	e.counters.counts = (const void *)counts.data;
	if (!arena_keep(&c->arena, &files) || !arena_keep(&c->arena, &f->name))
		return err_memory(err);
	f->files = (const void *)files.data;
	decoder_give(dec, f);
	if (!cover_function_link(&c->arena, f))
		return err_memory(err);
	if (dec->has_decisions && cover_find_decisions(dec->parts,
	    dec->parts_size, m->counters.bitmap, c->options.release, &c->arena,
	    f, err) != PROF_OK)
		return PROF_FAIL;
	if (cover_tally_entry(c, f, &e, err) != PROF_OK)
		return PROF_FAIL;
	whole = *f;
	f->regions = f->branches = NULL;
	return cover_put_entry(c, &e, &whole, number, &m->counted) ? PROF_OK :
	    err_memory(err);
}

/*
 * Chooses the sums of this binary that were not counted for a function yet.
 * False if out of memory.
 */
static bool
mapping_choose(struct mapping *m, uint32_t counted)
{
	struct intern *x = &m->cover->selections;
	const uint8_t *old = counted == INDEX_NONE ? NULL :
	    x->items[counted].data;
	struct buf *b = &m->path;

	if (m->fresh_set != INDEX_NONE && m->choice_but == counted)
		return true;
	b->size = 0;
	m->choice.size = 0;
	for (size_t i = 0; i < m->sums->size; i++) {
		m->fresh[i] = (m->sums->chosen == NULL ||
		    m->sums->chosen[i]) && (old == NULL || old[i] == 0);
		if (m->fresh[i])
			m->chosen[m->choice.size++] = m->sums->items[i];
		buf_u8(b, m->fresh[i]);
	}
	m->fresh_set = b->failed ? INDEX_NONE : intern_add(x, b->data, b->size);
	m->choice_but = counted;
	return m->fresh_set != INDEX_NONE;
}

/* Notes a function that the profile has with other hashes only. */
static bool
mapping_add_stale(struct mapping *m, const struct mapped *r)
{
	struct cover *c = m->cover;

	c->mismatches++;
	return c->options.as_llvm || cover_put_stale(c, &(struct cover_stale){
	    r->guid, r->hash, mapped_name(m, r), m->dec->files[0] });
}

/* What a record became that is no function. */
#define RECORD_LEFT_OUT	UINT64_MAX
#define RECORD_STALE	(UINT64_MAX - 1)

/* Decodes a function and adds it, with the counts of the sums chosen. */
static enum prof_status
mapping_add_function(struct mapping *m, const struct mapped *r,
    uint64_t *number, struct prof_error *err)
{
	const struct file_table *files = &m->table_list[r->table];
	struct cover_wrong wrong = { .name = mapped_name(m, r) };
	struct decoder *dec = m->dec;
	struct cover *c = m->cover;
	char shown[ERR_NAME_SIZE];
	enum cover_found found;
	bool failed = false;

	*number = RECORD_LEFT_OUT;
	found = cover_counts_find(&m->choice, r->guid, r->hash, &m->counters,
	    &failed);
	if (!decoder_read(dec, r->mapping, &m->counters, m->paths +
	    files->first, files->size))
		return err_set(err, PROF_E_CORRUPT, FUNCTIONS ": the mapping "
		    "of %s is damaged", err_name(shown, wrong.name));
	if (found == COVER_OTHER_HASH) {
		*number = RECORD_STALE;
		return mapping_add_stale(m, r) ? PROF_OK : err_memory(err);
	}
	if (failed)
		return err_memory(err);
	/* The function is unused here, but not elsewhere. */
	if (decoder_is_unused(dec) && m->counters.size > 0 &&
	    m->counters.counts[0] > 0)
		return PROF_OK;
	if (dec->uncountable)
		return PROF_OK;
	if (!c->options.as_llvm)
		decoder_correct(dec, &wrong);
	if (wrong.size > 0 && (!arena_keep(&c->arena, &wrong.name) ||
	    !ARRAY_ADD(c->wrong, c->wrong_size, c->wrong_room, wrong)))
		return err_memory(err);
	return mapping_keep(m, r, r->dummy ? COVER_UNUSED :
	    found == COVER_FOUND ? COVER_COUNTED : COVER_NOT_COUNTED, number,
	    err);
}

/* Notes the tests that a function ran in, of the sums that were counted. */
static bool
mapping_add_runs(struct mapping *m, const struct mapped *r,
    struct cover_entry *e)
{
	struct cover_test_run run = { .mapping = r->mapping };
	struct cover *c = m->cover;
	uint32_t at = 0, sum;

	while ((run.counters = cover_counts_next_test(m->sums->tests, r->guid,
	    r->hash, &at, &run.test, &sum)) != NULL) {
		run.next = e->runs;
		if (!m->fresh[sum])
			continue;
		if (!ARRAY_ADD(c->runs, c->runs_size, c->runs_room, run))
			return false;
		e->runs = (uint32_t)c->runs_size;
	}
	return true;
}

/*
 * Adds the function of a record.  A record that came before, as each of several
 * binaries of one build has it, is decoded again only if there are more counts.
 */
static enum prof_status
mapping_add_mapped(struct mapping *m, const struct mapped *r,
    struct prof_error *err)
{
	struct cover *c = m->cover;
	uint64_t hash = hash_mix(hash_mix(hash_mix(c->record_seed, r->guid),
	    r->hash), m->table_list[r->table].hash);
	uint64_t number, *place;
	size_t before = c->records.size;
	uint32_t counted = INDEX_NONE;
	struct mapped own = *r;

	place = id_map_add(&c->records, hash_span(hash, r->mapping),
	    RECORD_LEFT_OUT);
	if (place == NULL)
		return err_memory(err);
	if (c->records.size == before) {
		c->mismatches += *place == RECORD_STALE;
		if (*place >= RECORD_STALE)
			return PROF_OK;
		counted = c->entries[*place].selection;
	}
	/* A mapping of an entry, or of a run of a test, outlives the binary. */
	if ((counted == INDEX_NONE || m->sums->tests != NULL) &&
	    !arena_keep(&c->arena, &own.mapping))
		return err_memory(err);
	do {
		if (counted == m->selection)
			return PROF_OK;
		if (!mapping_choose(m, counted))
			return err_memory(err);
		if (m->choice.size == 0 && counted != INDEX_NONE)
			return PROF_OK;
		m->counted = INDEX_NONE;
		if (mapping_add_function(m, &own, &number, err) != PROF_OK)
			return PROF_FAIL;
		if (number < RECORD_STALE || *place >= RECORD_STALE)
			*place = number;
		/* Another record of the same function has some of the sums. */
		counted = m->counted;
	} while (counted != INDEX_NONE);
	if (number >= RECORD_STALE)
		return PROF_OK;
	return m->sums->tests == NULL || mapping_add_runs(m, &own,
	    &c->entries[number]) ? PROF_OK : err_memory(err);
}

static void
mapping_free(struct mapping *m)
{
	names_free(&m->names);
	free(m->paths);
	id_map_free(&m->tables);
	free(m->table_list);
	free(m->records);
	free(m->by_symbol);
	buf_free(&m->path);
	free(m->chosen);
	free(m->fresh);
	cover_choice_free(&m->choice);
}

enum { RELEASED = 1024 };		/* records at a time */

static enum prof_status
mapping_add_all(struct mapping *m, struct prof_error *err)
{
	const struct cover_sections *s = m->sections;
	const uint8_t *done = NULL, *at;

	/* Names of version 1 are not in chunks; they are found by address. */
	if ((s->map.size < 16 || load_u32(s->map.data + 12, s->big) != 0) &&
	    names_read(&m->names, s->names, 0, &m->limit, err) != PROF_OK)
		return PROF_FAIL;
	if (mapping_read_headers(m, err) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < s->functions_size; i++) {
		if (mapping_read_records(m, s->functions[i], err) != PROF_OK)
			return PROF_FAIL;
	}
	for (size_t i = 0; i < m->records_size; i++) {
		if (mapping_add_mapped(m, &m->records[i], err) != PROF_OK)
			return PROF_FAIL;
		if (i % RELEASED != 0 || s->release == NULL)
			continue;
		/* The next ones mostly follow in the section. */
		at = m->records[i].mapping.data;
		if (done != NULL && done < at)
			s->release(s->release_arg, (struct prof_span){ done,
			    (size_t)(at - done) });
		done = at;
	}
	return PROF_OK;
}

enum prof_status
cover_add(struct cover *c, const struct cover_sections *sections,
    const struct cover_sums *sums, bool *any, struct prof_error *err)
{
	struct mapping m = { .cover = c, .sections = sections, .sums = sums,
	    .dec = &c->decoders[0], .fresh_set = INDEX_NONE };
	enum prof_status status;
	size_t size = sections->map.size + sections->names.size;

	*any = sections->map.size > 0 && sections->names.size > 0;
	if (!*any)
		return PROF_OK;
	if (c->record_seed == 0)
		c->record_seed = hash_seed(&m);
	m.limit = names_limit_of(size, 1);
	m.chosen = calloc(sums->size + 1, sizeof(*m.chosen));
	m.fresh = calloc(sums->size + 1, sizeof(*m.fresh));
	m.choice.sums = m.chosen;
	m.choice.contexts = c->options.release >= RELEASE_CONTEXTS;
	for (size_t i = 0; i < sums->size; i++)
		c->bytes |= cover_counts_are_bytes(sums->items[i]);
	c->once = c->bytes && c->options.release >= RELEASE_ONCE &&
	    c->options.release <= RELEASE_ONCE_LAST;
	status = m.chosen == NULL || m.fresh == NULL ||
	    !mapping_choose(&m, INDEX_NONE) ? err_memory(err) : PROF_OK;
	m.selection = m.fresh_set;
	if (status == PROF_OK)
		status = mapping_add_all(&m, err);
	mapping_free(&m);
	return status;
}
