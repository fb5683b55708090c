/* cover/json.c - the JSON of llvm-cov, byte for byte */
#include "config.h"

#include "base/error.h"
#include "base/numbers.h"
#include "cover/writer.h"

/* What differs between releases (llvm-cov, CoverageExporterJson.cpp). */
static const struct json_layout {
	unsigned release;		/* the first that has it */
	const char *version;
	bool decisions;			/* mcdc_records */
	bool vectors;			/* with the ways that were executed */
} layouts[] = {
	{ 22, "3.1.0", true, true },
	{ 18, "2.0.1", true, false },
	{ 0, "2.0.1", false, false },
};

struct json {
	struct cover_writer writer;
	const struct json_layout *layout;
	struct cover_json_options options;
	struct cover_walk walk;
	bool drops_constants;		/* branches that can go no way */
};

/* JSON of LLVM has signed numbers of 64 bits. */
static unsigned long long
json_count(uint64_t n)
{
	return ull(n > INT64_MAX ? INT64_MAX : n);
}

static void
json_put_places(struct buf *b, const struct cover_region *r)
{
	const uint64_t places[] = { r->start.line, r->start.column,
	    r->end.line, r->end.column };

	buf_u8(b, '[');
	digits_append_many(b, places, 4, ",");
}

/* The places of a region, numbers and its kind. */
static void
json_put_row(struct buf *b, const struct cover_region *r,
    const uint64_t *numbers, size_t size)
{
	json_put_places(b, r);
	digits_append_many(b, numbers, size, ",");
	digits_append(b, r->kind);
	buf_u8(b, ']');
}

static void
json_put_region(struct buf *b, const struct cover_region *r)
{
	const uint64_t numbers[] = { json_count(r->count), r->file,
	    r->expanded };

	json_put_row(b, r, numbers, 3);
}

static void
json_put_regions(struct buf *b, const struct cover_function *f)
{
	buf_u8(b, '[');
	for (size_t i = 0; i < f->regions_size; i++) {
		cover_begin_item(b);
		json_put_region(b, &f->regions[i]);
	}
	buf_u8(b, ']');
}

static void
json_put_branch(struct json *j, const struct cover_region *r)
{
	const uint64_t numbers[] = { json_count(r->count),
	    json_count(r->other), r->file, r->expanded };
	struct buf *b = &j->writer.out;

	if (r->folded && r->other_folded && j->drops_constants)
		return;
	cover_begin_item(b);
	json_put_row(b, r, numbers, 4);
}

static void
json_put_decision(struct json *j, const struct cover_decision *d)
{
	static const char *const words[] = { "false", "true", "null" };
	struct buf *b = &j->writer.out;
	const uint8_t *outcome = d->outcomes;
	size_t n = d->conditions_size;

	cover_begin_item(b);
	json_put_places(b, &d->region);
	if (j->layout->vectors)
		buf_print(b, "%zu,%zu,%u,", d->ways - d->false_ways,
		    d->false_ways, d->region.file);
	buf_print(b, "%u,%u,[", d->region.expanded, COVER_DECISION);
	for (size_t i = 0; i < n; i++)
		buf_print(b, "%s%s", i > 0 ? "," : "",
		    words[d->conditions[i].covered]);
	buf_u8(b, ']');
	if (j->layout->vectors) {
		buf_text(b, ",[");
		for (size_t i = 0; i < d->ways; i++) {
			buf_print(b, "%s{\"conditions\":[", i > 0 ? "," : "");
			for (size_t k = 0; k < n; k++)
				buf_print(b, "%s%s", k > 0 ? "," : "",
				    words[*outcome++]);
			buf_print(b, "],\"executed\":true,\"result\":%s}",
			    words[i >= d->false_ways]);
		}
		buf_u8(b, ']');
	}
	buf_u8(b, ']');
}

static bool
json_leave_use(void *arg, struct cover_walk *w, const struct cover_region *use)
{
	const uint32_t *list;
	size_t size = cover_walk_branches(w, use->expanded, &list);

	for (size_t i = 0; i < size; i++)
		json_put_branch(arg, &w->function->branches[list[i]]);
	return true;
}

static void
json_put_filenames(struct json *j, const struct cover_function *f)
{
	struct buf *b = &j->writer.out;

	buf_text(b, "\"filenames\":[");
	for (uint32_t i = 0; i < f->files_size; i++) {
		cover_begin_item(b);
		cover_quote(b, j->writer.cover->paths.items[f->files[i]]);
	}
	buf_u8(b, ']');
}

