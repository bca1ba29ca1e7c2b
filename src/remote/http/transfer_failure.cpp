#include "remote/http/transfer_failure.h"

#include "remote/transport/certificate_failure.h"

namespace hipcache::remote {
namespace {

// What libcurl says where it found the host's name to be wrong, before it took OpenSSL's verdict.
constexpr long kNoVerdict = 1;

}  // namespace

Failure failure_of_transfer(CURLcode code, long verdict, bool sends_certificate) {
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
      return failure_of_certificate(verdict == kNoVerdict ? kGoodCertificate : verdict);
    case CURLE_SSL_CLIENTCERT:
      return failure_of_client_certificate(sends_certificate);
    case CURLE_SSL_CACERT_BADFILE:
      return {Trouble::refused, "cannot use the file of ca_file=", {}};
    case CURLE_SSL_CERTPROBLEM:
      return {Trouble::refused, "cannot use the files of client_certificate= and client_key=", {}};
    default:
      return {Trouble::unreachable, curl_easy_strerror(code), {}};
  }
}

}  // namespace hipcache::remote
