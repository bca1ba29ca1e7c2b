// What the commands of one step print, kept in memory: a full disk cuts no message short.
//
// The commands get two pipes as stdout and stderr, as they would from most build tools. Files were rejected: a disk may
// be full, and a compiler that is told to write to /dev/stdout replaces a file there, where it writes into a pipe. The
// pipes are read until the command has ended; a process that it leaves behind may hold them open and is not waited for.
// Memory is bounded by protocol::kTextLimit: what comes after that is read and forgotten, and leaves a doubt. Used by
// one thread.
#ifndef HIPCACHE_SRC_CLIENT_STEP_TEXTS_H
#define HIPCACHE_SRC_CLIENT_STEP_TEXTS_H

#include <sys/types.h>

#include <string>

#include "hipcache/base/files.h"
#include "hipcache/base/result.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::client {

class StepTexts {
 public:
  static Result<StepTexts> make();

  // The ends for the commands.
  int out() const { return out_.writer.get(); }
  int err() const { return err_.writer.get(); }

  // Takes in what is printed until the child has ended. Does not reap it.
  void follow(pid_t child);

  // Moves the texts into the report, or the doubt if they are not whole.
  void give(protocol::StepDone& report) &&;

 private:
  struct Stream {
    UniqueFd reader;  // not blocking
    UniqueFd writer;
    std::string text;
  };

  StepTexts(Stream out, Stream err) : out_(std::move(out)), err_(std::move(err)) {}

  static Result<Stream> make_stream();
  void take(Stream& stream);

  Stream out_;
  Stream err_;
  bool too_long_ = false;
};

}  // namespace hipcache::client

#endif
