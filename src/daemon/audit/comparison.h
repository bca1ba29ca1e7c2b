// Compares what the compiler made one way with what it made another way: two results of a step or of a request, or two
// plans of a command.
//
// Problem: four places ask whether the compiler does the same twice: the audit of a hit, the audit of a device step in
// two processes, the audit of a plan under neutral names, and a wrapper that is asked in two ways.
// Choice: a result and a plan are lists of named parts, each with a digest, and one function compares two such lists.
// So each of the four can say what differs. Rejected: an equality for each type, because it says only that something
// differs, and nobody can look for the cause.
#ifndef HIPCACHE_SRC_DAEMON_AUDIT_COMPARISON_H
#define HIPCACHE_SRC_DAEMON_AUDIT_COMPARISON_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::daemon {

struct Part {
  std::string what;   // an output's name ("object"), "stdout", "stderr", or a plan's job: "job 2 (device gfx906)"
  std::string place;  // an output's, as stored; empty if it has none
  Digest digest;
  std::uint64_t size = 0;
  bool executable = false;
  std::optional<std::string> text = {};  // of messages; the bytes of an output are in the store
};

// What the user would get of a result: all outputs by name, place, content and mode, and the messages. Depfiles are
// outputs. Left out: the time that the run took, and how an existing file is written over, which depends on the file.
std::vector<Part> parts_of(const cache::ActionResult& result);

// What a plan runs and prints: each job with its commands, its files and its proof, and the driver's messages.
std::vector<Part> parts_of(const hip::Plan& plan);

// One part that differs. At least one side has it.
struct DifferentPart {
  std::optional<Part> stored, made;

  const Part& part() const { return stored ? *stored : *made; }
};

// Empty if both are equal. The order of the parts does not count.
std::vector<DifferentPart> differences_of(const std::vector<Part>& stored, const std::vector<Part>& made);

// "object a.o (stored 0123456789abcdef, made now fedcba9876543210)", for the log.
std::string to_text(const DifferentPart& difference, const std::string& place);

}  // namespace hipcache::daemon

#endif
