/* cmd/bundle/read.c - prof-bundle list, extract: a bundle and its manifest */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "cmd/bundle/bundle.h"
#include "cmd/common/cli.h"
#include "io/input.h"
#include "model/record.h"

struct bundle_reader {
	struct cli *cli;
	struct input *in;
	uint64_t ordinal;
	struct bundle_lines lines;
	enum prof_status pending;	/* of reading the first member */
	char *name;			/* of the current member */
};

enum prof_status
bundle_err_no_bundle(struct prof_error *err)
{
	return err_set(err, PROF_E_FORMAT, "not a bundle: it does not begin "
	    "with a manifest");
}

static void
reader_set_member(struct bundle_reader *r, const char *name)
{
	struct cli *c = r->cli;

	free(r->name);
	r->name = name == NULL ? NULL : strdup(name);
	if (name != NULL && r->name == NULL)
		cli_out_of_memory(c);
	c->inputs.member = r->name;
}

/*
 * Opens the program's current file and reads the manifest, if it has one.
 * These functions set the program's err on failure.
 */
static enum prof_status
bundle_reader_open(struct bundle_reader *r, struct cli *c, struct buf *memory)
{
	struct input_member m;
	struct prof_span text;
	enum prof_status status;

	*r = (struct bundle_reader){ .cli = c };
	r->in = input_open(c->inputs.file, c->options.max_size, memory,
	    &c->err);
	if (r->in == NULL)
		return PROF_FAIL;
	c->report.progress->input = r->in;
	status = input_next(r->in, &m, &c->err);
	reader_set_member(r, m.name);
	r->ordinal = 1;
	if (status == PROF_OK && bundle_is_manifest(m.name, m.start))
		return input_image(r->in, &text, &c->err) != PROF_OK ?
		    PROF_FAIL : bundle_lines_read(&r->lines, text, &c->err);
	r->pending = status;
	return PROF_OK;
}

/* Fails unless the file is a bundle. */
static enum prof_status
bundle_reader_require(struct bundle_reader *r)
{
	if (r->lines.is_bundle)
		return PROF_OK;
	/* The message is about the file, not its first member. */
	if (r->pending == PROF_OK)
		r->cli->inputs.member = NULL;
	return bundle_err_no_bundle(&r->cli->err);
}

static enum prof_status
reader_read_member(struct bundle_reader *r, struct bundle_member *m)
{
	if (input_image(r->in, &m->image, &r->cli->err) != PROF_OK)
		return PROF_FAIL;
	sha256_of(m->image, m->sha256);
	m->size = m->image.size;
	m->ordinal = r->ordinal;
	return bundle_lines_match(&r->lines, m, &r->cli->err);
}

/*
 * The next member of a bundle, or PROF_END.  After PROF_FAIL for a member the
 * next call continues behind it.  Messages of the program name the member.
 */
static enum prof_status
bundle_reader_next(struct bundle_reader *r, struct bundle_member *out)
{
	struct cli *c = r->cli;
	enum prof_status status;
	struct input_member m;

	while ((status = input_next(r->in, &m, &c->err)) == PROF_OK) {
		r->ordinal++;
		reader_set_member(r, m.name);
		out->name = r->name;
		/* Members that are not wanted must match their lines too. */
		status = reader_read_member(r, out);
		if (status != PROF_OK || cli_wants(c, &m))
			return status;
	}
	r->ordinal++;
	reader_set_member(r, m.name);
	return status;
}

/* Closes the file; messages may still name its last member. */
static void
bundle_reader_close(struct bundle_reader *r)
{
	struct cli *c = r->cli;

	c->inputs.member = cli_keep_name(&c->inputs.failed_member,
	    c->err.code == PROF_E_NONE ? NULL : c->inputs.member);
	if (r->in != NULL)
		cli_progress_done(c);
	input_close(r->in);
	bundle_lines_free(&r->lines);
	free(r->name);
}

/* prof-bundle list */

enum { SHORT_DIGEST = 12 };

static void
list_print_text(struct prof_span text)
{
	message_print_to(stdout, "%.*s", (int)text.size,
	    (const char *)text.data);
}

