// The digest in a record of what a call returned: which file was opened, where a link led.
//
// Problem: a directory may be swapped for another one while the compiler runs, and back again. It
// then holds no file newer than the run; only the identity of the files shows that the compiler
// read others.
// Choice: 64 bits, computed by the preload library right after the call. The race guard computes
// the same digest of the present files and compares. 64 bits tell accidents apart, not attacks.
// Rejected: the fields themselves (longer records, and links and real paths have other fields).
#ifndef HIPCACHE_TRACE_SEEN_H
#define HIPCACHE_TRACE_SEEN_H

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hipcache::trace {

// Which file, and, if it is regular, its state: device, inode, size, mtime, ctime.
std::uint64_t seen_file(const struct stat& status);
// The same of an opened file on a file system whose times prove nothing: also its content. nullopt
// on other file systems, and if the file cannot be read.
std::optional<std::uint64_t> seen_with_content(const std::string& path);
// Which file, directory or link, independent of its state: device, inode. For a regular file also
// whether it is empty.
std::uint64_t seen_entry(const struct stat& status);
// A link's target, a resolved path.
std::uint64_t seen_text(std::string_view text);

// What can be compared with a run on another machine (hipcache/trace/record.h: kContents).

// The digest of all bytes of a regular file; nullopt for anything else, and if it cannot be read.
std::optional<std::uint64_t> content_of(const std::string& path);
// The digest of a program or library. With a build id, which the linker made of the content: of the size and both ends,
// the first of which has the id. Without one: of all bytes. Rejected: all bytes of each, because a compiler's libraries
// have hundreds of megabytes; both ends of each, because a rebuild without an id may differ in between alone.
std::optional<std::uint64_t> content_of_program(const std::string& path);

// The values of enum trace_entry in trace/seen_digest.h.
enum class EntryKind : std::uint8_t {
  unknown = 0,
  empty_file = 1,
  file = 2,
  empty_program = 3,  // its owner may execute it
  program = 4,
  directory = 5,
  link = 6,
  other = 7
};
EntryKind kind_of(const struct stat& status);

// The parts of a look's `seen`: which entry it was there, and of what kind.
std::uint64_t identity_in(std::uint64_t seen);
EntryKind kind_in(std::uint64_t seen);

}  // namespace hipcache::trace

#endif
