// What zstd's levels make of the bytes of compiles, and what their compression costs, for tools/bench. One line a
// level: level, bytes given, bytes packed, microseconds packing, microseconds unpacking; level 0 is what the store
// does.
//
// usage: compression FILE...
#include <zstd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "hipcache/base/files.h"
#include "store/blob_value.h"

namespace {

constexpr std::uint64_t kLongestFile = std::uint64_t{256} << 20;
constexpr std::array kLevels = {1, 3, 6, 9, 12, 15, 19};
constexpr int kRepeats = 5;  // the fastest counts: the others met somebody else's work

const hipcache::Digest kName = hipcache::digest_of("a blob");

struct Cost {
  std::size_t packed = 0;
  std::int64_t packing_us = 0;
  std::int64_t unpacking_us = 0;
};

template <typename Work>
std::int64_t microseconds(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count();
}

template <typename Pack, typename Unpack>
Cost cost_of(const std::vector<std::string>& files, Pack pack, Unpack unpack) {
  Cost best;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    std::vector<std::string> packed;
    Cost cost;
    cost.packing_us = microseconds([&] {
      for (const std::string& file : files) packed.push_back(pack(file));
    });
    cost.unpacking_us = microseconds([&] {
      for (std::size_t i = 0; i < files.size(); ++i) unpack(packed[i], files[i].size());
    });
    for (const std::string& value : packed) cost.packed += value.size();
    if (repeat == 0) best = cost;
    best.packing_us = std::min(best.packing_us, cost.packing_us);
    best.unpacking_us = std::min(best.unpacking_us, cost.unpacking_us);
  }
  return best;
}

Cost cost_of_level(const std::vector<std::string>& files, int level) {
  const auto pack = [level](const std::string& bytes) {
    std::string frame(ZSTD_compressBound(bytes.size()), '\0');
    const std::size_t size = ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), level);
    frame.resize(ZSTD_isError(size) != 0 ? 0 : size);
    return frame;
  };
  const auto unpack = [](const std::string& frame, std::size_t size) {
    std::string bytes(size, '\0');
    if (ZSTD_isError(ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size())) != 0) bytes.clear();
    return bytes;
  };
  return cost_of(files, pack, unpack);
}

Cost cost_of_store(const std::vector<std::string>& files) {
  const auto unpack = [](const std::string& value, std::size_t) {
    const auto parsed = hipcache::store::parse_value(kName, value);
    return parsed ? hipcache::store::unpack(*parsed, {}) : std::nullopt;
  };
  const auto pack = [](const std::string& bytes) { return hipcache::store::pack(kName, bytes); };
  return cost_of(files, pack, unpack);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files;
  std::size_t given = 0;
  for (int i = 1; i < argc; ++i) {
    auto bytes = hipcache::read_file(argv[i], kLongestFile);
    if (!bytes) {
      std::fprintf(stderr, "compression: %s\n", bytes.error().message.c_str());
      return 1;
    }
    given += bytes->size();
    files.push_back(std::move(*bytes));
  }
  const auto print = [&](int level, const Cost& cost) {
    std::printf("%d\t%zu\t%zu\t%lld\t%lld\n", level, given, cost.packed, static_cast<long long>(cost.packing_us),
                static_cast<long long>(cost.unpacking_us));
  };
  for (const int level : kLevels) print(level, cost_of_level(files, level));
  print(0, cost_of_store(files));
  return 0;
}
