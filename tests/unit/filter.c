/* Rules that keep and drop functions, and other names for them. */
#include "ops/filter.h"

#include <string.h>

#include "base/bytes.h"
#include "model/symtab.h"
#include "ops/paths.h"
#include "tests/support/records.h"
#include "tests/support/images.h"

static const struct {
	const char *name, *file, *rest;
} locals[] = {
	{ "main", NULL, "main" },
	{ "a.c;f", "a.c", "f" },
	{ "a.c:f", "a.c", "f" },
	{ "C:\\a.c:f", "C:\\a.c", "f" },
	{ "C:\\a.c;f", "C:\\a.c", "f" },
	{ "a:b.c;f:g", "a:b.c", "f:g" },
	{ "a.c;f;g", "a.c", "f;g" },
	{ ";f", "", "f" },
	{ ":f", "", "f" },
	{ "a.c:", NULL, "a.c:" },
	{ "a.c;", "a.c", "" },
	{ "-[A b:c:]", NULL, "-[A b:c:]" },
	{ "a.m:-[A b:c:]", "a.m", "-[A b:c:]" },
	{ "a.m:+[A b:]", "a.m", "+[A b:]" },
	{ "", NULL, "" },
};

static void
test_locals(void)
{
	for (size_t i = 0; i < COUNT(locals); i++) {
		struct prof_span file, rest = local_name_split(
		    span(locals[i].name), &file);

		check(prof_span_equal(rest, span(locals[i].rest)) &&
		    (locals[i].file == NULL ? file.data == NULL :
		    prof_span_equal(file, span(locals[i].file))),
		    "local name: '%s'", locals[i].name);
	}
}

static const struct {
	const char *rules[3];
	size_t strip;
	const char *name, *renamed;
} paths[] = {
	{ { NULL }, 0, "/a/b.c;f", "/a/b.c;f" },
	{ { NULL }, 1, "/a/b.c;f", "a/b.c;f" },
	{ { NULL }, 2, "/a/b.c;f", "b.c;f" },
	{ { NULL }, 3, "/a/b.c;f", "b.c;f" },
	{ { NULL }, SIZE_MAX, "/a/b.c:f", "b.c:f" },
	{ { NULL }, SIZE_MAX, "C:\\a\\b.c:f", "b.c:f" },
	{ { NULL }, SIZE_MAX, "b.c;f/g", "b.c;f/g" },
	{ { NULL }, SIZE_MAX, "a/;f", "<unknown>;f" },
	{ { NULL }, SIZE_MAX, "f/g", "f/g" },
	{ { "/a=/x" }, 0, "/a/b.c;f", "/x/b.c;f" },
	{ { "/a=/x" }, 0, "/b/a.c;f", "/b/a.c;f" },
	{ { "/a=/x" }, 0, "/a", "/a" },
	{ { "/a=/x", "/a/b=/y" }, 0, "/a/b.c;f", "/y.c;f" },
	{ { "/a/b=/y", "/a=/x" }, 0, "/a/b.c;f", "/y.c;f" },
	{ { "/a=1", "/a=2" }, 0, "/a;f", "2;f" },
	{ { "/a/=" }, 0, "/a/b.c;f", "b.c;f" },
	{ { "/a/b.c=" }, 0, "/a/b.c;f", "<unknown>;f" },
	{ { "=/x/" }, 0, "b.c;f", "/x/b.c;f" },
	{ { "a=b=c" }, 0, "a;f", "b=c;f" },
	{ { "/a=/x/y" }, 2, "/a/b.c;f", "y/b.c;f" },
	{ { "/a/b.c;=x" }, 0, NULL, NULL },
	{ { "a" }, 0, NULL, NULL },
};

static void
test_paths(void)
{
	for (size_t i = 0; i < COUNT(paths); i++) {
		struct paths p = { .strip = paths[i].strip };
		struct arena arena = { 0 };
		struct prof_error err = { 0 };
		bool done = true;

		for (size_t k = 0; done && paths[i].rules[k] != NULL; k++)
			done = paths_add(&p, paths[i].rules[k], &err) ==
			    PROF_OK;
		if (done && paths[i].name != NULL) {
			struct prof_span name = span(paths[i].name);
			uint64_t guid = prof_guid(name);

			check(paths_rename(&p, &arena, &name, &guid) &&
			    prof_span_equal(name, span(paths[i].renamed)) &&
			    guid == prof_guid(name), "paths: %s to %s",
			    paths[i].name, paths[i].renamed);
		} else
			check(!done && paths[i].name == NULL &&
			    err.code == PROF_E_FORMAT, "paths: no rule: %s",
			    paths[i].rules[0]);
		arena_free(&arena);
		paths_free(&p);
	}
}

