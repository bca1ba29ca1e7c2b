// The children of our children. A compiler driver that is killed leaves its own children running; while an object of
// this kind lives they become ours, so that they can be ended too.
//
// Not every child of this process is of a step: a shell's `job & exec hipcache ...` leaves its background job to us,
// and that job's children become ours when it ends. So a process is ended only if a step started it, as its environment
// tells: each step has a TMPDIR of its own, which all that it starts inherits. A process that changed it is left alone.
#ifndef HIPCACHE_SRC_CLIENT_ORPHANS_H
#define HIPCACHE_SRC_CLIENT_ORPHANS_H

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace hipcache::client {

// Which children are of a step. Used by one thread at a time.
class Children {
 public:
  Children();  // those that there are now are not

  // An entry of the environment that only steps have.
  void add_mark(std::string entry) { marks_.push_back(std::move(entry)); }

  bool is_ours(pid_t pid) const;

 private:
  std::vector<pid_t> inherited_;
  std::vector<std::string> marks_;
};

class Orphans {
 public:
  explicit Orphans(const Children& known);
  ~Orphans();
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

  // Kills and reaps every process of a step that is a child of this one, until there is none. REQUIRES: no other thread
  // of ours waits for children.
  void end_all() const;

 private:
  const Children& known_;
};

}  // namespace hipcache::client

#endif
