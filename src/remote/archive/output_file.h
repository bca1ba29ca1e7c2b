// The file that an export writes: under a temporary name, and renamed when it is whole. So nobody reads a part, and a
// failed export leaves the earlier file. A signal that ends the program removes the temporary file.
//
// What is no plain file (a pipe, /dev/null) is written in place. One object at a time.
#ifndef HIPCACHE_SRC_REMOTE_ARCHIVE_OUTPUT_FILE_H
#define HIPCACHE_SRC_REMOTE_ARCHIVE_OUTPUT_FILE_H

#include <string>

#include "hipcache/base/files.h"
#include "hipcache/base/result.h"

namespace hipcache::remote {

class OutputFile {
 public:
  // "-": standard output.
  static Result<OutputFile> open(const std::string& path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  int fd() const { return file_.get(); }
  // Gives the file its name.
  Status keep();

 private:
  OutputFile(UniqueFd file, std::string temporary, std::string path)
      : file_(std::move(file)), temporary_(std::move(temporary)), path_(std::move(path)) {}

  UniqueFd file_;
  std::string temporary_;  // empty: written in place
  std::string path_;
};

}  // namespace hipcache::remote

#endif
