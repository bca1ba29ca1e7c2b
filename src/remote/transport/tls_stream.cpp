#include "remote/transport/tls_stream.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <system_error>

#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "remote/layout/sha256.h"
#include "remote/transport/authorities.h"

namespace hipcache::remote {

namespace {

using State = Transfer::State;

// A stream as OpenSSL's BIO, so that TLS sends and receives through it. Rejected: OpenSSL's own BIO of a socket, which
// sends with SIGPIPE.

// What a BIO uses; outlives it.
struct BioStream {
  ByteStream* stream = nullptr;
  Transfer last{Transfer::State::moved};  // what became of the last read or write
};

// What OpenSSL takes as the result of a BIO's read or write.
int told(BIO* bio, BioStream& below, const Transfer& transfer) {
  below.last = transfer;
  BIO_clear_retry_flags(bio);
  switch (transfer.state) {
    case State::moved:
      return static_cast<int>(transfer.size);
    case State::wants_read:
      BIO_set_retry_read(bio);
      return -1;
    case State::wants_write:
      BIO_set_retry_write(bio);
      return -1;
    case State::closed:
      return 0;
    case State::failed:
      break;
  }
  return -1;
}

int on_read(BIO* bio, char* to, int size) {
  auto& below = *static_cast<BioStream*>(BIO_get_data(bio));
  return told(bio, below, below.stream->read(std::span(to, static_cast<std::size_t>(size))));
}

int on_write(BIO* bio, const char* bytes, int size) {
  auto& below = *static_cast<BioStream*>(BIO_get_data(bio));
  return told(bio, below, below.stream->write(std::string_view(bytes, static_cast<std::size_t>(size))));
}

// Nothing is kept back that a flush could send.
long on_control(BIO* /*bio*/, int command, long /*number*/, void* /*argument*/) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD* make_method() {
  BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "hipcache stream");
  if (method == nullptr) return nullptr;
  BIO_meth_set_read(method, on_read);
  BIO_meth_set_write(method, on_write);
  BIO_meth_set_ctrl(method, on_control);
  return method;
}

// Null without memory.
BIO* make_stream_bio(BioStream& below) {
  static BIO_METHOD* const method = make_method();  // for as long as the process lives
  BIO* bio = method == nullptr ? nullptr : BIO_new(method);
  if (bio == nullptr) return nullptr;
  BIO_set_data(bio, &below);
  BIO_set_init(bio, 1);
  return bio;
}

// Takes what OpenSSL put into this thread's queue of errors: "no start line", "No such file or directory".
std::string take_tls_error() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  if (ERR_SYSTEM_ERROR(error)) return std::generic_category().message(ERR_GET_REASON(error));
  const char* reason = ERR_reason_error_string(error);
  return reason != nullptr ? reason : "unknown reason";
}

Failure unusable(const char* option) {
  return {Trouble::refused, std::string("cannot use the file of ") + option + "=: " + take_tls_error(), {}};
}

struct FreeTlsContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using TlsContext = std::unique_ptr<SSL_CTX, FreeTlsContext>;

