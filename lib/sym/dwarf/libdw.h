/*
 * sym/dwarf/libdw.h - the functions of libdw and libelf that lib/sym calls
 *
 * libdw brings libelf, liblzma and libbz2, which take half of the instructions
 * with which a program with libprof.so starts, so it is loaded when the first
 * binary is opened (elf_file.c).  The loader finds the functions of libelf by
 * way of libdw, which needs it.
 */
#ifndef SYM_DWARF_LIBDW_H
#define SYM_DWARF_LIBDW_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

#include "base/library.h"

#define LIBDW_FUNCTIONS(F) \
	F(dwarf_attr) \
	F(dwarf_attr_integrate) \
	F(dwarf_begin_elf) \
	F(dwarf_cu_getdwarf) \
	F(dwarf_cu_info) \
	F(dwarf_cuoffset) \
	F(dwarf_decl_line) \
	F(dwarf_diecu) \
	F(dwarf_diename) \
	F(dwarf_dieoffset) \
	F(dwarf_end) \
	F(dwarf_errmsg) \
	F(dwarf_errno) \
	F(dwarf_formaddr) \
	F(dwarf_formblock) \
	F(dwarf_formstring) \
	F(dwarf_formudata) \
	F(dwarf_get_units) \
	F(dwarf_getattrs) \
	F(dwarf_getelf) \
	F(dwarf_getlocation) \
	F(dwarf_getlocation_attr) \
	F(dwarf_haschildren) \
	F(dwarf_next_unit) \
	F(dwarf_ranges) \
	F(dwarf_tag) \
	F(elf_begin) \
	F(elf_compress) \
	F(elf_compress_gnu) \
	F(elf_end) \
	F(elf_errmsg) \
	F(elf_errno) \
	F(elf_getdata) \
	F(elf_getdata_rawchunk) \
	F(elf_getphdrnum) \
	F(elf_getscn) \
	F(elf_getshdrnum) \
	F(elf_getshdrstrndx) \
	F(elf_kind) \
	F(elf_memory) \
	F(elf_nextscn) \
	F(elf_rawdata) \
	F(elf_rawfile) \
	F(elf_strptr) \
	F(elf_version) \
	F(gelf_fsize) \
	F(gelf_getchdr) \
	F(gelf_getehdr) \
	F(gelf_getnote) \
	F(gelf_getphdr) \
	F(gelf_getshdr) \
	F(gelf_getsym)

LIBRARY_TABLE(libdw, dw, LIBDW_FUNCTIONS);

#endif
