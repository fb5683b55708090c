/*
 * format/stream/records.h - the tables of all records, and their value sites
 *
 * heap_records.c, function_records.c and profile_record.c have the tables;
 * records.c finds the one of a record and has those without members.
 */
#ifndef FORMAT_STREAM_RECORDS_H
#define FORMAT_STREAM_RECORDS_H

#include "format/stream/member.h"

extern const struct stream_object stream_profile;
extern const struct stream_object stream_binary, stream_vtable;
extern const struct stream_object stream_function, stream_raw_counters;
extern const struct stream_object stream_trace;
extern const struct stream_object stream_segment, stream_stack;
extern const struct stream_object stream_allocation;
extern const struct stream_object stream_memprof_function;
extern const struct stream_object stream_data_access, stream_cold_symbol;

#endif
