// Where this machine has the certificates of the authorities that it trusts.
//
// Problem: OpenSSL knows the place of the distribution that built it. A program that has OpenSSL within runs on others
// as well.
// Choice: OpenSSL's place if anything is there, else the first file that is at a known place of another distribution.
// The names are those of the packages ca-certificates of Debian, Fedora, openSUSE and Arch.
#ifndef HIPCACHE_SRC_REMOTE_TRANSPORT_AUTHORITIES_H
#define HIPCACHE_SRC_REMOTE_TRANSPORT_AUTHORITIES_H

#include <string>
#include <vector>

namespace hipcache::remote {

// What a TLS connection trusts and shows; each may be empty.
struct TlsFiles {
  std::string ca_file, client_certificate, client_key;
};

// What the user names for all programs: SSL_CERT_FILE and SSL_CERT_DIR. A library with places of its own must be told.
struct NamedAuthorities {
  std::string file, directory;
  bool is_named() const { return !(file + directory).empty(); }
};
NamedAuthorities authorities_of_user();

// All certificates of the files, for a library that takes only texts. Those that cannot be read are left out.
std::string certificates_of(const NamedAuthorities& authorities);

// The file to name to OpenSSL; "" if OpenSSL finds certificates by itself (SSL_CERT_FILE and SSL_CERT_DIR count), or if
// there are none.
std::string file_of_authorities();

// The same by other places: a file and a directory that OpenSSL knows, and the files of other distributions.
std::string file_of_authorities(const std::string& file, const std::string& directory,
                                const std::vector<std::string>& others);

}  // namespace hipcache::remote

#endif