/* Every place in a record that has a name, and one that has none. */
static void
test_rename(void)
{
	const char *const old[] = { "/a.c;f", "/a.c;v", "/b.c;g" };
	const struct prof_value values[] = {
		{ prof_guid(span(old[0])), 3, span(old[0]) },
		{ 5, 2, { NULL, 0 } },
		{ 0, 1, { NULL, 0 } },
	};
	const struct prof_value sizes[] = { { 8, 1, { NULL, 0 } } };
	const struct prof_site target = { values, 3 }, size = { sizes, 1 };
	const struct prof_symbol traced[] = {
		{ span(old[2]), 0 }, { { NULL, 0 }, 9 },
	};
	struct prof_record r = { .kind = PROF_REC_FUNCTION, .u.function = {
	    .symbol = { .name = span(old[0]) }, .values = { { &target, 1 }, {
	    &size, 1 }, { &target, 1 } } } };
	struct prof_record vtable = { .kind = PROF_REC_VTABLE, .u.vtable = {
	    .symbol = { span(old[1]), prof_guid(span(old[1])) } } };
	struct prof_record trace = { .kind = PROF_REC_TRACE, .u.trace = {
	    1, traced, 2 } };
	struct paths p = { .strip = SIZE_MAX };
	struct arena arena = { 0 };
	struct prof_record out;
	const struct prof_function *f = &out.u.function;
	const struct prof_value *v;

	check(rename_record(&r, &out, &(struct rename){ paths_rename, &p, &arena
	    }, NULL) == PROF_OK && prof_span_equal(f->symbol.name,
	    span("a.c;f")) && f->symbol.guid == prof_guid(span("a.c;f")),
	    "rename: a function");
	for (unsigned kind = 0; kind < PROF_VALUE_KINDS; kind += 2) {
		v = f->values[kind].sites[0].values;
		check(prof_span_equal(v[0].name, span("a.c;f")) && v[0].value ==
		    f->symbol.guid && v[0].count == 3 && v[1].value == 5 &&
		    v[1].count == 2 && v[2].value == 0,
		    "rename: targets of kind %u", kind);
	}
	check(f->values[1].sites == &size, "rename: sizes");
	check(rename_record(&vtable, &out, &(struct rename){ paths_rename, &p,
	    &arena }, NULL) == PROF_OK && out.u.vtable.symbol.guid ==
	    prof_guid(span("a.c;v")), "rename: a vtable");
	check(rename_record(&trace, &out, &(struct rename){ paths_rename, &p,
	    &arena }, NULL) == PROF_OK &&
	    prof_span_equal(out.u.trace.functions[0].name, span("b.c;g")) &&
	    out.u.trace.functions[1].guid == 9, "rename: a trace");
	check(rename_record(&r, &out, &(struct rename){ rename_to_guid, NULL,
	    &arena }, NULL) == PROF_OK && f->symbol.name.data == NULL &&
	    f->symbol.guid == prof_guid(span(old[0])) &&
	    f->values[0].sites[0].values[0].name.data == NULL &&
	    f->values[0].sites[0].values[0].value == values[0].value, "rename: "
	    "guids only");
	arena_free(&arena);
}

enum what { NAME, GLOB, REGEX, HASH, LIST };

/* Functions of the tests: the one without a name has the guid of "b". */
static const struct {
	const char *name;
	uint64_t hash, counts[2];
} functions[] = {
	{ "a", 1, { 0, 0 } },
	{ NULL, 2, { 7, 3 } },
	{ "dir/a.c;f", 3, { 3, 9 } },
	{ "_Z1fv", 1, { PROF_COUNT_WARM, 0 } },
};

