// Object services with real servers. S3 in two dialects: versitygw checks signatures and clocks, gofakes3 neither.
// fake-gcs-server speaks Google's JSON interface, checks no credentials, and ignores the conditions of simple uploads
// (google_test.cpp has a server that does not). Azurite, of Microsoft, checks keys and
// shared access signatures, and no clocks. tools/test-servers brings them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "remote/backends/open_backend.h"
#include "remote/objects/object_service.h"
#include "remote/server.h"
#include "remote/support.h"
#include "remote/two_writers.h"

namespace hipcache::remote {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

using Set = std::map<std::string, std::string>;

class ObjectServers : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string program = GetParam();
    server_ = Server::objects(program);
    if (!server_) GTEST_SKIP() << program << " is not installed: tools/test-servers brings it, with Go or npm";
    is_google_ = program == "fake-gcs-server";
    is_azure_ = program == "azurite";
    backend_ = backend("tests");
  }

  std::string url(const std::string& bucket = "bucket") const {
    const std::string server = is_azure_ ? std::string("azblob://") + Server::kAzureAccount + "/" + bucket
                                         : (is_google_ ? "gs://" : "s3://") + bucket;
    return server + "/some path+ü?endpoint=" + server_->url() + (is_google_ ? "&credentials=none" : "");
  }

  static Set good_keys() {
    return {{"AWS_ACCESS_KEY_ID", Server::kS3Key},
            {"AWS_SECRET_ACCESS_KEY", Server::kS3Secret},
            {"AZURE_STORAGE_KEY", Server::kAzureKey}};
  }

  std::unique_ptr<Backend> backend_at(const std::string& text, Set keys = good_keys(),
                                      std::chrono::seconds clock_is_ahead = 0s) const {
    const auto url = config::parse_remote_url(text);
    EXPECT_TRUE(url) << url.error().message;
    const World world{.variables = [keys](const char* name) -> std::string {
                        const auto known = keys.find(name);
                        return known == keys.end() ? "" : known->second;
                      },
                      .now = [clock_is_ahead] { return std::chrono::system_clock::now() + clock_is_ahead; }};
    auto service = is_azure_    ? make_azure_service(*url, world)
                   : is_google_ ? make_google_service(*url, world)
                                : make_s3_service(*url, world.variables);
    return make_plain_backend(make_object_store(std::move(service), world.now), url->prefix, url->max_bytes);
  }

  std::unique_ptr<Backend> backend(const std::string& prefix) const { return backend_at(url() + "&prefix=" + prefix); }

  std::unique_ptr<Server> server_;
  bool is_google_ = false, is_azure_ = false;
  std::unique_ptr<Backend> backend_;
  const Digest key_ = digest_of("key");
};

TEST_P(ObjectServers, GiveBackWhatWasPutAndNothingElse) {
  expect_gives_back_what_was_put(*backend_, *backend("other"));
}

TEST_P(ObjectServers, WriteABlobOnce) { expect_writes_a_blob_once(*backend_); }

TEST_P(ObjectServers, LoseNoPathSetOfTwoWritersForGood) {
  const TwoWriters counted = let_two_write_at_once([&] { return backend("tests"); });
  EXPECT_EQ(counted.failed, 0);
  EXPECT_EQ(counted.lost, 0);
  // The others compare before they write.
  const bool may_displace = is_google_ || std::string(GetParam()) == "gofakes3";
  EXPECT_LE(counted.displaced, may_displace ? counted.lists / 2 : 0);
}

TEST_P(ObjectServers, AreReachedAgainAfterARestart) {
  EXPECT_EQ(problem(backend_->list(key_, kPatient)), "");
  server_->stop();
  const Answer<List> answer = backend_->list(key_, {.connect = 500ms, .answer = 300ms});
  ASSERT_TRUE(answer.failure);
  EXPECT_EQ(answer.failure->trouble, Trouble::unreachable);
  server_->start();
  EXPECT_EQ(problem(backend_->list(key_, kPatient)), "");
}

TEST_P(ObjectServers, SayThatABucketIsMissing) {
  const std::unique_ptr<Backend> nowhere = backend_at(url("nowhere"));
  const std::string said = is_azure_    ? "HTTP status 404 (ContainerNotFound); the container does not exist"
                           : is_google_ ? "HTTP status 404; the bucket does not exist"
                                        : "HTTP status 404 (NoSuchBucket)";
  const WriteAnswer put = nowhere->put_result(key_, {}, std::vector<Digest>{}, kPatient);
  ASSERT_TRUE(put.failure);
  EXPECT_EQ(put.failure->trouble, Trouble::refused);
  EXPECT_EQ(put.failure->message, said);
  EXPECT_EQ(problem(nowhere->add_to_list(key_, {path_set("a", 1)}, kPatient)), said);
  EXPECT_EQ(problem(nowhere->list(key_, kPatient)), is_google_ ? "" : said) << "the fake names no cause to readers";
}

