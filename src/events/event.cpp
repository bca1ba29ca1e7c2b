#include "hipcache/events/event.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <concepts>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

namespace hipcache::events {

namespace {

// Takes the values of macros out of texts. A user may hand a secret to a compile as -DTOKEN=...

constexpr std::array<std::string_view, 2> kOptions{"--define-macro", "-D"};

bool begins_word(std::string_view text, std::size_t at) {
  return at == 0 || std::string_view(" ,=\"'\n\t").find(text[at - 1]) != std::string_view::npos;
}

bool is_of_name(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

// The place after "NAME=" or "NAME(x)=" at `at`; 0 if none begins there.
std::size_t end_of_name(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_of_name(text[end])) ++end;
  if (end == at) return 0;
  if (end < text.size() && text[end] == '(') end = std::min(text.find(')', end), text.size() - 1) + 1;
  return end < text.size() && text[end] == '=' ? end + 1 : 0;
}

using DefinitionAt = std::size_t(std::string_view text, std::size_t at);

// The length of "-DNAME=" at that place; 0 if none begins there.
std::size_t definition_at(std::string_view text, std::size_t at) {
  if (!begins_word(text, at)) return 0;
  for (const std::string_view option : kOptions) {
    if (text.substr(at, option.size()) != option) continue;
    std::size_t end = at + option.size();
    if (end < text.size() && (text[end] == ' ' || text[end] == '=')) ++end;
    if (const std::size_t value = end_of_name(text, end); value > 0) return value - at;
  }
  return 0;
}

// The same for "NAME=" as well.
std::size_t value_at(std::string_view text, std::size_t at) {
  if (const std::size_t length = definition_at(text, at); length > 0) return length;
  const bool begins = at == 0 || text[at - 1] == ' ';
  const std::size_t value = begins ? end_of_name(text, at) : 0;
  return value > 0 ? value - at : 0;
}

// A value may contain blanks, and the text does not tell where the argument ends. So it ends where an
// option seems to begin.
std::string without(DefinitionAt* begin, std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = begin(text, at);
    if (length == 0) {
      shown += text[at++];
      continue;
    }
    shown.append(text, at, length).append("...");
    at = std::min(text.find(" -", at + length), text.size());
  }
  return shown;
}

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kVersion = 1;

std::string cut(const std::string& text) {
  return text.size() <= kMostText ? text : text.substr(0, kMostText - 3) + "...";
}

// Constant when it is written, else when it is read.
template <typename Event, typename Kind>
concept Either = std::same_as<std::remove_const_t<Event>, Kind>;

// The fields of each event, once for both directions. `fields`: a Writer or a Reader.

void list_fields(Either<RequestEvent> auto& event, auto& fields) {
  fields.text("id", event.id);
  fields.number("start_us", event.start_us);
  fields.number("duration_us", event.duration_us);
  fields.text("outcome", event.outcome);
  fields.text("kind", event.kind);
  fields.text("object", event.object);
  fields.text("source", event.source);
  fields.text("directory", event.directory);
  fields.list("archs", event.archs);
  fields.number("exit_code", event.exit_code);
  fields.number("bytes", event.bytes);
  fields.number("saved_us", event.saved_us);
  fields.number("processor_saved_us", event.processor_saved_us);
  fields.list("steps", event.steps);
  fields.text("reason", event.reason);
  fields.text("detail", event.detail);
}

void list_fields(Either<StepEvent> auto& event, auto& fields) {
  fields.text("request", event.request);
  fields.number("start_us", event.start_us);
  fields.number("duration_us", event.duration_us);
  fields.text("outcome", event.outcome);
  fields.text("kind", event.kind);
  fields.text("label", event.label);
  fields.text("arch", event.arch);
  fields.number("bytes", event.bytes);
  fields.number("saved_us", event.saved_us);
  fields.number("processor_saved_us", event.processor_saved_us);
  fields.number("header_saved_us", event.header_saved_us);
  fields.flag("waited", event.has_waited);
  fields.list("why", event.why);
  fields.number("more", event.more);
  fields.flag("gone", event.is_gone);
  fields.text("not_stored", event.not_stored);
  auto& engine = event.engine;
  fields.text("engine", engine.outcome);
  fields.text("engine_reason", engine.reason);
  fields.text("engine_detail", engine.detail);
  fields.text("worker", engine.worker);
  fields.number("bytes_sent", engine.bytes_sent);
  fields.number("bytes_received", engine.bytes_received);
  fields.number("whole_us", engine.whole_us);
  fields.number("queue_us", engine.queue_us);
  fields.number("staging_us", engine.staging_us);
  fields.number("execution_us", engine.execution_us);
}

void list_fields(Either<EvictionEvent> auto& event, auto& fields) {
  fields.number("time_us", event.time_us);
  fields.number("values", event.values);
  fields.number("bytes", event.bytes);
  fields.number("max_size", event.max_size);
}

void list_fields(Either<ZeroEvent> auto& event, auto& fields) { fields.number("time_us", event.time_us); }

class Writer {
 public:
  explicit Writer(const char* event) : json_{{"v", kVersion}, {"event", event}} {}