/* Each use of a macro in a main file, with all regions of its function. */
static enum prof_status
json_put_expansions(struct json *j, uint32_t path, struct prof_error *err)
{
	struct cover *c = j->writer.cover;
	struct buf *b = &j->writer.out;
	const struct cover_function *f;
	const uint32_t *uses;
	size_t size;

	j->drops_constants = true;
	buf_text(b, "\"expansions\":[");
	for (size_t i = c->first[path]; i < c->first[path + 1]; i++) {
		f = cover_function_at(c, c->users[i]);
		if (!cover_is_main_of(f, path))
			continue;
		if (!cover_walk_function(&j->walk, f))
			return err_memory(err);
		size = cover_walk_uses(&j->walk, f->main_file, &uses);
		for (size_t k = 0; k < size; k++) {
			cover_begin_item(b);
			buf_text(b, "{\"branches\":[");
			if (!cover_walk_use(&j->walk, uses[k], NULL,
			    json_leave_use, j))
				return err_memory(err);
			buf_text(b, "],");
			json_put_filenames(j, f);
			buf_text(b, ",\"source_region\":");
			json_put_region(b, &f->regions[uses[k]]);
			buf_text(b, ",\"target_regions\":");
			json_put_regions(b, f);
			buf_u8(b, '}');
			if (cover_writer_flush(&j->writer, WRITER_PIECE, err) !=
			    PROF_OK)
				return PROF_FAIL;
		}
	}
	buf_text(b, "],");
	return PROF_OK;
}

/* Branches and decisions of a file; those in macros are in its expansions. */
static void
json_put_branches(struct json *j, uint32_t path, bool decisions)
{
	struct cover *c = j->writer.cover;
	const struct cover_function *f;

	j->drops_constants = false;
	for (size_t i = c->first[path]; i < c->first[path + 1]; i++) {
		f = cover_function_at(c, c->users[i]);
		for (size_t k = 0; k < f->branches_size && !decisions; k++) {
			if (cover_file_has(c, path, f, &f->branches[k]))
				json_put_branch(j, &f->branches[k]);
		}
		for (size_t k = 0; k < f->decisions_size && decisions; k++) {
			if (f->files[f->decisions[k].region.file] == path)
				json_put_decision(j, &f->decisions[k]);
		}
	}
}

static void
json_put_part(struct buf *b, const char *name, struct cover_part p, bool missed)
{
	buf_print(b, "\"%s\":{\"count\":%llu,\"covered\":%llu", name,
	    ull(p.size), ull(p.covered));
	if (missed)
		buf_print(b, ",\"notcovered\":%lld", (long long)(p.size -
		    p.covered));
	buf_print(b, ",\"percent\":%.17g}", cover_percent(p));
}

static void
json_put_summary(struct json *j, const struct cover_summary *s)
{
	struct buf *b = &j->writer.out;

	buf_u8(b, '{');
	json_put_part(b, "branches", s->branches, true);
	buf_u8(b, ',');
	json_put_part(b, "functions", s->functions, false);
	buf_u8(b, ',');
	json_put_part(b, "instantiations", s->instances, false);
	buf_u8(b, ',');
	json_put_part(b, "lines", s->lines, false);
	buf_u8(b, ',');
	if (j->layout->decisions) {
		json_put_part(b, "mcdc", s->conditions, true);
		buf_u8(b, ',');
	}
	json_put_part(b, "regions", s->regions, true);
	buf_u8(b, '}');
}

