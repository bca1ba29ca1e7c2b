// The output of one step's commands, kept in memory, so that a full disk cannot truncate messages.
//
// The commands get two pipes as stdout and stderr, as from most build tools. Files were rejected: a disk may be full,
// and a compiler that writes to /dev/stdout replaces a file but writes into a pipe. The pipes are read until the
// command has ended. A process that the command leaves behind may hold the pipes open, and nothing waits for it. The
// pipes are marked, so that the trace library answers what a command asks of a terminal there
// (hipcache/base/stream_marks.h).
// protocol::kTextLimit bounds the memory: text beyond the limit is read and dropped, and leaves a doubt. Used by one
// thread.
#ifndef HIPCACHE_SRC_CLIENT_STEPS_STEP_MESSAGES_H
#define HIPCACHE_SRC_CLIENT_STEPS_STEP_MESSAGES_H

#include <sys/types.h>

#include <string>

#include "hipcache/base/files.h"
#include "hipcache/base/result.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::client {

// What the dynamic loader prints about our trace library where it cannot load it.
//
// The problem: a wrapper may run the compiler in a container or chroot without the library, and a tool may be a 32-bit
// program. The loader then prints an error for each such program, and goes on. The compiler alone prints none, so the
// user and a configure script would see errors that hipcache caused. The choice: the lines are removed from a step's
// messages. Rejected: a library for each kind of program ("$LIB" in LD_PRELOAD), which does not help in containers.

// Removes the lines of do_preload() in glibc's elf/rtld.c about that library. It writes each at once and untranslated.
// Errors about other preloaded libraries stay.
void remove_loader_errors(std::string& messages, const std::string& library);

class StepTexts {
 public:
  // `one_file`: the user's standard output and standard error are one file.
  static Result<StepTexts> make(bool one_file);

  // The write ends, for the commands.
  int out() const { return out_.writer.get(); }
  int err() const { return err_.writer.get(); }

  // Reads what the child prints until it has ended. Does not reap it.
  void follow(pid_t child);

  // Moves the texts into the report, or sets the doubt if they are incomplete. If the user gets both in one file, and
  // their order is not the usual one, all is text of standard output.
  void give(protocol::StepDone& report) &&;

 private:
  struct Stream {
    UniqueFd reader;  // not blocking
    UniqueFd writer;
    std::string text;
  };

  StepTexts(Stream out, Stream err, bool one_file) : out_(std::move(out)), err_(std::move(err)), one_file_(one_file) {}

  static Result<Stream> make_stream(int mark);
  void take(Stream& stream);

  Stream out_;
  Stream err_;
  bool too_long_ = false;
  bool one_file_;
  std::string in_order_;  // both texts, if the user gets them in one file
  bool mixed_ = false;    // standard output may have come after standard error
};

}  // namespace hipcache::client

#endif
