#include "config.h"

#include "sym/dwarf/code.h"

#include "base/error.h"

enum prof_status
code_read(struct intervals *code, Dwarf *dwarf, struct prof_error *err)
{
	Elf *elf = dw.dwarf_getelf(dwarf);
	Elf_Scn *scn = NULL;
	GElf_Shdr s;

	/* In debug files, too: there, these sections have no contents. */
	while ((scn = dw.elf_nextscn(elf, scn)) != NULL) {
		if (dw.gelf_getshdr(scn, &s) != NULL &&
		    (s.sh_flags & SHF_EXECINSTR) != 0 &&
		    s.sh_size <= UINT64_MAX - s.sh_addr &&
		    !intervals_add(code, s.sh_addr, s.sh_addr + s.sh_size, 0))
			return err_memory(err);
	}
	return intervals_build(code) ? PROF_OK : err_memory(err);
}
