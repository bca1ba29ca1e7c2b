// A JSON Web Token, signed by an RSA key (RS256, RFC 7515 and 7518).
#ifndef HIPCACHE_SRC_REMOTE_GOOGLE_WEB_TOKEN_H
#define HIPCACHE_SRC_REMOTE_GOOGLE_WEB_TOKEN_H

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "hipcache/base/result.h"

namespace hipcache::remote {

// `pem`: a private key. The error holds nothing of it.
Result<std::string> signed_web_token(const nlohmann::json& header, const nlohmann::json& claims,
                                     const std::string& pem);

}  // namespace hipcache::remote

#endif
