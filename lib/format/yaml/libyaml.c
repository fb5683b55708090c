#include "config.h"

#include "format/yaml/libyaml.h"

#ifdef YAML_SONAME
LIBRARY_LOADED(libyaml, libyaml, LIBYAML_FUNCTIONS, YAML_SONAME, "yaml",
    "required")
#else
LIBRARY_LINKED(libyaml, libyaml, LIBYAML_FUNCTIONS)
#endif