static const struct {
	const char *name;
	struct {
		enum filter_side side;
		enum what what;
		const char *text;
	} rules[3];
	uint64_t min_count;
	const char *kept;		/* of each function: y or n */
} filters[] = {
	{ "no rule", { { 0 } }, 0, "yyyy" },
	{ "a name", { { FILTER_KEEP, NAME, "a" } }, 0, "ynnn" },
	{ "the name of a guid", { { FILTER_KEEP, NAME, "b" } }, 0, "nynn" },
	{ "two names", { { FILTER_KEEP, NAME, "a" },
	    { FILTER_KEEP, NAME, "_Z1fv" } }, 0, "ynny" },
	{ "a name to drop", { { FILTER_DROP, NAME, "b" } }, 0, "ynyy" },
	{ "drop wins", { { FILTER_KEEP, GLOB, "*" },
	    { FILTER_DROP, NAME, "a" } }, 0, "nnyy" },
	{ "a glob", { { FILTER_KEEP, GLOB, "*a*" } }, 0, "ynyn" },
	{ "a glob is for the whole", { { FILTER_KEEP, GLOB, "a" } }, 0,
	    "ynnn" },
	{ "a glob with a set", { { FILTER_KEEP, GLOB, "_Z[0-9]*" } }, 0,
	    "nnny" },
	{ "a regex is for a part", { { FILTER_KEEP, REGEX, "f" } }, 0,
	    "nnyy" },
	{ "a regex with ends", { { FILTER_KEEP, REGEX, "^(a|_Z.*v)$" } }, 0,
	    "ynny" },
	{ "no name, no match", { { FILTER_DROP, REGEX, "." } }, 0, "nynn" },
	{ "a hash", { { FILTER_KEEP, HASH, "1" } }, 0, "ynny" },
	{ "a hash to drop", { { FILTER_DROP, HASH, "2" } }, 0, "ynyy" },
	{ "either", { { FILTER_KEEP, HASH, "3" },
	    { FILTER_KEEP, REGEX, "^a$" } }, 0, "ynyn" },
	{ "a list of none", { { FILTER_KEEP, LIST, "" } }, 0, "nnnn" },
	{ "a list of none to drop", { { FILTER_DROP, LIST, "" } }, 0,
	    "yyyy" },
	{ "a count", { { 0 } }, 8, "nnyy" },
	{ "a count that is there", { { 0 } }, 9, "nnyy" },
	{ "a count and a name", { { FILTER_KEEP, NAME, "a" } }, 1, "nnnn" },
};

static enum prof_status
add(struct filter *f, enum filter_side side, enum what what,
    const char *text, struct prof_error *err)
{
	switch (what) {
	case NAME:
		return filter_name(f, side, span(text), err);
	case GLOB:
		return filter_glob(f, side, text, err);
	case REGEX:
		return filter_regex(f, side, text, err);
	case HASH:
		return filter_hash(f, side, strtoull(text, NULL, 10), err);
	case LIST:
		filter_begin(f, side);
		break;
	}
	return PROF_OK;
}

static void
test_filters(void)
{
	for (size_t i = 0; i < COUNT(filters); i++) {
		struct filter *f = filter_new();
		struct prof_error err = { 0 };
		bool same = true;

		for (size_t k = 0; filters[i].rules[k].text != NULL; k++)
			same &= add(f, filters[i].rules[k].side,
			    filters[i].rules[k].what,
			    filters[i].rules[k].text, &err) == PROF_OK;
		filter_min_count(f, filters[i].min_count);
		for (size_t k = 0; k < COUNT(functions); k++) {
			struct prof_function fn = {
				.hash = functions[k].hash,
				.counts = functions[k].counts,
				.counts_size = 2,
			};

			if (functions[k].name != NULL)
				fn.symbol.name = span(functions[k].name);
			else
				fn.symbol.guid = prof_guid(span("b"));
			same &= filter_function(f, &fn, &err) ==
			    (filters[i].kept[k] == 'y' ? PROF_OK : PROF_END);
		}
		check(same, "filter: %s", filters[i].name);
		filter_free(f);
	}
}

/* Names are begin, many times x, and end. */
static const struct {
	const char *regex, *begin, *end;
	size_t length;
	bool found;
} regexes[] = {
	{ "ax", "a", "", 1, true }, { "^ax*b$", "a", "b", 5000, true },
	{ "^b", "a\n", "b", 0, false }, { "a.*b", "a\n", "\nb", 1, true },
	{ "(b)\\1", "a", "bb", 1, true }, { "\377", "a", "\377", 1, true },
	/* Of a long name, the end is not read. */
	{ "x$|b", "a", "b", 16382, true }, { "x$|b", "a", "b", 16383, false },
	{ "x$|b", "a", "bc", 16382, true },
};

