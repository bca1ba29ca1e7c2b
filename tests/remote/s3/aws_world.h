// What AWS's settings are read from, for tests: variables, and a home for the shared files.
#ifndef HIPCACHE_TESTS_REMOTE_S3_AWS_WORLD_H
#define HIPCACHE_TESTS_REMOTE_S3_AWS_WORLD_H

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "remote/s3/aws_settings.h"
#include "support/scratch.h"

namespace hipcache::remote {

class AwsWorld : public testing::Test {
 protected:
  AwsWorld() { set_["HOME"] = home_.path(); }

  Variables variables() {
    return [this](const char* name) { return value_of(name); };
  }

  // Called by the thread that searches.
  std::string value_of(const std::string& name) const {
    const auto known = set_.find(name);
    return known == set_.end() ? "" : known->second;
  }

  support::Scratch home_;
  std::map<std::string, std::string> set_;
};

}  // namespace hipcache::remote

#endif
