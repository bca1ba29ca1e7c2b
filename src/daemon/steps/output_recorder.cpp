#include "daemon/steps/output_recorder.h"

#include <sys/stat.h>

#include <optional>
#include <utility>

#include "daemon/request/reason.h"
#include "hipcache/base/files.h"
#include "hipcache/compiler/hip/depfile.h"

namespace hipcache::daemon {
namespace {

bool is_executable(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && (status.st_mode & S_IXUSR) != 0;
}

// What an output resembles, for compression: a fatbin contains its code objects, an object its fatbin, and depfiles of
// one project name the same headers. For an opaque compile, files written in place are taken for depfiles.
store::Likeness likeness_of(const CollectedOutput& output, const StepState& work) {
  for (const char* of_parts : {hip::kBundle, hip::kFatbinObjectRole, hip::kObject})
    if (output.role == of_parts) return {.parts = work.inputs};
  const bool is_depfile = output.role == hip::kDepfile || output.role == hip::kPortableDepfile ||
                          output.role == hip::kPortableGccDepfile || output.in_place;
  return {.parts = {}, .family = is_depfile ? "depfile" : ""};
}

Result<CollectedOutput> read_plain(std::string role, const std::string& path) {
  Result<std::string> bytes = read_file(path, kOutputLimit);
  if (!bytes) return bytes.error();
  return CollectedOutput{.role = std::move(role), .bytes = std::move(*bytes), .executable = is_executable(path)};
}

// A failure becomes the step's refusal.
void store_bytes(StepState& work, const std::string& bytes, const store::Likeness& likeness, const Request& request,
                 const Services& services) {
  if (!work.refusal.empty() || request.settings.readonly) return;
  if (Result<Digest> stored = services.store.put_blob_like(bytes, likeness); !stored) {
    services.log.error("cannot store: " + stored.error().message);
    services.counters.error();
    work.refusal = reason::kStoreError;
  }
}

}  // namespace

Result<CollectedOutput> collect_output(std::string role, const std::string& path, const Roots& roots) {
  if (role == hip::kDepfile) return collect_depfile(path, roots, hip::DepfileForm::clang, "");
  return read_plain(std::move(role), path);
}

Result<CollectedOutput> collect_depfile(const std::string& path, const Roots& roots, hip::DepfileForm form,
                                        const std::string& target) {
  Result<CollectedOutput> made = read_plain(hip::kDepfile, path);
  if (!made || (target.empty() && roots.shown_in(made->bytes) == 0)) return made;
  if (std::optional<std::string> portable = hip::portable_depfile(made->bytes, roots, form, target)) {
    made->role = form == hip::DepfileForm::gcc ? hip::kPortableGccDepfile : hip::kPortableDepfile;
    made->bytes = std::move(*portable);
  }
  return made;
}

void store_outputs(StepState& work, std::vector<CollectedOutput> made, const Request& request, const Services& services,
                   store::Lease& lease) {
  for (CollectedOutput& output : made) {
    const Digest digest = digest_of(output.bytes);
    lease.add(digest);
    store_bytes(work, output.bytes, likeness_of(output, work), request, services);
    work.result.outputs.push_back({.name = std::move(output.role),
                                   .blob = digest,
                                   .size = output.bytes.size(),
                                   .executable = output.executable,
                                   .place = std::move(output.place),
                                   .in_place = output.in_place,
                                   .in_place_if_empty = output.in_place_if_empty});
  }
}

void take_filled(StepState& work, const hip::StepOutput& file, const Digest& fatbin, std::string bytes,
                 store::Lease& lease) {
  const Digest digest = digest_of(bytes);
  lease.add(digest);
  const cache::Output* made = work.made(file);
  work.filled = {.output = {.name = file.role,
                            .blob = digest,
                            .size = bytes.size(),
                            .executable = made != nullptr && made->executable},
                 .parts = {made == nullptr ? Digest{} : made->blob, fatbin},
                 .bytes = std::move(bytes)};
}

void store_filled(StepState& work, const Request& request, const Services& services) {
  if (work.filled) store_bytes(work, work.filled->bytes, {.parts = work.filled->parts}, request, services);
}

namespace {

constexpr const char* kOwnName = "own-name";

// Counts a result that is tied to the checkout because a source uses its own name.
void count_tie(const inputs::Witnessed& witnessed, const Request& request, const Services& services) {
  if (witnessed.asks_own_name.empty()) return;
  const std::string& source = witnessed.asks_own_name;
  const Root* root = request.from.roots.around(source);
  if (root == nullptr) return;
  services.counters.tied(kOwnName, source.substr(root->path.size() + 1) +
                                       " uses __FILE__: compile with -ffile-prefix-map=" + root->path + "=.");
}

}  // namespace

void record(const StepState& work, const Request& request, const Services& services) {
  if (request.settings.readonly) return;
  count_tie(work.witnessed, request, services);
  const Status recorded = services.actions.record(work.key, work.witnessed, work.result);
  if (recorded) return;
  services.log.error("cannot record " + work.label + ": " + recorded.error().message);
  services.counters.error();
}

void record_together(StepState& work, const std::vector<inputs::Witnessed>& runs, const Request& request,
                     const Services& services) {
  cache::Examined examined = services.actions.examine(runs, request.from);
  if (!examined.agrees) {
    work.refusal = reason::kInputChanged;
    work.refusal_detail = examined.changed;
    return;
  }
  work.witnessed = std::move(examined.all);
  for (const inputs::Witnessed& run : runs)
    if (!run.asks_own_name.empty()) work.witnessed.asks_own_name = run.asks_own_name;
  record(work, request, services);
}

}  // namespace hipcache::daemon
