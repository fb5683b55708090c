#include "export/export.h"

const struct export_format export_formats[] = {
	{ "folded", false, export_folded },
	{ "pprof", true, export_pprof },
	{ "speedscope", false, export_speedscope },
};
