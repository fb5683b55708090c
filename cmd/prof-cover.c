/* prof-cover - which lines ran, from profiles and binaries */
#include "config.h"

#include "base/bytes.h"
#include "base/error.h"
#include "cmd/common/pipeline.h"
#include "cover/cover.h"
#include "io/input.h"
#include "merge/merge.h"

struct cover_run {
	struct cli cli;
	struct cover_options options;
	unsigned format;
	char **binaries;
	size_t binaries_size;
	struct cover_counts *counts;
	struct cover cover;
};

static const struct cli_option options[] = {
	CLI_OUTPUT_ROW,
	{ 0 }
};

static const struct cli_program program = { "prof-cover", NULL,
"usage: prof-cover [options] PROFILE... BINARY...\n"
"Writes the coverage of source lines as a tracefile of lcov.\n",
	.tables = { options, cli_options }
};

static enum prof_status
cover_add_record(void *merge, const struct prof_record *r,
    struct prof_error *err)
{
	return merge_add(merge, r, NULL, err);
}

/* Sums all profiles. */
static enum prof_status
cover_read_profiles(struct cover_run *r)
{
	struct merge *m = merge_new(NULL, NULL);
	struct cli *c = &r->cli;
	static const struct merge_output how = { .as_arrived = true };
	struct prof_writer *w;
	enum prof_status status;

	if (m == NULL)
		return err_memory(&c->err);
	status = cli_read(c, cover_add_record, m);
	w = cover_counts_writer(r->counts, &c->err);
	if (status == PROF_OK)
		status = w == NULL ? PROF_FAIL : merge_write(m, &how, w,
		    &c->err);
	prof_writer_free(w);
	merge_free(m);
	return status;
}

static enum prof_status
cover_read_binary(struct cover_run *r, const char *path)
{
	struct cli *c = &r->cli;
	struct input *in = input_open(path, 0, NULL, &c->err);
	struct cover_sections s = { 0 };
	struct input_member member;
	struct prof_span image;
	enum prof_status status;
	bool any;

	if (in == NULL)
		return PROF_FAIL;
	status = input_next(in, &member, &c->err);
	if (status == PROF_OK && input_map(in, &image) != PROF_OK)
		status = input_image(in, &image, &c->err);
	if (status == PROF_OK)
		status = cover_sections_find(&s, image, &c->err);
	if (status == PROF_OK)
		status = cover_add(&r->cover, &s, &any, &c->err);
	cover_sections_free(&s);
	input_close(in);
	return status;
}

int
main(int argc, char **argv)
{
	struct cover_run r = { .options.release = 22 };
	enum prof_status status;
	int kept = 1;

	cli_start(&r.cli, &program);
	if (getenv("REL"))
		r.options.release = (unsigned)atoi(getenv("REL"));
	cli_parse(&r.cli, &r, &argc, &argv);
	r.binaries = calloc((size_t)argc + 1, sizeof(*r.binaries));
	kept = 0;
	for (int i = 0; i < argc; i++) {
		uint8_t start[16] = { 0 };
		FILE *f = fopen(argv[i], "rb");
		size_t n = f == NULL ? 0 : fread(start, 1, 16, f);
		if (f)
			fclose(f);
		if (cover_is_object((struct prof_span){ start, n }))
			r.binaries[r.binaries_size++] = argv[i];
		else
			argv[kept++] = argv[i];
	}
	cli_operands(&r.cli, kept, argv);
	cli_restrict(&r.cli, NULL);
	r.counts = cover_counts_new();
	cover_init(&r.cover, &r.options, r.counts);
	status = cli_open_bytes(&r.cli, false);
	if (status == PROF_OK)
		status = cover_read_profiles(&r);
	for (size_t i = 0; i < r.binaries_size && status == PROF_OK; i++)
		status = cover_read_binary(&r, r.binaries[i]);
	if (status == PROF_OK)
		status = cover_finish(&r.cover, &r.cli.err);
	struct buf out = { 0 };
	if (status == PROF_OK)
		status = getenv("JSON") ? cover_write_json(&r.cover, &(struct cover_json_options){0}, buf_sink, &out, &r.cli.err) : cover_write_lcov(&r.cover, buf_sink, &out, &r.cli.err);
	if (status == PROF_OK)
		status = cli_write_text(&r.cli, &out);
	return cli_end(&r.cli, status);
}
