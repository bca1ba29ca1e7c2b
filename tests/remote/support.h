// What the tests of backends share.
#ifndef HIPCACHE_TESTS_REMOTE_SUPPORT_H
#define HIPCACHE_TESTS_REMOTE_SUPPORT_H

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "remote/backends/open_backend.h"

namespace hipcache::remote {

// A loaded machine is no failure.
inline constexpr Limits kPatient{.connect = std::chrono::seconds(20),
                                 .answer = std::chrono::seconds(20),
                                 .stall = std::chrono::seconds(20),
                                 .total = std::chrono::seconds(60)};

inline RemotePathSet path_set(const std::string& name, std::uint64_t tag) {
  return {digest_of(name), "questions of " + name, {tag}};
}

std::unique_ptr<Backend> backend_at(const std::string& url);

template <typename T>
std::string problem(const Answer<T>& answer) {
  return answer.failure ? answer.failure->message : "";
}

// What every backend does: what is put comes back, to nobody under another prefix, and a blob is written once.
void expect_gives_back_what_was_put(Backend& backend, Backend& other_prefix);
void expect_writes_a_blob_once(Backend& backend);

// Bytes that do not compress, and the same each time.
std::string noise(std::size_t size, std::uint64_t seed = 1);

}  // namespace hipcache::remote

#endif
