// One line on a terminal that is written over and over. Silent elsewhere.
#ifndef HIPCACHE_SRC_REMOTE_ARCHIVE_PROGRESS_H
#define HIPCACHE_SRC_REMOTE_ARCHIVE_PROGRESS_H

#include <chrono>
#include <string>

namespace hipcache::remote {

class Progress {
 public:
  Progress();
  // Removes the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows the line, unless another one was shown just now.
  void show(const std::string& line);

 private:
  const bool is_terminal_;
  std::chrono::steady_clock::time_point shown_;
  bool is_shown_ = false;
};

}  // namespace hipcache::remote

#endif
