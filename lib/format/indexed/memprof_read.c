#include "format/indexed/memprof_read.h"

#include "base/error.h"

/* *end is the offset behind all sections; the heap profile may be the last. */
static enum prof_status
heap_reader_open_section(struct indexed_heap_reader *h,
    const struct indexed_image *im, size_t *end, struct prof_error *err)
{
	size_t limit = im->memprof + im->memprof_size, last;

	*end = im->end;
	if (!indexed_has(im, INDEXED_MEMPROF))
		return PROF_OK;
	h->is_open = true;
	if (memprof_section_read(&h->section, (struct prof_span){
	    im->file.data, limit }, im->memprof, err) != PROF_OK)
		return PROF_FAIL;
	h->has_data = memprof_section_has_data(&h->section);
	last = h->section.data.end;
	if (!indexed_has(im, INDEXED_BINARY_IDS))
		*end = last;
	else if (last != limit)
		return err_at(err, PROF_E_CORRUPT, last, "%zu bytes follow the "
		    "heap profile (MemProf)", limit - last);
	return PROF_OK;
}

/* Accepts zeros up to a multiple of 8, and then sections of source files. */
static enum prof_status
heap_reader_open_sources(struct indexed_heap_reader *h, struct prof_span file,
    size_t end, struct prof_error *err)
{
	size_t start = end + (size_t)pad8(end);
	bool good;

	if (end == file.size)
		return PROF_OK;
	if (sources_open(file, &h->sources, err) != PROF_OK)
		return PROF_FAIL;
	good = h->sources != NULL && start >= end &&
	    sources_start(h->sources) == start;
	for (size_t i = end; good && i < start; i++)
		good = file.data[i] == 0;
	if (!good)
		return err_at(err, PROF_E_CORRUPT, end, "%zu bytes follow the "
		    "last section", file.size - end);
	h->section.sources = h->sources;
	return PROF_OK;
}

enum prof_status
indexed_heap_open(struct indexed_heap_reader *h, const struct indexed_image *im,
    struct prof_error *err)
{
	size_t end;

	if (heap_reader_open_section(h, im, &end, err) != PROF_OK)
		return PROF_FAIL;
	return heap_reader_open_sources(h, im->file, end, err);
}

void
indexed_heap_describe(const struct indexed_heap_reader *h, struct prof_source
    *to)
{
	const struct memprof_section *s = &h->section.section;

	if (!h->is_open)
		return;
	to->memprof_version = s->row->version + 1u;
	to->memprof_fields = s->schema;
	to->memprof_sources = h->sources != NULL;
}

void
indexed_heap_close(struct indexed_heap_reader *h)
{
	if (h->is_open)
		memprof_section_close(&h->section);
	sources_close(h->sources);
}
