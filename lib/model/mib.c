#include "model/mib.h"

const struct mib_field mib_fields[PROF_MIB_FIELDS] = {
	[PROF_MIB_ALLOC_COUNT] =
	    { "AllocCount", "alloc_count", 1, MIB_ADD },
	[PROF_MIB_TOTAL_ACCESS_COUNT] =
	    { "TotalAccessCount", "total_access_count", 1, MIB_ADD },
	[PROF_MIB_MIN_ACCESS_COUNT] =
	    { "MinAccessCount", "min_access_count", 1, MIB_MIN },
	[PROF_MIB_MAX_ACCESS_COUNT] =
	    { "MaxAccessCount", "max_access_count", 1, MIB_MAX },
	[PROF_MIB_TOTAL_SIZE] =
	    { "TotalSize", "total_size", 1, MIB_ADD },
	[PROF_MIB_MIN_SIZE] =
	    { "MinSize", "min_size", 1, MIB_MIN },
	[PROF_MIB_MAX_SIZE] =
	    { "MaxSize", "max_size", 1, MIB_MAX },
	[PROF_MIB_ALLOC_TIMESTAMP] =
	    { "AllocTimestamp", "alloc_timestamp", 1, MIB_OWN },
	[PROF_MIB_DEALLOC_TIMESTAMP] =
	    { "DeallocTimestamp", "dealloc_timestamp", 1, MIB_OWN },
	[PROF_MIB_TOTAL_LIFETIME] =
	    { "TotalLifetime", "total_lifetime", 1, MIB_ADD },
	[PROF_MIB_MIN_LIFETIME] =
	    { "MinLifetime", "min_lifetime", 1, MIB_MIN },
	[PROF_MIB_MAX_LIFETIME] =
	    { "MaxLifetime", "max_lifetime", 1, MIB_MAX },
	[PROF_MIB_ALLOC_CPU_ID] =
	    { "AllocCpuId", "alloc_cpu_id", 1, MIB_OWN },
	[PROF_MIB_DEALLOC_CPU_ID] =
	    { "DeallocCpuId", "dealloc_cpu_id", 1, MIB_OWN },
	[PROF_MIB_NUM_MIGRATED_CPU] =
	    { "NumMigratedCpu", "num_migrated_cpu", 1, MIB_OWN },
	[PROF_MIB_NUM_LIFETIME_OVERLAPS] =
	    { "NumLifetimeOverlaps", "num_lifetime_overlaps", 1, MIB_OWN },
	[PROF_MIB_NUM_SAME_ALLOC_CPU] =
	    { "NumSameAllocCpu", "num_same_alloc_cpu", 1, MIB_OWN },
	[PROF_MIB_NUM_SAME_DEALLOC_CPU] =
	    { "NumSameDeallocCpu", "num_same_dealloc_cpu", 1, MIB_OWN },
	[PROF_MIB_DATA_TYPE_ID] =
	    { "DataTypeId", "data_type_id", 1, MIB_OWN },
	[PROF_MIB_TOTAL_ACCESS_DENSITY] =
	    { "TotalAccessDensity", "total_access_density", 2, MIB_ADD },
	[PROF_MIB_MIN_ACCESS_DENSITY] =
	    { "MinAccessDensity", "min_access_density", 2, MIB_MIN },
	[PROF_MIB_MAX_ACCESS_DENSITY] =
	    { "MaxAccessDensity", "max_access_density", 2, MIB_MAX },
	[PROF_MIB_TOTAL_LIFETIME_ACCESS_DENSITY] =
	    { "TotalLifetimeAccessDensity", "total_lifetime_access_density",
	    2, MIB_ADD },
	[PROF_MIB_MIN_LIFETIME_ACCESS_DENSITY] =
	    { "MinLifetimeAccessDensity", "min_lifetime_access_density",
	    2, MIB_MIN },
	[PROF_MIB_MAX_LIFETIME_ACCESS_DENSITY] =
	    { "MaxLifetimeAccessDensity", "max_lifetime_access_density",
	    2, MIB_MAX },
	[PROF_MIB_ACCESS_HISTOGRAM_SIZE] =
	    { "AccessHistogramSize", "access_histogram_size", 4, MIB_MAX },
	[PROF_MIB_ACCESS_HISTOGRAM] =
	    { "AccessHistogram", "access_histogram", 4, MIB_OWN },
};
