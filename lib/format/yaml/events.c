#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/yaml/libyaml.h"
#include "format/yaml/yaml.h"

#ifdef YAML_SONAME
LIBRARY_LOADED(libyaml, libyaml, LIBYAML_FUNCTIONS, YAML_SONAME, "yaml",
    "required")
#else
LIBRARY_LINKED(libyaml, libyaml, LIBYAML_FUNCTIONS)
#endif

/* The parser of YAML, which is loaded when it is first needed. */

struct yaml_events {
	yaml_parser_t parser;
	yaml_event_t event;		/* of the last call; owns its text */
	struct prof_span image;
};

/* Whether p follows a line break of YAML 1.1, as libyaml recognises them. */
static bool
is_after_break(const uint8_t *image, const uint8_t *p)
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
yaml_line_at(struct prof_span image, size_t offset)
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
 * Refuses directives: no profile needs them, and many would take long, as
 * libyaml compares each %TAG with all earlier ones.
 */
static enum prof_status
yaml_refuse_directives(struct prof_span image, struct prof_error *err)
{
	const uint8_t *end = image.data + image.size, *p = image.data;

	while (p < end && (p = memchr(p, '%', (size_t)(end - p))) != NULL) {
		if (is_after_break(image.data, p))
			return err_line(err, PROF_E_UNSUPPORTED,
			    yaml_line_at(image, (size_t)(p - image.data)),
			    "a YAML directive");
		p++;
	}
	return PROF_OK;
}

struct yaml_events *
yaml_events_new(struct prof_span image, struct prof_error *err)
{
	struct yaml_events *e;

	if (libyaml_load(err) != PROF_OK ||
	    yaml_refuse_directives(image, err) != PROF_OK)
		return NULL;
	e = calloc(1, sizeof(*e));
	if (e == NULL || !libyaml.yaml_parser_initialize(&e->parser)) {
		free(e);
		err_memory(err);
		return NULL;
	}
	e->image = image;
	libyaml.yaml_parser_set_encoding(&e->parser, YAML_UTF8_ENCODING);
	libyaml.yaml_parser_set_input_string(&e->parser, image.data,
	    image.size);
	return e;
}

static enum prof_status
yaml_parser_failure(struct yaml_events *e, struct prof_error *err)
{
	const yaml_parser_t *p = &e->parser;
	uint64_t line = (uint64_t)p->problem_mark.line + 1;

	if (p->error == YAML_MEMORY_ERROR)
		return err_memory(err);
	if (p->error == YAML_READER_ERROR)
		line = yaml_line_at(e->image,
		    p->problem_offset < e->image.size ? p->problem_offset
						      : e->image.size);
	return err_line(err, PROF_E_CORRUPT, line, "YAML: %s",
	    p->problem == NULL ? "cannot be parsed" : p->problem);
}

static bool
scalar_is_null(struct prof_span s)
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

/* Converts an event; false for kinds that are ignored. */
static bool
event_translate(struct yaml_event *out, const yaml_event_t *from)
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
		out->kind = YAML_SCALAR;
		out->text = (struct prof_span){ from->data.scalar.value,
		    from->data.scalar.length };
		out->empty =
		    from->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
		    scalar_is_null(out->text);
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
		libyaml.yaml_event_delete(&e->event);
		if (!libyaml.yaml_parser_parse(&e->parser, &e->event))
			return yaml_parser_failure(e, err);
		/* Refused, as aliases of aliases could exceed all memory. */
		if (e->event.type == YAML_ALIAS_EVENT)
			return err_line(err, PROF_E_UNSUPPORTED,
			    (uint64_t)e->event.start_mark.line + 1,
			    "a YAML alias");
	} while (!event_translate(out, &e->event));
	return PROF_OK;
}

void
yaml_events_free(struct yaml_events *e)
{
	if (e == NULL)
		return;
	libyaml.yaml_event_delete(&e->event);
	libyaml.yaml_parser_delete(&e->parser);
	free(e);
}
