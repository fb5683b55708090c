#include "config.h"

#include "sym/dwarf/frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/expansion.h"
#include "base/id_map.h"
#include "model/memprof_guid.h"
#include "sym/dwarf/elf_bounds.h"
#include "sym/dwarf/libdw.h"
#include "sym/dwarf/line_tables.h"
#include "sym/dwarf/units.h"

/* Deeper nesting of inlined functions is damage: no compiler makes it. */
#define DEPTH_MAX 1000

/* DW_AT_GNU_discriminator of inlined calls, missing in elfutils 0.188. */
#define AT_GNU_DISCRIMINATOR 0x2136

struct frames {
	struct units units;
	struct line_tables lines;
	struct arena arena;		/* paths that were joined, facts */
	struct id_map paths;		/* their addresses, by unit and file */
	uint64_t path_bytes, path_limit;	/* of these */
	bool no_memory;			/* for one of these, or of facts */
};

/* A place in the source; 0 and NULL are unknown. */
struct source_place {
	const char *file;
	uint32_t line, column, discriminator;
};

/* All that the frames of a function have in common. */
struct function_facts {
	struct prof_frame frame;	/* without a place */
	struct source_place call;	/* the call of an inlined function */
};

struct frames *
frames_new(struct Dwarf *dwarf, struct prof_error *err)
{
	struct frames *f = calloc(1, sizeof(*f));

	if (f == NULL) {
		err_memory(err);
		return NULL;
	}
	if (units_read(&f->units, dwarf, err) != PROF_OK) {
		frames_free(f);
		return NULL;
	}
	line_tables_begin(&f->lines, dwarf, &f->units.code);
	f->path_limit = expansion_limit(elf_file_bytes(dw.dwarf_getelf(
	    dwarf)));
	return f;
}

void
frames_free(struct frames *f)
{
	if (f == NULL)
		return;
	units_free(&f->units);
	line_tables_free(&f->lines);
	arena_free(&f->arena);
	id_map_free(&f->paths);
	free(f);
}

const struct prof_error *
frames_damage(const struct frames *f)
{
	return &f->units.damage;
}

size_t
frames_split_missing(const struct frames *f)
{
	return f->units.split_missing;
}

/*
 * The linkage name or else DW_AT_name, of the entry or of the entries that its
 * DW_AT_abstract_origin and DW_AT_specification refer to, in the order of
 * DWARFDie::getSubroutineName.
 */
static const char *
frames_function_name(Dwarf_Die *die)
{
	static const unsigned names[] = {
		DW_AT_MIPS_linkage_name, DW_AT_linkage_name, DW_AT_name
	};
	Dwarf_Attribute a;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (dw.dwarf_attr_integrate(die, names[i], &a) != NULL) {
			const char *name = dw.dwarf_formstring(&a);

			return name == NULL || *name == '\0' ? NULL : name;
		}
	}
	return NULL;
}

static uint32_t
frames_number(Dwarf_Attribute *a)
{
	Dwarf_Word value;

	return a != NULL && dw.dwarf_formudata(a, &value) == 0 ?
	    (uint32_t)value : 0;
}

static uint32_t
frames_start_line(Dwarf_Die *die)
{
	Dwarf_Attribute a;

	return frames_number(dw.dwarf_attr_integrate(die, DW_AT_decl_line, &a));
}

static uint32_t
frames_own_number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute a;

	return frames_number(dw.dwarf_attr(die, name, &a));
}

/*
 * The whole path of a file: DW_AT_comp_dir goes before a relative folder, but
 * if it is relative, too, it is the compiler's folder of DWARF 5 again.  A path
 * that is too long is left without its folder.  NULL if out of memory.
 */
