#include "remote/execution/engine.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
#include "remote/execution/action.h"
#include "remote/layout/sha256.h"
#include "remote/reapi/blobs.h"

namespace hipcache::remote {
namespace {

using namespace std::chrono_literals;
using google::longrunning::Operation;
using protocol::ExecuteOutcome;
using protocol::ExecuteState;
using std::chrono::milliseconds;

// Why an action has no result, for the daemon: what a server, a limit or a file of ours said.
struct NotDone {
  ExecuteOutcome outcome = ExecuteOutcome::failed;
  std::string detail;       // one line
  bool is_missing = false;  // the engine lacks a blob of the action: it may run once the blob is sent
};

constexpr std::string_view kPreconditionFailure = "/google.rpc.PreconditionFailure";
constexpr const char* kMissing = "MISSING";

// Engines differ in what they say of a lost worker or blob: INTERNAL, UNKNOWN, ABORTED, NOT_FOUND and DATA_LOSS have
// been seen.
ExecuteOutcome outcome_of(RpcCode code) {
  switch (code) {
    case RpcCode::deadline_exceeded:
      return ExecuteOutcome::overdue;
    case RpcCode::unavailable:
    case RpcCode::resource_exhausted:
      return ExecuteOutcome::unavailable;
    case RpcCode::invalid_argument:
    case RpcCode::permission_denied:
    case RpcCode::failed_precondition:
    case RpcCode::out_of_range:
    case RpcCode::unimplemented:
    case RpcCode::unauthenticated:
      return ExecuteOutcome::refused;
    default:
      return ExecuteOutcome::lost;
  }
}

bool names_missing_blob(const google::longrunning::Status& status) {
  google::longrunning::PreconditionFailure failure;
  return std::any_of(status.details().begin(), status.details().end(), [&](const auto& detail) {
    return detail.type_url().ends_with(kPreconditionFailure) && failure.ParseFromString(detail.value()) &&
           std::any_of(failure.violations().begin(), failure.violations().end(),
                       [](const auto& violation) { return violation.type() == kMissing; });
  });
}

// A fault of this machine, such as an input that cannot be read.
NotDone our_fault(std::string detail) { return {.detail = std::move(detail)}; }

NotDone unreadable() { return {.detail = "the engine's answer cannot be read"}; }

NotDone nonsense(const std::string& what) { return {.detail = "the engine's result " + what}; }

NotDone lost(const std::string& what) { return {.outcome = ExecuteOutcome::lost, .detail = what}; }

// Of a call that does not execute: about blobs or capabilities.
NotDone not_done(const Failure& failure) {
  NotDone why{.outcome = ExecuteOutcome::unavailable, .detail = failure.message};
  if (failure.trouble == Trouble::damaged) why.outcome = ExecuteOutcome::lost;
  if (failure.trouble == Trouble::refused || failure.trouble == Trouble::full) why.outcome = ExecuteOutcome::refused;
  return why;
}

// Of an execution, which ended as its call, its operation or its response says.
NotDone not_done(const RpcEnd& end) {
  const Failure failure = failure_of(end, Direction::read);
  if (end.timed_out) return {.outcome = ExecuteOutcome::unavailable, .detail = failure.message};
  return {.outcome = outcome_of(end.code), .detail = failure.message};
}

// The server's own text is not shown: it may repeat what was sent.
NotDone not_done(const google::longrunning::Status& status) {
  const auto code = static_cast<RpcCode>(status.code());
  NotDone why{.outcome = outcome_of(code), .detail = failure_of(code, Direction::read).message};
  if (!names_missing_blob(status)) return why;
  return {.outcome = ExecuteOutcome::lost, .detail = why.detail + ": a blob is missing", .is_missing = true};
}

NotDone cancelled() { return {.outcome = ExecuteOutcome::cancelled, .detail = "cancelled"}; }

// Sends what an engine lacks of an action: files, directories, Command and Action.
//
// The engine is asked for all names in one round trip. What it lacks is read and sent in groups, so that memory holds
// kGroupBytes, or one file that is larger; only one execution of the process reads such a file at a time.

constexpr std::uint64_t kGroupBytes = 8u << 20;

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
  std::vector<BlobName> names;
  for (const auto& [hash, part] : parts) names.push_back(part.name);
  std::vector<std::unique_ptr<FindMissingCall>> calls;
  CallGroup group(connection, limits);
  for (std::size_t at = 0; at < names.size(); at += kMostNames) {
    calls.push_back(find_missing(connection, std::span(names).subspan(at, std::min(kMostNames, names.size() - at))));
    group.add(*calls.back());
  }
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

// One execution on an engine: the stream of its operation, from queued to done, within limits.
//
// An engine may be silent for as long as it likes, so no call has a limit here but the execution has: so long in a
// queue, so long from the moment that a worker took it. A stream that breaks is taken up again by WaitExecution, a few
// times. Used by one thread; `cancellation` ends a wait from another one.
struct ExecutionLimits {
  std::chrono::milliseconds queue{2'000};
  std::chrono::milliseconds execution{5'000};  // with staging and the upload of outputs
};

constexpr const char* kExecute = "/build.bazel.remote.execution.v2.Execution/Execute";
constexpr const char* kWaitExecution = "/build.bazel.remote.execution.v2.Execution/WaitExecution";
constexpr const char* kCancelOperation = "/google.longrunning.Operations/CancelOperation";
// What stands before it in a type's URL is the server's choice.
constexpr std::string_view kMetadata = "/build.bazel.remote.execution.v2.ExecuteOperationMetadata";
constexpr std::string_view kResponse = "/build.bazel.remote.execution.v2.ExecuteResponse";
constexpr int kStreams = 3;  // the first one, and those that take up a broken one
constexpr std::size_t kLongestName = 4'096;

// What an engine does not say counts as execution, whose limit holds then.
ExecuteState state_of(const Operation& operation) {
  wire::ExecuteOperationMetadata metadata;
  if (!operation.metadata().type_url().ends_with(kMetadata) || !metadata.ParseFromString(operation.metadata().value()))
    return ExecuteState::executing;
  const bool is_queued =
      metadata.stage() == wire::ExecutionStage::QUEUED || metadata.stage() == wire::ExecutionStage::CACHE_CHECK;
  return is_queued ? ExecuteState::queued : ExecuteState::executing;
}

// Whether the execution may go on although its stream has ended so.
bool may_go_on(const RpcEnd& end) {
  return is_ok(end) || end.code == RpcCode::unavailable || end.code == RpcCode::unknown ||
         end.code == RpcCode::internal || end.code == RpcCode::cancelled;
}

class OperationRun {
 public:
  using Clock = std::chrono::steady_clock;
  using Ended = std::variant<wire::ExecuteResponse, NotDone>;

  // All outlive the run. `call`: the limits of connecting and of sending a request.
  OperationRun(Connection& connection, Cancellation& cancellation, const Limits& call, const ExecutionLimits& limits,
               const OnState& on_state)
      : connection_(connection),
        cancellation_(cancellation),
        limits_(limits),
        on_state_(on_state),
        call_(call),
        until_(Clock::now() + limits.queue) {
    call_.total += limits.queue + limits.execution;  // gRPC's own limit, which is never reached
  }

  // Once.
  Ended run(const wire::ExecuteRequest& request) {
    RpcEnd end;
    for (int stream = 0; stream < kStreams; ++stream) {
      wire::WaitExecutionRequest wait;
      wait.set_name(name_);
      auto ended = stream == 0 ? follow(kExecute, request.SerializeAsString(), end)
                               : follow(kWaitExecution, wait.SerializeAsString(), end);
      if (ended) return std::move(*ended);
      if (auto why = out_of_limits()) return std::move(*why);
      if (name_.empty() || !may_go_on(end)) break;
    }
    if (is_ok(end)) return NotDone{.outcome = ExecuteOutcome::lost, .detail = "the engine did not end the operation"};
    return not_done(end);
  }

  // What the engine calls an execution that may still run there. Empty if there is none.
  const std::string& left_behind() const { return name_; }

 private:
  // How the stream ended: with the operation's own end, or with a fault of ours. Nothing if it broke as `end` says.
  std::optional<Ended> follow(const char* method, const std::string& request, RpcEnd& end) {
    auto opened = Stream::open(connection_, method, call_);
    if (auto* failure = std::get_if<Failure>(&opened)) return not_done(*failure);
    Stream& stream = *std::get<std::unique_ptr<Stream>>(opened);
    const Cancellation::Guard guard(cancellation_, stream);
    std::optional<Ended> ended;
    if (stream.send(request) && stream.close())
      while (!ended) {
        const std::optional<std::string> message = stream.receive(left());
        if (!message) break;
        Operation operation;
        ended = operation.ParseFromString(*message) ? take(operation) : unreadable();
      }
    if (ended) stream.cancel();
    end = stream.finish();
    return ended;
  }

  std::optional<Ended> take(const Operation& operation) {
    if (operation.name().size() <= kLongestName) name_ = operation.name();
    if (!operation.done()) {
      take_state(operation);
      return std::nullopt;
    }
    name_.clear();
    if (operation.has_error()) return not_done(operation.error());
    wire::ExecuteResponse response;
    if (!operation.response().type_url().ends_with(kResponse) ||
        !response.ParseFromString(operation.response().value()))
      return unreadable();
    if (response.status().code() != 0) return not_done(response.status());
    return response;
  }

  // A worker that is lost may bring the execution back into the queue. The limit since the first worker stays. An
  // execution that was never said to be queued may be, so it has the time of a queue as well.
  void take_state(const Operation& operation) {
    const ExecuteState state = state_of(operation);
    const bool was_told = std::exchange(is_told_, true);
    if (state == state_) {
      if (!was_told) on_state_(state);
      return;
    }
    state_ = state;
    const Clock::time_point now = Clock::now();
    if (!executed_by_) executed_by_ = (was_told ? now : until_) + limits_.execution;
    until_ = state == ExecuteState::queued ? std::min(now + limits_.queue, *executed_by_) : *executed_by_;
    on_state_(state);
  }

  std::optional<NotDone> out_of_limits() const {
    if (cancellation_.is_cancelled()) return cancelled();
    if (left() > milliseconds(0)) return std::nullopt;
    if (state_ == ExecuteState::queued)
      return NotDone{.outcome = ExecuteOutcome::expired, .detail = "no worker took the action in time"};
    return NotDone{.outcome = ExecuteOutcome::overdue, .detail = "the action took longer than its deadline"};
  }

  milliseconds left() const {
    return std::max(std::chrono::floor<milliseconds>(until_ - Clock::now()), milliseconds(0));
  }

  Connection& connection_;
  Cancellation& cancellation_;
  const ExecutionLimits limits_;
  const OnState& on_state_;
  Limits call_;
  std::string name_;
  ExecuteState state_ = ExecuteState::queued;
  bool is_told_ = false;                          // that state
  Clock::time_point until_;                       // of the present state
  std::optional<Clock::time_point> executed_by_;  // since a worker took it
};

// Tells the engine that nobody waits for the execution any more. Says nothing of whether the engine cares.
void cancel_operation(Connection& connection, const std::string& name, const Limits& limits) {
  UnaryCall<google::longrunning::CancelOperationRequest, google::longrunning::Empty> call(kCancelOperation);
  call.request.set_name(name);
  remote::run(call, connection, limits);
}

// Brings what a command made from the engine into the daemon's directory.
//
// Nothing is believed: each text and file has the SHA-256 and the size that the result says, is within its limit, and
// was asked for. Small outputs come in one call, others by ByteStream straight into their file.

constexpr std::uint64_t kLargestOutput = 2ull << 30;  // all of an action together
constexpr std::uint64_t kLargestText = 2u << 20;      // standard output, standard error

constexpr std::uint64_t kSmall = 256u << 10;
constexpr std::uint64_t kFraming = 256;  // of an entry of a batch
constexpr const char* kBatchReadBlobs = "/build.bazel.remote.execution.v2.ContentAddressableStorage/BatchReadBlobs";

using BatchReadCall = UnaryCall<wire::BatchReadBlobsRequest, wire::BatchReadBlobsResponse>;

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
    const std::optional<BlobName> name = name_in(file->digest());
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

constexpr auto kAnswer = 2s;  // at least: an engine that takes a large input is slower than a cache
constexpr auto kStall = 5s;
constexpr auto kTotal = 10s;
constexpr std::uint64_t kSlowest = 1u << 10;  // bytes in a millisecond
constexpr auto kLongestExecution = 24h;
constexpr std::size_t kLongestWorker = 256;
constexpr std::int64_t kMicrosecondsInASecond = 1'000'000;
constexpr std::int64_t kNanosecondsInAMicrosecond = 1'000;

// Nothing less than none, and nothing beyond kLongestExecution, whatever the engine's clocks say. Not every engine says
// all of them: buildbox-casd has no queue.
std::uint64_t between(const wire::Moment& from, const wire::Moment& to) {
  if (from.seconds() == 0 || to.seconds() == 0) return 0;
  const std::int64_t longest = std::chrono::duration_cast<std::chrono::microseconds>(kLongestExecution).count();
  const std::int64_t most = longest / kMicrosecondsInASecond;
  const std::int64_t seconds = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(static_cast<std::uint64_t>(to.seconds()) - static_cast<std::uint64_t>(from.seconds())),
      -most, most);
  const std::int64_t nanos = std::int64_t{to.nanos()} - from.nanos();
  const std::int64_t between = seconds * kMicrosecondsInASecond + nanos / kNanosecondsInAMicrosecond;
  return static_cast<std::uint64_t>(std::clamp<std::int64_t>(between, 0, longest));
}

void take_metadata(const wire::ExecutedActionMetadata& said, protocol::RemoteExecuted& into) {
  into.worker = readable(std::string_view(said.worker()).substr(0, kLongestWorker));
  into.queue_us = between(said.queued_timestamp(), said.worker_start_timestamp());
  into.staging_us = between(said.worker_start_timestamp(), said.execution_start_timestamp());
  into.execution_us = between(said.execution_start_timestamp(), said.execution_completed_timestamp());
  into.upload_us = between(said.output_upload_start_timestamp(), said.output_upload_completed_timestamp());
}

// A fault that cost a step its whole limit.
bool was_slow(ExecuteOutcome outcome) {
  return outcome == ExecuteOutcome::expired || outcome == ExecuteOutcome::overdue;
}

std::uint64_t bytes_of(const PreparedAction& action) {
  std::uint64_t bytes = 0;
  for (const BlobName& name : action.names) bytes += name.size;
  return bytes;
}

}  // namespace

// One action on the engine: what it lacks is sent, it runs, and its outputs are fetched.
class Engine::Run {
 public:
  Run(Engine& of, const protocol::RemoteExecute& asked, const PreparedAction& action, Cancellation& cancellation,
      const OnState& on_state, protocol::RemoteExecuted& into)
      : of_(of), asked_(asked), action_(action), cancellation_(cancellation), on_state_(on_state), into_(into) {}

