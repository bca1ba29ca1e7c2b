#include "remote/reapi/rpc/calls.h"

#include <grpcpp/support/async_unary_call.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "remote/reapi/rpc/grpc_channel.h"

namespace hipcache::remote {
namespace {

using Clock = Queue::Clock;

constexpr std::chrono::seconds kLook{1};  // between looks at the limits while a cancelled call ends

}  // namespace

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
  auto opened = connection_.channel();
  if (auto* failure = std::get_if<Failure>(&opened)) {
    for (Call* call : calls_) call->failure_ = *failure;
    return;
  }
  GrpcChannel& channel = *std::get<std::shared_ptr<GrpcChannel>>(opened);
  const auto headers = connection_.headers();
  if (const auto* failure = std::get_if<Failure>(&headers)) {
    for (Call* call : calls_) call->failure_ = *failure;
    return;
  }
  Queue queue;
  std::vector<std::unique_ptr<Running>> running;
  const Clock::time_point until = Clock::now() + channel.first_wait(limits_);
  for (Call* call : calls_) {
    auto one = std::make_unique<Running>();
    prepare(one->context, std::get<CallHeaders>(headers), limits_);
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
