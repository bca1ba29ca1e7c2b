#include "inputs/loader/library_path.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "hipcache/base/files.h"
#include "inputs/loader/loader_cache.h"

namespace hipcache::inputs {
namespace {

constexpr std::size_t kMaxHeaders = 256;
constexpr std::size_t kMaxEntries = 4096;
constexpr std::size_t kMaxList = 4096;

// Reads parts of a file. A file that is too short is no ELF file.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}

  std::vector<std::string> library_paths() {
    std::vector<std::string> lists;
    if (!read_headers()) return lists;
    const std::vector<Elf64_Dyn> entries = read_dynamic();
    const std::optional<Elf64_Off> strings = offset_of(value_of(entries, DT_STRTAB));
    if (!strings) return lists;
    for (const Elf64_Dyn& entry : entries)
      if (entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH) lists.push_back(text_at(*strings + entry.d_un.d_val));
    return lists;
  }

  std::optional<std::vector<std::string>> needed() {
    if (!read_headers()) return std::nullopt;
    const std::vector<Elf64_Dyn> entries = read_dynamic();
    const std::optional<Elf64_Off> strings = offset_of(value_of(entries, DT_STRTAB));
    if (entries.empty() || entries.size() == kMaxEntries || !strings) return std::nullopt;
    std::vector<std::string> names;
    for (const Elf64_Dyn& entry : entries) {
      if (entry.d_tag == DT_NULL) return names;
      if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_AUXILIARY && entry.d_tag != DT_FILTER) continue;
      names.push_back(text_at(*strings + entry.d_un.d_val));
      if (names.back().empty() || names.back().size() == kMaxList) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  template <typename Object>
  bool read_at(Elf64_Off offset, Object* objects, std::size_t count) const {
    const auto size = static_cast<ssize_t>(sizeof(Object) * count);
    return ::pread(fd_.get(), objects, sizeof(Object) * count, static_cast<off_t>(offset)) == size;
  }

  bool read_headers() {
    Elf64_Ehdr header = {};
    if (!fd_ || !read_at(0, &header, 1) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
    const bool understood = header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
                            header.e_phentsize == sizeof(Elf64_Phdr) && header.e_phnum <= kMaxHeaders;
    if (!understood) return false;
    segments_.resize(header.e_phnum);
    return read_at(header.e_phoff, segments_.data(), segments_.size());
  }

  std::vector<Elf64_Dyn> read_dynamic() const {
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type != PT_DYNAMIC) continue;
      std::vector<Elf64_Dyn> entries(std::min<std::size_t>(segment.p_filesz / sizeof(Elf64_Dyn), kMaxEntries));
      if (read_at(segment.p_offset, entries.data(), entries.size())) return entries;
    }
    return {};
  }

  static std::optional<Elf64_Addr> value_of(const std::vector<Elf64_Dyn>& entries, Elf64_Sxword tag) {
    for (const Elf64_Dyn& entry : entries)
      if (entry.d_tag == tag) return entry.d_un.d_ptr;
    return std::nullopt;
  }

  // The file offset of what is loaded at `address`.
  std::optional<Elf64_Off> offset_of(std::optional<Elf64_Addr> address) const {
    for (const Elf64_Phdr& segment : segments_)
      if (address && segment.p_type == PT_LOAD && *address >= segment.p_vaddr &&
          *address - segment.p_vaddr < segment.p_filesz)
        return *address - segment.p_vaddr + segment.p_offset;
    return std::nullopt;
  }

  std::string text_at(Elf64_Off offset) const {
    char text[kMaxList + 1] = {};
    const ssize_t got = ::pread(fd_.get(), text, kMaxList, static_cast<off_t>(offset));
    return got > 0 ? std::string(text) : std::string();
  }

  UniqueFd fd_;
  std::vector<Elf64_Phdr> segments_;
};

// Replaces "$NAME" and "${NAME}".
std::string replaced(std::string text, const std::string& name, std::string_view value) {
  for (const std::string& token : {"${" + name + "}", "$" + name})
    for (std::size_t at = text.find(token); at != std::string::npos; at = text.find(token, at + value.size()))
      text.replace(at, token.size(), value);
  return text;
}

void add_expanded(std::string entry, std::string_view origin, std::vector<std::string>& directories) {
  if (entry.find('$') == std::string::npos) return directories.push_back(std::move(entry));
  entry = replaced(std::move(entry), "ORIGIN", origin);
  std::vector<std::string> expanded;
  for (std::string_view library : kLibTokens)
    for (std::string_view platform : kPlatformTokens)
      expanded.push_back(replaced(replaced(entry, "LIB", library), "PLATFORM", platform));
  std::sort(expanded.begin(), expanded.end());
  expanded.erase(std::unique(expanded.begin(), expanded.end()), expanded.end());
  directories.insert(directories.end(), expanded.begin(), expanded.end());
}

}  // namespace

std::optional<std::vector<std::string>> libraries_needed_by(const std::string& file) { return ElfFile(file).needed(); }

std::vector<std::string> library_paths_of(const std::string& file) { return ElfFile(file).library_paths(); }

std::vector<std::string> directories_in(std::string_view list, std::string_view origin) {
  std::vector<std::string> directories;
  for (;;) {
    const std::size_t end = list.find_first_of(":;");
    const std::string_view entry = list.substr(0, end);
    add_expanded(entry.empty() ? "." : std::string(entry), origin, directories);
    if (end == std::string_view::npos) return directories;
    list.remove_prefix(end + 1);
  }
}

}  // namespace hipcache::inputs
