// A tar file, compressed by zstd, read and written entry by entry with libarchive.
//
// Problem: CI wants one file that its own tools can list (`tar tf`). Choice: libarchive, which knows how formats are
// damaged in practice. Entries are never extracted: the caller gets names and bytes, and validates both.
// Rejected: a format of our own, which no other tool could read.
//
// One thread at a time. Errors are ErrorCode::damaged if the bytes are not those of an archive, and say what is wrong
// without the file's name.
#ifndef HIPCACHE_SRC_REMOTE_ARCHIVE_ARCHIVE_FILE_H
#define HIPCACHE_SRC_REMOTE_ARCHIVE_ARCHIVE_FILE_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "hipcache/base/result.h"

struct archive;

namespace hipcache::remote {

struct FreeArchive {
  void operator()(archive* opened) const;
};

class ArchiveWriter {
 public:
  // The descriptor outlives this object.
  static Result<ArchiveWriter> open(int fd);

  Status add(const std::string& name, std::string_view bytes);
  // Writes the end. Without it the file is not whole.
  Status close();

  std::uint64_t uncompressed() const;  // bytes so far
  std::uint64_t compressed() const;    // of them, those that have left the compressor

  // What an entry of that size takes at most.
  static std::uint64_t size_of_entry(std::uint64_t bytes);

 private:
  explicit ArchiveWriter(archive* opened) : archive_(opened) {}

  std::unique_ptr<archive, FreeArchive> archive_;
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
  // The bytes of that entry; an error if there are more than `limit`.
  Result<std::string> bytes(std::uint64_t limit);

 private:
  explicit ArchiveReader(archive* opened) : archive_(opened) {}

  std::unique_ptr<archive, FreeArchive> archive_;
  std::uint64_t size_ = 0;
};

}  // namespace hipcache::remote

#endif
