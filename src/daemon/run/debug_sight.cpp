#include "daemon/run/debug_sight.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "hipcache/base/text.h"

namespace hipcache::daemon {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kElf =
    "\x7f"
    "ELF";

// What may hold an object within an object, with debug information of its own.
constexpr std::array kContainers = {"CCOB"sv, "__CLANG_OFFLOAD_BUNDLE__"sv, "\x10\xff\x10\xad"sv};

// Without macros, split files and LTO.
constexpr std::array kDebugSections = {
    ".debug_abbrev"sv,   ".debug_aranges"sv, ".debug_frame"sv,    ".debug_info"sv,  ".debug_line"sv,
    ".debug_line_str"sv, ".debug_loc"sv,     ".debug_loclists"sv, ".debug_names"sv, ".debug_pubnames"sv,
    ".debug_pubtypes"sv, ".debug_ranges"sv,  ".debug_rnglists"sv, ".debug_str"sv,   ".debug_types"sv};

// A cursor over little-endian bytes. Past the end all is zero, and `failed` is set.
struct Bytes {
  std::string_view left;
  bool failed = false;

  std::string_view take(std::uint64_t size) {
    failed = failed || size > left.size();
    const std::string_view taken = left.substr(0, failed ? 0 : size);
    left.remove_prefix(taken.size());
    return taken;
  }
  std::uint64_t number(std::size_t size) {
    const std::string_view bytes = take(size);
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  std::uint64_t leb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = number(1);
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    failed = true;
    return 0;
  }
  std::string_view text() {
    const std::size_t end = left.find('\0');
    failed = failed || end == left.npos;
    const std::string_view taken = take(failed ? 0 : end);
    take(1);
    return taken;
  }
};

// A table of lines up to version 4: its directories, then name, directory, time and size of each file.
bool has_names_alone_of_old(Bytes& header) {
  while (!header.failed && !header.text().empty()) {
  }
  while (!header.failed && !header.text().empty()) {
    header.leb();
    const std::uint64_t time = header.leb();
    const std::uint64_t size = header.leb();
    if (time != 0 || size != 0) return false;
  }
  return !header.failed;
}

// The fields of a list's entries: pairs of content and form.
bool takes_names_alone(Bytes& header, std::vector<std::uint64_t>& forms) {
  constexpr std::uint64_t kPath = 1;
  constexpr std::uint64_t kDirectory = 2;
  forms.clear();
  for (std::uint64_t left = header.number(1); left > 0 && !header.failed; --left) {
    const std::uint64_t content = header.leb();
    if (content != kPath && content != kDirectory) return false;
    forms.push_back(header.leb());
  }
  return !header.failed;
}

void skip(Bytes& header, std::uint64_t form, std::size_t size_of_offset) {
  enum : std::uint64_t { kData2 = 0x05, kString = 0x08, kData1 = 0x0b, kStrp = 0x0e, kUdata = 0x0f, kLineStrp = 0x1f };
  switch (form) {
    case kString:
      header.text();
      break;
    case kStrp:
    case kLineStrp:
      header.take(size_of_offset);
      break;
    case kData1:
      header.take(1);
      break;
    case kData2:
      header.take(2);
      break;
    case kUdata:
      header.leb();
      break;
    default:
      header.failed = true;
  }
}

// Version 5: the fields of a directory, the directories, the fields of a file.
bool has_names_alone_of_5(Bytes& header, std::size_t size_of_offset) {
  std::vector<std::uint64_t> forms;
  if (!takes_names_alone(header, forms)) return false;
  for (std::uint64_t left = header.leb(); left > 0 && !header.failed; --left) {
    if (forms.empty()) return false;
    for (const std::uint64_t form : forms) skip(header, form, size_of_offset);
  }
  return takes_names_alone(header, forms);
}

// One unit's table, behind its length.
bool has_names_alone(Bytes unit, std::size_t size_of_offset) {
  const std::uint64_t version = unit.number(2);
  if (version < 2 || version > 5) return false;
  if (version == 5) unit.take(2);   // sizes of an address and of a segment
  unit.take(size_of_offset);        // of the header
  unit.take(version >= 4 ? 5 : 4);  // the shape of the line program
  const std::uint64_t opcodes = unit.number(1);
  if (opcodes > 0) unit.take(opcodes - 1);
  return version == 5 ? has_names_alone_of_5(unit, size_of_offset) : has_names_alone_of_old(unit);
}

bool have_names_alone(std::string_view tables) {
  constexpr std::uint64_t kLong = 0xffffffff;
  Bytes all{tables};
  while (!all.left.empty() && !all.failed) {
    std::uint64_t length = all.number(4);
    const bool is_long = length == kLong;
    if (is_long) length = all.number(8);
    if (!has_names_alone({all.take(length)}, is_long ? 8 : 4)) return false;
  }
  return !all.failed;
}

template <typename T>
std::optional<T> read_at(std::string_view bytes, std::uint64_t at) {
  T value;
  if (at > bytes.size() || bytes.size() - at < sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::string_view part_of(std::string_view bytes, std::uint64_t at, std::uint64_t size) {
  return at > bytes.size() ? ""sv : bytes.substr(at, size);
}

// A section named as debug information is: its own name, or that of its relocations.
bool shows_only_places(std::string_view object, const Elf64_Shdr& section, std::string_view name) {
  for (const std::string_view prefix : {".rela"sv, ".rel"sv})
    if (name.starts_with(prefix)) return holds(kDebugSections, name.substr(prefix.size()));
  if (!holds(kDebugSections, name) || (section.sh_flags & SHF_COMPRESSED) != 0) return false;
  return name != ".debug_line" || have_names_alone(part_of(object, section.sh_offset, section.sh_size));
}

// REQUIRES: the object names debug information.
bool shows_only_places(std::string_view object) {
  const std::optional<Elf64_Ehdr> header = read_at<Elf64_Ehdr>(object, 0);
  if (!header || header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shnum == 0)
    return false;
  const auto section = [&](std::uint64_t index) {
    return read_at<Elf64_Shdr>(object, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  const std::optional<Elf64_Shdr> names = section(header->e_shstrndx);
  if (!names) return false;
  for (std::uint64_t i = 1; i < header->e_shnum; ++i) {
    const std::optional<Elf64_Shdr> one = section(i);
    if (!one || one->sh_name >= names->sh_size) return false;
    const std::string_view rest =
        part_of(part_of(object, names->sh_offset, names->sh_size), one->sh_name, object.size());
    const std::string_view name = rest.substr(0, rest.find('\0'));
    if (name.find("debug") != name.npos && !shows_only_places(object, *one, name)) return false;
  }
  return true;
}

}  // namespace

DebugSight debug_sight(std::string_view object) {
  if (object.find(".debug_") == object.npos) return DebugSight::nothing;
  const auto is_in = [&](std::string_view container) { return object.find(container) != object.npos; };
  const bool is_one = object.rfind(kElf) == 0 && std::none_of(kContainers.begin(), kContainers.end(), is_in);
  return is_one && shows_only_places(object) ? DebugSight::places : DebugSight::bytes;
}

}  // namespace hipcache::daemon
