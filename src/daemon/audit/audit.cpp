#include "daemon/audit/audit.h"

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "hipcache/base/files.h"

namespace hipcache::daemon {

namespace {

constexpr const char* kDirectory = "audit";
constexpr std::size_t kDigits = 12;  // of the time and of the number, so that names sort by age

std::string padded(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(kDigits - std::min(kDigits, digits.size()), '0') + digits;
}

std::uint64_t seconds_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count());
}

Status write_file(const OwnDirectory& directory, const std::string& name, const std::string& bytes) {
  const Result<UniqueFd> file = directory.open_file(name, O_WRONLY | O_CREAT | O_EXCL);
  return file ? write_all(file->get(), bytes, join_path(directory.path(), name)) : Status(file.error());
}

// Writes a side if there is room for it.
Status write_side(const OwnDirectory& directory, const std::string& name, const std::optional<std::string>& bytes,
                  std::uint64_t& room) {
  if (!bytes || bytes->size() > room) return done();
  room -= bytes->size();
  return write_file(directory, name, *bytes);
}

// Nothing if there is no room for the bytes.
std::optional<std::string> bytes_of(const std::optional<Part>& side, std::uint64_t& room, store::Store& store) {
  if (!side || side->size > room) return std::nullopt;
  room -= side->size;
  if (side->text) return side->text;
  const Result<std::optional<std::string>> bytes = store.blob(side->digest);
  return bytes ? *bytes : std::nullopt;
}

std::vector<AuditEvidence::Pair> pairs_of(const std::vector<DifferentPart>& differences, store::Store& store) {
  std::vector<AuditEvidence::Pair> pairs;
  std::uint64_t room = AuditEvidence::kMostBytes;
  for (const DifferentPart& one : differences)
    pairs.push_back({.stored = bytes_of(one.stored, room, store), .made = bytes_of(one.made, room, store)});
  return pairs;
}

// What differs, one line for each. `exit_code`: of a run that failed; what is stored is a success.
std::vector<std::string> lines_of(const std::vector<DifferentPart>& differences, int exit_code,
                                  const Request& request) {
  std::vector<std::string> lines;
  for (const DifferentPart& one : differences) lines.push_back(to_text(one, local_place(one.part().place, request)));
  if (exit_code != 0) lines.push_back("exit code (stored 0, now " + std::to_string(exit_code) + ")");
  return lines;
}

// The result's name in the stores, and the shared cache that it came from.
struct Place {
  Digest result;
  std::string tier;
};

Place place_of(const Audited& audited, cache::ActionCache& actions) {
  const cache::Hit& stored = audited.stored;
  return {.result = cache::result_key(audited.key, stored.path_set->id(), stored.state),
          .tier = actions.origin(audited.key, stored)};
}

// An opaque command is not searched for its source.
std::string source_of(const Request& request) {
  const std::string& source = request.invocation.source;
  const std::string& directory = request.from.working_directory;
  return source.empty() ? "directory " + directory : "source " + join_path(directory, source);
}

std::string report_of(const Audited& audited, const Place& place, const std::vector<std::string>& lines,
                      const Request& request) {
  std::string report = "compile: " + audited.what + "\n" + source_of(request) + "\nkey: " + audited.key.value.hex() +
                       "\nresult: " + place.result.hex() +
                       "\nshared cache: " + (place.tier.empty() ? "none known" : place.tier) + "\n";
  for (std::size_t at = 0; at < lines.size(); ++at) report += std::to_string(at) + ": " + lines[at] + "\n";
  return report;
}

// Names what the owner of a shared cache needs to remove the result there.
std::string log_line_of(const Audited& audited, const Place& place, const std::vector<std::string>& lines,
                        const Request& request) {
  std::string line = audited.what + ": an audit found that the compiler makes something else now: ";
  for (std::size_t at = 0; at < lines.size(); ++at) line += (at == 0 ? "" : ", ") + lines[at];
  line += "; " + source_of(request) + ", key " + audited.key.value.hex() + ", result " + place.result.hex();
  if (!place.tier.empty()) line += ", from " + place.tier;
  return line + "; the entry is dropped";
}

}  // namespace

Result<std::string> AuditEvidence::keep(const Digest& key, const std::string& report, const std::vector<Pair>& pairs) {
  if (parent_ == nullptr) return Error{"there is no directory for it"};
  const std::lock_guard lock(mutex_);
  const Result<OwnDirectory> all = parent_->open_or_make_below(kDirectory);
  if (!all) return all.error();
  if (Status room = make_room(*all); !room) return room.error();
  const Result<OwnDirectory> directory =
      all->open_or_make_below(padded(seconds_now()) + "-" + padded(next_++) + "-" + key.shown());
  if (!directory) return directory.error();
  if (Status written = write_file(*directory, "report", report); !written) return written.error();
  std::uint64_t room = kMostBytes;
  for (std::size_t at = 0; at < pairs.size(); ++at) {
    const std::string number = std::to_string(at);
    if (Status written = write_side(*directory, number + "-stored", pairs[at].stored, room); !written)
      return written.error();
    if (Status written = write_side(*directory, number + "-made", pairs[at].made, room); !written)
      return written.error();
  }
  return directory->path();
}

