/* cmd/bundle/bundle.h - the verbs of prof-bundle, and what they have in common */
#ifndef CMD_BUNDLE_BUNDLE_H
#define CMD_BUNDLE_BUNDLE_H

#include "cmd/common/cli.h"
#include "bundle/manifest.h"
#include "io/output.h"
#include "io/packing.h"

struct bundle_options {
	bool packs;			/* a packing was asked for */
	enum packing packing;
	struct manifest_label *labels;	/* sorted by key, each once */
	size_t labels_size, labels_room;
	bool consume, json, force;
	const char *folder;		/* of extract; NULL: the current one */
};

/* Each does what is asked for and ends: the exit status. */
int bundle_create(struct cli *, struct bundle_options *);
int bundle_add(struct cli *, struct bundle_options *, const char *bundle);
int bundle_list(struct cli *, struct bundle_options *);
int bundle_verify(struct cli *, struct bundle_options *);
int bundle_extract(struct cli *, struct bundle_options *, char **globs);
int bundle_merge(struct cli *, struct bundle_options *);

#endif
