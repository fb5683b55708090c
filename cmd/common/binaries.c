/*
 * Binaries that tell of functions.  They are in a file of their own, since it
 * makes a program load the libraries of debug files.
 */
#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cmd/common/pipeline.h"
#include "io/map.h"
#include "io/read_at.h"
#include "ops/heap/view.h"
#include "sym/correlate.h"
#include "sym/symbolizer.h"
#include "sym/work.h"

static bool
binary_names_add(void *names, struct prof_span name)
{
	return heap_names_add(names, name);
}

/* To open another kind of file than a regular one could wait. */
bool
cli_is_elf(const char *path)
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
cli_add_binary(struct cli *c, struct symbolizer *s, const char *path,
    struct heap_names *names)
{
	if (!cli_is_elf(path))
		return PROF_END;
	map_handle_errors();
	s->options.warn = cli_warn;
	s->options.warn_arg = c;
	c->stage = symbolizer_put;
	c->stage_arg = s;
	if (symbolizer_add(s, path, &c->err) != PROF_OK)
		return PROF_FAIL;
	return binary_visit_names(s->binaries[s->size - 1], binary_names_add,
	    names, &c->err);
}

enum prof_status
cli_add_binaries(struct cli *c, struct symbolizer *s,
    const struct cli_list *paths, struct heap_names *names)
{
	enum prof_status status = PROF_OK;

	for (size_t i = 0; i < paths->size && status == PROF_OK; i++) {
		status = cli_add_binary(c, s, paths->items[i], names);
		if (status == PROF_END) {
			c->inputs.file = paths->items[i];
			status = err_set(&c->err, PROF_E_FORMAT,
			    "not an ELF file");
		}
	}
	return status;
}

enum prof_status
cli_read_binary(struct cli *c, const char *path, cli_record *add, void *arg)
{
	struct work work = { .input = 0 };
	const struct binary_search search = { .work = &work };
	enum prof_status status = PROF_FAIL;
	struct binary *b;

	map_handle_errors();
	b = binary_open(path, &search, &c->err);
	if (b == NULL)
		return PROF_FAIL;
	c->inputs.file = path;
	status = correlate_binary(b, add, arg, &c->err);
	if (status == PROF_OK)
		c->inputs.file = NULL;
	binary_close(b);
	return status;
}
