#include "daemon/explain/equal_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>

#include "hipcache/base/files.h"

namespace hipcache::daemon {
namespace {

struct File {
  std::string place;  // without links
  struct stat status = {};
  Digest content = {};
};

bool is_taken_for(const File& one, const File& other) {
  const auto inode = [](const File& file) { return std::tie(file.status.st_dev, file.status.st_ino); };
  const auto time = [](const File& file) { return std::tie(file.status.st_mtim.tv_sec, file.status.st_mtim.tv_nsec); };
  return one.place != other.place && one.content == other.content &&
         (inode(one) == inode(other) || time(one) == time(other));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> files_taken_for_one(const inputs::PathSet& set,
                                                                     const inputs::Answered& answered,
                                                                     const inputs::RunContext& from,
                                                                     inputs::FileSystemState& file_system) {
  std::map<std::uint64_t, std::vector<std::string>> names;
  const std::vector<inputs::Observation>& observations = set.observations();
  for (std::size_t i = 0; i < observations.size(); ++i)
    if (inputs::asks_about_content(observations[i].question) && answered[i].kind == inputs::Answer::digest)
      names[answered[i].fingerprint].push_back(from.path_of(observations[i].name));
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [content, equals] : names) {
    if (equals.size() < 2) continue;
    std::vector<File> files;
    for (const std::string& name : equals) {
      File file{.place = real_path(name)};
      const Result<Digest> bytes = file_system.content(name);
      if (!bytes || ::stat(name.c_str(), &file.status) != 0) continue;
      file.content = *bytes;
      const auto like =
          std::find_if(files.begin(), files.end(), [&](const File& one) { return is_taken_for(file, one); });
      if (like != files.end()) pairs.emplace_back(like->place, file.place);
      files.push_back(std::move(file));
    }
  }
  return pairs;
}

}  // namespace hipcache::daemon
