#include "remote/reapi/bazel_remote.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

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

}  // namespace

std::string BazelRemote::program() { return built_server("bazel-remote"); }

BazelRemote::BazelRemote(const std::vector<std::string>& options) : port_(free_port()) {
  command_ = {program(),
              "--dir",
              directory(),
              "--max_size",
              "1",
              "--http_address",
              "unix://" + (files_ / "http"),
              "--grpc_address",
              place(),
              "--access_log_level",
              "none"};
  command_.insert(command_.end(), options.begin(), options.end());
  start();
}

void BazelRemote::start() {
  std::vector<char*> argv;
  for (std::string& word : command_) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::string log = files_ / "log";
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, fd, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  const int spawned = posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ASSERT_EQ(spawned, 0);
  ASSERT_TRUE(support::comes_true([this] { return listens(port_); })) << support::read_bytes(log);
}

void BazelRemote::stop() {
  if (pid_ == 0) return;
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

}  // namespace hipcache::remote
