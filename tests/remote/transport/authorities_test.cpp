// Where the certificates of authorities are looked for.
#include "remote/transport/authorities.h"

#include <gtest/gtest.h>

#include "support/scratch.h"

namespace hipcache::remote {
namespace {

class Authorities : public testing::Test {
 protected:
  std::string found(const std::vector<std::string>& others) const {
    return file_of_authorities(scratch_ / "cert.pem", scratch_ / "certs", others);
  }
  support::Scratch scratch_;
};

TEST_F(Authorities, AreWhereOpenSslKnowsIfAnythingIsThere) {
  const std::string other = scratch_.write("ca-bundle.crt", "x");
  EXPECT_EQ(found({other}), other);
  scratch_.make_directory("certs");
  EXPECT_EQ(found({other}), other) << "an empty directory has none";
  scratch_.write("certs/one.0", "x");
  EXPECT_EQ(found({other}), "");
}

TEST_F(Authorities, AreInOneFileThatOpenSslKnows) {
  const std::string other = scratch_.write("ca-bundle.crt", "x");
  scratch_.write("cert.pem", "x");
  EXPECT_EQ(found({other}), "");
}

TEST_F(Authorities, AreInTheFirstFileOfAnotherDistribution) {
  const std::string second = scratch_.write("second.pem", "x"), third = scratch_.write("third.pem", "x");
  EXPECT_EQ(found({scratch_ / "first.pem", second, third}), second);
  EXPECT_EQ(found({scratch_ / "first.pem"}), "");
}

}  // namespace
}  // namespace hipcache::remote
