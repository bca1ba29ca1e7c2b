// Where a bucket is, by URL, variables and AWS's shared files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "remote/objects/credential_server.h"
#include "remote/objects/variables_of_test.h"
#include "remote/s3/aws_settings.h"
#include "support/scratch.h"

namespace hipcache::remote {
namespace {

using testing::HasSubstr;

class S3Addresses : public VariablesOfTest {
 protected:
  S3Address address(const std::string& text) {
    const Result<config::RemoteUrl> url = config::parse_remote_url(text);
    EXPECT_TRUE(url) << url.error().message;
    const Result<AwsSettings> settings = AwsSettings::read(variables(), url->s3.profile);
    EXPECT_TRUE(settings) << settings.error().message;
    const Result<S3Address> found = address_of(*url, *settings);
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : S3Address();
  }
};

TEST_F(S3Addresses, OfAwsHaveTheBucketInTheHost) {
  const S3Address one = address("s3://our-bucket/some%20path/?region=eu-west-1");
  EXPECT_EQ(one.origin, "https://our-bucket.s3.eu-west-1.amazonaws.com");
  EXPECT_EQ(one.host, "our-bucket.s3.eu-west-1.amazonaws.com");
  EXPECT_EQ(one.root, "/some%20path/");
  EXPECT_EQ(one.region, "eu-west-1");
  EXPECT_EQ(address("s3://our-bucket?region=cn-north-1").host, "our-bucket.s3.cn-north-1.amazonaws.com.cn");
  EXPECT_EQ(address("s3://our.bucket").origin, "https://s3.us-east-1.amazonaws.com") << "its certificate covers no dot";
  EXPECT_EQ(address("s3://our.bucket").root, "/our.bucket/");
  EXPECT_EQ(address("s3://our-bucket?addressing=path").root, "/our-bucket/");
}

TEST_F(S3Addresses, OfOtherServersHaveTheBucketInThePath) {
  const S3Address one = address("s3://bucket/p?endpoint=http://Minio.example:9000/");
  EXPECT_EQ(one.origin, "http://minio.example:9000");
  EXPECT_EQ(one.host, "minio.example:9000");
  EXPECT_EQ(one.root, "/bucket/p/");
  EXPECT_EQ(address("s3://bucket?endpoint=https://minio:443&addressing=virtual").host, "bucket.minio")
      << "clients leave out the scheme's own port";
}

TEST_F(S3Addresses, ComeFromTheUrlThenFromVariablesThenFromTheProfile) {
  home_.write(".aws/config",
              "[default]\nregion = eu-north-1\n"
              "[profile other]\n# a comment\nregion=eu-south-1\nendpoint_url = http://files:1\ns3 =\n  a = b\n");
  EXPECT_EQ(address("s3://bucket").region, "eu-north-1");
  EXPECT_EQ(address("s3://bucket?profile=other").region, "eu-south-1");
  EXPECT_EQ(address("s3://bucket?profile=other").host, "files:1");
  set_["AWS_PROFILE"] = "other";
  EXPECT_EQ(address("s3://bucket").region, "eu-south-1");
  set_["AWS_DEFAULT_REGION"] = "ap-east-1";
  EXPECT_EQ(address("s3://bucket").region, "ap-east-1");
  set_["AWS_REGION"] = "sa-east-1";
  EXPECT_EQ(address("s3://bucket").region, "sa-east-1");
  EXPECT_EQ(address("s3://bucket?region=us-west-2").region, "us-west-2");
  set_["AWS_ENDPOINT_URL"] = "http://all:2";
  EXPECT_EQ(address("s3://bucket").host, "all:2");
  set_["AWS_ENDPOINT_URL_S3"] = "http://s3only:3";
  EXPECT_EQ(address("s3://bucket").host, "s3only:3");
  EXPECT_EQ(address("s3://bucket?endpoint=http://url:4").host, "url:4");
  set_["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] = "true";
  EXPECT_EQ(address("s3://bucket").host, "bucket.s3.sa-east-1.amazonaws.com");
}

TEST_F(S3Addresses, OfFilesThatCannotBeReadAreErrorsThatNameTheLine) {
  home_.write(".aws/credentials", "[default]\naws_access_key_id\n");
  const Result<AwsSettings> settings = AwsSettings::read(variables(), "");
  ASSERT_FALSE(settings);
  EXPECT_THAT(settings.error().message, HasSubstr("/.aws/credentials:2: neither a [section] nor key = value"));
}

TEST(XmlText, IsTheFirstElementOfThatNameIfItIsPlain) {
  EXPECT_EQ(xml_text("<a><Key> x</Key></a>", "Key"), "");
  EXPECT_EQ(xml_text("<a><Key>x+/=</Key><Key>y</Key></a>", "Key"), "x+/=");
  EXPECT_EQ(xml_text("<Key>x<b/></Key>", "Key"), "");
  EXPECT_EQ(xml_text("<Key>a&amp;b</Key>", "Key"), "");
  EXPECT_EQ(xml_text("<Key>", "Key"), "");
  EXPECT_EQ(error_code_of("<Error><Code>SlowDown</Code></Error>"), "SlowDown");
  EXPECT_EQ(error_code_of("<Code>no;code</Code>"), "");
  EXPECT_EQ(error_code_of("<Code>" + std::string(100, 'x') + "</Code>"), "");
}

}  // namespace
}  // namespace hipcache::remote