  // Nothing if it is done.
  std::optional<NotDone> run() {
    const auto known = of_.knowledge_.get(of_.limits_for(0));
    if (const auto* failure = std::get_if<Failure>(&known)) return not_done(*failure);
    engine_ = std::get<Capabilities>(known);
    if (!engine_.executes) return NotDone{.outcome = ExecuteOutcome::refused, .detail = "the server executes nothing"};
    auto ended = run_once();
    if (const auto* why = std::get_if<NotDone>(&ended); why != nullptr && why->is_missing) ended = run_once();
    if (auto* why = std::get_if<NotDone>(&ended)) return std::move(*why);
    const auto& result = std::get<wire::ActionResult>(ended);
    take_metadata(result.execution_metadata(), into_);
    into_.exit_code = result.exit_code();
    std::uint64_t bytes = 0;
    for (const auto& file : result.output_files())
      bytes +=
          std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(file.digest().size_bytes(), 0)), kLargestOutput);
    return fetch_outputs(result, of_.limits_for(std::min(bytes, kLargestOutput)));
  }

 private:
  std::variant<wire::ActionResult, NotDone> run_once() {
    const Limits limits = of_.limits_for(bytes_of(action_));
    if (auto why = upload(limits)) return *why;
    wire::ExecuteRequest request;
    request.set_instance_name(of_.connection_.instance());
    request.set_skip_cache_lookup(true);
    set(*request.mutable_action_digest(), action_.action_name);
    request.set_inline_stdout(true);
    request.set_inline_stderr(true);
    for (const std::string& output : asked_.outputs) request.add_inline_output_files(output);
    const ExecutionLimits execution{
        .queue = std::min<milliseconds>(milliseconds(asked_.queue_limit_ms), kLongestExecution),
        .execution = std::min<milliseconds>(milliseconds(asked_.deadline_ms), kLongestExecution)};
    OperationRun operation(of_.connection_, cancellation_, limits, execution, on_state_);
    auto ended = operation.run(request);
    if (auto* why = std::get_if<NotDone>(&ended)) {
      const std::string& name = operation.left_behind();
      if (!name.empty() && (was_slow(why->outcome) || why->outcome == ExecuteOutcome::cancelled))
        of_.cancelling_.add([&of = of_, name] { cancel_operation(of.connection_, name, of.limits_for(0)); });
      return std::move(*why);
    }
    return std::move(*std::get<wire::ExecuteResponse>(ended).mutable_result());
  }

