#include "daemon/run/preamble_search.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"

namespace hipcache::daemon {
namespace {

using inputs::Observation;
using inputs::Question;

enum class Found { missing, directory, file, other };

// Anything but a clear absence counts as there.
Found look_at(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return errno == ENOENT || errno == ENOTDIR ? Found::missing : Found::other;
  if (S_ISDIR(status.st_mode)) return Found::directory;
  return S_ISREG(status.st_mode) ? Found::file : Found::other;
}

bool is_program_or_library(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  constexpr std::string_view kMagic =
      "\x7f"
      "ELF";
  char head[kMagic.size()];
  return file && read(file.get(), head, sizeof head) == sizeof head && std::string_view(head, sizeof head) == kMagic;
}

// Below each of the directories that has it.
std::vector<std::string> names_below(const std::vector<std::string>& directories, const std::string& path) {
  std::vector<std::string> names;
  for (const std::string& directory : directories)
    if (path != directory && is_within(path, directory)) names.push_back(path.substr(directory.size() + 1));
  return names;
}

// What the text looks for, as names below a search directory. Nothing if it read a file that none of them has.
//
// A name that was found nowhere was looked for in all directories, so one of them has the question. Of a name in a
// directory that is missing, only that directory was looked for. So its name counts, unless it was found elsewhere:
// then the names in it were looked for there.
std::optional<std::set<std::string>> names_looked_for(const hip::Preamble& preamble, const inputs::PathSet& set,
                                                      const inputs::RunContext& from) {
  const auto absolute = [&](const std::string& path) { return normal_path(join_path(from.working_directory, path)); };
  std::vector<std::string> directories;
  for (const std::string& directory : preamble.system_directories) directories.push_back(absolute(directory));
  std::set<std::string> names, of_directories;
  for (const Observation& one : set.observations()) {
    if (!inputs::asks_about_content(one.question) && one.question != Question::presence) continue;
    const std::string path = absolute(from.roots.local_path(one.name));
    const std::vector<std::string> below = names_below(directories, path);
    const Found found = look_at(path);
    const bool is_read = inputs::asks_about_content(one.question) && found == Found::file;
    if (below.empty() && is_read && !is_program_or_library(path)) return std::nullopt;
    (found == Found::directory ? of_directories : names).insert(below.begin(), below.end());
  }
  for (const std::string& directory : of_directories) names.erase(directory);
  return names;
}

// The questions that show that the directory has none of the names. Nothing if it may have one.
std::optional<std::vector<Observation>> absences_in(const std::string& directory, const std::set<std::string>& names,
                                                    const std::string& working_directory) {
  const auto look = [&](const std::string& path) { return look_at(join_path(working_directory, path)); };
  if (const Found found = look(directory); found != Found::directory)
    return found == Found::missing ? std::optional(std::vector<Observation>{{Question::presence, directory}})
                                   : std::nullopt;
  std::set<std::string> absent;
  for (const std::string& name : names) {
    const std::string path = join_path(directory, name), first = join_path(directory, name.substr(0, name.find('/')));
    if (absent.contains(first)) continue;
    const bool is_first_missing = look(first) == Found::missing;
    if (!is_first_missing && (path == first || look(path) != Found::missing)) return std::nullopt;
    absent.insert(is_first_missing ? first : path);
  }
  std::vector<Observation> questions;
  for (const std::string& path : absent) questions.push_back({Question::presence, path});
  return questions;
}

std::optional<std::vector<Observation>> absences(const hip::Preamble& preamble, const std::set<std::string>& names,
                                                 const inputs::RunContext& from) {
  std::vector<Observation> all;
  for (const std::string& directory : preamble.left_out_directories) {
    std::optional<std::vector<Observation>> of_one = absences_in(directory, names, from.working_directory);
    if (!of_one) return std::nullopt;
    all.insert(all.end(), of_one->begin(), of_one->end());
  }
  return all;
}

}  // namespace

// The state is taken between two looks at the directories, so it is one in which the names are absent. What changes
// afterwards is found by the comparison when the job's result is recorded.
std::optional<inputs::Witnessed> with_absences(const hip::Preamble& preamble, const inputs::Witnessed& header,
                                               const RequestContext& context) {
  const inputs::RunContext& from = context.request.from;
  inputs::FileSystemState& file_system = context.services.file_system;
  const std::optional<std::set<std::string>> names = names_looked_for(preamble, *header.set, from);
  if (!names) return std::nullopt;
  std::optional<std::vector<Observation>> questions = absences(preamble, *names, from);
  if (!questions) return std::nullopt;
  std::vector<Observation> all = header.set->observations();
  all.insert(all.end(), questions->begin(), questions->end());
  inputs::Witnessed more{.set = std::make_shared<const inputs::PathSet>(std::move(all)), .state = {}};
  more.state = file_system.state(*more.set, from);
  if (file_system.state(*header.set, from) != header.state || absences(preamble, *names, from) != questions)
    return std::nullopt;
  return more;
}

}  // namespace hipcache::daemon
