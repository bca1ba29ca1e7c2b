// Real servers for tests: each a process of its own with its files in a directory of the test, on a port of loopback
// that was free. They end with the object.
#ifndef HIPCACHE_TESTS_REMOTE_SERVER_H
#define HIPCACHE_TESTS_REMOTE_SERVER_H

#include <netinet/in.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hipcache/base/files.h"
#include "remote/certificates.h"
#include "support/scratch.h"

namespace hipcache::remote {

// The address of a port of this machine.
sockaddr_in loopback(std::uint16_t port);

bool listens(std::uint16_t port);

// A port that nobody listens at now.
std::uint16_t free_port();

// Listens at a port of loopback and says nothing. Connections that it took stay open until it is destroyed.
class SilentServer {
 public:
  SilentServer();

  std::uint16_t port() const { return port_; }
  // Waits for a connection, takes it, and listens no more.
  void take_one_and_close();

 private:
  UniqueFd listening_, taken_;
  std::uint16_t port_ = 0;
};

// A server that tools/test-servers builds; empty if it is not there.
std::string built_server(const std::string& name);

// Starts the command in a process group of its own, whose leader it is. What it prints goes to the file.
pid_t spawn_server(std::vector<std::string> command, const std::string& log);

// What a server with TLS shows and demands.
struct ServerTls {
  Certificates::Pair certificate;
  std::string client_authority;  // whose certificates clients must have; empty: they need none
};

class Server {
 public:
  // Null if the program is not installed.
  static std::unique_ptr<Server> nginx(const std::string& more_for_location = "",
                                       const std::optional<ServerTls>& tls = std::nullopt);
  static std::unique_ptr<Server> redis(const std::string& password = "",
                                       const std::optional<ServerTls>& tls = std::nullopt);
  // With WebDAV for all paths. Its requests are in files() / "access.log", one on each line: method, path, status.
  static std::unique_ptr<Server> apache();
  // A server of objects: "versitygw" or "gofakes3" (S3), "fake-gcs-server" (Google Cloud Storage), "azurite" (Azure
  // Blob), with a bucket or container named "bucket". The keys are those of versitygw; gofakes3 takes any.
  static std::unique_ptr<Server> objects(const std::string& program);
  static constexpr const char* kS3Key = "testkey";
  static constexpr const char* kS3Secret = "testsecret";
  // Azurite's account and key, which are the same everywhere, and a signature by that key which permits all.
  static constexpr const char* kAzureAccount = "devstoreaccount1";
  static constexpr const char* kAzureKey =
      "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
  static constexpr const char* kAzureSas =
      "sv=2021-12-02&ss=b&srt=sco&sp=rwdlac&se=2099-01-01T00%3A00%3A00Z&"
      "sig=tznf%2BUguWwNe%2B7oTyobyNUc7TDthIuY2m9EdDOYdBvE%3D";

  ~Server() { stop(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void stop();
  // The same files at the same port.
  void start();

  std::uint16_t port() const { return port_; }
  const support::Scratch& files() const { return files_; }
  // "http://127.0.0.1:8080", "rediss://127.0.0.1:6379"
  std::string url() const { return scheme_ + "://127.0.0.1:" + std::to_string(port_); }

 private:
  Server(std::string scheme, std::uint16_t port) : scheme_(std::move(scheme)), port_(port) {}

  const std::string scheme_;
  const std::uint16_t port_;
  support::Scratch files_;
  std::vector<std::string> command_;
  pid_t pid_ = 0;
};

// The URLs of a tier of each kind, for tests that hold for all. Starts the server that it needs.
struct TierUnderTest {
  std::string url;      // without options; empty: the server's program is missing
  std::string options;  // that it needs: "ca_file=/tmp/ours.pem"
  std::unique_ptr<Certificates> certificates;
  std::unique_ptr<Server> server;
  support::Scratch directory;

  std::string url_with(const std::string& more = "") const { return url + "?" + options + "&" + more; }
};
// "file", "http", "apache", "redis", "rediss"
std::unique_ptr<TierUnderTest> tier_of_kind(const std::string& kind);

}  // namespace hipcache::remote

#endif
