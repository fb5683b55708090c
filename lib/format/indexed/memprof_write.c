#include "format/indexed/memprof_write.h"

#include "base/error.h"
#include "format/memprof/write.h"
#include "format/memprof_losses.h"
#include "format/sources/sources.h"
#include "model/releases.h"
#include "model/memprof/build.h"

static enum prof_status
heap_writer_add_stack(void *sources, uint64_t id, const struct prof_frame
    *frames, size_t count, struct prof_error *err)
{
	return sources_put_stack(sources, id, frames, count, err);
}

enum prof_status
indexed_heap_start(struct indexed_heap_writer *h, struct prof_error *err)
{
	if (!indexed_row_has(h->row, INDEXED_MEMPROF))
		return err_set(err, PROF_E_UNSUPPORTED, "indexed version %u "
		    "cannot hold a heap profile (MemProf): %u and later can",
		    h->row->version, indexed_first_with(INDEXED_MEMPROF));
	if (h->build != NULL)
		return PROF_OK;
	h->build = memprof_build_new();
	if (h->build == NULL)
		return err_memory(err);
	if (h->folded)
		memprof_build_fold(h->build);
	if (!h->target.with_sources)
		return PROF_OK;
	h->sources = sources_writer_new((struct sources_widths){ 0 });
	if (h->sources == NULL)
		return err_memory(err);
	memprof_build_watch_stacks(h->build, heap_writer_add_stack, h->sources);
	return PROF_OK;
}

bool
indexed_heap_accepts(enum prof_record_kind kind)
{
	return memprof_build_accepts(kind);
}

enum prof_status
indexed_heap_put(struct indexed_heap_writer *h, const struct prof_record *r,
    struct prof_error *err)
{
	if (indexed_heap_start(h, err) != PROF_OK)
		return PROF_FAIL;
	return memprof_build_put(h->build, r, err);
}

enum prof_status
indexed_heap_write(struct indexed_heap_writer *h, bool functions,
    uint64_t base, struct buf *out, struct prof_error *err)
{
	const struct llvm_release *reader =
	    llvm_release_reading(h->row->version);
	const struct memprof_file file = { h->row->version,
	    reader->memprof_first, reader->memprof_last,
	    reader->memprof_field };
	struct memprof_choice choice;
	struct memprof_built built;

	if (memprof_build_finish(h->build, &built, err) != PROF_OK)
		return PROF_FAIL;
	memprof_losses_warn(h->context, &built.losses);
	if (functions && built.records_size == 0 && built.accesses_size == 0 &&
	    built.cold_size == 0) {
		indexed_heap_free(h);
		h->build = NULL;
		h->sources = NULL;
		return PROF_OK;
	}
	if (memprof_choose(&choice, &file, &h->target, &built, err) !=
	    PROF_OK)
		return PROF_FAIL;
	if (h->sources != NULL && sources_put_built(h->sources, &built,
	    h->target.with_entries, err) != PROF_OK)
		return PROF_FAIL;
	return memprof_section_write(&choice, h->context, base, out, err);
}

enum prof_status
indexed_heap_write_sources(struct indexed_heap_writer *h, uint64_t base,
    struct buf *out, struct prof_error *err)
{
	return h->sources == NULL ? PROF_OK :
	    sources_write(h->sources, h->context, base, out, err);
}

void
indexed_heap_free(struct indexed_heap_writer *h)
{
	memprof_build_free(h->build);
	sources_writer_free(h->sources);
}
