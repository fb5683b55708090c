#include "config.h"

#include "cmd/merge/repeats.h"

#include "base/error.h"
#include "cmd/common/message_text.h"
#include "io/input.h"

/* The members of a bundle whose manifest is damaged may be repeated: none of
 * them is read. */
static enum cli_action
repeats_read_manifest(struct repeats *s, struct cli_item *item)
{
	struct prof_span text;

	item->status = input_image(item->in, &text, &item->err);
	if (item->status == PROF_OK)
		item->status = bundle_lines_read(&s->bundle, text, &item->err);
	s->broken = item->status != PROF_OK;
	return s->broken ? CLI_READ_MEMBER : CLI_SKIP_MEMBER;
}

/*
 * Whether a member of the bundle was read before.  What is subtracted is
 * another profile than what is added.
 */
static bool
repeats_has_seen(struct repeats *s, const struct cli *c, const char *name)
{
	uint8_t key[SHA256_SIZE + 1] = { c->inputs.current->subtracted };
	struct manifest_profile *const *lines;
	size_t count, before = s->seen.size;

	lines = bundle_lines_of(&s->bundle, name, &count);
	if (count == 0)
		return false;
	if (!manifest_identity(lines[0], key + 1) ||
	    intern_add(&s->seen, key, sizeof(key)) == INDEX_NONE)
		cli_out_of_memory(c);
	return s->seen.size == before;
}

enum cli_action
repeats_classify(void *arg, struct cli *c, struct cli_item *item,
    const struct input_member *m, uint64_t ordinal)
{
	struct repeats *s = arg;
	enum cli_action action;

	if (ordinal == 1) {
		bundle_lines_free(&s->bundle);
		s->broken = false;
	}
	if (s->broken)
		return item->no_member ? CLI_READ_MEMBER : CLI_SKIP_MEMBER;
	if (item->status != PROF_OK)
		return CLI_READ_MEMBER;
	if (ordinal == 1 && bundle_is_manifest(m->name, m->start))
		return repeats_read_manifest(s, item);
	action = cli_classify_member(c, m);
	if (action != CLI_READ_MEMBER || !s->bundle.is_bundle ||
	    !repeats_has_seen(s, c, m->name))
		return action;
	s->count++;
	return CLI_SKIP_MEMBER;
}

void
repeats_print(const struct repeats *s, const struct cli *c)
{
	if (s->count != 0 && !c->options.quiet)
		message_print("%s: profiles that are in several bundles, "
		    "counted once: %llu\n", c->name,
		    (unsigned long long)s->count);
}

void
repeats_free(struct repeats *s)
{
	bundle_lines_free(&s->bundle);
	intern_free(&s->seen);
}
