// The static RocksDB and zstd are not built for ThreadSanitizer, which therefore sees its memory accesses (through
// memcpy and write) but not the atomics that order them. Reports with a frame of theirs are left out; races of the
// store's own are not.
#if defined(__SANITIZE_THREAD__)
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() { return "race:rocksdb::\nrace:ZSTD_\n"; }
#endif
