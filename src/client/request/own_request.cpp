#include "hipcache/client/own_request.h"

#include <climits>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/launcher/compiler.h"
#include "hipcache/launcher/request.h"

namespace hipcache::client {

Result<std::vector<std::string>> with_real_compiler(std::vector<std::string> argv) {
  std::vector<char*> words;
  for (std::string& word : argv) words.push_back(word.data());
  words.push_back(nullptr);
  launch_command command;
  launch_find_compiler(words.data(), &command);
  if (command.words == nullptr) return Error{command.problem};
  std::vector<std::string> real;
  for (char** word = command.words; *word != nullptr; ++word) real.emplace_back(*word);
  return real;
}

Result<protocol::CompileRequest> own_request(std::vector<std::string> argv) {
  char directory[PATH_MAX];
  launch_request own{};
  if (!launch_own_request(nullptr, directory, &own)) return system_error("cannot find", "the current directory");
  protocol::CompileRequest request;
  request.build = own.build;
  request.argv = std::move(argv);
  for (char* const* entry = own.environment; entry != nullptr && *entry != nullptr; ++entry)
    request.environment.emplace_back(*entry);
  request.working_directory = own.directory;
  request.mount_view = {own.view.mount_namespace, own.view.root_device, own.view.root_inode};
  request.umask = own.umask;
  request.streams = own.streams;
  return request;
}

}  // namespace hipcache::client
