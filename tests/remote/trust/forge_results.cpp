// Plays an attacker who may write to a shared cache in a directory: puts other bytes into every object of a result, and
// makes all digests fit. Signatures stay as they are. Prints how many results it changed.
//
// usage: forge_results DIRECTORY
#include <cstdio>
#include <filesystem>
#include <string>

#include "hipcache/base/files.h"
#include "hipcache/cache/action_cache.h"
#include "remote/layout/values.h"

namespace {

using namespace hipcache;

constexpr std::uint64_t kLimit = 64u << 20;

bool forge(cache::ActionResult& action, remote::RemoteResult& result) {
  bool changed = false;
  for (cache::Output& output : action.outputs)
    for (remote::RemoteBlob& blob : result.blobs) {
      if (output.name != "object" || blob.digest != output.blob) continue;
      blob.bytes += "forged";
      blob.digest = digest_of(blob.bytes);
      output.blob = blob.digest;
      output.size = blob.bytes.size();
      changed = true;
      break;
    }
  return changed;
}

bool forge_file(const std::filesystem::path& path) {
  const Result<Digest> key = Digest::from_hex(path.filename().string());
  const Result<std::string> bytes = read_file(path.string(), kLimit);
  if (!key || !bytes) return false;
  Result<remote::RemoteResult> result = remote::decode_result(*key, *bytes);
  if (!result) return false;
  Result<cache::ActionResult> action = cache::ActionResult::decode(result->action);
  if (!action || !forge(*action, *result)) return false;
  result->action = action->encode();
  return replace_file(path.string(), remote::encode_result(*key, *result)).ok();
}

}  // namespace

int main(int argc, char** argv) {
  int forged = 0;
  if (argc == 2)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(argv[1]) + "/v1/r"))
      if (entry.is_regular_file() && forge_file(entry.path())) ++forged;
  std::printf("%d\n", forged);
  return forged > 0 ? 0 : 1;
}
