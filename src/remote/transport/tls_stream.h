// TLS over another stream.
//
// The server's certificate and host are always checked; no option turns that off. A server of TLS 1.3 sends session
// tickets when nobody asked for anything: read() takes them, and reports nothing moved. A server of TLS 1.3 that
// demands a certificate also refuses only after the handshake: then the first read fails and says so, and a write that
// finds the connection closed looks for the reason among what the server has sent.
#ifndef HIPCACHE_SRC_REMOTE_TRANSPORT_TLS_STREAM_H
#define HIPCACHE_SRC_REMOTE_TRANSPORT_TLS_STREAM_H

#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <chrono>
#include <memory>
#include <string>
#include <variant>

#include "remote/layout/backend.h"
#include "remote/transport/socket_stream.h"

namespace hipcache::remote {

// A stream as OpenSSL's BIO, so that TLS sends and receives through it.
//
// Rejected: OpenSSL's own BIO of a socket, which sends with SIGPIPE.

// What a BIO uses; outlives it.
struct BioStream {
  ByteStream* stream = nullptr;
  Transfer last{Transfer::State::moved};  // what became of the last read or write
};

// Null without memory.
BIO* make_stream_bio(BioStream& below);

// What a TLS connection trusts and shows: authorities, our certificate and its key.
//
// The files are read for each connection, so a renewed certificate or authority is used at the next connection.
// Rejected: one context for a tier, which would have to watch three files in order to spare half a millisecond of a
// handshake. Without `ca_file` the system's authorities are trusted (authorities.h). A key with a passphrase is an
// error: nobody is there who could be asked.

struct TlsSettings {
  std::string host;  // a name or an address that the server's certificate must have; IPv6 without brackets
  std::string ca_file, client_certificate, client_key;  // may be empty
};

struct FreeTlsContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using TlsContext = std::unique_ptr<SSL_CTX, FreeTlsContext>;

// TLS 1.2 or later. A failure names the file that cannot be used. Thread-safe.
std::variant<TlsContext, Failure> make_tls_context(const TlsSettings& settings);

// Takes what OpenSSL put into this thread's queue of errors: "no start line", "No such file or directory".
std::string take_tls_error();

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
