#include "client/request/delivery.h"

#include <cerrno>

#include "hipcache/launcher/place.h"

namespace hipcache::client {

Status deliver(const protocol::Finish& finish, const std::vector<UniqueFd>& descriptors) {
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
  const launch_delivery delivery{.outputs = outputs.data(),
                                 .output_count = outputs.size(),
                                 .removed = removed.data(),
                                 .removed_count = removed.size(),
                                 .out = {finish.stdout_text.data(), finish.stdout_text.size()},
                                 .err = {finish.stderr_text.data(), finish.stderr_text.size()}};
  launch_failure failure{};
  if (launch_deliver(&delivery, &failure)) return done();
  errno = failure.error;
  return system_error(failure.what, failure.path);
}

}  // namespace hipcache::client
