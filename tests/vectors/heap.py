"""What the forms of heap profiles share, from memprof(5): fields, ids, frames."""
import re
import struct

from blake3 import blake3_u64
from common import identity, number

# The table "Memory info block": name, bytes, the first raw version with it.
FIELDS = [None] + [(name, int(bits) // 8, int(since)) for name, bits, since in (
    row.split() for row in '''AllocCount 32 1
TotalAccessCount 64 1
MinAccessCount 64 1
MaxAccessCount 64 1
TotalSize 64 1
MinSize 32 1
MaxSize 32 1
AllocTimestamp 32 1
DeallocTimestamp 32 1
TotalLifetime 64 1
MinLifetime 32 1
MaxLifetime 32 1
AllocCpuId 32 1
DeallocCpuId 32 1
NumMigratedCpu 32 1
NumLifetimeOverlaps 32 1
NumSameAllocCpu 32 1
NumSameDeallocCpu 32 1
DataTypeId 64 1
TotalAccessDensity 64 2
MinAccessDensity 32 2
MaxAccessDensity 32 2
TotalLifetimeAccessDensity 64 2
MinLifetimeAccessDensity 32 2
MaxLifetimeAccessDensity 32 2
AccessHistogramSize 32 4
AccessHistogram 64 4'''.splitlines())]


def key_of(field):
    return re.sub('(?<!^)([A-Z])', r'_\1', field).lower()


def read_info(b, fields):
    """A memory info block of these fields, {name: value}."""
    return {FIELDS[f][0]: b.u32() if FIELDS[f][1] == 4 else b.u64()
            for f in fields}


def info_json(info, left_out=()):
    """AccessHistogram is of no use in any form."""
    return {key_of(name): number(value) for name, value in info.items()
            if name != 'AccessHistogram' and name not in left_out}


# A frame is (guid, line offset, column, inline).
def frame_id(frame):
    return blake3_u64(struct.pack('<QIIB', *frame))


def stack_id(frames):
    return blake3_u64(b''.join(struct.pack('<Q', frame_id(f))
                               for f in frames))


def frame_json(frame, function=None):
    guid, offset, column, inline = frame
    row = {'guid': identity(guid), 'line_offset': offset, 'column': column}
    if function is not None:
        row['function'] = function
    if inline:
        row['inline'] = True
    return row