static enum prof_status
json_put_segments(struct json *j, uint32_t path, struct prof_error *err)
{
	static const char *const words[] = { "false", "true" };
	struct cover_view *v = &j->writer.view;
	struct buf *b = &j->writer.out;
	const struct cover_segment *s;
	uint64_t numbers[3];

	if (cover_view_file(j->writer.cover, path, v, err) != PROF_OK)
		return PROF_FAIL;
	buf_text(b, "\"segments\":[");
	for (size_t i = 0; i < v->segments_size; i++) {
		s = &v->segments[i];
		numbers[0] = s->at.line;
		numbers[1] = s->at.column;
		numbers[2] = json_count(s->count);
		cover_begin_item(b);
		buf_u8(b, '[');
		digits_append_many(b, numbers, 3, ",");
		buf_text(b, words[s->has_count]);
		buf_u8(b, ',');
		buf_text(b, words[s->entry]);
		buf_u8(b, ',');
		buf_text(b, words[s->gap]);
		buf_u8(b, ']');
		if (cover_writer_flush(&j->writer, WRITER_PIECE, err) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	buf_text(b, "],");
	return PROF_OK;
}

static enum prof_status
json_put_file(struct json *j, uint32_t path, struct cover_summary *totals,
    struct prof_error *err)
{
	struct buf *b = &j->writer.out;
	struct cover_summary sum;

	if (cover_summarize(j->writer.cover, path, &sum,
	    err) != PROF_OK)
		return PROF_FAIL;
	cover_summary_add(totals, &sum);
	buf_u8(b, '{');
	if (!j->options.summary_only) {
		buf_text(b, "\"branches\":[");
		json_put_branches(j, path, false);
		buf_text(b, "],");
		if (!j->options.skip_expansions && json_put_expansions(j, path,
		    err) != PROF_OK)
			return PROF_FAIL;
	}
	buf_text(b, "\"filename\":");
	cover_quote(b, j->writer.cover->paths.items[path]);
	buf_u8(b, ',');
	if (!j->options.summary_only) {
		if (j->layout->decisions) {
			buf_text(b, "\"mcdc_records\":[");
			json_put_branches(j, path, true);
			buf_text(b, "],");
		}
		if (json_put_segments(j, path, err) != PROF_OK)
			return PROF_FAIL;
	}
	buf_text(b, "\"summary\":");
	json_put_summary(j, &sum);
	buf_u8(b, '}');
	return cover_writer_flush(&j->writer, WRITER_PIECE, err);
}

static enum prof_status
json_put_functions(struct json *j, struct prof_error *err)
{
	struct cover *c = j->writer.cover;
	const struct cover_function *f;
	struct buf *b = &j->writer.out;

	j->drops_constants = true;
	buf_text(b, ",\"functions\":[");
	for (size_t n = 0; n < c->entries_size; n++) {
		f = cover_function_at(c, n);
		cover_begin_item(b);
		buf_text(b, "{\"branches\":[");
		for (size_t i = 0; i < f->branches_size; i++)
			json_put_branch(j, &f->branches[i]);
		buf_print(b, "],\"count\":%llu,", json_count(f->count));
		json_put_filenames(j, f);
		if (j->layout->decisions) {
			buf_text(b, ",\"mcdc_records\":[");
			for (size_t i = 0; i < f->decisions_size; i++)
				json_put_decision(j, &f->decisions[i]);
			buf_u8(b, ']');
		}
		buf_text(b, ",\"name\":");
		cover_quote(b, f->name);
		buf_text(b, ",\"regions\":");
		json_put_regions(b, f);
		buf_u8(b, '}');
		if (cover_writer_flush(&j->writer, WRITER_PIECE, err) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	buf_u8(b, ']');
	return PROF_OK;
}

enum prof_status
cover_write_json(struct cover *c, const struct cover_json_options *options,
    prof_sink *sink, void *arg, struct prof_error *err)
{
	struct json j = { .writer = { .cover = c, .sink = sink, .arg = arg },
	    .layout = layouts, .options = *options };
	struct cover_summary totals = { 0 };
	enum prof_status status = PROF_OK;

	while (j.layout->release > c->options.release)
		j.layout++;
	buf_text(&j.writer.out, "{\"data\":[{\"files\":[");
	for (size_t i = 0; i < c->sorted_size && status == PROF_OK; i++) {
		cover_begin_item(&j.writer.out);
		status = json_put_file(&j, c->sorted[i], &totals, err);
	}
	buf_u8(&j.writer.out, ']');
	if (status == PROF_OK && !options->summary_only &&
	    !options->skip_functions)
		status = json_put_functions(&j, err);
	if (status == PROF_OK) {
		buf_text(&j.writer.out, ",\"totals\":");
		json_put_summary(&j, &totals);
		buf_print(&j.writer.out, "}],\"type\":"
		    "\"llvm.coverage.json.export\",\"version\":\"%s\"}",
		    j.layout->version);
		status = cover_writer_flush(&j.writer, 0, err);
	}
	cover_writer_free(&j.writer);
	cover_walk_free(&j.walk);
	return status;
}
