/* Diffs: the lines that they add, and why others are refused. */
#include "cover/cover.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "tests/support/test.h"

#define HEAD	"diff --git a/a.c b/a.c\nindex 1..2 100644\n" \
    "--- a/a.c\n+++ b/a.c\n"

#define NO_HEAD	"not the head of a hunk with two sides, of a file"

static const struct {
	const char *name, *text;
	const char *changes;		/* "PATH:FIRST-LAST,..." of each file */
	const char *reason;		/* NULL: it is read */
	uint64_t line;
} rows[] = {
	{ "nothing", "", "", NULL, 0 },
	{ "one line", HEAD "@@ -3 +3 @@ f\n-a\n+b\n", "a.c:3-3", NULL, 0 },
	{ "context", HEAD "@@ -1,4 +1,5 @@\n a\n-b\n+b\n+c\n d\n+e\n-f\n",
	    "a.c:2-3,5-5", NULL, 0 },
	{ "hunks", HEAD "@@ -1,0 +2,2 @@\n+a\n+b\n@@ -9,0 +12 @@\n+c\n",
	    "a.c:2-3,12-12", NULL, 0 },
	{ "lines that look like heads", HEAD "@@ -1,2 +1,2 @@\n--- a/b\n"
	    "--- x\n+++ b/b\n+@@ -1 +1 @@\n", "a.c:1-2", NULL, 0 },
	{ "no newline", HEAD "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n"
	    "+b\n\\ No newline at end of file\n", "a.c:1-1", NULL, 0 },
	{ "CR LF", "--- a/a.c\r\n+++ b/a.c\r\n@@ -1,2 +1,2 @@\r\n-a\r\n+b\r\n"
	    "\r\n", "a.c:1-1", NULL, 0 },
	{ "a new file", "diff --git a/n.c b/n.c\nnew file mode 100644\n"
	    "--- /dev/null\n+++ b/n.c\n@@ -0,0 +1,2 @@\n+a\n+b\n", "n.c:1-2",
	    NULL, 0 },
	{ "a removed file", "--- a/o.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
	    "", NULL, 0 },
	{ "a renamed file", "diff --git a/o.c b/d/n.c\nsimilarity index 90%\n"
	    "rename from o.c\nrename to d/n.c\n--- a/o.c\n+++ b/d/n.c\n"
	    "@@ -1 +1 @@\n-a\n+b\n", "d/n.c:1-1", NULL, 0 },
	{ "only renamed", "diff --git a/o.c b/n.c\nsimilarity index 100%\n"
	    "rename from o.c\nrename to n.c\n", "", NULL, 0 },
	{ "binary files", "diff --git a/o.png b/o.png\n"
	    "Binary files a/o.png and b/o.png differ\n", "", NULL, 0 },
	{ "quoted", "--- \"a/\\303\\244\\t\\\"\\\\.c\"\n"
	    "+++ \"b/\\303\\244\\t\\\"\\\\.c\"\n@@ -1 +1 @@\n-a\n+b\n",
	    "\xc3\xa4\t\"\\.c:1-1", NULL, 0 },
	{ "blanks in names", "--- a/a b.c\t\n+++ b/a b.c\t\n@@ -1 +1 @@\n-a\n"
	    "+b\n", "a b.c:1-1", NULL, 0 },
	{ "dates", "--- src/a.c\t2026-01-01 00:00:00 +0000\n"
	    "+++ src/a.c\t2026-01-02 00:00:00 +0000\n@@ -1 +1 @@\n-a\n+b\n",
	    "src/a.c:1-1", NULL, 0 },
	{ "no prefix", "--- b/a.c\n+++ b/a.c\n@@ -1 +1 @@\n-a\n+b\n",
	    "b/a.c:1-1", NULL, 0 },
	{ "other prefixes", "--- i/a.c\n+++ w/a.c\n@@ -1 +1 @@\n-a\n+b\n",
	    "a.c:1-1", NULL, 0 },
	{ "commits", "commit 12\nAuthor: a\n\n    --- one\n\n" HEAD
	    "@@ -1 +1 @@\n-a\n+b\ncommit 34\n\n    +++ two\n\n--- a/b.c\n"
	    "+++ b/b.c\n@@ -1 +1 @@\n-a\n+b\n-- \n2.39\n\n",
	    "a.c:1-1 b.c:1-1", NULL, 0 },
	{ "commits on one file", HEAD "@@ -1 +1 @@\n-a\n+b\n" HEAD
	    "@@ -1 +1 @@\n-a\n+b\n", "a.c:1-1 a.c:1-1", NULL, 0 },
	{ "combined hunks", HEAD "@@@ -1,2 -1,2 +1,3 @@@\n", "", NO_HEAD, 5 },
	{ "cut", HEAD "@@ -1,2 +1,4 @@\n a\n+b\n", "",
	    "the hunk is cut off, lines missing: 2", 5 },
	{ "cut by the next file", HEAD "@@ -1,2 +1,2 @@\n a\ndiff --git a/b "
	    "b/b\n", "", "no line of the hunk of line 5", 7 },
	{ "too many lines", HEAD "@@ -1 +1,2 @@\n-a\n-b\n", "",
	    "no line of the hunk of line 5", 7 },
	{ "a damaged head", HEAD "@@ -1 +x @@\n", "",
	    NO_HEAD, 5 },
	{ "large numbers", HEAD "@@ -1 +4294967295 @@\n", "",
	    NO_HEAD, 5 },
	{ "no file", "@@ -1 +1 @@\n-a\n+b\n", "", NO_HEAD, 1 },
	{ "an open quote", "--- \"a/a.c\n", "", "a name has no second quote",
	    1 },
	{ "an open escape", "--- a\n+++ \"b/a.c\\", "",
	    "a name has no second quote", 2 },
	{ "colours", "\033[1mdiff --git a/a.c b/a.c\033[m\n\033[1m--- a/a.c"
	    "\033[m\n\033[1m+++ b/a b.c\033[m\t\n\033[36m@@ -1,2 +1,2 @@\033[m "
	    "f\n a\n\033[31m-b\033[m\n\033[32m+\033[m\033[32mc\033[m\n",
	    "a b.c:2-2", NULL, 0 },
	{ "colours that are cut", "--- a/a.c\n+++ b/a.c\033[1\n\033[36\n\033["
	    "\n\033", "a.c\033[1:", NULL, 0 },
	{ "no diff", "int main;\n", "", "is no unified diff", 0 },
};

