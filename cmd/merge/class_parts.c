#include "config.h"

#include "cmd/merge/class_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "cmd/common/cli.h"
#include "io/output.h"
#include "io/temporary.h"
#include "ops/partition_writer.h"

static const char mark[] = "%d";

bool
class_parts_named(const char *path)
{
	const char *at = path == NULL ? NULL : strstr(path +
	    path_folder_size(path), mark);

	return at != NULL && strstr(at + 1, mark) == NULL;
}

/* The path with the class in place of the mark; NULL: no memory. */
static char *
class_part_path(const char *path, uint64_t class)
{
	const char *at = strstr(path + path_folder_size(path), mark);
	struct buf b = { 0 };

	buf_put(&b, path, (size_t)(at - path));
	buf_print(&b, "%llu", ull(class));
	buf_put(&b, at + strlen(mark), strlen(at + strlen(mark)) + 1);
	if (!b.failed)
		return (char *)b.data;
	buf_free(&b);
	return NULL;
}

static enum prof_status
class_part_put_account(void *arg, struct buf *b, struct prof_error *err)
{
	struct class_part *p = arg;

	return p->all->put_account(p->all->arg, p->class, b, err);
}

/* The message of the failure names the part. */
static enum prof_status
err_class_part(struct cli *c, struct class_part *p)
{
	c->output.path = c->output.group_path = p->path;
	p->path = NULL;
	c->output.failed = true;
	return PROF_FAIL;
}

static enum prof_status
class_part_open(struct class_part *p, struct cli *c)
{
	struct cli_insertion *in = &p->insertion;
	enum packing packing = c->output.packing;

	p->path = class_part_path(c->output.path, p->class);
	if (p->path == NULL)
		return err_memory(&c->err);
	in->put = class_part_put_account;
	in->arg = p;
	in->err = &c->err;
	in->file = output_open(p->path, packing != PACKING_NONE, &c->err);
	return in->file != NULL && output_compress(in->file, packing,
	    &c->err) == PROF_OK ? PROF_OK : err_class_part(c, p);
}

enum prof_status
class_parts_open(struct class_parts *ps, struct cli *c)
{
	ps->list = calloc(ps->classes, sizeof(*ps->list));
	ps->writers = calloc(ps->classes, sizeof(struct prof_writer *));
	ps->began = calloc(ps->classes, sizeof(*ps->began));
	if (ps->list == NULL || ps->writers == NULL || ps->began == NULL)
		return err_memory(&c->err);
	for (size_t i = 0; i < ps->classes; i++) {
		struct class_part *p = &ps->list[i];

		p->all = ps;
		p->class = i + 1;
		if (class_part_open(p, c) != PROF_OK)
			return PROF_FAIL;
		ps->writers[i] = prof_writer_new(c->context,
		    &c->output.target, cli_write_inserting, &p->insertion,
		    &c->err);
		if (ps->writers[i] == NULL)
			return PROF_FAIL;
	}
	c->output.writer = partition_writer_new(c->context, ps->writers,
	    ps->began, ps->classes, &c->err);
	return c->output.writer == NULL ? PROF_FAIL : PROF_OK;
}

/* No record is of the class: its account is all of the part. */
static enum prof_status
class_part_write_account(struct class_part *p, struct cli *c)
{
	if (cli_write_insertion(&p->insertion, &c->err) == PROF_OK)
		return PROF_OK;
	return c->err.code == PROF_E_SYSTEM ? err_class_part(c, p) : PROF_FAIL;
}

static enum prof_status
class_part_commit(struct class_part *p, struct cli *c)
{
	struct output *file = p->insertion.file;

	p->insertion.file = NULL;
	return output_commit(file, &c->err) == PROF_OK ? PROF_OK :
	    err_class_part(c, p);
}

enum prof_status
class_parts_write(struct class_parts *ps, struct cli *c, struct merge *sum,
    const struct merge_output *o)
{
	enum prof_status status = PROF_OK;

	if (sum != NULL && (cli_put_sum(c, sum, o) != PROF_OK ||
	    cli_finish_writer(c) != PROF_OK))
		return PROF_FAIL;
	for (size_t i = 0; status == PROF_OK && i < ps->classes; i++) {
		if (!ps->began[i])
			status = class_part_write_account(&ps->list[i], c);
	}
	if (status == PROF_OK)
		status = cli_damage_flush(c);
	for (size_t i = 0; status == PROF_OK && i < ps->classes; i++)
		status = class_part_commit(&ps->list[i], c);
	return status;
}

void
class_parts_end(struct class_parts *ps)
{
	for (size_t i = 0; i < ps->classes; i++) {
		if (ps->writers != NULL)
			prof_writer_free(ps->writers[i]);
		if (ps->list == NULL)
			continue;
		output_discard(ps->list[i].insertion.file);
		free(ps->list[i].path);
	}
	free(ps->list);
	free(ps->writers);
	free(ps->began);
}
