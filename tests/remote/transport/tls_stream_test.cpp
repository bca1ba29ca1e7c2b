// TLS over a stream, with the server's end in the test: what comes when nobody asked, and in which order.
#include "remote/transport/tls_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <sys/eventfd.h>

#include <array>
#include <string>

#include "hipcache/base/files.h"
#include "remote/certificates.h"

namespace hipcache::remote {
namespace {

using namespace std::chrono_literals;
using State = Transfer::State;
using testing::HasSubstr;

struct FreeServer {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* tls) const { SSL_free(tls); }
};

// A server of TLS 1.3 that answers each write of the client at once, in the client's thread.
class ServerEnd : public ByteStream {
 public:
  explicit ServerEnd(const Certificates::Pair& certificate, const std::string& client_authority = "")
      : context_(SSL_CTX_new(TLS_server_method())), always_ready_(eventfd(1, EFD_CLOEXEC)) {
    SSL_CTX_use_certificate_chain_file(context_.get(), certificate.certificate.c_str());
    SSL_CTX_use_PrivateKey_file(context_.get(), certificate.key.c_str(), SSL_FILETYPE_PEM);
    if (!client_authority.empty()) {
      SSL_CTX_load_verify_file(context_.get(), client_authority.c_str());
      SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    }
    tls_.reset(SSL_new(context_.get()));
    SSL_set_bio(tls_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_accept_state(tls_.get());
  }

  // For the client to read.
  void say(const std::string& text) {
    EXPECT_EQ(SSL_write(tls_.get(), text.data(), static_cast<int>(text.size())), static_cast<int>(text.size()));
  }
  void close_notify() { SSL_shutdown(tls_.get()); }
  // What was said before can still be read.
  void close() { is_closed_ = true; }
  std::size_t unread() const { return BIO_ctrl_pending(SSL_get_wbio(tls_.get())); }

  Transfer read(std::span<char> to) override {
    const int size = BIO_read(SSL_get_wbio(tls_.get()), to.data(), static_cast<int>(to.size()));
    if (size > 0) return {State::moved, static_cast<std::size_t>(size)};
    return {is_closed_ ? State::closed : State::wants_read};
  }

  Transfer write(std::string_view bytes) override {
    if (is_closed_) return {State::closed};
    BIO_write(SSL_get_rbio(tls_.get()), bytes.data(), static_cast<int>(bytes.size()));
    std::array<char, 100> heard{};
    SSL_read(tls_.get(), heard.data(), heard.size());  // shakes hands as well
    return {State::moved, bytes.size()};
  }

  const Failure& failure() const override { return failure_; }
  int fd() const override { return always_ready_.get(); }

 private:
  std::unique_ptr<SSL_CTX, FreeServer> context_;
  std::unique_ptr<SSL, FreeServer> tls_;
  UniqueFd always_ready_;
  bool is_closed_ = false;
  Failure failure_{Trouble::unreachable, "closed", {}};
};

class TlsStreams : public testing::Test {
 protected:
  void open(const std::string& client_authority = "") {
    auto server = std::make_unique<ServerEnd>(certificates_.issue("server"), client_authority);
    server_ = server.get();
    auto opened = open_tls(std::move(server), {"localhost", certificates_.authority(), "", ""},
                           std::chrono::steady_clock::now() + 20s);
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<ByteStream>>(opened)) << std::get<Failure>(opened).message;
    stream_ = std::move(std::get<std::unique_ptr<ByteStream>>(opened));
  }

  const Certificates certificates_;
  std::unique_ptr<ByteStream> stream_;
  ServerEnd* server_ = nullptr;  // in the stream
  std::array<char, 100> buffer_{};
};

TEST_F(TlsStreams, SessionTicketsAreNoBytes) {
  open();
  EXPECT_GT(server_->unread(), 0u) << "tickets";
  EXPECT_EQ(stream_->read(buffer_).state, State::wants_read);
  EXPECT_EQ(server_->unread(), 0u);
}

TEST_F(TlsStreams, BytesThatAreDecryptedAndPendingAreMovedWithoutTheStreamBelow) {
  open();
  server_->say("two");
  EXPECT_EQ(stream_->read(std::span(buffer_).first(1)).size, 1u);
  EXPECT_EQ(server_->unread(), 0u);
  const Transfer rest = stream_->read(buffer_);
  EXPECT_EQ(rest.state, State::moved);
  EXPECT_EQ(rest.size, 2u);
  EXPECT_EQ(stream_->read(buffer_).state, State::wants_read);
}

TEST_F(TlsStreams, TheEndOfTheServerIsClosedWithAndWithoutItsNotice) {
  open();
  server_->close_notify();
  EXPECT_EQ(stream_->read(buffer_).state, State::closed);
  open();
  server_->close();
  EXPECT_EQ(stream_->read(buffer_).state, State::closed);
  EXPECT_EQ(stream_->write("x").state, State::closed);
}

TEST_F(TlsStreams, AWriteThatFindsTheConnectionClosedSaysWhyTheServerClosedIt) {
  open(certificates_.authority());
  server_->close();
  EXPECT_EQ(stream_->write("x").state, State::failed);
  EXPECT_EQ(stream_->failure().trouble, Trouble::refused);
  EXPECT_THAT(stream_->failure().message, HasSubstr("the server demands a certificate"));
}

}  // namespace
}  // namespace hipcache::remote
