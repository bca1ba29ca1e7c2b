// Ends grandchildren of this process. A compiler driver that is killed leaves its own children running. While an
// Subreaper object lives, this process is a subreaper: such children become its own, so it can end them too.
//
// Not every child of this process belongs to a step. A shell's `job & exec hipcache ...` leaves its background job to
// this process. When that job ends, its children become children of this process, too. So a process is ended only if
// its environment shows that a step started it: each step has its own TMPDIR, which its processes inherit. A process
// that changed TMPDIR is left alone.
#ifndef HIPCACHE_SRC_CLIENT_STEPS_SUBREAPER_H
#define HIPCACHE_SRC_CLIENT_STEPS_SUBREAPER_H

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace hipcache::client {

// Which children belong to a step. Used by one thread at a time.
class Children {
 public:
  Children();  // children that exist now belong to no step

  // Adds an environment entry that only a step's processes have.
  void add_mark(std::string entry) { marks_.push_back(std::move(entry)); }

  bool is_ours(pid_t pid) const;

 private:
  std::vector<pid_t> inherited_;
  std::vector<std::string> marks_;
};

class Subreaper {
 public:
  explicit Subreaper(const Children& known);
  ~Subreaper();
  Subreaper(const Subreaper&) = delete;
  Subreaper& operator=(const Subreaper&) = delete;

  // Kills and reaps every child that belongs to a step, until there is none. REQUIRES: no other thread waits for
  // children.
  void end_all() const;

 private:
  const Children& known_;
};

}  // namespace hipcache::client

#endif
