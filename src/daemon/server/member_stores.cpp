#include "daemon/server/member_stores.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <thread>
#include <utility>
#include <vector>

#include "hipcache/base/files.h"

namespace hipcache::daemon {

namespace {

constexpr unsigned kMostLinks = 40;  // the kernel's limit
constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

// The names still to follow; the next one is last.
void push_names(const std::string& path, std::vector<std::string>& names) {
  std::size_t end = path.size();
  while (end > 0) {
    const std::size_t slash = path.rfind('/', end - 1);
    const std::size_t start = slash == std::string::npos ? 0 : slash + 1;
    if (end > start) names.push_back(path.substr(start, end - start));
    end = slash == std::string::npos ? 0 : slash;
  }
}

Result<std::string> target_of(const std::string& link) {
  char target[PATH_MAX];
  const ssize_t length = readlink(link.c_str(), target, sizeof target);
  if (length < 0) return system_error("cannot read", link);
  return std::string(target, static_cast<std::size_t>(length));
}

struct Place {
  std::string path;
  struct stat status{};
};

// Each directory and link on the path, with the directory itself last.
Result<std::vector<Place>> way_to(const std::string& path) {
  std::vector<std::string> names;
  push_names(path, names);
  std::vector<Place> way;
  std::string here = "/";
  unsigned links = 0;
  for (;;) {
    Place place{here, {}};
    if (lstat(here.c_str(), &place.status) != 0) return system_error("cannot look at", here);
    const bool is_link = S_ISLNK(place.status.st_mode);
    if (!is_link && !S_ISDIR(place.status.st_mode)) return Error{here + " is no directory"};
    way.push_back(std::move(place));
    if (is_link) {
      const Result<std::string> target = target_of(here);
      if (!target) return target.error();
      if (++links > kMostLinks) return Error{path + " leads through too many links"};
      here = target->starts_with('/') ? "/" : std::string(directory_name(here));
      push_names(*target, names);
      continue;
    }
    while (!names.empty() && names.back() == ".") names.pop_back();
    if (names.empty()) return way;
    here = names.back() == ".." ? std::string(directory_name(here)) : join_path(here, names.back());
    names.pop_back();
  }
}

bool is_trusted_owner(uid_t user, uid_t owner) { return user == owner || user == geteuid() || user == 0; }

Error belongs_to_another(const Place& place) {
  return Error{place.path + " belongs to user " + std::to_string(place.status.st_uid), ErrorCode::denied};
}

Error others_write(const Place& place) { return Error{"others may write to " + place.path, ErrorCode::denied}; }

}  // namespace

Result<struct stat> look_at_trusted(const std::string& path) {
  const Result<std::vector<Place>> way = way_to(path);
  if (!way) return way.error();
  const Place& last = way->back();
  for (const Place& place : *way) {
    const mode_t mode = place.status.st_mode;
    const bool is_intermediate = S_ISLNK(mode) || ((mode & S_ISVTX) != 0 && &place != &last);
    if (!is_trusted_owner(place.status.st_uid, last.status.st_uid)) return belongs_to_another(place);
    if (!is_intermediate && (mode & kOthersWrite) != 0) return others_write(place);
  }
  return last.status;
}

Status check_trusted_below(const std::string& path, uid_t owner) {
  Place place{path, {}};
  if (lstat(path.c_str(), &place.status) != 0) return system_error("cannot look at", path);
  if (!S_ISDIR(place.status.st_mode)) return Error{path + " is no directory"};
  if (!is_trusted_owner(place.status.st_uid, owner)) return belongs_to_another(place);
  if ((place.status.st_mode & kOthersWrite) != 0) return others_write(place);
  return done();
}

std::vector<store::Layer> SeedStores::layers() {
  std::vector<store::Layer> found;
  for (const std::string& seed : directories_)
    if (Status added = add_stores_of(seed, found); !added)
      warn("seed " + seed + " is not read: " + added.error().message);
  return found;
}

Status SeedStores::add_stores_of(const std::string& seed, std::vector<store::Layer>& found) {
  const Result<struct stat> status = look_at_trusted(seed);
  if (!status) return status.error();
  struct stat own{};
  if (fstat(own_.fd(), &own) == 0 && own.st_dev == status->st_dev && own.st_ino == status->st_ino) return done();
  const Result<std::vector<std::string>> names = list_directory(seed);
  if (!names) return names.error();
  bool is_empty = true;
  for (const std::string& name : *names) {
    if (!MemberStores::is_store_name(name)) continue;
    is_empty = false;
    std::string store = join_path(seed, name);
    if (Status trusted = check_trusted_below(store, status->st_uid); !trusted)
      warn("store " + store + " is not read: " + trusted.error().message);
    else
      found.push_back({.directory = std::move(store), .is_in_use = false});
  }
  if (is_empty) return Error{"there is no store in this directory", ErrorCode::gone};
  return done();
}

void SeedStores::warn(const std::string& problem) {
  if (said_.insert(problem).second) log_.warning(problem);
}

namespace {

using namespace std::chrono_literals;

constexpr const char* kFirst = "store";
constexpr const char* kFurther = "store-";
constexpr const char* kUsedBefore = "used-store";  // a file in the daemon's directory that holds a store's name
constexpr std::uint64_t kLongestName = 64;

// A killed daemon releases its locks one by one.
constexpr auto kPatience = 300ms;
constexpr auto kAgain = 10ms;

}  // namespace

bool MemberStores::is_store_name(std::string_view name) { return name == kFirst || name.starts_with(kFurther); }

std::string MemberStores::name_of(unsigned number) const {
  struct stat status{};
  const bool is_owner = fstat(directory_.fd(), &status) == 0 && status.st_uid == geteuid();
  if (is_owner && number == 0) return kFirst;
  return kFurther + std::to_string(geteuid()) + "-" + std::to_string(number);
}

Status MemberStores::check() const {
  const std::string first = name_of(0);
  const auto made = directory_.open_or_make_below(first);
  if (made || is_taken(first, made.error())) return done();
  return made.error();
}

std::string MemberStores::used_before() const {
  const Result<std::string> name = read_file(join_path(home_, kUsedBefore), kLongestName);
  return name && is_store_name(*name) && name->find('/') == std::string::npos ? *name : name_of(0);
}

Result<std::unique_ptr<store::LocalStore>> MemberStores::open(const std::string& name, std::uint64_t max_bytes) {
  auto opened = store::open_store({.directory = name, .within = &directory_, .max_bytes = max_bytes}, log_);
  if (!opened) return opened;
  own_ = name;
  // If this write fails, the next daemon may take another store, and reads this one.
  [[maybe_unused]] const Status noted = replace_file(join_path(home_, kUsedBefore), name);
  return opened;
}

Result<std::unique_ptr<store::LocalStore>> MemberStores::open_own(std::uint64_t max_bytes) {
  const std::string before = used_before();
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    auto opened = open(before, max_bytes);
    if (opened || !is_taken(before, opened.error())) return opened;
    if (opened.error().code != ErrorCode::busy || std::chrono::steady_clock::now() >= deadline) break;
    std::this_thread::sleep_for(kAgain);
  }
  for (unsigned number = 0; number < kMost; ++number) {
    const std::string name = name_of(number);
    auto opened = open(name, max_bytes);
    if (opened || !is_taken(name, opened.error())) return opened;
  }
  return Error{"all " + std::to_string(kMost) + " stores of user " + std::to_string(geteuid()) + " in " +
                   directory_.path() + " are in use by other daemons, or not to be used",
               ErrorCode::busy};
}

