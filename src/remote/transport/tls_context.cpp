#include "remote/transport/tls_context.h"

#include <openssl/err.h>

#include <system_error>

#include "remote/transport/authorities.h"
#include "remote/trust/openssl_owned.h"

namespace hipcache::remote {
namespace {

Failure unusable(const char* option, const std::string& file) {
  return {Trouble::refused, std::string("cannot use ") + option + "=" + file + ": " + take_tls_error(), {}};
}

}  // namespace

std::string take_tls_error() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  if (ERR_SYSTEM_ERROR(error)) return std::generic_category().message(ERR_GET_REASON(error));
  const char* reason = ERR_reason_error_string(error);
  return reason != nullptr ? reason : "unknown reason";
}

std::variant<TlsContext, Failure> make_tls_context(const TlsSettings& settings) {
  ERR_clear_error();
  TlsContext context(SSL_CTX_new(TLS_client_method()));
  if (!context) return Failure{Trouble::unreachable, "no TLS: " + take_tls_error(), {}};
  SSL_CTX* made = context.get();
  SSL_CTX_set_min_proto_version(made, TLS1_2_VERSION);
  SSL_CTX_set_options(made, SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(made, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_verify(made, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_default_passwd_cb(made, no_passphrase);
  const std::string authorities = settings.ca_file.empty() ? file_of_authorities() : settings.ca_file;
  if (authorities.empty()) {
    SSL_CTX_set_default_verify_paths(made);
  } else if (SSL_CTX_load_verify_file(made, authorities.c_str()) != 1) {
    return unusable("ca_file", authorities);
  }
  if (settings.client_certificate.empty()) return context;
  if (SSL_CTX_use_certificate_chain_file(made, settings.client_certificate.c_str()) != 1)
    return unusable("client_certificate", settings.client_certificate);
  if (SSL_CTX_use_PrivateKey_file(made, settings.client_key.c_str(), SSL_FILETYPE_PEM) != 1)
    return unusable("client_key", settings.client_key);
  return context;
}

}  // namespace hipcache::remote
