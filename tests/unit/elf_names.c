/* Names in ELF files that are made here, of both classes and byte orders. */
#include "config.h"

#include "sym/elf_names.h"

#include <string.h>

#include "base/bytes.h"
#include "tests/support/test.h"

/* Of the file: header, names of all kinds, symbols, section headers. */
enum { STRINGS = 64, STRINGS_SIZE = 80, SYMBOLS = STRINGS + STRINGS_SIZE };

static const char strings[STRINGS_SIZE] =
    "\0.debug_str\0first\0second\0undefined\0data\0";
enum { DEBUG_STR = 1, FIRST = 12, SECOND = 18, UNDEFINED = 25, DATA = 35 };

struct machine {
	bool wide, big;
};

/* What is changed in the file. */
struct change {
	const char *what;
	const char *reason;		/* part of it; NULL: it is read */
	uint32_t link;			/* of the symbols */
	uint64_t at, size;		/* of the strings */
	uint64_t entry_size;		/* of symbols; 0: right */
	unsigned names;			/* the section of names */
	unsigned symbols;		/* how many; 0: 4 */
	unsigned missing;		/* bytes of a section's header */
	unsigned tail;			/* size of FIRST, at the end */
	const char *visited;		/* names, NULL: those of all */
	bool many;			/* number of sections in the first */
	bool twice;			/* two tables of symbols */
};

static void
put_number(struct buf *b, const struct machine *m, unsigned size, uint64_t v)
{
	for (unsigned i = 0; i < size; i++)
		buf_u8(b, (uint8_t)(v >> 8 * (m->big ? size - 1 - i : i)));
}

static void
put_word(struct buf *b, const struct machine *m, uint64_t v)
{
	put_number(b, m, m->wide ? 8 : 4, v);
}

static void
put_symbol(struct buf *b, const struct machine *m, uint32_t name,
    unsigned type, unsigned section)
{
	put_number(b, m, 4, name);
	if (!m->wide)
		buf_zeros(b, 8);
	buf_u8(b, (uint8_t)type);
	buf_u8(b, 0);
	put_number(b, m, 2, section);
	if (m->wide)
		buf_zeros(b, 16);
}

struct section {
	uint32_t name, type, link;
	uint64_t flags, at, size, entry_size;
};

static void
put_section(struct buf *b, const struct machine *m, const struct section *s)
{
	put_number(b, m, 4, s->name);
	put_number(b, m, 4, s->type);
	put_word(b, m, s->flags);
	put_word(b, m, 0);
	put_word(b, m, s->at);
	put_word(b, m, s->size);
	put_number(b, m, 4, s->link);
	put_number(b, m, 4, 0);
	put_word(b, m, 0);
	put_word(b, m, s->entry_size);
}

static void
put_header(struct buf *b, const struct machine *m, const struct change *c,
    uint64_t sections)
{
	static const uint8_t magic[] = { 0x7f, 'E', 'L', 'F' };

	buf_put(b, magic, sizeof(magic));
	buf_u8(b, m->wide ? 2 : 1);
	buf_u8(b, m->big ? 2 : 1);
	buf_zeros(b, m->wide ? 34 : 26);
	put_word(b, m, sections);
	buf_zeros(b, 10);
	put_number(b, m, 2, (m->wide ? 64 : 40) - c->missing);
	put_number(b, m, 2, c->many ? 0 : c->twice ? 5 : 4);
	put_number(b, m, 2, c->names);
	buf_zeros(b, STRINGS - b->size);
}

static struct buf
make_file(const struct machine *m, const struct change *c)
{
	struct buf b = { 0 };
	unsigned symbols = c->symbols == 0 ? 4 : c->symbols;
	uint64_t symbol = m->wide ? 24 : 16;
	uint64_t end = SYMBOLS + symbol * symbols + 4 * (m->wide ? 64u : 40u);
	const struct section names = { .type = 2, .link = c->link,
	    .at = SYMBOLS, .size = symbol * symbols, .entry_size =
	    c->entry_size != 0 ? c->entry_size : symbol };
	const struct section table[] = {
		{ .size = c->many ? 4 : 0, .link = 1 },
		{ .type = 3, .at = c->tail == 0 ? c->at : end - FIRST,
		    .size = c->tail == 0 ? c->size : FIRST + c->tail + 1 },
		names,
		{ .name = DEBUG_STR, .type = 1, .at = STRINGS + SECOND,
		    .size = 7 },
		names,
	};

	put_header(&b, m, c, SYMBOLS + symbol * symbols);
	buf_put(&b, strings, sizeof(strings));
	put_symbol(&b, m, FIRST, 2, 1);
	put_symbol(&b, m, UNDEFINED, 2, 0);
	put_symbol(&b, m, DATA, 1, 1);
	put_symbol(&b, m, FIRST + 2, 10, 1);
	for (unsigned i = 4; i < symbols; i++)
		put_symbol(&b, m, FIRST, 2, 1);
	for (size_t i = 0; i < (c->twice ? 5 : 4); i++)
		put_section(&b, m, &table[i]);
	for (unsigned i = 0; i < c->tail; i++)
		buf_u8(&b, 'x');
	if (c->tail != 0)
		buf_u8(&b, '\0');
	return b;
}

