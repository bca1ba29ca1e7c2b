#include "remote/transport/authorities.h"

#include <openssl/x509.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "hipcache/base/files.h"

namespace hipcache::remote {

namespace {

constexpr std::uint64_t kCertificatesLimit = 4u << 20;  // of a file

bool has_files(const std::string& directory) {
  std::error_code error;
  return std::filesystem::directory_iterator(directory, error) != std::filesystem::directory_iterator();
}

}  // namespace

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