static void
put_changes(struct buf *b, const struct cover_diff *d)
{
	for (size_t i = 0; i < d->size; i++) {
		const struct cover_change *c = &d->items[i];

		buf_print(b, "%s%.*s:", i > 0 ? " " : "", (int)c->path.size,
		    (const char *)c->path.data);
		for (size_t k = 0; k < c->lines.size; k++)
			buf_print(b, "%s%llu-%llu", k > 0 ? "," : "",
			    ull(c->lines.items[k].first),
			    ull(c->lines.items[k].last));
	}
	buf_u8(b, '\0');
}

/* Which of the files, by number, a path is; -1: none, -2: several. */
static const struct {
	const char *path;
	int found;
} paths[] = {
	{ "src/a.c", 0 }, { "/x/src/a.c", 0 }, { "a.c", -2 }, { "lib/a.c", 1 },
	{ "c", -1 }, { "other/b.c", -1 }, { "sub/d/e.c", 3 }, { "e.c", 3 },
	{ "b.c", 2 }, { "", -1 }, { "one/src/f.c", 5 }, { "src/f.c", 4 },
};

static void
find_paths(void)
{
	static const char *const files[] = { "/x/src/a.c", "/x/lib/a.c",
	    "/x/src/b.c", "d/e.c", "src/f.c", "one/src/f.c" };
	static uint32_t sorted[COUNT(files)];
	struct cover c = { .sorted = sorted, .sorted_size = COUNT(files) };
	uint32_t number;

	for (uint32_t i = 0; i < COUNT(files); i++)
		sorted[i] = intern_add(&c.paths, files[i], strlen(files[i]));
	for (size_t i = 0; i < COUNT(paths); i++) {
		struct prof_error err = { 0 };
		int found = cover_path_find(&c, span_of_text(paths[i].path),
		    &number, &err) != PROF_OK ? -2 : (int)number;

		check(found == paths[i].found, "path %s: %d %s", paths[i].path,
		    found, err.reason);
	}
	intern_free(&c.paths);
}

int
main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cover_diff d = { 0 };
		struct prof_error err = { 0 };
		struct buf out = { 0 };
		bool good = cover_diff_read(&d, span_of_text(rows[i].text),
		    &err) == PROF_OK;

		put_changes(&out, &d);
		if (rows[i].reason == NULL)
			check(good && strcmp((char *)out.data,
			    rows[i].changes) == 0, "%s: %s %s", rows[i].name,
			    (char *)out.data, err.reason);
		else
			check(!good && strcmp(err.reason, rows[i].reason) == 0
			    && err.offset == rows[i].line, "%s: %llu: %s",
			    rows[i].name, (unsigned long long)err.offset,
			    err.reason);
		buf_free(&out);
		cover_diff_free(&d);
	}
	find_paths();
	return done_testing();
}
