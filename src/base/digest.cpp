#include "hipcache/base/digest.h"

#include <llvm-c/blake3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/big_endian.h"

namespace hipcache {

namespace {

// BLAKE3 by LLVM's support library. The only place that knows whose BLAKE3 it is.
//
// LLVM's C interface, because its objects need nothing but libc: a program that digests links some 50 kB of it and
// nothing else of LLVM. Rejected: the library of the algorithm's authors (Debian 12 does not have it).

class Blake3 {
 public:
  Blake3() { llvm_blake3_hasher_init(&state_); }

  void add(std::string_view bytes) { llvm_blake3_hasher_update(&state_, bytes.data(), bytes.size()); }

  Digest finish() const {
    static_assert(Digest::kSize == LLVM_BLAKE3_OUT_LEN);
    Digest digest;
    llvm_blake3_hasher_finalize(&state_, digest.octets.data(), digest.octets.size());
    return digest;
  }

 private:
  llvm_blake3_hasher state_;
};

constexpr std::size_t kPiece = 256 * 1024;

constexpr std::string_view kDigits = "0123456789abcdef";

int hex_value(char c) {
  const std::size_t value = kDigits.find(c);
  return value == std::string_view::npos ? -1 : static_cast<int>(value);
}

}  // namespace

std::string Digest::hex() const {
  std::string out;
  out.reserve(2 * kSize);
  for (const unsigned char octet : octets) {
    out += kDigits[octet >> 4];
    out += kDigits[octet & 15];
  }
  return out;
}

std::string Digest::shown() const { return hex().substr(0, kShownDigits); }

std::uint64_t Digest::prefix() const { return load_big_endian(octets.data()); }

Result<Digest> Digest::from_bytes(std::string_view bytes) {
  if (bytes.size() != kSize) return Error{"a digest has 32 bytes, not " + std::to_string(bytes.size())};
  Digest digest;
  std::memcpy(digest.octets.data(), bytes.data(), kSize);
  return digest;
}

Result<Digest> Digest::from_hex(std::string_view text) {
  if (text.size() != 2 * kSize) return Error{"a digest has 64 hexadecimal digits, not " + std::to_string(text.size())};
  Digest digest;
  for (std::size_t i = 0; i < kSize; ++i) {
    const int upper = hex_value(text[2 * i]);
    const int lower = hex_value(text[2 * i + 1]);
    if (upper < 0 || lower < 0) return Error{"not a hexadecimal digest: " + std::string(text)};
    digest.octets[i] = static_cast<unsigned char>(upper << 4 | lower);
  }
  return digest;
}

Digest digest_of(std::string_view bytes) {
  Blake3 blake3;
  blake3.add(bytes);
  return blake3.finish();
}

Result<Digest> digest_of_file(int fd) {
  auto piece = std::make_unique<std::array<char, kPiece>>();
  Blake3 blake3;
  off_t offset = 0;
  for (;;) {
    const ssize_t got = pread(fd, piece->data(), piece->size(), offset);
    if (got < 0) {
      if (errno == EINTR) continue;
      char text[64] = {};
      return Error{std::string("cannot read the file: ") + strerror_r(errno, text, sizeof text)};
    }
    if (got == 0) return blake3.finish();
    blake3.add({piece->data(), static_cast<std::size_t>(got)});
    offset += got;
  }
}

// Fields are gathered: BLAKE3 takes small pieces at half the speed of a long one, whose parts it digests side by side.
struct Hasher::State {
  static constexpr std::size_t kGathered = std::size_t{16} << 10;

  Blake3 taken;
  std::string gathered;

  void add(std::string_view bytes) {
    gathered += bytes;
    if (gathered.size() < kGathered) return;
    taken.add(gathered);
    gathered.clear();
  }

  Digest finish() const {
    Blake3 all = taken;
    all.add(gathered);
    return all.finish();
  }
};

Hasher::Hasher(std::string_view domain) : state_(std::make_unique<State>()) { field(domain); }
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

Hasher& Hasher::field(std::string_view bytes) {
  const std::array<char, 8> length = to_big_endian(bytes.size());
  state_->add({length.data(), length.size()});
  state_->add(bytes);
  return *this;
}

Hasher& Hasher::field(std::uint64_t number) {
  const std::array<char, 8> bytes = to_big_endian(number);
  return field(std::string_view(bytes.data(), bytes.size()));
}

Hasher& Hasher::field(const Digest& digest) { return field(digest.view()); }

Digest Hasher::finish() const { return state_->finish(); }

}  // namespace hipcache
