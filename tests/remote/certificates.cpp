#include "remote/certificates.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace hipcache::remote {
namespace {

constexpr const char* kNewKey = " -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes ";  // RSA takes a second

}  // namespace

Certificates::Certificates() {
  for (const std::string name : {"ours", "other"})
    run_openssl("req -x509 -days 2 -subj /CN=" + name + kNewKey + "-keyout " + name + ".key -out " + name + ".pem");
}

Certificates::Pair Certificates::issue(const std::string& name, const std::string& hosts,
                                       const std::string& signer) const {
  files_.write(name + ".hosts", "subjectAltName=" + hosts + "\n");
  run_openssl("req -subj /CN=" + name + kNewKey + "-keyout " + name + ".key -out " + name + ".csr");
  run_openssl("x509 -req -days 2 -in " + name + ".csr -CA " + signer + ".pem -CAkey " + signer +
              ".key -CAcreateserial -extfile " + name + ".hosts -out " + name + ".pem");
  return {files_ / (name + ".pem"), files_ / (name + ".key")};
}

void Certificates::run_openssl(const std::string& words) const {
  const std::string command = "cd '" + files_.path() + "' && exec 2>openssl.log && openssl " + words;
  EXPECT_EQ(std::system(command.c_str()), 0) << words << '\n' << support::read_bytes(files_ / "openssl.log");
}

}  // namespace hipcache::remote
