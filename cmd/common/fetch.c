#include "config.h"

#include "cmd/common/fetch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "cmd/common/cli.h"
#include "io/input.h"

enum { FETCH_NAME_MAX = 1 << 16 };

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
 * The name of an input is $1 of the command and no part of its text, so that
 * nothing in a name is a command.  %% stands for %.
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

/* Sets $1 to the name, in quotes, in front of the command. */
static FILE *
fetch_popen(const struct fetch *f, const char *name)
{
	static const char before[] = "exec </dev/null; set -- '",
	    quote[] = "'\\''", after[] = "'; ";
	struct buf text = { 0 };
	FILE *pipe = NULL;

	buf_put(&text, before, sizeof(before) - 1);
	for (const char *p = name; *p != '\0'; p++) {
		if (*p == '\'')
			buf_put(&text, quote, sizeof(quote) - 1);
		else
			buf_put(&text, p, 1);
	}
	buf_put(&text, after, sizeof(after) - 1);
	buf_put(&text, f->script, strlen(f->script) + 1);
	if (text.failed)
		errno = ENOMEM;
	else
		pipe = popen((const char *)text.data, "re");
	buf_free(&text);
	return pipe;
}

/* The end of an answer, which is good if the command succeeded. */
static ssize_t
fetch_end(struct fetch *f)
{
	int status = pclose(f->pipe);

	f->pipe = NULL;
	if (WIFSIGNALED(status))
		err_set(&f->err, PROF_E_SYSTEM, "the command of --fetch was "
		    "ended by signal %d", WTERMSIG(status));
	else if (status != 0)
		err_set(&f->err, PROF_E_SYSTEM, "the command of --fetch "
		    "failed with status %d", WEXITSTATUS(status));
	errno = EIO;
	return status == 0 ? 0 : -1;
}

/* Bytes of the answer up to the size, 0 at its end, or -1. */
static ssize_t
fetch_pull(void *arg, void *data, size_t size)
{
	struct fetch *f = arg;
	ssize_t n;

	errno = EIO;
	if (f->pipe == NULL)
		return f->err.code == PROF_E_NONE ? 0 : -1;
	do
		n = read(fileno(f->pipe), data, size);
	while (n < 0 && errno == EINTR);
	return n == 0 ? fetch_end(f) : n;
}

void
fetch_free(struct fetch *f)
{
	free(f->script);
	if (f->pipe != NULL)
		pclose(f->pipe);
}

static struct input *
fetch_open(struct fetch *f, const char *name, uint64_t max_size,
    struct buf *memory, struct prof_error *err)
{
	struct input *in = input_open_pull(fetch_pull, f, max_size, memory,
	    err);

	if (in == NULL)
		return NULL;
	input_on_failure(in, &f->err);
	if (f->pipe != NULL)
		pclose(f->pipe);
	f->pipe = NULL;
	f->err = (struct prof_error){ 0 };
	/* A name that looks like an option could make a command do anything. */
	if (*name == '-' || strlen(name) > FETCH_NAME_MAX)
		err_set(&f->err, PROF_E_UNSUPPORTED, "the name of an input of "
		    "--fetch begins with '-', or is too long");
	else if ((f->pipe = fetch_popen(f, name)) == NULL)
		err_system(&f->err, errno, "cannot run a shell");
	return in;
}

struct input *
cli_open_input(struct cli *c, const char *name, struct buf *memory)
{
	return c->inputs.fetch != NULL ? fetch_open(c->inputs.fetch, name,
	    c->options.max_size, memory, &c->err) : input_open(name,
	    c->options.max_size, memory, &c->err);
}
