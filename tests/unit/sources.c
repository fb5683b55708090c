/* Source files behind indexed files: sections that are written and damaged. */
#include "format/sources/sources.h"

#include "model/mib.h"
#include "format/sources/layout.h"
#include "tests/support/test.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct prof_span
span(const char *s)
{
	return s == NULL ? (struct prof_span){ NULL, 0 } :
	    (struct prof_span){ (const uint8_t *)s, strlen(s) };
}

static bool
is(struct prof_span s, const char *want)
{
	return want == NULL ? s.size == 0 : prof_span_equal(s, span(want));
}

struct row {
	const char *function, *file;
	uint32_t line, line_offset, discriminator;
};

static struct prof_frame
frame_of(const struct row *r)
{
	struct prof_frame f = {
		.function.name = span(r->function), .file = span(r->file),
		.line = r->line, .line_offset = r->line_offset,
		.discriminator = r->discriminator,
		.flags = PROF_FRAME_LINE_OFFSET,
	};

	return f;
}

enum { STACK = 77, OTHER = 78, WITHOUT = 79, FRAMES_MAX = 16 };

static void
put_stack(struct sources_writer *w, uint64_t id, const struct row *rows,
    size_t count)
{
	struct prof_frame frames[FRAMES_MAX];

	for (size_t i = 0; i < count; i++)
		frames[i] = frame_of(&rows[i]);
	if (sources_put_stack(w, id, frames, count, NULL) != PROF_OK)
		abort();
}

static struct sources *
open_sections(struct prof_span image)
{
	struct sources *s;

	return sources_open(image, &s, NULL) == PROF_OK ? s : NULL;
}

/* Frames as an indexed file has them, by guid. */
static bool
look_up(struct sources *s, uint64_t id, const struct row *rows, size_t count,
    struct prof_frame *frames)
{
	for (size_t i = 0; i < count; i++) {
		frames[i] = frame_of(&rows[i]);
		frames[i].function.guid = rows[i].function == NULL ? 0 :
		    prof_guid(span(rows[i].function));
		frames[i].function.name = frames[i].file = span(NULL);
		frames[i].line = frames[i].discriminator = 0;
	}
	return sources_decorate(s, id, frames, count, NULL) == PROF_OK;
}

static bool
same(const struct prof_frame *f, const struct row *r)
{
	uint32_t start = r->line - r->line_offset;

	return is(f->file, r->file) && f->line == r->line &&
	    f->discriminator == r->discriminator &&
	    is(f->function.name, r->function) &&
	    ((f->flags & PROF_FRAME_LINE) != 0) == (r->line != 0) &&
	    (r->line == 0 || f->start_line == start);
}

static const struct row rows[] = {
	{ "main", "/src/a.c", 12, 2, 1 },
	{ "main", "/src/a.c", 12, 2, 0 },
	{ "_Z1fv", "/src/lib/b.h", 1, 0, 0 },
	{ "_Z1fv", "src/lib/b.h", 4000000000, 7, 4000000000 },
	{ "g", "b.h", UINT32_MAX, 0, UINT32_MAX },
	{ "g", "//twice//b.h", 0, 0, 0 },
	{ "g", "/", 3, 0, 0 },
	{ "g", "dir/", 3, 0, 0 },
	{ NULL, NULL, 0, 0, 0 },
	{ "h", NULL, 9, 0, 0 },
	{ "h", "/src", 9, 0, 0 },
};

/* The section behind `before` bytes of something. */
static struct buf
section(struct sources_widths widths, size_t before)
{
	struct sources_writer *w = sources_writer_new(widths);
	struct buf b = { 0 };

	put_stack(w, STACK, rows, COUNT(rows));
	put_stack(w, STACK, rows, COUNT(rows));
	put_stack(w, OTHER, rows + 3, 2);
	put_stack(w, WITHOUT, rows + 8, 1);
	for (size_t i = 0; i < before; i++)
		buf_u8(&b, 'x');
	if (sources_write(w, NULL, 0, &b, NULL) != PROF_OK)
		abort();
	sources_writer_free(w);
	return b;
}

static struct prof_span
bytes(const struct buf *b)
{
	return (struct prof_span){ b->data, b->size };
}

