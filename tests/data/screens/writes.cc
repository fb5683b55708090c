// writes FOLDER N: writes N values into a database, and reads some of them.
#include <cstdio>
#include <cstdlib>
#include <string>
#include "leveldb/db.h"

int main(int, char **argv) {
  leveldb::DB *db;
  leveldb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 65536;
  if (!leveldb::DB::Open(options, argv[1], &db).ok())
    return 1;
  for (int i = 0; i < atoi(argv[2]); i++)
    db->Put(leveldb::WriteOptions(), "key" + std::to_string(i * 7919 % 10007),
            std::string(i % 100, 'v'));
  std::string value;
  int n = 0;
  for (int i = 0; i < 3000; i++)
    n += db->Get(leveldb::ReadOptions(), "key" + std::to_string(i), &value).ok();
  leveldb::Iterator *it = db->NewIterator(leveldb::ReadOptions());
  for (it->SeekToFirst(); it->Valid(); it->Next())
    n++;
  delete it;
  delete db;
  printf("%d\n", n);
}
