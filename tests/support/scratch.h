// A directory for one test, removed with the object, and functions that make files in it.
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
  // Keeps the directory when this object is destroyed.
  void keep() { kept_ = true; }

  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

  // Each makes missing directories and returns the absolute path.
  std::string write(std::string_view name, std::string_view bytes) const;
  std::string make_directory(std::string_view name) const;
  std::string link(std::string_view name, std::string_view target) const;

 private:
  std::string path_;
  bool kept_ = false;
};

// The file's bytes. If the file cannot be read, a failed expectation and "".
std::string read_bytes(const std::string& path);
bool exists(const std::string& path);

}  // namespace hipcache::support

#endif
