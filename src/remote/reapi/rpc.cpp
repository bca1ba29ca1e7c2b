#include "remote/reapi/rpc.h"

#include <grpc/support/log.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/async_unary_call.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/channel_arguments.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "hipcache/base/files.h"
#include "hipcache/config/shown.h"
#include "remote/layout/sha256.h"
#include "remote/transport/authorities.h"
#include "remote/transport/proxy.h"
#include "remote_execution.pb.h"

namespace hipcache::remote {

class GrpcChannel {
 public:
  GrpcChannel(std::shared_ptr<grpc::Channel> channel, bool is_by_proxy)
      : channel_(std::move(channel)), stub_(channel_), is_by_proxy_(is_by_proxy) {}

  bool is_connected() const { return channel_->GetState(false) == GRPC_CHANNEL_READY; }
  bool is_by_proxy() const { return is_by_proxy_; }
  // Until the first sign of an answer.
  std::chrono::milliseconds first_wait(const Limits& limits) const {
    return limits.answer + (is_connected() ? std::chrono::milliseconds(0) : limits.connect);
  }
  grpc::GenericStub& stub() { return stub_; }

 private:
  const std::shared_ptr<grpc::Channel> channel_;
  grpc::GenericStub stub_;
  const bool is_by_proxy_;
};

// A completion queue that is empty before it is destroyed. REQUIRES: then no call runs that was not cancelled.
class Queue {
 public:
  using Clock = std::chrono::steady_clock;

  Queue() = default;
  ~Queue() {
    queue_.Shutdown();
    Event event;
    while (queue_.Next(&event.tag, &event.ok)) {
    }
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  struct Event {
    void* tag = nullptr;
    bool ok = false;
  };
  // Nothing if none came until then.
  std::optional<Event> next(Clock::time_point until) {
    const auto left = std::max<Clock::duration>(until - Clock::now(), Clock::duration(0));
    const auto deadline =
        std::chrono::system_clock::now() + std::chrono::ceil<std::chrono::system_clock::duration>(left);
    Event event;
    if (queue_.AsyncNext(&event.tag, &event.ok, deadline) != grpc::CompletionQueue::GOT_EVENT) return std::nullopt;
    return event;
  }

  grpc::CompletionQueue* get() { return &queue_; }

 private:
  grpc::CompletionQueue queue_;
};

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kShown = 200;               // characters of gRPC's message
constexpr std::uint64_t kSecretLimit = 1u << 20;  // of a file
constexpr int kReconnectMs = 500;                 // first pause of gRPC; longer ones are the circuit's
constexpr int kLongestReconnectMs = 4'000;
constexpr int kLongestHandshakeMs = 5'000;  // gRPC's own limit is 20 s
constexpr std::chrono::seconds kLook{1};    // at calls that were cancelled, which end soon
constexpr const char* kMetadataKey = "build.bazel.remote.execution.v2.requestmetadata-bin";

struct KnownCode {
  RpcCode code;
  std::string_view name;
  Trouble reading;
  Trouble writing;
};

// The rest is Trouble::unreachable: another attempt may succeed.
constexpr auto kCodes = std::to_array<KnownCode>({
    {RpcCode::cancelled, "CANCELLED", Trouble::unreachable, Trouble::unreachable},
    {RpcCode::unknown, "UNKNOWN", Trouble::unreachable, Trouble::unreachable},
    {RpcCode::invalid_argument, "INVALID_ARGUMENT", Trouble::refused, Trouble::refused},
    {RpcCode::deadline_exceeded, "DEADLINE_EXCEEDED", Trouble::unreachable, Trouble::unreachable},
    {RpcCode::not_found, "NOT_FOUND", Trouble::damaged, Trouble::refused},
    {RpcCode::permission_denied, "PERMISSION_DENIED", Trouble::refused, Trouble::refused},
    {RpcCode::resource_exhausted, "RESOURCE_EXHAUSTED", Trouble::throttled, Trouble::full},
    {RpcCode::failed_precondition, "FAILED_PRECONDITION", Trouble::damaged, Trouble::refused},
    {RpcCode::aborted, "ABORTED", Trouble::unreachable, Trouble::unreachable},
    {RpcCode::out_of_range, "OUT_OF_RANGE", Trouble::damaged, Trouble::refused},
    {RpcCode::unimplemented, "UNIMPLEMENTED", Trouble::refused, Trouble::refused},
    {RpcCode::internal, "INTERNAL", Trouble::unreachable, Trouble::unreachable},
    {RpcCode::unavailable, "UNAVAILABLE", Trouble::unreachable, Trouble::unreachable},
    {RpcCode::data_loss, "DATA_LOSS", Trouble::damaged, Trouble::unreachable},
    {RpcCode::unauthenticated, "UNAUTHENTICATED", Trouble::refused, Trouble::refused},
});

// One line, with nothing in it that a terminal would obey.
std::string printable(std::string_view text) {
  std::string shown;
  for (const char letter : text.substr(0, kShown)) shown += letter < ' ' || letter > '~' ? ' ' : letter;
  return shown;
}

// Before gRPC starts its threads: tiers are opened before the first question.
void choose_settings_of_grpc() {
  static std::once_flag once;
  std::call_once(once, [] {
    setenv("GRPC_DNS_RESOLVER", "native", 1);
    gpr_set_log_function([](gpr_log_func_args*) {});  // failures are values here
  });
}

std::string metadata() {
  build::bazel::remote::execution::v2::RequestMetadata metadata;
  metadata.mutable_tool_details()->set_tool_name("hipcache");
  metadata.mutable_tool_details()->set_tool_version(HIPCACHE_VERSION);
  return metadata.SerializeAsString();
}

std::string target_of(const config::RemoteUrl& url) {
  const int port = url.port != 0 ? url.port : url.tls ? 443 : 80;
  return "dns:///" + url.host + ":" + std::to_string(port);
}

// Empty without a path. `option`: the one that has the path.
std::variant<std::string, Failure> read_optional(const std::string& path, const char* option) {
  if (path.empty()) return std::string();
  Result<std::string> read = read_file(path, kSecretLimit, config::file_of(option));
  if (!read) return Failure{Trouble::refused, read.error().message, {}};
  return std::move(*read);
}

// Sets headers and the last deadline of a call.
void prepare(grpc::ClientContext& context, const CallHeaders& headers, const Limits& limits) {
  for (const auto& [name, value] : headers) context.AddMetadata(name, value);
  const auto left = limits.last() - Clock::now();
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::ceil<std::chrono::system_clock::duration>(left + limits.connect));
}

grpc::ByteBuffer buffer_of(const std::string& message) {
  const grpc::Slice slice(message);
  return {&slice, 1};
}

std::string bytes_of(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  for (const grpc::Slice& slice : slices) bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return bytes;
}

RpcEnd end_of(const grpc::Status& status, const GrpcChannel& channel, bool timed_out) {
  return {.code = static_cast<RpcCode>(status.error_code()),
          .message = status.error_message(),
          .was_connected = channel.is_connected(),
          .by_proxy = channel.is_by_proxy(),
          .timed_out = timed_out};
}

}  // namespace

