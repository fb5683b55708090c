/* Symbolizes a profile with the binaries of its run: the stream of it. */
#include <libprof/merge.h>
#include <stdio.h>

static int
write_out(void *arg, const void *data, size_t size)
{
	(void)arg;
	return fwrite(data, 1, size, stdout) == size ? 0 : 5;	/* EIO */
}

/* Each item that the filter gives goes to the output. */
static int
put(void *out, const struct prof_item *item)
{
	return prof_output_put(out, item);
}

static int
symbolize(struct prof_input *in, struct prof_filter *filter,
    struct prof_output *out)
{
	const struct prof_item *item;
	int status = -1;

	while (in != NULL && (status = prof_input_next(in, &item)) > 0) {
		if (prof_filter_put(filter, item, put, out) != 0)
			return -1;
	}
	return status != 0 || prof_filter_finish(filter) != 0 ? -1 :
	    prof_output_finish(out);
}

int
main(int argc, char **argv)
{
	struct prof *p = prof_new();
	struct prof_filter *filter = p == NULL ? NULL : prof_symbolizer_new(p);
	struct prof_output *out = filter == NULL ? NULL :
	    prof_output_new(p, "stream", write_out, NULL);
	struct prof_input *in = NULL;
	int status = 0;

	if (argc < 2 || out == NULL)
		return 2;
	for (int i = 2; i < argc && status == 0; i++)
		status = prof_symbolizer_add(filter, argv[i]);
	if (status == 0) {
		in = prof_input_open(p, argv[1]);
		status = symbolize(in, filter, out);
	}
	if (status != 0)
		fprintf(stderr, "%s\n", prof_problem_text(prof_error(p)));
	prof_input_close(in);
	prof_output_free(out);
	prof_filter_free(filter);
	prof_free(p);
	return status != 0;
}