static void
test_round_trips(void)
{
	static const struct sources_widths widths[] = {
		{ 0, 0, 0 }, { 24, 20, 20 }, { 1, 1, 62 }, { 62, 1, 1 },
		{ 1, 62, 1 }, { 4, 4, 56 }, { 31, 32, 1 }, { 8, 33, 23 },
	};

	for (size_t i = 0; i < COUNT(widths); i++) {
		struct buf b = section(widths[i], i);
		struct sources *s = open_sections(bytes(&b));
		struct prof_frame f[FRAMES_MAX];
		bool good = s != NULL &&
		    look_up(s, STACK, rows, COUNT(rows), f);

		check(good, "widths %zu: the stack is found", i);
		for (size_t k = 0; good && k < COUNT(rows); k++)
			check(same(&f[k], &rows[k]), "widths %zu, frame %zu",
			    i, k);
		check(s != NULL && look_up(s, OTHER, rows + 3, 2, f) &&
		    same(&f[0], &rows[3]) && same(&f[1], &rows[4]),
		    "widths %zu: another stack", i);
		check(s != NULL && sources_start(s) == (i + 7) / 8 * 8,
		    "widths %zu: begins at a multiple of 8", i);
		sources_close(s);
		buf_free(&b);
	}
}

static void
test_widths(void)
{
	static const struct sources_widths widths[] = {
		{ 24, 20, 21 }, { 0, 32, 32 }, { 32, 0, 32 }, { 32, 32, 0 },
		{ 64, 0, 0 }, { 255, 20, 20 },
	};

	for (size_t i = 0; i < COUNT(widths); i++)
		check(sources_writer_new(widths[i]) == NULL,
		    "widths of %u, %u and %u bits", widths[i].file,
		    widths[i].line, widths[i].discriminator);
}

static void
test_look_ups(void)
{
	struct buf b = section((struct sources_widths){ 0 }, 0);
	struct sources *s = open_sections(bytes(&b));
	struct prof_frame f[FRAMES_MAX];

	check(look_up(s, STACK, rows, 2, f) && f[0].file.data == NULL &&
	    is(f[0].function.name, "main"),
	    "a stack of another size has names only");
	check(!look_up(s, WITHOUT, rows + 8, 1, f),
	    "a stack of which nothing is known is not there");
	check(is(sources_name(s, prof_guid(span("g"))), "g"), "a name");
	check(sources_name(s, 1).data == NULL, "a guid without a name");
	check(sources_name(NULL, 1).data == NULL, "no sections");
	sources_close(s);
	buf_free(&b);
}

/* Sections follow each other; the last one is asked first. */
static void
test_chain(void)
{
	static const struct row other[] = { { "late", "c.c", 1, 0, 0 } };
	struct buf b = section((struct sources_widths){ 0 }, 3);
	struct sources_writer *w =
	    sources_writer_new((struct sources_widths){ 0 });
	struct prof_frame f[FRAMES_MAX];
	struct sources *s;

	put_stack(w, 5, other, 1);
	check(sources_write(w, NULL, 0, &b, NULL) == PROF_OK,
	    "a second section");
	sources_writer_free(w);
	s = open_sections(bytes(&b));
	check(s != NULL && sources_start(s) == 8, "both are found");
	check(look_up(s, 5, other, 1, f) && same(f, other),
	    "a stack of the second");
	check(look_up(s, OTHER, rows + 3, 2, f) && same(f, &rows[3]),
	    "a stack of the first");
	sources_close(s);
	buf_free(&b);
}

/* The suffixes that compilers append are not in LLVM's names. */
static void
test_longest_chain(void)
{
	struct prof_error e = { 0 };
	struct buf b = { 0 };
	struct sources *s;

	for (size_t i = 0; i < 65; i++) {
		struct sources_writer *w = sources_writer_new(
		    (struct sources_widths){ 0 });

		put_stack(w, i, rows, 1);
		if (sources_write(w, NULL, 0, &b, NULL) != PROF_OK)
			abort();
		sources_writer_free(w);
		if (i != 63)
			continue;
		s = open_sections(bytes(&b));
		check(s != NULL, "64 sections");
		sources_close(s);
	}
	check(sources_open(bytes(&b), &s, &e) == PROF_FAIL && s == NULL &&
	    e.code == PROF_E_LIMIT, "65 sections are refused");
	buf_free(&b);
}

static void
test_names(void)
{
	static const struct row names[] = {
		{ "f.llvm.77", "a.c", 1, 0, 0 },
	};
	struct sources_writer *w =
	    sources_writer_new((struct sources_widths){ 0 });
	struct buf b = { 0 };
	struct sources *s;

	put_stack(w, 1, names, 1);
	if (sources_write(w, NULL, 0, &b, NULL) != PROF_OK)
		abort();
	sources_writer_free(w);
	s = open_sections(bytes(&b));
	check(s != NULL && is(sources_name(s, prof_guid(span("f"))), "f"),
	    "a canonical name");
	sources_close(s);
	buf_free(&b);
}

