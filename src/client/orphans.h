// The children of our children. A compiler driver that is killed leaves its own children running; while an object of
// this kind lives they become ours, so that they can be ended too.
#ifndef HIPCACHE_SRC_CLIENT_ORPHANS_H
#define HIPCACHE_SRC_CLIENT_ORPHANS_H

namespace hipcache::client {

class Orphans {
 public:
  Orphans();
  ~Orphans();
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

  // Kills and reaps every child of this process, until there is none. REQUIRES: no other thread of ours has children.
  void end_all() const;
};

}  // namespace hipcache::client

#endif
