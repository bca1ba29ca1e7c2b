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
#ifndef HIPCACHE_SRC_INPUTS_RULES_DRIVER_LISTINGS_H
#define HIPCACHE_SRC_INPUTS_RULES_DRIVER_LISTINGS_H

#include <algorithm>
#include <string_view>

#include "hipcache/base/files.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/trace/record.h"

namespace hipcache::inputs {

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

}  // namespace hipcache::inputs

#endif
