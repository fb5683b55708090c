/* cmd/report/page_text.h - the files of cmd/report/page, embedded */
#ifndef CMD_REPORT_PAGE_TEXT_H
#define CMD_REPORT_PAGE_TEXT_H

#include "prof.h"

/* The page; report_page_put places the part of that name at each @WORD@. */
extern const struct prof_span page_template;

/* What stands in its elements style and script. */
extern const struct prof_span page_style, page_script;

#endif
