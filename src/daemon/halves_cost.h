// What the halves of a device step cost (plan.h, Halves), as far as it was measured, and whether to run them apart.
//
// The problem: apart they cost a process more, and the bitcode's way through a file; and spare the back end where the
// bitcode comes out as before. What a unit's back end takes differs by a factor of a thousand, and nothing in its
// command says so. The choice: the first run is in two, by one start of the compiler, which tells what each half takes;
// that is kept under the step's key, and who compiles it again goes by it. Rejected: a setting; the time between two
// calls of the compiler's, none of which lies between its halves; time on the clock, which says more of the machine's
// load.
#ifndef HIPCACHE_DAEMON_HALVES_COST_H
#define HIPCACHE_DAEMON_HALVES_COST_H

#include <cstdint>
#include <string>
#include <string_view>

#include "hipcache/base/result.h"

namespace hipcache::daemon {

class HalvesCost {
 public:
  // Both ran in one process, for so many microseconds of processor time in all.
  void ran_as_one(std::uint64_t whole_us);
  // The front end ran by itself, and the back end had to run, or what it would make was stored.
  void ran_apart(std::uint64_t front_us, std::uint64_t back_us);
  void spared_back(std::uint64_t front_us);
  // The back end has something to say, or fails where the compiler as a whole may not: not tried again.
  void refuse() { refused_ = true; }

  // Whether the step was run before, in whichever way.
  bool is_known() const { return refused_ || front_us_ + back_us_ > 0; }
  // Whether the next run is to be in two, by what is known.
  bool pays() const;

  bool operator==(const HalvesCost&) const = default;

  std::string encode() const;
  static Result<HalvesCost> decode(std::string_view bytes);

 private:
  std::uint64_t front_us_ = 0;
  std::uint64_t back_us_ = 0;
  std::uint64_t apart_ = 0;   // runs
  std::uint64_t spared_ = 0;  // of them without the back end
  bool refused_ = false;
};

}  // namespace hipcache::daemon

#endif
