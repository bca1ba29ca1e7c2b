#include "daemon/run/units_to_come.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "daemon/shared/client_process.h"
#include "daemon/shared/job_slots.h"
#include "hipcache/base/files.h"
#include "hipcache/base/text.h"

namespace hipcache::daemon {
namespace {

constexpr std::uint64_t kLargestDescription = 64u << 20;
constexpr std::size_t kMadeMeanwhile = 2;  // units, by each other job of the build, while one makes its three headers

// ".hip.o" of "CMakeFiles/maths.dir/src/special.hip.o".
std::string_view ending_of(std::string_view object) {
  const std::string_view name = base_name(object);
  const std::size_t last = name.rfind('.');
  const std::size_t at = last == name.npos || last == 0 ? name.npos : name.rfind('.', last - 1);
  return at == name.npos ? "" : name.substr(at);
}

// "build/src/CMakeFiles/maths.dir/" of the object there; "" if no target of CMake's makes it.
std::string target_of(const std::string& object) {
  constexpr std::string_view kBegin = "CMakeFiles/", kEnd = ".dir/";
  const std::size_t at = object.rfind(kBegin);
  const std::size_t end = at == object.npos ? at : object.find(kEnd, at);
  return end == object.npos ? "" : object.substr(0, end + kEnd.size());
}

// Those of the language HIP have the same options mostly, whatever their target.
bool is_of_language_hip(std::string_view ending) { return ending == ".hip.o" || ending == ".cu.o"; }

std::string_view take_line(std::string_view& rest) {
  const std::string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  return line;
}

// The objects with an ending that the rules of a build make, by their paths.
class Objects {
 public:
  // `ending` outlives it.
  explicit Objects(std::string_view ending) : ending_(ending) {}

  // One file for all targets. Names in it begin where the build tool works.
  bool take_ninja(const std::string& directory) { return take(directory + "/build.ninja", "build ", directory); }

  // A file for each target, and one that names them all. Names begin at the top of the build.
  void take_make(const std::string& target, bool all_targets) {
    constexpr std::string_view kTop = "CMAKE_BINARY_DIR = ";
    const Result<std::string> own = read_file(target + "build.make", kLargestDescription);
    std::string_view rest = own ? std::string_view(*own) : "";
    std::string top;
    while (!rest.empty() && top.empty())
      if (const std::string_view line = take_line(rest); line.starts_with(kTop)) top = line.substr(kTop.size());
    const Result<std::string> targets = read_file(top + "/CMakeFiles/TargetDirectories.txt", kLargestDescription);
    if (!all_targets || !targets) {
      take(target + "build.make", "", top);
      return;
    }
    for (std::string_view left = *targets; !left.empty();) take(std::string(take_line(left)) + "/build.make", "", top);
  }

  const std::set<std::string>& paths() const { return paths_; }
  void keep_below(const std::string& directory) {
    std::erase_if(paths_, [&](const std::string& path) { return !path.starts_with(directory); });
  }

 private:
  // What the rules make: "build a.o: ..." of Ninja, "a.o: ..." of make. Whether there is such a file.
  bool take(const std::string& file, std::string_view keyword, const std::string& directory) {
    const Result<std::string> text = read_file(file, kLargestDescription - read_);
    if (!text) return false;
    read_ += text->size();
    for (std::string_view rest = *text; !rest.empty();) {
      std::string_view line = take_line(rest);
      if (!line.starts_with(keyword)) continue;
      line.remove_prefix(keyword.size());
      const std::string_view product = line.substr(0, line.find_first_of(": |"));
      if (product.ends_with(ending_)) paths_.insert(normal_path(join_path(directory, std::string(product))));
    }
    return true;
  }

  std::string_view ending_;
  std::uint64_t read_ = 0;
  std::set<std::string> paths_;
};

bool is_there(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace

std::size_t objects_to_come(const std::string& object, const std::string& working_directory,
                            const std::vector<std::string>& command) {
  const std::string path = normal_path(join_path(working_directory, object));
  const std::string target = target_of(path);
  const std::string_view ending = ending_of(path);
  const auto asks_for_object = [](std::string_view word) { return word.ends_with(".o") || word.ends_with('^'); };
  if (target.empty() || ending.empty() || std::any_of(command.begin(), command.end(), asks_for_object)) return 0;
  Objects objects(ending);
  if (!objects.take_ninja(working_directory)) objects.take_make(target, is_of_language_hip(ending));
  if (!is_of_language_hip(ending)) objects.keep_below(target);
  const std::set<std::string>& paths = objects.paths();
  return !paths.contains(path) || std::any_of(paths.begin(), paths.end(), is_there) ? 0 : paths.size();
}

std::size_t units_to_come(const RequestContext& context) {
  const Request& request = context.request;
  if (request.foreign_mounts != nullptr) return 0;
  const pid_t client = peer_process(context.channel.fd());
  const std::size_t objects =
      objects_to_come(request.invocation.object, request.from.working_directory, build_command_of(client));
  const auto [jobs, slots] = context.services.job_slots.limits(client);
  const std::size_t meanwhile = kMadeMeanwhile * ((jobs != 0 ? jobs : slots) - 1);
  return objects - std::min(objects, meanwhile);
}

}  // namespace hipcache::daemon
