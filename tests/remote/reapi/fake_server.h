// A REAPI server in this process, for faults that a real one cannot be made to show. It holds everything in memory.
#ifndef HIPCACHE_TESTS_REMOTE_REAPI_FAKE_SERVER_H
#define HIPCACHE_TESTS_REMOTE_REAPI_FAKE_SERVER_H

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "remote_execution.pb.h"

namespace grpc {
class Service;
}

namespace hipcache::remote {

namespace wire = ::build::bazel::remote::execution::v2;

class FakeServer {
 public:
  struct Behaviour {
    bool has_capabilities = true;
    bool has_sha256 = true;
    bool takes_results = true;
    bool executes = false;
    bool reads_batches = true;
    bool has_zstd = false;
    bool checks_completeness = false;  // no result whose blobs are gone
    bool wants_actions = false;        // no result without Action and Command
    bool stalls = false;               // answers nothing until the client gives up
    bool flips_bits = false;           // of blobs that are read
    bool cuts_blobs = false;           // half of what is read
    bool stalls_within_blobs = false;  // after the first piece
    bool truncates_values = false;     // of results
    int refuses_with = 0;              // a gRPC code for each call; 0: none
    std::string wants_authorization;
  };

  explicit FakeServer(std::uint16_t port = 0);  // 0: any that is free
  // With further services, which outlive it.
  explicit FakeServer(const std::vector<grpc::Service*>& more, std::uint16_t port = 0);
  ~FakeServer();
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  // "grpc://127.0.0.1:1234"
  std::string url() const;

  void set(const Behaviour& behaviour);
  // Eviction of all blobs, or of all results.
  void forget_blobs();
  void forget_results();
  // A blob that a client sent; empty if there is none.
  std::string blob(const std::string& hash) const;
  // Returns what it is called.
  wire::Digest add_blob(const std::string& bytes);

  // How often each method was called, by its name without its service.
  int calls(const std::string& method) const;
  void count_anew();
  // How many connections brought calls.
  int connections() const;
  // Of the messages that came.
  std::uint64_t largest_message() const;

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace hipcache::remote

#endif