bool is_ok(const RpcEnd& end) { return end.code == RpcCode::ok && !end.timed_out; }

bool is_miss(const RpcEnd& end) {
  return !end.timed_out && (end.code == RpcCode::not_found || end.code == RpcCode::failed_precondition ||
                            end.code == RpcCode::out_of_range);
}

Failure failure_of(RpcCode code, Direction direction) {
  const auto* known =
      std::find_if(kCodes.begin(), kCodes.end(), [&](const KnownCode& one) { return one.code == code; });
  if (known == kCodes.end()) return {Trouble::unreachable, "gRPC status " + std::to_string(static_cast<int>(code)), {}};
  return {
      direction == Direction::read ? known->reading : known->writing, "gRPC status " + std::string(known->name), {}};
}

Failure failure_of(const RpcEnd& end, Direction direction) {
  const std::string way = end.by_proxy ? " through the proxy that http_proxy or its kin name" : "";
  if (end.timed_out)
    return {Trouble::unreachable, end.was_connected ? "no answer in time" : "no connection in time" + way, {}};
  Failure failure = failure_of(end.code, direction);
  if (!end.was_connected && !end.message.empty())
    failure.message += ": no connection" + way + ": " + printable(end.message);
  return failure;
}

Connection::Connection(config::RemoteUrl url)
    : url_(std::move(url)), instance_(url_.path.substr(std::min<std::size_t>(url_.path.size(), 1))) {
  choose_settings_of_grpc();
}

Connection::~Connection() = default;

std::variant<Connection::TlsFiles, Failure> Connection::read_tls_files() const {
  TlsFiles files;
  for (const auto& [option, path, content] :
       {std::tuple("ca_file=", &url_.ca_file, &files.roots), std::tuple("client_key=", &url_.client_key, &files.key),
        std::tuple("client_certificate=", &url_.client_certificate, &files.certificate)}) {
    auto read = read_optional(*path, option);
    if (auto* failure = std::get_if<Failure>(&read)) return std::move(*failure);
    *content = std::move(std::get<std::string>(read));
  }
  if (url_.ca_file.empty()) files.roots = certificates_of(authorities_of_user());
  return files;
}

