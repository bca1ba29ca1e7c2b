#include "remote/transport/stream_bio.h"

#include <span>
#include <string_view>

namespace hipcache::remote {
namespace {

using State = Transfer::State;

// What OpenSSL takes as the result of a BIO's read or write.
int told(BIO* bio, BioStream& below, const Transfer& transfer) {
  below.last = transfer;
  BIO_clear_retry_flags(bio);
  switch (transfer.state) {
    case State::moved:
      return static_cast<int>(transfer.size);
    case State::wants_read:
      BIO_set_retry_read(bio);
      return -1;
    case State::wants_write:
      BIO_set_retry_write(bio);
      return -1;
    case State::closed:
      return 0;
    case State::failed:
      break;
  }
  return -1;
}

int on_read(BIO* bio, char* to, int size) {
  auto& below = *static_cast<BioStream*>(BIO_get_data(bio));
  return told(bio, below, below.stream->read(std::span(to, static_cast<std::size_t>(size))));
}

int on_write(BIO* bio, const char* bytes, int size) {
  auto& below = *static_cast<BioStream*>(BIO_get_data(bio));
  return told(bio, below, below.stream->write(std::string_view(bytes, static_cast<std::size_t>(size))));
}

// Nothing is kept back that a flush could send.
long on_control(BIO* /*bio*/, int command, long /*number*/, void* /*argument*/) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD* make_method() {
  BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "hipcache stream");
  if (method == nullptr) return nullptr;
  BIO_meth_set_read(method, on_read);
  BIO_meth_set_write(method, on_write);
  BIO_meth_set_ctrl(method, on_control);
  return method;
}

}  // namespace

BIO* make_stream_bio(BioStream& below) {
  static BIO_METHOD* const method = make_method();  // for as long as the process lives
  BIO* bio = method == nullptr ? nullptr : BIO_new(method);
  if (bio == nullptr) return nullptr;
  BIO_set_data(bio, &below);
  BIO_set_init(bio, 1);
  return bio;
}

}  // namespace hipcache::remote
