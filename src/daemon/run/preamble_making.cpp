#include "daemon/run/preamble_making.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "daemon/request/keys.h"
#include "daemon/run/collected_output.h"
#include "daemon/run/output_recorder.h"
#include "daemon/run/plain_run.h"
#include "daemon/run/relocatability.h"
#include "daemon/shared/preambles.h"
#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/base/text.h"

namespace hipcache::daemon {
namespace {

constexpr std::uint64_t kHeaderLimit = 256u << 20;
constexpr std::uint64_t kDepfileLimit = 16u << 20;
constexpr std::size_t kMostTried = 24;  // orders; all of four declarations

// The proof's compile, which is no step of its own.
StepSpec proof_of(const hip::StepCommand& command, const StepSpec& whole, const StepContext& context) {
  StepSpec spec;
  spec.label = whole.label + " proof";
  spec.commands = {{command.program, hip::in_directory(command.argv, context.directory.path())}};
  spec.is_proof = true;
  return spec;
}

StepSpec make_spec(const hip::Preamble& preamble, const StepContext& context) {
  return spec_of(*preamble.make, {}, context.request, context.directory.path());
}

// Clang up to 15 writes into a header where it lies, and looks there for files that are gone. The name has as many
// characters, and no directory has it.
std::string other_directory(const std::string& directory) { return "/" + std::string(directory.size() - 1, '-'); }

bool is_of_host(const hip::Preamble& preamble) { return preamble.make->arch.name.empty(); }

// The usual order first, then all, as far as they are tried. Before one is known, the reverse is tried first for a
// device: clang 15 and 19 need it for the two functions that the wrapper defines there. The host defines neither.
std::vector<std::vector<std::size_t>> orders_of(std::size_t count, bool is_host, const Preambles& preambles) {
  std::vector<std::vector<std::size_t>> orders;
  std::vector<std::size_t> usual = preambles.usual_order(is_host, count);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto next = [&] {
    return is_host ? std::next_permutation(order.begin(), order.end())
                   : std::prev_permutation(order.begin(), order.end());
  };
  if (!is_host) std::reverse(order.begin(), order.end());
  do {
    if (usual.empty() || order != usual) orders.push_back(order);
  } while (orders.size() < kMostTried && next());
  if (!usual.empty()) orders.insert(orders.begin(), std::move(usual));
  return orders;
}

}  // namespace

Digest place_of(const cache::ActionKey& header, const RequestContext& context) {
  return Hasher("header of a build").field(header.value).field(cost_group_key(context.request)).finish();
}

std::optional<cache::Hit> stored_preamble(const cache::ActionKey& header, const RequestContext& context) {
  const cache::Suffices suffices = [&](const cache::ActionResult& stored) {
    const cache::Output* bytes = stored.output(hip::kPreamble);
    return bytes != nullptr && stored.output(hip::kPreambleDepfile) != nullptr &&
           stored.output(hip::kPreambleSaves) != nullptr && !context.services.preambles.is_refuted(bytes->blob);
  };
  return context.look_up(header, suffices);
}

bool has_succeeded(const protocol::StepDone& report) {
  return report.exit_code == 0 && report.spawn_error.empty() && report.doubt.empty();
}

bool is_silent(const protocol::StepDone& report) { return report.stdout_text.empty() && report.stderr_text.empty(); }

PreambleMaking::PreambleMaking(const hip::Preamble& preamble, const StepContext& context)
    : preamble_(preamble),
      context_(context),
      services_(context.services),
      step_(make_spec(preamble, context)),
      plain_(proof_of(preamble.plain, step_.spec(), context)),
      with_(proof_of(preamble.with, step_.spec(), context)),
      place_(place_of(step_.spec().key, context)) {}

PreambleMaking::~PreambleMaking() {
  if (!has_ended_) services_.preambles.note_left(place_);
}

Status PreambleMaking::prepare() { return prepare_plainly(step_, context_); }

PreambleMaking::Then PreambleMaking::in_vain(std::string why) {
  why_vain_ = std::move(why);
  return Then::in_vain;
}

PreambleMaking::Then PreambleMaking::take_in(const protocol::StepDone& report) {
  cost_us_ += report.processor_us;
  const Then then = part_ == &step_ ? take_header(report) : part_ == &plain_ ? take_plain(report) : take_with(report);
  if (then != Then::next_part) conclude(then);
  return then;
}

void PreambleMaking::conclude(Then then) {
  has_ended_ = true;
  if (context_.observer != nullptr) context_.observer->step_ended(step_, clock_, then == Then::made);
  if (then == Then::in_vain) return services_.preambles.note_vain(place_, why_vain_);
  services_.counters.preamble_made();
  services_.preambles.note_order(is_of_host(preamble_), orders_[at_]);
  services_.preambles.note_made(place_, cost_us_);
}

PreambleMaking::Then PreambleMaking::take_header(const protocol::StepDone& report) {
  if (Status status = take_status(step_, report, context_); !status) return in_vain(status.error().message);
  if (!has_succeeded(report)) return in_vain("the compiler does not make it: " + said_by_failure(step_.result));
  if (!is_silent(report)) return in_vain("the compiler prints something when it makes it");
  Result<std::string> bytes = read_file(context_.directory.file(preamble_.header), kHeaderLimit);
  if (!bytes) return in_vain(bytes.error().message);
  std::optional<std::vector<compiler::BitRange>> places = compiler::eager_declarations(*bytes);
  if (!places) return in_vain("the compiler's form of a precompiled header is not known");
  report_ = report;
  bytes_ = replace_all(std::move(*bytes), context_.directory.path(), other_directory(context_.directory.path()));
  places_ = std::move(*places);
  orders_ = orders_of(places_.size(), is_of_host(preamble_), services_.preambles);
  part_ = &plain_;
  return Then::next_part;
}

PreambleMaking::Then PreambleMaking::take_plain(const protocol::StepDone& report) {
  if (!has_succeeded(report)) return in_vain("its proof does not compile");
  Result<std::string> bytes = read_file(context_.directory.file(preamble_.plain_output), kHeaderLimit);
  if (!bytes) return in_vain(bytes.error().message);
  plain_bytes_ = std::move(*bytes);
  plain_us_ = report.processor_us;
  return try_order();
}

PreambleMaking::Then PreambleMaking::try_order() {
  const Status written = replace_file(context_.directory.file(preamble_.header),
                                      compiler::with_eager_order(bytes_, places_, orders_[at_]));
  if (!written) return in_vain(written.error().message);
  part_ = &with_;
  return Then::next_part;
}

PreambleMaking::Then PreambleMaking::take_with(const protocol::StepDone& report) {
  if (!has_succeeded(report)) return in_vain("its proof does not compile with it");
  const Result<std::string> bytes = read_file(context_.directory.file(preamble_.with_output), kHeaderLimit);
  if (!bytes) return in_vain(bytes.error().message);
  if (*bytes != plain_bytes_) {
    if (++at_ < orders_.size()) return try_order();
    return in_vain("the compiler makes something else with it");
  }
  step_.result.duration_us = 0;  // no run takes the place of this one, so a hit saves nothing by itself
  const std::uint64_t saves_us = plain_us_ - std::min(plain_us_, report.processor_us);
  return saves_us == 0 ? in_vain("it saves nothing") : keep_header(saves_us);
}

// The bytes hide names, so the header is kept to the roots that the command names or that were looked at. The id of no
// unit is in its command.
PreambleMaking::Then PreambleMaking::keep_header(std::uint64_t saves_us) {
  Result<std::string> depfile = read_file(context_.directory.file(step_.spec().outputs[1].name), kDepfileLimit);
  if (!depfile) return in_vain(depfile.error().message);
  std::vector<CollectedOutput> outputs;
  outputs.push_back({.role = hip::kPreamble, .bytes = compiler::with_eager_order(bytes_, places_, orders_[at_])});
  outputs.push_back({.role = hip::kPreambleDepfile, .bytes = std::move(*depfile)});
  outputs.push_back({.role = hip::kPreambleSaves, .bytes = std::to_string(saves_us)});
  if (services_.preambles.is_refuted(digest_of(outputs.front().bytes))) return in_vain("it was found wrong");
  if (names_directory(outputs, context_.directory)) return in_vain("it names temporary files");
  Relocatability ties = relocatability_of(step_.spec(), outputs, step_.result, context_.request.from);
  ties.roots.hidden = true;
  ties.cuid = false;
  take_trace(step_, report_, ties, inputs::kNoSources, context_);
  if (!keep(step_, std::move(outputs), context_))
    return in_vain(text_of(step_.result.refusal.reason) + std::string(" ") + step_.result.refusal.detail);
  return Then::made;
}

}  // namespace hipcache::daemon