TEST_P(ObjectServers, ReplaceADamagedBlob) {
  const Digest digest = digest_of("bytes");
  EXPECT_TRUE(backend_->put_blob(digest, "bytes", kPatient).value);
  EXPECT_FALSE(backend_->blob(digest, 4, kPatient).value) << "of another size, which counts as damaged";
  EXPECT_TRUE(backend_->put_blob(digest, "bytes", kPatient).value) << "so it is written again";
  EXPECT_EQ(*backend_->blob(digest, 5, kPatient).value, "bytes");
}

INSTANTIATE_TEST_SUITE_P(Kinds, ObjectServers, testing::Values("versitygw", "gofakes3", "fake-gcs-server", "azurite"),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::erase(name, '-');
                           return name;
                         });

using ObjectSignatures = ObjectServers;

TEST_P(ObjectSignatures, OfAWrongKeyAreRefused) {
  const Answer<List> answer = backend_at(url(), {{"AWS_ACCESS_KEY_ID", Server::kS3Key},
                                                 {"AWS_SECRET_ACCESS_KEY", "wrong"},
                                                 {"AZURE_STORAGE_KEY", "d3Jvbmc="}})
                                  ->list(key_, kPatient);
  ASSERT_TRUE(answer.failure);
  EXPECT_EQ(answer.failure->trouble, Trouble::refused);
  EXPECT_THAT(answer.failure->message, HasSubstr(is_azure_ ? "(AuthorizationFailure)" : "SignatureDoesNotMatch"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, ObjectSignatures, testing::Values("versitygw", "azurite"),
                         [](const auto& one) { return std::string(one.param); });

using ObjectClocks = ObjectServers;

TEST_P(ObjectClocks, ThatAreWrongAreMended) {
  for (const std::chrono::seconds ahead : {-7200s, 7200s}) {
    const std::unique_ptr<Backend> wrong = backend_at(url(), good_keys(), ahead);
    EXPECT_EQ(problem(wrong->list(key_, kPatient)), "");
    EXPECT_EQ(problem(wrong->add_to_list(key_, {path_set("a", 1)}, kPatient)), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ObjectClocks, testing::Values("versitygw"),
                         [](const auto& one) { return std::string(one.param); });

using AzureServers = ObjectServers;

TEST_P(AzureServers, TakeAConnectionStringAndASharedAccessSignature) {
  const std::string endpoint = "BlobEndpoint=" + server_->url() + "/" + Server::kAzureAccount;
  const std::string sas = Server::kAzureSas;
  const std::string account = std::string("AccountName=") + Server::kAzureAccount;
  const Set sets[] = {
      {{"AZURE_STORAGE_CONNECTION_STRING", account + ";AccountKey=" + Server::kAzureKey + ";" + endpoint}},
      {{"AZURE_STORAGE_CONNECTION_STRING", endpoint + ";SharedAccessSignature=" + sas}},
      {{"AZURE_STORAGE_SAS_TOKEN", "?" + sas}, {"AZURE_STORAGE_ACCOUNT", Server::kAzureAccount}}};
  const std::string place = std::string("azblob://") + Server::kAzureAccount + "/bucket/";
  for (int number = 0; const Set& set : sets) {
    const bool has_endpoint = set.contains("AZURE_STORAGE_CONNECTION_STRING");
    const std::string at = place + std::to_string(number++) + (has_endpoint ? "" : "?endpoint=" + server_->url());
    expect_gives_back_what_was_put(*backend_at(at, set), *backend_at(place + "other?endpoint=" + server_->url()));
  }
}

TEST_P(AzureServers, RefuseTheUnsigned) {
  const std::unique_ptr<Backend> unsigned_one = backend_at(url() + "&credentials=none", {});
  const Answer<List> answer = unsigned_one->list(key_, kPatient);
  ASSERT_TRUE(answer.failure);
  EXPECT_EQ(answer.failure->trouble, Trouble::refused);
}

INSTANTIATE_TEST_SUITE_P(Kinds, AzureServers, testing::Values("azurite"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace hipcache::remote
