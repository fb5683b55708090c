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
		return filter_name(f, side, span(text), false, err);
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
			same &= filter_function(f, &fn, NULL, &err) ==
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
		    PROF_OK && filter_function(f, &fn, NULL, &err) == PROF_OK;
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
	check(filter_function(f, &nul, NULL, &err) == PROF_OK,
	    "odd: a NUL is in no pattern");
	filter_name(f, FILTER_DROP, nul.symbol.name, false, &err);
	check(filter_function(f, &nul, NULL, &err) == PROF_END,
	    "odd: a NUL is in a name");
	filter_free(f);
	filter_free(NULL);
}

/* Knows some names, behind a file or alone. */
static const struct {
	const char *stored, *type, *plain, *parameters;
} demangled[] = {
	{ "_Zf", "", "n::f", "()" }, { "_Zt", "void ", "n::t<int>", "()" },
	{ "_Zg1", "", "n::g", "(int)" }, { "_Zg2", "", "n::g", "(long)" },
	{ "_Zh1", "", "m::g", "()" }, { "_Zc1", "", "A::A", "()" },
	{ "_Zc2", "", "A::A", "()" }, { "_Rx", "", "c::x::<i32>", "" },
	{ "_Ry", "", "<c::S as t::T>::y", "" },
	{ "_Zo", "", "n::operator<", "(n)" },
	{ "_Zl", "", "f(int)::{lambda(a::b)#1}::operator()", "(int)" },
	{ "_Zx", "", "(anonymous namespace)::z", "()" },
};

static void
demangle(struct buf *b, struct prof_span name, enum name_style style)
{
	struct prof_span file, tail = local_name_split(name, &file);

	buf_put(b, name.data, name.size - tail.size);
	for (size_t i = 0; i < COUNT(demangled); i++) {
		if (!prof_span_equal(tail, span(demangled[i].stored)))
			continue;
		if (style == NAME_WHOLE)
			buf_text(b, demangled[i].type);
		buf_text(b, demangled[i].plain);
		if (style != NAME_WITHOUT_PARAMETERS)
			buf_text(b, demangled[i].parameters);
		return;
	}
	buf_put(b, tail.data, tail.size);
}

/*
 * The functions of a profile, by place, that a filter keeps: a digit each.
 * PROF_FAIL with err if a name calls several.
 */
static enum prof_status
kept_of(struct filter *f, const char *const *names, char *kept,
    struct prof_error *err)
{
	const struct prof_record *held;
	size_t place = 0;
	bool waits, wanted;

	filter_begin_profile(f);
	for (size_t i = 0; names[i] != NULL; i++) {
		struct prof_function fn = { .symbol.name = span(names[i]),
		    .hash = i };

		if (filter_function(f, &fn, &waits, err) == PROF_OK)
			*kept++ = (char)('0' + i);
	}
	*kept = '\0';
	if (filter_end(f, err) != PROF_OK)
		return PROF_FAIL;
	while ((held = filter_next(f, &place, &wanted)) != NULL) {
		if (wanted)
			*kept++ = (char)('0' + held->u.function.hash);
	}
	*kept = '\0';
	return PROF_OK;
}

