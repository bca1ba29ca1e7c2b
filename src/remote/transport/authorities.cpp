#include "remote/transport/authorities.h"

#include <openssl/x509.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace hipcache::remote {
namespace {

bool has_files(const std::string& directory) {
  std::error_code error;
  return std::filesystem::directory_iterator(directory, error) != std::filesystem::directory_iterator();
}

}  // namespace

std::string file_of_authorities() {
  if (getenv(X509_get_default_cert_file_env()) != nullptr || getenv(X509_get_default_cert_dir_env()) != nullptr)
    return "";
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
