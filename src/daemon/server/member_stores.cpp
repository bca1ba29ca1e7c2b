#include "daemon/server/member_stores.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "hipcache/base/files.h"

namespace hipcache::daemon {

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
  const bool trusted = S_ISDIR(status.st_mode) && (ours || groups) && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
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
