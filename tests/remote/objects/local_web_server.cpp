#include "remote/objects/local_web_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace hipcache::remote {
namespace {

// Reads until the text holds the mark or has the size; false at the end of the connection.
template <typename Holds>
bool read_until(int connection, std::string& text, const Holds& holds) {
  std::array<char, 65536> buffer{};
  while (!holds()) {
    const ssize_t got = recv(connection, buffer.data(), buffer.size(), 0);
    if (got <= 0) return false;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return true;
}

std::string in_small_letters(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char one) { return std::tolower(one); });
  return text;
}

// The lines of a head: "PUT /path HTTP/1.1" and headers.
LocalWebServer::Request parse_head(const std::string& head) {
  LocalWebServer::Request request;
  const auto blank = head.find(' ');
  request.method = head.substr(0, blank);
  request.path = head.substr(blank + 1, head.find(' ', blank + 1) - blank - 1);
  for (auto start = head.find("\r\n"); start != std::string::npos; start = head.find("\r\n", start + 2)) {
    const std::string line = head.substr(start + 2, head.find("\r\n", start + 2) - start - 2);
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto value = line.find_first_not_of(' ', colon + 1);
    request.headers[in_small_letters(line.substr(0, colon))] = value == std::string::npos ? "" : line.substr(value);
  }
  return request;
}

std::optional<LocalWebServer::Request> receive(int connection) {
  std::string text;
  if (!read_until(connection, text, [&] { return text.find("\r\n\r\n") != std::string::npos; })) return std::nullopt;
  const auto end = text.find("\r\n\r\n");
  LocalWebServer::Request request = parse_head(text.substr(0, end));
  request.body = text.substr(end + 4);
  const auto length = request.headers.find("content-length");
  const std::size_t size = length == request.headers.end() ? 0 : std::stoul(length->second);
  if (!read_until(connection, request.body, [&] { return request.body.size() >= size; })) return std::nullopt;
  return request;
}

}  // namespace

LocalWebServer::LocalWebServer(Handler handler)
    : handler_(std::move(handler)), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(listen(listener_.get(), 64), 0);
  socklen_t size = sizeof address;
  EXPECT_EQ(getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { run(); });
}

LocalWebServer::~LocalWebServer() {
  shutdown(listener_.get(), SHUT_RDWR);  // ends accept()
  thread_.join();
}

std::vector<LocalWebServer::Request> LocalWebServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void LocalWebServer::run() {
  for (;;) {
    const UniqueFd connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection) return;
    serve(connection.get());
  }
}

void LocalWebServer::serve(int connection) {
  const std::optional<Request> request = receive(connection);
  if (!request) return;
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(*request);
  }
  const Reply reply = handler_(*request);
  std::string text = "HTTP/1.1 " + std::to_string(reply.status) + " Text\r\nConnection: close\r\n";
  for (const std::string& header : reply.headers) text += header + "\r\n";
  text += "Content-Length: " + std::to_string(reply.body.size()) + "\r\n\r\n";
  if (request->method != "HEAD") text += reply.body;
  while (!text.empty()) {
    const ssize_t sent = send(connection, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    text.erase(0, static_cast<std::size_t>(sent));
  }
}

LocalWebServer::Reply coded_error(int status, const std::string& code, const std::vector<std::string>& headers) {
  return {.status = status,
          .body = "<?xml version=\"1.0\"?><Error><Code>" + code + "</Code><Message>x</Message></Error>",
          .headers = headers};
}

}  // namespace hipcache::remote
