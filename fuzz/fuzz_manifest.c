/*
 * Reads bytes as the manifest of a bundle, which has to be the same when
 * written again, and as JSON.
 */
#include "base/json.h"
#include "bundle/manifest.h"
#include "fuzz/fuzz.h"

static void
write_manifest(const struct manifest *m, struct buf *out)
{
	manifest_put_head(out, m->size, m->size);
	for (size_t i = 0; i < m->size; i++)
		manifest_put(out, &m->profiles[i]);
	demand(!out->failed, "memory is enough");
}

static void
read_manifest(struct prof_span text)
{
	struct manifest m = { 0 }, n = { 0 };
	struct buf once = { 0 }, twice = { 0 };
	struct prof_error err = { 0 };

	manifest_sniff(text);
	if (manifest_read(&m, text, &err) == PROF_OK) {
		for (size_t i = 0; i < m.size; i++)
			demand(manifest_path_is_safe(m.profiles[i].member),
			    "members stay in their folder");
		write_manifest(&m, &once);
		demand(manifest_read(&n, span_of(&once), &err) == PROF_OK,
		    "a manifest that was written can be read");
		write_manifest(&n, &twice);
		demand(prof_span_equal(span_of(&once), span_of(&twice)),
		    "a manifest is the same when written again");
	} else {
		demand(err.code != PROF_E_NONE && err.reason[0] != '\0',
		    "a failure has a reason");
	}
	manifest_free(&m);
	manifest_free(&n);
	buf_free(&once);
	buf_free(&twice);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct prof_span text = { data, size };
	struct jdoc doc = { 0 };
	struct prof_error err = { 0 };

	demand(jdoc_load(&doc, text, 1, &err) == PROF_OK ||
	    err.reason[0] != '\0', "a failure has a reason");
	jdoc_free(&doc);
	read_manifest(text);
	return 0;
}