static const char *
frames_join(struct frames *f, struct unit *u, const struct line_path *path)
{
	const char *parts[3] = { NULL, path->folder, path->name };
	Dwarf_Attribute a;
	size_t size;
	char *whole;

	if (path->folder == NULL || *path->folder != '/')
		parts[0] = dw.dwarf_formstring(dw.dwarf_attr(&u->die,
		    DW_AT_comp_dir, &a));
	if (parts[0] != NULL && *parts[0] != '/' && path->folder != NULL &&
	    path->compilers)
		parts[0] = NULL;
	size = line_path_size(parts);
	f->path_bytes += size;
	if (f->path_bytes > f->path_limit)
		err_set(&f->units.damage, PROF_E_LIMIT, "the paths of files "
		    "have more than %llu bytes", ull(f->path_limit));
	if (size == 0 || f->path_bytes > f->path_limit)
		return path->name;
	whole = arena_alloc(&f->arena, size);
	if (whole == NULL)
		return NULL;
	line_path_join(parts, whole);
	return whole;
}

/*
 * The path of a file of the line table, which is joined once.  NULL if there is
 * none, or out of memory.
 */
static const char *
frames_file(struct frames *f, struct unit *u, uint32_t number)
{
	uint64_t id = (uint64_t)(u - f->units.items) << 32 | number, *known;
	struct line_path path;

	if (u->lines == 0 || !line_files_find(
	    &f->lines.tables[u->lines - 1].files, number, &path))
		return NULL;
	if (*path.name == '/')
		return path.name;
	known = id_map_add(&f->paths, id, 0);
	if (known != NULL && *known == 0)
		*known = (uintptr_t)frames_join(f, u, &path);
	f->no_memory |= known == NULL || *known == 0;
	return known == NULL ? NULL : (const char *)(uintptr_t)*known;
}

/* Where a function was inlined: DW_AT_call_file and so on. */
static struct source_place
frames_call_place(struct frames *f, struct unit *u, Dwarf_Die *inlined)
{
	return (struct source_place){
		.file = frames_file(f, u, frames_own_number(inlined,
		    DW_AT_call_file)),
		.line = frames_own_number(inlined, DW_AT_call_line),
		.column = frames_own_number(inlined, DW_AT_call_column),
		.discriminator = frames_own_number(inlined,
		    AT_GNU_DISCRIMINATOR)
	};
}

/* Stores the first damage; PROF_FAIL if the error is not one of the file. */
static enum prof_status
frames_note_damage(struct frames *f, const struct prof_error *e,
    struct prof_error *err)
{
	if (e->code == PROF_E_MEMORY)
		return err_memory(err);
	err_repeat(&f->units.damage, e);
	return PROF_OK;
}

/* Reads the line table of a unit; PROF_END if it has none. */
static enum prof_status
frames_read_lines(struct frames *f, struct unit *u, struct prof_error *err)
{
	struct prof_error e = { 0 };
	Dwarf_Attribute a;
	Dwarf_Word offset;
	size_t index = 0;

	if (u->lines != 0)
		return PROF_OK;
	if (dw.dwarf_formudata(dw.dwarf_attr(&u->die, DW_AT_stmt_list, &a),
	    &offset) != 0)
		return PROF_END;
	if (line_tables_read(&f->lines, offset, &index, &e) != PROF_OK &&
	    frames_note_damage(f, &e, err) != PROF_OK)
		return PROF_FAIL;
	u->lines = index + 1;
	return PROF_OK;
}

/* The row of the line table; unknown outside of its sequences. */
static enum prof_status
frames_address_place(struct frames *f, struct unit *u, uint64_t address,
    struct source_place *p, struct prof_error *err)
{
	enum prof_status status = frames_read_lines(f, u, err);
	const struct line_row *row = status == PROF_OK ?
	    line_tables_find(&f->lines, u->lines - 1, address) : NULL;

	*p = (struct source_place){ 0 };
	if (row != NULL)
		*p = (struct source_place){
			.file = frames_file(f, u, row->file),
			.line = row->line, .column = row->column,
			.discriminator = row->discriminator
		};
	return status == PROF_FAIL ? PROF_FAIL : PROF_OK;
}