static void
test_forms(void)
{
	static const struct {
		enum what what;
		const char *given, *names[6], *kept;
	} rows[] = {
		{ NAME, "_Zf", { "_Zf" }, "0" },
		{ NAME, "n::f()", { "_Zf" }, "0" },
		{ NAME, "a.c;_Zf", { "a.c;_Zf" }, "0" },
		{ NAME, "a.c;n::f()", { "a.c;_Zf" }, "0" },
		{ NAME, "a.c:n::f()", { "a.c;_Zf" }, "" },
		{ NAME, "_Zf", { "a.c;_Zf", "b.c:_Zf" }, "01" },
		{ NAME, "_Zf", { "a.c;_Zf", "_Zf" }, "1" },
		{ NAME, "n::f()", { "a.c:_Zf" }, "0" },
		{ NAME, "f", { "a.c:f" }, "0" },
		{ NAME, "f", { "a.c:f", "_Zf", "f" }, "2" },
		{ NAME, "", { "a.c;" }, "" }, { NAME, "a.c;f", { "f" }, "" },
		{ NAME, "n::f", { "_Zg1", "_Zf" }, "1" },
		{ NAME, "f", { "_Zf", "_Zt" }, "0" },
		{ NAME, "f", { "a.c;_Zf" }, "0" },
		{ NAME, "f", { "_Zf", "a.c;f" }, "1" },
		{ NAME, ":f", { "_Zf" }, "" }, { NAME, "::f", { "_Zf" }, "" },
		{ NAME, "t", { "_Zt" }, "0" },
		{ NAME, "t<int>", { "_Zt" }, "0" },
		{ NAME, "n::t", { "_Zt" }, "0" },
		{ NAME, "int", { "_Zt" }, "" },
		{ NAME, "A::A", { "_Zc1", "_Zc2" }, "01" },
		{ NAME, "x", { "_Rx" }, "0" }, { NAME, "c::x", { "_Rx" }, "0" },
		{ NAME, "y", { "_Ry" }, "0" }, { NAME, "T>::y", { "_Ry" }, "" },
		{ NAME, "operator<", { "_Zo" }, "0" },
		{ NAME, "operator()", { "_Zl" }, "0" },
		{ NAME, "b)#1}::operator()", { "_Zl" }, "" },
		{ NAME, "z", { "_Zx" }, "0" },
		{ NAME, "g", { "_Zg1", "_Zg2" }, "n::g(int), n::g(long)" },
		{ NAME, "g", { "_Zg1", "a.c;_Zg1", "_Zh1", "_Zg2" },
		    "n::g(int), a.c;n::g(int), m::g() ..." },
		{ NAME, "m::g", { "_Zg1", "_Zh1" }, "1" },
		{ GLOB, "n::*", { "_Zf" }, "0" },
		{ GLOB, "_Z*", { "_Zf" }, "0" },
		{ GLOB, "n::*", { "a.c;_Zf" }, "0" },
		{ GLOB, "*;n::*", { "a.c;_Zf" }, "0" },
		{ GLOB, "n::*", { "f" }, "" },
		{ GLOB, "n::t<*", { "_Zt" }, "0" },
		{ GLOB, "void n::t<*", { "_Zt" }, "0" },
		{ GLOB, "a.c;n::*", { "a.c;_Zt" }, "0" },
		{ GLOB, "t<*", { "_Zt" }, "" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct filter *f = filter_new();
		struct prof_error err = { 0 };
		char kept[8];
		bool done;

		filter_all_forms(f, demangle);
		add(f, FILTER_KEEP, rows[i].what, rows[i].given, NULL);
		done = kept_of(f, rows[i].names, kept, &err) == PROF_OK;
		check(done ? strcmp(kept, rows[i].kept) == 0 :
		    err.code == PROF_E_MISMATCH &&
		    strstr(err.reason, rows[i].kept) != NULL,
		    "forms: '%s' for %s: %s", rows[i].given,
		    rows[i].names[0], done ? kept : err.reason);
		filter_free(f);
	}
}

/* What a name drops waits too, and may be kept by another. */
static void
test_dropped_forms(void)
{
	static const char *const names[] = { "_Zf", "b", "f", "_Zt", NULL };
	struct filter *f = filter_new();
	struct prof_error err = { 0 };
	char kept[8];

	filter_all_forms(f, demangle);
	add(f, FILTER_DROP, NAME, "f", NULL);
	add(f, FILTER_DROP, NAME, "n::t", NULL);
	check(kept_of(f, names, kept, &err) == PROF_OK &&
	    strcmp(kept, "10") == 0, "forms: dropped: %s", kept);
	check(kept_of(f, names + 3, kept, &err) == PROF_OK &&
	    strcmp(kept, "") == 0, "forms: of the next profile: %s", kept);
	filter_free(f);
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
	test_dropped_forms();
	return done_testing();
}