static void
count_warning(void *arg, const struct prof_error *e)
{
	unsigned *count = arg;

	*count += e->code == PROF_E_UNSUPPORTED;
}

/* A path that is too long, one with NUL, and ever more deep ones. */
static void
test_bad_paths(void)
{
	unsigned warnings = 0;
	struct prof_context *c = prof_context_new(count_warning, &warnings);
	struct sources_writer *w =
	    sources_writer_new((struct sources_widths){ 0 });
	char *path = malloc(SOURCES_PATH_MAX + 2);
	struct prof_frame f = { .line = 1 };
	struct buf b = { 0 };
	struct sources *s;

	memset(path, 'a', SOURCES_PATH_MAX + 1);
	f.file = (struct prof_span){ (uint8_t *)path, SOURCES_PATH_MAX + 1 };
	check(sources_put_stack(w, 1, &f, 1, NULL) == PROF_OK, "a long path");
	f.file = (struct prof_span){ (const uint8_t *)"a\0b", 3 };
	check(sources_put_stack(w, 2, &f, 1, NULL) == PROF_OK, "NUL");
	for (int i = 0; i < 40; i++) {
		for (size_t k = 1; k < SOURCES_PATH_MAX; k += 2)
			path[k] = '/';
		path[0] = (char)('a' + i);
		f.file.data = (uint8_t *)path;
		f.file.size = SOURCES_PATH_MAX;
		sources_put_stack(w, 3 + (uint64_t)i, &f, 1, NULL);
	}
	check(sources_write(w, c, 0, &b, NULL) == PROF_OK && warnings == 1,
	    "what is left out is told once");
	s = open_sections(bytes(&b));
	check(s != NULL, "what is written can be read");
	sources_close(s);
	sources_writer_free(w);
	prof_context_free(c);
	buf_free(&b);
	free(path);
}

static void
test_entries(void)
{
	struct sources_writer *w =
	    sources_writer_new((struct sources_widths){ 0 });
	unsigned warnings = 0;
	struct prof_context *c = prof_context_new(count_warning, &warnings);
	struct sources_section section;
	struct sources_entries entries;
	struct sources_entry e = { .known = 0 };
	struct prof_mib m = { .fields = 0 };
	struct buf b = { 0 };

	mib_set(&m, PROF_MIB_ALLOC_COUNT, 4);
	mib_set(&m, PROF_MIB_TOTAL_SIZE, 171);
	mib_set(&m, PROF_MIB_MAX_ACCESS_COUNT, UINT64_MAX);
	mib_set(&m, PROF_MIB_NUM_MIGRATED_CPU, 65536);
	mib_set(&m, PROF_MIB_NUM_SAME_DEALLOC_CPU, 256);
	mib_set(&m, PROF_MIB_NUM_SAME_ALLOC_CPU, 255);
	sources_put_entry(w, STACK, &m, NULL);
	sources_put_entry(w, STACK, &m, NULL);
	m.value[PROF_MIB_ALLOC_COUNT] = 0;
	sources_put_entry(w, OTHER, &m, NULL);
	put_stack(w, STACK, rows, 1);
	check(sources_write(w, c, 0, &b, NULL) == PROF_OK && warnings == 1,
	    "values that are too large are told");
	check(sources_section_open(bytes(&b), &section, NULL) == PROF_OK &&
	    section.portable.data != NULL &&
	    sources_entries_begin(&entries, section.portable) &&
	    entries.left == 2, "each stack once");
	check(sources_entries_next(&entries, &e) == PROF_OK &&
	    e.known == (1 << 1 | 1 << 2 | 1 << 3 | 1 << 8 | 1 << 12 |
	    1 << 14 | 1 << 15), "the fields that were known");
	check(e.value[1] == STACK && e.value[2] == 4 && e.value[3] == 42 &&
	    e.value[8] == UINT64_MAX, "their values");
	check(e.value[12] == UINT16_MAX && e.value[14] == 255 &&
	    e.value[15] == UINT8_MAX, "the largest of a type");
	check(sources_entries_next(&entries, &e) == PROF_OK &&
	    e.value[1] == OTHER && e.value[2] == 0 && e.value[3] == 0,
	    "no average of nothing");
	check(sources_entries_next(&entries, &e) == PROF_END, "the end");
	sources_writer_free(w);
	prof_context_free(c);
	buf_free(&b);
}

