#include "config.h"

#include "cmd/merge/group.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/numbers.h"
#include "cmd/common/cli.h"
#include "io/output.h"
#include "io/suffix.h"
#include "merge/check.h"
#include "model/record.h"

/* File names have at most 255 bytes, with suffix and temporary name. */
enum { NAME_MAX_IDS = 200 };

struct group {
	char *name;			/* the ids in hex */
	struct merge *sum;
};

struct groups {
	struct cli *cli;
	struct merge_trace_limits traces;	/* of each sum */
	struct group *groups;
	size_t size, room;
	/* The current profile; while `waits`, more of its ids may follow. */
	struct arena arena;
	struct prof_record head;
	struct prof_span *ids;
	size_t ids_size, ids_room;
	uint64_t nameless;		/* profiles without ids */
	bool waits;
	struct merge *sum;		/* of its group */
};

struct groups *
groups_new(struct cli *c, const struct merge_trace_limits *traces)
{
	struct groups *g;
	int error;

	if (c->output.path == NULL || strcmp(c->output.path, "-") == 0)
		cli_usage_error(c, "--group-by needs a folder: -o DIR");
	error = made_folder(c->output.path);
	if (error != 0 && error != EEXIST) {
		message_print("%s: %s: %s\n", c->name, c->output.path,
		    strerror(error));
		exit(CLI_TROUBLE);
	}
	g = calloc(1, sizeof(*g));
	if (g == NULL)
		cli_out_of_memory(c);
	g->cli = c;
	g->traces = *traces;
	c->output.packing = PACKING_NONE;	/* -o names a folder */
	return g;
}

void
groups_free(struct groups *g)
{
	for (size_t i = 0; i < g->size; i++) {
		merge_free(g->groups[i].sum);
		free(g->groups[i].name);
	}
	free(g->groups);
	free(g->ids);
	arena_free(&g->arena);
	free(g);
}

/* Copies the head, since a record is valid until the next one only. */
static enum prof_status
group_copy_header(struct groups *g, const struct prof_record *r,
    struct prof_error *err)
{
	arena_reset(&g->arena);
	g->ids_size = 0;
	g->waits = true;
	g->head = *r;
	return record_copy(&g->arena, PROF_REC_PROFILE, &g->head.u) ?
	    PROF_OK : err_memory(err);
}

static enum prof_status
group_add_id(struct groups *g, struct prof_span id, struct prof_error *err)
{
	return arena_keep(&g->arena, &id) &&
	    ARRAY_ADD(g->ids, g->ids_size, g->ids_room, id) ? PROF_OK :
	    err_memory(err);
}

/* The name made of the sorted distinct ids; NULL if out of memory. */
static char *
group_name(struct groups *g)
{
	struct buf b = { 0 };
	char digest[40];
	size_t distinct = prof_span_unique(g->ids, g->ids_size);

	for (size_t i = 0; i < distinct; i++) {
		if (b.size != 0)
			buf_put(&b, "+", 1);
		digits_append_hex(&b, g->ids[i]);
	}
	if (b.size > NAME_MAX_IDS) {
		snprintf(digest, sizeof(digest), "+%zu-%016llx", distinct,
		    (unsigned long long)prof_guid(buf_span(&b)));
		b.size = NAME_MAX_IDS - sizeof(digest);
		buf_put(&b, digest, strlen(digest));
	}
	if (distinct == 0)
		buf_put(&b, "none", 4);
	buf_put(&b, "", 1);
	if (b.failed)
		buf_free(&b);
	return (char *)b.data;
}

static struct merge *
group_find(struct groups *g, struct prof_error *err)
{
	char *name = group_name(g);
	bool room = ARRAY_ROOM(g->groups, g->size, g->room);

	for (size_t i = 0; i < g->size && name != NULL; i++) {
		if (strcmp(g->groups[i].name, name) == 0) {
			free(name);
			return g->groups[i].sum;
		}
	}
	if (name == NULL || !room ||
	    (g->groups[g->size].sum = merge_new(cli_warn, g->cli)) == NULL) {
		free(name);
		err_memory(err);
		return NULL;
	}
	merge_limit_traces(g->groups[g->size].sum, &g->traces);
	g->groups[g->size].name = name;
	return g->groups[g->size++].sum;
}

/* Called when all ids of the profile are known: finds its group. */
static enum prof_status
group_begin_profile(struct groups *g, const struct merge_factor *w,
    struct prof_error *err)
{
	g->waits = false;
	g->nameless += g->ids_size == 0;
	g->sum = group_find(g, err);
	if (g->sum == NULL)
		return PROF_FAIL;
	if (merge_add(g->sum, &g->head, w, err) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < g->ids_size; i++) {
		struct prof_record id = { .kind = PROF_REC_BINARY,
		    .u.build_id = g->ids[i] };

		if (merge_add(g->sum, &id, w, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

enum prof_status
groups_add(struct groups *g, const struct prof_record *r,
    const struct merge_factor *w, struct prof_error *err)
{
	if (r->kind == PROF_REC_PROFILE)
		return group_copy_header(g, r, err);
	if (r->kind == PROF_REC_BINARY)
		return g->waits ? group_add_id(g, r->u.build_id, err) :
		    merge_check_late_id(err);
	if (g->waits && group_begin_profile(g, w, err) != PROF_OK)
		return PROF_FAIL;
	return merge_add(g->sum, r, w, err);
}

static enum prof_status
group_write(struct cli *c, const struct group *g,
    const struct merge_output *options)
{
	enum prof_status status = cli_open_file(c);
	struct stat st;

	if (status == PROF_OK && output_new_file(c->output.file, &st) &&
	    !made_file(c->output.path, &st))
		return err_memory(&c->err);
	if (status == PROF_OK)
		status = cli_put_sum(c, g->sum, options);
	return status == PROF_OK ? cli_finish(c) : PROF_FAIL;
}

enum prof_status
groups_write(struct groups *g, const struct merge_output *options)
{
	struct cli *c = g->cli;
	const char *folder = c->output.path;
	enum prof_status status = PROF_OK;

	for (size_t i = 0; i < g->size && status == PROF_OK; i++) {
		size_t room = strlen(folder) + strlen(g->groups[i].name) + 32;
		char *path = malloc(room);

		if (path == NULL)
			cli_out_of_memory(c);
		snprintf(path, room, "%s/%s.%s", folder, g->groups[i].name,
		    suffix_of_format(c->output.target.format));
		free(c->output.group_path);
		c->output.path = c->output.group_path = path;
		status = group_write(c, &g->groups[i], options);
	}
	if (status != PROF_OK)
		return status;
	c->output.path = folder;
	if (g->nameless != 0 && !c->options.quiet)
		message_print("%s: profiles without binary ids, in "
		    "%s/none.%s: %llu\n", c->name, folder,
		    suffix_of_format(c->output.target.format),
		    (unsigned long long)g->nameless);
	return g->size == 0 ? err_set(&c->err, PROF_E_FORMAT, "no profile") :
	    cli_damage_flush(c);
}
