"""Streams in any form that prof-stream(5) allows, as the form that is written."""
import json
import re

from common import Bad, number

FLAGS = {'context_sensitive', 'entry_first', 'loop_entries', 'byte_coverage',
         'function_entry_only', 'temporal', 'debug_info_correlated',
         'binary_correlated', 'salvaged', 'inline', 'last', 'file_addresses'}
TEXTS = {'name', 'target', 'function', 'file', 'member', 'symbol', 'reason',
         'format', 'endian', 'kind', 'level', 'record'}


def unique(pairs):
    row = dict(pairs)
    if len(row) != len(pairs):
        raise Bad('a key stands twice')
    return row


def written(key, value):
    """A value under a key in the form of the writer."""
    if isinstance(value, dict):
        return {k: written(k, v) for k, v in value.items()
                if not (k in FLAGS and v is False)}
    if isinstance(value, list):
        return [written(key, element) for element in value]
    if key in TEXTS or isinstance(value, bool):
        return value
    if isinstance(value, int) or (isinstance(value, str) and
                                  re.fullmatch('0|[1-9][0-9]*', value)):
        return number(int(value))
    return value


def read(data, source):
    try:
        lines = [json.loads(line, object_pairs_hook=unique)
                 for line in data.decode().splitlines() if line.strip()]
    except ValueError as error:
        raise Bad('a line') from error
    if not lines or lines[-1].get('record') != 'end' or \
            lines[-1].get('last') is not True:
        raise Bad('the stream is cut')
    inside = False
    for line in lines:
        kind = line['record']
        if kind == 'abort' or inside == (kind == 'profile'):
            raise Bad('order of records')
        inside = kind != 'end'
        row = written(None, line)
        if kind == 'profile':
            row['source'] = {**row.get('source', {}), **source}
        yield row
