/* cmd/profdata/inputs.h - the inputs of llvm-profdata merge */
#ifndef CMD_PROFDATA_INPUTS_H
#define CMD_PROFDATA_INPUTS_H

#include "base/arena.h"
#include "cmd/common/cli.h"
#include "cmd/profdata/profdata.h"

struct profdata_inputs {
	struct cli_input *items;
	size_t size, room;
	struct arena arena;		/* paths */
};

/* Finds all inputs: operands, --weighted-input, --input-files; folders too. */
void profdata_inputs_find(struct profdata *, struct profdata_inputs *);
void profdata_inputs_free(struct profdata_inputs *);

#endif
