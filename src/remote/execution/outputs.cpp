#include "remote/execution/outputs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "hipcache/base/files.h"
#include "remote/layout/sha256.h"
#include "remote/reapi/blob_stream.h"

namespace hipcache::remote {
namespace {

constexpr std::uint64_t kSmall = 256u << 10;
constexpr std::uint64_t kFraming = 256;  // of an entry of a batch
constexpr const char* kBatchReadBlobs = "/build.bazel.remote.execution.v2.ContentAddressableStorage/BatchReadBlobs";

using BatchReadCall = UnaryCall<wire::BatchReadBlobsRequest, wire::BatchReadBlobsResponse>;

NotDone nonsense(const std::string& what) { return {.detail = "the engine's result " + what}; }

NotDone lost(const std::string& what) { return {.outcome = protocol::ExecuteOutcome::lost, .detail = what}; }

// Nothing if it is no name of a blob.
std::optional<BlobName> name_of(const wire::Digest& digest) {
  if (digest.size_bytes() < 0) return std::nullopt;
  BlobName name{.hash = digest.hash(), .size = static_cast<std::uint64_t>(digest.size_bytes())};
  return is_valid(name) ? std::optional(std::move(name)) : std::nullopt;
}

// An output of the result that was asked for.
struct Wanted {
  std::string path;
  BlobName name;
  const std::string* contents = nullptr;  // if they are at hand
  bool is_executable = false;
};

// Once each: of an output that comes twice, the first counts.
std::variant<std::vector<Wanted>, NotDone> wanted_of(const protocol::RemoteExecute& asked,
                                                     const wire::ActionResult& result) {
  std::vector<Wanted> wanted;
  std::uint64_t size = 0;
  for (const std::string& path : asked.outputs) {
    const auto& files = result.output_files();
    const auto file = std::find_if(files.begin(), files.end(), [&](const auto& one) { return one.path() == path; });
    if (file == files.end()) continue;
    const std::optional<BlobName> name = name_of(file->digest());
    if (!name) return nonsense("has an output without a SHA-256");
    if (name->size > kLargestOutput - size) return nonsense("has outputs of more than 2 GiB");
    size += name->size;
    wanted.push_back({.path = path, .name = *name, .is_executable = file->is_executable()});
    if (!file->contents().empty()) wanted.back().contents = &file->contents();
  }
  return wanted;
}

// An output's file while it is written. It is removed unless it is kept.
class OutputFile {
 public:
  explicit OutputFile(std::string path)
      : path_(std::move(path)),
        file_(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)),
        trouble_(file_ ? done() : system_error("cannot write", path_)) {}
  ~OutputFile() {
    if (file_ && !is_kept_) unlink(path_.c_str());
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  bool take(std::string_view bytes) {
    if (trouble_) trouble_ = write_all(file_.get(), bytes, path_);
    hash_.add(bytes);
    return trouble_.ok();
  }
  // Of our own side.
  const Status& trouble() const { return trouble_; }
  std::string hash() { return hex_of(hash_.finish()); }
  void keep(bool is_executable) {
    if (is_executable) fchmod(file_.get(), S_IRWXU);
    is_kept_ = true;
  }

 private:
  const std::string path_;
  const UniqueFd file_;
  Status trouble_;
  Sha256 hash_;
  bool is_kept_ = false;
};

class Fetch {
 public:
  Fetch(Connection& connection, const Capabilities& engine, const protocol::RemoteExecute& asked,
        const Cancellation& cancellation, const Limits& limits, protocol::RemoteExecuted& into)
      : connection_(connection),
        engine_(engine),
        asked_(asked),
        cancellation_(cancellation),
        limits_(limits),
        into_(into) {}

  std::optional<NotDone> text(const std::string& raw, const wire::Digest& digest, std::string& text);
  std::optional<NotDone> file(const Wanted& wanted);
  // Reads the small ones, as far as the engine gives them; file() brings the others.
  void batch(std::vector<Wanted>& wanted);

