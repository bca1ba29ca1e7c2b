#include "remote/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "hipcache/base/files.h"
#include "support/comes_true.h"

namespace hipcache::remote {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// At any port that is free.
UniqueFd bound_socket() {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;  // else nobody can listen there while a connection lasts
  EXPECT_EQ(setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes), 0);
  const sockaddr_in address = loopback(0);
  EXPECT_EQ(bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return fd;
}

std::uint16_t port_of(int fd) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  EXPECT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  return ntohs(address.sin_port);
}

bool listens(std::uint16_t port) {
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  return connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

std::string installed(std::initializer_list<const char*> places) {
  for (const char* place : places)
    if (access(place, X_OK) == 0) return place;
  return "";
}

}  // namespace

std::uint16_t free_port() { return port_of(bound_socket().get()); }

SilentServer::SilentServer() : listening_(bound_socket()), port_(port_of(listening_.get())) {
  EXPECT_EQ(listen(listening_.get(), 1), 0);
}

void SilentServer::take_one_and_close() {
  taken_ = UniqueFd(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  EXPECT_GE(taken_.get(), 0);
  listening_ = UniqueFd();
}

std::string built_server(const std::string& name) {
  const char* named = std::getenv("HIPCACHE_TEST_SERVERS");
  const char* home = std::getenv("HOME");
  std::string directory = named != nullptr ? named : "";
  if (directory.empty() && home != nullptr) directory = std::string(home) + "/.cache/hipcache-test-servers";
  const std::string program = directory + "/" + name;
  return access(program.c_str(), X_OK) == 0 ? program : "";
}

std::unique_ptr<Server> Server::nginx(const std::string& more_for_location) {
  const std::string program = installed({"/usr/sbin/nginx", "/usr/bin/nginx"});
  if (program.empty()) return nullptr;
  std::unique_ptr<Server> server(new Server("http", free_port()));
  const std::string root = server->files_.make_directory("root");
  const std::string scratch = server->files_.make_directory("scratch");
  std::string text = "daemon off;\nworker_processes 1;\npid " + (server->files_ / "pid") + ";\nerror_log " +
                     (server->files_ / "error.log") + ";\n";
  if (geteuid() == 0) text += "user root;\n";
  text += "events { worker_connections 256; }\nhttp {\n  access_log " + (server->files_ / "access.log") + ";\n";
  for (const char* kind : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
    text += std::string("  ") + kind + "_temp_path " + scratch + "/" + kind + ";\n";
  text += "  server {\n    listen 127.0.0.1:" + std::to_string(server->port_) + ";\n    client_max_body_size 0;\n";
  text += "    location / {\n      root " + root + ";\n      dav_methods PUT DELETE MKCOL COPY MOVE;\n" +
          "      create_full_put_path on;\n" + more_for_location + "    }\n  }\n}\n";
  const std::string file = server->files_.write("nginx.conf", text);
  server->command_ = {program, "-c", file, "-e", server->files_ / "error.log"};
  server->start();
  return server;
}

std::unique_ptr<Server> Server::redis(const std::string& password) {
  const std::string program = installed({"/usr/bin/redis-server", "/usr/local/bin/redis-server"});
  if (program.empty()) return nullptr;
  std::unique_ptr<Server> server(new Server("redis", free_port()));
  server->command_ = {program,
                      "--port",
                      std::to_string(server->port_),
                      "--bind",
                      "127.0.0.1",
                      "--save",
                      "",
                      "--appendonly",
                      "no",
                      "--dir",
                      server->files_.path(),
                      "--logfile",
                      server->files_ / "log",
                      "--unixsocket",
                      server->files_ / "socket"};
  if (!password.empty()) server->command_.insert(server->command_.end(), {"--requirepass", password});
  server->start();
  return server;
}

std::unique_ptr<Server> Server::s3(const std::string& program) {
  const std::string path = built_server(program);
  if (path.empty()) return nullptr;
  std::unique_ptr<Server> server(new Server("http", free_port()));
  const std::string place = "127.0.0.1:" + std::to_string(server->port_);
  if (program == "gofakes3") {
    server->command_ = {
        path,    "-quiet", "-host", place, "-backend", "bolt", "-bolt.db", server->files_ / "db", "-initialbucket",
        "bucket"};
  } else {
    server->files_.make_directory("root/bucket");
    server->command_ = {path,      "--quiet", "--access", kS3Key,  "--secret",
                        kS3Secret, "--port",  place,      "posix", server->files_ / "root"};
  }
  server->start();
  return server;
}

void Server::start() {
  std::vector<char*> argv;
  for (std::string& word : command_) argv.push_back(word.data());
  argv.push_back(nullptr);
  ASSERT_EQ(posix_spawn(&pid_, argv[0], nullptr, nullptr, argv.data(), environ), 0);
  ASSERT_TRUE(support::comes_true([this] { return listens(port_); })) << command_.front() << " does not listen";
}

void Server::stop() {
  if (pid_ == 0) return;
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

std::unique_ptr<TierUnderTest> tier_of_kind(const std::string& kind) {
  auto tier = std::make_unique<TierUnderTest>();
  if (kind == "file") {
    tier->url = "file://" + tier->directory.path();
    return tier;
  }
  tier->server = kind == "http" ? Server::nginx() : Server::redis();
  if (tier->server) tier->url = tier->server->url() + (kind == "http" ? "/cache" : "");
  return tier;
}

}  // namespace hipcache::remote
