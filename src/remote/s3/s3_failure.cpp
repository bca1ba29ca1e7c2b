#include "remote/s3/s3_failure.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "remote/http/http_failure.h"
#include "remote/s3/xml_text.h"

namespace hipcache::remote {
namespace {

struct Meaning {
  std::string_view code;
  Trouble trouble;
};

// Beside what the statuses say: 403 is refused, 503 throttled, 413 full, others unreachable.
constexpr auto kMeanings = std::to_array<Meaning>({
    {"ExpiredToken", Trouble::unreachable},  // may pass: credentials are searched for again
    {"RequestTimeTooSkewed", Trouble::unreachable},
    {"NoSuchBucket", Trouble::refused},
    {"InvalidBucketName", Trouble::refused},
    {"PermanentRedirect", Trouble::refused},
    {"AuthorizationHeaderMalformed", Trouble::refused},
    {"InvalidToken", Trouble::refused},
    {"NotImplemented", Trouble::refused},
    {"SlowDown", Trouble::throttled},
    {"EntityTooLarge", Trouble::full},
    {"QuotaExceeded", Trouble::full},
    {"XMinioStorageFull", Trouble::full},
});

bool is_region(const std::string& text) {
  constexpr std::size_t kLongest = 32;
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";
  return !text.empty() && text.size() <= kLongest && text.find_first_not_of(kLetters) == std::string::npos;
}

// Where the bucket is, if that is the trouble.
std::string region_of(const HttpResponse& response, const std::string& code) {
  const bool is_elsewhere = response.status == 301 || response.status == 307 || code == "AuthorizationHeaderMalformed";
  if (!is_elsewhere) return "";
  std::string region = response.bucket_region.empty() ? xml_text(response.body, "Region") : response.bucket_region;
  return is_region(region) ? region : "";
}

}  // namespace

bool is_expired(const std::string& code) { return code == "ExpiredToken" || code == "ExpiredTokenException"; }

Failure failure_of_s3(const HttpResponse& response) {
  Failure failure = failure_of_status(response);
  const std::string code = error_code_of(response.body);
  if (!code.empty()) failure.message += " (" + code + ")";
  if (const std::string region = region_of(response, code); !region.empty())
    failure.message += "; the bucket is in region=" + region;
  const auto* known =
      std::find_if(kMeanings.begin(), kMeanings.end(), [&](const Meaning& one) { return one.code == code; });
  if (known != kMeanings.end()) failure.trouble = known->trouble;
  return failure;
}

}  // namespace hipcache::remote