/* Any schema can be read; what makes no sense cannot. */
static void
test_schemas(void)
{
	static const struct {
		const char *what;
		uint8_t table[24];
		size_t size;
		bool good;
		uint64_t tag2;
	} tables[] = {
		{ "no entries", { 0, [8] = 0 }, 16, true, 0 },
		{ "one byte", { 1, [8] = 1, 2, 1, 200 }, 16, true, 200 },
		{ "two bytes", { 1, [8] = 1, 2, 2, 1, 2 }, 16, true, 513 },
		{ "32 bits", { 1, [8] = 1, 2, 3, 0xff, 0xff, 0xff, 0xff, 0xf },
		    16, true, UINT32_MAX },
		{ "33 bits", { 1, [8] = 1, 2, 3, 0xff, 0xff, 0xff, 0xff,
		    0x1f }, 16, false, 0 },
		{ "an unknown tag", { 1, [8] = 2, 99, 1, 2, 1, 7, 8 }, 16,
		    true, 8 },
		{ "type 0", { 1, [8] = 1, 2, 0, 1 }, 16, false, 0 },
		{ "type 5", { 1, [8] = 1, 2, 5, 1 }, 16, false, 0 },
		{ "more than there is", { 9, [8] = 1, 2, 1, 1 }, 16, false,
		    0 },
		{ "entries of nothing", { 1, [8] = 0 }, 16, false, 0 },
		{ "a schema that is cut", { 0, [8] = 200 }, 16, false, 0 },
		{ "no header", { 0 }, 8, false, 0 },
	};

	for (size_t i = 0; i < COUNT(tables); i++) {
		struct sources_entries entries;
		struct sources_entry e = { .known = 0 };
		enum prof_status status = PROF_FAIL;

		if (sources_entries_begin(&entries, (struct prof_span){
		    tables[i].table, tables[i].size }))
			status = sources_entries_next(&entries, &e);
		check((status != PROF_FAIL) == tables[i].good &&
		    e.value[2] == (tables[i].good ? tables[i].tag2 :
		    e.value[2]), "a table of %s", tables[i].what);
	}
}

static void
set_crc(struct buf *b)
{
	size_t size = b->size - SOURCES_TRAILER;
	uint32_t crc = sources_crc((struct prof_span){ b->data, size });

	for (int i = 0; i < 4; i++)
		b->data[size + 16 + (size_t)i] = (uint8_t)(crc >> 8 * i);
}

/* Each field that is wrong, the checksum being right. */
static void
test_damage(void)
{
	static const struct {
		const char *what;
		size_t at;
		uint8_t xor;
	} damage[] = {
		{ "magic", 0, 1 }, { "version", 8, 2 }, { "header", 12, 8 },
		{ "header below its least", 12, 0x20 },
		{ "file bits", 16, 1 }, { "line bits", 17, 1 },
		{ "discriminator bits", 18, 1 },
		{ "stacks", 24, 1 }, { "stacks, huge", 31, 0x80 },
		{ "entries", 32, 1 }, { "overflow", 40, 1 },
		{ "nodes", 48, 1 }, { "strings", 56, 8 },
		{ "size", 64, 8 }, { "names", 80, 1 },
		{ "a stack's first entry", SOURCES_HEADER + 8, 0x40 },
		{ "a stack's entries", SOURCES_HEADER + 12, 0x40 },
		{ "order of stacks", SOURCES_HEADER + 1, 0xff },
		{ "an entry's file", SOURCES_HEADER + 32 + 7, 0x40 },
		{ "an entry of all ones", SOURCES_HEADER + 32 + 3 * 8, 1 },
	};

	for (size_t i = 0; i < COUNT(damage); i++) {
		struct buf b = section((struct sources_widths){ 0 }, 0);
		struct sources *s;

		b.data[damage[i].at] ^= damage[i].xor;
		set_crc(&b);
		s = open_sections(bytes(&b));
		check(s == NULL, "a section with bad %s", damage[i].what);
		sources_close(s);
		buf_free(&b);
	}
}

/* Every byte counts, and so does the end. */
static void
test_checksum(void)
{
	struct buf b = section((struct sources_widths){ 0 }, 0);
	size_t missed = 0, cut = 0;

	for (size_t i = 0; i < b.size; i++) {
		struct sources *s;

		b.data[i] ^= 0x10;
		s = open_sections(bytes(&b));
		missed += s != NULL;
		sources_close(s);
		b.data[i] ^= 0x10;
		s = open_sections((struct prof_span){ b.data, i });
		cut += s != NULL;
		sources_close(s);
	}
	check(missed == 0, "a flipped bit anywhere is seen");
	check(cut == 0, "a section that is cut anywhere is none");
	buf_free(&b);
}

