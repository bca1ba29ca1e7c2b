// What a certificate that does not prove the server means for people. All kinds of servers say it in the same words.
#ifndef HIPCACHE_SRC_REMOTE_TRANSPORT_CERTIFICATE_FAILURE_H
#define HIPCACHE_SRC_REMOTE_TRANSPORT_CERTIFICATE_FAILURE_H

#include "remote/layout/backend.h"

namespace hipcache::remote {

inline constexpr long kGoodCertificate = 0;  // X509_V_OK

// `verdict`: what OpenSSL's check of the certificate found (X509_V_ERR_...). kGoodCertificate: it found nothing, so the
// host's name was wrong. Trouble::refused, because another attempt does not help.
Failure failure_of_certificate(long verdict);

// The server wants a certificate of ours, or does not take the one that it got.
Failure failure_of_client_certificate(bool was_sent);

}  // namespace hipcache::remote

#endif
