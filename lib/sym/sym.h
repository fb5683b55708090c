/*
 * sym/sym.h - what the files of this folder have of each other
 *
 * Others use symbolizer.h, binary.h, symbolize.h, correlate.h and work.h.
 */
#ifndef SYM_SYM_H
#define SYM_SYM_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/library.h"
#include "base/numbers.h"
#include "model/name_section.h"
#include "model/releases.h"
#include "sym/binary.h"
#include "sym/symbolize.h"
#include "sym/work.h"

/*
 * The functions of libdw and libelf.  libdw brings libelf, liblzma and libbz2,
 * which take half of the instructions with which a program with libprof.so
 * starts, so it is loaded when the first binary is opened.  The loader finds
 * the functions of libelf by way of libdw, which needs it.
 */
#define LIBDW_FUNCTIONS(F) \
	F(dwarf_attr) F(dwarf_attr_integrate) F(dwarf_begin_elf) \
	F(dwarf_cu_getdwarf) F(dwarf_cu_info) F(dwarf_cuoffset) \
	F(dwarf_dieoffset) F(dwarf_end) F(dwarf_errmsg) F(dwarf_errno) \
	F(dwarf_formaddr) \
	F(dwarf_formstring) F(dwarf_formudata) F(dwarf_get_units) \
	F(dwarf_getattrs) F(dwarf_getelf) F(dwarf_getlocation) \
	F(dwarf_getlocation_attr) F(dwarf_haschildren) F(dwarf_next_unit) \
	F(dwarf_ranges) F(dwarf_tag) F(elf_begin) F(elf_compress) \
	F(elf_compress_gnu) F(elf_end) F(elf_errmsg) F(elf_errno) \
	F(elf_getdata) F(elf_getdata_rawchunk) F(elf_getphdrnum) \
	F(elf_getscn) F(elf_getshdrnum) F(elf_getshdrstrndx) F(elf_kind) \
	F(elf_memory) F(elf_nextscn) F(elf_rawdata) F(elf_rawfile) \
	F(elf_strptr) F(elf_version) F(gelf_fsize) F(gelf_getchdr) \
	F(gelf_getehdr) F(gelf_getnote) F(gelf_getphdr) F(gelf_getshdr) \
	F(gelf_getsym)

LIBRARY_TABLE(libdw, dw, LIBDW_FUNCTIONS);

/* elf.c: one ELF file, and what its sections may claim. */

struct elf_file {
	Elf *elf;
	const char *path;		/* for messages */
	struct work *work;		/* borrowed */
	uint64_t unpacked;		/* bytes of sections uncompressed */
};

/* A program header of type PT_LOAD. */
struct binary_load {
	uint64_t offset, file_size;	/* bytes of the file */
	uint64_t address, memory_size;	/* as linked */
	bool executable;
};

struct binary {
	struct elf_file file;
	char *path;
	int fd;
	bool used;			/* by a segment, or for counters */
	struct map *map;		/* of its bytes; NULL: not watched */
	Dwarf *dwarf;			/* of this file; NULL: not opened */
	bool big_endian;
	/*
	 * Whether the file has debug information but no code (all sections of
	 * code are SHT_NOBITS): then offsets and sizes in the file are not
	 * those of the program that ran.
	 */
	bool debug_only;
	uint8_t pointer_bits;		/* 32 or 64 */
	struct prof_span build_id;	/* in the arena */
	struct binary_load *loads;	/* in the order of the file */
	size_t load_count, load_room;
	struct arena arena;

	/* Used by binary.c. */
	const struct binary_search *search;	/* borrowed; may be NULL */
	bool debug_sought;		/* the debug file was searched for */
	enum prof_status debug_status;	/* of the search */
	/*
	 * Why the search failed, if debug_status is PROF_FAIL.  Before the
	 * search, in a file that binary_find gave: why a debug file with the
	 * same build id cannot be read, if there is one.
	 */
	struct prof_error debug_error;
	struct binary *debug;		/* the debug file, owned, or NULL */
};

/* As binary_open; debug files of it are searched for without options. */
struct binary *elf_file_open(const char *path, struct work *,
    struct prof_error *);

