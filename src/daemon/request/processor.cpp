#include "daemon/request/processor.h"

#include <algorithm>
#include <array>
#include <set>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"

namespace hipcache::daemon {
namespace {

// /proc/cpuinfo takes two KiB for each processor.
constexpr std::uint64_t kLimit = 16u << 20;

// Compilers take these from CPUID. The name of the model is among them for virtual machines, whose model number may be
// that of another processor. gcc passes on the cache sizes as --param. The rest (microcode, bugs, power management,
// cpuid level, vmx flags) changes with a new kernel or BIOS, and no code depends on it.
constexpr auto kOfX86 = std::to_array<std::string_view>(
    {"vendor_id", "cpu family", "model", "model name", "stepping", "cache size", "flags"});
constexpr auto kOfArm = std::to_array<std::string_view>(
    {"CPU implementer", "CPU architecture", "CPU variant", "CPU part", "CPU revision", "Features"});
// These differ between the processors of one machine, or over time. For all other kernels, whose fields are not known.
constexpr auto kPassing =
    std::to_array<std::string_view>({"processor", "cpu MHz", "bogomips", "apicid", "initial apicid", "core id",
                                     "physical id", "siblings", "cpu cores", "BogoMIPS"});

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view field_of(std::string_view line) {
  const std::string_view name = line.substr(0, line.find(':'));
  return name.substr(0, name.find_last_not_of(" \t") + 1);
}

// Of all processors, since compilers look at each of a machine that has two kinds. Equal processors add nothing.
template <typename Fields>
std::vector<std::string_view> lines_with(const Fields& fields, const std::vector<std::string_view>& lines) {
  std::vector<std::string_view> result;
  std::set<std::string_view> seen;
  for (const std::string_view line : lines)
    if (holds(fields, field_of(line)) && seen.insert(line).second) result.push_back(line);
  return result;
}

std::vector<std::string_view> constant_lines_of_first(const std::vector<std::string_view>& lines) {
  std::vector<std::string_view> result;
  for (auto line = lines.begin(); line != lines.end() && !line->empty(); ++line)
    if (!holds_prefix_of(kPassing, *line)) result.push_back(*line);
  return result;
}

void add_kernels_text(Hasher& hasher) {
  const Result<std::string> text = read_file("/proc/cpuinfo", kLimit);
  if (!text) return;
  for (const std::string_view line : identifying_lines(*text)) hasher.field(line);
}

void add_caches(Hasher& hasher) {
  for (int level = 0; level < 8; ++level) {
    const std::string directory = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(level) + "/";
    for (const char* name : {"type", "size", "coherency_line_size"})
      if (const Result<std::string> value = read_file(directory + name, kLimit)) hasher.field(*value);
  }
}

Digest digest_processor() {
  Hasher hasher("hipcache processor 2");
  add_kernels_text(hasher);
  add_caches(hasher);
  return hasher.finish();
}

}  // namespace

bool is_native_option(std::string_view argument) {
  constexpr auto kOptions = std::to_array<std::string_view>({"march=native", "mcpu=native", "mtune=native"});
  return std::any_of(kOptions.begin(), kOptions.end(),
                     [&](std::string_view option) { return argument.find(option) != std::string_view::npos; });
}

bool asks_processor(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), is_native_option);
}

std::string_view variable_that_asks_processor(const std::vector<std::string>& environment) {
  const auto asks = [](const std::string& entry) { return entry.find("=native") != std::string::npos; };
  const auto found = std::find_if(environment.begin(), environment.end(), asks);
  return found == environment.end() ? std::string_view() : std::string_view(*found).substr(0, found->find('='));
}

// Other kernels have fields of these names, too: "vendor_id" on s390x, "Features" on LoongArch. So one field tells
// which kernel it is.
std::vector<std::string_view> identifying_lines(std::string_view cpuinfo) {
  const std::vector<std::string_view> lines = lines_of(cpuinfo);
  const auto has = [&](std::string_view field) {
    return std::any_of(lines.begin(), lines.end(), [&](std::string_view line) { return field_of(line) == field; });
  };
  if (has("vendor_id") && has("cpu family")) return lines_with(kOfX86, lines);
  if (has("CPU implementer")) return lines_with(kOfArm, lines);
  return constant_lines_of_first(lines);
}

const Digest& processor() {
  static const Digest digest = digest_processor();
  return digest;
}

}  // namespace hipcache::daemon
