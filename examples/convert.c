/* convert FORMAT INPUT OUTPUT - a profile of any format in another format */
#include <libprof/write.h>
#include <stdio.h>

static void
warn(void *arg, const struct prof_problem *problem)
{
	(void)arg;
	fprintf(stderr, "warning: %s\n", prof_problem_text(problem));
}

static int
convert(struct prof_input *in, struct prof_output *out)
{
	const struct prof_item *item;
	int status;

	while ((status = prof_input_next(in, &item)) > 0)
		if (prof_output_put(out, item) != 0)
			return -1;
	return status < 0 ? -1 : prof_output_finish(out);
}

int
main(int argc, char **argv)
{
	struct prof *p = prof_new();
	struct prof_input *in = NULL;
	struct prof_output *out = NULL;
	int status = 1;

	if (p == NULL || argc != 4)
		return 2;
	prof_listen(p, warn, NULL);
	in = prof_input_open(p, argv[2]);
	if (in != NULL)
		out = prof_output_open(p, argv[1], argv[3]);
	if (out != NULL && convert(in, out) == 0)
		status = 0;
	else
		fprintf(stderr, "%s\n", prof_problem_text(prof_error(p)));
	prof_output_free(out);
	prof_input_close(in);
	prof_free(p);
	return status;
}