std::shared_ptr<GrpcChannel> Connection::connect(const TlsFiles& files) const {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kLargestMessage);
  arguments.SetUserAgentPrefix(std::string("hipcache/") + HIPCACHE_VERSION);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a new channel is a new connection
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kLongestHandshakeMs);  // despite its name
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kReconnectMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kLongestReconnectMs);
  const std::string host = url_.host.starts_with('[') ? url_.host.substr(1, url_.host.size() - 2) : url_.host;
  const std::string proxy = proxy_for(url_.tls, host, variables_of_process());
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, proxy.empty() ? 0 : 1);
  if (!proxy.empty()) arguments.SetString(GRPC_ARG_HTTP_PROXY, proxy);
  const auto credentials =
      url_.tls ? grpc::SslCredentials(
                     {.pem_root_certs = files.roots, .pem_private_key = files.key, .pem_cert_chain = files.certificate})
               : grpc::InsecureChannelCredentials();
  return std::make_shared<GrpcChannel>(grpc::CreateCustomChannel(target_of(url_), credentials, arguments),
                                       !proxy.empty());
}

std::variant<std::shared_ptr<GrpcChannel>, Failure> Connection::channel() {
  const std::lock_guard lock(mutex_);
  if (channel_ && (!url_.tls || channel_->is_connected())) return channel_;
  auto files = read_tls_files();
  if (auto* failure = std::get_if<Failure>(&files)) return std::move(*failure);
  if (channel_ && std::get<TlsFiles>(files) == files_) return channel_;
  files_ = std::move(std::get<TlsFiles>(files));
  channel_ = connect(files_);
  return channel_;
}

void Connection::give_up(const GrpcChannel& channel) {
  const std::lock_guard lock(mutex_);
  if (channel_.get() == &channel && channel.is_connected()) channel_ = nullptr;
}

std::variant<CallHeaders, Failure> Connection::headers() const {
  static const std::string described = metadata();
  CallHeaders headers{{kMetadataKey, described}};
  if (!url_.user.empty()) headers.emplace_back("authorization", "Basic " + base64_of(url_.user + ":" + url_.password));
  std::string token = url_.token;
  if (!url_.token_file.empty()) {
    auto read = read_optional(url_.token_file, "token_file=");
    if (auto* failure = std::get_if<Failure>(&read)) return std::move(*failure);
    const std::string& text = std::get<std::string>(read);
    token = text.substr(0, text.find_first_of("\r\n"));
  }
  if (!token.empty()) headers.emplace_back("authorization", "Bearer " + token);
  return headers;
}

std::variant<Connection::Ready, Failure> Connection::ready() {
  auto opened = channel();
  if (auto* failure = std::get_if<Failure>(&opened)) return std::move(*failure);
  auto named = headers();
  if (auto* failure = std::get_if<Failure>(&named)) return std::move(*failure);
  return Ready{std::move(std::get<std::shared_ptr<GrpcChannel>>(opened)), std::move(std::get<CallHeaders>(named))};
}

struct Stream::State {
  State(Connection& by, std::shared_ptr<GrpcChannel> to, const Limits& with)
      : connection(by), channel(std::move(to)), limits(with) {}

  Connection& connection;
  const std::shared_ptr<GrpcChannel> channel;
  const Limits& limits;
  grpc::ClientContext context;
  Queue queue;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call;
  bool has_answer = false;
  bool timed_out = false;
  bool has_finished = false;
};

Stream::Stream(std::unique_ptr<State> state) : state_(std::move(state)) {}

Stream::~Stream() {
  if (state_->has_finished) return;
  cancel();
  finish();
}

std::variant<std::unique_ptr<Stream>, Failure> Stream::open(Connection& connection, const char* method,
                                                            const Limits& limits) {
  auto ready = connection.ready();
  if (auto* failure = std::get_if<Failure>(&ready)) return std::move(*failure);
  auto& [channel, headers] = std::get<Connection::Ready>(ready);
  auto state = std::make_unique<State>(connection, std::move(channel), limits);
  prepare(state->context, headers, limits);
  state->call = state->channel->stub().PrepareCall(&state->context, method, state->queue.get());
  const auto first = state->channel->first_wait(limits);
  state->call->StartCall(nullptr);
  std::unique_ptr<Stream> stream(new Stream(std::move(state)));
  stream->wait(first);  // a failure shows in every further step
  return stream;
}

