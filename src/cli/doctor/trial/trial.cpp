#include "cli/doctor/trial/trial.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/config/remote_url.h"
#include "hipcache/config/values.h"

namespace hipcache::cli {
namespace {

constexpr std::size_t kLongestPlace = 40;  // a cache directory has at most 75 bytes

Result<std::string> make_place() {
  const char* wanted = std::getenv("TMPDIR");
  const bool suits = wanted != nullptr && wanted[0] == '/' && std::string_view(wanted).size() <= kLongestPlace;
  std::string path = std::string(suits ? wanted : "/tmp") + "/hipcache-doctor-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) return system_error("cannot make", path);
  return path;
}

// A tier that is only written would not be asked anyway.
std::vector<std::string> readable(const std::vector<std::string>& urls) {
  std::vector<std::string> all;
  for (const std::string& text : urls)
    if (const Result<config::RemoteUrl> url = config::parse_remote_url(text); url && url->reads)
      all.push_back(only_read(text));
  return all;
}

Words environment_in(const std::string& directory, const config::Settings& settings) {
  Words environment;
  for (std::string& entry : own_environment())
    if (!entry.starts_with("HIPCACHE_")) environment.push_back(std::move(entry));
  const Words ours{"HIPCACHE_DIR=" + directory + "/cache",
                   "HIPCACHE_CONFIG=/dev/null",
                   "HIPCACHE_QUIET=1",
                   "HIPCACHE_MAX_SIZE=1G",
                   "HIPCACHE_IDLE_TIMEOUT=60",
                   "HIPCACHE_NAMESPACE=" + directory,
                   "HIPCACHE_COMPILERS=" + config::format_list(settings.compilers),
                   "HIPCACHE_CUID=" + settings.cuid,
                   "HIPCACHE_REMOTE=" + config::format_list(readable(settings.remote)),
                   "HIPCACHE_TRUSTED_KEYS=" + config::format_list(settings.trusted_keys)};
  environment.insert(environment.end(), ours.begin(), ours.end());
  return environment;
}

}  // namespace

std::string only_read(const std::string& url) {
  const std::size_t query = url.find('?');
  if (query == std::string::npos) return url + "?mode=ro";
  std::string kept = url.substr(0, query + 1);
  for (std::size_t at = query + 1; at < url.size();) {
    const std::size_t end = std::min(url.find('&', at), url.size());
    const std::string option = url.substr(at, end - at);
    if (!option.empty() && !option.starts_with("mode=")) kept += option + "&";
    at = end + 1;
  }
  return kept + "mode=ro";
}

Result<Trial> Trial::make(const std::string& hipcache, const config::Settings& settings) {
  Result<std::string> directory = make_place();
  if (!directory) return directory.error();
  Words environment = environment_in(*directory, settings);
  return Trial(std::move(*directory), hipcache, std::move(environment));
}

Trial::Trial(std::string directory, std::string hipcache, Words environment)
    : directory_(std::move(directory)), hipcache_(std::move(hipcache)), environment_(std::move(environment)) {}

Trial::Trial(Trial&& other) noexcept
    : directory_(std::exchange(other.directory_, "")),
      hipcache_(std::move(other.hipcache_)),
      environment_(std::move(other.environment_)) {}

Trial::~Trial() {
  if (directory_.empty()) return;
  [[maybe_unused]] const Result<Ran> stopped = run({"--stop-server"});
  [[maybe_unused]] const Status removed = remove_tree(directory_);  // a temporary directory: others remove the rest
}

Result<Ran> Trial::run(const Words& words) const {
  Words argv{hipcache_};
  argv.insert(argv.end(), words.begin(), words.end());
  return run_program(argv, environment_);
}

Status Trial::write(const std::string& name, std::string_view bytes) const { return replace_file(path(name), bytes); }

void Trial::remove(const std::string& name) const { unlink(path(name).c_str()); }

Result<stats::Snapshot> Trial::statistics() const {
  const Result<Ran> shown = run({"--show-stats", "--format", "json"});
  if (!shown) return shown.error();
  if (shown->exit_code != 0) return Error{first_line(shown->err)};
  return stats::Snapshot::from_json(shown->out);
}

}  // namespace hipcache::cli
