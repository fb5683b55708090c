/* format/lprf/lprf.h - layout of LPRF version 1, see lprf(5) */
#ifndef FORMAT_LPRF_LPRF_H
#define FORMAT_LPRF_LPRF_H

/* "LPRF" as a little-endian number. */
#define LPRF_MAGIC 0x4652504Cu

/*
 * Why neither version holds raw counters: prof-symbolize has to know what raw
 * profile they are from, which a file does not say.
 */
#define LPRF_NO_FUNCTIONS "counters of a correlated profile have no " \
	"functions yet: run prof-symbolize"

enum {
	LPRF_VERSION = 1,
	LPRF_HEADER = 24,	/* magic, version, index end, largest count */
	LPRF_ENTRY_MIN = 4 + 1 + 8,	/* name size, name, offset */
	LPRF_HEAD = 8 + 8,	/* hash and number of counters */
	LPRF_DATA_MIN = LPRF_HEAD + 8	/* the head, one counter */
};

#endif
