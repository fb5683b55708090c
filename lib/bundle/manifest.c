#include "bundle/manifest.h"

#include <stdlib.h>

#include "base/json_member.h"

const char manifest_name[] = "MANIFEST";

const char *const manifest_kinds[3] = {
	[PROF_INSTR] = "instr",
	[PROF_MEMPROF] = "memprof",
	[PROF_MIXED] = "mixed",
};

static const char claim[] = "{\"bundle\":";

bool
manifest_sniff(struct prof_span s)
{
	return s.size >= sizeof(claim) - 1 &&
	    memcmp(s.data, claim, sizeof(claim) - 1) == 0;
}

bool
manifest_path_is_safe(struct prof_span path)
{
	const uint8_t *p = path.data, *end = p + path.size;

	if (path.size == 0 || memchr(p, '\0', path.size) != NULL)
		return false;
	for (;;) {
		const uint8_t *slash = memchr(p, '/', (size_t)(end - p));
		size_t n = (size_t)((slash == NULL ? end : slash) - p);

		if (n == 0 || (n == 1 && p[0] == '.') ||
		    (n == 2 && p[0] == '.' && p[1] == '.'))
			return false;
		if (slash == NULL)
			return true;
		p = slash + 1;
	}
}

static void
put_digest(struct buf *b, const uint8_t digest[SHA256_SIZE])
{
	jtext_hex(b, (struct prof_span){ digest, SHA256_SIZE });
}

static void
put_list_comma(struct buf *b, size_t i)
{
	if (i != 0)
		jtext_plain(b, ",");
}

void
manifest_put_head(struct buf *b, uint64_t profiles, uint64_t members)
{
	jtext_plain(b, claim);
	jtext_number(b, MANIFEST_VERSION);
	jkey_number(b, "profiles", profiles);
	jkey_number(b, "members", members);
	jtext_plain(b, "}\n");
}

static void
put_labels(struct buf *b, const struct manifest_profile *p)
{
	if (p->labels_size == 0)
		return;
	jkey(b, "labels");
	jtext_plain(b, "{");
	for (size_t i = 0; i < p->labels_size; i++) {
		put_list_comma(b, i);
		jtext_string(b, p->labels[i].key);
		jtext_plain(b, ":");
		jtext_string(b, p->labels[i].value);
	}
	jtext_plain(b, "}");
}

static void
put_inputs(struct buf *b, const struct manifest_profile *p)
{
	if (p->inputs == NULL)
		return;
	jkey(b, "inputs");
	jtext_plain(b, "[");
	for (size_t i = 0; i < p->inputs_size; i++) {
		put_list_comma(b, i);
		put_digest(b, p->inputs[i]);
	}
	jtext_plain(b, "]");
}

static void
put_facts(struct buf *b, const struct manifest_profile *p)
{
	jkey(b, "format");
	jtext_string(b, p->format);
	jkey_number(b, "version", p->version);
	jkey_text(b, "kind", manifest_kinds[p->kind]);
	jkey_number(b, "profiles", p->profiles);
	jkey(b, "binary_ids");
	jtext_plain(b, "[");
	for (size_t i = 0; i < p->binary_ids_size; i++) {
		put_list_comma(b, i);
		jtext_hex(b, p->binary_ids[i]);
	}
	jtext_plain(b, "]");
	jkey_number(b, "functions", p->functions);
	jkey_number(b, "contexts", p->contexts);
	jkey_number(b, "count", p->counts);
	jkey(b, "shape");
	jtext_id(b, p->shape);
}

void
manifest_put(struct buf *b, const struct manifest_profile *p)
{
	jtext_plain(b, "{");
	jkey_bytes(b, "path", "path_hex", p->path);
	jkey_bytes(b, "member", "member_hex", p->member);
	jkey_number(b, "size", p->size);
	jkey(b, "sha256");
	put_digest(b, p->sha256);
	put_facts(b, p);
	put_labels(b, p);
	put_inputs(b, p);
	jtext_plain(b, "}\n");
}
