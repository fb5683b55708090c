#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/numbers.h"
#include "model/heap.h"
#include "sym/sym.h"

/* Missing in the elf.h of older systems. */
#define MACHINE_CSKY 252

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

/*
 * Adds the symbols of a section; false if out of memory.  The STT_FILE before a
 * local symbol names its source; other symbols have no file.
 */
static bool
symbols_add_section(struct symbols *t, Elf *elf, uint16_t machine,
    Elf_Data *data, struct prof_span names)
{
	size_t entry = dw.gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	size_t count = entry == 0 ? 0 : data->d_size / entry;
	const char *file = NULL;

	/* The first symbol of a section stands for none. */
	for (size_t i = 1; i < count && i < INT32_MAX; i++) {
		uint64_t address;
		const char *name;
		GElf_Sym s;
		int type;

		if (dw.gelf_getsym(data, (int)i, &s) == NULL ||
		    s.st_name >= names.size)
			continue;
		name = (const char *)names.data + s.st_name;
		type = GELF_ST_TYPE(s.st_info);
		if (type == STT_FILE)
			file = name;
		if (s.st_shndx == SHN_UNDEF || (s.st_shndx >= SHN_LORESERVE &&
		    s.st_shndx != SHN_XINDEX))
			continue;
		if ((type != STT_NOTYPE && type != STT_FUNC &&
		    type != STT_OBJECT && type != STT_GNU_IFUNC) ||
		    symbols_is_mark(machine, name))
			continue;
		address = s.st_value;
		/* A bit tells Thumb and microMIPS code from other code. */
		if ((machine == EM_ARM || machine == EM_MIPS) &&
		    type == STT_FUNC)
			address &= ~(uint64_t)1;
		if (!ARRAY_ADD(t->items, t->size, t->room, (struct symbol){
		    .name = name, .address = address, .size = s.st_size,
		    .number = t->size, .file = GELF_ST_BIND(s.st_info) ==
		    STB_LOCAL ? file : NULL }))
			return false;
	}
	return true;
}

enum prof_status
symbols_add(struct symbols *t, Elf *elf, uint32_t type, bool *found,
    struct prof_error *err)
{
	Elf_Scn *scn = NULL, *strings;
	const char *damage = NULL;
	Elf_Data *data, *text;
	struct prof_span names;
	GElf_Ehdr header;
	GElf_Shdr s;

	*found = false;
	if (dw.gelf_getehdr(elf, &header) == NULL)
		return PROF_OK;
	t->sorted = false;
	while ((scn = dw.elf_nextscn(elf, scn)) != NULL) {
		if (dw.gelf_getshdr(scn, &s) == NULL || s.sh_type != type)
			continue;
		data = dw.elf_getdata(scn, NULL);
		if (data == NULL)
			damage = dw.elf_errmsg(-1);
		if (data == NULL || data->d_buf == NULL)
			continue;
		*found = true;
		/*
		 * The names end with the last NUL.  elf_strptr, which is called
		 * for one name, searches for a NUL in all that follows it.
		 */
		names = (struct prof_span){ NULL, 0 };
		strings = dw.elf_getscn(elf, s.sh_link);
		text = strings != NULL && dw.gelf_getshdr(strings, &s) != NULL
		    && s.sh_type == SHT_STRTAB &&
		    (s.sh_flags & SHF_COMPRESSED) == 0 ?
		    dw.elf_getdata(strings, NULL) : NULL;
		if (text != NULL && text->d_buf != NULL)
			names = span_of_strings((struct prof_span){
			    text->d_buf, text->d_size });
		if (!symbols_add_section(t, elf, header.e_machine, data, names))
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
	int by = compare_u64(x->address, y->address);

	if (by == 0)
		by = compare_u64(x->size, y->size);
	return by != 0 ? by : compare_u64(x->number, y->number);
}

enum prof_status
symbols_find(struct symbols *t, uint64_t address, struct arena *arena,
    struct frame_list *out, struct prof_error *err)
{
	const struct symbol *s;
	struct prof_frame *f;
	size_t n;

	*out = (struct frame_list){ .count = 0 };
	if (!t->sorted && t->size != 0)
		qsort(t->items, t->size, sizeof(*t->items),
		    symbols_by_address);
	t->sorted = true;
	/* The last symbol that begins at or before the address. */
	n = numbers_up_to(t->items, t->size, sizeof(*t->items), address);
	s = n == 0 ? NULL : &t->items[n - 1];
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