static void
list_print_profile(const struct manifest_profile *p)
{
	char digest[SHA256_TEXT + 1];

	sha256_text(p->sha256, digest);
	printf("%.*s %10llu %-7s ", SHORT_DIGEST, digest,
	    (unsigned long long)p->size, words_kind[p->kind]);
	list_print_text(p->format);
	printf(":%llu ", (unsigned long long)p->version);
	list_print_text(p->path);
	putchar('\n');
}

static enum prof_status
list_print_json(struct cli *c, const struct manifest_profile *p)
{
	struct buf b = { 0 };

	manifest_put(&b, p);
	if (b.failed)
		return err_memory(&c->err);
	fwrite(b.data, 1, b.size, stdout);
	buf_free(&b);
	return PROF_OK;
}

static enum prof_status
list_print_manifest(struct cli *c, const struct bundle_options *o,
    const struct manifest *m)
{
	for (size_t i = 0; i < m->size; i++) {
		if (!o->json)
			list_print_profile(&m->profiles[i]);
		else if (list_print_json(c, &m->profiles[i]) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
list_print_file(struct cli *c, const struct bundle_options *o,
    struct buf *memory)
{
	struct bundle_reader r;
	enum prof_status status = bundle_reader_open(&r, c, memory);

	if (status == PROF_OK)
		status = bundle_reader_require(&r);
	status = status == PROF_OK ? list_print_manifest(c, o,
	    &r.lines.manifest) : cli_damage_skip(c);
	if (status == PROF_OK)
		c->report.damage.used++;
	bundle_reader_close(&r);
	return status;
}

int
bundle_list(struct cli *c, struct bundle_options *o)
{
	struct buf memory = { 0 };
	enum prof_status status;
	int error;

	cli_damage_begin(c);
	while ((status = cli_next_input(c)) == PROF_OK) {
		status = list_print_file(c, o, &memory);
		if (status != PROF_OK)
			break;
	}
	if (status == PROF_END)
		status = cli_damage_settle(c);
	if (status == PROF_OK && (error = stdio_flush(stdout)) != 0) {
		c->output.failed = true;
		status = err_system(&c->err, error, "cannot write");
	}
	buf_free(&memory);
	return cli_end(c, status);
}

/* prof-bundle extract */

/* A copy may have that many bytes, on average, in a bundle of any size. */
enum { USUAL_SIZE = 4 << 20 };

struct extract {
	struct cli *cli;
	const struct bundle_options *options;
	char **globs;			/* none: everything */
	bool *used;			/* by index of the glob: it matched */
	struct bundle_reader reader;
	struct bundle_set set;		/* of the manifest */
	struct bundle_entry **entries;	/* sorted by identity */
	uint64_t copied;		/* bytes written to further paths */
};

static int
compare_entry_digests(const void *a, const void *b)
{
	const struct bundle_entry *const *x = a, *const *y = b;
	int order = memcmp((*x)->identity, (*y)->identity, SHA256_SIZE);

	return order != 0 ? order : (*x > *y) - (*x < *y);
}

/* Names the file of each profile; profiles that share a member have several. */
static enum prof_status
extract_name_files(struct extract *x)
{
	struct prof_error *err = &x->cli->err;
	const struct manifest *m = &x->reader.lines.manifest;
	struct bundle_set *s = &x->set;

	for (size_t i = 0; i < m->size; i++) {
		if (bundle_set_add(s, &m->profiles[i], 0, err) != PROF_OK)
			return PROF_FAIL;
	}
	if (bundle_set_names(s, err) != PROF_OK)
		return PROF_FAIL;
	x->entries = calloc(s->size + 1, sizeof(struct bundle_entry *));
	if (x->entries == NULL)
		return err_memory(err);
	for (size_t i = 0; i < s->size; i++)
		x->entries[i] = &s->entries[i];
	if (s->size > 0)
		qsort(x->entries, s->size, sizeof(*x->entries),
		    compare_entry_digests);
	return PROF_OK;
}

static bool
extract_is_wanted(struct extract *x, const char *path)
{
	bool wanted = x->globs[0] == NULL;

	for (size_t i = 0; x->globs[i] != NULL; i++) {
		if (fnmatch(x->globs[i], path, 0) == 0)
			wanted = x->used[i] = true;
	}
	return wanted;
}

/*
 * Makes the folders of a path behind the first `own` bytes, which name the
 * folder of -C.  A link in the place of a folder is refused: it could lead out
 * of the folder of -C.
 */
static enum prof_status
extract_make_folders(struct extract *x, char *path, size_t own)
{
	struct prof_error *err = &x->cli->err;
	struct stat st;

	for (char *p = path + own; (p = strchr(p, '/')) != NULL; p++) {
		int failed;

		*p = '\0';
		failed = made_folder(path);
		if (failed == EEXIST)
			failed = 0;
		if (failed == 0 && lstat(path, &st) != 0)
			failed = errno;
		*p = '/';
		if (failed != 0)
			return err_system(err, failed, "cannot make its "
			    "folder");
		if (!S_ISDIR(st.st_mode))
			return err_set(err, PROF_E_UNSUPPORTED, "the path of "
			    "its folder is not a folder");
	}
	return PROF_OK;
}

/* Refuses a path where a file is, unless --force was given. */
static enum prof_status
extract_check_place(struct extract *x, const char *path)
{
	struct prof_error *err = &x->cli->err;
	struct stat st;

	if (lstat(path, &st) != 0)
		return errno == ENOENT ? PROF_OK :
		    err_system(err, errno, "cannot open");
	if (!S_ISREG(st.st_mode))
		return err_set(err, PROF_E_UNSUPPORTED, "exists, but is not a "
		    "file");
	return x->options->force ? PROF_OK : err_set(err, PROF_E_UNSUPPORTED,
	    "the file exists: --force replaces it");
}

/* Without --force, a file that is there by now stays. */
static enum prof_status
extract_commit(struct extract *x, const char *path, struct output *out)
{
	struct prof_error *err = &x->cli->err;
	struct stat st;

	if (output_new_file(out, &st) && !made_file(path, &st)) {
		output_discard(out);
		return err_memory(err);
	}
	return x->options->force ? output_commit(out, err) :
	    output_commit_exclusive(out, err);
}

static enum prof_status
extract_write_file(struct extract *x, const char *path, struct prof_span image)
{
	struct prof_error *err = &x->cli->err;
	struct output *out;
	int error;

	if (extract_check_place(x, path) != PROF_OK)
		return PROF_FAIL;
	out = output_open(path, false, err);
	if (out == NULL)
		return PROF_FAIL;
	error = output_write(out, image.data, image.size);
	if (error == 0)
		return extract_commit(x, path, out);
	output_discard(out);
	return err_system(err, error, "cannot write");
}

/* What further paths may come to: runs of one program may be equal. */
static uint64_t
extract_copies_limit(const struct extract *x)
{
	uint64_t limit = input_copies_limit(x->reader.in), usual;

	if (!mul_u64(x->reader.lines.manifest.size, USUAL_SIZE, &usual))
		usual = UINT64_MAX;
	return usual > limit ? usual : limit;
}

/* A small bundle may have any number of paths for a large member. */
static enum prof_status
extract_charge_copy(struct extract *x, size_t size)
{
	uint64_t limit = extract_copies_limit(x);

	if (size > limit || x->copied > limit - size)
		return err_set(&x->cli->err, PROF_E_LIMIT, "copies of members "
		    "have more than %llu bytes: if that is intended, give "
		    "--max-size", ull(limit));
	x->copied += size;
	return PROF_OK;
}

/* *written says whether the member was written to another path before. */
static enum prof_status
extract_entry(struct extract *x, const struct bundle_entry *e,
    struct prof_span image, bool *written)
{
	const char *folder = x->options->folder;
	const char *member = (const char *)e->facts.member.data;
	char path[PATH_MAX];
	int n;

	if (!extract_is_wanted(x, (const char *)e->facts.path.data) &&
	    !extract_is_wanted(x, member))
		return PROF_OK;
	if (*written && extract_charge_copy(x, image.size) != PROF_OK)
		return PROF_FAIL;
	*written = true;
	n = snprintf(path, sizeof(path), "%s%s%s",
	    folder == NULL ? "" : folder, folder == NULL ? "" : "/", member);
	if (n < 0 || (size_t)n >= sizeof(path))
		return err_system(&x->cli->err, ENAMETOOLONG, "cannot open");
	if (extract_make_folders(x, path, (size_t)n - e->facts.member.size)
	    != PROF_OK)
		return PROF_FAIL;
	return extract_write_file(x, path, image);
}

static size_t
extract_first_entry(const struct extract *x, const uint8_t *identity)
{
	size_t low = 0, high = x->set.size;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (memcmp(x->entries[middle]->identity, identity,
		    SHA256_SIZE) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static enum prof_status
extract_skip_bad(struct extract *x)
{

	return cli_damage_skip(x->cli);
}

/* Several profiles may have one content: writes the member to each path. */
static enum prof_status
extract_member(struct extract *x, const struct bundle_member *m)
{
	struct cli *c = x->cli;
	uint8_t identity[SHA256_SIZE];
	bool written = false;

	if (!manifest_identity(m->lines[0], identity))
		return err_memory(&c->err);
	for (size_t i = extract_first_entry(x, identity); i < x->set.size &&
	    memcmp(x->entries[i]->identity, identity, SHA256_SIZE) == 0; i++) {
		c->inputs.member =
		    (const char *)x->entries[i]->facts.member.data;
		if (extract_entry(x, x->entries[i], m->image, &written) ==
		    PROF_OK)
			c->report.damage.used++;
		else if (extract_skip_bad(x) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
extract_all(struct extract *x)
{
	enum prof_status status = PROF_OK;
	const struct manifest_profile *p;
	struct bundle_member m;

	while (status == PROF_OK) {
		enum prof_status next = bundle_reader_next(&x->reader, &m);

		if (next == PROF_END)
			break;
		status = next == PROF_OK ? extract_member(x, &m) :
		    extract_skip_bad(x);
	}
	while (status == PROF_OK &&
	    (p = bundle_lines_missing(&x->reader.lines)) != NULL) {
		x->cli->inputs.member = (const char *)p->member.data;
		err_set(&x->cli->err, PROF_E_TRUNCATED, "is missing");
		status = extract_skip_bad(x);
	}
	return status;
}

static enum prof_status
extract_make_target_folder(struct extract *x)
{
	const char *folder = x->options->folder;
	int error = folder == NULL ? 0 : made_folder(folder);

	if (error == 0 || error == EEXIST)
		return PROF_OK;
	x->cli->inputs.file = folder;
	x->cli->inputs.member = NULL;
	return err_system(&x->cli->err, error, "cannot make the folder");
}

static enum prof_status
extract_file(struct extract *x, struct buf *memory)
{
	struct cli *c = x->cli;
	enum prof_status status = bundle_reader_open(&x->reader, c, memory);

	if (status == PROF_OK)
		status = bundle_reader_require(&x->reader);
	if (status == PROF_OK)
		status = extract_name_files(x);
	if (status == PROF_OK)
		status = extract_make_target_folder(x);
	return status == PROF_OK ? extract_all(x) : PROF_FAIL;
}

static void
extract_warn_unused_globs(struct extract *x)
{
	for (size_t i = 0; x->globs[i] != NULL; i++) {
		if (x->used[i])
			continue;
		message_print("%s: %s: matches nothing\n", x->cli->name,
		    x->globs[i]);
		x->cli->report.unclean = true;
	}
}

int
bundle_extract(struct cli *c, struct bundle_options *o, char **globs)
{
	struct extract x = { .cli = c, .options = o, .globs = globs };
	struct buf memory = { 0 };
	enum prof_status status;
	size_t n = 0;
	int code;

	while (globs[n] != NULL)
		n++;
	x.used = calloc(n + 1, sizeof(*x.used));
	if (x.used == NULL)
		cli_out_of_memory(c);
	c->report.damage.prints_nothing = true;
	cli_damage_begin(c);
	status = cli_next_input(c);
	if (status == PROF_OK) {
		status = extract_file(&x, &memory);
		bundle_reader_close(&x.reader);
	}
	if (status == PROF_OK)
		extract_warn_unused_globs(&x);
	if (status == PROF_OK)
		status = cli_damage_settle(c);
	code = cli_end(c, status);
	bundle_set_free(&x.set);
	free(x.entries);
	free(x.used);
	buf_free(&memory);
	return code;
}
