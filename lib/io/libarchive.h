/*
 * io/libarchive.h - the functions of libarchive that lib/io calls
 *
 * libarchive brings libxml2, ICU and the C++ library, so it is loaded when the
 * first archive is opened.  A program that is linked statically holds it.
 */
#ifndef IO_LIBARCHIVE_H
#define IO_LIBARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

#include "base/library.h"

#define LIBARCHIVE_FUNCTIONS(F) \
	F(archive_entry_clear) \
	F(archive_entry_filetype) \
	F(archive_entry_free) \
	F(archive_entry_hardlink) \
	F(archive_entry_is_encrypted) \
	F(archive_entry_mtime) \
	F(archive_entry_new) \
	F(archive_entry_pathname) \
	F(archive_entry_set_filetype) \
	F(archive_entry_set_gid) \
	F(archive_entry_set_mtime) \
	F(archive_entry_set_pathname) \
	F(archive_entry_set_perm) \
	F(archive_entry_set_size) \
	F(archive_entry_set_uid) \
	F(archive_entry_size) \
	F(archive_entry_sparse_count) \
	F(archive_errno) \
	F(archive_error_string) \
	F(archive_filter_bytes) \
	F(archive_filter_count) \
	F(archive_read_data_block) \
	F(archive_read_free) \
	F(archive_read_new) \
	F(archive_read_next_header2) \
	F(archive_read_open1) \
	F(archive_read_set_callback_data) \
	F(archive_read_set_format_option) \
	F(archive_read_set_read_callback) \
	F(archive_read_set_seek_callback) \
	F(archive_read_support_filter_bzip2) \
	F(archive_read_support_filter_compress) \
	F(archive_read_support_filter_lz4) \
	F(archive_read_support_filter_lzma) \
	F(archive_read_support_filter_xz) \
	F(archive_read_support_format_7zip) \
	F(archive_read_support_format_ar) \
	F(archive_read_support_format_cpio) \
	F(archive_read_support_format_empty) \
	F(archive_read_support_format_raw) \
	F(archive_read_support_format_tar) \
	F(archive_read_support_format_zip) \
	F(archive_set_error) \
	F(archive_write_add_filter_bzip2) \
	F(archive_write_add_filter_compress) \
	F(archive_write_add_filter_gzip) \
	F(archive_write_add_filter_lz4) \
	F(archive_write_add_filter_lzma) \
	F(archive_write_add_filter_xz) \
	F(archive_write_add_filter_zstd) \
	F(archive_write_close) \
	F(archive_write_data) \
	F(archive_write_finish_entry) \
	F(archive_write_free) \
	F(archive_write_header) \
	F(archive_write_new) \
	F(archive_write_open) \
	F(archive_write_set_bytes_in_last_block) \
	F(archive_write_set_filter_option) \
	F(archive_write_set_format_pax) \
	F(archive_write_set_format_raw)

LIBRARY_TABLE(libarchive, la, LIBARCHIVE_FUNCTIONS);

#endif
