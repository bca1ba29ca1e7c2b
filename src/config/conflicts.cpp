#include "hipcache/config/conflicts.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/base/roots.h"
#include "hipcache/config/remote_url.h"

namespace hipcache::config {
namespace {

constexpr const char* kNotInBaseDirectories = " \"\\$:=,#";  // docs/configuration.md says so

bool is_only_read(const Settings& settings) { return settings.readonly && !settings.recache; }
bool is_only_written(const Settings& settings) { return settings.recache && !settings.readonly; }
bool is_signing(const Settings& settings) { return !settings.signing_key.empty(); }

bool has_untrusted_engine(const Settings& settings) {
  return settings.execute && !settings.execute->is_trusted && (!settings.remote.empty() || is_signing(settings));
}

bool any_tier(const Settings& settings, bool RemoteUrl::* is_used) {
  return std::any_of(settings.remote.begin(), settings.remote.end(), [&](const std::string& text) {
    const Result<RemoteUrl> url = parse_remote_url(text);
    return url && (*url).*is_used;
  });
}

bool has_no_tier(const Settings& settings, bool RemoteUrl::* is_used) {
  return !settings.remote.empty() && !any_tier(settings, is_used);
}

struct Rule {
  bool is_mistake;
  bool (*holds)(const Settings& settings);
  const char* text;
};

constexpr auto kRules = std::to_array<Rule>({
    {false, [](const Settings& s) { return s.disable; },
     "disable is set: compiles run without the cache; unset HIPCACHE_DISABLE to use it"},
    {true, [](const Settings& s) { return s.readonly && s.recache; },
     "readonly and recache are both set: no stored result is used and none is stored; unset one of them"},
    {false, is_only_read, "readonly is set: stored results are used, new ones are not stored"},
    {false, is_only_written, "recache is set: no stored result is used; unset HIPCACHE_RECACHE to use them"},
    {true, [](const Settings& s) { return s.readonly && s.audit.value_or(0) > 0; },
     "audit does nothing while readonly is set, because a wrong result could not be dropped; unset one of them"},
    {false, [](const Settings& s) { return s.cuid == "keep"; },
     "cuid is keep: HIP compiles are not split by architecture; unset HIPCACHE_CUID to split them"},
    {true, [](const Settings& s) { return s.base_directories.size() > Roots::kMost; },
     "basedir has more than 16 directories: the others do not count; name a directory above them"},
    {false,
     [](const Settings& s) { return s.base_directories.size() > 1 && s.base_directories.size() <= Roots::kMost; },
     "basedir is a list: a request that lies in one directory shares with requests in any other; of a request in "
     "several, the first corresponds to another's first, the second to its second. Those of sccache all count as one"},
    {true, [](const Settings& s) { return is_signing(s) && !s.seeds.empty(); },
     "seed does nothing while signing_key is set, because a machine that signs reads no seed; unset one of them"},
    {false, [](const Settings& s) { return is_signing(s) && s.remote.empty(); },
     "signing_key is set without remote: it signs only what --export writes"},
    {true, [](const Settings& s) { return is_signing(s) && has_no_tier(s, &RemoteUrl::writes); },
     "signing_key signs nothing for remote, whose tiers all have mode=ro; use mode=rw to write"},
    {false, [](const Settings& s) { return has_no_tier(s, &RemoteUrl::reads); },
     "remote has only tiers with mode=wo: no shared result is used; use mode=rw to use them"},
    {true, has_untrusted_engine,
     "execute does nothing: what workers made would get into shared caches or be signed; if the workers are as trusted "
     "as this machine, add trusted=true to its URL"},
    {true, [](const Settings& s) { return s.readonly && has_no_tier(s, &RemoteUrl::reads); },
     "remote does nothing: its tiers are only written, and readonly is set; unset one of them"},
});

bool is_directory(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

using Texts = std::vector<std::string>;

void add_base_directory(Texts& texts, const std::string& path) {
  if (!is_directory(path) && !is_pattern(path))
    texts.push_back("basedir " + path + " is no directory; name the root of the checkout");
  if (path.find_first_of(kNotInBaseDirectories) != std::string::npos)
    texts.push_back("basedir " + path + " does not count: its name has a blank or one of \"\\$:=,#; move the checkout");
}

void add_seed(Texts& texts, const std::string& path, const Settings& settings) {
  if (path == settings.directory)
    texts.push_back("seed " + path + " is the cache directory itself; name another one, or unset HIPCACHE_SEED");
  else if (!is_directory(path))
    texts.push_back("seed " + path + " is no directory; name a cache directory that was filled before");
}

void add_signing_key(Texts& texts, const std::string& path) {
  if (!path.empty() && access(path.c_str(), R_OK) != 0)
    texts.push_back(system_error("cannot read", "the file of signing_key").message +
                    "; docs/remote.md says how to make one");
}

// The daemon makes the file, but not its directory.
void add_log(Texts& texts, const std::string& path) {
  if (path.empty() || path == "stderr" || access(path.c_str(), W_OK) == 0) return;
  if (errno == ENOENT && access(std::string(directory_name(path)).c_str(), W_OK) == 0) return;
  texts.push_back(system_error("cannot write log", path).message + "; name a file in a directory of yours");
}

Texts wrong_paths(const Settings& settings) {
  Texts texts;
  for (const std::string& path : settings.base_directories) add_base_directory(texts, path);
  for (const std::string& path : settings.seeds) add_seed(texts, path, settings);
  add_signing_key(texts, settings.signing_key);
  add_log(texts, settings.log);
  return texts;
}

}  // namespace

std::vector<Conflict> conflicts(const Settings& settings) {
  std::vector<Conflict> found;
  for (const Rule& rule : kRules)
    if (rule.holds(settings)) found.push_back({.is_mistake = rule.is_mistake, .text = rule.text});
  for (std::string& text : wrong_paths(settings)) found.push_back({.is_mistake = true, .text = std::move(text)});
  return found;
}

}  // namespace hipcache::config
