#include "hipcache/base/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>

namespace hipcache {

Result<MemoryFile> MemoryFile::make(const char* name) {
  UniqueFd fd(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return system_error("cannot make memory file", name);
  return MemoryFile(std::move(fd));
}

Status MemoryFile::append(std::string_view bytes) { return write_all(fd_.get(), bytes, "a memory file"); }

Result<UniqueFd> MemoryFile::seal() && {
  if (fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0)
    return system_error("cannot seal", "a memory file");
  return std::move(fd_);
}

Result<UniqueFd> sealed_memory(std::string_view bytes, const char* name) {
  Result<MemoryFile> file = MemoryFile::make(name);
  if (!file) return file.error();
  if (Status written = file->append(bytes); !written) return written.error();
  return std::move(*file).seal();
}

}  // namespace hipcache
