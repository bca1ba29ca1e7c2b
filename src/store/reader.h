// A store that another process owns, as it was at one moment: RocksDB opened for reading alone, which needs no lock and
// writes nothing, so a read-only mount will do.
//
// The owner may write, evict, compact, clear or delete meanwhile: what is written later is not seen until the store is
// opened anew (is_current() says when), and a value whose file is gone is a miss. Bytes are checked as the owner checks
// them, so a damaged value is a miss, too.
// Rejected: RocksDB's secondary instances, which follow their owner. Those of RocksDB 7.8 keep a reference to a string
// that is gone, and crash when a value is in a blob file.
// Thread-safe. No exception leaves.
#ifndef HIPCACHE_STORE_READER_H
#define HIPCACHE_STORE_READER_H

#include <memory>
#include <optional>
#include <string>

#include "hipcache/base/digest.h"
#include "hipcache/base/result.h"

namespace hipcache::store {

class Reader {
 public:
  // `directory` is that of the stores of all versions. An error if there is none of this version, or none that can be
  // read.
  static Result<std::unique_ptr<Reader>> open(const std::string& directory);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // The value, or nothing if it is not there or not whole.
  std::optional<std::string> action(const Digest& key);
  std::optional<std::string> blob(const Digest& digest) { return blob(digest, 0); }

  // Whether the files are those that were opened: the owner has written nothing since.
  bool is_current() const;

 private:
  struct Impl;
  explicit Reader(std::unique_ptr<Impl> impl);

  std::optional<std::string> blob(const Digest& digest, unsigned depth);

  std::unique_ptr<Impl> impl_;
};

}  // namespace hipcache::store

#endif