/* As binary_section, but of this file only. */
enum prof_status elf_file_section(struct binary *, const char *name,
    struct binary_section *, struct prof_error *);

/*
 * What is wrong with the sections of a file, or NULL: then memory and time for
 * all of them are in proportion to the file.  Together, they must not have more
 * than twice its bytes, and their names not more than its bytes: libdw measures
 * each name.  The last name must end with NUL: elf_strptr searches for the last
 * NUL in all that follows a name.  Names must not be compressed: elf_strptr
 * would uncompress them without a bound, and no tool compresses them.
 */
const char *elf_sections_fault(Elf *);

/*
 * Uncompresses all sections in place: libdw would do it without a bound, and
 * leave out those that it cannot uncompress.  PROF_FAIL with PROF_E_CORRUPT if
 * one cannot be uncompressed, or is compressed twice; with PROF_E_LIMIT.
 */
enum prof_status elf_unpack_all(struct elf_file *, struct prof_error *);

/*
 * Whether there is a section of that name, or of .zdebug_x for .debug_x, that
 * has a size.  Sections that libdw passes over, those of section groups, are
 * none for this function and for elf_contents.
 */
bool elf_has_section(Elf *, const char *name);

/*
 * The contents of the first such section, borrowed from libelf; no data if
 * there are none.  These are the bytes that libdw uses.  To be called behind
 * elf_unpack_all.
 */
struct prof_span elf_contents(Elf *, const char *name);

/* Bytes of the file; 0 if libelf has no file. */
uint64_t elf_file_bytes(Elf *);

/* False also for a file without a header, which has no sections either. */
bool elf_is_big_endian(Elf *);

/* Sets the error of `why` with the file's path in front of the reason. */
enum prof_status elf_file_err(const struct elf_file *,
    const struct prof_error *why, struct prof_error *);

/*
 * debug_info.c: opens the debug information of this file.  NULL with
 * PROF_E_CORRUPT if it or a compressed section is damaged; with PROF_E_LIMIT if
 * libdw would take too much for it and the files that it names; with
 * PROF_E_FORMAT if one of these is a pipe or a device.
 */
Dwarf *debug_info_open(struct binary *, struct prof_error *);

/* binary.c: a binary with its debug file. */

struct symbols;

/*
 * Searches for a debug file with that build id, or else for the binary itself.
 * PROF_END if there is none; PROF_FAIL if there is one that cannot be read, and
 * no other.  If there is another, without debug information, binary_dwarf of it
 * says why the first could not be read.
 */
enum prof_status binary_find(struct prof_span build_id,
    const struct binary_search *, struct binary **, struct prof_error *);

/*
 * libraries.c: opens the library with that build id that programs need.
 * PROF_END if they need none; one that cannot be opened is none.
 */
enum prof_status libraries_find(struct libraries *, struct prof_span build_id,
    struct binary **, struct prof_error *);

/*
 * PROF_E_TRUNCATED if bytes of the binary or its debug file were missing when
 * they were read, and zero instead: their disk failed, or they were truncated
 * after they were opened.  In a program without map_handle_errors of io/map.h,
 * that ends it.
 */
enum prof_status binary_check_whole(const struct binary *,
    struct prof_error *);

/*
 * Gives the debug information of the binary, or else of its debug file, which
 * is searched for at the first call: in the folders, and at the servers.  NULL
 * with PROF_E_UNSUPPORTED if there is none, or with another code if it cannot
 * be read.
 */
Dwarf *binary_dwarf(struct binary *, struct prof_error *);

/* The path of the file that has it, if binary_dwarf succeeded. */
const char *binary_dwarf_path(const struct binary *);

/*
 * Adds the symbols of .symtab, of the binary or else of its debug file.  If
 * neither has one, those of .dynsym.  Their names are borrowed until
 * binary_close.  PROF_FAIL if out of memory, and if one of them is damaged,
 * after the others were added.
 */
enum prof_status binary_symbols(struct binary *, struct symbols *,
    struct prof_error *);

/* entries.c: the entries of a DWARF unit, one after the other. */

/* What the sizes of values depend on. */
struct form_sizes {
	uint8_t address, offset;	/* bytes */
	uint16_t version;		/* of DWARF */
};

