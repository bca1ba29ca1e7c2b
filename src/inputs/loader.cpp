#include "inputs/loader.h"

#include <sys/stat.h>

#include <array>
#include <set>
#include <string>
#include <utility>

#include "hipcache/base/files.h"
#include "inputs/library_path.h"

namespace hipcache::inputs {
namespace {

constexpr std::string_view kTracer = "libhipcache-trace.so";
constexpr const char* kSearchVariable = "LD_LIBRARY_PATH";

// What else the loader and libc ask of the environment before anybody can listen, and that has a say in which code
// runs (GLIBC_TUNABLES: which variants of libm's functions, too) or in what is printed.
constexpr std::array<const char*, 6> kVariables = {kSearchVariable, "LD_PRELOAD",     "LD_AUDIT",
                                                   "LD_DEBUG",      "GLIBC_TUNABLES", "LD_ASSUME_KERNEL"};

// Directories below a search directory that the loader prefers to it: of glibc 2.33 on, and before 2.37.
constexpr std::array<std::string_view, 5> kPreferred = {"glibc-hwcaps", "tls", "haswell", "avx512_1", "x86_64"};
constexpr std::array<std::string_view, 3> kLevels = {"x86-64-v4", "x86-64-v3", "x86-64-v2"};

// Each directory once, under the spelling that came first.
class SearchDirectories {
 public:
  explicit SearchDirectories(const Surroundings& from) : from_(from) {}

  void add(std::string directory) {
    struct stat status = {};
    if (::stat(join_path(from_.working_directory, directory).c_str(), &status) == 0) {
      if (!files_.emplace(status.st_dev, status.st_ino).second) return;
    }
    directories_.insert(std::move(directory));
  }

  const std::set<std::string>& all() const { return directories_; }

 private:
  const Surroundings& from_;
  std::set<std::pair<dev_t, ino_t>> files_;
  std::set<std::string> directories_;
};

void add_all(std::string_view list, std::string_view origin, SearchDirectories& directories) {
  for (std::string& directory : directories_in(list, origin)) directories.add(std::move(directory));
}

// What it names to each program: its tokens may speak of the program's directory.
void add_search_variable(const trace::Trace& trace, const Surroundings& from, SearchDirectories& directories) {
  const char* value = from.variable(kSearchVariable);
  if (value == nullptr || *value == '\0') return;
  for (const std::string& program : trace.programs) add_all(value, directory_name(program), directories);
}

void add_named_by(const std::string& path, const Surroundings& from, SearchDirectories& directories) {
  for (const std::string& list : library_paths_of(join_path(from.working_directory, path)))
    add_all(list, directory_name(path), directories);
}

bool is_there(const std::string& path, const Surroundings& from) {
  struct stat status = {};
  return ::stat(join_path(from.working_directory, path).c_str(), &status) == 0;
}

void add_preferred(const std::string& directory, const Surroundings& from, SearchDirectories& directories,
                   std::vector<Observation>& out) {
  for (std::string_view name : kPreferred) {
    const std::string preferred = directory + "/" + std::string(name);
    out.push_back({Question::presence, preferred});
    if (!is_there(preferred, from)) continue;
    directories.add(preferred);
    for (std::string_view level : kLevels) directories.add(preferred + "/" + std::string(level));
  }
}

}  // namespace

bool is_counted_library(std::string_view path) {
  return path.find('/') != std::string_view::npos && base_name(path) != kTracer;
}

void add_loader_questions(const trace::Trace& trace, const Surroundings& from, std::vector<Observation>& out) {
  out.push_back({Question::content, "/etc/ld.so.cache"});
  out.push_back({Question::content, "/etc/ld.so.preload"});
  for (const char* variable : kVariables) out.push_back({Question::variable, variable});

  std::set<std::string> libraries;
  SearchDirectories directories(from);
  for (const trace::Record& record : trace.records) {
    if (record.kind != trace::Kind::library || !is_counted_library(record.text)) continue;
    libraries.insert(record.text);
    directories.add(std::string(directory_name(record.text)));
    add_named_by(record.text, from, directories);
  }
  for (const std::string& program : trace.programs) add_named_by(program, from, directories);
  add_search_variable(trace, from, directories);
  for (const std::string& directory : std::set<std::string>(directories.all()))
    add_preferred(directory, from, directories, out);

  for (const std::string& library : libraries) {
    for (const std::string& directory : directories.all()) {
      std::string place = directory + "/" + std::string(base_name(library));
      if (place != library) out.push_back({Question::presence, std::move(place)});
    }
  }
}

}  // namespace hipcache::inputs
