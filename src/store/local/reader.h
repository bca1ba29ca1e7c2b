// A store that another process owns, as it was at one moment. RocksDB opens it for reading alone, which needs no lock
// and writes nothing, so a read-only mount is enough.
//
// The owner may write, evict, compact, clear or delete meanwhile. Later writes are seen only after the store is opened
// again (is_current() says when), and a value whose file is gone is a miss. Bytes are checked as the owner checks them,
// so a damaged value is a miss, too. A question is never an error.
//
// Rejected: RocksDB's secondary instances, which follow their owner. In RocksDB 7.8 they keep a reference to a
// destroyed string, and crash if a value is in a blob file.
//
// Thread-safe. Throws nothing.
#ifndef HIPCACHE_SRC_STORE_LOCAL_READER_H
#define HIPCACHE_SRC_STORE_LOCAL_READER_H

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/result.h"
#include "hipcache/store/store.h"

namespace hipcache::store {

class Reader : public ReadableStore {
 public:
  // `directory` holds the stores of all versions. An error if it holds none of this version, or that one cannot be
  // read.
  static Result<std::unique_ptr<Reader>> open(const std::string& directory);
  ~Reader() override;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Result<std::optional<std::string>> action(const Digest& key) override;
  Result<std::vector<PathSetReference>> path_sets(const Digest& key) override;
  Result<std::optional<std::string>> blob(const Digest& digest) override { return blob(digest, 0); }
  // Looks up the use records alone, and counts as no use: nothing is written here.
  Result<std::vector<Digest>> missing_blobs(std::span<const Digest> digests) override;

  // Whether the owner has written nothing since the store was opened.
  bool is_current() const;

 private:
  struct Impl;
  explicit Reader(std::unique_ptr<Impl> impl);

  std::optional<std::string> blob(const Digest& digest, unsigned depth);

  std::unique_ptr<Impl> impl_;
};

}  // namespace hipcache::store

#endif
