#include "inputs/loader.h"

#include <sys/stat.h>

#include <array>
#include <set>
#include <string>
#include <utility>

#include "hipcache/base/files.h"

namespace hipcache::inputs {
namespace {

constexpr std::string_view kTracer = "libhipcache-trace.so";
constexpr const char* kSearchVariable = "LD_LIBRARY_PATH";

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

// The variable's entries are parted by ':' or ';'; an empty one is the working directory.
void add_search_variable(const Surroundings& from, SearchDirectories& directories) {
  const char* value = from.variable(kSearchVariable);
  if (value == nullptr || *value == '\0') return;
  std::string_view rest = value;
  for (;;) {
    const std::size_t end = rest.find_first_of(":;");
    const std::string_view entry = rest.substr(0, end);
    directories.add(entry.empty() ? "." : std::string(entry));
    if (end == std::string_view::npos) return;
    rest.remove_prefix(end + 1);
  }
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
  out.push_back({Question::variable, kSearchVariable});
  out.push_back({Question::variable, "LD_PRELOAD"});

  std::set<std::string> libraries;
  SearchDirectories directories(from);
  for (const trace::Record& record : trace.records) {
    if (record.kind != trace::Kind::library || !is_counted_library(record.text)) continue;
    libraries.insert(record.text);
    directories.add(std::string(directory_name(record.text)));
  }
  for (const std::string& program : trace.programs) directories.add(std::string(directory_name(program)) + "/../lib");
  add_search_variable(from, directories);
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
