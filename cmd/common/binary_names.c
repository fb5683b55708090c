#include "config.h"

#include "cmd/common/binary_names.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cmd/common/cli.h"
#include "io/map.h"
#include "io/read_at.h"
#include "sym/elf_names.h"

static bool
binary_names_add(void *names, struct prof_span name)
{
	return heap_names_add(names, name);
}

static enum prof_status
binary_names_read(int fd, struct heap_names *names, struct prof_error *err)
{
	enum prof_status status;
	struct stat st;
	struct map *map = NULL;

	if (fstat(fd, &st) == 0 && st.st_size > 0 &&
	    (uint64_t)st.st_size <= SIZE_MAX)
		map = map_file(fd, (size_t)st.st_size);
	if (map == NULL)
		return err_system(err, errno, "cannot read");
	status = elf_names_visit((struct prof_span){ map_bytes(map),
	    (size_t)st.st_size }, binary_names_add, names, err);
	if (!map_is_whole(map))
		status = err_set(err, PROF_E_SYSTEM,
		    "the file became shorter while it was read");
	map_free(map);
	return status == PROF_END ? err_memory(err) : status;
}

enum prof_status
cli_binary_names(struct cli *c, const char *path, struct heap_names *names)
{
	enum prof_status status = PROF_END;
	uint8_t bytes[4];
	struct stat st;
	int fd;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return PROF_END;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return PROF_END;
	if (read_at(fd, bytes, sizeof(bytes), 0) == sizeof(bytes) &&
	    elf_names_sniff((struct prof_span){ bytes, sizeof(bytes) }))
		status = binary_names_read(fd, names, &c->err);
	close(fd);
	if (status == PROF_FAIL)
		c->inputs.file = path;
	return status;
}
