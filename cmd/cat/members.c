#include "config.h"

#include "cmd/cat/members.h"

#include "base/error.h"
#include "cmd/cat/list.h"
#include "io/input.h"
#include "ops/scan/scan.h"

/* A found profile, on its way to the output. */
struct found {
	struct cat *cat;
	const struct scan_hit *hit;
};

/* Of digits, only the line of the first is known. */
static enum prof_status
put(void *arg, const struct prof_record *r, struct prof_error *err)
{
	const struct found *f = arg;
	struct prof_record moved;

	if (r->kind != PROF_REC_PROFILE)
		return cli_put(f->cat->cli, r, err);
	moved = *r;
	if (f->hit->coding != SCAN_PLAIN)
		moved.u.profile.source.offset = 0;
	moved.u.profile.source.offset += f->hit->offset;
	return cli_put(f->cat->cli, &moved, err);
}

static enum prof_status
take_hit(struct cat *cat, const struct scan_hit *hit)
{
	struct cli *c = cat->cli;
	struct found found = { cat, hit };
	struct cat_entry entry = { hit->offset, hit->image.size,
	    scan_coding_names[hit->coding] };
	struct prof_reader *reader;
	enum prof_status status;

	cat->found++;
	c->inputs.base = hit->coding == SCAN_PLAIN ? hit->offset : 0;
	reader = prof_open(c->context, hit->image, &c->err);
	if (cat->list)
		status = cat_list(cat, &entry, hit->image, reader);
	else
		status = reader == NULL ? PROF_FAIL :
		    cli_read_records(c, reader, put, &found);
	prof_close(reader);
	if (status == PROF_OK)
		c->inputs.base = 0;
	return status;
}

static enum prof_status
scan_image(struct cat *cat, struct prof_span image, bool *bad)
{
	struct prof_error *err = &cat->cli->err;
	struct scan *scan = scan_new(image, err);
	enum prof_status status = PROF_FAIL;
	struct scan_hit hit;

	if (scan == NULL)
		return PROF_FAIL;
	while ((status = scan_next(scan, &hit, err)) == PROF_OK) {
		if (take_hit(cat, &hit) != PROF_OK)
			break;
	}
	*bad = status == PROF_FAIL;
	scan_free(scan);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

static enum prof_status
list_image(struct cat *cat, struct prof_span image)
{
	struct cat_entry entry = { 0, image.size, NULL };
	struct prof_reader *reader =
	    prof_open(cat->cli->context, image, &cat->cli->err);
	enum prof_status status = cat_list(cat, &entry, image, reader);

	prof_close(reader);
	return status;
}

/* A file is looked at where it is: it may be larger than memory. */
enum prof_status
cat_take(void *arg, struct input *in, const struct input_member *m, bool *bad)
{
	struct cat *cat = arg;
	struct prof_span image;

	(void)m;
	if (input_map(in, &image) != PROF_OK &&
	    input_image(in, &image, &cat->cli->err) != PROF_OK) {
		*bad = true;
		return PROF_FAIL;
	}
	return cat->scan ? scan_image(cat, image, bad) :
	    list_image(cat, image);
}
