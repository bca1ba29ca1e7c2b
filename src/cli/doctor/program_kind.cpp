#include "cli/doctor/program_kind.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "hipcache/base/files.h"

namespace hipcache::cli {
namespace {

constexpr std::size_t kBeginning = 4096;  // holds the program headers of every usual linker
constexpr auto kOtherCaches = std::to_array<std::string_view>({"ccache", "sccache", "distcc", "icecc", "buildcache"});

template <typename T>
bool take(std::string_view bytes, std::size_t at, T& into) {
  if (at > bytes.size() || bytes.size() - at < sizeof into) return false;
  std::memcpy(&into, bytes.data() + at, sizeof into);
  return true;
}

// Programs of 32 bits are not looked into.
ProgramKind kind_of_elf(std::string_view bytes) {
  Elf64_Ehdr header{};
  if (!take(bytes, 0, header) || header.e_ident[EI_CLASS] != ELFCLASS64) return ProgramKind::other;
  for (std::size_t index = 0; index < header.e_phnum; ++index) {
    Elf64_Phdr segment{};
    if (!take(bytes, header.e_phoff + index * sizeof segment, segment)) return ProgramKind::other;
    if (segment.p_type == PT_INTERP) return ProgramKind::dynamic;
  }
  return ProgramKind::static_elf;
}

}  // namespace

bool is_other_cache(std::string_view path) {
  const std::string_view name = base_name(path);
  if (std::find(kOtherCaches.begin(), kOtherCaches.end(), name) == kOtherCaches.end()) return false;
  const bool is_path = path.find('/') != std::string_view::npos;
  return !is_path || base_name(real_path(std::string(path))) != "hipcache";
}

Result<Program> program_at(const std::string& path) {
  const std::optional<std::string> real = resolved_path(path);
  if (!real) return system_error("cannot find", path);
  const UniqueFd file(open(real->c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, kBeginning> beginning{};
  const ssize_t size = file ? read(file.get(), beginning.data(), beginning.size()) : -1;
  if (size < 0) return system_error("cannot read", *real);
  const std::string_view bytes(beginning.data(), static_cast<std::size_t>(size));
  Program program{ProgramKind::other, *real};
  if (is_other_cache(program.real_path))
    program.kind = ProgramKind::other_cache;
  else if (bytes.starts_with("#!"))
    program.kind = ProgramKind::script;
  else if (bytes.starts_with(ELFMAG))
    program.kind = kind_of_elf(bytes);
  return program;
}

}  // namespace hipcache::cli