/* A frame of a function without its place in the source. */
static struct prof_frame
frames_begin(struct function *fn)
{
	struct prof_frame f = {
		.function.name = span_of_text(frames_function_name(&fn->die)),
		.start_line = frames_start_line(&fn->die),
		.flags = fn->inlined ? PROF_FRAME_INLINE : 0
	};

	if (f.function.name.data != NULL) {
		f.function.guid = memprof_guid(f.function.name);
		f.flags |= PROF_FRAME_LINE_OFFSET;
	}
	if (f.start_line != 0)
		f.flags |= PROF_FRAME_START_LINE;
	return f;
}

/*
 * Reads the facts of a function once: a search for attributes in an entry, and
 * in those that it refers to, may be long.  NULL if out of memory.
 */
static const struct function_facts *
frames_learn(struct frames *f, struct unit *u, struct function *fn)
{
	if (fn->facts != NULL)
		return fn->facts;
	fn->facts = arena_array(&f->arena, 1, sizeof(*fn->facts));
	f->no_memory |= fn->facts == NULL;
	if (fn->facts != NULL)
		*fn->facts = (struct function_facts){ .frame =
		    frames_begin(fn), .call = fn->inlined ?
		    frames_call_place(f, u, &fn->die) :
		    (struct source_place){ 0 } };
	return fn->facts;
}

static struct prof_frame
frames_make(const struct prof_frame *begun, const struct source_place *p)
{
	struct prof_frame f = *begun;

	f.file = span_of_text(p->file);
	f.line = p->line;
	f.column = p->column;
	f.discriminator = p->discriminator;
	f.line_offset = f.line - f.start_line;
	if (f.line != 0)
		f.flags |= PROF_FRAME_LINE;
	if (f.column != 0)
		f.flags |= PROF_FRAME_COLUMN;
	if (f.discriminator != 0)
		f.flags |= PROF_FRAME_DISCRIMINATOR;
	return f;
}

/*
 * Number of frames from the innermost function to the one that is not inlined;
 * 0 if there are more than DEPTH_MAX.
 */
static size_t
frames_count(const struct unit *u, uint32_t function)
{
	size_t n = 0;

	for (; function != NO_FUNCTION && n < DEPTH_MAX; n++) {
		if (!u->functions[function].inlined)
			return n + 1;
		function = u->functions[function].parent;
	}
	return function == NO_FUNCTION ? n : 0;
}

enum prof_status
frames_find(struct frames *f, uint64_t address, struct arena *arena,
    struct frame_list *out, struct prof_error *err)
{
	const struct function_facts *facts;
	struct prof_frame *frames;
	struct source_place place;
	struct unit *u;
	uint32_t at;
	size_t n;

	*out = (struct frame_list){ .count = 0 };
	if (units_find(&f->units, address, &u, &at, err) != PROF_OK)
		return PROF_FAIL;
	n = at == NO_FUNCTION ? 0 : frames_count(u, at);
	if (n == 0)
		return PROF_OK;
	if (frames_address_place(f, u, address, &place, err) != PROF_OK)
		return PROF_FAIL;
	facts = frames_learn(f, u, &u->functions[at]);
	if (facts != NULL && facts->frame.function.name.data == NULL)
		return PROF_OK;
	frames = arena_array(arena, n, sizeof(*frames));
	if (frames == NULL)
		return err_memory(err);
	for (size_t i = 0; i < n && facts != NULL; i++) {
		frames[i] = frames_make(&facts->frame, &place);
		place = facts->call;
		at = u->functions[at].parent;
		if (i + 1 < n)
			facts = frames_learn(f, u, &u->functions[at]);
	}
	if (f->no_memory)
		return err_memory(err);
	frames[n - 1].flags &= ~(unsigned)PROF_FRAME_INLINE;
	out->frames = frames;
	out->count = n;
	return PROF_OK;
}
