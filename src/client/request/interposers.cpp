#include "client/request/interposers.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "hipcache/base/files.h"

namespace hipcache::client {
namespace {

constexpr std::uint64_t kLibraryLimit = 32u << 20;

constexpr auto kWatched =
    std::to_array<std::string_view>({"execve", "execv", "execvp", "execvpe", "execl", "posix_spawn", "posix_spawnp"});

// The structure at that place of a file; nothing past the end. A structure, because the place may not be aligned.
template <typename T>
std::optional<T> at(std::string_view file, std::uint64_t place) {
  if (place > file.size() || file.size() - place < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + place, sizeof value);
  return value;
}

std::string_view text_at(std::string_view file, std::uint64_t place) {
  if (place >= file.size()) return "";
  const std::string_view rest = file.substr(place);
  return rest.substr(0, rest.find('\0'));
}

bool defines_any(std::string_view file, const Elf64_Shdr& symbols, const Elf64_Shdr& names) {
  for (std::uint64_t place = 0; place < symbols.sh_size; place += sizeof(Elf64_Sym)) {
    const auto symbol = at<Elf64_Sym>(file, symbols.sh_offset + place);
    if (!symbol) return false;
    if (symbol->st_shndx == SHN_UNDEF) continue;
    const std::string_view name = text_at(file, names.sh_offset + symbol->st_name);
    if (std::find(kWatched.begin(), kWatched.end(), name) != kWatched.end()) return true;
  }
  return false;
}

// False for what is no 64-bit library.
bool watches_programs(std::string_view file) {
  const auto header = at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
    return false;
  for (std::uint64_t index = 0; index < header->e_shnum; ++index) {
    const auto section = at<Elf64_Shdr>(file, header->e_shoff + index * sizeof(Elf64_Shdr));
    if (!section) return false;
    if (section->sh_type != SHT_DYNSYM) continue;
    const auto names = at<Elf64_Shdr>(file, header->e_shoff + section->sh_link * sizeof(Elf64_Shdr));
    return names && defines_any(file, *section, *names);
  }
  return false;
}

}  // namespace

// env(1) takes a word with "=" for a variable.
void exec_where_recorders_see(const std::vector<std::string>& argv) {
  if (argv.empty() || argv.front().find('=') != std::string::npos || argv.front().starts_with('-')) return;
  std::string env = "env";
  std::vector<char*> words{env.data()};
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execv("/usr/bin/env", words.data());
}

// A name with a dynamic token ($LIB) or without a directory is left to the loader, and not looked for.
std::vector<std::string> libraries_that_watch_programs(const std::string& preload) {
  std::vector<std::string> found;
  for (std::string_view rest = preload; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(": "), rest.size());
    const std::string name(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!name.starts_with('/')) continue;
    const Result<std::string> file = read_file(name, kLibraryLimit);
    if (file && watches_programs(*file)) found.push_back(name);
  }
  return found;
}

std::vector<std::string> notices_on_interposers(const config::Lookup& variable) {
  std::vector<std::string> notices;
  for (const std::string& library : libraries_that_watch_programs(variable("LD_PRELOAD").value_or("")))
    notices.push_back("LD_PRELOAD: " + library +
                      " watches the programs that are started, and sees no compiler that hipcache starts or spares");
  return notices;
}

}  // namespace hipcache::client
