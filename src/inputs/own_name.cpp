#include "hipcache/inputs/own_name.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "hipcache/base/files.h"

namespace hipcache::inputs {
namespace {

// Larger ones are data, or libraries; they are taken to ask.
constexpr std::uint64_t kLargestSource = 16u << 20;

// __FILE_NAME__ is the last part alone, which is no matter of directories.
constexpr std::array<std::string_view, 4> kAsking = {"__FILE__", "__BASE_FILE__", "__builtin_FILE", "source_location"};

// A program or a library: no compiler takes it for a source, though a compiler's own holds these words.
bool is_elf(const std::string& path) {
  constexpr std::string_view kElf =
      "\x7f"
      "ELF";
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, kElf.size()> begin = {};
  return file && ::read(file.get(), begin.data(), begin.size()) == static_cast<ssize_t>(begin.size()) &&
         std::string_view(begin.data(), begin.size()) == kElf;
}

bool may_ask(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || is_elf(path)) return false;
  const Result<std::string> bytes = read_file(path, kLargestSource);
  return !bytes || asks_its_own_name(*bytes);
}

}  // namespace

bool asks_its_own_name(std::string_view source) {
  return std::any_of(kAsking.begin(), kAsking.end(),
                     [&](std::string_view word) { return source.find(word) != std::string_view::npos; });
}

std::string first_asking_its_own_name(const std::vector<Observation>& observations, const BaseDirectory& base) {
  for (const Observation& observation : observations) {
    if (observation.question != Question::content) continue;
    std::string path = base.local_path(observation.name);
    if (is_within(path, base.path()) && may_ask(path)) return path;
  }
  return "";
}

}  // namespace hipcache::inputs
