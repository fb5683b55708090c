"""Heap profiles of indexed files, from memprof(5) and profdata(5)."""
from common import Bytes, guid, identity, names_of, number, require
from heap import FIELDS, frame_json, info_json, read_info, stack_id
from indexed import Indexed

WORDS = {0: ['record', 'frames', 'frame_table'],
         1: ['record', 'frames', 'frame_table'],
         2: ['record', 'frames', 'frame_table', 'stacks', 'stack_table'],
         3: ['stacks', 'records', 'record'],
         4: ['stacks', 'records', 'record', 'accesses']}


class Heap:
    def __init__(self, data, at):
        self.data = data
        b = Bytes(data, at)
        self.version = b.u64()
        if self.version > 4:
            self.version, b.at = 0, at
        self.at = {word: b.u64() for word in WORDS[self.version]}
        if self.version == 4:
            b.take(8 * b.u32())
        self.schema = b.u64s(b.u64())
        require(all(0 < field < len(FIELDS) for field in self.schema),
                'schema')
        self.frames, self.stacks, self.ids = {}, {}, {}
        if self.version >= 3:
            b.end = self.at['stacks']
            while b.at < b.end:
                self.frames[len(self.frames)] = self.read_frame(b)
        else:
            for key, item in self.items(self.at['frames'],
                                        self.at['frame_table']):
                self.frames[key] = self.read_frame(item)
        if self.version == 2:
            for key, item in self.items(self.at['stacks'],
                                        self.at['stack_table'], False):
                frames = tuple(self.frames[i] for i in item.u64s(
                    (item.end - item.at) // 8))
                self.stacks[key], self.ids[frames] = frames, key
        self.functions = [(key, *self.read_record(item)) for key, item in
                          self.items(self.at.get('records', b.at),
                                     self.at['record'])]

    def items(self, payload, table, has_key_length=True):
        """The items of a hash table in the order of the file."""
        head, b = Bytes(self.data, table + 8), Bytes(self.data, payload)
        left = head.u64()
        while left > 0:
            for _ in range(b.u16()):
                hash_ = b.u64()
                if has_key_length:
                    b.u64()
                size, key = b.u64(), b.u64()
                require(hash_ == key, 'Hash of another key')
                item = Bytes(b.take(size))
                yield key, item
                require(item.at == item.end, 'an item that is not filled')
                left -= 1

    def read_frame(self, b):
        frame = b.u64(), b.u32(), b.u32(), b.u8()
        require(frame[3] <= 1, 'IsInlineFrame')
        return frame

    def read_stack(self, b):
        if self.version <= 1:
            return tuple(self.frames[i] for i in b.u64s(b.u64()))
        if self.version == 2:
            return self.stacks[b.u64()]
        radix = Bytes(self.data, self.at['stacks'] + 4 * b.u32())
        left, frames = radix.u32(), []
        while left > 0:
            element = radix.u32()
            if element >= 1 << 31:
                radix.at += 4 * ((1 << 32) - element) - 4
                continue
            require(element in self.frames, 'a frame that is not there')
            frames.append(self.frames[element])
            left -= 1
        return tuple(frames)

    def id_of(self, frames):
        """That of the file in version 2, else as LLVM 20 makes it."""
        return self.ids.get(frames) or stack_id(frames)

    def read_record(self, b):
        allocs = [(self.read_stack(b), read_info(b, self.schema))
                  for _ in range(b.u64())]
        calls = [(self.read_stack(b), b.u64s(b.u64()) if self.version == 4
                  else []) for _ in range(b.u64())]
        return allocs, calls

    def accesses(self):
        if not self.at.get('accesses'):
            return
        b = Bytes(self.data, self.at['accesses'])
        count, cold, size = b.u64(), b.u64(), b.u64()
        names = names_of(b.take(size))
        require(len(names) == count + cold, 'numbers of strings')
        b.take(-(24 + size) % 8)
        hashes = b.u64s(b.u64())
        for _ in range(b.u64()):
            symbol, literal, accesses = b.u64(), b.u8(), b.u64()
            places = [(b.u64(), b.u32()) for _ in range(b.u64())]
            row = {'record': 'data_access'}
            row.update({'hash': identity(symbol)} if literal else
                       {'symbol': names[symbol].decode()})
            row['count'] = number(accesses)
            if places:
                row['locations'] = [{'file': names[file].decode(),
                                     'line': line} for file, line in places]
            yield row
        for name in names[count:count + cold]:
            yield {'record': 'cold_symbol', 'symbol': name.decode()}
        for code in hashes:
            yield {'record': 'cold_symbol', 'hash': identity(code)}


def is_of_first_version(functions):
    """Raw version 1 wrote minima in the place of maxima."""
    infos = [info for _, allocs, _ in functions for _, info in allocs]
    return all(i['MaxAccessCount'] == i['MinAccessCount'] and
               i['MaxSize'] == i['MinSize'] for i in infos)


def stacks_of(functions):
    """Each call stack once, in the order in which functions name them."""
    return dict.fromkeys(stack for _, allocs, calls in functions
                         for stack, _ in allocs + calls)


def read(data, source):
    file = Indexed(data)
    heap = Heap(data, file.offset['memprof'])
    names = {guid(name): name.decode() for name in file.name_of.values()}
    left_out = ('MaxAccessCount', 'MaxSize') if heap.schema == list(
        range(1, 20)) and is_of_first_version(heap.functions) else ()
    yield {'record': 'profile', 'stream': 1, 'kind': 'memprof', 'source': {
        **source, 'format': 'indexed', 'version': file.version,
        'endian': 'little'}}
    for stack in stacks_of(heap.functions):
        yield {'record': 'stack', 'id': identity(heap.id_of(stack)), 'frames': [
            frame_json(f, names.get(f[0])) for f in stack]}
    for function, allocs, calls in heap.functions:
        row = {'record': 'memprof_function', 'guid': identity(function)}
        if function in names:
            row['name'] = names[function]
        row['alloc_sites'] = [
            {'stack': identity(heap.id_of(stack)),
             'info': info_json(info, left_out)} for stack, info in allocs]
        row['call_sites'] = [
            {'stack': identity(heap.id_of(stack)),
             **({'callee_guids': [identity(g) for g in guids]}
                if guids else {})} for stack, guids in calls]
        yield row
    yield from heap.accesses()
    yield {'record': 'end', 'last': True}