// For the step that was begun last.
bool Stream::wait(std::chrono::milliseconds limit, bool silence_is_fault) {
  std::optional<Queue::Event> event = state_->queue.next(Clock::now() + limit);
  const bool is_late = !event;
  if (is_late) {
    state_->timed_out = state_->timed_out || silence_is_fault;
    state_->context.TryCancel();
  }
  while (!event) event = state_->queue.next(Clock::now() + kLook);
  return event->ok && !is_late && !state_->timed_out;
}

bool Stream::send(const std::string& message) {
  state_->call->Write(buffer_of(message), nullptr);
  const bool is_sent = wait(state_->limits.stall);
  if (is_sent) state_->limits.note_sent(message.size());
  return is_sent;
}

bool Stream::close() {
  state_->call->WritesDone(nullptr);
  return wait(state_->limits.stall);
}

std::optional<std::string> Stream::receive() {
  return read(state_->has_answer ? state_->limits.stall : state_->limits.answer, true);
}

std::optional<std::string> Stream::receive(std::chrono::milliseconds limit) { return read(limit, false); }

std::optional<std::string> Stream::read(std::chrono::milliseconds limit, bool silence_is_fault) {
  grpc::ByteBuffer message;
  state_->call->Read(&message, nullptr);
  if (!wait(limit, silence_is_fault)) return std::nullopt;
  state_->has_answer = true;
  return bytes_of(message);
}

void Stream::cancel() { state_->context.TryCancel(); }

RpcEnd Stream::finish() {
  grpc::Status status;
  state_->call->Finish(&status, nullptr);
  wait(state_->limits.stall);
  state_->has_finished = true;
  if (state_->timed_out) state_->connection.give_up(*state_->channel);
  return end_of(status, *state_->channel, state_->timed_out);
}

struct CallGroup::Running {
  Call* call = nullptr;
  grpc::ClientContext context;
  std::unique_ptr<grpc::ClientAsyncResponseReader<grpc::ByteBuffer>> reader;
  grpc::ByteBuffer answer;
  grpc::Status status;
  Clock::time_point until;
  bool has_headers = false;
  bool has_ended = false;
  bool timed_out = false;

  // After the headers only the message is missing, which is bounded; `stall` is for all of it.
  void take_event(const Limits& limits) {
    if (has_headers) {
      has_ended = true;
      return;
    }
    has_headers = true;
    if (!timed_out) until = Clock::now() + limits.stall;
    reader->Finish(&answer, &status, this);
  }

  void give_up() {
    timed_out = true;
    until = Clock::time_point::max();
    context.TryCancel();  // it ends soon
  }
};

void CallGroup::run() {
  const auto ready = connection_.ready();
  if (const auto* failure = std::get_if<Failure>(&ready)) {
    for (Call* call : calls_) call->failure_ = *failure;
    return;
  }
  const auto& headers = std::get<Connection::Ready>(ready).headers;
  GrpcChannel& channel = *std::get<Connection::Ready>(ready).channel;
  Queue queue;
  std::vector<std::unique_ptr<Running>> running;
  const Clock::time_point until = Clock::now() + channel.first_wait(limits_);
  for (Call* call : calls_) {
    auto one = std::make_unique<Running>();
    prepare(one->context, headers, limits_);
    one->call = call;
    one->until = until;
    one->reader = channel.stub().PrepareUnaryCall(&one->context, call->method_, buffer_of(call->encode()), queue.get());
    one->reader->StartCall();
    one->reader->ReadInitialMetadata(one.get());
    running.push_back(std::move(one));
  }
  for (std::size_t left = running.size(); left > 0;) {
    Clock::time_point next = Clock::now() + kLook;
    for (const auto& one : running)
      if (!one->has_ended) next = std::min(next, one->until);
    if (const std::optional<Queue::Event> event = queue.next(next)) {
      auto* one = static_cast<Running*>(event->tag);
      one->take_event(limits_);
      if (one->has_ended) --left;
      continue;
    }
    for (const auto& one : running)
      if (!one->has_ended && one->until <= Clock::now()) one->give_up();
  }
  for (const auto& one : running) {
    if (one->timed_out) connection_.give_up(channel);
    one->call->end_ = end_of(one->status, channel, one->timed_out);
    if (one->status.ok() && !one->timed_out && !one->call->decode(bytes_of(one->answer)))
      one->call->failure_ = Failure{Trouble::damaged, "an answer that cannot be read", {}};
  }
}

void run(Call& call, Connection& connection, const Limits& limits) {
  CallGroup group(connection, limits);
  group.add(call);
  group.run();
}

}  // namespace hipcache::remote
