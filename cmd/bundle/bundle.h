/* cmd/bundle/bundle.h - the verbs of prof-bundle and their options */
#ifndef CMD_BUNDLE_BUNDLE_H
#define CMD_BUNDLE_BUNDLE_H

#include "cmd/common/cli.h"
#include "bundle/manifest.h"
#include "io/output.h"
#include "io/packing.h"

struct bundle_options {
	bool packs;			/* an option named the packing */
	enum packing packing;
	struct manifest_label *labels;	/* sorted by key, each once */
	size_t labels_size, labels_room;
	bool json, force;
	enum bundle_dedup {
		BUNDLE_BY_RUN,		/* equal bytes of a run are one */
		BUNDLE_BY_CONTENT,	/* equal bytes are one profile */
		BUNDLE_DISTINCT		/* each profile is one */
	} dedup;
	struct prof_span run;		/* id of the run; empty: times */
	const char *folder;		/* of extract; NULL: the current one */
};

/* Each runs one verb, ends the program's work and returns its exit status. */
int bundle_create(struct cli *, struct bundle_options *);
int bundle_add(struct cli *, struct bundle_options *, const char *bundle);
int bundle_list(struct cli *, struct bundle_options *);
int bundle_extract(struct cli *, struct bundle_options *, char **globs);

#endif
