// Fills a store with actions that nobody asks for, as years of compiles would: what look-ups cost then is for
// tools/bench to measure.
//
// usage: fill_store DIRECTORY COUNT
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "hipcache/store/local_store.h"

namespace {

constexpr std::size_t kActionSize = 300;       // about what a compile's result takes
constexpr std::uint64_t kActionsPerBlob = 10;  // a blob in ten: the time is in the number of entries, not their bytes
constexpr std::size_t kBlobSize = 600;

std::string bytes_of(std::uint64_t number, std::size_t size) {
  const std::string digest = hipcache::digest_of(std::to_string(number)).hex();
  std::string bytes;
  while (bytes.size() < size) bytes += digest;
  bytes.resize(size);
  return bytes;
}

hipcache::Status fill(hipcache::store::LocalStore& store, std::uint64_t count) {
  for (std::uint64_t number = 0; number < count; ++number) {
    const std::string value = bytes_of(number, kActionSize);
    if (hipcache::Status put = store.put_action(hipcache::digest_of(value), value); !put) return put;
    if (number % kActionsPerBlob != 0) continue;
    if (auto put = store.put_blob(bytes_of(number, kBlobSize)); !put) return put.error();
  }
  return hipcache::done();
}

int fail(const std::string& why) {
  std::fprintf(stderr, "fill_store: %s\n", why.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return fail("usage: fill_store DIRECTORY COUNT");
  const std::string_view text = argv[2];
  std::uint64_t count = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), count).ec != std::errc()) return fail("no number");
  hipcache::Log log("stderr");
  auto store = hipcache::store::open_store({.directory = argv[1]}, log);
  if (!store) return fail(store.error().message);
  if (hipcache::Status filled = fill(**store, count); !filled) return fail(filled.error().message);
  return 0;
}
