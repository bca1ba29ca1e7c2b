#include "remote/execution/upload.h"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "remote/execution/input_files.h"
#include "remote/reapi/methods.h"

namespace hipcache::remote {
namespace {

// A blob of the action: bytes that are in memory, or a file that is read when it is sent.
struct Part {
  BlobName name;
  const std::string* bytes = nullptr;
  const protocol::ExecuteInput* input = nullptr;
};

using Parts = std::unordered_map<std::string, Part>;  // by hash

Parts parts_of(const protocol::RemoteExecute& asked, const PreparedAction& action) {
  Parts parts;
  const auto add = [&](const BlobName& name, const std::string* bytes, const protocol::ExecuteInput* input) {
    parts.try_emplace(name.hash, Part{name, bytes, input});
  };
  for (std::size_t index = 0; index < asked.inputs.size(); ++index)
    if (asked.inputs[index].kind == protocol::ExecuteInputKind::file)
      add(action.names[index], nullptr, &asked.inputs[index]);
  for (const auto& [hash, bytes] : action.root.directories) add({.hash = hash, .size = bytes.size()}, &bytes, nullptr);
  add(action.command_name, &action.command, nullptr);
  add(action.action_name, &action.action, nullptr);
  return parts;
}

// Those that the engine lacks.
std::variant<std::vector<const Part*>, NotDone> missing_of(Connection& connection, const Parts& parts,
                                                           const Limits& limits) {
  std::vector<std::unique_ptr<FindMissingCall>> calls;
  for (std::size_t count = 0; const auto& [hash, part] : parts) {
    if (count++ % kMostNames == 0) {
      calls.push_back(std::make_unique<FindMissingCall>(kFindMissingBlobs));
      calls.back()->request.set_instance_name(connection.instance());
    }
    set(*calls.back()->request.add_blob_digests(), part.name);
  }
  CallGroup group(connection, limits);
  for (const auto& call : calls) group.add(*call);
  group.run();
  std::vector<const Part*> missing;
  for (const auto& call : calls) {
    if (!call->ok()) return not_done(call->failure(Direction::write));
    for (const wire::Digest& digest : call->response.missing_blob_digests())
      if (const auto found = parts.find(digest.hash()); found != parts.end() && missing.size() < parts.size())
        missing.push_back(&found->second);
  }
  return missing;
}

// Parts that are sent together, with the bytes of their files.
class Group {
 public:
  Group(Connection& connection, const Capabilities& engine, const Limits& limits)
      : connection_(connection), engine_(engine), limits_(limits) {}

  bool has_room_for(const Part& part) const { return uploads_.empty() || size_ + part.name.size <= kGroupBytes; }

  std::optional<NotDone> add(const Part& part) {
    size_ += part.name.size;
    if (part.bytes == nullptr) {
      Result<std::string> read = read_input_file(*part.input, part.name);
      if (!read) return our_fault(read.error().message);
      read_.push_back(std::make_unique<std::string>(std::move(*read)));
    }
    uploads_.push_back({part.name, part.bytes != nullptr ? part.bytes : read_.back().get()});
    return std::nullopt;
  }

  std::optional<NotDone> send(std::uint64_t& bytes_sent) {
    const WriteAnswer sent = send_blobs(connection_, engine_, uploads_, limits_);
    if (sent.failure) return not_done(*sent.failure);
    bytes_sent += sent.bytes;
    uploads_.clear();
    read_.clear();
    size_ = 0;
    return std::nullopt;
  }

 private:
  Connection& connection_;
  const Capabilities& engine_;
  const Limits& limits_;
  std::vector<Upload> uploads_;
  std::vector<std::unique_ptr<std::string>> read_;
  std::uint64_t size_ = 0;
};

NotDone cancelled() { return {.outcome = protocol::ExecuteOutcome::cancelled, .detail = "cancelled"}; }

}  // namespace

std::optional<NotDone> upload(Connection& connection, const Capabilities& engine, const protocol::RemoteExecute& asked,
                              const PreparedAction& action, const Cancellation& cancellation, const Limits& limits,
                              std::uint64_t& bytes_sent) {
  static std::mutex large_file;
  const Parts parts = parts_of(asked, action);
  auto found = missing_of(connection, parts, limits);
  if (auto* why = std::get_if<NotDone>(&found)) return std::move(*why);
  Group group(connection, engine, limits);
  for (const Part* part : std::get<std::vector<const Part*>>(found)) {
    if (cancellation.is_cancelled()) return cancelled();
    std::unique_lock<std::mutex> lock;
    if (!group.has_room_for(*part))
      if (auto why = group.send(bytes_sent)) return why;
    if (part->name.size > kGroupBytes) lock = std::unique_lock(large_file);
    if (auto why = group.add(*part)) return why;
    if (lock.owns_lock())
      if (auto why = group.send(bytes_sent)) return why;
  }
  return group.send(bytes_sent);
}

}  // namespace hipcache::remote
