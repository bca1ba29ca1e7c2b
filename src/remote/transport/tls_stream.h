// TLS over another stream.
//
// The server's certificate and host are always checked; no option turns that off. A server of TLS 1.3 sends session
// tickets when nobody asked for anything: read() takes them, and reports nothing moved. A server of TLS 1.3 that
// demands a certificate also refuses only after the handshake: then the first read fails and says so, and a write that
// finds the connection closed looks for the reason among what the server has sent.
#ifndef HIPCACHE_SRC_REMOTE_TRANSPORT_TLS_STREAM_H
#define HIPCACHE_SRC_REMOTE_TRANSPORT_TLS_STREAM_H

#include <openssl/ssl.h>

#include <chrono>
#include <memory>
#include <variant>

#include "remote/transport/byte_stream.h"
#include "remote/transport/stream_bio.h"
#include "remote/transport/tls_context.h"

namespace hipcache::remote {

class TlsStream : public ByteStream {
 public:
  // Shakes hands, at most until then.
  static std::variant<std::unique_ptr<TlsStream>, Failure> open(std::unique_ptr<ByteStream> below,
                                                                const TlsSettings& settings,
                                                                std::chrono::steady_clock::time_point until);
  // `bio_` is the address of a member.
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  Transfer read(std::span<char> to) override;
  Transfer write(std::string_view bytes) override;
  const Failure& failure() const override { return failure_; }
  int fd() const override { return below_->fd(); }

 private:
  struct FreeTls {
    void operator()(SSL* tls) const { SSL_free(tls); }
  };

  explicit TlsStream(std::unique_ptr<ByteStream> below) : below_(std::move(below)), bio_{below_.get()} {}
  bool prepare(SSL_CTX& context, const std::string& host);
  Transfer shake_hands();
  Transfer outcome(int returned, std::size_t size);
  Transfer refused_by_tls();

  std::unique_ptr<ByteStream> below_;
  BioStream bio_;
  std::unique_ptr<SSL, FreeTls> tls_;
  Failure failure_;
};

}  // namespace hipcache::remote

#endif
