// A web server within the test: answers each request by a function of the test. Closes each connection after its
// answer.
#ifndef HIPCACHE_TESTS_REMOTE_OBJECTS_LOCAL_WEB_SERVER_H
#define HIPCACHE_TESTS_REMOTE_OBJECTS_LOCAL_WEB_SERVER_H

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "hipcache/base/files.h"

namespace hipcache::remote {

class LocalWebServer {
 public:
  struct Request {
    std::string method, path, body;
    std::map<std::string, std::string> headers;  // names in small letters
  };
  struct Reply {
    int status = 200;
    std::string body;
    std::vector<std::string> headers;  // "Name: value"
  };
  using Handler = std::function<Reply(const Request&)>;  // called by one thread at a time

  explicit LocalWebServer(Handler handler);
  ~LocalWebServer();
  LocalWebServer(const LocalWebServer&) = delete;
  LocalWebServer& operator=(const LocalWebServer&) = delete;

  // "http://127.0.0.1:1234"
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::vector<Request> requests() const;
  std::size_t count() const { return requests().size(); }

 private:
  void run();
  void serve(int connection);

  const Handler handler_;
  UniqueFd listener_;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;  // guards the requests
  std::vector<Request> requests_;
  std::thread thread_;
};

// An error of S3 or Azure: its status, and its code in a document.
LocalWebServer::Reply coded_error(int status, const std::string& code, const std::vector<std::string>& headers = {});

}  // namespace hipcache::remote

#endif