/*
 * Moves behind a value of a form (DWARF 5, 7.5.6); the cursor fails if it is
 * truncated, or if the form is unknown or has no bytes.
 */
void form_skip(struct cursor *, uint64_t form, const struct form_sizes *);

struct walk {
	Dwarf_Die die;			/* the entry at hand */
	size_t depth;			/* of die; the unit's own is 0 */
	int tag;			/* of die, DW_TAG_... */
	bool begun, has_children;
	struct form_sizes sizes;
	struct cursor c;		/* of the unit, up to its end */
	struct work *work;
};

/*
 * Begins a unit, whose own entry is the first that die_walk_next gives.
 * PROF_E_CORRUPT if its header is damaged.  Each byte of the unit is read once:
 * dwarf_child and dwarf_siblingof of libdw read the children of an entry again
 * for each entry above it, and on some damaged files they do not end.
 */
enum prof_status die_walk_begin(struct walk *, Dwarf_Die *unit,
    struct work *, struct prof_error *);

/*
 * Moves to the next entry, parents before children; PROF_END after the last.
 * PROF_FAIL if the entry is damaged: the rest of the unit cannot be read.
 */
enum prof_status die_walk_next(struct walk *, struct prof_error *);

/* An attribute of the entry itself, without the entries that it refers to. */
const char *die_string(Dwarf_Die *, unsigned attribute);	/* or NULL */
bool die_number(Dwarf_Die *, unsigned attribute, Dwarf_Word *);

/*
 * lines.c: the line tables of a module.
 *
 * A line table is a list of sequences, each with the rows of code that lies
 * together: with -ffunction-sections, of a function.  The sequence of one that
 * the linker discarded is left out; that of one that it folded into an
 * identical function has the addresses of that one.  Therefore, a row is looked
 * for in one sequence only.  libdw would return the rows of all sequences in
 * the order of their addresses, which mixes them.
 */

struct line_row {
	uint64_t address;
	uint32_t file, line, column, discriminator;
};

/* Rows [first, end) of a table. */
struct line_sequence {
	size_t first, end;
};

struct line_file {
	const char *name;		/* NULL if its form is not read */
	uint64_t folder;		/* its number, see line_file_find */
};

/*
 * The header lists folders and files, which are kept apart: many files may
 * share a long folder, and libdw would store all their paths.  Strings are
 * borrowed from the sections.
 */
struct line_table {
	unsigned version;		/* 2 to 5 */
	const char **folders;
	size_t folder_count, folder_room;
	struct line_file *files;
	size_t file_count, file_room;
	struct line_row *rows;
	size_t row_count, row_room;
	struct line_sequence *sequences;
	size_t sequence_count, sequence_room;
	struct intervals ranges;	/* rank is UINT32_MAX - sequence */
};

struct line_tables {
	struct prof_span section;	/* .debug_line, borrowed from libelf */
	/* Sections that lists of DWARF 5 refer to, up to their last NUL. */
	struct prof_span line_str;	/* .debug_line_str */
	struct prof_span str;		/* .debug_str */
	const struct intervals *code;	/* see code_is_at */
	bool big_endian;
	struct work *work;
	struct id_map by_offset;	/* values are indexes of tables */
	struct line_table *tables;
	size_t size, room;
};

/*
 * *t is all zero before; the list of code is borrowed.  A module without
 * .debug_line has no tables.
 */
void line_tables_begin(struct line_tables *t, Dwarf *,
    const struct intervals *code, struct work *);

/*
 * Reads the table at an offset of the section (DW_AT_stmt_list), once; *index
 * is its number.  PROF_FAIL if out of memory, or if the table is damaged: then
 * it has the files and sequences before the damage.
 */
enum prof_status line_tables_read(struct line_tables *, uint64_t offset,
    size_t *index, struct prof_error *);

/* The row of an address in a table, or NULL. */
const struct line_row *line_tables_find(const struct line_tables *,
    size_t index, uint64_t address);

void line_tables_free(struct line_tables *);

/* A path in two parts. */
struct line_path {
	const char *folder;		/* NULL is that of DW_AT_comp_dir */
	const char *name;
	/* The folder is the compiler's, which a relative path leaves out. */
	bool compilers;
};

