#include "remote/support.h"

#include <gtest/gtest.h>

#include <random>

namespace hipcache::remote {

std::unique_ptr<Backend> backend_at(const std::string& url) {
  const Result<config::RemoteUrl> parsed = config::parse_remote_url(url);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return open_backend(*parsed);
}

void expect_gives_back_what_was_put(Backend& backend, Backend& other_prefix) {
  const Digest key = digest_of("key");
  const std::string large(3u << 20, 'x');
  const RemoteResult result{.action = "action", .blobs = {{digest_of("small"), "small"}}};
  EXPECT_FALSE(backend.list(key, kPatient).value);
  EXPECT_EQ(problem(backend.list(key, kPatient)), "") << "absence is no failure";
  EXPECT_EQ(problem(backend.put_blob(digest_of(large), large, kPatient)), "");
  EXPECT_EQ(problem(backend.put_result(key, result, std::vector<Digest>{}, kPatient)), "");
  EXPECT_EQ(problem(backend.add_to_list(key, {path_set("a", 1)}, kPatient)), "");
  EXPECT_EQ(*backend.blob(digest_of(large), large.size(), kPatient).value, large);
  EXPECT_EQ(*backend.result(key, kPatient).value, result);
  EXPECT_EQ(*backend.list(key, kPatient).value, (List{path_set("a", 1)}));
  EXPECT_FALSE(backend.result(digest_of("other"), kPatient).value);
  EXPECT_FALSE(other_prefix.result(key, kPatient).value) << "prefixes keep apart";
}

void expect_writes_a_blob_once(Backend& backend) {
  const Digest digest = digest_of("bytes");
  EXPECT_TRUE(backend.put_blob(digest, "bytes", kPatient).value);
  EXPECT_FALSE(backend.put_blob(digest, "bytes", kPatient).value);
}

std::string noise(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

}  // namespace hipcache::remote
