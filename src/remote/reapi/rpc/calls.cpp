#include "remote/reapi/rpc/calls.h"

#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/async_unary_call.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "remote/reapi/rpc/connection.h"

namespace hipcache::remote {

namespace {

constexpr std::chrono::seconds kLook{1};  // at a cancelled step, which ends soon

}  // namespace

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
  auto opened = connection.channel();
  if (auto* failure = std::get_if<Failure>(&opened)) return std::move(*failure);
  auto state = std::make_unique<State>(connection, std::get<std::shared_ptr<GrpcChannel>>(opened), limits);
  auto headers = connection.headers();
  if (auto* failure = std::get_if<Failure>(&headers)) return std::move(*failure);
  prepare(state->context, std::get<CallHeaders>(headers), limits);
  state->call = state->channel->stub().PrepareCall(&state->context, method, state->queue.get());
  const auto first = state->channel->first_wait(limits);
  state->call->StartCall(nullptr);
  std::unique_ptr<Stream> stream(new Stream(std::move(state)));
  stream->wait(first);  // a failure shows in every further step
  return stream;
}

// For the step that was begun last.
bool Stream::wait(std::chrono::milliseconds limit, bool silence_is_fault) {
  std::optional<Queue::Event> event = state_->queue.next(Queue::Clock::now() + limit);
  const bool is_late = !event;
  if (is_late) {
    state_->timed_out = state_->timed_out || silence_is_fault;
    state_->context.TryCancel();
  }
  while (!event) event = state_->queue.next(Queue::Clock::now() + kLook);
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

namespace {

using Clock = Queue::Clock;

constexpr std::chrono::seconds kLookAtLimits{1};  // between looks at the limits while a cancelled call ends

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
    Clock::time_point next = Clock::now() + kLookAtLimits;
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
