#include "remote/reapi/action_key.h"

#include <string>

#include "remote/reapi/methods.h"

namespace hipcache::remote {
namespace {

constexpr const char* kVersion = "1";  // of the layout; the values have versions of their own

const char* word_of(ActionKind kind) {
  switch (kind) {
    case ActionKind::list:
      return "list";
    case ActionKind::result:
      return "result";
    case ActionKind::blob:
      return "blob";
  }
  return "";
}

}  // namespace

// Without map fields, protobuf writes equal messages as equal bytes: fields in the order of their numbers.
ActionKey make_action_key(const std::string& prefix, ActionKind kind, const Digest& key, unsigned slot) {
  wire::Command command;
  command.add_arguments("hipcache");
  command.add_arguments(kVersion);
  command.add_arguments(prefix);
  command.add_arguments(word_of(kind));
  command.add_arguments(key.hex());
  command.add_arguments(std::to_string(slot));
  ActionKey made;
  made.command = command.SerializeAsString();
  wire::Action action;
  set(*action.mutable_command_digest(), blob_name_of(made.command));
  set(*action.mutable_input_root_digest(), blob_name_of(""));  // an empty directory
  made.action = action.SerializeAsString();
  made.name = blob_name_of(made.action);
  return made;
}

unsigned slot_of(const Digest& path_set) { return static_cast<unsigned char>(path_set.bytes().back()) % kSlots; }

}  // namespace hipcache::remote
