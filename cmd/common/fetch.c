#include "config.h"

#include "cmd/common/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "cmd/common/cli.h"
#include "io/input.h"

extern char **environ;

enum { FETCH_PIECE = 1 << 16, FETCH_NAME_MAX = 1 << 16 };

/*
 * What the child says before each piece of an answer.  Without bytes, it is the
 * end of the answer: how the command ended, or why it did not begin.
 */
struct fetch_frame {
	uint32_t size;
	int32_t status;			/* of wait(2) */
	int32_t error;			/* an errno, or 0 */
};

/* The next byte of a shell command, whose quotes are followed. */
static char
fetch_quote_after(char quote, const char *p)
{
	if (quote == '\'')
		return *p == '\'' ? '\0' : quote;
	if (*p == '"')
		return quote == '"' ? '\0' : '"';
	return quote == '\0' && *p == '\'' ? '\'' : quote;
}

/* $1 as one word, where it stands, inside quotes or not. */
static const char *
fetch_name_between(char quote)
{
	return quote == '\'' ? "'\"$1\"'" : quote == '"' ? "${1}" : "\"$1\"";
}

/*
 * The name of an input is an argument of the shell and no part of its text, so
 * that nothing in a name is a command.  %% stands for %.
 */
void
fetch_set(struct cli *c, struct fetch *f, const char *command)
{
	struct buf text = { 0 };
	bool named = false;
	char quote = '\0';

	for (const char *p = command; *p != '\0'; p++) {
		if (p[0] == '%' && p[1] == 's') {
			const char *name = fetch_name_between(quote);

			buf_put(&text, name, strlen(name));
			named = true;
			p++;
			continue;
		}
		p += p[0] == '%' && p[1] == '%';
		quote = fetch_quote_after(quote, p);
		if (*p == '\\' && quote != '\'' && p[1] != '\0')
			buf_put(&text, p++, 1);
		buf_put(&text, p, 1);
	}
	buf_put(&text, "", 1);
	if (text.failed)
		cli_out_of_memory(c);
	if (!named)
		cli_usage_error(c, "--fetch '%s' has no %%s for the name of "
		    "an input", command);
	f->command = command;
	free(f->script);
	f->script = (char *)text.data;
}

