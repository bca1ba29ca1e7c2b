#include "inputs/mentions/program_mentions.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>

#include "hipcache/base/files.h"
#include "inputs/state/file_system_memo.h"

namespace hipcache::inputs {
namespace {

constexpr std::string_view kElf =
    "\x7f"
    "ELF";

// A read-only mapping of a file; this object owns it.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status = {};
    if (!file || ::fstat(file.get(), &status) != 0 || status.st_size <= 0) return;
    size_ = static_cast<std::size_t>(status.st_size);
    void* const address = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (address != MAP_FAILED) bytes_ = address;
  }
  ~MappedFile() {
    if (bytes_ != nullptr) ::munmap(bytes_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  bool is_there() const { return bytes_ != nullptr; }
  bool is_program() const { return size_ >= kElf.size() && memcmp(bytes_, kElf.data(), kElf.size()) == 0; }
  bool mentions(const std::string& name) const {
    return !name.empty() && memmem(bytes_, size_, name.data(), name.size()) != nullptr;
  }

 private:
  void* bytes_ = nullptr;
  std::size_t size_ = 0;
};

bool names(const std::string& path, const Root& toolchain) {
  const MappedFile file(path);
  if (!file.is_there()) return true;
  return file.is_program() && (file.mentions(toolchain.path) || file.mentions(toolchain.alias));
}

}  // namespace

RootMask named_by_program(const std::string& path, const Roots& roots, FileSystemState& file_system) {
  const Root* toolchain = roots.find(kToolchainMark);
  if (toolchain == nullptr) return 0;
  const RootMask mask = RootMask{1} << (toolchain - roots.all().data());
  const Result<Digest> content = file_system.content(path);
  if (!content) return mask;
  const Digest key =
      Hasher("program").field(*content).field(toolchain->path).field(toolchain->alias).field(mask).finish();
  auto& known = file_system.memo().texts;
  if (const auto marks = known.find(key)) return marks->named;
  const RootMask named = names(path, *toolchain) ? mask : 0;
  const Result<Digest> still = file_system.content(path);
  if (still && *still == *content) known.insert(key, {.named = named});
  return named;
}

}  // namespace hipcache::inputs