  // Nothing if the engine has all afterwards.
  std::optional<NotDone> upload(const Limits& limits) {
    static std::mutex large_file;
    const Parts parts = parts_of(asked_, action_);
    auto found = missing_of(of_.connection_, parts, limits);
    if (auto* why = std::get_if<NotDone>(&found)) return std::move(*why);
    Group group(of_.connection_, engine_, limits);
    for (const Part* part : std::get<std::vector<const Part*>>(found)) {
      if (cancellation_.is_cancelled()) return cancelled();
      std::unique_lock<std::mutex> lock;
      if (!group.has_room_for(*part))
        if (auto why = group.send(into_.bytes_sent)) return why;
      if (part->name.size > kGroupBytes) lock = std::unique_lock(large_file);
      if (auto why = group.add(*part)) return why;
      if (lock.owns_lock())
        if (auto why = group.send(into_.bytes_sent)) return why;
    }
    return group.send(into_.bytes_sent);
  }

  // Fills texts, outputs and bytes_received of the answer. After a failure it has no outputs, and their files are gone.
  std::optional<NotDone> fetch_outputs(const wire::ActionResult& result, const Limits& limits) {
    auto listed = wanted_of(asked_, result);
    if (auto* why = std::get_if<NotDone>(&listed)) return std::move(*why);
    auto& wanted = std::get<std::vector<Wanted>>(listed);
    std::optional<NotDone> why = fetch_text(result.stdout_raw(), result.stdout_digest(), limits, into_.stdout_text);
    if (!why) why = fetch_text(result.stderr_raw(), result.stderr_digest(), limits, into_.stderr_text);
    if (!why) fetch_batch(wanted, limits);
    for (auto one = wanted.begin(); !why && one != wanted.end(); ++one) why = fetch_file(*one, limits);
    if (!why) return std::nullopt;
    for (const protocol::ExecuteOutput& output : into_.outputs) unlink(output.file.c_str());
    into_.outputs.clear();
    return why;
  }

