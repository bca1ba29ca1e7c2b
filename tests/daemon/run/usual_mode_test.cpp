#include "daemon/run/usual_mode.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "hipcache/base/files.h"
#include "support/default_acl.h"
#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

using support::default_acl;
using support::Scratch;

mode_t mode_of_new_file(const std::string& path, mode_t asked) {
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, asked));
  struct stat status{};
  EXPECT_EQ(fstat(file.get(), &status), 0);
  return status.st_mode & 07777;
}

TEST(UsualMode, IsWhatTheUmaskLeavesWhereTheDirectoryHasNoAcl) {
  const Scratch scratch;
  const mode_t before = umask(027);
  EXPECT_EQ(usual_mode(scratch / "a.o", 0666, 027), mode_of_new_file(scratch / "a.o", 0666));
  EXPECT_EQ(usual_mode(scratch / "program", 0777, 027), 0750u);
  umask(before);
}

TEST(UsualMode, IsWhatADefaultAclOfTheDirectoryAllows) {
  const Scratch scratch;
  const mode_t before = umask(077);
  int files = 0;
  for (const std::string& acl : {default_acl(7, 5, 4), default_acl(7, 7, 0), default_acl(6, 0, 7),
                                 default_acl(7, 5, 5, 7), default_acl(7, 7, 5, 4)}) {
    ASSERT_EQ(setxattr(scratch.path().c_str(), "system.posix_acl_default", acl.data(), acl.size(), 0), 0);
    for (const mode_t asked : {0666u, 0777u}) {
      const std::string path = scratch / std::to_string(files++);
      EXPECT_EQ(usual_mode(path, asked, 077), mode_of_new_file(path, asked)) << files;
    }
  }
  umask(before);
}

TEST(UsualMode, TakesADamagedAclForNone) {
  const std::string acl = default_acl(7, 5, 4);
  EXPECT_EQ(allowed_by_default_acl(acl), 0754u);
  EXPECT_EQ(allowed_by_default_acl(""), std::nullopt);
  EXPECT_EQ(allowed_by_default_acl(acl.substr(1)), std::nullopt);
  EXPECT_EQ(allowed_by_default_acl("\x03" + acl.substr(1)), std::nullopt);
}

}  // namespace
}  // namespace hipcache::daemon
