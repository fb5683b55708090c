#include "config.h"

#include "sym/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/number_search.h"
#include "model/memprof_guid.h"
#include "sym/dwarf/libdw.h"

/* Missing in the elf.h of older systems. */
#define MACHINE_CSKY 252

/* A section of symbols that is being read. */
struct symbol_section {
	Elf *elf;
	Elf_Data *data;
	struct prof_span names;		/* ends with a NUL, or is empty */
	uint16_t machine;
	const char *file;		/* the last STT_FILE, or NULL */
};

/*
 * Whether a name marks the kind of the code or data that follows, or is a label
 * that was needed for a difference (ELFObjectFile.h, getSymbolFlags).
 */
static bool
symbols_is_mark(uint16_t machine, const char *name)
{
	const char *kinds = machine == EM_ARM ? "dta" : machine == EM_AARCH64 ||
	    machine == EM_RISCV ? "dx" : machine == MACHINE_CSKY ? "dt" : "";

	if (machine == EM_ARM && *name == '\0')
		return true;
	if (machine == EM_RISCV && strcmp(name, ".L0 ") == 0)
		return true;
	return name[0] == '$' && name[1] != '\0' &&
	    strchr(kinds, name[1]) != NULL;
}

static bool
symbols_is_taken(const struct symbol_section *t, const GElf_Sym *s,
    const char *name)
{
	int type = GELF_ST_TYPE(s->st_info);

	if (s->st_shndx == SHN_UNDEF ||
	    (s->st_shndx >= SHN_LORESERVE && s->st_shndx != SHN_XINDEX))
		return false;
	return (type == STT_NOTYPE || type == STT_FUNC || type == STT_OBJECT ||
	    type == STT_GNU_IFUNC) && !symbols_is_mark(t->machine, name);
}

/* Without the bit that tells Thumb and microMIPS code from other code. */
static uint64_t
symbols_address(const struct symbol_section *t, const GElf_Sym *s)
{
	bool marked = (t->machine == EM_ARM || t->machine == EM_MIPS) &&
	    GELF_ST_TYPE(s->st_info) == STT_FUNC;

	return marked ? s->st_value & ~(uint64_t)1 : s->st_value;
}

/*
 * The strings of a section up to the last NUL.  elf_strptr, which is called for
 * one name, searches for a NUL in all that follows the name.
 */
static struct prof_span
symbols_names(Elf *elf, size_t section)
{
	const struct prof_span none = { NULL, 0 };
	Elf_Scn *scn = dw.elf_getscn(elf, section);
	Elf_Data *data;
	GElf_Shdr s;

	if (scn == NULL || dw.gelf_getshdr(scn, &s) == NULL ||
	    s.sh_type != SHT_STRTAB || (s.sh_flags & SHF_COMPRESSED) != 0)
		return none;
	data = dw.elf_getdata(scn, NULL);
	if (data == NULL || data->d_buf == NULL)
		return none;
	return span_of_strings((struct prof_span){ data->d_buf,
	    data->d_size });
}

/*
 * Adds one symbol.  The STT_FILE before a local symbol names its source; other
 * symbols have no file.
 */
static bool
symbols_add_symbol(struct symbols *t, struct symbol_section *section,
    const GElf_Sym *s)
{
	const char *name;

	if (s->st_name >= section->names.size)
		return true;
	name = (const char *)section->names.data + s->st_name;
	if (GELF_ST_TYPE(s->st_info) == STT_FILE)
		section->file = name;
	if (!symbols_is_taken(section, s, name))
		return true;
	return ARRAY_ADD(t->items, t->size, t->room, (struct symbol){
	    .name = name, .address = symbols_address(section, s),
	    .size = s->st_size, .number = t->size,
	    .file = GELF_ST_BIND(s->st_info) == STB_LOCAL ? section->file :
	    NULL });
}

/* The first symbol of a section stands for none. */
static bool
symbols_add_section(struct symbols *t, struct symbol_section *section)
{
	size_t entry = dw.gelf_fsize(section->elf, ELF_T_SYM, 1, EV_CURRENT);
	size_t count = entry == 0 ? 0 : section->data->d_size / entry;

	for (size_t i = 1; i < count && i < INT32_MAX; i++) {
		GElf_Sym s;

		if (dw.gelf_getsym(section->data, (int)i, &s) != NULL &&
		    !symbols_add_symbol(t, section, &s))
			return false;
	}
	return true;
}

enum prof_status
symbols_add(struct symbols *t, struct Elf *elf, uint32_t type, bool *found,
    struct prof_error *err)
{
	const char *damage = NULL;
	Elf_Scn *scn = NULL;
	GElf_Ehdr header;
	GElf_Shdr s;

	*found = false;
	if (dw.gelf_getehdr(elf, &header) == NULL)
		return PROF_OK;
	t->sorted = false;
	while ((scn = dw.elf_nextscn(elf, scn)) != NULL) {
		struct symbol_section section = { .elf = elf,
		    .machine = header.e_machine };

		if (dw.gelf_getshdr(scn, &s) == NULL || s.sh_type != type)
			continue;
		section.data = dw.elf_getdata(scn, NULL);
		if (section.data == NULL)
			damage = dw.elf_errmsg(-1);
		if (section.data == NULL || section.data->d_buf == NULL)
			continue;
		section.names = symbols_names(elf, s.sh_link);
		*found = true;
		if (!symbols_add_section(t, &section))
			return err_memory(err);
	}
	if (damage != NULL)
		return err_set(err, PROF_E_CORRUPT, "%s: %s",
		    type == SHT_DYNSYM ? ".dynsym" : ".symtab", damage);
	return PROF_OK;
}

static int
symbols_by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* The last symbol that begins at or before the address, or NULL. */
static const struct symbol *
symbols_before(struct symbols *t, uint64_t address)
{
	size_t n;

	if (!t->sorted && t->size != 0)
		qsort(t->items, t->size, sizeof(*t->items),
		    symbols_by_address);
	t->sorted = true;
	n = numbers_up_to(t->items, t->size, sizeof(*t->items), address);
	return n == 0 ? NULL : &t->items[n - 1];
}

enum prof_status
symbols_find(struct symbols *t, uint64_t address, struct arena *arena,
    struct frame_list *out, struct prof_error *err)
{
	const struct symbol *s = symbols_before(t, address);
	struct prof_frame *f;

	*out = (struct frame_list){ .count = 0 };
	if (s == NULL || *s->name == '\0' ||
	    (s->size != 0 && address - s->address >= s->size))
		return PROF_OK;
	f = arena_array(arena, 1, sizeof(*f));
	if (f == NULL)
		return err_memory(err);
	*f = (struct prof_frame){ .function.name = span_of_text(s->name),
	    .file = span_of_text(s->file) };
	f->function.guid = memprof_guid(f->function.name);
	*out = (struct frame_list){ f, 1, false };
	return PROF_OK;
}

void
symbols_free(struct symbols *t)
{
	free(t->items);
	*t = (struct symbols){ .size = 0 };
}
