#include "client/output_placer.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace hipcache::client {
namespace {

bool is_replaceable(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return errno == ENOENT;
  return S_ISREG(status.st_mode) && access(path.c_str(), W_OK) == 0;
}

// As clang's driver does with the output of a job that failed.
Status remove_output(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return done();
  if (!S_ISREG(status.st_mode) || access(path.c_str(), W_OK) != 0) return done();
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return system_error("cannot remove", path);
  return done();
}

Status place(int bytes, const protocol::PlacedOutput& output) {
  const mode_t mode = output.executable ? kProgramMode : kFileMode;
  return output.in_place ? overwrite_file(bytes, output.path, mode) : place_file(bytes, output.path, mode);
}

}  // namespace

Status place_outputs(const protocol::Finish& finish, const std::vector<UniqueFd>& descriptors) {
  for (const protocol::PlacedOutput& output : finish.outputs)
    if (!is_replaceable(output.path)) return Error{"cannot replace " + output.path + ": not a file to be written"};
  for (std::size_t index = 0; index < finish.outputs.size(); ++index)
    if (Status placed = place(descriptors[index].get(), finish.outputs[index]); !placed) return placed;
  for (const std::string& path : finish.removed)
    if (Status removed = remove_output(path); !removed) return removed;
  return done();
}

}  // namespace hipcache::client