 private:
  Connection& connection_;
  const Capabilities& engine_;
  const protocol::RemoteExecute& asked_;
  const Cancellation& cancellation_;
  const Limits& limits_;
  protocol::RemoteExecuted& into_;
  std::map<std::string, std::string> small_;  // by hash
};

std::optional<NotDone> Fetch::text(const std::string& raw, const wire::Digest& digest, std::string& text) {
  if (raw.size() > kLargestText || (raw.empty() && digest.size_bytes() > static_cast<std::int64_t>(kLargestText)))
    return nonsense("has messages of more than 2 MiB");
  into_.bytes_received += raw.size();
  text = raw;
  if (!raw.empty() || digest.size_bytes() == 0) return std::nullopt;
  const std::optional<BlobName> name = name_of(digest);
  if (!name) return nonsense("has messages without a SHA-256");
  Answer<std::string> read = read_blob(connection_, *name, engine_.has_zstd, limits_);
  if (read.failure) return not_done(*read.failure);
  if (!read.value) return lost("the engine has lost the messages");
  if (blob_name_of(*read.value) != *name) return lost("the engine's messages are damaged");
  into_.bytes_received += read.bytes;
  text = std::move(*read.value);
  return std::nullopt;
}

void Fetch::batch(std::vector<Wanted>& wanted) {
  BatchReadCall call(kBatchReadBlobs);
  call.request.set_instance_name(connection_.instance());
  std::uint64_t size = 0;
  for (const Wanted& one : wanted) {
    if (one.contents != nullptr || one.name.size > kSmall) continue;
    if (size + one.name.size + kFraming > engine_.batch_bytes) continue;
    size += one.name.size + kFraming;
    set(*call.request.add_digests(), one.name);
  }
  if (call.request.digests_size() < 2) return;  // one is as quick by ByteStream
  remote::run(call, connection_, limits_);
  if (!call.ok()) return;
  for (auto& response : *call.response.mutable_responses())
    if (response.status().code() == 0) small_[response.digest().hash()] = std::move(*response.mutable_data());
  for (Wanted& one : wanted)
    if (const auto found = small_.find(one.name.hash); one.contents == nullptr && found != small_.end())
      one.contents = &found->second;
}

std::optional<NotDone> Fetch::file(const Wanted& wanted) {
  const std::string path =
      asked_.output_directory + "/" + std::to_string(asked_.id) + "." + std::to_string(into_.outputs.size());
  OutputFile file(path);
  std::uint64_t received = 0;
  if (wanted.contents != nullptr) {
    received = wanted.contents->size();
    if (received == wanted.name.size) file.take(*wanted.contents);
  } else if (wanted.name.size > 0 && file.trouble()) {
    const auto take = [&](std::string_view piece) { return !cancellation_.is_cancelled() && file.take(piece); };
    const WriteAnswer read = read_blob_into(connection_, wanted.name, engine_.has_zstd, take, limits_);
    if (cancellation_.is_cancelled())
      return NotDone{.outcome = protocol::ExecuteOutcome::cancelled, .detail = "cancelled"};
    if (read.failure && file.trouble()) return not_done(*read.failure);
    if (!read.value && file.trouble()) return lost("the engine has lost an output");
    received = read.bytes;
  }
  if (!file.trouble()) return our_fault(file.trouble().error().message);
  if (file.hash() != wanted.name.hash) return lost("an output of the engine is damaged");
  into_.bytes_received += received;
  into_.outputs.push_back({.path = wanted.path, .file = path, .size = wanted.name.size, .sha256 = wanted.name.hash});
  file.keep(wanted.is_executable);
  return std::nullopt;
}

}  // namespace

std::optional<NotDone> fetch_outputs(Connection& connection, const Capabilities& engine,
                                     const protocol::RemoteExecute& asked, const wire::ActionResult& result,
                                     const Cancellation& cancellation, const Limits& limits,
                                     protocol::RemoteExecuted& into) {
  auto listed = wanted_of(asked, result);
  if (auto* why = std::get_if<NotDone>(&listed)) return std::move(*why);
  auto& wanted = std::get<std::vector<Wanted>>(listed);
  Fetch fetch(connection, engine, asked, cancellation, limits, into);
  std::optional<NotDone> why = fetch.text(result.stdout_raw(), result.stdout_digest(), into.stdout_text);
  if (!why) why = fetch.text(result.stderr_raw(), result.stderr_digest(), into.stderr_text);
  if (!why) fetch.batch(wanted);
  for (auto one = wanted.begin(); !why && one != wanted.end(); ++one) why = fetch.file(*one);
  if (!why) return std::nullopt;
  for (const protocol::ExecuteOutput& output : into.outputs) unlink(output.file.c_str());
  into.outputs.clear();
  return why;
}

}  // namespace hipcache::remote
