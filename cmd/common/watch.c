#include "config.h"

#include "cmd/common/watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <search.h>
#include <signal.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "cmd/common/cli.h"
#include "cmd/common/message_text.h"

#define SIGNALS 3

static const int signals[SIGNALS] = { SIGINT, SIGTERM, SIGHUP };

static volatile sig_atomic_t stopped;

struct watch {
	int fd;
	void *seen;			/* names, a tree of tsearch */
	/* Open at the start, and after lost events; NULL when all was read. */
	DIR *folder;
	/* Events read from inotify and not processed yet. */
	alignas(struct inotify_event) char events[1 << 14];
	size_t size, pos;
	uint64_t returned;
	struct timespec end;		/* if there is one */
	struct sigaction old[SIGNALS];
	char path[PATH_MAX];
};

static void
watch_on_signal(int number)
{
	(void)number;
	stopped = 1;
}

void
cli_watch_until(struct cli *c, const char *argument)
{
	static const unsigned seconds[] = { ['s'] = 1, ['m'] = 60,
	    ['h'] = 3600 };
	uint64_t n = 0;
	const char *end = cli_parse_number(argument, 1, UINT64_MAX, &n);

	if (end == NULL || (*end != '\0' && (end[1] != '\0' ||
	    strchr("smh", *end) == NULL || n > 1000000)))
		cli_usage_error(c, "--until needs a number of files or a time "
		    "such as 90s, 10m or 2h, not '%s'", argument);
	if (*end == '\0')
		c->options.until_files = n;
	else
		c->options.until_seconds = n * seconds[(unsigned char)*end];
}

static void
watch_exit(const struct cli *c)
{
	message_print("%s: %s: cannot watch: %s\n", c->name,
	    c->options.watched, strerror(errno));
	exit(CLI_TROUBLE);
}

void
cli_watch_begin(struct cli *c)
{
	struct sigaction action = { .sa_handler = watch_on_signal };
	struct watch *w = c->inputs.watch = calloc(1, sizeof(*w));

	if (w == NULL)
		cli_out_of_memory(c);
	w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (w->fd < 0 || inotify_add_watch(w->fd, c->options.watched,
	    IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR) < 0 ||
	    (w->folder = opendir(c->options.watched)) == NULL)
		watch_exit(c);
	clock_gettime(CLOCK_MONOTONIC, &w->end);
	w->end.tv_sec += (time_t)c->options.until_seconds;
	stopped = 0;
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &action, &w->old[i]);
}

static int
compare_file_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Adds a name to the names seen; false if the name was seen before. */
static bool
watch_is_new(const struct cli *c, struct watch *w, const char *name)
{
	char *copy = strdup(name), **found;

	found = copy == NULL ? NULL : tsearch(copy, &w->seen,
	    compare_file_names);
	if (found == NULL)
		cli_out_of_memory(c);
	if (*found == copy)
		return true;
	free(copy);
	return false;
}

/*
 * A read lease is refused with EAGAIN if a program has the file open for
 * writing; file systems without leases fail with other errors.
 */
static bool
watch_is_being_written(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool busy;

	if (fd < 0)
		return false;
	busy = fcntl(fd, F_SETLEASE, F_RDLCK) != 0 && errno == EAGAIN;
	close(fd);
	return busy;
}

/* Whether the name is a file to be read; sets w->path. */
static bool
watch_is_file(struct cli *c, struct watch *w, const char *name)
{
	struct stat st;
	int n;

	if (*name == '.')
		return false;
	n = snprintf(w->path, sizeof(w->path), "%s/%s", c->options.watched,
	    name);
	return n > 0 && (size_t)n < sizeof(w->path) &&
	    stat(w->path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool
watch_next_in_folder(struct cli *c, struct watch *w)
{
	struct dirent *e;

	if (w->folder == NULL)
		return false;
	while (errno = 0, (e = readdir(w->folder)) != NULL) {
		if (watch_is_file(c, w, e->d_name) &&
		    !watch_is_being_written(w->path) && watch_is_new(c, w,
		    e->d_name))
			return true;
	}
	if (errno != 0)
		watch_exit(c);
	closedir(w->folder);
	w->folder = NULL;
	return false;
}

static bool
watch_next_event(struct cli *c, struct watch *w)
{
	while (w->pos < w->size) {
		struct inotify_event e;
		const char *name = w->events + w->pos + sizeof(e);

		memcpy(&e, w->events + w->pos, sizeof(e));
		w->pos += sizeof(e) + e.len;
		if ((e.mask & IN_Q_OVERFLOW) != 0 && w->folder == NULL)
			w->folder = opendir(c->options.watched);
		else if (e.len != 0 && watch_is_file(c, w, name) &&
		    watch_is_new(c, w, name))
			return true;
	}
	return false;
}

/* The time left until --until; false if it is over. */
static bool
watch_time_left(const struct cli *c, const struct watch *w,
    struct timespec *left)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	left->tv_sec = w->end.tv_sec - now.tv_sec;
	left->tv_nsec = w->end.tv_nsec - now.tv_nsec;
	if (left->tv_nsec < 0) {
		left->tv_nsec += 1000000000;
		left->tv_sec--;
	}
	return c->options.until_seconds == 0 || left->tv_sec >= 0;
}

/* Waits for events and reads them; PROF_END if it is time to stop. */
static enum prof_status
watch_wait(struct cli *c, struct watch *w)
{
	struct pollfd ready = { .fd = w->fd, .events = POLLIN };
	struct timespec left;
	sigset_t blocked, before;
	ssize_t n = -1;

	sigemptyset(&blocked);
	for (size_t i = 0; i < SIGNALS; i++)
		sigaddset(&blocked, signals[i]);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	/* Signals are blocked except during ppoll, so none is lost. */
	if (!stopped && watch_time_left(c, w, &left) && ppoll(&ready, 1,
	    c->options.until_seconds == 0 ? NULL : &left, &before) > 0)
		n = read(w->fd, w->events, sizeof(w->events));
	sigprocmask(SIG_SETMASK, &before, NULL);
	w->pos = 0;
	w->size = n < 0 ? 0 : (size_t)n;
	return stopped || !watch_time_left(c, w, &left) ? PROF_END : PROF_OK;
}

static bool
watch_is_over(const struct cli *c, const struct watch *w)
{
	return stopped || (c->options.until_files != 0 && w->returned ==
	    c->options.until_files);
}

enum prof_status
cli_watch_next(struct cli *c, const char **path)
{
	struct watch *w = c->inputs.watch;

	while (!watch_is_over(c, w)) {
		if (watch_next_event(c, w) || watch_next_in_folder(c, w)) {
			w->returned++;
			*path = w->path;
			return PROF_OK;
		}
		if (watch_wait(c, w) == PROF_END)
			break;
	}
	/* The watch is over: signals end the program again. */
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &w->old[i], NULL);
	return PROF_END;
}

void
cli_watch_free(struct watch *w)
{
	if (w == NULL)
		return;
	while (w->seen != NULL) {
		char *name = *(char **)w->seen;

		tdelete(name, &w->seen, compare_file_names);
		free(name);
	}
	if (w->folder != NULL)
		closedir(w->folder);
	if (w->fd >= 0)
		close(w->fd);
	free(w);
}
