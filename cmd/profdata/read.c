#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/input.h"
#include "cmd/profdata/profdata.h"

void
profdata_require(const char *where, const char *path)
{
	struct stat st;

	if (strcmp(path, "-") == 0)
		return;
	if (stat(path, &st) == -1)
		profdata_fail(where, "%s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		profdata_fail(where, "%s", strerror(EISDIR));
}

void
profdata_require_file(const char *path)
{
	profdata_require(*path == '\0' ? NULL : path, path);
}

static bool
is_yaml_header(const struct prof_record *r)
{
	return r->kind == PROF_REC_PROFILE && r->u.profile.source.format !=
	    NULL && strcmp(r->u.profile.source.format, "yaml") == 0;
}

static enum prof_status
profdata_read_image(struct profdata *p, struct prof_span image,
    profdata_record *fn, void *arg, struct prof_error *err)
{
	struct prof_reader *reader = prof_open(p->context, image, err);
	enum prof_status status = PROF_FAIL;
	bool empty = false;		/* a YAML profile without records */
	struct prof_record r;

	if (reader == NULL)
		return PROF_FAIL;
	while ((status = prof_next(reader, &r, err)) == PROF_OK) {
		if (r.kind == PROF_REC_PROFILE &&
		    r.u.profile.source.file.data == NULL)
			r.u.profile.source.file = (struct prof_span){
			    (const uint8_t *)p->file, strlen(p->file) };
		if (r.kind == PROF_REC_END && empty)
			err_set(err, PROF_E_UNSUPPORTED,
			    "The profile is empty.");
		else if (fn(arg, &r, err) == PROF_OK) {
			empty = is_yaml_header(&r);
			continue;
		}
		status = PROF_FAIL;
		break;
	}
	prof_close(reader);
	return status == PROF_FAIL ? PROF_FAIL : PROF_OK;
}

static enum prof_status
profdata_read_checked(struct profdata *p, struct prof_span image,
    const struct profdata_reading *to, struct prof_error *err)
{
	enum prof_status status = PROF_OK;

	if (to->precheck != NULL) {
		p->muted = true;
		status = profdata_read_image(p, image, to->precheck,
		    to->precheck_arg, err);
		p->muted = false;
	}
	return status != PROF_OK || to->fn == NULL ? status :
	    profdata_read_image(p, image, to->fn, to->arg, err);
}

static enum prof_status
profdata_read_member(struct profdata *p, struct input *in,
    const struct input_member *m, struct profdata_reading *to,
    struct prof_error *err)
{
	struct prof_span image;

	/* Members of an archive that are no profiles are skipped. */
	if (m->name != NULL && m->start.size != 0 &&
	    prof_sniff(m->start) == NULL)
		return PROF_OK;
	if (input_image(in, &image, err) != PROF_OK)
		return PROF_FAIL;
	if (image.size == 0) {
		to->empty = true;
		return err_set(err, PROF_E_UNSUPPORTED, "empty raw profile "
		    "file");
	}
	return profdata_read_checked(p, image, to, err);
}

/*
 * This is not cmd/common/pipeline.h, because LLVM's program works otherwise:
 * the first bad member ends its file, not only that member, and a merge goes on
 * with the next file; nothing is counted, left out or reported as bad inputs
 * are; each file is opened when its turn comes, by four commands with loops and
 * messages of their own; and --num-threads changes no output, so that there is
 * nothing to commit in order.  The driver is not used for one file at a time
 * either: its worker would not keep the memory of images for the next file.
 */
enum prof_status
profdata_read(struct profdata *p, const char *path, struct profdata_reading *to,
    struct prof_error *err)
{
	struct input *in = input_open(path, 0, &p->memory, err);
	enum prof_status status = PROF_OK;
	struct input_member m;

	if (in == NULL)
		return PROF_FAIL;
	p->file = p->last_file = path;
	while (status == PROF_OK && (status = input_next(in, &m, err)) ==
	    PROF_OK)
		status = profdata_read_member(p, in, &m, to, err);
	/* If the input failed, its error is the cause of the decoder's. */
	if (status == PROF_FAIL && input_failure(in)->code != PROF_E_NONE)
		*err = *input_failure(in);
	input_close(in);
	p->file = NULL;
	return status == PROF_FAIL ? PROF_FAIL : PROF_OK;
}
