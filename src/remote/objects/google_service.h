// Finds a token where Google's tools find their "application default credentials", in their order:
//
//   1. the file that credentials_file= or GOOGLE_APPLICATION_CREDENTIALS names
//   2. application_default_credentials.json in CLOUDSDK_CONFIG, else ~/.config/gcloud
//   3. the instance's server (Compute Engine, and GKE with a workload identity), at GCE_METADATA_HOST
//
// A file is of a service account (its key signs a request for a token), of a user (gcloud auth application-default
// login), or of another identity provider (GitHub's OIDC, by Google's STS, and then perhaps as a service account).
// What is there and cannot be used is an error and no reason to look further: another identity could write elsewhere.
// Sources: "How Application Default Credentials works", "Using OAuth 2.0 for Server to Server Applications", and
// AIP-4117 "External Account Credentials".
//
// Blocks for as long as servers take, at most a minute. Thread-safe. Errors hold no secret.
#ifndef HIPCACHE_SRC_REMOTE_OBJECTS_GOOGLE_SERVICE_H
#define HIPCACHE_SRC_REMOTE_OBJECTS_GOOGLE_SERVICE_H

#include <string>

#include "remote/objects/credential_server.h"

namespace hipcache::remote {

struct GoogleWish {
  std::string credentials_file = {};  // of the URL; may be empty
  bool writes = true;                 // else the token is for reading alone
};

Result<BearerToken> find_google_token(const GoogleWish& wish, const World& world);

}  // namespace hipcache::remote

#endif
