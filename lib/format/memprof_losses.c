#include "format/memprof_losses.h"

void
memprof_losses_warn(struct prof_context *context,
    const struct memprof_losses *l)
{
	if (l->stacks != 0)
		warn_lost(context, "%llu addresses of %llu stacks have no "
		    "function and are left out",
		    (unsigned long long)l->addresses,
		    (unsigned long long)l->stacks);
	if (l->stacks_without_place != 0)
		warn_lost(context, "%llu stacks have frames with neither line "
		    "nor column, which no compiler can match%s",
		    (unsigned long long)l->stacks_without_place,
		    l->all_without_place ? "" : ": left out");
	if (l->sites != 0)
		warn_lost(context, "%llu allocations and call sites have no "
		    "frame left: dropped", (unsigned long long)l->sites);
	if (l->saturated != 0)
		warn_set(context, "sums of %llu allocations are too large: the "
		    "largest number is kept", (unsigned long long)l->saturated);
	if (l->saturated_accesses != 0)
		warn_set(context, "sums of %llu data accesses are too large: "
		    "the largest number is kept",
		    (unsigned long long)l->saturated_accesses);
}