  std::optional<NotDone> fetch_text(const std::string& raw, const wire::Digest& digest, const Limits& limits,
                                    std::string& text) {
    if (raw.size() > kLargestText || (raw.empty() && digest.size_bytes() > static_cast<std::int64_t>(kLargestText)))
      return nonsense("has messages of more than 2 MiB");
    into_.bytes_received += raw.size();
    text = raw;
    if (!raw.empty() || digest.size_bytes() == 0) return std::nullopt;
    const std::optional<BlobName> name = name_in(digest);
    if (!name) return nonsense("has messages without a SHA-256");
    Answer<std::string> read = read_blob(of_.connection_, *name, engine_.has_zstd, limits);
    if (read.failure) return not_done(*read.failure);
    if (!read.value) return lost("the engine has lost the messages");
    if (blob_name_of(*read.value) != *name) return lost("the engine's messages are damaged");
    into_.bytes_received += read.bytes;
    text = std::move(*read.value);
    return std::nullopt;
  }

  // Reads the small ones, as far as the engine gives them; fetch_file() brings the others.
  void fetch_batch(std::vector<Wanted>& wanted, const Limits& limits) {
    BatchReadCall call(kBatchReadBlobs);
    call.request.set_instance_name(of_.connection_.instance());
    std::uint64_t size = 0;
    for (const Wanted& one : wanted) {
      if (one.contents != nullptr || one.name.size > kSmall) continue;
      if (size + one.name.size + kFraming > engine_.batch_bytes) continue;
      size += one.name.size + kFraming;
      set(*call.request.add_digests(), one.name);
    }
    if (call.request.digests_size() < 2) return;  // one is as quick by ByteStream
    remote::run(call, of_.connection_, limits);
    if (!call.ok()) return;
    for (auto& response : *call.response.mutable_responses())
      if (response.status().code() == 0) small_[response.digest().hash()] = std::move(*response.mutable_data());
    for (Wanted& one : wanted)
      if (const auto found = small_.find(one.name.hash); one.contents == nullptr && found != small_.end())
        one.contents = &found->second;
  }

