// URLs of shared caches: what they mean, and what errors say of wrong ones.
#include "hipcache/config/remote_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hipcache/config/shown.h"

namespace hipcache::config {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

RemoteUrl parsed(const std::string& text) {
  const Result<RemoteUrl> url = parse_remote_url(text);
  EXPECT_TRUE(url) << url.error().message;
  return url ? *url : RemoteUrl();
}

std::string error_of(const std::string& text) {
  const Result<RemoteUrl> url = parse_remote_url(text);
  EXPECT_FALSE(url) << text;
  return url ? "" : url.error().message;
}

TEST(RemoteUrls, HaveAPlaceForEachPart) {
  const RemoteUrl url = parsed(
      "https://ada:pass%20word@cache.example:8443/some/path/"
      "?mode=ro&prefix=a/b&timeout=1.5s&connect_timeout=20ms&max_bytes=1MiB&ca_file=/etc/ca");
  EXPECT_EQ(url.kind, RemoteKind::http);
  EXPECT_TRUE(url.tls);
  EXPECT_EQ(url.user, "ada");
  EXPECT_EQ(url.password, "pass word");
  EXPECT_EQ(url.host, "cache.example");
  EXPECT_EQ(url.port, 8443);
  EXPECT_EQ(url.path, "/some/path");
  EXPECT_TRUE(url.reads);
  EXPECT_FALSE(url.writes);
  EXPECT_EQ(url.prefix, "a/b");
  EXPECT_EQ(url.timeout, 1500ms);
  EXPECT_EQ(url.connect_timeout, 20ms);
  EXPECT_EQ(url.max_bytes, 1u << 20);
  EXPECT_EQ(url.ca_file, "/etc/ca");
}

TEST(RemoteUrls, OfFilesAndUnixSocketsArePaths) {
  EXPECT_EQ(parsed("file:///var/cache%20of/x/").path, "/var/cache of/x");
  const RemoteUrl socket = parsed("redis+unix:///run/redis.sock?database=2&password=p");
  EXPECT_EQ(socket.path, "/run/redis.sock");
  EXPECT_EQ(socket.host, "");
  EXPECT_EQ(socket.database, 2u);
  EXPECT_EQ(socket.password, "p");
}

TEST(RemoteUrls, OfRedisHaveADatabaseForAPath) {
  EXPECT_EQ(parsed("redis://:secret@[::1]:6380/3").database, 3u);
  EXPECT_EQ(parsed("redis://:secret@[::1]:6380/3").host, "[::1]");
  EXPECT_EQ(parsed("valkey://host").kind, RemoteKind::redis);
  EXPECT_THAT(error_of("redis://host/three"), HasSubstr("database is no number"));
}

TEST(RemoteUrls, OfRedisOverTlsHaveFilesOfCertificates) {
  for (const char* scheme : {"rediss", "valkeys"}) {
    const RemoteUrl url =
        parsed(std::string(scheme) + "://ada:word@host:6380/2?ca_file=/ca&client_certificate=/c&client_key=/k");
    EXPECT_EQ(url.kind, RemoteKind::redis);
    EXPECT_TRUE(url.tls);
    EXPECT_EQ(url.database, 2u);
    EXPECT_EQ(url.ca_file, "/ca");
    EXPECT_EQ(url.client_certificate, "/c");
    EXPECT_EQ(url.client_key, "/k");
  }
  EXPECT_FALSE(parsed("redis://host").tls);
}

TEST(RemoteUrls, OfRemoteExecutionServersHaveAnInstanceForAPath) {
  const RemoteUrl url =
      parsed("grpcs://ada:word@cache.example:9092/main?client_certificate=/c&client_key=/k&timeout=1s");
  EXPECT_EQ(url.kind, RemoteKind::grpc);
  EXPECT_TRUE(url.tls);
  EXPECT_EQ(url.port, 9092);
  EXPECT_EQ(url.path, "/main");
  EXPECT_EQ(url.client_key, "/k");
  EXPECT_EQ(url.timeout, 1s);
  EXPECT_FALSE(parsed("grpc://[::1]:9092").tls);
  EXPECT_THAT(error_of("grpc://host/?database=1"), HasSubstr("unknown option \"database\""));
}

TEST(RemoteUrls, OfS3HaveABucketForAHost) {
  const RemoteUrl url = parsed(
      "s3://our.bucket/team/one?endpoint=https://S3.example:9000/&region=eu-west-1&profile=ci%20jobs"
      "&addressing=virtual&mode=ro&timeout=1s&ca_file=/ca&prefix=x");
  EXPECT_EQ(url.kind, RemoteKind::s3);
  EXPECT_EQ(url.host, "our.bucket");
  EXPECT_EQ(url.path, "/team/one");
  EXPECT_EQ(url.endpoint, "https://s3.example:9000");
  EXPECT_EQ(url.s3.region, "eu-west-1");
  EXPECT_EQ(url.s3.profile, "ci jobs");
  EXPECT_EQ(url.s3.addressing, S3Options::Addressing::host);
  EXPECT_TRUE(url.is_signed);
  EXPECT_FALSE(parsed("s3://bucket?credentials=none").is_signed);
  EXPECT_EQ(parsed("s3://bucket").s3.addressing, S3Options::Addressing::automatic);
}

TEST(RemoteUrls, OfS3ThatAreWrongAreNamedWithTheMend) {
  EXPECT_THAT(error_of("s3:///prefix"), HasSubstr("no bucket is named, as in s3://bucket/prefix"));
  EXPECT_THAT(error_of("s3://key:secret@bucket/"), HasSubstr("holds no keys"));
  EXPECT_THAT(error_of("s3://bucket:9000/"), HasSubstr("endpoint=https://host:port"));
  EXPECT_THAT(error_of("s3://b/"), HasSubstr("the bucket is no name of 3 to 63"));
  EXPECT_THAT(error_of("s3://buck$et/"), HasSubstr("the bucket is no name"));
  EXPECT_THAT(error_of("s3://bucket/a/../b"), HasSubstr("no part . or .."));
  EXPECT_THAT(error_of("s3://bucket/?prefix=./a"), HasSubstr("no part . or .."));
  EXPECT_THAT(error_of("s3://bucket?endpoint=minio:9000"), HasSubstr("is no server such as https://host:9000"));
  EXPECT_THAT(error_of("s3://bucket?endpoint=http://host/path"), HasSubstr("is no server such as"));
  EXPECT_THAT(error_of("s3://bucket?region=eu/west"), HasSubstr("region is no name"));
  EXPECT_THAT(error_of("s3://bucket?addressing=host"), HasSubstr("is not path or virtual"));
  EXPECT_THAT(error_of("s3://bucket?credentials=mine"), HasSubstr("is not aws or none"));
  EXPECT_THAT(error_of("s3://bucket?credentials=none&profile=ci"), HasSubstr("excludes profile"));
  EXPECT_THAT(error_of("s3://bucket?token=x"), HasSubstr("unknown option \"token\""));
  EXPECT_THAT(error_of("http://host/?region=x"), HasSubstr("unknown option \"region\""));
}

TEST(RemoteUrls, OfGoogleHaveABucketForAHost) {
  const RemoteUrl url = parsed("gs://our.bucket_1/team/one?credentials_file=/k.json&endpoint=http://localhost:4443");
  EXPECT_EQ(url.kind, RemoteKind::google);
  EXPECT_EQ(url.host, "our.bucket_1");
  EXPECT_EQ(url.path, "/team/one");
  EXPECT_EQ(url.credentials_file, "/k.json");
  EXPECT_EQ(url.endpoint, "http://localhost:4443");
  EXPECT_TRUE(url.is_signed);
  EXPECT_FALSE(parsed("gs://bucket?credentials=none").is_signed);
  EXPECT_THAT(error_of("gs://"), HasSubstr("no bucket is named, as in gs://bucket/prefix"));
  EXPECT_THAT(error_of("gs://key:secret@bucket"), HasSubstr("GOOGLE_APPLICATION_CREDENTIALS or credentials_file="));
  EXPECT_THAT(error_of("gs://bucket?credentials=aws"), HasSubstr("is not google or none"));
  EXPECT_THAT(error_of("gs://bucket?credentials_file=key.json"), HasSubstr("is no absolute path"));
  EXPECT_THAT(error_of("gs://bucket?credentials=none&credentials_file=/k"), HasSubstr("excludes"));
  EXPECT_THAT(error_of("gs://bucket?region=x"), HasSubstr("unknown option \"region\""));
  EXPECT_THAT(error_of("s3://bucket?credentials_file=/k"), HasSubstr("unknown option \"credentials_file\""));
}

TEST(RemoteUrls, OfAzureHaveAnAccountForAHostAndAContainerForAPath) {
  const RemoteUrl url = parsed("azblob://ouraccount/cache/hip?mode=ro&ca_file=/ca");
  EXPECT_EQ(url.kind, RemoteKind::azure);
  EXPECT_EQ(url.host, "ouraccount");
  EXPECT_EQ(url.path, "/cache/hip");
  EXPECT_EQ(parsed("azblob://ouraccount/cache/").path, "/cache");
  EXPECT_THAT(error_of("azblob:///cache"), HasSubstr("no account is named, as in azblob://account/container/prefix"));
  EXPECT_THAT(error_of("azblob://account"), HasSubstr("the container is no name"));
  EXPECT_THAT(error_of("azblob://account/a$b"), HasSubstr("the container is no name of 3 to 63"));
  EXPECT_THAT(error_of("azblob://account:secret@cache/x"), HasSubstr("AZURE_STORAGE_CONNECTION_STRING"));
  EXPECT_THAT(error_of("azblob://account/cache/../x"), HasSubstr("no part . or .."));
  EXPECT_THAT(error_of("azblob://account/cache?credentials=google"), HasSubstr("is not azure or none"));
}

TEST(RemoteUrls, ThatAreWrongAreNamedWithTheBadPartAndTheMend) {
  EXPECT_THAT(error_of("cache.example"), HasSubstr("is not a URL such as"));
  EXPECT_THAT(error_of("ftp://host/"), HasSubstr("unknown scheme; the schemes are file, http"));
  EXPECT_THAT(error_of("redis://host/?ca_file=/a"), HasSubstr("need TLS, as in rediss://"));
  EXPECT_THAT(error_of("redis+unix:///s?client_certificate=/a&client_key=/b"), HasSubstr("need TLS, as in rediss://"));
  EXPECT_THAT(error_of("rediss://host/?client_key=/b"), HasSubstr("go together"));
  EXPECT_THAT(error_of("http:///path"), HasSubstr("a host is missing"));
  EXPECT_THAT(error_of("http://host:0/"), HasSubstr("the port is no number"));
  EXPECT_THAT(error_of("http://host:99999/"), HasSubstr("the port is no number"));
  EXPECT_THAT(error_of("file://relative/path"), HasSubstr("an absolute path follows file://"));
  EXPECT_THAT(error_of("http://host/?mode=readonly"), HasSubstr("http://host?mode: mode is not ro, rw or wo"));
  EXPECT_THAT(error_of("http://host/?moed=ro"),
              HasSubstr("unknown option, number 1 (is mode meant?); the options are mode, prefix"));
  EXPECT_THAT(error_of("file:///d?timeout=1s"), HasSubstr("unknown option \"timeout\""));
  EXPECT_THAT(error_of("http://host/?timeout=0s"), HasSubstr("timeout is no time from 1ms to 60s"));
  EXPECT_THAT(error_of("http://host/?prefix=../x"), HasSubstr("prefix is no"));
  EXPECT_THAT(error_of("http://host/?max_bytes=0"), HasSubstr("max_bytes is no"));
  EXPECT_THAT(error_of("http://host/?token=a&token_file=/b"), HasSubstr("exclude each other"));
  EXPECT_THAT(error_of("https://host/?client_certificate=/c"), HasSubstr("go together"));
  EXPECT_THAT(error_of("http://host/%zz"), HasSubstr("write %25 for %"));
}

TEST(RemoteUrls, NameAnOptionThatIsNoneForLackOfAQuestionMark) {
  EXPECT_THAT(error_of("s3://our-cache/hipcache&mode=ro&credentials=none"),
              HasSubstr("s3://our-cache: the option mode stands behind a &, and none behind a ? before it; the "
                        "first option follows a ?"));
  EXPECT_THAT(error_of("s3://our-cache&region=eu-west-1?mode=ro"), HasSubstr(": the option region"));
  EXPECT_THAT(error_of("http://u:secret@cache.example/a&b&token=hidden"),
              testing::AllOf(HasSubstr("the option token"), Not(HasSubstr("secret")), Not(HasSubstr("hidden"))));
  EXPECT_EQ(parsed("http://cache.example/this&that=1").path, "/this&that=1") << "no option of hipcache";
}

TEST(ShownUrls, AreSchemeHostAndNamesOfKnownOptions) {
  EXPECT_EQ(shown_url("http://ada:secret@host:80/p?mode=ro&token=secret"), "http://host:80?mode&token");
  EXPECT_EQ(shown_url("redis://:sec@ret@host"), "redis://host");
  EXPECT_EQ(shown_url("redis://[::1]:6380/3"), "redis://[::1]:6380");
  EXPECT_EQ(shown_url("grpc://engine:8980/?property=a:b&trusted=true"), "grpc://engine:8980?property&trusted");
  EXPECT_EQ(shown_url("https://host?sig=secret&timeout=1s"), "https://host?timeout");
  EXPECT_EQ(shown_url("file:///srv/a@b?mode=ro"), "file:///srv/a@b?mode") << "the path is the place";
  EXPECT_EQ(shown_url("redis+unix:///run/redis.sock"), "redis+unix:///run/redis.sock");
}

// Also where a part of the secret is at another part's place.
TEST(ShownUrls, HaveNoSecretNorDoErrors) {
  for (const char* text : {"http://a:secret@host/?mode=x",
                           "ftp://a:secret@h",
                           "http://h/?token=sec%secret",
                           "http://a:secret%@h",
                           "a:secret@h",
                           "redis+unix:///s?password=secret&x=1",
                           "s3://key:secret@bucket/",
                           "gs://key:secret@bucket/",
                           "azblob://account:secret@cache/x",
                           "s3://bucket?endpoint=https://key:secret@host",
                           "s3://bucket?endpoint=https://key:secret%40host",
                           "redis://ci:ab/secret@h",
                           "https://ci:secret?x@h/hip",
                           "https://ci:secret/x@h",
                           "https://ci:x?secret@h/hip",
                           "https://ci:x/secret@h",
                           "redis://h?passwd=secret",
                           "azblob://acct/cont?sv=2022-11-02&sig=secret%3D",
                           "redis://h?secret",
                           "https://h?token=a&secret=",
                           "secret",
                           "redis://:secret",
                           "https://secret:80/x@h",
                           "https://12/secret@h",
                           "redis://h/secret",
                           "http://h?mode=secret",
                           "http://h?timeout=secret",
                           "secret@https://h",
                           "s3://b/?secret=1",
                           "azblob://account/secr$secret",
                           "redis+unix://:x/secret@/run/r",
                           "file://a:secret@h/x",
                           "{\"key\": \"secret\"}",
                           "http://h:1/?prefix=/secret"}) {
    const Result<RemoteUrl> url = parse_remote_url(text);
    EXPECT_THAT(url ? "" : url.error().message, Not(HasSubstr("secret"))) << text;
    EXPECT_THAT(shown_url(text), Not(HasSubstr("secret"))) << text;
  }
  EXPECT_THAT(error_of("https://ci:secret/x@h"), HasSubstr("a password's / is written %2F"));
}

}  // namespace
}  // namespace hipcache::config