/* False at the end of the pipe, or after a failure. */
static bool
fetch_read(int fd, void *data, size_t size)
{
	uint8_t *p = data;

	while (size != 0) {
		ssize_t n = read(fd, p, size);

		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		p += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

static bool
fetch_write(int fd, const void *data, size_t size)
{
	const uint8_t *p = data;

	while (size != 0) {
		ssize_t n = write(fd, p, size);

		if (n < 0 && errno != EINTR)
			return false;
		p += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

static int
fetch_spawn(pid_t *pid, char *script, char *name, int fd)
{
	char shell[] = "/bin/sh", option[] = "-c", self[] = "fetch";
	char *words[] = { shell, option, script, self, name, NULL };
	posix_spawn_file_actions_t files;
	int e = posix_spawn_file_actions_init(&files);

	if (e != 0)
		return e;
	e = posix_spawn_file_actions_addopen(&files, STDIN_FILENO,
	    "/dev/null", O_RDONLY, 0);
	if (e == 0)
		e = posix_spawn_file_actions_adddup2(&files, fd,
		    STDOUT_FILENO);
	if (e == 0)
		e = posix_spawn(pid, shell, &files, NULL, words, environ);
	posix_spawn_file_actions_destroy(&files);
	return e;
}

/* Passes on what the command prints.  False: nobody reads it any more. */
static bool
fetch_pass_on(int from, int to)
{
	static uint8_t piece[FETCH_PIECE];
	ssize_t n;

	while ((n = read(from, piece, sizeof(piece))) != 0) {
		struct fetch_frame frame = { .size = (uint32_t)n };

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || !fetch_write(to, &frame, sizeof(frame)) ||
		    !fetch_write(to, piece, (size_t)n))
			return false;
	}
	return true;
}

/* In the child: runs the command for one name. */
static bool
fetch_serve_name(char *script, char *name, int answers)
{
	struct fetch_frame end = { .size = 0 };
	int ends[2], status;
	bool good = true;
	pid_t pid;

	end.error = pipe2(ends, O_CLOEXEC) != 0 ? errno : 0;
	if (end.error == 0) {
		end.error = fetch_spawn(&pid, script, name, ends[1]);
		close(ends[1]);
		if (end.error == 0)
			good = fetch_pass_on(ends[0], answers);
		close(ends[0]);
	}
	if (end.error == 0) {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			continue;
		end.status = status;
	}
	return good && fetch_write(answers, &end, sizeof(end));
}

static void
fetch_serve(char *script, int requests, int answers)
{
	static const int deadly[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	static char name[FETCH_NAME_MAX + 1];
	uint32_t size;

	for (size_t i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		signal(deadly[i], SIG_DFL);
	do {
		if (!fetch_read(requests, &size, sizeof(size)) ||
		    size > FETCH_NAME_MAX || !fetch_read(requests, name, size))
			break;
		name[size] = '\0';
	} while (fetch_serve_name(script, name, answers));
}

void
fetch_start(const struct cli *c, struct fetch *f)
{
	int requests[2], answers[2];
	pid_t child = -1;

	if (pipe2(requests, O_CLOEXEC) == 0 && pipe2(answers, O_CLOEXEC) == 0)
		child = fork();
	if (child < 0)
		cli_usage_error(c, "--fetch: cannot start a process: %s",
		    strerror(errno));
	if (child == 0) {
		close(requests[1]);
		close(answers[0]);
		fetch_serve(f->script, requests[0], answers[1]);
		_exit(0);
	}
	close(requests[0]);
	close(answers[1]);
	f->requests = requests[1];
	f->answers = answers[0];
	f->started = true;
}

void
fetch_free(struct fetch *f)
{
	free(f->script);
	if (!f->started)
		return;
	close(f->requests);
	close(f->answers);
}

static enum prof_status
fetch_lost(struct fetch *f)
{
	f->open = false;
	return err_set(&f->err, PROF_E_SYSTEM, "the process that runs --fetch "
	    "has ended");
}

/* The end of an answer, which is good if the command succeeded. */
static enum prof_status
fetch_end(struct fetch *f, const struct fetch_frame *end)
{
	f->open = false;
	if (end->error != 0)
		return err_system(&f->err, end->error, "cannot run a shell");
	if (WIFSIGNALED(end->status))
		return err_set(&f->err, PROF_E_SYSTEM, "the command of --fetch "
		    "was ended by signal %d", WTERMSIG(end->status));
	return WEXITSTATUS(end->status) == 0 ? PROF_END : err_set(&f->err,
	    PROF_E_SYSTEM, "the command of --fetch failed with status %d",
	    WEXITSTATUS(end->status));
}

/* Bytes of the answer up to the size, 0 at its end, or -1. */
static ssize_t
fetch_pull(void *arg, void *data, size_t size)
{
	struct fetch *f = arg;
	struct fetch_frame frame;

	errno = EIO;
	if (!f->open)
		return f->err.code == PROF_E_NONE ? 0 : -1;
	if (f->left == 0) {
		if (!fetch_read(f->answers, &frame, sizeof(frame))) {
			fetch_lost(f);
			return -1;
		}
		if (frame.size == 0)
			return fetch_end(f, &frame) == PROF_END ? 0 : -1;
		f->left = frame.size;
	}
	if (size > f->left)
		size = f->left;
	if (!fetch_read(f->answers, data, size)) {
		fetch_lost(f);
		return -1;
	}
	f->left -= (uint32_t)size;
	return (ssize_t)size;
}

static struct input *
fetch_open(struct fetch *f, const char *name, uint64_t max_size,
    struct buf *memory, struct prof_error *err)
{
	struct input *in = input_open_pull(fetch_pull, f, max_size, memory,
	    err);
	uint32_t size = (uint32_t)strlen(name);
	char rest[4096];

	if (in == NULL)
		return NULL;
	input_on_failure(in, &f->err);
	while (f->open && fetch_pull(f, rest, sizeof(rest)) > 0)
		continue;
	f->err = (struct prof_error){ 0 };
	f->left = 0;
	/* A name that looks like an option could make a command do anything. */
	if (*name == '-' || strlen(name) > FETCH_NAME_MAX) {
		err_set(&f->err, PROF_E_UNSUPPORTED, "the name of an input of "
		    "--fetch begins with '-', or is too long");
		return in;
	}
	f->open = true;
	if (!fetch_write(f->requests, &size, sizeof(size)) ||
	    !fetch_write(f->requests, name, size))
		fetch_lost(f);
	return in;
}

struct input *
cli_open_input(struct cli *c, const char *name, struct buf *memory)
{
	return c->inputs.fetch != NULL ? fetch_open(c->inputs.fetch, name,
	    c->options.max_size, memory, &c->err) : input_open(name,
	    c->options.max_size, memory, &c->err);
}
