#include "remote/transport/curl.h"

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <string_view>
#include <system_error>

namespace hipcache::remote {

namespace {

// What libcurl says where it found the host's name to be wrong, before it took OpenSSL's verdict.
constexpr long kNoVerdict = 1;

constexpr auto kOtherHost =
    std::to_array<long>({X509_V_OK, kNoVerdict, X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH});
constexpr auto kNoAuthority =
    std::to_array<long>({X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                         X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
                         X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED});

bool is_one_of(const auto& all, const auto& one) { return std::find(all.begin(), all.end(), one) != all.end(); }

// `verdict`: what OpenSSL's check of the server's certificate found.
std::string text_of_certificate(long verdict) {
  if (is_one_of(kOtherHost, verdict))
    return "the server's certificate is for another host; use the name that the certificate has";
  if (is_one_of(kNoAuthority, verdict))
    return "no trusted authority has signed the server's certificate; ca_file= names a file with its authority";
  return std::string("the server's certificate is not valid: ") + X509_verify_cert_error_string(verdict);
}

// Whether the server's alert speaks of our certificate, or of its absence. A server of TLS 1.3 sends it after the
// handshake.
bool is_about_our_certificate(int alert) {
  constexpr auto kAlerts = std::to_array<int>(
      {SSL_AD_CERTIFICATE_REQUIRED, SSL_AD_HANDSHAKE_FAILURE,  // TLS 1.2: there is no certificate
       SSL_AD_BAD_CERTIFICATE, SSL_AD_UNSUPPORTED_CERTIFICATE, SSL_AD_CERTIFICATE_REVOKED, SSL_AD_CERTIFICATE_EXPIRED,
       SSL_AD_CERTIFICATE_UNKNOWN, SSL_AD_UNKNOWN_CA, SSL_AD_ACCESS_DENIED});
  return is_one_of(kAlerts, alert);
}

constexpr int kDescription = 0xff;  // of an alert; its level is above

void on_tls_event(const SSL* tls, int event, int value) {
  if ((event & SSL_CB_READ_ALERT) == SSL_CB_READ_ALERT)
    *static_cast<int*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(tls))) = value & kDescription;
}

// libcurl tells neither alert nor OpenSSL's reason.
CURLcode on_tls_context(CURL* /*easy*/, void* context, void* alert) {
  auto* tls = static_cast<SSL_CTX*>(context);
  SSL_CTX_set_app_data(tls, static_cast<char*>(alert));
  SSL_CTX_set_info_callback(tls, on_tls_event);
  return CURLE_OK;
}

CURL* make_handle() {
  static const CURLcode once = curl_global_init(CURL_GLOBAL_DEFAULT);  // thread-safe: a static of a function
  return once == CURLE_OK ? curl_easy_init() : nullptr;
}

}  // namespace

Curl::Curl() : easy_(make_handle()) {}

void Curl::prepare(const std::string& url, const TlsFiles& tls, std::chrono::milliseconds connect) {
  curl_easy_reset(easy_);
  said_[0] = '\0';
  alert_ = 0;
  sends_certificate_ = !tls.client_certificate.empty();
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // leaves the thread that resolves behind
  set(CURLOPT_ERRORBUFFER, said_.data());
  set(CURLOPT_SSL_CTX_FUNCTION, on_tls_context);
  set(CURLOPT_SSL_CTX_DATA, &alert_);
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect.count()));
  const NamedAuthorities authorities = tls.ca_file.empty() ? authorities_of_user() : NamedAuthorities{tls.ca_file, ""};
  const std::string file = authorities.is_named() ? authorities.file : file_of_authorities();
  if (authorities.is_named() || !file.empty()) set(CURLOPT_CAINFO, file.empty() ? nullptr : file.c_str());
  if (!authorities.directory.empty()) set(CURLOPT_CAPATH, authorities.directory.c_str());
  if (!sends_certificate_) return;
  set(CURLOPT_SSLCERT, tls.client_certificate.c_str());
  set(CURLOPT_SSLKEY, tls.client_key.c_str());
  set(CURLOPT_KEYPASSWD, "");  // else OpenSSL asks at the terminal
}

Failure Curl::late(const std::string& what) const {
  curl_off_t resolved = 0;
  curl_easy_getinfo(easy_, CURLINFO_NAMELOOKUP_TIME_T, &resolved);
  const bool has_address = resolved > 0;
  return {
      Trouble::unreachable, has_address ? what : "cannot connect: the host's name was not resolved in time", {}, true};
}

Failure Curl::failure_of(CURLcode code) const {
  const std::string_view said = said_.data();
  if (is_about_our_certificate(alert_))
    return {Trouble::refused,
            sends_certificate_ ? "the server does not take the certificate in client_certificate="
                               : "the server demands a certificate; client_certificate= and client_key= name one",
            {}};
  long number = 0;
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
      curl_easy_getinfo(easy_, CURLINFO_SSL_VERIFYRESULT, &number);
      return {Trouble::refused, text_of_certificate(number), {}};
    case CURLE_SSL_CACERT_BADFILE:
      return {Trouble::refused, "cannot use the file of ca_file= or SSL_CERT_FILE", {}};
    case CURLE_SSL_CERTPROBLEM:
      return {Trouble::refused,
              std::string("cannot use the file of ") +
                  (said.find("private key") == std::string_view::npos ? "client_certificate=" : "client_key="),
              {}};
    case CURLE_COULDNT_RESOLVE_HOST:
      return {Trouble::unreachable, "cannot connect: the host's name is not known", {}};
    case CURLE_COULDNT_CONNECT:
      curl_easy_getinfo(easy_, CURLINFO_OS_ERRNO, &number);
      if (number == 0) break;
      return {Trouble::unreachable, "cannot connect: " + std::generic_category().message(static_cast<int>(number)), {}};
    case CURLE_SSL_CONNECT_ERROR:
      if (said.find("wrong version number") == std::string_view::npos) break;
      return {Trouble::unreachable, "the server does not speak TLS at this port", {}};
    default:
      break;
  }
  return {Trouble::unreachable, curl_easy_strerror(code), {}};
}

}  // namespace hipcache::remote
