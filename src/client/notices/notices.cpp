#include "client/notices/notices.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

#include "client/connection/daemon_start.h"
#include "hipcache/base/checksum.h"
#include "hipcache/base/files.h"
#include "hipcache/config/cache_place.h"
#include "hipcache/config/settings.h"
#include "hipcache/config/values.h"

namespace hipcache::client {

namespace {

// A time in the future, after the clock was set back, is not recent.
bool is_recent(const struct stat& status) {
  const std::time_t age = std::time(nullptr) - status.st_mtime;
  return age >= 0 && age < std::chrono::seconds(NoticeStamps::kPause).count();
}

}  // namespace

bool NoticeStamps::is_due(std::string_view notice) const {
  const std::string path = join_path(directory_, std::to_string(checksum_of(notice) % kStamps));
  constexpr int kFlags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
  if (UniqueFd(open(path.c_str(), kFlags | O_EXCL, S_IRUSR | S_IWUSR))) return true;
  const UniqueFd stamp(open(path.c_str(), kFlags, S_IRUSR | S_IWUSR));
  struct stat status{};
  if (!stamp || flock(stamp.get(), LOCK_EX | LOCK_NB) != 0) return false;
  if (fstat(stamp.get(), &status) != 0 || is_recent(status)) return false;
  return futimens(stamp.get(), nullptr) == 0;
}

namespace {

constexpr const char* kWithoutCache = "compiles run without the cache: ";

// The variable counts even if the other settings are wrong, which is what a notice may be about.
bool is_quiet(const config::Lookup& variable) {
  if (const Result<bool> wanted = config::parse_boolean(variable("HIPCACHE_QUIET").value_or("")); wanted)
    return *wanted;
  const Result<config::Settings> settings = config::load(variable);
  return settings && settings->quiet;
}

// Another user may make a directory of any name in /tmp, but not of all of them.
std::optional<std::string> place_of_stamps(const config::Lookup& variable) {
  constexpr int kNames = 8;
  std::optional<std::string> place = private_place(variable, "notices");
  for (int number = 2; !place && number <= kNames; ++number)
    place = private_place(variable, "notices-" + std::to_string(number));
  return place;
}

// A job of another session, or with another cache, has not heard what this one has.
std::string job_of(const config::Lookup& variable) {
  const Result<config::Settings> located = config::locate(variable);
  return std::string(1, '\0') + std::to_string(getsid(0)) + " " + (located ? located->directory : "");
}

// If nobody reads standard error, the compile goes on.
void print(const std::string& text) {
  struct sigaction before{};
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  [[maybe_unused]] const Status written = write_all(STDERR_FILENO, text, "standard error");
  sigaction(SIGPIPE, &before, nullptr);
}

}  // namespace

std::vector<std::string> notices_on_settings(const config::Lookup& variable,
                                             const std::vector<std::string>& environment,
                                             const std::optional<std::string>& daemon_settings) {
  const Result<config::Settings> settings = config::load(variable);
  std::vector<std::string> notices;
  if (settings && settings->disable) return notices;
  for (const config::UnknownVariable& unknown : config::unknown_variables(environment))
    if (!unknown.nearest.empty())
      notices.push_back(unknown.name + " is no variable of hipcache; is " + unknown.nearest + " meant?");
  if (const std::optional<std::string> file = config::missing_file(variable))
    notices.push_back("HIPCACHE_CONFIG names " + *file + ", which does not exist");
  if (!settings) notices.push_back(kWithoutCache + settings.error().message);
  if (!settings || !daemon_settings) return notices;
  const auto unused = config::unused_settings(variable, *daemon_settings);
  if (!unused) return notices;
  for (const config::UnusedSetting& setting : *unused) notices.push_back(config::describe(setting));
  return notices;
}

std::string notice_without_cache(const Error& problem) { return kWithoutCache + problem.message; }

void say(const std::vector<std::string>& notices, const config::Lookup& variable) {
  if (notices.empty() || is_quiet(variable)) return;
  const std::optional<std::string> place = place_of_stamps(variable);
  const std::string job = job_of(variable);
  std::string text;
  for (const std::string& notice : notices)
    if (!place || NoticeStamps(*place).is_due(notice + job)) text += "hipcache: " + notice + "\n";
  if (!text.empty()) print(text);
}

}  // namespace hipcache::client
