/*
 * format/yaml/libyaml.h - the functions of libyaml that the parser calls
 *
 * libyaml is loaded when the first file in YAML is read.
 */
#ifndef FORMAT_YAML_LIBYAML_H
#define FORMAT_YAML_LIBYAML_H

#include <yaml.h>

#include "base/library.h"

#define LIBYAML_FUNCTIONS(F) \
	F(yaml_event_delete) \
	F(yaml_parser_delete) \
	F(yaml_parser_initialize) \
	F(yaml_parser_parse) \
	F(yaml_parser_set_encoding) \
	F(yaml_parser_set_input)

LIBRARY_TABLE(libyaml, libyaml, LIBYAML_FUNCTIONS);

#endif
