#include "export/export.h"

const struct export_format export_formats[] = {
	{ "folded", "folded", false, export_folded },
	{ "pprof", "pb", true, export_pprof },
	{ "speedscope", "speedscope.json", false, export_speedscope },
};

const size_t export_formats_size =
    sizeof(export_formats) / sizeof(export_formats[0]);
