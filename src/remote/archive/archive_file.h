// A tar file, compressed by zstd, read and written entry by entry.
//
// Problem: CI wants one file that its own tools can list (`tar tf`). Choice: POSIX's ustar with plain files alone. An
// entry is a header of one block and its bytes in blocks; hipcache's names are short, and its values below 8 GiB.
// Entries are never extracted: the caller gets names and bytes, and validates both.
// Rejected: libarchive, which reads forty formats where this is one. With it hipcache-remote would load eight further
// libraries (XML and Unicode among them) for all who have a shared cache, so it was in a program of its own. Rejected:
// a format of our own, which no other tool could read.
//
// One thread at a time. Errors are ErrorCode::damaged if the bytes are not those of an archive, and say what is wrong
// without the file's name.
#ifndef HIPCACHE_SRC_REMOTE_ARCHIVE_ARCHIVE_FILE_H
#define HIPCACHE_SRC_REMOTE_ARCHIVE_ARCHIVE_FILE_H

#include <zstd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "hipcache/base/result.h"

namespace hipcache::remote {

struct FreeZstd {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class ArchiveWriter {
 public:
  // The descriptor outlives this object.
  static Result<ArchiveWriter> open(int fd);

  // REQUIRES: a name of at most 100 bytes, and less than 8 GiB
  Status add(const std::string& name, std::string_view bytes);
  // Writes the end. Without it the file is not whole.
  Status close();

  std::uint64_t uncompressed() const { return uncompressed_; }  // bytes so far
  std::uint64_t compressed() const { return compressed_; }      // of them, those that have left the compressor

  // What an entry of that size takes at most.
  static std::uint64_t size_of_entry(std::uint64_t bytes);

 private:
  ArchiveWriter(int fd, std::unique_ptr<ZSTD_CCtx, FreeZstd> context);
  Status write(std::string_view bytes, ZSTD_EndDirective end = ZSTD_e_continue);

  int fd_;
  std::unique_ptr<ZSTD_CCtx, FreeZstd> context_;
  std::string block_;  // what leaves the compressor
  std::uint64_t uncompressed_ = 0;
  std::uint64_t compressed_ = 0;
};

class ArchiveReader {
 public:
  static Result<ArchiveReader> open(int fd);

  struct Entry {
    std::string name;
    std::uint64_t size = 0;
  };
  // The next entry, if there is one. An entry that is no plain file is damage.
  Result<std::optional<Entry>> next();
  // The bytes of that entry; an error if there are more than `limit`. Once.
  Result<std::string> bytes(std::uint64_t limit);

 private:
  ArchiveReader(int fd, std::unique_ptr<ZSTD_DCtx, FreeZstd> context);
  Result<std::string> take(std::uint64_t size);
  Status fill();

  int fd_;
  std::unique_ptr<ZSTD_DCtx, FreeZstd> context_;
  std::string block_;  // of the file
  ZSTD_inBuffer in_{};
  std::uint64_t size_ = 0;  // of the entry
  std::uint64_t left_ = 0;  // of its blocks
};

}  // namespace hipcache::remote

#endif
