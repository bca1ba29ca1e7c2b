// An object file as LLVM's writer lays it out, made without a compiler.
#ifndef HIPCACHE_TESTS_SUPPORT_ELF_OBJECT_H
#define HIPCACHE_TESTS_SUPPORT_ELF_OBJECT_H

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache::support {

// A section of an object that is laid out as LLVM does it.
struct Part {
  const char* name;
  std::string bytes;
  std::uint64_t alignment = 1;
  std::uint32_t type = SHT_PROGBITS;
};

inline void pad(std::string& file, std::uint64_t alignment) {
  while (file.size() % alignment != 0) file.push_back('\0');
}

// The names come last, as section 1.
inline std::string object_of(const std::vector<Part>& parts) {
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> headers(2);
  std::string file(sizeof(Elf64_Ehdr), '\0');
  for (const Part& part : parts) {
    pad(file, part.alignment);
    Elf64_Shdr header{};
    header.sh_name = static_cast<Elf64_Word>(names.size());
    header.sh_type = part.type;
    header.sh_offset = file.size();
    header.sh_size = part.type == SHT_NOBITS ? 9 : part.bytes.size();
    header.sh_addralign = part.alignment;
    headers.push_back(header);
    names += part.name;
    names.push_back('\0');
    file += part.bytes;
  }
  headers[1].sh_type = SHT_STRTAB;
  headers[1].sh_offset = file.size();
  headers[1].sh_size = names.size();
  headers[1].sh_addralign = 1;
  file += names;
  pad(file, 8);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_REL;
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(headers.size());
  header.e_shstrndx = 1;
  header.e_shoff = file.size();
  std::memcpy(file.data(), &header, sizeof header);
  for (const Elf64_Shdr& section : headers) file.append(reinterpret_cast<const char*>(&section), sizeof section);
  return file;
}

// A host object with a fatbin and this code.
inline std::string around(const std::string& fatbin, std::string_view code = "code") {
  return object_of({{".text", std::string(code), 16},
                    {".hip_fatbin", fatbin, 4096},
                    {".hipFatBinSegment", "segment", 8},
                    {".bss", "", 32, SHT_NOBITS},
                    {".init_array", "01234567", 8}});
}

}  // namespace hipcache::support

#endif
