/*
 * Replays a corpus without a fuzzer: passes each file on the command line, or
 * below a folder there, to the fuzz target.
 */
#include "config.h"

#include <errno.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPEN_FOLDERS = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static int
complain(const char *path)
{
	fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
	return 1;
}

/* The buffer is as large as the file, so that ASan sees a read behind it. */
static int
replay(const char *path, size_t size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *bytes = malloc(size);
	int status = 0;

	if (f == NULL || (bytes == NULL && size != 0) ||
	    fread(bytes, 1, size, f) != size) {
		status = complain(path);
	} else {
		puts(path);
		fflush(stdout);		/* a crash must not swallow it */
		LLVMFuzzerTestOneInput(bytes, size);
	}
	free(bytes);
	if (f != NULL)
		fclose(f);
	return status;
}

static int
visit(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)where;
	if (type == FTW_F)
		return replay(path, (size_t)st->st_size);
	return type == FTW_D ? 0 : complain(path);
}

int
main(int argc, char **argv)
{
	int status = 0;

	for (int i = 1; i < argc && status == 0; i++) {
		status = nftw(argv[i], visit, OPEN_FOLDERS, 0);
		if (status == -1)
			complain(argv[i]);
	}
	return status == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
