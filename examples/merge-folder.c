/* merge-folder FOLDER OUTPUT - an indexed profile of all files of a folder */
#include <dirent.h>
#include <libprof/merge.h>
#include <stdio.h>

/* A damaged file is left out: only what reads to its end is added. */
static int
is_whole(struct prof *p, const char *path)
{
	struct prof_input *in = prof_input_open(p, path);
	const struct prof_item *item;
	int status = -1;

	while (in != NULL && (status = prof_input_next(in, &item)) > 0)
		;
	if (status < 0)
		fprintf(stderr, "%s\n", prof_problem_text(prof_error(p)));
	prof_input_close(in);
	return status == 0;
}

int
main(int argc, char **argv)
{
	struct prof *p = prof_new();
	struct prof_sum *sum = p == NULL ? NULL : prof_sum_new(p);
	DIR *folder = argc == 3 ? opendir(argv[1]) : NULL;
	struct prof_output *out = NULL;
	struct prof_input *in;
	struct dirent *entry;
	char path[4096];
	int status = 0;

	if (sum == NULL || folder == NULL)
		return 2;
	while (status == 0 && (entry = readdir(folder)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
		if (!is_whole(p, path))
			continue;
		in = prof_input_open(p, path);
		status = in == NULL ? -1 : prof_sum_add_input(sum, in, 1, 1);
		prof_input_close(in);
	}
	if (status == 0)
		out = prof_output_open(p, "indexed", argv[2]);
	status = out == NULL || prof_sum_write(sum, out) != 0 ||
	    prof_output_finish(out) != 0;
	if (status != 0)
		fprintf(stderr, "%s\n", prof_problem_text(prof_error(p)));
	prof_output_free(out);
	prof_sum_free(sum);
	prof_free(p);
	closedir(folder);
	return status;
}
