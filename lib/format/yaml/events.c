/* The one file that knows libyaml. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/error.h"
#include "format/yaml/yaml.h"

struct yaml_events {
	yaml_parser_t parser;
	yaml_event_t event;		/* lent by the last call */
	struct prof_span image;
};

/* Line breaks of YAML 1.1 that end before p, as libyaml knows them. */
static bool
is_behind_break(const uint8_t *image, const uint8_t *p)
{
	static const char *const breaks[] = {
		"\n", "\r", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"
	};
	size_t before = (size_t)(p - image);

	for (size_t i = 0; i < sizeof(breaks) / sizeof(*breaks); i++) {
		size_t size = strlen(breaks[i]);

		if (size <= before && memcmp(p - size, breaks[i], size) == 0)
			return true;
	}
	return false;
}

static uint64_t
line_at(struct prof_span image, size_t offset)
{
	const uint8_t *end = image.data + offset, *p = image.data;
	uint64_t line = 1;

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		line++;
		p++;
	}
	return line;
}

/*
 * Directives say nothing that a profile needs, and libyaml compares each %TAG
 * with all before it.
 */
static enum prof_status
refuse_directives(struct prof_span image, struct prof_error *err)
{
	const uint8_t *end = image.data + image.size, *p = image.data;

	while (p < end && (p = memchr(p, '%', (size_t)(end - p))) != NULL) {
		if (is_behind_break(image.data, p))
			return err_line(err, PROF_E_UNSUPPORTED, line_at(image,
			    (size_t)(p - image.data)), "a YAML directive");
		p++;
	}
	return PROF_OK;
}

struct yaml_events *
yaml_events_new(struct prof_span image, struct prof_error *err)
{
	struct yaml_events *e;

	if (refuse_directives(image, err) != PROF_OK)
		return NULL;
	e = calloc(1, sizeof(*e));
	if (e == NULL || !yaml_parser_initialize(&e->parser)) {
		free(e);
		err_memory(err);
		return NULL;
	}
	e->image = image;
	yaml_parser_set_encoding(&e->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&e->parser, image.data, image.size);
	return e;
}

static enum prof_status
parser_failure(struct yaml_events *e, struct prof_error *err)
{
	const yaml_parser_t *p = &e->parser;
	uint64_t line = (uint64_t)p->problem_mark.line + 1;

	if (p->error == YAML_MEMORY_ERROR)
		return err_memory(err);
	if (p->error == YAML_READER_ERROR)
		line = line_at(e->image, p->problem_offset < e->image.size ?
		    p->problem_offset : e->image.size);
	return err_line(err, PROF_E_CORRUPT, line, "YAML: %s",
	    p->problem == NULL ? "cannot be parsed" : p->problem);
}

static bool
is_null(struct prof_span s)
{
	static const char *const nulls[] = {
		"", "~", "null", "Null", "NULL"
	};

	for (size_t i = 0; i < sizeof(nulls) / sizeof(*nulls); i++) {
		if (s.size == strlen(nulls[i]) &&
		    memcmp(s.data, nulls[i], s.size) == 0)
			return true;
	}
	return false;
}

static void
take_scalar(struct yaml_event *out, const yaml_event_t *from)
{
	out->kind = YAML_SCALAR;
	out->text = (struct prof_span){ from->data.scalar.value,
	    from->data.scalar.length };
	out->empty = from->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	    is_null(out->text);
}

/* False for an event that says nothing to us. */
static bool
translate(struct yaml_event *out, const yaml_event_t *from)
{
	static const struct {
		yaml_event_type_t type;
		enum yaml_kind kind;
	} kinds[] = {
		{ YAML_STREAM_END_EVENT, YAML_STREAM_DONE },
		{ YAML_DOCUMENT_START_EVENT, YAML_DOCUMENT },
		{ YAML_DOCUMENT_END_EVENT, YAML_DOCUMENT_DONE },
		{ YAML_SEQUENCE_START_EVENT, YAML_LIST },
		{ YAML_SEQUENCE_END_EVENT, YAML_LIST_DONE },
		{ YAML_MAPPING_START_EVENT, YAML_MAP },
		{ YAML_MAPPING_END_EVENT, YAML_MAP_DONE },
	};

	*out = (struct yaml_event){
		.line = (uint64_t)from->start_mark.line + 1
	};
	if (from->type == YAML_SCALAR_EVENT) {
		take_scalar(out, from);
		return true;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (kinds[i].type == from->type) {
			out->kind = kinds[i].kind;
			out->implicit =
			    from->type == YAML_DOCUMENT_END_EVENT &&
			    from->data.document_end.implicit;
			return true;
		}
	}
	return false;
}

enum prof_status
yaml_events_next(struct yaml_events *e, struct yaml_event *out,
    struct prof_error *err)
{
	do {
		yaml_event_delete(&e->event);
		if (!yaml_parser_parse(&e->parser, &e->event))
			return parser_failure(e, err);
		/* What an alias repeats could be larger than all memory. */
		if (e->event.type == YAML_ALIAS_EVENT)
			return err_line(err, PROF_E_UNSUPPORTED,
			    (uint64_t)e->event.start_mark.line + 1,
			    "a YAML alias");
	} while (!translate(out, &e->event));
	return PROF_OK;
}

void
yaml_events_free(struct yaml_events *e)
{
	if (e == NULL)
		return;
	yaml_event_delete(&e->event);
	yaml_parser_delete(&e->parser);
	free(e);
}
