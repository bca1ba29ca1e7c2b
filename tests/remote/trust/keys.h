// The keys of RFC 8032, section 7.1, tests 1 and 2, as files and as trusted_keys has them. Nobody should trust them.
#ifndef HIPCACHE_TESTS_REMOTE_TRUST_KEYS_H
#define HIPCACHE_TESTS_REMOTE_TRUST_KEYS_H

#include <sys/stat.h>

#include <string>

#include "support/scratch.h"

namespace hipcache::remote {

inline constexpr const char* kFirstSeed = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g";
inline constexpr const char* kFirstKey = "first:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
inline constexpr const char* kSecondSeed = "MC4CAQAwBQYDK2VwBCIEIEzNCJso/5banbbDRuwRTg9bijGfNaumJNqM9u1PuKb7";
inline constexpr const char* kSecondKey = "second:PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=";

inline std::string write_key(const support::Scratch& scratch, const std::string& name, const std::string& seed,
                             mode_t mode = 0600) {
  const std::string frame = "-----";
  const std::string path = scratch.write(
      name, frame + "BEGIN PRIVATE KEY" + frame + "\n" + seed + "\n" + frame + "END PRIVATE KEY" + frame + "\n");
  chmod(path.c_str(), mode);
  return path;
}

}  // namespace hipcache::remote

#endif
