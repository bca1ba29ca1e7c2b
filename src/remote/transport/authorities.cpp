#include "remote/transport/authorities.h"

#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <unistd.h>
#include <system_error>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "hipcache/base/files.h"

namespace hipcache::remote {

namespace {

constexpr auto kOtherHost =
    std::to_array<long>({kGoodCertificate, X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH});
constexpr auto kNoAuthority =
    std::to_array<long>({X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                         X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
                         X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED});

constexpr std::uint64_t kCertificatesLimit = 4u << 20;  // of a file

bool is_one_of(const auto& verdicts, long verdict) {
  return std::find(verdicts.begin(), verdicts.end(), verdict) != verdicts.end();
}

std::string text_of(long verdict) {
  if (is_one_of(kOtherHost, verdict))
    return "the server's certificate is for another host; use the name that the certificate has";
  if (is_one_of(kNoAuthority, verdict))
    return "no trusted authority has signed the server's certificate; ca_file= names a file with its authority";
  return std::string("the server's certificate is not valid: ") + X509_verify_cert_error_string(verdict);
}

bool has_files(const std::string& directory) {
  std::error_code error;
  return std::filesystem::directory_iterator(directory, error) != std::filesystem::directory_iterator();
}

}  // namespace

Failure failure_of_certificate(long verdict) { return {Trouble::refused, text_of(verdict), {}}; }

Failure failure_of_client_certificate(bool was_sent) {
  return {Trouble::refused,
          was_sent ? "the server does not take the certificate in client_certificate="
                   : "the server demands a certificate; client_certificate= and client_key= name one",
          {}};
}

NamedAuthorities authorities_of_user() {
  const auto value = [](const char* name) { return std::string(getenv(name) == nullptr ? "" : getenv(name)); };
  return {.file = value(X509_get_default_cert_file_env()), .directory = value(X509_get_default_cert_dir_env())};
}

std::string certificates_of(const NamedAuthorities& authorities) {
  std::vector<std::string> paths;
  if (!authorities.file.empty()) paths.push_back(authorities.file);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(authorities.directory, error))
    if (entry.is_regular_file(error)) paths.push_back(entry.path().string());
  std::string all;
  for (const std::string& path : paths)
    if (const Result<std::string> text = read_file(path, kCertificatesLimit); text) all += *text + "\n";
  return all;
}

std::string file_of_authorities() {
  if (authorities_of_user().is_named()) return "";
  return file_of_authorities(X509_get_default_cert_file(), X509_get_default_cert_dir(),
                             {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                              "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem",
                              "/etc/ca-certificates/extracted/tls-ca-bundle.pem", "/etc/ssl/cert.pem"});
}

std::string file_of_authorities(const std::string& file, const std::string& directory,
                                const std::vector<std::string>& others) {
  if (access(file.c_str(), R_OK) == 0 || has_files(directory)) return "";
  for (const std::string& other : others)
    if (access(other.c_str(), R_OK) == 0) return other;
  return "";
}

}  // namespace hipcache::remote
