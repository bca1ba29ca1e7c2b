#include "daemon/server/seed_stores.h"

#include <unistd.h>

#include <climits>

#include "daemon/server/member_stores.h"
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

}  // namespace hipcache::daemon