  std::optional<NotDone> fetch_file(const Wanted& wanted, const Limits& limits) {
    const std::string path =
        asked_.output_directory + "/" + std::to_string(asked_.id) + "." + std::to_string(into_.outputs.size());
    OutputFile file(path);
    std::uint64_t received = 0;
    if (wanted.contents != nullptr) {
      received = wanted.contents->size();
      if (received == wanted.name.size) file.take(*wanted.contents);
    } else if (wanted.name.size > 0 && file.trouble()) {
      const auto take = [&](std::string_view piece) { return !cancellation_.is_cancelled() && file.take(piece); };
      const WriteAnswer read = read_blob_into(of_.connection_, wanted.name, engine_.has_zstd, take, limits);
      if (cancellation_.is_cancelled()) return cancelled();
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

  Engine& of_;
  const protocol::RemoteExecute& asked_;
  const PreparedAction& action_;
  Cancellation& cancellation_;
  const OnState& on_state_;
  protocol::RemoteExecuted& into_;
  Capabilities engine_;
  std::map<std::string, std::string> small_;  // outputs, by hash
};

Engine::Engine(config::ExecuteUrl url) : url_(std::move(url)), connection_(url_.server), knowledge_(connection_) {}

protocol::RemoteExecuted Engine::execute(const protocol::RemoteExecute& asked, Cancellation& cancellation,
                                         const OnState& on_state) {
  protocol::RemoteExecuted answer{.id = asked.id};
  const auto say = [&answer](NotDone why) {
    answer.outcome = why.outcome;
    answer.detail = std::move(why.detail);
    return std::move(answer);
  };
  const Result<PreparedAction> action = prepare_action(asked, url_.properties, answer.hashed);
  if (!action) return say(our_fault(action.error().message));
  std::optional<NotDone> why = Run(*this, asked, *action, cancellation, on_state, answer).run();
  if (why && why->outcome == ExecuteOutcome::unavailable) knowledge_.forget();  // another server may answer next time
  if (why) return say(std::move(*why));
  answer.outcome = ExecuteOutcome::done;
  return answer;
}

protocol::RemoteEngineAnswer Engine::answer_to(const protocol::RemoteEngineQuestion& question) {
  protocol::RemoteEngineAnswer answer{.id = question.id};
  knowledge_.forget();
  const auto known = knowledge_.get(limits_for(0));
  if (const auto* failure = std::get_if<Failure>(&known)) {
    answer.detail = failure->message;
    return answer;
  }
  const auto& engine = std::get<Capabilities>(known);
  answer.ok = engine.executes;
  answer.detail = engine.executes ? "executes, with SHA-256" : "the server executes nothing, or not with SHA-256";
  answer.version = engine.version;
  return answer;
}

Limits Engine::limits_for(std::uint64_t bytes) const {
  return {.connect = url_.server.connect_timeout,
          .answer = std::max<milliseconds>(url_.server.timeout, kAnswer),
          .stall = kStall,
          .total = kTotal + milliseconds(bytes / kSlowest)};
}

}  // namespace hipcache::remote
