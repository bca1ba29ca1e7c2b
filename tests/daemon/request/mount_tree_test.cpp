#include "daemon/request/foreign_mounts.h"

#include <gtest/gtest.h>

#include <string>

namespace hipcache::daemon {
namespace {

const std::string kRoot = "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n";
const std::string kProc = "22 27 0:21 / /proc rw,relatime shared:2 - proc proc rw\n";
const std::string kSdk = "30 27 254:0 /sdk/1 /opt/sdk rw,relatime - ext4 /dev/vda rw\n";
const std::string kInSdk = "31 30 0:40 / /opt/sdk/tmp rw,relatime - tmpfs tmpfs rw\n";

TEST(MountTree, IsThatOfACopyWithOtherIdsOrderPropagationAndSafetyOptions) {
  const auto tree = mount_tree(kProc + kRoot + kSdk + kInSdk);
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree, mount_tree("67 43 254:0 / / rw,nosuid,relatime - ext4 /dev/vda rw\n"
                             "68 67 254:0 /sdk/1 /opt/sdk ro,nosuid,nodev,relatime master:3 - ext4 /dev/vda rw\n"
                             "69 68 0:40 / /opt/sdk/tmp rw,noatime - tmpfs tmpfs rw\n"
                             "70 67 0:21 / /proc rw,relatime - proc proc rw\n"));
}

TEST(MountTree, DiffersByAnythingThatANameMayLeadTo) {
  const auto tree = mount_tree(kRoot + kProc + kSdk + kInSdk);
  for (const std::string& other : {
           kRoot + kProc + kSdk,                                                        // one less
           kRoot + kProc + kSdk + "31 30 0:41 / /opt/sdk/tmp rw - tmpfs tmpfs rw\n",    // another file system
           kRoot + kProc + kSdk + "31 30 0:40 /a /opt/sdk/tmp rw - tmpfs tmpfs rw\n",   // another part of it
           kRoot + kProc + kSdk + "31 27 0:40 / /opt/sdk/tmp rw - tmpfs tmpfs rw\n",    // below the other mount
           kRoot + kProc + kSdk + "31 30 0:40 / /opt/sdk/tmp rw - overlay tmpfs rw\n",  // another kind
           kRoot + kProc + kSdk + "31 30 0:40 / /opt/sdk/tmp rw,nosymfollow - tmpfs none rw\n",
           kRoot + kProc + kSdk + kInSdk + "32 31 0:42 / /opt/sdk/tmp rw - tmpfs tmpfs rw\n",  // one more upon it
       }) {
    ASSERT_TRUE(mount_tree(other)) << other;
    EXPECT_NE(tree, mount_tree(other)) << other;
  }
}

TEST(MountTree, IsUnknownIfTheTableDoesNotSayAll) {
  for (const std::string& table : {
           std::string(),
           kProc,                                                          // no root
           kRoot + "28 27 0:50 / / rw - tmpfs tmpfs rw\n",                 // two
           kRoot + "30 99 254:0 /sdk/1 /opt/sdk rw - ext4 /dev/vda rw\n",  // a parent that is not shown
           kRoot + "30 31 0:1 / /a rw - tmpfs t rw\n31 30 0:2 / /a/b rw - tmpfs t rw\n",
           kRoot + "30 27 254:0 /sdk/1 /opt/sdk//deleted rw - ext4 /dev/vda rw\n",
           kRoot + "30 27 254:0 /sdk//deleted /opt/sdk rw - ext4 /dev/vda rw\n",
           kRoot + "30 27 254:0 /sdk\n",
           std::string("no table\n"),
       })
    EXPECT_FALSE(mount_tree(table)) << table;
}

}  // namespace
}  // namespace hipcache::daemon
