/* Copies of records outlive the reader and the image that lent them. */
#include "model/record.h"

#include <string.h>

#include "tests/support/streams.h"

enum { RECORDS_MAX = 16 };

#define ID(digit) "\"0x000000000000000" #digit "\""

/* Each kind of record with a table, with all members that point somewhere. */
static const char stream[] =
    "{\"record\":\"profile\",\"stream\":1,\"kind\":\"mixed\","
    "\"source\":{\"file\":\"f\",\"member\":\"m\",\"format\":\"raw\"},"
    "\"unknown\":{\"a\":[1,2]}}\n"
    "{\"record\":\"binary\",\"build_id\":\"0102\"}\n"
    "{\"record\":\"vtable\",\"name\":\"_ZTV1A\"}\n"
    "{\"record\":\"function\",\"name\":\"main\",\"hash\":" ID(1) ","
    "\"counts\":[1,2,3],\"bitmap\":\"0aff\",\"uniform_counts\":[1,1,0],"
    "\"values\":{\"indirect_call_target\":[[{\"target\":\"g\",\"count\":2},"
    "{\"target_guid\":" ID(7) ",\"count\":1}],[]],"
    "\"mem_op_size\":[[{\"size\":8,\"count\":3}]]},\"more\":true}\n"
    "{\"record\":\"raw_counters\",\"counts\":[4,5],\"bitmap\":\"01\"}\n"
    "{\"record\":\"trace\",\"weight\":2,\"functions\":[\"main\","
    "{\"guid\":" ID(7) "}]}\n"
    "{\"record\":\"name\",\"name\":\"lost\"}\n"
    "{\"record\":\"segment\",\"id\":1,\"build_id\":\"beef\"}\n"
    "{\"record\":\"stack\",\"id\":" ID(1) ",\"pcs\":[" ID(1) ","
    "[1," ID(2) "]],\"frames\":[{\"function\":\"f\",\"file\":\"f.c\"},"
    "{\"function\":\"main\",\"guid\":" ID(9) "}]}\n"
    "{\"record\":\"allocation\",\"stack\":" ID(1) ",\"info\":{"
    "\"access_histogram_size\":2,\"access_histogram\":[3,4]}}\n"
    "{\"record\":\"memprof_function\",\"guid\":" ID(9) ",\"name\":\"main\","
    "\"alloc_sites\":[{\"stack\":" ID(1) ",\"info\":{\"alloc_count\":1}}],"
    "\"call_sites\":[{\"stack\":" ID(1) ",\"callee_guids\":[" ID(2) "]}]}\n"
    "{\"record\":\"data_access\",\"symbol\":\"table\",\"count\":5,"
    "\"locations\":[{\"file\":\"t.c\",\"line\":1}]}\n"
    "{\"record\":\"cold_symbol\",\"symbol\":\"cold\"}\n"
    "{\"record\":\"end\",\"last\":true}\n";

/* Copies the records that have tables; then the image is overwritten. */
static size_t
read_copies(struct arena *a, struct prof_record copies[RECORDS_MAX])
{
	static char image[sizeof(stream)];
	struct prof_record r;
	struct prof_reader *reader;
	size_t n = 0;

	memcpy(image, stream, sizeof(stream));
	reader = stream_open(NULL, (struct prof_span){ (const uint8_t *)image,
	    sizeof(stream) - 1 }, NULL);
	while (prof_next(reader, &r, NULL) == PROF_OK) {
		if (record_object_of(r.kind) == NULL)
			continue;
		if (n == RECORDS_MAX || !record_copy(a, r.kind, &r.u))
			break;
		copies[n++] = r;
	}
	prof_close(reader);
	memset(image, '?', sizeof(image));
	return n;
}

int
main(void)
{
	struct prof_record copies[RECORDS_MAX], r;
	struct arena a = { 0 };
	struct prof_reader *reader;
	size_t size = read_copies(&a, copies), n = 0;

	check(size == RECORD_OBJECTS, "%zu records were copied", size);
	reader = stream_open(NULL, span(stream), NULL);
	for (; n < size && prof_next(reader, &r, NULL) == PROF_OK; n++)
		check(same_record(&r, &copies[n]), "copy of a %s",
		    record_object_of(r.kind)->record);
	check(n == size, "all were compared");
	prof_close(reader);
	arena_free(&a);
	return done_testing();
}
