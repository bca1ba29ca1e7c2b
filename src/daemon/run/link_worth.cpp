#include "daemon/run/link_worth.h"

#include <string.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "daemon/request/keys.h"
#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/inputs/file_clock.h"
#include "hipcache/inputs/frames.h"

namespace hipcache::daemon {

namespace {

using compiler::Making;
using compiler::Uncacheable;
using inputs::Refusal;
using inputs::WrittenOutput;

constexpr std::string_view kMagic = "!<arch>\n";
constexpr std::string_view kThinMagic = "!<thin>\n";
constexpr std::size_t kHeader = 60;

// A header field without its padding blanks.
std::string_view field(std::string_view header, std::size_t at, std::size_t size) {
  const std::string_view text = header.substr(at, size);
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

bool is_zero(std::string_view text) { return text.empty() || text == "0"; }

// The symbol index and the table of names; a thin archive holds their contents, too.
bool is_of_the_archive(std::string_view name) { return name == "/" || name == "//" || name == "/SYM64/"; }

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Absolute; empty if an input has the same name as the output.
std::string replaced_file(const Request& request) {
  const std::string linked = linked_file(request);
  if (linked.empty()) return "";
  const std::vector<std::string>& words = request.invocation.expanded;
  const auto names_it = [&](const std::string& word) { return base_name(word) == base_name(linked); };
  return std::count_if(words.begin() + 1, words.end(), names_it) <= 1 ? linked : "";
}

// The names of files that the command made in its temporary directory, which are random.
std::set<std::string> temporary_names(const std::vector<trace::Record>& records, const std::string& directory) {
  std::set<std::string> names{directory};
  for (const trace::Record& record : records)
    if (record.kind == trace::Kind::open_write && record.found && is_within(record.text, directory) &&
        record.text != directory)
      names.emplace(base_name(record.text));
  return names;
}

// A linker may record the names of its inputs. Some of these are random names of the driver's: objects of a source
// compiled on the way, or of link-time optimization.
std::optional<Refusal> temporary_name_in(const std::vector<CollectedOutput>& made,
                                         const std::vector<trace::Record>& records, const std::string& directory) {
  for (const std::string& name : temporary_names(records, directory))
    for (const CollectedOutput& output : made)
      if (memmem(output.bytes.data(), output.bytes.size(), name.data(), name.size()) != nullptr)
        return Refusal{Reason::prints_temporary_names, output.place + " holds " + name};
  return std::nullopt;
}

// A configuration or specs file may ask for a random id (--build-id=uuid). Compilers also read random numbers, but do
// not put them into outputs; a linker uses them only for ids.
bool draws_by_chance(const std::vector<trace::Record>& records) {
  const bool compiles = std::any_of(records.begin(), records.end(), [](const trace::Record& record) {
    const std::string_view name = base_name(record.text);
    return record.kind == trace::Kind::program && (name.starts_with("cc1") || name.starts_with("lto1"));
  });
  return !compiles && std::any_of(records.begin(), records.end(), [](const trace::Record& record) {
    return record.kind == trace::Kind::open_read && record.found && record.text == "/dev/urandom";
  });
}

std::optional<Refusal> refusal_of_linked(const std::vector<CollectedOutput>& made,
                                         const std::vector<trace::Record>& records, const RequestDirectory& directory) {
  if (draws_by_chance(records)) return Refusal{Reason::linker_option, "reads /dev/urandom"};
  return temporary_name_in(made, records, directory.path());
}

std::optional<Refusal> refusal_of_archive(const WrittenFiles& written, const std::vector<CollectedOutput>& made,
                                          const Request& request) {
  for (const CollectedOutput& output : made)
    if (holds_times(output.bytes)) return Refusal{Reason::archive_times, output.place};
  for (const WrittenOutput& file : written.files)
    if (file.path == request.updated.path && file.read_as != 0 && file.read_as != written.updated_as)
      return Refusal{Reason::input_changed, file.path};
  return std::nullopt;
}

std::uint64_t size_of_file(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
}

constexpr std::uint8_t kVersion = 2;
constexpr std::uint64_t kDay = 86'400ull * 1'000'000'000;

Digest note_key(const RequestContext& context) { return run_note_key(command_key(context.request)); }

}  // namespace

bool holds_times(std::string_view archive) {
  const bool is_thin = archive.starts_with(kThinMagic);
  if (!is_thin && !archive.starts_with(kMagic)) return true;
  for (std::size_t at = kMagic.size(); at < archive.size();) {
    const std::string_view header = archive.substr(at, kHeader);
    if (header.size() < kHeader || !header.ends_with("`\n")) return true;
    const auto size = number(field(header, 48, 10));
    if (!is_zero(field(header, 16, 12)) || !is_zero(field(header, 28, 6)) || !is_zero(field(header, 34, 6)))
      return true;
    const bool has_content = !is_thin || is_of_the_archive(field(header, 0, 16));
    if (!size || (has_content && *size > archive.size() - at - kHeader)) return true;
    at += kHeader + (has_content ? *size + *size % 2 : 0);
  }
  return false;
}

std::string linked_file(const Request& request) {
  if (request.invocation.opaque.making != Making::link) return "";
  return join_path(request.from.working_directory, request.invocation.object);
}

inputs::ReadAndWritten read_and_written(const Request& request) {
  return {.updated = request.updated.path, .replaced = replaced_file(request)};
}

std::optional<Refusal> too_large(const StepState& state, const std::vector<std::string>& paths,
                                 const RequestContext& context) {
  const Request& request = context.request;
  const bool is_step = state.spec().planned != nullptr;
  const bool is_compile = is_step || request.invocation.opaque.making == Making::compile;
  std::uint64_t bytes = 0;
  for (const std::string& path : paths) bytes += size_of_file(path);
  // A bundle takes no time and copies much, but the compile that it belongs to does not.
  const std::uint64_t duration_us = state.result.duration_us;
  const bool is_worth = is_step || (is_compile && bytes <= kUsualObject) ||
                        is_worth_storing(bytes, duration_us, is_compile ? 0 : request.settings.max_size);
  if (is_worth && bytes <= kOutputLimit) return std::nullopt;
  note_runs_alone(context,
                  {Reason::not_worth_storing, request.invocation.object + " was too large for the time it took"});
  return Refusal{Reason::not_worth_storing,
                 std::to_string(bytes >> 20) + " MiB in " + std::to_string(duration_us / 1000) + " ms"};
}

std::optional<Refusal> refusal_of_link(const WrittenFiles& written, const std::vector<CollectedOutput>& made,
                                       const StepContext& context) {
  switch (context.request.invocation.opaque.making) {
    case Making::compile:
      if (!context.request.invocation.opaque.may_show_temporary_names) return std::nullopt;
      return temporary_name_in(made, written.records, context.directory.path());
    case Making::link:
      return refusal_of_linked(made, written.records, context.directory);
    case Making::archive:
      return refusal_of_archive(written, made, context.request);
  }
  return std::nullopt;
}

void note_runs_alone(const RequestContext& context, const Uncacheable& why) {
  inputs::FrameWriter out;
  out.byte(kVersion).number(inputs::file_clock()()).text(text_of(why.reason)).text(why.detail);
  if (Status noted = context.services.store.put_action(note_key(context), std::move(out).bytes()); !noted)
    context.services.log.warning(context.of_object("cannot note how it runs: " + noted.error().message));
}

std::optional<Uncacheable> noted_to_run_alone(const RequestContext& context) {
  const Result<std::optional<std::string>> noted = context.services.store.action(note_key(context));
  if (!noted || !*noted) return std::nullopt;
  inputs::FrameReader in(**noted);
  if (in.byte() != kVersion) return std::nullopt;
  const std::uint64_t noted_at = in.number();
  Uncacheable why{reason_named(in.text()), std::string(in.text())};
  const std::uint64_t now = inputs::file_clock()();
  const bool counts = in.finished() && why.reason != Reason::none && noted_at <= now && now - noted_at < kDay;
  return counts ? std::optional(std::move(why)) : std::nullopt;
}

bool is_worth_storing(std::uint64_t bytes, std::uint64_t duration_us, std::uint64_t max_size) {
  if (max_size != 0 && bytes > max_size / kPartOfCache) return false;
  return bytes <= kAlwaysWorth ||
         bytes / kBytesPerSavedSecond * 1'000'000 + bytes % kBytesPerSavedSecond * 1'000'000 / kBytesPerSavedSecond <=
             duration_us;
}

std::optional<Uncacheable> not_worth_running(const RequestContext& context) {
  const compiler::Invocation& invocation = context.request.invocation;
  if (invocation.opaque.making == Making::compile) return std::nullopt;
  const std::string output = join_path(context.request.from.working_directory, invocation.object);
  if (size_of_file(output) > kLargeOutput)
    return Uncacheable{Reason::not_worth_storing, invocation.object + " replaces a large file"};
  return std::nullopt;
}

}  // namespace hipcache::daemon