static void
test_regexes(void)
{
	for (size_t i = 0; i < COUNT(regexes); i++) {
		const size_t length = regexes[i].length;
		struct filter *f = filter_new();
		struct prof_function fn = { .hash = 1 };
		struct prof_error err = { 0 };
		struct buf name = { 0 };
		bool found;

		buf_text(&name, regexes[i].begin);
		memset(buf_reserve(&name, length), 'x', length);
		name.size += length;
		buf_text(&name, regexes[i].end);
		fn.symbol.name = buf_span(&name);
		found = filter_regex(f, FILTER_KEEP, regexes[i].regex, &err) ==
		    PROF_OK && filter_function(f, &fn, &err) == PROF_OK;
		check(found == regexes[i].found && err.reason[0] == '\0',
		    "regex: '%s' in a name of %zu bytes", regexes[i].regex,
		    name.size);
		filter_free(f);
		buf_free(&name);
	}
}

static void
test_odd_names(void)
{
	struct filter *f = filter_new();
	struct prof_error err = { 0 };
	struct prof_function nul = { .symbol.name = {
	    (const uint8_t *)"a\0b", 3 } };

	check(filter_regex(f, FILTER_KEEP, "(", &err) == PROF_FAIL &&
	    err.code == PROF_E_FORMAT, "odd: a bad regex: %s", err.reason);
	err.code = PROF_E_NONE;
	filter_glob(f, FILTER_DROP, "a*", &err);
	check(filter_function(f, &nul, &err) == PROF_OK,
	    "odd: a NUL is in no pattern");
	filter_name(f, FILTER_DROP, nul.symbol.name, &err);
	check(filter_function(f, &nul, &err) == PROF_END,
	    "odd: a NUL is in a name");
	filter_free(f);
	filter_free(NULL);
}

/* Knows two names, "_Zf" and a template "_Zt", behind a file or alone. */
static void
demangle_name(struct buf *b, struct prof_span name, const char *type)
{
	struct prof_span file, tail = local_name_split(name, &file);

	if (prof_span_equal(tail, span("_Zf"))) {
		buf_put(b, name.data, name.size - tail.size);
		buf_text(b, "n::f()");
	} else if (prof_span_equal(tail, span("_Zt"))) {
		buf_put(b, name.data, name.size - tail.size);
		buf_text(b, type);
		buf_text(b, "n::t<int>()");
	} else
		buf_put(b, name.data, name.size);
}

static void
demangle_f(struct buf *b, struct prof_span name)
{
	demangle_name(b, name, "void ");
}

static void
demangle_without_type(struct buf *b, struct prof_span name)
{
	demangle_name(b, name, "");
}

static void
test_forms(void)
{
	static const struct {
		enum what what;
		const char *given, *name;
		bool kept;
	} rows[] = {
		{ NAME, "_Zf", "_Zf", true },
		{ NAME, "n::f()", "_Zf", true },
		{ NAME, "n::f", "_Zf", false },
		{ NAME, "a.c;_Zf", "a.c;_Zf", true },
		{ NAME, "a.c;n::f()", "a.c;_Zf", true },
		{ NAME, "a.c:n::f()", "a.c;_Zf", false },
		{ NAME, "_Zf", "a.c;_Zf", true },
		{ NAME, "n::f()", "a.c:_Zf", true },
		{ NAME, "f", "a.c:f", true }, { NAME, "f", "f", true },
		{ NAME, "", "a.c;", false }, { NAME, "a.c;f", "f", false },
		{ GLOB, "n::*", "_Zf", true }, { GLOB, "_Z*", "_Zf", true },
		{ GLOB, "n::*", "a.c;_Zf", false },
		{ GLOB, "*;n::*", "a.c;_Zf", true },
		{ GLOB, "n::*", "f", false }, { GLOB, "n::t<*", "_Zt", true },
		{ GLOB, "void n::t<*", "_Zt", true },
		{ GLOB, "a.c;n::*", "a.c;_Zt", true },
		{ GLOB, "t<*", "_Zt", false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct prof_function fn = { .symbol.name = span(rows[i].name) };
		struct filter *f = filter_new();

		filter_all_forms(f, demangle_f, demangle_without_type);
		add(f, FILTER_KEEP, rows[i].what, rows[i].given, NULL);
		check((filter_function(f, &fn, NULL) == PROF_OK) ==
		    rows[i].kept, "forms: '%s' for %s", rows[i].given,
		    rows[i].name);
		filter_free(f);
	}
}

int
main(void)
{
	test_locals();
	test_paths();
	test_rename();
	test_filters();
	test_regexes();
	test_odd_names();
	test_forms();
	return done_testing();
}
