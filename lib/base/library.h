/*
 * base/library.h - shared libraries that are loaded when first needed
 *
 * Some libraries bring more code than a small profile takes time to read:
 * programs start without them.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "prof/base.h"

struct library {
	const char *soname;		/* the loader searches for it */
	const char *const *names;	/* of functions; NULL ends the list */
	void *functions;		/* a pointer each, in this order */
	pthread_mutex_t lock;
	bool loaded;
};

/*
 * Loads the library if that was not done, and fills in its functions; from any
 * thread.  PROF_E_LIBRARY, with the library's name, if it is missing or lacks a
 * function; the next call tries again.  A library is never unloaded.
 */
enum prof_status library_load(struct library *, struct prof_error *);

/*
 * LIBRARY_NOTE(id, soname, feature, priority): a note in the program that it
 * may load a library, from which packages get their dependencies; priority is
 * "required" or "recommended".  Section, owner, type and JSON are those of the
 * specification "ELF dlopen metadata" of the UAPI group.
 */
#define LIBRARY_NOTE_JSON(soname, feature, priority) \
	"[{\"soname\":[\"" soname "\"],\"feature\":\"" feature "\"," \
	"\"priority\":\"" priority "\"}]"
#define LIBRARY_NOTE(id, soname, feature, priority) \
	static const struct { \
		uint32_t owner_size, size, type; \
		char owner[4]; \
		char json[sizeof(LIBRARY_NOTE_JSON(soname, feature, \
		    priority))]; \
	} id __attribute__((used, section(".note.dlopen"), aligned(4))) = { \
		4, sizeof((id).json), 0x407c0c0a, "FDO", \
		LIBRARY_NOTE_JSON(soname, feature, priority) \
	}

/*
 * A library as a table of its functions.  FUNCTIONS is a macro that applies its
 * argument to each of their names; the library's own header declares them.
 *
 * LIBRARY_TABLE declares `struct tag`, the table `table` of that type, and
 * tag_load, which loads the library as library_load does: the table is valid
 * once that has returned PROF_OK.  One source file defines both, either by
 * LIBRARY_LOADED, for a library that is loaded (the last three arguments are
 * those of LIBRARY_NOTE), or by LIBRARY_LINKED, for one that the program is
 * linked with.
 */
#define LIBRARY_MEMBER(name) __typeof__(name) *name;
#define LIBRARY_TABLE(tag, table, FUNCTIONS) \
	struct tag { \
		FUNCTIONS(LIBRARY_MEMBER) \
	}; \
	extern struct tag table; \
	enum prof_status tag##_load(struct prof_error *)

#define LIBRARY_NAME(name) #name,
#define LIBRARY_LOADED(tag, table, FUNCTIONS, file, feature, priority) \
	static const char *const tag##_names[] = { \
		FUNCTIONS(LIBRARY_NAME) NULL \
	}; \
	struct tag table; \
	_Static_assert(sizeof(table) == (sizeof(tag##_names) / \
	    sizeof(tag##_names[0]) - 1) * sizeof(void *), "a pointer each"); \
	LIBRARY_NOTE(tag##_note, file, feature, priority); \
	enum prof_status \
	tag##_load(struct prof_error *err) \
	{ \
		static struct library library = { .soname = file, \
		    .names = tag##_names, .functions = &table, \
		    .lock = PTHREAD_MUTEX_INITIALIZER }; \
 \
		return library_load(&library, err); \
	}

#define LIBRARY_POINTER(name) .name = name,
#define LIBRARY_LINKED(tag, table, FUNCTIONS) \
	struct tag table = { FUNCTIONS(LIBRARY_POINTER) }; \
	enum prof_status \
	tag##_load(struct prof_error *err) \
	{ \
		(void)err; \
		return PROF_OK; \
	}

#endif
