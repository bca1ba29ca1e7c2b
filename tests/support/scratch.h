// A directory for one test, gone with it; and files in it, in a line each.
#ifndef HIPCACHE_TESTS_SUPPORT_SCRATCH_H
#define HIPCACHE_TESTS_SUPPORT_SCRATCH_H

#include <string>
#include <string_view>

namespace hipcache::support {

class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }
  // The directory stays when this goes.
  void keep() { kept_ = true; }

  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

  // Each makes the directories that are missing and returns the absolute path.
  std::string write(std::string_view name, std::string_view bytes) const;
  std::string make_directory(std::string_view name) const;
  std::string link(std::string_view name, std::string_view target) const;

 private:
  std::string path_;
  bool kept_ = false;
};

// The file's bytes; a failed expectation and "" if it cannot be read.
std::string read_bytes(const std::string& path);
bool exists(const std::string& path);

}  // namespace hipcache::support

#endif
