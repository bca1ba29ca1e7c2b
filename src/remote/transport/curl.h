// One handle of libcurl: what all that goes through libcurl has in common. HTTP and Redis do.
//
// The server's certificate and host are always checked; no option turns that off. The files of TLS are read for each
// connection, so a renewed certificate or authority is used at the next one. Without `ca_file` the system's authorities
// are trusted (authorities.h). A key with a passphrase is an error: nobody is there who could be asked.
//
// Names are resolved in a thread of libcurl, which is left behind when the time is over: getaddrinfo() waits as long as
// the system's resolver likes, up to half a minute if no name server answers.
//
// Used by one thread at a time.
#ifndef HIPCACHE_SRC_REMOTE_TRANSPORT_CURL_H
#define HIPCACHE_SRC_REMOTE_TRANSPORT_CURL_H

#include <curl/curl.h>

#include <array>
#include <chrono>
#include <string>

#include "remote/layout/backend.h"
#include "remote/transport/authorities.h"

namespace hipcache::remote {

class Curl {
 public:
  Curl();
  ~Curl() { curl_easy_cleanup(easy_); }
  Curl(const Curl&) = delete;
  Curl& operator=(const Curl&) = delete;

  // Sets all options anew. Connections and TLS sessions stay.
  void prepare(const std::string& url, const TlsFiles& tls, std::chrono::milliseconds connect);

  CURL* get() const { return easy_; }
  template <typename Value>
  void set(CURLoption option, Value value) {
    curl_easy_setopt(easy_, option, value);
  }

  // What became of a call that failed. It has no message of the server, and no secret.
  Failure failure_of(CURLcode code) const;
  // Of a call that took too long. `what` it waited for, unless that was the host's name.
  Failure late(const std::string& what) const;

 private:
  CURL* const easy_;
  std::array<char, CURL_ERROR_SIZE> said_{};  // of an error
  int alert_ = 0;                             // of TLS, that the server sent; 0: none, or that of its end
  bool sends_certificate_ = false;
};

}  // namespace hipcache::remote

#endif
