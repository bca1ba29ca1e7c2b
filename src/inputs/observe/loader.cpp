#include "inputs/observe/loader.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/path_set_builder.h"
#include "hipcache/inputs/run_context.h"
#include "hipcache/trace/record.h"
#include "inputs/loader/library_path.h"
#include "inputs/loader/loader_cache.h"
#include "inputs/observe/race_guard.h"

namespace hipcache::inputs {

namespace {

using Identity = std::pair<dev_t, ino_t>;

// What LD_PRELOAD and /etc/ld.so.preload name. The loader loads each entry that it can, and passes over the others with
// a message. So an entry that is missing now, or is no library, is an input: it may be one later.

inline constexpr const char* kPreloadFile = "/etc/ld.so.preload";

struct Preloaded {
  std::set<std::string> names;  // without a directory: the loader looks for them as for any library
  std::set<std::string> paths;  // tokens ($ORIGIN, ...) replaced by all their values; may be relative
};

bool is_bare(std::string_view name) { return !name.empty() && name.find('/') == std::string_view::npos; }

void add_entries(std::string_view list, const trace::Trace& trace, Preloaded& preloaded) {
  constexpr std::string_view kSeparators = ": \t\n";
  for (std::size_t end = 0; !list.empty(); list.remove_prefix(std::min(end + 1, list.size()))) {
    end = std::min(list.find_first_of(kSeparators), list.size());
    const std::string_view entry = list.substr(0, end);
    if (entry.empty()) continue;
    if (is_bare(entry)) preloaded.names.emplace(entry);
    for (const std::string& program : is_bare(entry) ? std::vector<std::string>() : trace.programs)
      for (std::string& path : directories_in(entry, directory_name(program))) preloaded.paths.insert(std::move(path));
  }
}

// The loader drops what follows a '#' in a line.
std::string without_comments(std::string_view text) {
  std::string kept;
  for (bool is_comment = false; const char c : text) {
    is_comment = c != '\n' && (is_comment || c == '#');
    if (!is_comment) kept += c;
  }
  return kept;
}

std::optional<Identity> identity_of(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return Identity{status.st_dev, status.st_ino};
}

// The libraries that some program of the run loaded.
class Loaded {
 public:
  Loaded(const trace::Trace& trace, const RunContext& from) {
    for (const trace::Record& record : trace.records) {
      if (record.kind != trace::Kind::library) continue;
      names_.emplace(base_name(record.text));
      if (const auto identity = identity_of(join_path(from.working_directory, record.text))) files_.insert(*identity);
    }
  }

  bool has_name(const std::string& name) const { return names_.contains(name); }
  bool has_file(const std::string& path) const {
    const std::optional<Identity> identity = identity_of(path);
    return identity && files_.contains(*identity);
  }

