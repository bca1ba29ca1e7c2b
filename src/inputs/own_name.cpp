#include "inputs/own_name.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "hipcache/base/files.h"

namespace hipcache::inputs {
namespace {

// Larger ones are data, or libraries; they are taken to ask.
constexpr std::uint64_t kLargestSource = 16u << 20;

// __FILE_NAME__ is the last part alone, which is no matter of directories.
constexpr std::array<std::string_view, 4> kAsking = {"__FILE__", "__BASE_FILE__", "__builtin_FILE", "source_location"};

bool may_ask(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const Result<std::string> bytes = read_file(path, kLargestSource);
  return !bytes || asks_its_own_name(*bytes);
}

}  // namespace

bool asks_its_own_name(std::string_view source) {
  return std::any_of(kAsking.begin(), kAsking.end(),
                     [&](std::string_view word) { return source.find(word) != std::string_view::npos; });
}

bool any_asks_its_own_name(const std::vector<Observation>& observations, const BaseDirectory& base) {
  return std::any_of(observations.begin(), observations.end(), [&](const Observation& observation) {
    return observation.question == Question::content && is_within(observation.name, base.path()) &&
           may_ask(observation.name);
  });
}

}  // namespace hipcache::inputs