  void text(const char* name, const std::string& value) {
    if (!value.empty()) json_[name] = cut(value);
  }
  template <typename Number>
  void number(const char* name, Number value) {
    if (value != 0) json_[name] = value;
  }
  void flag(const char* name, bool value) {
    if (value) json_[name] = true;
  }
  void list(const char* name, const std::vector<std::string>& values) {
    if (values.empty()) return;
    ordered_json& array = json_[name] = ordered_json::array();
    for (const std::string& value : values) {
      if (array.size() == kMostListed) break;
      array.push_back(cut(value));
    }
  }

  std::string line() const { return json_.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n"; }

 private:
  ordered_json json_;
};

// A field of another type makes the line a damaged one.
class Reader {
 public:
  explicit Reader(const json& line) : json_(line) {}

  void text(const char* name, std::string& into) {
    if (const json* value = find(name, &json::is_string)) into = value->get<std::string>();
  }
  void number(const char* name, std::uint64_t& into) {
    if (const json* value = find(name, &json::is_number_unsigned)) into = value->get<std::uint64_t>();
  }
  void number(const char* name, int& into) {
    if (const json* value = find(name, &json::is_number_integer)) into = value->get<int>();
  }
  void flag(const char* name, bool& into) {
    if (const json* value = find(name, &json::is_boolean)) into = value->get<bool>();
  }
  void list(const char* name, std::vector<std::string>& into) {
    const json* values = find(name, &json::is_array);
    if (values == nullptr) return;
    for (const json& value : *values) {
      if (!value.is_string()) wrong_ = name;
      if (value.is_string()) into.push_back(value.get<std::string>());
    }
  }

  const char* wrong() const { return wrong_; }  // the name of such a field, or null

 private:
  const json* find(const char* name, bool (json::*is_right)() const noexcept) {
    const auto found = json_.find(name);
    if (found == json_.end()) return nullptr;
    if (((*found).*is_right)()) return &*found;
    wrong_ = name;
    return nullptr;
  }

  const json& json_;
  const char* wrong_ = nullptr;
};

template <typename Kind>
Result<Event> read(const json& line) {
  Kind event;
  Reader reader(line);
  list_fields(event, reader);
  if (reader.wrong() != nullptr) return Error{std::string("event: ") + reader.wrong() + " has another type"};
  return Event(std::move(event));
}

}  // namespace

std::string without_macro_values(std::string_view text) { return without(definition_at, text); }

std::string without_values(std::string_view arguments) { return without(value_at, arguments); }

std::string to_line(const Event& event) {
  return std::visit(
      [](const auto& one) {
        Writer writer(one.kEvent);
        list_fields(one, writer);
        return writer.line();
      },
      event);
}

Result<Event> from_line(std::string_view line) {
  const json root = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object()) return Error{"event: not a JSON object"};
  const auto version = root.find("v");
  if (version == root.end() || *version != kVersion) return Error{"event: of another version"};
  const auto event = root.find("event");
  if (event == root.end() || !event->is_string()) return Error{"event: of no kind"};
  const auto& kind = event->get_ref<const std::string&>();
  if (kind == RequestEvent::kEvent) return read<RequestEvent>(root);
  if (kind == StepEvent::kEvent) return read<StepEvent>(root);
  if (kind == EvictionEvent::kEvent) return read<EvictionEvent>(root);
  if (kind == ZeroEvent::kEvent) return read<ZeroEvent>(root);
  return Error{"event: of an unknown kind"};
}

std::uint64_t now_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

}  // namespace hipcache::events