// TLS 1.2 or later.
std::variant<TlsContext, Failure> make_tls_context(const TlsSettings& settings) {
  ERR_clear_error();
  TlsContext context(SSL_CTX_new(TLS_client_method()));
  if (!context) return Failure{Trouble::unreachable, "no TLS: " + take_tls_error(), {}};
  SSL_CTX* made = context.get();
  SSL_CTX_set_min_proto_version(made, TLS1_2_VERSION);
  SSL_CTX_set_options(made, SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(made, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_verify(made, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_default_passwd_cb(made, no_passphrase);
  const std::string authorities = settings.ca_file.empty() ? file_of_authorities() : settings.ca_file;
  if (authorities.empty()) {
    SSL_CTX_set_default_verify_paths(made);
  } else if (SSL_CTX_load_verify_file(made, authorities.c_str()) != 1) {
    return unusable("ca_file");
  }
  if (settings.client_certificate.empty()) return context;
  if (SSL_CTX_use_certificate_chain_file(made, settings.client_certificate.c_str()) != 1)
    return unusable("client_certificate");
  if (SSL_CTX_use_PrivateKey_file(made, settings.client_key.c_str(), SSL_FILETYPE_PEM) != 1)
    return unusable("client_key");
  return context;
}

bool is_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> parsed{};
  return inet_pton(AF_INET, host.c_str(), parsed.data()) == 1 || inet_pton(AF_INET6, host.c_str(), parsed.data()) == 1;
}

// Whether the server's alert speaks of our certificate, or of its absence.
bool is_about_our_certificate(int reason) {
  switch (reason) {
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:  // TLS 1.2: there is no certificate
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
      return true;
    default:
      return false;
  }
}

class TlsStream : public ByteStream {
 public:
  explicit TlsStream(std::unique_ptr<ByteStream> below) : below_(std::move(below)), bio_{below_.get()} {}
  // `bio_` is the address of a member.
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // The server is told the host that it is asked as (SNI), unless that is an address.
  bool prepare(SSL_CTX& context, const std::string& host) {
    tls_.reset(SSL_new(&context));
    BIO* bio = tls_ ? make_stream_bio(bio_) : nullptr;
    if (bio == nullptr) return false;
    SSL_set_bio(tls_.get(), bio, bio);  // owns it
    SSL_set_connect_state(tls_.get());
    if (is_address(host)) return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls_.get()), host.c_str()) == 1;
    const std::string name = host.ends_with('.') ? host.substr(0, host.size() - 1) : host;  // certificates have no dot
    SSL_set_hostflags(tls_.get(), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return SSL_set1_host(tls_.get(), name.c_str()) == 1 && SSL_set_tlsext_host_name(tls_.get(), name.c_str()) == 1;
  }

  Transfer shake_hands() {
    ERR_clear_error();
    return outcome(SSL_do_handshake(tls_.get()), 0);
  }

  Transfer read(std::span<char> to) override {
    ERR_clear_error();
    std::size_t size = 0;
    const int returned = SSL_read_ex(tls_.get(), to.data(), to.size(), &size);
    return outcome(returned, size);
  }

  Transfer write(std::string_view bytes) override {
    ERR_clear_error();
    std::size_t size = 0;
    const int returned = SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &size);
    const Transfer written = outcome(returned, size);
    if (written.state != State::closed) return written;
    const Failure closed = failure_;
    std::array<char, 1> unused{};
    const Transfer reason = read(unused);
    if (reason.state == State::failed) return reason;
    failure_ = closed;
    return written;
  }

  const Failure& failure() const override { return failure_; }
  int fd() const override { return below_->fd(); }

 private:
  struct FreeTls {
    void operator()(SSL* tls) const { SSL_free(tls); }
  };

  Transfer outcome(int returned, std::size_t size) {
    switch (SSL_get_error(tls_.get(), returned)) {
      case SSL_ERROR_NONE:
        return {State::moved, size};
      case SSL_ERROR_WANT_READ:
        return {State::wants_read};
      case SSL_ERROR_WANT_WRITE:
        return {State::wants_write};
      case SSL_ERROR_ZERO_RETURN:
        failure_.message = "the server closed the connection";
        return {State::closed};
      case SSL_ERROR_SSL:
        return refused_by_tls();
      default:
        failure_ = below_->failure();
        return {bio_.last.state == State::closed ? State::closed : State::failed};
    }
  }

  Transfer refused_by_tls() {
    const int reason = ERR_GET_REASON(ERR_peek_error());
    const std::string text = take_tls_error();
    if (const long verdict = SSL_get_verify_result(tls_.get()); verdict != X509_V_OK)
      failure_ = failure_of_certificate(verdict);
    else if (is_about_our_certificate(reason))
      failure_ = failure_of_client_certificate(SSL_get_certificate(tls_.get()) != nullptr);
    else if (reason == SSL_R_WRONG_VERSION_NUMBER)
      failure_ = {Trouble::unreachable, "the server does not speak TLS at this port", {}};
    else
      failure_ = {Trouble::unreachable, "TLS failed: " + text, {}};
    return {State::failed};
  }

  std::unique_ptr<ByteStream> below_;
  BioStream bio_;
  std::unique_ptr<SSL, FreeTls> tls_;
  Failure failure_;
};

}  // namespace

OpenedStream open_tls(std::unique_ptr<ByteStream> below, const TlsSettings& settings,
                      std::chrono::steady_clock::time_point until) {
  auto context = make_tls_context(settings);
  if (auto* failure = std::get_if<Failure>(&context)) return std::move(*failure);
  auto stream = std::make_unique<TlsStream>(std::move(below));
  if (!stream->prepare(*std::get<TlsContext>(context), settings.host))
    return Failure{Trouble::unreachable, "no TLS: " + take_tls_error(), {}};
  for (;;) {
    const Transfer shaken = stream->shake_hands();
    if (shaken.state == State::moved) return stream;
    if (shaken.state == State::closed || shaken.state == State::failed) return stream->failure();
    if (!wait_for(*stream, shaken.state, until)) return Failure{Trouble::unreachable, "no TLS handshake in time", {}};
  }
}

}  // namespace hipcache::remote
