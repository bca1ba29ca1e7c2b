#include "hipcache/trace/seen.h"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>

#include "hipcache/base/files.h"
#include "trace/file_system_times.h"
#include "trace/seen_digest.h"

namespace hipcache::trace {
namespace {

trace_identity entry_of(const struct stat& status) {
  trace_identity identity = {};
  identity.device_major = major(status.st_dev);
  identity.device_minor = minor(status.st_dev);
  identity.inode = status.st_ino;
  return identity;
}

trace_identity file_of(const struct stat& status) {
  trace_identity identity = entry_of(status);
  if (!S_ISREG(status.st_mode)) return identity;
  identity.size = static_cast<std::uint64_t>(status.st_size);
  identity.changed_seconds = status.st_ctim.tv_sec;
  identity.changed_nanoseconds = status.st_ctim.tv_nsec;
  identity.modified_seconds = status.st_mtim.tv_sec;
  identity.modified_nanoseconds = status.st_mtim.tv_nsec;
  return identity;
}

std::optional<std::uint64_t> content_of_open(int fd, std::uint64_t value = TRACE_NO_CONTENT) {
  std::array<char, 1U << 16> buffer;
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0) return std::nullopt;
    if (got == 0) return value;
    value = trace_digest_more(value, buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

std::uint64_t seen_file(const struct stat& status) {
  const trace_identity identity = file_of(status);
  return trace_digest_identity(&identity);
}

std::optional<std::uint64_t> seen_with_content(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status = {};
  struct statfs system = {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode) || ::fstatfs(fd.get(), &system) != 0 ||
      trace_times_of(static_cast<unsigned long>(system.f_type)) != TRACE_TIMES_PROVE_NOTHING)
    return std::nullopt;
  const std::optional<std::uint64_t> content = content_of_open(fd.get());
  if (!content) return std::nullopt;
  trace_identity identity = file_of(status);
  identity.content = *content;
  return trace_digest_identity(&identity);
}

std::uint64_t seen_entry(const struct stat& status) {
  trace_identity identity = entry_of(status);
  identity.size = S_ISREG(status.st_mode) && status.st_size > 0 ? 1 : 0;
  return trace_digest_identity(&identity);
}

std::uint64_t seen_text(std::string_view text) { return trace_digest(text.data(), text.size()); }

namespace {

// A descriptor of a regular file, or none.
UniqueFd open_regular(const std::string& path, struct stat& status) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (fd && (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode))) fd.reset();
  return fd;
}

}  // namespace

std::optional<std::uint64_t> content_of(const std::string& path) {
  struct stat status = {};
  const UniqueFd fd = open_regular(path, status);
  return fd ? content_of_open(fd.get()) : std::nullopt;
}

// As digest_of_program in trace/preload/seen.c.
std::optional<std::uint64_t> content_of_program(const std::string& path) {
  struct stat status = {};
  const UniqueFd fd = open_regular(path, status);
  if (!fd) return std::nullopt;
  const std::int64_t size = status.st_size;
  const std::uint64_t sized = trace_digest_more(TRACE_NO_CONTENT, &size, sizeof size);
  std::array<char, TRACE_END_SIZE> bytes;
  ssize_t got = ::pread(fd.get(), bytes.data(), bytes.size(), 0);
  if (got < 0) return std::nullopt;
  if (trace_has_build_id(bytes.data(), static_cast<std::size_t>(got)) == 0) return content_of_open(fd.get(), sized);
  const std::uint64_t begun = trace_digest_more(sized, bytes.data(), static_cast<std::size_t>(got));
  got = ::pread(fd.get(), bytes.data(), bytes.size(), size > TRACE_END_SIZE ? off_t{size - TRACE_END_SIZE} : off_t{0});
  if (got < 0) return std::nullopt;
  return trace_digest_more(begun, bytes.data(), static_cast<std::size_t>(got));
}

EntryKind kind_of(const struct stat& status) {
  return static_cast<EntryKind>(trace_entry_of(status.st_mode, status.st_size));
}

std::uint64_t identity_in(std::uint64_t seen) { return seen & ~std::uint64_t{TRACE_ENTRY_MASK}; }

EntryKind kind_in(std::uint64_t seen) { return static_cast<EntryKind>(seen & TRACE_ENTRY_MASK); }

}  // namespace hipcache::trace
