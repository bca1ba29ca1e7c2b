#include "inputs/observe/preloaded.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "hipcache/base/files.h"
#include "inputs/loader/library_path.h"

namespace hipcache::inputs {
namespace {

bool is_bare(std::string_view entry) { return entry.find('/') == std::string_view::npos; }

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

using Identity = std::pair<dev_t, ino_t>;

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

Refusal not_loaded(const std::string& entry) { return {"trace", "preloaded but not loaded: " + entry}; }

}  // namespace

Preloaded preloaded_by(const trace::Trace& trace, const RunContext& from) {
  constexpr std::uint64_t kFileLimit = 1u << 20;
  Preloaded preloaded;
  if (const char* value = from.variable("LD_PRELOAD")) add_entries(value, trace, preloaded);
  if (const Result<std::string> file = read_file(kPreloadFile, kFileLimit))
    add_entries(without_comments(*file), trace, preloaded);
  return preloaded;
}

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

}  // namespace hipcache::inputs
