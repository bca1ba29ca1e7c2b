// The compilers that --doctor tries if the user names none: those of PATH and of ROCm, and those that the build in the
// current directory uses, by its compile_commands.json and its CMakeCache.txt.
#ifndef HIPCACHE_SRC_CLI_DOCTOR_FIND_COMPILERS_H
#define HIPCACHE_SRC_CLI_DOCTOR_FIND_COMPILERS_H

#include <string>
#include <string_view>
#include <vector>

#include "cli/doctor/checks.h"
#include "cli/doctor/trial/trial.h"
#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"

namespace hipcache::cli {

// What a compiler's program is, by its file.

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

// A compiler that is examined.
struct Subject {
  Words words;  // the compiler and its options
  Language language = Language::cxx;
  bool is_named = false;
  bool is_extra = false;  // an option that a compiler may lack: its failure is only worth a note
  std::string name() const { return words.front(); }
};

// "gcc-12" compiles C, "clang++" C++, "hipcc" and "clang++ -x hip" HIP.
Language language_of(const Words& words);

// The words of a command line of a shell, as far as quotes and backslashes go.
Words words_of(std::string_view command);

// Of the text of a compile_commands.json. Each compiler once for each language; at most kMostCompilers. A command that
// another cache runs, and a text that is no database, are findings.
std::vector<Subject> compilers_in_database(const std::string& json, Findings& findings);
// Of the text of a CMakeCache.txt.
std::vector<Subject> compilers_in_cmake_cache(const std::string& text, Findings& findings);

inline constexpr std::size_t kMostCompilers = 12;

// All of them, the build's first. `directory`: the current one.
std::vector<Subject> find_compilers(const config::Lookup& variable, const std::string& directory, Findings& findings);

}  // namespace hipcache::cli

#endif
