#include "config.h"

#include "cmd/merge/running.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RUNNING_TEXT = SHA256_TEXT + 64 };

void
running_begin(struct running_mark *m, const char *part,
    const uint8_t plan[SHA256_SIZE], uint64_t shard)
{
	char digest[SHA256_TEXT + 1], text[RUNNING_TEXT];
	ssize_t n;

	if (part == NULL || strcmp(part, "-") == 0 ||
	    temporary_create(&m->file, part, 0644) != 0)
		return;
	m->there = true;
	sha256_text(plan, digest);
	n = snprintf(text, sizeof(text), "%s %" PRIu64 "\n", digest, shard);
	if (write(m->file.fd, text, (size_t)n) != n ||
	    temporary_link(&m->file) != 0)
		running_end(m);
}

void
running_end(struct running_mark *m)
{
	if (!m->there)
		return;
	temporary_discard(&m->file);
	close(m->file.fd);
	m->there = false;
}

/* Whether a task holds the file; without locks, each task is taken to run. */
static bool
running_is_locked(int fd)
{
	return flock(fd, LOCK_SH | LOCK_NB) != 0;
}

/* The shard that a mark names; 0 if the mark is of another plan. */
static uint64_t
running_read(int fd, const uint8_t plan[SHA256_SIZE])
{
	char digest[SHA256_TEXT + 1], text[RUNNING_TEXT];
	ssize_t n = read(fd, text, sizeof(text) - 1);

	sha256_text(plan, digest);
	if (n <= SHA256_TEXT || memcmp(text, digest, SHA256_TEXT) != 0)
		return 0;
	text[n] = '\0';
	return strtoull(text + SHA256_TEXT, NULL, 10);
}

static void
running_look(int folder, const char *name, const uint8_t plan[SHA256_SIZE],
    running_seen *seen, void *arg)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY |
	    O_NONBLOCK | O_NOFOLLOW);
	struct stat st;
	uint64_t shard;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    running_is_locked(fd)) {
		shard = running_read(fd, plan);
		if (shard != 0)
			seen(arg, shard, st.st_mtime);
	}
	close(fd);
}

int
running_each(const char *folder, const uint8_t plan[SHA256_SIZE],
    running_seen *seen, void *arg)
{
	DIR *d = opendir(folder);
	const struct dirent *e;
	int error;

	if (d == NULL)
		return 0;
	while (errno = 0, (e = readdir(d)) != NULL) {
		if (temporary_is_name(e->d_name))
			running_look(dirfd(d), e->d_name, plan, seen, arg);
	}
	error = errno;
	closedir(d);
	return error;
}
