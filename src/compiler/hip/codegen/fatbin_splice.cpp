#include "hipcache/compiler/hip/fatbin_splice.h"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

namespace hipcache::hip {
namespace {

static_assert(std::endian::native == std::endian::little, "headers are copied as they are");

constexpr std::string_view kFatbinSection = ".hip_fatbin";
constexpr std::string_view kSegmentSection = ".hipFatBinSegment";
constexpr std::string_view kFatbinSymbol = "__hip_fatbin";  // also as a prefix
constexpr std::uint64_t kTableAlignment = 8;
constexpr std::uint64_t kMaxAlignment = 1u << 20;
constexpr std::size_t kMaxObject = std::size_t{4} << 30;

Error unusual(const char* what) { return Error{std::string("the host's object ") + what}; }

struct Section {
  Elf64_Shdr header{};
  std::string_view bytes;  // empty where the file has none
};

struct Object {
  Elf64_Ehdr header{};
  std::vector<Section> sections;
  std::size_t names = 0;  // the index of the section name table
};

bool is_supported(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_type == ET_REL && header.e_ehsize == sizeof(Elf64_Ehdr) &&
         header.e_shentsize == sizeof(Elf64_Shdr) && header.e_phnum == 0;
}

std::optional<Elf64_Shdr> section_header(std::string_view object, const Elf64_Ehdr& header, std::uint64_t index) {
  if (header.e_shoff > object.size() || (object.size() - header.e_shoff) / sizeof(Elf64_Shdr) <= index)
    return std::nullopt;
  Elf64_Shdr section{};
  std::memcpy(&section, object.data() + header.e_shoff + index * sizeof section, sizeof section);
  return section;
}

std::optional<std::string_view> bytes_of(std::string_view object, const Elf64_Shdr& section) {
  if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL) return std::string_view();
  if (section.sh_offset > object.size() || section.sh_size > object.size() - section.sh_offset) return std::nullopt;
  return object.substr(section.sh_offset, section.sh_size);
}

// With 65,280 or more sections, the first section header holds their number and the index of the name table.
Result<Object> read_object(std::string_view bytes) {
  Object object;
  if (bytes.size() < sizeof object.header) return unusual("is cut short");
  std::memcpy(&object.header, bytes.data(), sizeof object.header);
  if (!is_supported(object.header)) return unusual("is no ELF relocatable of 64 bits");
  const std::optional<Elf64_Shdr> first = section_header(bytes, object.header, 0);
  if (!first) return unusual("has no sections");
  const std::uint64_t count = object.header.e_shnum != 0 ? object.header.e_shnum : first->sh_size;
  object.names = object.header.e_shstrndx != SHN_XINDEX ? object.header.e_shstrndx : first->sh_link;
  for (std::uint64_t index = 0; index < count; ++index) {
    const std::optional<Elf64_Shdr> header = section_header(bytes, object.header, index);
    if (!header) return unusual("is cut short");
    const std::optional<std::string_view> contents = bytes_of(bytes, *header);
    if (!contents) return unusual("has a section outside of the file");
    if (header->sh_addralign > kMaxAlignment) return unusual("has a section of unusual alignment");
    object.sections.push_back({*header, *contents});
  }
  if (object.names >= object.sections.size()) return unusual("has no names of sections");
  return object;
}

std::string_view name_of(const Section& section, const Object& object) {
  const std::string_view names = object.sections[object.names].bytes;
  if (section.header.sh_name >= names.size()) return {};
  const std::string_view rest = names.substr(section.header.sh_name);
  return rest.substr(0, rest.find('\0'));
}

// clang 15 appends a null byte to the fatbin.
bool is_ended_by_null(const Section& section) { return section.bytes.size() == kPlaceholderFatbin.size() + 1; }

bool holds_placeholder(const Section& section) {
  if (!section.bytes.starts_with(kPlaceholderFatbin)) return false;
  return section.bytes.size() == kPlaceholderFatbin.size() || (is_ended_by_null(section) && section.bytes.back() == 0);
}

// The section that holds the placeholder; null unless there is exactly one fatbin section.
Section* fatbin_section(Object& object) {
  Section* found = nullptr;
  for (Section& section : object.sections) {
    if (name_of(section, object) != kFatbinSection) continue;
    if (found != nullptr || !holds_placeholder(section)) return nullptr;
    found = &section;
  }
  return found;
}

void pad(std::string& file, std::uint64_t alignment) {
  if (alignment > 1) file.append((alignment - file.size() % alignment) % alignment, '\0');
}

template <typename Header>
void append(std::string& file, const Header& header) {
  file.append(reinterpret_cast<const char*>(&header), sizeof header);
}

// Writes the sections in file order, each at the next aligned offset, and then the section header table. Nothing if
// that takes more than `limit` bytes.
std::optional<std::string> written(const Object& object, std::size_t limit) {
  std::vector<Section> sections = object.sections;
  std::vector<Section*> order;
  for (Section& section : sections)
    if (section.header.sh_type != SHT_NULL) order.push_back(&section);
  std::stable_sort(order.begin(), order.end(),
                   [](const Section* a, const Section* b) { return a->header.sh_offset < b->header.sh_offset; });
  std::string file;
  append(file, object.header);
  for (Section* section : order) {
    if (file.size() > limit) return std::nullopt;
    pad(file, section->header.sh_addralign);
    section->header.sh_offset = file.size();
    if (section->header.sh_type != SHT_NOBITS) section->header.sh_size = section->bytes.size();
    file += section->bytes;
  }
  pad(file, kTableAlignment);
  Elf64_Ehdr header = object.header;
  header.e_shoff = file.size();
  std::memcpy(file.data(), &header, sizeof header);
  for (const Section& section : sections) append(file, section.header);
  return file;
}

}  // namespace

Result<std::string> splice_fatbin(std::string_view object, std::string_view fatbin) {
  Result<Object> read = read_object(object);
  if (!read) return read.error();
  Section* section = fatbin_section(*read);
  if (section == nullptr) return unusual("does not have the placeholder of a fatbin, once");
  if (written(*read, object.size()) != object) return unusual("is not laid out as LLVM does it");
  std::string contents(fatbin);
  if (is_ended_by_null(*section)) contents.push_back('\0');
  section->bytes = contents;
  std::optional<std::string> made = written(*read, kMaxObject);
  if (!made) return unusual("would become too large");
  return *std::move(made);
}

// Searches the whole file for the names, and not only the symbol table: a false match only costs a compile.
bool needs_no_fatbin(std::string_view object) {
  const Result<Object> read = read_object(object);
  if (!read) return false;
  const auto is_of_a_fatbin = [&](const Section& section) {
    const std::string_view name = name_of(section, *read);
    return name.starts_with(kFatbinSection) || name.starts_with(kSegmentSection);
  };
  return std::none_of(read->sections.begin(), read->sections.end(), is_of_a_fatbin) &&
         object.find(kPlaceholderFatbin) == std::string_view::npos &&
         object.find(kFatbinSymbol) == std::string_view::npos;
}

}  // namespace hipcache::hip