// Whether to try another store: this one is in use, or belongs to another user. If others may write to the user's own
// store, the user must fix that, so it is an error.
bool MemberStores::is_taken(const std::string& name, const Error& error) const {
  struct stat status{};
  if (error.code != ErrorCode::denied) return error.code == ErrorCode::busy;
  return fstatat(directory_.fd(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_uid != geteuid();
}

bool MemberStores::is_trusted(const std::string& name) {
  const std::string path = join_path(directory_.path(), name);
  struct stat status{};
  if (fstatat(directory_.fd(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
  const bool ours = status.st_uid == geteuid() || status.st_uid == 0;
  const bool groups = group_ && status.st_gid == *group_;
  const bool trusted = S_ISDIR(status.st_mode) && (ours || groups) && (status.st_mode & kOthersWrite) == 0;
  if (!trusted && refused_.insert(name).second)
    log_.warning("store: " + path + " is not read: it belongs to user " + std::to_string(status.st_uid) +
                 ", or others may write to it");
  return trusted;
}

std::vector<std::string> MemberStores::others() {
  std::vector<std::string> found;
  const Result<std::vector<std::string>> names = list_directory(directory_.anchored());
  if (!names) return found;
  for (const std::string& name : *names)
    if (is_store_name(name) && name != own_ && is_trusted(name)) found.push_back(join_path(directory_.path(), name));
  return found;
}

}  // namespace hipcache::daemon