static bool
add_name(void *arg, struct prof_span name)
{
	buf_put(arg, name.data, name.size);
	buf_u8(arg, ' ');
	return true;
}

static bool
end_visit(void *arg, struct prof_span name)
{
	++*(size_t *)arg;
	return name.size == 0;
}

/* Whether these names are visited, or the reason is the one of the change. */
static void
test_file(const struct machine *m, const struct change *c, const char *want)
{
	struct buf b = make_file(m, c), names = { 0 };
	struct prof_error err = { 0 };
	enum prof_status status = elf_names_visit((struct prof_span){ b.data,
	    b.size }, add_name, &names, &err);

	buf_u8(&names, '\0');
	if (c->reason == NULL)
		check(status == PROF_OK &&
		    strcmp((const char *)names.data, want) == 0,
		    "%d bits, %s: %s: %s%s", m->wide ? 64 : 32,
		    m->big ? "big" : "little", c->what,
		    (const char *)names.data, err.reason);
	else
		check(status == PROF_FAIL && strstr(err.reason, c->reason) !=
		    NULL, "%d bits, %s: %s: %s", m->wide ? 64 : 32,
		    m->big ? "big" : "little", c->what, err.reason);
	buf_free(&names);
	buf_free(&b);
}

static bool
count_name(void *arg, struct prof_span name)
{
	*(size_t *)arg += name.size != 0;
	return true;
}

/* A name may be that of many functions, as of static ones of many sources. */
static void
test_shared_name(const struct machine *m)
{
	static const struct change c = { "one name often", NULL, 1,
	    STRINGS, STRINGS_SIZE, .names = 1, .symbols = 1000 };
	struct buf b = make_file(m, &c);
	struct prof_error err = { 0 };
	size_t calls = 0;

	check(elf_names_visit((struct prof_span){ b.data, b.size }, count_name,
	    &calls, &err) == PROF_OK && calls == 999, "%s: %zu: %s", c.what,
	    calls, err.reason);
	buf_free(&b);
}

/* Each file that is cut off gives names or a reason, and reads no byte more. */
static void
test_cuts(const struct machine *m, const struct change *c)
{
	struct buf b = make_file(m, c), names = { 0 };
	size_t failed = 0, cut;

	for (cut = 0; cut < b.size; cut++) {
		struct prof_error err = { 0 };
		uint8_t *copy = malloc(cut == 0 ? 1 : cut);
		enum prof_status status;

		memcpy(copy, b.data, cut);
		status = elf_names_visit((struct prof_span){ copy, cut },
		    add_name, &names, &err);
		failed += status == PROF_FAIL && err.reason[0] != '\0';
		free(copy);
	}
	check(failed == cut, "cut files have a reason: %zu of %zu", failed,
	    cut);
	buf_free(&names);
	buf_free(&b);
}

int
main(void)
{
	static const struct machine machines[] = { { true, false },
	    { true, true }, { false, false }, { false, true } };
#define STRINGS_ARE .at = STRINGS, .size = STRINGS_SIZE
	static const struct change changes[] = {
		{ "whole", NULL, 1, STRINGS_ARE, .names = 1 },
		{ "counted in the first section", NULL, 1, STRINGS_ARE,
		    .names = 0xffff, .many = true },
		{ "only the first table of symbols", NULL, 1, STRINGS_ARE,
		    .names = 1, .twice = true },
		{ "without names of sections", NULL, 1, STRINGS_ARE },
		{ "no such section of strings", "section 9 is not one of 4", 9,
		    STRINGS_ARE, .names = 1 },
		{ "no such section of names", "section 7 is not one of 4", 1,
		    STRINGS_ARE, .names = 7 },
		{ "strings behind the end", "exceeds the file's", 1,
		    1 << 20, 4, .names = 1 },
		{ "strings larger than the file", "exceeds the file's", 1,
		    STRINGS, 1 << 20, .names = 1 },
		{ "strings that end with a name of a section", NULL, 1,
		    STRINGS, FIRST, .names = 1, .visited = "second " },
		{ "strings that end in a name of a section", NULL, 1,
		    STRINGS, FIRST - 1, .names = 1, .visited = "" },
		{ "small headers of sections", "are outside the file", 1,
		    STRINGS_ARE, .names = 1, .missing = 1 },
		{ "small symbols", "symbols of 3 bytes are smaller", 1,
		    STRINGS_ARE, .entry_size = 3, .names = 1 },
		{ "a long name too often", "names of symbols: more than ", 1,
		    STRINGS_ARE, .symbols = 3000, .tail = 10000 },
	};
	struct buf whole = make_file(&machines[0], &changes[0]);
	size_t calls = 0;

	for (size_t i = 0; i < 4; i++) {
		for (size_t k = 0; k < sizeof(changes) / sizeof(changes[0]);
		    k++)
			test_file(&machines[i], &changes[k],
			    changes[k].visited != NULL ? changes[k].visited :
			    changes[k].names == 0 ? "first rst " :
			    "first rst second ");
		test_cuts(&machines[i], &changes[0]);
		test_shared_name(&machines[i]);
	}
	check(elf_names_visit((struct prof_span){ whole.data, whole.size },
	    end_visit, &calls, NULL) == PROF_END && calls == 1,
	    "false ends the visit");
	buf_free(&whole);
	return done_testing();
}