/*
 * The path of a file.  Its numbers begin with 0 in DWARF 5 and else with 1.
 * Folder 0 is the compiler's, which is listed in DWARF 5 only.  False if there
 * is no such file.
 */
bool line_file_find(const struct line_table *, uint64_t number,
    struct line_path *);

/*
 * Whether the module has code at an address; true if its list is empty.  Debug
 * information also describes functions that the linker discarded, or folded
 * into identical ones: these begin at 0, 1 or -1, and their other addresses,
 * which count from there, may be those of code that was kept.
 */
static inline bool
code_is_at(const struct intervals *code, uint64_t address)
{
	return code->size == 0 || intervals_find(code, address) != NULL;
}

/*
 * frames.c: from an address of a module to frames of the source.  They are
 * those of llvm-symbolizer and llvm-profdata (DWARFContext.cpp,
 * getInliningInfoForAddress, with linkage names and absolute paths), except
 * that functions which the linker discarded never hide others.
 */

struct frames;

/* The frames of an address, innermost first. */
struct frame_list {
	const struct prof_frame *frames;
	size_t count;			/* 0: it is in no function */
	bool known;	/* false: debug information is missing or damaged */
};

/* The debug information is borrowed.  NULL if out of memory. */
struct frames *frames_new(Dwarf *, struct work *, struct prof_error *);

/*
 * Gives the frames of an address, in the arena; names and paths point into the
 * debug information or are owned by struct frames.  The count is 0 if no
 * function with a name is there.  PROF_FAIL only if out of memory.
 */
enum prof_status frames_find(struct frames *, uint64_t address, struct arena *,
    struct frame_list *, struct prof_error *);

/* What is known to be missing so far. */
struct frames_lack {
	/*
	 * The first damage; its code is PROF_E_NONE if there is none.
	 * Functions that were read before are good; others may be missing.
	 */
	struct prof_error damage;
	size_t split_missing;		/* units whose .dwo is missing */
};
const struct frames_lack *frames_lack(const struct frames *);

void frames_free(struct frames *);

/*
 * How many entries a list of address ranges at the cursor has, up to its end or
 * to damage, with those that only set a base.
 */
uint64_t range_list_count(struct cursor *, bool rnglists,
    uint8_t address_size);

/*
 * symbols.c: functions by address, from symbol tables of ELF files.
 *
 * Which symbols count, and which of several at an address is taken, is decided
 * as by llvm-symbolizer (SymbolizableObjectFile.cpp and ELFObjectFile.h, LLVM
 * 14 to 22): functions, data and symbols without type, in a section, except
 * mapping symbols.  Of those with one address the largest is taken, of equally
 * large ones the last.  A symbol of size 0 reaches up to the next one.
 */

struct symbol {
	uint64_t address, size;		/* bytes; size 0: to the next symbol */
	const char *name, *file;	/* of the ELF file; file may be NULL */
	size_t number;			/* in the order of adding */
};

/* All zero is empty. */
struct symbols {
	struct symbol *items;
	size_t size, room;
	bool sorted;
};

/*
 * Adds the symbols of all sections of a type, SHT_SYMTAB or SHT_DYNSYM.  Names
 * point into the ELF file.  *found becomes true if there is such a section with
 * contents.  PROF_FAIL if out of memory, or with PROF_E_CORRUPT if a section
 * cannot be read, after the others were added.
 */
enum prof_status symbols_add(struct symbols *, Elf *, uint32_t type,
    bool *found, struct prof_error *);

/*
 * Gives the symbol at an address as one frame with a function, the source file
 * if the symbol is local and its table names one, and no line.  The count is 0
 * if there is none.  PROF_FAIL only if out of memory.
 */
enum prof_status symbols_find(struct symbols *, uint64_t address,
    struct arena *, struct frame_list *, struct prof_error *);

void symbols_free(struct symbols *);

/* modules.c: programs and shared libraries of profiles, and their binaries. */

#define NO_MODULE SIZE_MAX

