// Whether the settings, the cache directory and the machine suit hipcache.
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "cli/doctor/checks.h"
#include "cli/doctor/find_compilers.h"
#include "hipcache/base/files.h"
#include "hipcache/config/cache_place.h"
#include "hipcache/config/conflicts.h"
#include "hipcache/config/settings.h"
#include "hipcache/config/values.h"

namespace hipcache::cli {

namespace {

void check_variables(Examination& examination) {
  for (const config::UnknownVariable& unknown : config::unknown_variables(examination.environment)) {
    if (unknown.nearest.empty())
      examination.findings.note(unknown.name + " is no variable of hipcache; hipcache --show-config lists them");
    else
      examination.findings.warning(unknown.name + " is no variable of hipcache; is " + unknown.nearest + " meant?");
  }
  if (const std::optional<std::string> file = config::missing_file(examination.variable))
    examination.findings.warning("HIPCACHE_CONFIG names " + *file + ", which does not exist; make it, or unset it");
}

void check_cache_directory(Examination& examination) {
  const std::string directory = examination.variable("HIPCACHE_DIR").value_or("");
  if (!directory.empty() && directory.front() != '/')
    examination.findings.warning("HIPCACHE_DIR is " + directory +
                                 ": each working directory has a cache of its own; give an absolute path");
}

// Build tools take the compiler, or what runs before it, from these.
constexpr auto kOfBuildTools =
    std::to_array<const char*>({"CC", "CXX", "HIPCXX", "CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER",
                                "CMAKE_HIP_COMPILER_LAUNCHER", "HIP_CLANG_LAUNCHER"});

void check_other_caches(Examination& examination) {
  for (const char* name : kOfBuildTools) {
    const std::string value = examination.variable(name).value_or("");
    const std::string program = value.substr(0, value.find(' '));
    if (is_other_cache(program))
      examination.findings.warning(std::string(name) + " is " + value + ": another cache is in the way; use hipcache " +
                                   "in its place");
  }
}

std::string given_settings(const config::Lookup& variable) {
  const Result<std::vector<config::Described>> described = config::describe(variable);
  std::string given;
  if (!described) return given;
  for (const config::Described& setting : *described)
    if (setting.origin != config::kDefaultOrigin) given.append(given.empty() ? "" : ", ").append(setting.key);
  return given;
}

struct FileSystem {
  std::int64_t type;
  const char* name;
};

// Of statfs(2). A local file system that is only seen through FUSE is one of the network's here, too.
constexpr auto kOfNetworks = std::to_array<FileSystem>({{0x6969, "NFS"},
                                                        {0x517B, "SMB"},
                                                        {0xFE534D42, "SMB"},
                                                        {0xFF534D42, "CIFS"},
                                                        {0x65735546, "FUSE"},
                                                        {0x01021997, "9P"},
                                                        {0x00C36400, "Ceph"},
                                                        {0x0BD00BD0, "Lustre"},
                                                        {0x5346414F, "AFS"},
                                                        {0x47504653, "GPFS"},
                                                        {0x19830326, "BeeGFS"}});
constexpr std::int64_t kMemory = 0x01021994;   // tmpfs
constexpr std::int64_t kOverlay = 0x794C7630;  // a container's own layer

std::string gigabytes(std::uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GB", static_cast<double>(bytes) / 1e9);
  return text;
}

void check_file_system(const std::string& directory, Findings& findings) {
  struct statfs status{};
  if (statfs(directory.c_str(), &status) != 0) return;
  const auto type = static_cast<std::int64_t>(status.f_type) & 0xFFFFFFFF;
  if (const std::string network = network_file_system(type); !network.empty())
    findings.warning("cache directory " + directory + " is on " + network +
                     ", which is slow and locks badly; set HIPCACHE_DIR to a local disk, and share by HIPCACHE_REMOTE");
  if (type == kMemory)
    findings.note("cache directory " + directory + " is in memory (tmpfs): a restart of the machine empties it");
  if (type == kOverlay)
    findings.note("cache directory " + directory + " is in the container's own layer: it ends with the container");
}

// docs/internals/formats.md: v3/db.damaged-<seconds>.
void check_set_aside(const std::string& directory, Findings& findings) {
  const Result<std::vector<std::string>> stores = list_directory(directory);
  if (!stores) return;
  for (const std::string& store : *stores) {
    const std::string path = join_path(directory, store);
    const Result<std::vector<std::string>> names = store.starts_with('v') ? list_directory(path) : Error{"no store"};
    if (!names) continue;
    for (const std::string& name : *names)
      if (name.starts_with("db.damaged-"))
        findings.warning("a damaged database was set aside as " + join_path(path, name) +
                         ", and what it held is compiled again; look after the disk and the memory, and remove it by "
                         "hipcache --clear");
  }
}

void check_sharing(const config::Settings& settings, const OwnDirectory& directory, Findings& findings) {
  const bool is_shared = config::group_sharing(settings, directory).has_value();
  if (config::lets_group_write(settings) && !is_shared)
    findings.warning("umask " + config::format_umask(settings.umask) + " is to share " + directory.path() +
                     " with a group, which may not write to it; chmod 3770 " + directory.path());
}

// Some errors say what to do, such as a mode to change.
std::string with_remedy(const std::string& error) {
  return error.find("; ") != std::string::npos ? error : error + "; HIPCACHE_DIR may name another directory";
}

constexpr const char* kHugePages = "/sys/kernel/mm/transparent_hugepage/enabled";

}  // namespace

void check_settings(Examination& examination) {
  Findings& findings = examination.findings;
  check_variables(examination);
  check_cache_directory(examination);
  check_other_caches(examination);
  if (!examination.settings) {
    findings.error(examination.settings.error().message);
    findings.note("what else is checked needs valid settings");
    return;
  }
  const std::string given = given_settings(examination.variable);
  findings.ok(given.empty() ? "settings: all are at their defaults" : "settings are valid; given are " + given);
  for (config::Conflict& conflict : config::conflicts(*examination.settings))
    findings.add(conflict.is_mistake ? Level::warning : Level::note, std::move(conflict.text));
}

std::string network_file_system(std::int64_t type) {
  const auto* found =
      std::find_if(kOfNetworks.begin(), kOfNetworks.end(), [&](const FileSystem& known) { return known.type == type; });
  return found == kOfNetworks.end() ? "" : found->name;
}

void check_directory(Examination& examination) {
  if (!examination.settings) return;
  const config::Settings& settings = *examination.settings;
  Findings& findings = examination.findings;
  const Status home = config::check_home(settings);
  const Result<OwnDirectory> directory = home ? config::open_or_make_cache_directory(settings) : home.error();
  if (!directory && settings.readonly) {
    examination.has_directory = true;  // a daemon works elsewhere and only reads it
    findings.note("cache directory " + settings.directory + " is only read: " + directory.error().message);
    return;
  }
  if (!directory) {
    findings.error(with_remedy(directory.error().message));
    return;
  }
  examination.has_directory = true;
  check_set_aside(settings.directory, findings);
  check_file_system(settings.directory, findings);
  check_sharing(settings, *directory, findings);
}

Finding judge_space(const Disk& disk, std::uint64_t limit, std::uint64_t store_bytes) {
  const std::string free = gigabytes(disk.free) + " free";
  if (limit == 0) return {Level::note, "max_size is 0: the store grows without limit, " + free + "; set max_size"};
  const std::string of_limit = gigabytes(store_bytes) + " of " + gigabytes(limit) + " used, " + free;
  const std::string mend = "; set max_size to less";
  if (limit > disk.size)
    return {Level::warning,
            "max_size " + gigabytes(limit) + " is more than the disk of " + gigabytes(disk.size) + " holds" + mend};
  if (limit > store_bytes && limit - store_bytes > disk.free)
    return {Level::warning, "the disk is full before the store reaches max_size: " + of_limit + mend};
  return {Level::ok, of_limit};
}

void check_space(Examination& examination) {
  if (!examination.settings || !examination.has_directory || examination.settings->readonly) return;
  const config::Settings& settings = *examination.settings;
  struct statvfs status{};
  if (statvfs(settings.directory.c_str(), &status) != 0) {
    examination.findings.error(system_error("cannot measure", settings.directory).message);
    return;
  }
  const Disk disk{.size = status.f_blocks * status.f_frsize, .free = status.f_bavail * status.f_frsize};
  Finding finding = judge_space(disk, settings.max_size, examination.store_bytes);
  examination.findings.add(finding.level, "cache directory " + settings.directory + ": " + finding.text);
}

std::string chosen_in(const std::string& choices) {
  const std::size_t begin = choices.find('[');
  const std::size_t end = choices.find(']');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  return choices.substr(begin + 1, end - begin - 1);
}

void check_machine(Examination& examination) {
  const Result<std::string> choices = read_file(kHugePages, 4096);
  if (choices && chosen_in(*choices) == "never")
    examination.findings.note(std::string("transparent huge pages are off, and compiles that miss take some percent "
                                          "longer; as root: echo madvise > ") +
                              kHugePages);
}

}  // namespace hipcache::cli
