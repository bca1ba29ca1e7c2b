#include "client/steps/output_placer.h"

#include <cerrno>

#include "hipcache/launcher/place.h"

namespace hipcache::client {
namespace {

Status failed(const launch_failure& failure) {
  errno = failure.error;
  return system_error(failure.what, failure.path);
}

}  // namespace

Status place_outputs(const protocol::Finish& finish, const std::vector<UniqueFd>& descriptors) {
  std::vector<launch_output> outputs;
  std::size_t files = 0;
  for (const protocol::PlacedOutput& output : finish.outputs) {
    const bool carried = output.content.has_value();
    outputs.push_back({.path = output.path.c_str(),
                       .in_place = output.in_place,
                       .in_place_if_empty = output.in_place_if_empty,
                       .executable = output.executable,
                       .file = carried ? -1 : descriptors[files++].get(),
                       .bytes = carried ? output.content->data() : nullptr,
                       .size = carried ? output.content->size() : 0});
  }
  std::vector<const char*> removed;
  for (const std::string& path : finish.removed) removed.push_back(path.c_str());
  launch_failure failure{};
  if (!launch_place(outputs.data(), outputs.size(), &failure)) return failed(failure);
  if (!launch_remove(removed.data(), removed.size(), &failure)) return failed(failure);
  return done();
}

}  // namespace hipcache::client
