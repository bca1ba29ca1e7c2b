// Certificates for one test, made by the program openssl: two authorities, "ours" and "other", and what they signed.
#ifndef HIPCACHE_TESTS_REMOTE_CERTIFICATES_H
#define HIPCACHE_TESTS_REMOTE_CERTIFICATES_H

#include <string>

#include "support/scratch.h"

namespace hipcache::remote {

class Certificates {
 public:
  struct Pair {
    std::string certificate, key;  // PEM files
    std::string options() const { return "client_certificate=" + certificate + "&client_key=" + key; }
  };

  Certificates();

  // The file with the certificate of an authority.
  std::string authority(const std::string& name = "ours") const { return files_ / (name + ".pem"); }
  // "ca_file=..."
  std::string trust() const { return "ca_file=" + authority(); }

  // A certificate of that name, for those hosts. Replaces one of the same name.
  Pair issue(const std::string& name, const std::string& hosts = "IP:127.0.0.1,DNS:localhost",
             const std::string& signer = "ours") const;

 private:
  void run_openssl(const std::string& words) const;

  support::Scratch files_;
};

}  // namespace hipcache::remote

#endif
