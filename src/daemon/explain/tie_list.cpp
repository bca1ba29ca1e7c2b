#include "daemon/explain/tie_list.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/base/readable.h"

namespace hipcache::daemon {

namespace {

constexpr auto kOfMachine =
    std::to_array<std::string_view>({"/proc", "/sys", "/dev", "/run", "/var/run", "/etc/passwd", "/etc/group",
                                     "/etc/hosts", "/etc/hostname", "/etc/machine-id", "/etc/resolv.conf", "/etc/mtab",
                                     "/etc/fstab", "/etc/ld.so.preload", "/etc/localtime", "/etc/timezone"});
constexpr auto kOfPackages = std::to_array<std::string_view>(
    {"/usr", "/opt", "/etc", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/gnu", "/snap"});
// Names of directories that only packages of compilers and of libc fill, and how further ones begin.
constexpr auto kOfCompilers = std::to_array<std::string_view>({"gcc", "gcc-cross", "clang", "c++", "amdgcn", "gconv"});
constexpr auto kOfCompilersPrefixes = std::to_array<std::string_view>({"llvm", "rocm", "clang-"});

std::string normal(std::string_view path) { return std::filesystem::path(path).lexically_normal().string(); }

template <typename List>
bool is_in_one_of(const List& directories, std::string_view path) {
  return std::any_of(directories.begin(), directories.end(),
                     [&](std::string_view directory) { return is_within(path, directory); });
}

bool is_compilers_name(std::string_view name) {
  return std::find(kOfCompilers.begin(), kOfCompilers.end(), name) != kOfCompilers.end() ||
         std::any_of(kOfCompilersPrefixes.begin(), kOfCompilersPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool continues_name(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         std::string_view("._+-").find(c) != std::string_view::npos;
}

}  // namespace

PlaceOwner owner_of(std::string_view absolute) {
  const std::string path = normal(absolute);
  if (is_in_one_of(kOfMachine, path)) return PlaceOwner::machine;
  return path == "/" || is_in_one_of(kOfPackages, path) ? PlaceOwner::packages : PlaceOwner::user;
}

bool is_of_compilers(std::string_view directory) {
  const std::filesystem::path path = normal(directory);
  return std::any_of(path.begin(), path.end(),
                     [](const std::filesystem::path& part) { return is_compilers_name(part.string()); });
}

bool names_directory(std::string_view text, std::string_view directory) {
  if (directory.empty() || directory == "/") return false;
  for (auto at = text.find(directory); at != text.npos; at = text.find(directory, at + 1)) {
    const std::size_t end = at + directory.size();
    if (end == text.size() || !continues_name(text[end])) return true;
  }
  return false;
}

namespace {

using protocol::Tie;
using protocol::TiedBy;

// Shown of one kind. Files are many, and one mend serves all of them.
std::size_t most_of(TiedBy by) {
  switch (by) {
    case TiedBy::absolute_path:
    case TiedBy::file_time:
    case TiedBy::equal_times:
    case TiedBy::machine_file:
      return 1;
    default:
      return 3;
  }
}

bool holds(const std::vector<Tie>& ties, const Tie& tie) {
  return std::any_of(ties.begin(), ties.end(), [&](const Tie& one) {
    return one.by == tie.by && one.name == tie.name && one.other == tie.other;
  });
}

}  // namespace

void TieList::add(TiedBy by, std::string name, std::string other) {
  Tie tie{.by = by, .name = std::move(name), .other = std::move(other), .more = 0};
  if (holds(ties_, tie) || holds(counted_, tie)) return;
  const auto is_of_kind = [&](const Tie& one) { return one.by == by; };
  const auto shown = static_cast<std::size_t>(std::count_if(ties_.begin(), ties_.end(), is_of_kind));
  if (shown < most_of(by)) return ties_.push_back(std::move(tie));
  ++std::find_if(ties_.rbegin(), ties_.rend(), is_of_kind)->more;
  counted_.push_back(std::move(tie));
}

void TieList::keep_ties_to_machine() {
  std::erase_if(ties_, [](const Tie& tie) { return protocol::tied_to(tie.by) != "machine"; });
}

std::vector<Tie> TieList::take() {
  std::stable_sort(ties_.begin(), ties_.end(), [](const Tie& left, const Tie& right) { return left.by < right.by; });
  for (Tie& tie : ties_)
    for (std::string* text : {&tie.name, &tie.other}) *text = readable(*text);
  counted_.clear();
  return std::exchange(ties_, {});
}

}  // namespace hipcache::daemon