struct module {
	struct prof_span build_id;	/* empty if it has none */
	size_t binary;			/* index, or NO_MODULE */
	struct binary *found;		/* by build id; owned, or NULL */
	struct frames *frames;		/* NULL: not opened, or none */
	struct binary *source;		/* of the frames; borrowed */
	bool opened;			/* frames were searched for */
	bool symbols_read;
	struct symbols symbols;
	/* Used by symbolize.c. */
	uint64_t unknown;		/* addresses without debug info */
	struct id_map addresses;	/* number + 1 */
};

struct modules {
	struct binary *const *binaries;		/* borrowed */
	size_t binary_count;
	struct module_map *maps;		/* borrowed */
	size_t map_count;
	const struct binary_search *search;	/* borrowed */
	prof_warn *warn;
	void *warn_arg;

	size_t *without_id;	/* module of each binary without build id */
	struct module *items;
	size_t size, room;
	struct id_map by_id;		/* digest of build id: number + 1 */
	struct arena arena;
};

/*
 * Begins, with the members up to warn_arg set and the others zero.  PROF_FAIL
 * only if out of memory.
 */
enum prof_status modules_start(struct modules *, struct prof_error *);

/* Where a mapping is. */
struct module_place {
	size_t module;			/* index, or NO_MODULE */
	uint64_t delta;	/* added to an address, modulo 2^64: as linked */
};

/*
 * Finds the module of a mapping.  PROF_E_MISMATCH if a module_map contradicts
 * the build id or the binary.
 */
enum prof_status modules_of(struct modules *, const struct prof_segment *,
    struct module_place *, struct prof_error *);

/*
 * Gives the frames of an address of a module, in the arena: those of the debug
 * information, or else one of the symbol tables.  PROF_FAIL only if out of
 * memory, or if a binary became shorter meanwhile.  To be called between
 * err_memory_begin and err_if_memory.
 */
enum prof_status modules_find(struct modules *, size_t module,
    uint64_t address, struct frame_list *, struct prof_error *);

void modules_warn(const struct modules *, enum prof_code, const char *, ...)
    __attribute__((format(printf, 3, 4)));

/* A build id as hex, truncated after 20 bytes; "none" if it is empty. */
#define ID_TEXT_SIZE 45
const char *module_id_text(char text[ID_TEXT_SIZE], struct prof_span build_id);

void modules_free(struct modules *);

/*
 * correlate_table.c: which counters of a binary belong to which function, by
 * records or by debug information.
 */

struct correlate_function {
	struct prof_symbol symbol;
	uint64_t hash;
	uint64_t counters, bitmap;	/* byte offsets in their sections */
	uint64_t num_counters;		/* as the record has it, never 0 */
	uint64_t num_bitmap;		/* bytes */
};

/* A section in memory, as linked; size 0 if there is none. */
struct correlate_range {
	uint64_t address, size;
};

/* A table with members up to `work` set, and the others zero, is empty. */
struct correlate_table {
	struct correlate_range counters, bitmap;
	uint64_t version;		/* of the raw profile */
	unsigned pointer_bytes;
	unsigned counter_bytes;		/* 1: coverage */
	bool big;
	struct work *work;
	bool hashes;			/* all that is wanted: no places */

	struct correlate_function *functions;
	size_t size, room;
	struct names names;
	struct hash_facts hash_facts;
	bool any_rust;			/* some function is Rust's */
	bool no_bitmaps;		/* debug info has no bitmaps */
	uint64_t nameless;		/* known by their guid only */
	uint64_t outside;		/* left out: counters not in section */
	uint64_t incomplete;		/* left out: an annotation is missing */
	uint64_t split_missing;		/* units whose .dwo is missing */
};

/*
 * Makes a table of the sections __llvm_covdata and __llvm_covnames (LLVM 18 and
 * later), which must outlive the table.  For hashes, __llvm_prf_data and
 * __llvm_prf_names of any version will do.
 */
enum prof_status correlate_records(struct correlate_table *,
    struct prof_span records, struct prof_span names, struct prof_error *);

/* Makes a table of debug information, which must outlive the table. */
enum prof_status correlate_dwarf(struct correlate_table *, Dwarf *,
    struct prof_error *);

void correlate_table_free(struct correlate_table *);

#endif
