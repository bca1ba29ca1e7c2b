// The static RocksDB and zstd are not built for ThreadSanitizer, which therefore sees their memory accesses (through
// memcpy and write) but not the atomics that order them. Reports with a frame of theirs are left out; races of the
// store's own are not. Where the frames of RocksDB are missing from the stack (it keeps no frame pointers), a report
// ends in Database::write: RocksDB's group commit has one thread copy the batches of the others. A scan reads records
// where they lie in RocksDB's memory tables, which another thread fills: decode_use and decode_use_key read nothing
// else.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:rocksdb::\n"
         "race:ZSTD_\n"
         "race:hipcache::store::Database::write\n"
         "race:hipcache::store::decode_use\n";
}
