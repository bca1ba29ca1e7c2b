// Digests: BLAKE3 of bytes, or of a length-framed list of fields, in 256 bits.
//
// One cryptographic digest for all that results are found by and proved with: keys, path sets,
// states, contents of files, blobs. Results are shared between machines and users, so nobody may be
// able to make two contents of one digest. What only guards bytes on this machine against damage is
// a checksum (base/checksum.h).
//
// Chosen: BLAKE3 as LLVM's support library has it, which the daemon links anyway. It is the fastest
// of the well-studied ones without special instructions: docs/dependencies.md has the figures.
// Rejected: SHA-256 (half as fast, even with SHA instructions; protocols that want it address blobs
// by that as well). Rejected: XXH3 for what stays on the machine and BLAKE3 for the rest: a
// result would be found by one and proved by the other, and each place would have to choose
// rightly. Rejected: 160 bits. They would save some bytes in tables and make each size a question.
#ifndef HIPCACHE_BASE_DIGEST_H
#define HIPCACHE_BASE_DIGEST_H

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "hipcache/base/result.h"

namespace hipcache {

struct Digest {
  static constexpr std::size_t kSize = 32;         // bytes
  static constexpr std::size_t kShownDigits = 16;  // enough for a reader to tell two digests apart

  std::array<unsigned char, kSize> octets{};

  auto operator<=>(const Digest&) const = default;

  std::string hex() const;    // 64 lower-case digits
  std::string shown() const;  // the first kShownDigits of them, for people
  // The form on disk and in messages. The view is good as long as the digest is.
  std::string bytes() const { return std::string(view()); }
  std::string_view view() const { return {reinterpret_cast<const char*>(octets.data()), octets.size()}; }
  // The first 8 bytes as a big-endian number: for hash tables, and for what needs no more.
  std::uint64_t prefix() const;

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
  std::size_t operator()(const hipcache::Digest& digest) const noexcept { return digest.prefix(); }
};

#endif
