#include "hipcache/base/digest.h"

#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <new>

namespace hipcache {
namespace {

constexpr std::size_t kPiece = 256 * 1024;

Digest from_xxh(const XXH128_hash_t& hash) { return Digest{hash.high64, hash.low64}; }

void store_big_endian(std::uint64_t value, char* out) {
  for (int i = 7; i >= 0; --i) {
    out[i] = static_cast<char>(value & 0xff);
    value >>= 8;
  }
}

std::uint64_t load_big_endian(const char* in) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | static_cast<unsigned char>(in[i]);
  return value;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string Digest::bytes() const {
  std::string out(16, '\0');
  store_big_endian(high, out.data());
  store_big_endian(low, out.data() + 8);
  return out;
}

std::string Digest::hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(32);
  for (unsigned char c : bytes()) {
    out += kDigits[c >> 4];
    out += kDigits[c & 15];
  }
  return out;
}

Result<Digest> Digest::from_bytes(std::string_view bytes) {
  if (bytes.size() != 16) return Error{"a digest has 16 bytes, not " + std::to_string(bytes.size())};
  return Digest{load_big_endian(bytes.data()), load_big_endian(bytes.data() + 8)};
}

Result<Digest> Digest::from_hex(std::string_view text) {
  if (text.size() != 32) return Error{"a digest has 32 hexadecimal digits, not " + std::to_string(text.size())};
  std::string bytes(16, '\0');
  for (std::size_t i = 0; i < 16; ++i) {
    const int upper = hex_value(text[2 * i]);
    const int lower = hex_value(text[2 * i + 1]);
    if (upper < 0 || lower < 0) return Error{"not a hexadecimal digest: " + std::string(text)};
    bytes[i] = static_cast<char>(upper << 4 | lower);
  }
  return from_bytes(bytes);
}

Digest digest_of(std::string_view bytes) { return from_xxh(XXH3_128bits(bytes.data(), bytes.size())); }

namespace {

struct XxhState {
  XXH3_state_t* xxh = XXH3_createState();
  XxhState() {
    if (xxh == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(xxh);
  }
  ~XxhState() { XXH3_freeState(xxh); }
  XxhState(const XxhState&) = delete;
  XxhState& operator=(const XxhState&) = delete;

  void add(const void* data, std::size_t size) { XXH3_128bits_update(xxh, data, size); }
  Digest finish() const { return from_xxh(XXH3_128bits_digest(xxh)); }
};

}  // namespace

struct Hasher::State : XxhState {};

Result<Digest> digest_of_file(int fd) {
  auto piece = std::make_unique<std::array<char, kPiece>>();
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
  if (state == nullptr) return Error{"out of memory"};
  XXH3_128bits_reset(state.get());
  off_t offset = 0;
  for (;;) {
    const ssize_t got = pread(fd, piece->data(), piece->size(), offset);
    if (got < 0) {
      if (errno == EINTR) continue;
      char text[64] = {};
      return Error{std::string("cannot read the file: ") + strerror_r(errno, text, sizeof text)};
    }
    if (got == 0) return from_xxh(XXH3_128bits_digest(state.get()));
    XXH3_128bits_update(state.get(), piece->data(), static_cast<std::size_t>(got));
    offset += got;
  }
}

Hasher::Hasher(std::string_view domain) : state_(std::make_unique<State>()) { field(domain); }
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

Hasher& Hasher::field(std::string_view bytes) {
  char length[8];
  store_big_endian(bytes.size(), length);
  state_->add(length, sizeof length);
  state_->add(bytes.data(), bytes.size());
  return *this;
}

Hasher& Hasher::field(std::uint64_t number) {
  char bytes[8];
  store_big_endian(number, bytes);
  return field(std::string_view(bytes, sizeof bytes));
}

Hasher& Hasher::field(const Digest& digest) { return field(std::string_view(digest.bytes())); }

Digest Hasher::finish() const { return state_->finish(); }

}  // namespace hipcache
