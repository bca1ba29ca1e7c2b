#include "remote/reapi/rpc/connection.h"

#include <grpc/support/log.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/config/shown.h"
#include "remote/layout/sha256.h"
#include "remote/transport/authorities.h"
#include "remote/transport/proxy.h"
#include "remote_execution.pb.h"

namespace hipcache::remote {

namespace {

constexpr std::size_t kShown = 200;  // characters of gRPC's message

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

void prepare(grpc::ClientContext& context, const std::vector<std::pair<std::string, std::string>>& headers,
             const Limits& limits) {
  for (const auto& [name, value] : headers) context.AddMetadata(name, value);
  const auto left = limits.last() - std::chrono::steady_clock::now();
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

Queue::~Queue() {
  queue_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) {
  }
}

std::optional<Queue::Event> Queue::next(Clock::time_point until) {
  const auto left = std::max<Clock::duration>(until - Clock::now(), Clock::duration(0));
  const auto deadline = std::chrono::system_clock::now() + std::chrono::ceil<std::chrono::system_clock::duration>(left);
  Event event;
  if (queue_.AsyncNext(&event.tag, &event.ok, deadline) != grpc::CompletionQueue::GOT_EVENT) return std::nullopt;
  return event;
}

namespace {

constexpr std::uint64_t kSecretLimit = 1u << 20;  // of a file
constexpr int kReconnectMs = 500;                 // first pause of gRPC; longer ones are the circuit's
constexpr int kLongestReconnectMs = 4'000;
constexpr int kLongestHandshakeMs = 5'000;  // gRPC's own limit is 20 s
constexpr const char* kMetadataKey = "build.bazel.remote.execution.v2.requestmetadata-bin";

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

std::string without_slash(const std::string& path) { return path.empty() ? path : path.substr(1); }

// Empty without a path. `option`: the one that has the path.
std::variant<std::string, Failure> read_optional(const std::string& path, const char* option) {
  if (path.empty()) return std::string();
  Result<std::string> read = read_file(path, kSecretLimit, config::file_of(option));
  if (!read) return Failure{Trouble::refused, read.error().message, {}};
  return std::move(*read);
}

}  // namespace

Connection::Connection(config::RemoteUrl url) : url_(std::move(url)), instance_(without_slash(url_.path)) {
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

}  // namespace hipcache::remote
