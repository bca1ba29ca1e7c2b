#include "remote/server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "hipcache/base/files.h"
#include "remote/support.h"
#include "remote/transport/http_client.h"
#include "support/comes_true.h"

namespace hipcache::remote {
namespace {

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

std::string installed(std::initializer_list<const char*> places) {
  for (const char* place : places)
    if (access(place, X_OK) == 0) return place;
  return "";
}

// Azurite writes down a moment later what it has, and may have forgotten the container when it starts again.
void make_azure_container(const std::string& url) {
  HttpClient client({});
  const std::string place = url + "/" + Server::kAzureAccount + "/bucket?restype=container&" + Server::kAzureSas;
  const std::string nothing;
  const auto sent = client.send({.method = "PUT", .url = place, .headers = {}, .body = &nothing}, kPatient);
  const auto* response = std::get_if<HttpResponse>(&sent);
  constexpr int kMade = 201, kThereAlready = 409;
  EXPECT_TRUE(response != nullptr && (response->status == kMade || response->status == kThereAlready));
}

}  // namespace

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool listens(std::uint16_t port) {
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  return connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

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

std::unique_ptr<Server> Server::nginx(const std::string& more_for_location, const std::optional<ServerTls>& tls) {
  const std::string program = installed({"/usr/sbin/nginx", "/usr/bin/nginx"});
  if (program.empty()) return nullptr;
  std::unique_ptr<Server> server(new Server(tls ? "https" : "http", free_port()));
  const std::string root = server->files_.make_directory("root");
  const std::string scratch = server->files_.make_directory("scratch");
  std::string text = "daemon off;\nworker_processes 1;\npid " + (server->files_ / "pid") + ";\nerror_log " +
                     (server->files_ / "error.log") + ";\n";
  if (geteuid() == 0) text += "user root;\n";
  text += "events { worker_connections 256; }\nhttp {\n  access_log " + (server->files_ / "access.log") + ";\n";
  for (const char* kind : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
    text += std::string("  ") + kind + "_temp_path " + scratch + "/" + kind + ";\n";
  text += "  server {\n    listen 127.0.0.1:" + std::to_string(server->port_) + (tls ? " ssl" : "") +
          ";\n    client_max_body_size 0;\n";
  if (tls)
    text += "    ssl_certificate " + tls->certificate.certificate + ";\n    ssl_certificate_key " +
            tls->certificate.key + ";\n";
  if (tls && !tls->client_authority.empty())
    text += "    ssl_verify_client on;\n    ssl_client_certificate " + tls->client_authority + ";\n";
  text += "    location / {\n      root " + root + ";\n      dav_methods PUT DELETE MKCOL COPY MOVE;\n" +
          "      create_full_put_path on;\n" + more_for_location + "    }\n  }\n}\n";
  const std::string file = server->files_.write("nginx.conf", text);
  server->command_ = {program, "-c", file, "-e", server->files_ / "error.log"};
  server->start();
  return server;
}

std::unique_ptr<Server> Server::redis(const std::string& password, const std::optional<ServerTls>& tls) {
  const std::string program = installed({"/usr/bin/redis-server", "/usr/local/bin/redis-server"});
  if (program.empty()) return nullptr;
  std::unique_ptr<Server> server(new Server(tls ? "rediss" : "redis", free_port()));
  server->command_ = {program,
                      tls ? "--tls-port" : "--port",
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
  const auto add = [&](std::initializer_list<std::string> words) {
    server->command_.insert(server->command_.end(), words);
  };
  if (!password.empty()) add({"--requirepass", password});
  if (tls) {
    add({"--port", "0", "--tls-cert-file", tls->certificate.certificate, "--tls-key-file", tls->certificate.key});
    add({"--tls-ca-cert-file", tls->client_authority.empty() ? tls->certificate.certificate : tls->client_authority});
    add({"--tls-auth-clients", tls->client_authority.empty() ? "no" : "yes"});
  }
  server->start();
  return server;
}

// A server that is started as root works as another user, who must reach its files.
std::unique_ptr<Server> Server::apache() {
  const std::string program = installed({"/usr/sbin/apache2"});
  if (program.empty()) return nullptr;
  constexpr const char* kModules = "/usr/lib/apache2/modules/mod_";
  constexpr uid_t kNobody = 65534;
  std::unique_ptr<Server> server(new Server("http", free_port()));
  const support::Scratch& files = server->files_;
  const std::string root = files.make_directory("root");
  const std::string locks = files.make_directory("locks");
  if (geteuid() == 0) {
    EXPECT_EQ(chmod(files.path().c_str(), 0711), 0);
    for (const std::string& path : {root, locks}) EXPECT_EQ(chown(path.c_str(), kNobody, kNobody), 0);
  }
  std::string text = "ServerName 127.0.0.1\nServerRoot " + files.path() + "\nPidFile " + (files / "pid") +
                     "\nListen 127.0.0.1:" + std::to_string(server->port_) + "\nUser \"#65534\"\nGroup \"#65534\"\n";
  for (const char* module : {"mpm_event", "authz_core", "dav", "dav_fs"})
    text += std::string("LoadModule ") + module + "_module " + kModules + module + ".so\n";
  text += "StartServers 1\nMinSpareThreads 1\nErrorLog " + (files / "error.log") + "\nCustomLog " +
          (files / "access.log") + " \"%m %U %>s\"\nDefaultRuntimeDir " + files.path() + "\nMutex pthread\n" +
          "DavLockDB " + locks + "/lock\nDocumentRoot " + root + "\n<Directory " + root +
          ">\n  Dav On\n  Require all granted\n</Directory>\n";
  server->command_ = {program, "-DFOREGROUND", "-f", files.write("apache.conf", text)};
  server->start();
  return server;
}

std::unique_ptr<Server> Server::objects(const std::string& program) {
  const std::string path = built_server(program);
  if (path.empty()) return nullptr;
  std::unique_ptr<Server> server(new Server("http", free_port()));
  const std::string port = std::to_string(server->port_);
  const std::string root = server->files_.make_directory("root");
  if (program == "gofakes3") {
    server->command_ = {path,
                        "-quiet",
                        "-host",
                        "127.0.0.1:" + port,
                        "-backend",
                        "bolt",
                        "-bolt.db",
                        server->files_ / "db",
                        "-initialbucket",
                        "bucket"};
  } else if (program == "versitygw") {
    server->files_.make_directory("root/bucket");
    server->command_ = {path,      "--quiet", "--access",          kS3Key,  "--secret",
                        kS3Secret, "--port",  "127.0.0.1:" + port, "posix", root};
  } else if (program == "fake-gcs-server") {
    server->files_.make_directory("root/bucket");
    server->command_ = {path, "-scheme",          "http", "-host",      "127.0.0.1", "-port",
                        port, "-filesystem-root", root,   "-log-level", "error"};
  } else {
    server->command_ = {path, "--silent",   "--blobHost", "127.0.0.1",         "--blobPort",
                        port, "--location", root,         "--disableTelemetry"};
  }
  server->start();
  return server;
}

pid_t spawn_server(std::vector<std::string> command, const std::string& log) {
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, fd, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, S_IRUSR | S_IWUSR);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t pid = 0;
  EXPECT_EQ(posix_spawn(&pid, argv[0], &actions, &attributes, argv.data(), environ), 0) << argv[0];
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

void Server::start() {
  pid_ = spawn_server(command_, files_ / "printed");
  ASSERT_TRUE(support::comes_true([this] { return listens(port_); })) << command_.front() << " does not listen";
  if (base_name(command_.front()) == "azurite") make_azure_container(url());
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
  if (kind == "rediss") {
    tier->certificates = std::make_unique<Certificates>();
    tier->options = tier->certificates->trust();
    tier->server = Server::redis("", ServerTls{tier->certificates->issue("server"), ""});
  } else {
    tier->server = kind == "http" ? Server::nginx() : kind == "apache" ? Server::apache() : Server::redis();
  }
  const bool is_web = kind == "http" || kind == "apache";
  if (tier->server) tier->url = tier->server->url() + (is_web ? "/cache" : "");
  return tier;
}

}  // namespace hipcache::remote
