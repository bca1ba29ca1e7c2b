// Digests: the XXH3-128 digest of bytes, or of a length-framed list of fields.
//
// Not cryptographic, on purpose: the cache belongs to one user, behind a 0600 socket, and hashing
// must cost less than a stat. A protocol that needs SHA-256 addresses blobs by that as well
// (docs/formats.md).
#ifndef HIPCACHE_BASE_DIGEST_H
#define HIPCACHE_BASE_DIGEST_H

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "hipcache/base/result.h"

namespace hipcache {

struct Digest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  auto operator<=>(const Digest&) const = default;

  std::string hex() const;    // 32 lower-case digits
  std::string bytes() const;  // 16 bytes, big-endian: the form on disk and in messages

  static Result<Digest> from_hex(std::string_view text);
  static Result<Digest> from_bytes(std::string_view bytes);
};

// The digest of the bytes alone.
Digest digest_of(std::string_view bytes);

// The digest of everything that can be read from the descriptor, from its start. Reads in bounded
// pieces and does not move the file offset.
Result<Digest> digest_of_file(int fd);

// The digest of a list of fields. Each field is framed with its length and the list is tagged with
// a domain. So different lists, or lists of different domains, cannot collide by concatenation. One
// thread at a time.
class Hasher {
 public:
  explicit Hasher(std::string_view domain);
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  Hasher& field(std::string_view bytes);
  Hasher& field(std::uint64_t number);
  Hasher& field(const Digest& digest);
  Digest finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hipcache

template <>
struct std::hash<hipcache::Digest> {
  std::size_t operator()(const hipcache::Digest& digest) const noexcept { return digest.low; }
};

#endif
