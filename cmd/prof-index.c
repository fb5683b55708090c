/* prof-index - the indexed profile that compilers and llvm-cov read */
#include "config.h"

#include "cmd/common/merge.h"
#include "cmd/upgrade/upgrade.h"

static const char usage[] =
"usage: prof-index [options] [FILE...]\n"
"       prof-index --upgrade [options] FILE...\n"
"Writes one indexed profile of all that the inputs hold, or rewrites indexed\n"
"profiles in place.\n"
"\n"
CLI_OUTPUT_USAGE
CLI_FAIL_ON_USAGE
"  -S, --buffer-size SIZE  sum in memory of SIZE, as 64M, and files in "
"$TMPDIR\n"
"      --to-version N    the same as --format-version\n"
"      --upgrade         rewrite each FILE, at the newest version\n"
"      --preserve        upgrade: keep the times of files\n"
"      --backup SUFFIX   upgrade: keep the old file as FILE and SUFFIX\n"
"      --dry-run         upgrade: only say what would be done\n"
CLI_USAGE;

enum { UPGRADE = CLI_OWN, PRESERVE, BACKUP, DRY_RUN };

static const struct option options[] = {
	{ "to-version", required_argument, NULL, CLI_FORMAT_VERSION },
	{ "buffer-size", required_argument, NULL, 'S' },
	{ "upgrade", no_argument, NULL, UPGRADE },
	{ "preserve", no_argument, NULL, PRESERVE },
	{ "backup", required_argument, NULL, BACKUP },
	{ "dry-run", no_argument, NULL, DRY_RUN },
	CLI_FAIL_ON_LONG, CLI_OUTPUT_LONG, CLI_LONG, { 0 }
};

static void
index_option(struct cli *c, struct cli_merge_options *m,
    struct upgrade_options *u, int option)
{
	switch (option) {
	case UPGRADE:
		u->wanted = true;
		break;
	case 'S':
		m->buffer = cli_parse_size(c, optarg);
		break;
	case PRESERVE:
		u->rewrite.times = true;
		break;
	case BACKUP:
		u->rewrite.backup = optarg;
		break;
	case DRY_RUN:
		u->dry_run = true;
		break;
	default:
		cli_option(c, option);
	}
}

int
main(int argc, char **argv)
{
	struct cli_merge_options merge = { .scale = { 1, 1 },
	    .output.heap_as_read = true };
	struct upgrade_options up = { .wanted = false };
	struct cli c;
	int o;

	cli_start(&c, "prof-index", usage, "indexed");
	while ((o = getopt_long(argc, argv, CLI_LETTERS CLI_OUTPUT_LETTERS
	    "S:", options, NULL)) != -1)
		index_option(&c, &merge, &up, o);
	up.report = c.report.damage.report;
	if (!up.wanted && (up.rewrite.times || up.rewrite.backup != NULL ||
	    up.dry_run))
		cli_usage_error(&c, "--preserve, --backup and --dry-run go "
		    "with --upgrade");
	cli_operands(&c, argc - optind, argv + optind);
	return up.wanted ? upgrade(&c, &up) : cli_merge(&c, &merge);
}