/* Looks at all that a section has, as far as records can ask for it. */
static size_t
walk(struct sources *s)
{
	struct prof_frame f[FRAMES_MAX];
	size_t bytes_seen = 0;

	look_up(s, STACK, rows, COUNT(rows), f);
	for (size_t i = 0; i < COUNT(rows); i++) {
		for (size_t k = 0; k < f[i].file.size; k++)
			bytes_seen += f[i].file.data[k] != 0;
		for (size_t k = 0; k < f[i].function.name.size; k++)
			bytes_seen += f[i].function.name.data[k] != 0;
	}
	look_up(s, OTHER, rows + 3, 2, f);
	return bytes_seen;
}

/* Any byte of a section changed, the checksum being right. */
static void
test_mutations(void)
{
	struct buf b = section((struct sources_widths){ 0 }, 0);
	size_t size = b.size - SOURCES_TRAILER, open = 0, seen = 0;

	for (size_t i = 0; i < size * 8; i++) {
		struct sources *s;
		uint8_t old = b.data[i / 8];

		b.data[i / 8] ^= (uint8_t)(1U << i % 8);
		set_crc(&b);
		s = open_sections(bytes(&b));
		if (s != NULL) {
			open++;
			seen += walk(s);
		}
		sources_close(s);
		b.data[i / 8] = old;
	}
	check(open != 0 && open < size * 8 && seen != 0,
	    "%zu of %zu changes leave a section that can be read", open,
	    size * 8);
	buf_free(&b);
}

/* A section of `count` names, which all become ends of one of 70000 bytes. */
static bool
shared_name_is_read(size_t count)
{
	enum { LONG = 70000 };
	struct sources_writer *w =
	    sources_writer_new((struct sources_widths){ 0 });
	char *name = calloc(1, LONG + 1);
	struct row row = { name, "a.c", 1, 0, 0 };
	struct buf b = { 0 };
	struct sources *s;
	uint8_t *names, *strings;
	uint32_t start = 0;

	memset(name, 'x', LONG);
	for (size_t i = 0; i < count; i++) {
		put_stack(w, i, &row, 1);
		snprintf(name, LONG, "%zu", i);
	}
	if (sources_write(w, NULL, 0, &b, NULL) != PROF_OK)
		abort();
	names = b.data + b.size - SOURCES_TRAILER - count * SOURCES_NAME;
	strings = names - load_u64(b.data + 56, false);
	while (strlen((char *)strings + start) < LONG)
		start++;
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < 4; k++)
			names[i * SOURCES_NAME + 8 + k] =
			    (uint8_t)((start + i) >> 8 * k);
	}
	set_crc(&b);
	s = open_sections(bytes(&b));
	sources_writer_free(w);
	buf_free(&b);
	free(name);
	sources_close(s);
	return s != NULL;
}

static void
test_shared_names(void)
{
	check(shared_name_is_read(200), "names of 14 MB in 70 KB of strings");
	check(!shared_name_is_read(600), "names of 42 MB are refused");
}

/* A reader of version 1 without names skips what the header has more. */
static void
test_short_header(void)
{
	struct buf b = section((struct sources_widths){ 0 }, 0);
	struct buf c = { 0 };
	struct prof_frame f[FRAMES_MAX];
	struct sources *s;
	size_t names = (size_t)load_u64(b.data + 80, false) * SOURCES_NAME;

	buf_put(&c, b.data, SOURCES_HEADER_LEAST);
	buf_put(&c, b.data + SOURCES_HEADER, b.size - SOURCES_HEADER -
	    names - SOURCES_TRAILER);
	buf_put(&c, b.data + b.size - SOURCES_TRAILER, SOURCES_TRAILER);
	c.data[12] = SOURCES_HEADER_LEAST;
	buf_set_u64le(&c, 64, c.size);
	buf_set_u64le(&c, c.size - 24, c.size);
	set_crc(&c);
	s = open_sections(bytes(&c));
	check(s != NULL && look_up(s, OTHER, rows + 3, 2, f) &&
	    is(f[0].file, rows[3].file) && f[0].function.name.data == NULL,
	    "a header of 80 bytes");
	sources_close(s);
	buf_free(&b);
	buf_free(&c);
}

int
main(void)
{
	test_round_trips();
	test_widths();
	test_look_ups();
	test_chain();
	test_longest_chain();
	test_names();
	test_bad_paths();
	test_entries();
	test_schemas();
	test_damage();
	test_checksum();
	test_mutations();
	test_shared_names();
	test_short_header();
	return done_testing();
}
