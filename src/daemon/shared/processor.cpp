#include "daemon/shared/processor.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "hipcache/base/files.h"

namespace hipcache::daemon {
namespace {

constexpr std::uint64_t kLimit = 1u << 20;

// Whether the line is constant. The other lines of /proc/cpuinfo differ between the processors of one machine or over
// time. Only the first processor is read.
bool is_constant(std::string_view line) {
  constexpr auto kPassing =
      std::to_array<std::string_view>({"processor", "cpu MHz", "bogomips", "apicid", "initial apicid", "core id",
                                       "physical id", "siblings", "cpu cores", "BogoMIPS"});
  return std::none_of(kPassing.begin(), kPassing.end(), [&](std::string_view name) { return line.starts_with(name); });
}

void add_first_processor(Hasher& hasher) {
  const Result<std::string> text = read_file("/proc/cpuinfo", kLimit);
  if (!text) return;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line) && !line.empty();)
    if (is_constant(line)) hasher.field(line);
}

void add_caches(Hasher& hasher) {
  for (int level = 0; level < 8; ++level) {
    const std::string directory = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(level) + "/";
    for (const char* name : {"type", "size", "coherency_line_size"})
      if (const Result<std::string> value = read_file(directory + name, kLimit)) hasher.field(*value);
  }
}

Digest digest_processor() {
  Hasher hasher("hipcache processor 1");
  add_first_processor(hasher);
  add_caches(hasher);
  return hasher.finish();
}

}  // namespace

bool asks_processor(const std::vector<std::string>& arguments) {
  constexpr auto kOptions = std::to_array<std::string_view>({"-march=native", "-mcpu=native", "-mtune=native"});
  return std::any_of(arguments.begin(), arguments.end(), [&](std::string_view argument) {
    return std::any_of(kOptions.begin(), kOptions.end(),
                       [&](std::string_view option) { return argument.starts_with(option); });
  });
}

const Digest& processor() {
  static const Digest digest = digest_processor();
  return digest;
}

}  // namespace hipcache::daemon
