/*
 * Names of the functions of a binary.  They are in a file of their own, since
 * it makes a program load the libraries of debug files.
 */
#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/common/cli.h"
#include "io/map.h"
#include "io/read_at.h"
#include "ops/heap/view.h"
#include "sym/binary.h"
#include "sym/work.h"

static bool
binary_names_add(void *names, struct prof_span name)
{
	return heap_names_add(names, name);
}

/* To open another kind of file than a regular one could wait. */
static bool
binary_is_elf(const char *path)
{
	struct stat st;
	char start[4];
	bool elf;
	int fd;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	elf = read_at(fd, start, sizeof(start), 0) == sizeof(start) &&
	    memcmp(start, "\177ELF", sizeof(start)) == 0;
	close(fd);
	return elf;
}

enum prof_status
cli_binary_names(struct cli *c, const char *path, struct heap_names *names)
{
	struct work work = { .input = 0 };
	const struct binary_search search = { .work = &work };
	enum prof_status status = PROF_FAIL;
	struct binary *b;

	if (!binary_is_elf(path))
		return PROF_END;
	map_handle_errors();
	b = binary_open(path, &search, &c->err);
	if (b != NULL)
		status = binary_visit_names(b, binary_names_add, names,
		    &c->err);
	binary_close(b);
	return status;
}
