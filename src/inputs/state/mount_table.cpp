#include "inputs/state/mount_table.h"

#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "hipcache/base/files.h"
#include "trace/file_system_times.h"

namespace hipcache::inputs {
namespace {

constexpr std::uint64_t kTableLimit = 16u << 20;

// The table writes space, tab, newline and backslash as \ooo.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const bool is_escape = text[i] == '\\' && i + 3 < text.size() &&
                           std::from_chars(&text[i + 1], &text[i + 4], code, 8).ptr == &text[i + 4];
    plain += is_escape ? static_cast<char>(code) : text[i];
    if (is_escape) i += 3;
  }
  return plain;
}

// Splits at `separator`, unless a backslash stands before it; that backslash is dropped.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size())
      parts.back() += text[++i];
    else if (text[i] == separator)
      parts.emplace_back();
    else
      parts.back() += text[i];
  }
  return parts;
}

bool names_layers(std::string_view option) {
  return option == "lowerdir" || option == "upperdir" || option == "lowerdir+" || option == "datadir+";
}

}  // namespace

std::vector<std::string> layers_in(std::string_view line) {
  const std::size_t options = line.rfind(' ');
  std::vector<std::string> layers;
  if (options == std::string_view::npos) return layers;
  for (std::string_view rest = line.substr(options + 1); !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view option = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t equals = option.find('=');
    if (equals == std::string_view::npos || !names_layers(option.substr(0, equals))) continue;
    for (std::string& layer : split(unescaped(option.substr(equals + 1)), ':'))
      if (layer.starts_with('/')) layers.push_back(std::move(layer));
  }
  return layers;
}

bool layers_show_changes(std::uint64_t mount_id) {
  const Result<std::string> table = read_file("/proc/self/mountinfo", kTableLimit);
  if (!table) return false;
  const std::string begin = std::to_string(mount_id) + " ";
  for (std::string_view rest = *table; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!line.starts_with(begin)) continue;
    const std::vector<std::string> layers = layers_in(line);
    return std::all_of(layers.begin(), layers.end(), [](const std::string& layer) {
      struct statfs system = {};
      return ::statfs(layer.c_str(), &system) != 0 ||
             trace_times_of(static_cast<unsigned long>(system.f_type)) != TRACE_TIMES_PROVE_NOTHING;
    });
  }
  return true;
}

// listmount(2), of Linux 6.8: the ids in their order. Not in every linux/mount.h.
std::uint64_t newest_mount() {
  constexpr long kListMount = 458;
  constexpr std::uint64_t kRoot = ~std::uint64_t{0};
  struct {
    std::uint32_t size = 24;
    std::uint32_t spare = 0;
    std::uint64_t of = kRoot;
    std::uint64_t after = 0;
  } request;
  std::array<std::uint64_t, 256> ids;
  for (;;) {
    const long count = ::syscall(kListMount, &request, ids.data(), ids.size(), 0);
    if (count < 0) return 0;
    if (count > 0) request.after = *std::max_element(ids.begin(), ids.begin() + count);
    if (static_cast<std::size_t>(count) < ids.size()) return request.after;
  }
}

std::string file_of_loop_device(std::uint64_t device) {
  constexpr std::uint64_t kPathLimit = 8192;
  const std::string number = std::to_string(major(device)) + ":" + std::to_string(minor(device));
  const Result<std::string> file = read_file("/sys/dev/block/" + number + "/loop/backing_file", kPathLimit);
  if (!file) return "";
  return file->substr(0, file->find('\n'));
}

}  // namespace hipcache::inputs
