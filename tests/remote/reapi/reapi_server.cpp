#include "remote/reapi/reapi_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "hipcache/base/files.h"
#include "remote/server.h"
#include "support/comes_true.h"

namespace hipcache::remote {
namespace {

bool listens(std::uint16_t port) {
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

std::vector<std::string> bazel_remote_command(const std::string& directory, const std::string& place,
                                              const std::string& http) {
  return {built_server(kBazelRemote.program),
          "--dir",
          directory,
          "--max_size",
          "1",
          "--http_address",
          "unix://" + http,
          "--grpc_address",
          place,
          "--access_log_level",
          "none"};
}

void put(std::string& text, const std::string& name, const std::string& value) {
  const std::size_t at = text.find(name);
  if (at != std::string::npos) text.replace(at, name.size(), value);
}

// Writes the configuration that tests/remote/machines uses, too.
std::vector<std::string> buildgrid_command(const std::string& directory, const std::string& place,
                                           const support::Scratch& files) {
  std::string text = support::read_bytes(HIPCACHE_BUILDGRID_CONFIGURATION);
  put(text, "\"ADDRESS\"", "\"" + place + "\"");
  put(text, "\"DIRECTORY\"", "\"" + directory + "\"");
  return {built_server(kBuildGrid.program), "server", "start", files.write("buildgrid.yml", text)};
}

}  // namespace

bool ReapiServer::is_installed(const ReapiKind& kind) { return !built_server(kind.program).empty(); }

std::string ReapiServer::mend(const ReapiKind& kind) {
  return std::string(kind.program) + " is not installed: tools/test-servers does that, and needs " + kind.needs;
}

ReapiServer::ReapiServer(const ReapiKind& kind, const std::vector<std::string>& options)
    : kind_(kind),
      port_(free_port()),
      command_(kind.program == std::string_view(kBuildGrid.program)
                   ? buildgrid_command(directory(), place(), files_)
                   : bazel_remote_command(directory(), place(), files_ / "http")) {
  command_.insert(command_.end(), options.begin(), options.end());
  start();
}

void ReapiServer::lose_blobs() {
  if (kind_.knows_blobs_by_memory) stop();
  std::filesystem::remove_all(directory() + "/" + kind_.blobs);
  if (kind_.knows_blobs_by_memory)
    start();
  else
    std::filesystem::create_directories(directory() + "/" + kind_.blobs);
}

void ReapiServer::start() {
  const std::string log = files_ / "log";
  pid_ = spawn_server(command_, log);
  ASSERT_TRUE(support::comes_true([this] { return listens(port_); })) << support::read_bytes(log);
}

void ReapiServer::stop() {
  if (pid_ == 0) return;
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

}  // namespace hipcache::remote
