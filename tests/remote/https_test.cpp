// https with a real server: who is trusted, and who is let in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "remote/certificates.h"
#include "remote/server.h"
#include "remote/support.h"
#include "support/scratch.h"

namespace hipcache::remote {
namespace {

using testing::HasSubstr;

class Https : public testing::Test {
 protected:
  void start(const Certificates::Pair& certificate, const std::string& client_authority = "") {
    server_ = Server::nginx("", ServerTls{certificate, client_authority});
    ASSERT_TRUE(server_) << "tools/setup installs nginx";
  }

  std::string url(const std::string& options) const { return server_->url() + "?" + options; }

  void expect_refused(const std::string& url, const std::string& why) const {
    const Answer<List> answer = backend_at(url)->list(key_, kPatient);
    ASSERT_TRUE(answer.failure) << url;
    EXPECT_EQ(answer.failure->trouble, Trouble::refused) << answer.failure->message;
    EXPECT_THAT(answer.failure->message, HasSubstr(why));
  }

  const Certificates certificates_;
  const Digest key_ = digest_of("key");
  std::unique_ptr<Server> server_;
};

TEST_F(Https, TheAuthoritiesThatTheUserNamesForAllProgramsAreTrusted) {
  start(certificates_.issue("server"));
  setenv("SSL_CERT_FILE", certificates_.authority().c_str(), 1);
  EXPECT_EQ(problem(backend_at(server_->url())->list(key_, kPatient)), "");
  unsetenv("SSL_CERT_FILE");
  EXPECT_TRUE(backend_at(server_->url())->list(key_, kPatient).failure);
}

TEST_F(Https, ACertificateOfTheClientIsShownToAServerThatDemandsOne) {
  start(certificates_.issue("server"), certificates_.authority());
  const std::string trust = certificates_.trust() + "&";
  const std::unique_ptr<Backend> backend = backend_at(url(trust + certificates_.issue("client").options()));
  EXPECT_EQ(problem(backend->add_to_list(key_, {path_set("a", 1)}, kPatient)), "");
  EXPECT_EQ(*backend->list(key_, kPatient).value, (List{path_set("a", 1)}));
  expect_refused(url(trust), "HTTP status 400");
  expect_refused(url(trust + certificates_.issue("stranger", "DNS:stranger", "other").options()), "HTTP status 400");
}

TEST_F(Https, AnAuthorityThatIsNotTrustedIsRefused) {
  start(certificates_.issue("server", "IP:127.0.0.1", "other"));
  const std::string why = "no trusted authority has signed the server's certificate; ca_file= names";
  expect_refused(url(certificates_.trust()), why);
  expect_refused(url(""), why);
  EXPECT_EQ(problem(backend_at(url("ca_file=" + certificates_.authority("other")))->list(key_, kPatient)), "");
}

TEST_F(Https, ACertificateOfAnotherHostIsRefused) {
  start(certificates_.issue("server", "DNS:cache.example"));
  const std::string why = "the server's certificate is for another host";
  expect_refused(url(certificates_.trust()), why);
  const std::string by_name = "https://localhost:" + std::to_string(server_->port()) + "?" + certificates_.trust();
  expect_refused(by_name, why);
  server_->stop();
  certificates_.issue("server", "DNS:localhost");
  server_->start();
  EXPECT_EQ(problem(backend_at(by_name)->list(key_, kPatient)), "");
  expect_refused(url(certificates_.trust()), why);
}

TEST_F(Https, FilesThatCannotBeUsedAreNamed) {
  start(certificates_.issue("server"));
  const support::Scratch scratch;
  const std::string missing = scratch / "missing.pem";
  const std::string garbage = scratch.write("garbage.pem", "no certificate\n");
  expect_refused(url("ca_file=" + missing), "cannot use the file of ca_file=");
  expect_refused(url("ca_file=" + garbage), "cannot use the file of ca_file=");
  const Certificates::Pair ours = certificates_.issue("client");
  const std::string trust = certificates_.trust() + "&";
  expect_refused(url(trust + "client_certificate=" + garbage + "&client_key=" + ours.key),
                 "the file of client_certificate=");
  expect_refused(url(trust + "client_certificate=" + ours.certificate + "&client_key=" + missing),
                 "the file of client_key=");
  const std::string locked = scratch / "locked.key";
  const std::string lock = "openssl ec -in " + ours.key + " -aes256 -passout pass:word -out " + locked + " 2>/dev/null";
  ASSERT_EQ(std::system(lock.c_str()), 0);
  expect_refused(url(trust + "client_certificate=" + ours.certificate + "&client_key=" + locked),
                 "the file of client_key=");
}

TEST_F(Https, ARenewedCertificateIsUsedAtTheNextConnection) {
  start(certificates_.issue("server"), certificates_.authority());
  const Certificates::Pair ours = certificates_.issue("client", "DNS:client", "other");
  const std::unique_ptr<Backend> backend = backend_at(url(certificates_.trust() + "&" + ours.options()));
  EXPECT_TRUE(backend->list(key_, kPatient).failure);
  certificates_.issue("client");
  server_->stop();
  server_->start();
  EXPECT_EQ(problem(backend->list(key_, kPatient)), "");
}

}  // namespace
}  // namespace hipcache::remote