// Removes the oldest, so that one more has room.
Status AuditEvidence::make_room(const OwnDirectory& all) {
  const Result<std::vector<std::string>> names = list_directory(all.anchored());
  if (!names) return names.error();
  for (std::size_t at = 0; at + kMostDirectories <= names->size(); ++at)
    if (Status removed = remove_tree(join_path(all.anchored(), (*names)[at])); !removed) return removed;
  return done();
}

Audit::Audit(const Request& request, const Services& services) : request_(request), services_(services) {
  if (!request.settings.recache) state_ = draw(request.settings.audit.value_or(0));
}

Audit::State Audit::draw(double share) const {
  if (!services_.audit_draw.draw(share)) return State::off;
  return !request_.settings.readonly && services_.job_slots.is_any_free() ? State::on : State::skipped;
}

Audit::~Audit() {
  if (has_taken_ || has_skipped_) services_.counters.audit_of_hit(outcome());
}

stats::AuditOutcome Audit::outcome() const {
  if (!has_taken_) return stats::AuditOutcome::skipped;
  if (differences_ > 0) return stats::AuditOutcome::different;
  return void_ > 0 || compared_ == 0 ? stats::AuditOutcome::void_audit : stats::AuditOutcome::equal;
}

bool Audit::takes_hit(const cache::Hit& stored) {
  const bool is_by_tokens = stored.is_by_tokens();
  State state = state_;
  if (is_by_tokens && state == State::off && !request_.settings.audit) state = draw(config::kAuditedTokenHits);
  has_taken_ = has_taken_ || state == State::on;
  has_skipped_ = has_skipped_ || state == State::skipped;
  if (is_by_tokens && state != State::on) services_.counters.token_hit();
  return state == State::on;
}

bool Audit::takes_request(const cache::Hit& stored) {
  if (!takes_hit(stored)) return false;
  state_ = State::on;
  request_hit_ = stored;
  return true;
}

bool Audit::compare(const Audited& audited, cache::ActionResult made, int exit_code, const RequestContext& context) {
  if (!has_same_inputs(audited, context)) return true;
  ++compared_;
  if (exit_code != 0) made.outputs = audited.stored.result.outputs;  // a failed run leaves none
  const std::vector<DifferentPart> differences = differences_of(parts_of(audited.stored.result), parts_of(made));
  if (differences.empty() && exit_code == 0) return true;
  note_difference(audited, differences, exit_code, context);
  return false;
}

void Audit::note_void(const std::string& what, const std::string& why) {
  ++void_;
  services_.log.info(what + ": its audit is void: " + why);
}

bool Audit::has_same_inputs(const Audited& audited, const RequestContext& context) {
  const cache::Hit& stored = audited.stored;
  if (services_.file_system.state(*stored.path_set, context.request.from) == stored.state) return true;
  note_void(audited.what, "an input changed while it ran");
  return false;
}

void Audit::note_difference(const Audited& audited, const std::vector<DifferentPart>& differences, int exit_code,
                            const RequestContext& context) {
  ++differences_;
  const Place place = place_of(audited, services_.actions);
  const std::vector<std::string> lines = lines_of(differences, exit_code, context.request);
  services_.log.error(log_line_of(audited, place, lines, context.request));
  services_.counters.error();
  const Result<std::string> kept = services_.audit_evidence.keep(
      place.result, report_of(audited, place, lines, context.request), pairs_of(differences, services_.store));
  services_.log.warning(kept ? audited.what + ": both results are kept in " + *kept
                             : "the evidence of an audit is not kept: " + kept.error().message);
  if (Status dropped = services_.actions.drop(audited.key, audited.stored); !dropped)
    services_.log.error(audited.what + ": the entry could not be dropped: " + dropped.error().message);
  if (audited.stored.is_by_tokens()) switch_off_token_hits(audited.what, kept);
}

// A source's bytes at the time of the recording are known to the user alone.
void Audit::switch_off_token_hits(const std::string& what, const Result<std::string>& kept) {
  const std::string found = what + (kept ? ", both results in " + *kept : "");
  services_.token_hits.switch_off(found);
  services_.log.error(what + ": the hit was one by tokens; this daemon takes no more of them. Please report " +
                      (kept ? *kept + ", " : "") +
                      "the command, and the sources as they are and as they were; hipcache --stop-server ends this");
}

}  // namespace hipcache::daemon
