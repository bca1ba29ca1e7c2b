#include "remote/reapi/rpc/grpc_channel.h"

#include <algorithm>
#include <vector>

namespace hipcache::remote {

void prepare(grpc::ClientContext& context, const std::vector<std::pair<std::string, std::string>>& headers,
             const Limits& limits) {
  for (const auto& [name, value] : headers) context.AddMetadata(name, value);
  context.set_deadline(std::chrono::system_clock::now() + limits.connect + limits.total);
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

}  // namespace hipcache::remote