 private:
  std::set<std::string, std::less<>> names_;
  std::set<Identity> files_;
};

Refusal not_loaded(const std::string& entry) { return {Reason::trace, "preloaded but not loaded: " + entry}; }

Preloaded preloaded_by(const trace::Trace& trace, const RunContext& from) {
  constexpr std::uint64_t kFileLimit = 1u << 20;
  Preloaded preloaded;
  if (const char* value = from.variable("LD_PRELOAD")) add_entries(value, trace, preloaded);
  if (const Result<std::string> file = read_file(kPreloadFile, kFileLimit))
    add_entries(without_comments(*file), trace, preloaded);
  return preloaded;
}

// Asks for the content of each path, and for each name in each of the directories. Refuses a library that exists and
// was not loaded: the cause may be any library that it needs.
std::optional<Refusal> add_preload_questions(const Preloaded& preloaded, const trace::Trace& trace,
                                             const RunContext& from, const std::set<std::string>& directories,
                                             std::vector<Observation>& out) {
  const Loaded loaded(trace, from);
  for (const std::string& path : preloaded.paths) {
    const std::string absolute = join_path(from.working_directory, path);
    if (!loaded.has_file(absolute) && libraries_needed_by(absolute)) return not_loaded(path);
    out.push_back({Question::content, path});
  }
  for (const std::string& name : preloaded.names) {
    if (loaded.has_name(name)) continue;
    for (const std::string& directory : directories) {
      std::string place = join_path(directory, name);
      if (identity_of(join_path(from.working_directory, place))) return not_loaded(name);
      out.push_back({Question::presence, std::move(place)});
    }
  }
  return std::nullopt;
}

constexpr std::string_view kTracer = "libhipcache-trace.so";

constexpr const char* kSearchVariable = "LD_LIBRARY_PATH";

// Variables that the loader and libc read before the tracer starts. They decide which code runs or what is printed.
// GLIBC_TUNABLES also selects among variants of libm's functions.
constexpr std::array<const char*, 5> kVariables = {"LD_PRELOAD", "LD_AUDIT", "LD_DEBUG", "GLIBC_TUNABLES",
                                                   "LD_ASSUME_KERNEL"};

// Holds each directory once, under the spelling that came first.
class SearchDirectories {
 public:
  explicit SearchDirectories(const RunContext& from) : from_(from) {}

  void add(std::string directory) {
    struct stat status = {};
    if (::stat(join_path(from_.working_directory, directory).c_str(), &status) == 0) {
      if (!files_.emplace(status.st_dev, status.st_ino).second) return;
    }
    directories_.insert(std::move(directory));
  }

  const std::set<std::string>& all() const { return directories_; }

 private:
  const RunContext& from_;
  std::set<std::pair<dev_t, ino_t>> files_;
  std::set<std::string> directories_;
};

void add_all(std::string_view list, std::string_view origin, SearchDirectories& directories) {
  for (std::string& directory : directories_in(list, origin)) directories.add(std::move(directory));
}

// The variable's tokens may depend on the program's directory, so each program adds its own directories.
void add_search_variable(const trace::Trace& trace, const RunContext& from, SearchDirectories& directories) {
  const char* value = from.variable(kSearchVariable);
  if (value == nullptr || *value == '\0') return;
  for (const std::string& program : trace.programs) add_all(value, directory_name(program), directories);
}

void add_named_by(const std::string& path, const RunContext& from, SearchDirectories& directories) {
  for (const std::string& list : library_paths_of(join_path(from.working_directory, path)))
    add_all(list, directory_name(path), directories);
}

bool is_there(const std::string& path, const RunContext& from) {
  struct stat status = {};
  return ::stat(join_path(from.working_directory, path).c_str(), &status) == 0;
}

// The subdirectories that the loader prefers to the directory itself.
void add_preferred(const std::string& directory, const RunContext& from, SearchDirectories& directories,
                   std::vector<Observation>& out) {
  const auto add = [&](std::string_view name) {
    const std::string preferred = directory + "/" + std::string(name);
    out.push_back({Question::presence, preferred});
    if (!is_there(preferred, from)) return;
    directories.add(preferred);
    for (std::string_view level : kHwcapsLevels) directories.add(preferred + "/" + std::string(level));
  };
  add("glibc-hwcaps");
  for (std::string_view old : kOldPreferred) add(old);
}

// The loader passes over a file that is no library for this machine, and takes it when it has become one.
Observation question_of_place(std::string place, const RunContext& from) {
  const bool is_passed_over = is_there(place, from) && !libraries_needed_by(join_path(from.working_directory, place));
  return {is_passed_over ? Question::content : Question::presence, std::move(place)};
}

// If these files exist or are read, libc itself may look for the libraries that they name.
constexpr std::string_view kNameServices = "/etc/nsswitch.conf";

// libc loads it to unwind the stack.
constexpr const char* kUnwinder = "libgcc_s.so.1";

// All names that the loader looked for. all_known() is false if there may have been others.
class LookedFor {
 public:
  LookedFor(const trace::Trace& trace, const RunContext& from, const Preloaded& preloaded)
      : from_(from), names_(preloaded.names) {
    struct stat status = {};
    all_known_ = ::stat(kPreloadFile, &status) != 0;
    for (const std::string& program : trace.programs) add_needed_by(program);
    for (const trace::Record& record : trace.records) take_record(record);
    names_.insert(kUnwinder);
    // A library may exist and yet not load, because one that it needs is missing: that may be any name.
    all_known_ = all_known_ && std::includes(loaded_.begin(), loaded_.end(), opened_.begin(), opened_.end());
  }

