/* prof-index - the indexed profile that compilers and llvm-cov read */
#include "config.h"

#include "cmd/merge/run.h"
#include "cmd/common/restrict.h"
#include "cmd/upgrade/upgrade.h"

struct index_run {
	struct cli cli;
	struct cli_merge_options merge;
	struct upgrade_options upgrade;
};

static const struct cli_option options[] = {
	MERGE_LEVEL_ROW(struct index_run),
	CLI_SALVAGE_ROW,
	CLI_FAIL_ON_ROW,
	{ 'S', "buffer-size", "SIZE",
	    "sum in SIZE of memory, as 64M, and files in $TMPDIR",
	    CLI_SETS(struct index_run, merge.buffer) },
	{ 0, "upgrade", NULL, "rewrite each FILE in the newest version",
	    CLI_SETS(struct index_run, upgrade.wanted) },
	{ 'r', "recursive", NULL, "upgrade: rewrite all files of folders",
	    CLI_SETS(struct cli, options.recursive) },
	{ 0, "preserve", NULL, "upgrade: keep the times of files",
	    CLI_SETS(struct index_run, upgrade.rewrite.times) },
	{ 0, "backup", "SUFFIX",
	    "upgrade: keep the old file, with SUFFIX added",
	    CLI_SETS(struct index_run, upgrade.rewrite.backup) },
	{ 0, "dry-run", NULL, "upgrade: only print what would be done",
	    CLI_SETS(struct index_run, upgrade.dry_run) },
	CLI_JOBS_ROW,
	{ 0 }
};

static const struct cli_program program = { "prof-index", "indexed",
"usage: prof-index [options] [FILE...]\n"
"       prof-index --upgrade [options] FILE...\n"
"Writes one indexed profile with the sum of all inputs, or rewrites indexed\n"
"profiles in place.\n",
	.tables = { cli_output_options, options, cli_options }
};

int
main(int argc, char **argv)
{
	struct index_run r = { .merge = { .scale = { 1, 1 },
	    .output.heap_as_read = true } };
	struct upgrade_options *up = &r.upgrade;

	cli_start(&r.cli, &program);
	cli_parse(&r.cli, &r, argc, argv);
	if (!up->wanted && (up->rewrite.times || up->rewrite.backup != NULL ||
	    up->dry_run || r.cli.options.recursive))
		cli_usage_error(&r.cli, "--preserve, --backup, --dry-run and "
		    "--recursive need --upgrade");
	if (up->wanted && r.cli.options.salvage)
		cli_usage_error(&r.cli, "--salvage cannot be used with "
		    "--upgrade: lost records could not be recovered");
	cli_operands(&r.cli, argc - optind, argv + optind);
	cli_restrict(&r.cli, &(struct cli_writes){
	    .temporaries = !up->wanted, .replaces = up->wanted });
	return up->wanted ? upgrade(&r.cli, up) : cli_merge(&r.cli, &r.merge);
}
