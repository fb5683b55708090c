/* prof-bundle list */
#include "config.h"

#include <stdio.h>

#include "base/error.h"
#include "cmd/bundle/bundle.h"
#include "cmd/bundle/read.h"
#include "cmd/bundle/write.h"
#include "cmd/common/message_text.h"
#include "model/words.h"

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
	for (size_t i = 0; i < p->labels_size; i++) {
		putchar(' ');
		list_print_text(p->labels[i].key);
		putchar('=');
		list_print_text(p->labels[i].value);
	}
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
	static const struct cli_tally nothing;
	struct bundle_reader r;
	enum prof_status status = bundle_reader_open(&r, c, memory);

	if (status == PROF_OK)
		status = bundle_reader_require(&r);
	status = status == PROF_OK ? list_print_manifest(c, o,
	    &r.lines.manifest) : cli_damage_skip(c, &nothing);
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

	cli_damage_begin(c);
	while ((status = cli_next_input(c)) == PROF_OK) {
		status = list_print_file(c, o, &memory);
		if (status != PROF_OK)
			break;
	}
	if (status == PROF_END)
		status = cli_damage_settle(c);
	if (status == PROF_OK)
		status = bundle_flush_text(c);
	buf_free(&memory);
	return cli_end(c, status);
}
