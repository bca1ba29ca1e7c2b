#include "remote/support.h"

#include <gtest/gtest.h>

#include <random>

namespace hipcache::remote {

std::unique_ptr<Backend> backend_at(const std::string& url) {
  const Result<config::RemoteUrl> parsed = config::parse_remote_url(url);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return open_backend(*parsed);
}

std::string noise(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

}  // namespace hipcache::remote
