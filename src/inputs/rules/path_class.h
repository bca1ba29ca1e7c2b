// Classifies the paths that a process named: which of them count as inputs.
#ifndef HIPCACHE_SRC_INPUTS_RULES_PATH_CLASS_H
#define HIPCACHE_SRC_INPUTS_RULES_PATH_CLASS_H

#include <algorithm>
#include <string>
#include <string_view>

#include "hipcache/base/files.h"
#include "hipcache/base/roots.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/trace/record.h"

namespace hipcache::inputs {

// Which names clang's driver takes from the directories that it lists.
//
// The problem: without --rocm-path the driver lists /opt to find the newest "rocm-VERSION" there. The driver of clang
// 15 does so for C and C++, too. Where it looks for device libraries it lists the "lib" of each place where a ROCm may
// be, such as /usr/lib. With whole listings as inputs, any package in these directories makes the compile a miss, and
// no result travels to a machine with other packages.
// The choice: of a run of compilers alone, the names that the driver takes are the input: in /opt those that begin with
// "rocm", in a directory "lib" those that end in ".bc" (RocmInstallationDetector in AMDGPU.cpp of clang 15 to 23). What
// the driver then looks up there has questions of its own.
// Rejected: the same for another system root's /opt, which nobody fills while they build; and for directories of
// device libraries, where all names end in ".bc".

inline bool is_name_of_rocm(std::string_view name) { return name.starts_with("rocm"); }
inline bool is_name_of_bitcode(std::string_view name) { return name.ends_with(".bc"); }

// What to ask about a directory that the driver listed.
inline Question question_of_driver(std::string_view absolute) {
  if (absolute == "/opt") return Question::rocm_listing;
  return base_name(absolute) == "lib" ? Question::bitcode_listing : Question::listing;
}

// A module map can make a directory an umbrella: then the compiler takes all headers that it lists.
inline bool has_module_map(const trace::Trace& trace) {
  return std::any_of(trace.records.begin(), trace.records.end(), [](const trace::Record& record) {
    return record.text.ends_with(".modulemap") || record.text.ends_with("module.map");
  });
}

// Whether a file belongs to the system, to a toolchain, or to a project.

// Headers of the system and of installed packages. Their macros are taken to use __FILE__ as text alone: none measures
// or hashes it.
bool is_installed(std::string_view path);

// Whether a toolchain outside of /usr has the file among its own. Other files in its directory may be a project's.
// `place`: absolute, or relative to the working directory.
bool is_toolchains_own(const std::string& place, const Roots& roots);

// Whether a compiler of the C family would read a file of that name as a source.
bool is_named_as_source(std::string_view path);

enum class PathClass {
  input,    // counts as an input
  own,      // in the request's temporary directory: made by the step itself or by hipcache
  system,   // on the short list in path_class.cpp: no input
  process,  // a process's own part of /proc, or an inherited descriptor: an input that cannot be read again
};

// Whether the path is /dev/fd, in it, or one of the standard streams. By its normal spelling.
bool is_inherited_descriptor(std::string_view path);

// Whether the path is /proc/self/fd or a descriptor in it. LLVM resolves these links to the names of files that it
// opened, and the trace has those files already.
bool is_own_descriptor(std::string_view absolute);

// Whether opening the path for reading gives an open descriptor of the process or of one of its ancestors. The path may
// be the descriptor's name or a link to it. Reads the file system.
bool reads_descriptor(const std::string& absolute);

// Whether the path holds what the kernel says of the processors and their memory: number, topology, caches.
bool tells_of_processors(std::string_view absolute);

class PathClassifier {
 public:
  // Recognises `own_directory` by this spelling and by its real path.
  explicit PathClassifier(const std::string& own_directory);

  // `absolute` may hold ".." and doubled slashes.
  PathClass of(std::string_view absolute) const;

 private:
  std::string spelled_;
  std::string real_;
};

// Whether writing to the path changes no file: /dev/null, terminals and the standard streams.
bool is_sink(std::string_view absolute);

}  // namespace hipcache::inputs

#endif
