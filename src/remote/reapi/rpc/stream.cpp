#include "remote/reapi/rpc/stream.h"

#include <grpcpp/support/async_stream.h>

#include <utility>

#include "remote/reapi/rpc/grpc_channel.h"

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
bool Stream::wait(std::chrono::milliseconds limit) {
  std::optional<Queue::Event> event = state_->queue.next(Queue::Clock::now() + limit);
  if (!event) {
    state_->timed_out = true;
    state_->context.TryCancel();
  }
  while (!event) event = state_->queue.next(Queue::Clock::now() + kLook);
  return event->ok && !state_->timed_out;
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
  grpc::ByteBuffer message;
  state_->call->Read(&message, nullptr);
  if (!wait(state_->has_answer ? state_->limits.stall : state_->limits.answer)) return std::nullopt;
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

}  // namespace hipcache::remote
