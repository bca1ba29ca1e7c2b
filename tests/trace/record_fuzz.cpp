// Damaged traces: whatever comes, reading ends with a trace or an error, and a trace holds no more than its bytes.
#include <gtest/gtest.h>

#include <random>

#include "hipcache/trace/record.h"

namespace hipcache::trace {
namespace {

constexpr int kInputs = 20000;
constexpr unsigned kSeed = 19;

using Random = std::mt19937;
std::size_t below(std::size_t limit, Random& random) {
  return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

std::string record(Random& random) {
  const std::size_t length = below(40, random);
  std::string bytes{static_cast<char>(1 + below(14, random)),
                    static_cast<char>(below(2, random)),
                    0,
                    0,
                    static_cast<char>(length),
                    0,
                    0,
                    0};
  for (unsigned byte = 0; byte < 8; ++byte) bytes += static_cast<char>(below(256, random));
  for (std::size_t i = 0; i < length; ++i) bytes += static_cast<char>('a' + below(26, random));
  return bytes;
}

std::string sound_trace(Random& random) {
  std::string bytes;
  for (std::size_t count = 1 + below(12, random); count > 0; --count) bytes += record(random);
  return bytes;
}

void damage(std::string& bytes, Random& random) {
  for (std::size_t times = 1 + below(4, random); times > 0 && !bytes.empty(); --times) {
    const std::size_t at = below(bytes.size(), random);
    switch (below(4, random)) {
      case 0:
        bytes[at] = static_cast<char>(below(256, random));
        break;
      case 1:
        bytes.resize(at);
        break;
      case 2:
        bytes.insert(at, 1 + below(9, random), static_cast<char>(below(256, random)));
        break;
      default:
        bytes.erase(at, 1 + below(9, random));
    }
  }
}

// The entry for a fuzzer. The count of what was read tells a caller whether the input was taken for a trace.
std::size_t fuzz(const std::string& bytes) {
  // A copy without spare room: a read past the end is one past an allocation.
  const std::vector<char> exact(bytes.begin(), bytes.end());
  const Result<Trace> trace = read_trace(std::string_view(exact.data(), exact.size()));
  if (!trace) {
    EXPECT_FALSE(trace.error().message.empty());
    return 0;
  }
  std::size_t text = 0;
  for (const Record& one : trace->records) text += one.text.size();
  EXPECT_LE(text + 16 * (trace->records.size() + trace->ends), bytes.size());
  EXPECT_LE(trace->programs.size() + trace->ends, bytes.size() / 16);
  return 1;
}

TEST(RecordFuzz, SoundTracesAreReadAndDamagedOnesNeverHarm) {
  Random random(kSeed);
  std::size_t sound = 0;
  std::size_t survived = 0;
  for (int i = 0; i < kInputs; ++i) {
    std::string bytes = sound_trace(random);
    sound += fuzz(bytes);
    damage(bytes, random);
    survived += fuzz(bytes);
  }
  EXPECT_EQ(sound, std::size_t{kInputs});
  EXPECT_GT(survived, 0U);
  EXPECT_LT(survived, std::size_t{kInputs});
}

}  // namespace
}  // namespace hipcache::trace
