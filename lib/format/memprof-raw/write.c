/*
 * Records to raw heap profiles, as the runtimes of LLVM 17 to 22 would have
 * written them: one dump a profile.
 */
#include "format/memprof-raw/writer.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "model/mib.h"

const unsigned memprof_raw_written_oldest = 3, memprof_raw_written_newest = 5;

static enum prof_status
refuse(const char *what, struct prof_error *err)
{
	return err_set(err, PROF_E_UNSUPPORTED,
	    "raw heap profiles cannot hold %s", what);
}

static void
start(struct mraw_writer *w)
{
	arena_reset(&w->arena);
	id_map_free(&w->segment_index);
	id_map_free(&w->stack_ids);
	w->blocks.size = w->stacks.size = 0;
	w->segment_count = w->fixup_count = 0;
	w->block_count = w->stack_count = 0;
}

static enum prof_status
put_profile(struct mraw_writer *w, const struct prof_header *h,
    struct prof_error *err)
{
	if (h->kind == PROF_INSTR)
		return refuse("instrumentation profiles", err);
	start(w);
	w->began = true;
	w->salvaged = w->salvaged || h->flags & PROF_SALVAGED;
	return PROF_OK;
}

static enum prof_status
put_segment(struct mraw_writer *w, const struct prof_segment *s,
    struct prof_error *err)
{
	struct mraw_out_segment *p;
	uint64_t *place;

	if (s->file_addresses)
		return err_set(err, PROF_E_UNSUPPORTED, "raw heap profiles of "
		    "version %u need addresses of modules, and segment %llu "
		    "has offsets of its file (of version 1 or 2), which only "
		    "the binary can tell", w->row->version,
		    (unsigned long long)s->id);
	if (s->build_id.size > MRAW_BUILD_ID_MAX)
		return refuse("a build id above 32 bytes", err);
	p = array_room(w->segments, w->segment_count, &w->segment_room,
	    sizeof(*p));
	if (p == NULL)
		return err_memory(err);
	w->segments = p;
	p += w->segment_count++;
	*p = (struct mraw_out_segment){ .segment = *s };
	p->segment.build_id = arena_copy(&w->arena, s->build_id);
	place = id_map_add(&w->segment_index, s->id, w->segment_count);
	if (place == NULL || p->segment.build_id.data == NULL)
		return err_memory(err);
	return *place == w->segment_count ? PROF_OK :
	    err_set(err, PROF_E_CORRUPT, "segment %llu is there twice",
	    (unsigned long long)s->id);
}

static bool
add_fixup(struct mraw_writer *w, size_t segment)
{
	struct mraw_fixup *p = array_room(w->fixups, w->fixup_count,
	    &w->fixup_room, sizeof(*p));

	if (p == NULL)
		return false;
	w->fixups = p;
	p[w->fixup_count++] = (struct mraw_fixup){ w->stacks.size, segment };
	return true;
}

/* An address of a module is moved to where the module was, or will be. */
static enum prof_status
put_module_pc(struct mraw_writer *w, const struct prof_stack *stack, size_t i,
    struct prof_error *err)
{
	const uint64_t *place = id_map_find(&w->segment_index,
	    stack->segments[i]);
	uint64_t pc = stack->pcs[i];
	struct mraw_out_segment *s;

	if (place == NULL)
		return err_set(err, PROF_E_CORRUPT, "stack 0x%llx has an "
		    "address of segment %llu, which is not there",
		    (unsigned long long)stack->id,
		    (unsigned long long)stack->segments[i]);
	s = &w->segments[*place - 1];
	if (s->segment.has_range) {
		/* Modulo 2^64, as the loader does. */
		pc += s->segment.offset;
	} else {
		if (pc > s->used)
			s->used = pc;
		if (!add_fixup(w, (size_t)*place - 1))
			return err_memory(err);
	}
	mraw_number(w, &w->stacks, pc, 8);
	return PROF_OK;
}

static enum prof_status
put_stack(struct mraw_writer *w, const struct prof_stack *s,
    struct prof_error *err)
{
	uint64_t *place;

