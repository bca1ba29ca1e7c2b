// The file system as the project uses it: descriptors that close themselves, reads with a size
// limit, and atomic replacement of files. Every error names the path and the system's reason.
#ifndef HIPCACHE_BASE_FILES_H
#define HIPCACHE_BASE_FILES_H

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache {

// Splits a path into its names.

// Leaves out empty names and ".". ".." removes the name before it, by spelling only: links are not
// followed. The names point into `path`.
std::vector<std::string_view> path_names(std::string_view path);

// The absolute path without ".", "..", doubled slashes and a slash at its end, as if no name in it were a link.
std::string normal_path(std::string_view absolute);

// Whether the path is in a process's own part of /proc: "/proc/self/cwd/x", "/proc/12/root". Looks at the spelling
// only. Such a name may mean another file in each process.
bool is_of_a_process(std::string_view path);

// Recognises paths that name open descriptors instead of files: /dev/stdin, /dev/fd/63,
// /proc/self/fd/0.
//
// The bytes behind such a path cannot be read a second time, and each process has descriptors of
// its own.

// Looks at the spelling only: "/dev/stdin", "/dev/fd/3", "/proc/self/fd/3",
// "/proc/12/task/12/fd/3"; also with "..".
bool is_descriptor_path(std::string_view absolute);

// Whether the absolute path is a descriptor or a link to one. Costs one system call for a file that
// is no link.
bool leads_to_descriptor(std::string path);

// Owns a file descriptor; -1 owns nothing. Not copyable; one thread at a time.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  ~UniqueFd() { reset(); }
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() {
    int fd = fd_;
    fd_ = -1;
    return fd;
  }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

// Maps an errno to an ErrorCode; ErrorCode::other if no caller acts on that errno.
ErrorCode code_of_errno(int number);

// Builds the form of every error about a file: "what path: reason of errno", with the code of
// errno.
Error system_error(std::string_view what, std::string_view path);

// The whole file; an error if it holds more than `limit` bytes, and for a pipe, which might never end.
Result<std::string> read_file(const std::string& path, std::uint64_t limit);
// An error says `name` in place of the path.
Result<std::string> read_file(const std::string& path, std::uint64_t limit, std::string_view name);
Result<std::string> read_fd(int fd, std::uint64_t limit, std::string_view name);

// Writes all bytes; continues after signals and short writes.
Status write_all(int fd, std::string_view bytes, std::string_view name);

// Replaces `path` by temporary file and rename. Readers see the old or the new file, never a part.
// Mode is 0666 less the umask.
Status replace_file(const std::string& path, std::string_view bytes);
// With that mode, whatever the umask is; without one, as above.
Status replace_file(const std::string& path, std::string_view bytes, std::optional<mode_t> mode);

// The mode, before the umask, of files that compilers and linkers write.
inline constexpr mode_t kFileMode = 0666;
inline constexpr mode_t kProgramMode = 0777;

// mkdir -p; new directories get `mode`.
Status make_directories(const std::string& path, mode_t mode);

// rm -rf that does not follow symbolic links. An entry that is already gone is no error.
Status remove_tree(const std::string& path);

// The names in a directory, without "." and "..", sorted.
Result<std::vector<std::string>> list_directory(const std::string& path);

// The part after the last slash; the part before it ("." if there is none, "/" for "/x").
std::string_view base_name(std::string_view path);
std::string_view directory_name(std::string_view path);

// `path` if it is absolute, else `directory`/`path`. Resolves nothing: "a/../b" may differ from "b"
// if a is a link.
std::string join_path(std::string_view directory, std::string_view path);

// The absolute path without links, "." and ".."; nullopt and errno if it leads nowhere.
std::optional<std::string> resolved_path(const std::string& path);
// The same, but the path itself if it leads nowhere.
std::string real_path(const std::string& path);

// Whether `path` is `directory` or lies below it, by spelling.
bool is_within(std::string_view path, std::string_view directory);

// A descriptor of anonymous memory that holds the bytes and is sealed against every change.
Result<UniqueFd> sealed_memory(std::string_view bytes, const char* name);

// A file in memory for another process: written piece by piece, then sealed. Used by one thread.

class MemoryFile {
 public:
  // The name shows in /proc only.
  static Result<MemoryFile> make(const char* name);

  Status append(std::string_view bytes);

  // Seals the file against every change and returns it.
  Result<UniqueFd> seal() &&;

 private:
  explicit MemoryFile(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

}  // namespace hipcache

#endif
