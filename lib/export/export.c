#include "export/export.h"

#include <string.h>

const struct export_format export_formats[] = {
	{ "folded", "folded", false, export_folded },
	{ "pprof", "pb", true, export_pprof },
	{ "speedscope", "speedscope.json", false, export_speedscope },
	{ "svg", "svg", false, export_svg },
	{ "firefox", "firefox.json", false, export_firefox },
};

const size_t export_formats_size =
    sizeof(export_formats) / sizeof(export_formats[0]);

const struct export_format *
export_format_named(const char *name)
{
	for (size_t i = 0; i < export_formats_size; i++) {
		if (strcmp(export_formats[i].name, name) == 0)
			return &export_formats[i];
	}
	return NULL;
}