	if (s->pcs_size == 0 && s->frames_size != 0)
		return err_set(err, PROF_E_UNSUPPORTED, "raw heap profiles "
		    "need addresses, and stack 0x%llx has frames only",
		    (unsigned long long)s->id);
	place = id_map_add(&w->stack_ids, s->id, ++w->stack_count);
	if (place == NULL)
		return err_memory(err);
	if (*place != w->stack_count)
		return err_set(err, PROF_E_CORRUPT, "stack 0x%llx is there "
		    "twice", (unsigned long long)s->id);
	w->frames += s->frames_size;
	mraw_number(w, &w->stacks, s->id, 8);
	mraw_number(w, &w->stacks, s->pcs_size, 8);
	for (size_t i = 0; i < s->pcs_size; i++) {
		if (s->segments == NULL ||
		    s->segments[i] == PROF_NO_SEGMENT)
			mraw_number(w, &w->stacks, s->pcs[i], 8);
		else if (put_module_pc(w, s, i, err) != PROF_OK)
			return PROF_FAIL;
	}
	return w->stacks.failed ? err_memory(err) : PROF_OK;
}

/* What a block without that field would have had. */
static uint64_t
value_of(const struct prof_mib *m, unsigned field)
{
	switch (field) {
	case PROF_MIB_MAX_ACCESS_COUNT:
		field = mib_has(m, field) ? field : PROF_MIB_MIN_ACCESS_COUNT;
		break;
	case PROF_MIB_MAX_SIZE:
		field = mib_has(m, field) ? field : PROF_MIB_MIN_SIZE;
		break;
	default:
		break;
	}
	return m->value[field];
}

static void
put_histogram(struct mraw_writer *w, const struct prof_mib *m, size_t size)
{
	bool rounded = false;

	for (size_t i = 0; i < size; i++) {
		uint64_t v = m->histogram[i];
		uint16_t scaled = mraw_scale(v);

		if (w->row->histogram_width == 8) {
			mraw_number(w, &w->blocks, v, 8);
			continue;
		}
		rounded = rounded || mraw_unscale(scaled) != v;
		mraw_number(w, &w->blocks, scaled, 2);
	}
	w->rounded += rounded;
}

static enum prof_status
put_allocation(struct mraw_writer *w, const struct prof_allocation *a,
    struct prof_error *err)
{
	const struct prof_mib *m = &a->info;
	const bool takes = w->row->histogram_width != 0;
	const size_t size = m->histogram == NULL ? 0 :
	    (size_t)m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE];
	/* A block without histogram is the same as one with an empty one. */
	const uint32_t histogram =
	    UINT32_C(1) << PROF_MIB_ACCESS_HISTOGRAM_SIZE |
	    UINT32_C(1) << PROF_MIB_ACCESS_HISTOGRAM;

	if (id_map_find(&w->stack_ids, a->stack) == NULL)
		return err_set(err, PROF_E_CORRUPT, "an allocation is of "
		    "stack 0x%llx, which is not there",
		    (unsigned long long)a->stack);
	w->histograms += size != 0 && !takes;
	w->sizes += size == 0 && m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE] != 0;
	w->unknown += (~m->fields & w->row->fields & ~histogram) != 0;
	mraw_number(w, &w->blocks, a->stack, 8);
	for (unsigned i = 1; i <= w->row->last_field; i++)
		mraw_number(w, &w->blocks,
		    i == PROF_MIB_ACCESS_HISTOGRAM_SIZE ? size :
		    value_of(m, i), mib_bytes(i));
	if (takes) {
		/* Where the histogram was in memory. */
		mraw_number(w, &w->blocks, 0,
		    mib_bytes(PROF_MIB_ACCESS_HISTOGRAM));
		put_histogram(w, m, size);
	}
	w->block_count++;
	return w->blocks.failed ? err_memory(err) : PROF_OK;
}

