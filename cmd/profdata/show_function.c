/* llvm-profdata show: the lines of one function. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cmd/profdata/show.h"
#include "model/record.h"
#include "model/value_sites.h"

static void
print_function_hash(struct profdata_show_state *s,
    const struct prof_function *f)
{
	profdata_print(s->out, "  ");
	profdata_put(s->out, f->symbol.name);
	profdata_print(s->out, ":\n    Hash: 0x%016" PRIx64 "\n"
	    "    Counters: %zu", f->hash, f->counts_size);
}

void
profdata_show_head(struct profdata_show_state *s, const struct prof_function *f)
{
	if (s->shown++ == 0)
		profdata_print(s->out, "Counters:\n");
	print_function_hash(s, f);
}

static void
print_block_counts(struct profdata_show_state *s, const struct prof_function *f)
{
	/* The front end's first counter is printed as the function count. */
	size_t first = s->header.level != PROF_LEVEL_IR;

	profdata_print(s->out, "    Block counts: [");
	for (size_t i = first; i < f->counts_size; i++)
		profdata_print(s->out, "%s%" PRIu64, i == first ? "" : ", ",
		    f->counts[i]);
	profdata_print(s->out, "]\n");
}

static void
count_value_site(struct profdata_sites *all, size_t values)
{
	if (values > all->size) {
		uint64_t *more = realloc(all->histogram,
		    values * sizeof(*more));

		if (more == NULL)
			profdata_out_of_memory();
		all->histogram = more;
		while (all->size < values)
			all->histogram[all->size++] = 0;
	}
	all->histogram[values - 1]++;
	all->with_values++;
	all->values += values;
}

static void
print_value(struct profdata_show_state *s, enum prof_value_kind kind,
    size_t site, const struct prof_value *v, uint64_t sum)
{
	profdata_print(s->out, "\t[ %2zu, ", site);
	if (kind == PROF_MEM_OP_SIZE)
		profdata_print(s->out, "%4" PRIu64, v->value);
	else
		profdata_put(s->out, v->name);
	profdata_print(s->out, ", %10" PRId64 " ] (%.2f%%)\n",
	    (int64_t)v->count, (double)v->count * 100.0 / (double)sum);
}

/* Sums are modulo 2^64, as LLVM has them. */
static void
print_value_sites(struct profdata_show_state *s, enum prof_value_kind kind,
    const struct prof_sites *sites)
{
	struct profdata_sites *all = &s->sites[kind];

	all->sites += sites->size;
	for (size_t i = 0; i < sites->size; i++) {
		const struct prof_site *site = &sites->sites[i];
		uint64_t sum = 0;

		if (site->size == 0)
			continue;
		count_value_site(all, site->size);
		for (size_t k = 0; k < site->size; k++)
			sum += site->values[k].count;
		for (size_t k = 0; k < site->size; k++)
			print_value(s, kind, i, &site->values[k],
			    sum == 0 ? 1 : sum);
	}
}

static void
print_site_counts(struct profdata_show_state *s, const struct prof_function *f)
{
	const struct profdata_options *o = &s->p->options;
	size_t copies = f->values[PROF_MEM_OP_SIZE].size;

	if (o->ic_targets)
		profdata_print(s->out, "    Indirect Call Site Count: %zu\n",
		    f->values[PROF_INDIRECT_CALL_TARGET].size);
	if (o->vtables)
		profdata_print(s->out, "    Number of instrumented vtables: "
		    "%zu\n", f->values[PROF_VTABLE_TARGET].size);
	if (o->memop_sizes && copies != 0)
		profdata_print(s->out, "    Number of Memory Intrinsics Calls:"
		    " %zu\n", copies);
}

void
profdata_show_function(struct profdata_show_state *s,
    const struct prof_function *f)
{
	const struct profdata_options *o = &s->p->options;
	const struct prof_sites *copies = &f->values[PROF_MEM_OP_SIZE];

	profdata_show_head(s, f);
	profdata_print(s->out, "\n");
	if (s->header.level != PROF_LEVEL_IR && f->counts_size != 0)
		profdata_print(s->out, "    Function count: %" PRIu64 "\n",
		    f->counts[0]);
	print_site_counts(s, f);
	if (o->counts)
		print_block_counts(s, f);
	if (o->ic_targets) {
		profdata_print(s->out, "    Indirect Target Results:\n");
		print_value_sites(s, PROF_INDIRECT_CALL_TARGET,
		    &f->values[PROF_INDIRECT_CALL_TARGET]);
	}
	if (o->vtables) {
		profdata_print(s->out, "    VTable Results:\n");
		print_value_sites(s, PROF_VTABLE_TARGET,
		    &f->values[PROF_VTABLE_TARGET]);
	}
	if (o->memop_sizes && copies->size != 0) {
		profdata_print(s->out,
		    "    Memory Intrinsic Size Results:\n");
		print_value_sites(s, PROF_MEM_OP_SIZE, copies);
	}
}

static void
print_text_sites(struct profdata_show_state *s, int kind, const struct
    prof_sites *sites)
{
	profdata_print(s->out, "# ValueKind = %s:\n%d\n# NumValueSites:\n"
	    "%zu\n", words_value_kind_llvm[kind], kind, sites->size);
	for (size_t i = 0; i < sites->size; i++) {
		const struct prof_site *site = &sites->sites[i];

		profdata_print(s->out, "%zu\n", site->size);
		for (size_t k = 0; k < site->size; k++) {
			const struct prof_value *v = &site->values[k];

			if (kind == PROF_MEM_OP_SIZE)
				profdata_print(s->out, "%" PRIu64, v->value);
			else if (v->name.size == 0)
				profdata_print(s->out,
				    "** External Symbol **");
			else
				profdata_put(s->out, v->name);
			profdata_print(s->out, ":%" PRIu64 "\n", v->count);
		}
	}
}

/* InstrProfWriter::writeRecordInText. */
void
profdata_show_text(struct profdata_show_state *s, const struct prof_function *f)
{
	int kinds = value_kinds_count(f->values);

	profdata_put(s->out, f->symbol.name);
	profdata_print(s->out, "\n# Func Hash:\n%" PRIu64 "\n"
	    "# Num Counters:\n%zu\n# Counter Values:\n", f->hash,
	    f->counts_size);
	for (size_t i = 0; i < f->counts_size; i++)
		profdata_print(s->out, "%" PRIu64 "\n", f->counts[i]);
	if (f->bitmap.size != 0) {
		profdata_print(s->out, "# Num Bitmap Bytes:\n$%zu\n"
		    "# Bitmap Byte Values:\n", f->bitmap.size);
		for (size_t i = 0; i < f->bitmap.size; i++)
			profdata_print(s->out, "0x%x\n", f->bitmap.data[i]);
		profdata_print(s->out, "\n");
	}
	if (kinds != 0)
		profdata_print(s->out, "# Num Value Kinds:\n%d\n", kinds);
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		if (f->values[k].size != 0)
			print_text_sites(s, k, &f->values[k]);
	}
	profdata_print(s->out, "\n");
}
