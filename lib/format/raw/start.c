/* Opens an image of a raw file: its sections, names and records are checked. */
#include "format/raw/reader.h"

#include "base/error.h"
#include "format/raw/extent.h"
#include "format/raw/ids.h"

static enum prof_status
raw_start_values(struct raw_reader *r, struct prof_error *err)
{
	r->values_at = r->im.at[RAW_S_VALUES];
	r->has_values = r->facts.sites != 0 &&
	    raw_has_values(&r->im, r->values_at);
	if (r->facts.sites == 0 || r->has_values)
		return PROF_OK;
	warn_at(r->base.context, r->values_at, "records have value sites, but "
	    "there is no value data: all sites are empty");
	/* With value data, each site takes a byte of the file. */
	return raw_check_declared(&r->im, &(struct raw_declared){
	    r->facts.sites, "value sites", r->im.field[RAW_NUM_COUNTERS],
	    "NumCounters" }, err);
}

/* Reads the names of a version whose records address them. */
static enum prof_status
raw_start_addressed_names(const struct raw_image *im, struct cached_names *n,
    struct prof_error *err)
{
	uint64_t total = 0;

	for (uint64_t i = 0; i < im->field[RAW_NUM_DATA]; i++) {
		struct raw_record record;
		struct prof_span name;

		raw_record_get(im, i, &record);
		if (raw_addressed_name(im, i, &record, &name, err) != PROF_OK)
			return PROF_FAIL;
		total += name.size;
		if (raw_check_declared(im, &(struct raw_declared){ total,
		    "bytes of names", im->size[RAW_S_NAMES], "NamesSize" },
		    err) != PROF_OK)
			return PROF_FAIL;
		if (!symtab_add(&n->names.table, name, 0))
			return err_memory(err);
	}
	n->vtable_start = n->names.table.size;
	return PROF_OK;
}

static enum prof_status
raw_start_names(struct raw_reader *r, struct prof_error *err)
{
	const struct raw_image *im = &r->im;

	lru_cache_release(r->names);
	if (im->row->addressed_names) {
		r->names = name_cache_new(err);
		return r->names == NULL ? PROF_FAIL :
		    raw_start_addressed_names(im, r->names, err);
	}
	r->names = name_cache_get(r->base.context, &(struct name_sections){
	    raw_section(im, RAW_S_NAMES), raw_section(im, RAW_S_VNAMES),
	    im->at[RAW_S_NAMES], im->at[RAW_S_VNAMES] }, &r->names_limit, err);
	return r->names == NULL ? PROF_FAIL : PROF_OK;
}

/* Checks all records, unless the image is of a program seen before. */
static enum prof_status
raw_start_records(struct raw_reader *r, struct prof_error *err)
{
	struct prof_context *context = r->base.context;
	struct raw_program_builder *builder = NULL;
	struct raw_visitor visitor;

	lru_cache_release(r->program);
	r->relocation = (struct raw_relocation){ 0 };
	r->program = context == NULL ? NULL :
	    raw_program_find(context, &r->im, r->names, &r->relocation);
	if (r->program != NULL) {
		r->facts = r->program->facts;
		raw_check_rest(&r->im, context);
		return PROF_OK;
	}
	if (context != NULL)
		builder = raw_program_builder_new(&r->im, r->names,
		    raw_program_is_worthwhile(context, &r->im), &visitor);
	if (raw_check(&(struct raw_check_input){ &r->im,
	    &r->names->names.table, context,
	    builder == NULL ? NULL : &visitor }, &r->facts, err) != PROF_OK) {
		raw_program_builder_free(builder);
		return PROF_FAIL;
	}
	if (builder != NULL)
		r->program = raw_program_builder_finish(builder, context,
		    &r->facts, &r->relocation);
	return PROF_OK;
}

/* Counters of blocks are added in place, so they must be aligned. */
static bool
raw_start_has_blocks(const struct raw_reader *r)
{
	return r->program != NULL && r->program->layout.size != 0 &&
	    r->base.context->blocks && ((uintptr_t)r->im.file.data +
	    r->im.at[RAW_S_COUNTERS]) % _Alignof(uint64_t) == 0;
}

/* Reports a section of which a copy is used from now on. */
static void
raw_start_consume(const struct raw_reader *r, enum raw_section s)
{
	struct prof_span bytes = raw_section(&r->im, s);
	struct consumed consumed;

	consumed_start(&consumed, r->base.context, bytes.data);
	consumed_end(&consumed, bytes.data + bytes.size);
}

enum prof_status
raw_start_image(struct raw_reader *r, struct prof_span file, size_t start,
    struct prof_error *err)
{
	if (raw_image_open(&r->im, file, start, err) != PROF_OK ||
	    raw_start_names(r, err) != PROF_OK ||
	    raw_start_records(r, err) != PROF_OK)
		return PROF_FAIL;
	r->blocks = raw_start_has_blocks(r);
	raw_start_consume(r, RAW_S_NAMES);
	if (r->program != NULL && r->program->shared)
		raw_start_consume(r, RAW_S_DATA);
	consumed_start(&r->counts_consumed, r->base.context,
	    file.data + r->im.at[RAW_S_COUNTERS]);
	consumed_start(&r->values_consumed, r->base.context,
	    file.data + r->im.at[RAW_S_VALUES]);
	r->ids_at = r->im.at[RAW_S_IDS];
	r->ids_padded = raw_ids_padded(&r->im);
	r->functions = NULL;
	r->name_hint = 0;
	r->suspicious = 0;
	r->state = AT_PROFILE;
	return raw_start_values(r, err);
}