static enum prof_status
put_end(struct mraw_writer *w, struct prof_error *err)
{
	enum prof_status status = mraw_place(w, err);
	struct buf dump = { 0 };

	if (status == PROF_OK)
		status = mraw_emit(w, &dump, err);
	if (status == PROF_OK)
		status = sink_write(&w->base, dump.data, dump.size, err);
	buf_free(&dump);
	return status;
}

static enum prof_status
mraw_put(struct prof_writer *base, const struct prof_record *r,
    struct prof_error *err)
{
	struct mraw_writer *w = (struct mraw_writer *)base;

	switch (r->kind) {
	case PROF_REC_PROFILE:
		return put_profile(w, &r->u.profile, err);
	case PROF_REC_SEGMENT:
		return put_segment(w, &r->u.segment, err);
	case PROF_REC_STACK:
		return put_stack(w, &r->u.stack, err);
	case PROF_REC_ALLOCATION:
		return put_allocation(w, &r->u.allocation, err);
	case PROF_REC_MEMPROF_FUNCTION:
		return refuse("functions with frames for addresses, as indexed "
		    "files and YAML have them", err);
	case PROF_REC_FUNCTION:
	case PROF_REC_RAW_COUNTERS:
	case PROF_REC_VTABLE:
	case PROF_REC_TRACE:
		return refuse("instrumentation profiles", err);
	case PROF_REC_END:
		return put_end(w, err);
	default:
		w->others++;
		return PROF_OK;
	}
}

static void
tell(const struct mraw_writer *w, uint64_t n, const char *what)
{
	if (n != 0)
		warn_lost(w->base.context, "raw heap profiles of version %u "
		    "cannot hold %s: dropped %llu", w->row->version, what,
		    (unsigned long long)n);
}

static enum prof_status
mraw_finish(struct prof_writer *base, struct prof_error *err)
{
	struct mraw_writer *w = (struct mraw_writer *)base;

	if (!w->began)
		return err_set(err, PROF_E_FORMAT, "no profile");
	tell(w, w->frames, "frames");
	tell(w, w->histograms, "access histograms");
	tell(w, w->sizes, "sizes of histograms that are not there");
	tell(w, w->others, "records of other types");
	if (w->rounded != 0)
		warn_lost(base->context, "raw heap profiles of version %u "
		    "have histograms of 12 bits and an exponent: %llu were "
		    "rounded up, or to the largest", w->row->version,
		    (unsigned long long)w->rounded);
	if (w->shared != 0)
		warn_lost(base->context, "%llu segments lie over others, as "
		    "those of several runs may: whose addresses are whose is "
		    "lost", (unsigned long long)w->shared);
	if (w->unknown != 0)
		warn_set(base->context, "%llu memory info blocks lack fields "
		    "of version %u: 0 stands for them, and the minimum for a "
		    "maximum", (unsigned long long)w->unknown,
		    w->row->version);
	if (w->salvaged)
		warn_lost(base->context, "raw heap profiles cannot say that "
		    "they were salvaged");
	return PROF_OK;
}

static void
mraw_free(struct prof_writer *base)
{
	struct mraw_writer *w = (struct mraw_writer *)base;

	start(w);
	arena_free(&w->arena);
	buf_free(&w->blocks);
	buf_free(&w->stacks);
	free(w->segments);
	free(w->fixups);
	free(w);
}

static const struct writer_ops mraw_writer_ops = {
	.put = mraw_put,
	.finish = mraw_finish,
	.free = mraw_free,
};

struct prof_writer *
memprof_raw_writer_new(struct prof_context *context,
    const struct prof_target *t, prof_sink *sink, void *arg,
    struct prof_error *err)
{
	struct mraw_writer *w;

	if (t->pointer_bits == 32) {
		err_set(err, PROF_E_UNSUPPORTED,
		    "raw heap profiles are of programs of 64 bits");
		return NULL;
	}
	w = calloc(1, sizeof(*w));
	if (w == NULL) {
		err_memory(err);
		return NULL;
	}
	w->base = (struct prof_writer){ &mraw_writer_ops, context, sink, arg };
	w->row = mraw_row(t->version);
	w->big = t->big_endian;
	return &w->base;
}