  // Passed to dlopen; not all need have been found.
  const std::set<std::string>& opened() const { return opened_; }
  const std::set<std::string>& names() const { return names_; }
  bool all_known() const { return all_known_; }

 private:
  void take_record(const trace::Record& record) {
    if (record.kind == trace::Kind::library && is_counted_library(record.text)) {
      add_needed_by(record.text);
      loaded_.emplace(base_name(record.text));
    }
    if (record.kind == trace::Kind::open_read && record.text == kNameServices) all_known_ = false;
    if (record.kind == trace::Kind::library_name) opened_.insert(record.text), names_.insert(record.text);
  }

  void add_needed_by(const std::string& file) {
    const auto needed = libraries_needed_by(join_path(from_.working_directory, file));
    if (!needed) all_known_ = false;
    if (needed) std::copy_if(needed->begin(), needed->end(), std::inserter(names_, names_.end()), is_bare);
  }

  const RunContext& from_;
  bool all_known_ = false;
  std::set<std::string> names_;
  std::set<std::string> loaded_;  // file names of loaded libraries
  std::set<std::string> opened_;
};

// The library names if all are known, else the whole cache and the whole variable.
void add_search(const LookedFor& looked_for, std::vector<Observation>& out) {
  if (looked_for.all_known()) {
    for (const std::string& name : looked_for.names()) out.push_back({Question::library, name});
  } else {
    out.push_back({Question::content, kLoaderCacheFile});
    out.push_back({Question::variable, kSearchVariable});
  }
}

}  // namespace

bool is_cache_changed(const PathSet& set, std::uint64_t started_ns, const LoaderCache* before, const LoaderCache* now) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  struct stat status = {};
  if (::stat(kLoaderCacheFile, &status) != 0 ||
      !at_or_after(status.st_ctim.tv_sec * kSecond + status.st_ctim.tv_nsec, started_ns))
    return false;
  const auto asks_of_change = [&](const Observation& one) {
    if (one.question != Question::library) return false;
    return before == nullptr || now == nullptr || before->entries_of(one.name) != now->entries_of(one.name);
  };
  return std::any_of(set.observations().begin(), set.observations().end(), asks_of_change);
}

bool is_counted_library(std::string_view path) {
  return path.find('/') != std::string_view::npos && base_name(path) != kTracer;
}

std::optional<Refusal> add_loader_questions(const trace::Trace& trace, const RunContext& from,
                                            std::vector<Observation>& out) {
  const Preloaded preloaded = preloaded_by(trace, from);
  const LookedFor looked_for(trace, from, preloaded);
  add_search(looked_for, out);
  out.push_back({Question::content, kPreloadFile});
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

  std::set<std::string> all = directories.all();
  all.insert(kDefaultDirectories.begin(), kDefaultDirectories.end());
  // A library that dlopen did not find may appear in any of these directories, or in the loader's default ones.
  for (const std::string& name : looked_for.opened()) {
    for (const std::string& directory : all) out.push_back(question_of_place(join_path(directory, name), from));
  }
  for (const std::string& library : libraries) {
    for (const std::string& directory : directories.all()) {
      std::string place = directory + "/" + std::string(base_name(library));
      if (place != library) out.push_back(question_of_place(std::move(place), from));
    }
  }
  return add_preload_questions(preloaded, trace, from, all, out);
}

}  // namespace hipcache::inputs
