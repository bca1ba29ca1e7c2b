// What a compiler's program is, by its file.
#ifndef HIPCACHE_SRC_CLI_DOCTOR_PROGRAM_KIND_H
#define HIPCACHE_SRC_CLI_DOCTOR_PROGRAM_KIND_H

#include <string>
#include <string_view>

#include "hipcache/base/result.h"

namespace hipcache::cli {

enum class ProgramKind {
  dynamic,      // can be traced
  static_elf,   // has no dynamic loader: no library can be preloaded
  script,       // "#!"
  other_cache,  // ccache, sccache or a distributor, perhaps by a link
  other
};

struct Program {
  ProgramKind kind = ProgramKind::other;
  std::string real_path;  // links resolved
};

// "ccache", "/usr/bin/sccache": by the name of the program, unless that is a link to hipcache.
bool is_other_cache(std::string_view path);

// An error if the file cannot be read.
Result<Program> program_at(const std::string& path);

}  // namespace hipcache::cli

#endif
