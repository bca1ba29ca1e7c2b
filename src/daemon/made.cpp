#include "daemon/made.h"

#include <sys/stat.h>

#include <optional>
#include <utility>

#include "daemon/reason.h"
#include "hipcache/base/files.h"
#include "hipcache/plan/depfile.h"

namespace hipcache::daemon {
namespace {

bool is_executable(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && (status.st_mode & S_IXUSR) != 0;
}

// A fatbin holds its code objects, an object its fatbin; depfiles of one project name the same headers. Of an undivided
// command they are the files that are written in place.
store::Likeness likeness_of(const Made& output, const StepWork& work) {
  for (const char* of_parts : {plan::kFatbinRole, plan::kFatbinObjectRole, plan::kObject})
    if (output.role == of_parts) return {.parts = work.inputs};
  const bool is_depfile = output.role == plan::kDepfile || output.role == plan::kPortableDepfile || output.in_place;
  return {.parts = {}, .family = is_depfile ? "depfile" : ""};
}

// A failure is the step's refusal.
void store_bytes(StepWork& work, const std::string& bytes, const store::Likeness& likeness, const Request& request,
                 const Services& services) {
  if (!work.refusal.empty() || request.settings.readonly) return;
  if (Result<Digest> stored = services.store.put_blob_like(bytes, likeness); !stored) {
    services.log.error("cannot store: " + stored.error().message);
    services.counters.error();
    work.refusal = reason::kStoreError;
  }
}

}  // namespace

Result<Made> read_made(std::string role, const std::string& path, const BaseDirectory& base) {
  Result<std::string> bytes = read_file(path, kOutputLimit);
  if (!bytes) return bytes.error();
  Made made{.role = std::move(role), .bytes = std::move(*bytes), .executable = is_executable(path)};
  if (made.role != plan::kDepfile || !base.shows_in(made.bytes)) return made;
  if (std::optional<std::string> portable = plan::portable_depfile(made.bytes, base)) {
    made.role = plan::kPortableDepfile;
    made.bytes = std::move(*portable);
  }
  return made;
}

void store_made(StepWork& work, std::vector<Made> made, const Request& request, const Services& services,
                store::Lease& lease) {
  for (Made& output : made) {
    const Digest digest = digest_of(output.bytes);
    lease.add(digest);
    store_bytes(work, output.bytes, likeness_of(output, work), request, services);
    work.result.outputs.push_back({.name = std::move(output.role),
                                   .blob = digest,
                                   .size = output.bytes.size(),
                                   .executable = output.executable,
                                   .place = std::move(output.place),
                                   .in_place = output.in_place});
  }
}

void take_filled(StepWork& work, const plan::StepOutput& file, const Digest& fatbin, std::string bytes,
                 store::Lease& lease) {
  const Digest digest = digest_of(bytes);
  lease.add(digest);
  const action::Output* made = work.made(file);
  work.filled = {.output = {.name = file.role,
                            .blob = digest,
                            .size = bytes.size(),
                            .executable = made != nullptr && made->executable},
                 .parts = {made == nullptr ? Digest{} : made->blob, fatbin},
                 .bytes = std::move(bytes)};
}

void store_filled(StepWork& work, const Request& request, const Services& services) {
  if (work.filled) store_bytes(work, work.filled->bytes, {.parts = work.filled->parts}, request, services);
}

void record(const StepWork& work, const Request& request, const Services& services) {
  if (request.settings.readonly) return;
  const Status recorded = services.actions.record(work.key, work.witnessed, work.result);
  if (recorded) return;
  services.log.error("cannot record " + work.label + ": " + recorded.error().message);
  services.counters.error();
}

void record_together(StepWork& work, const std::vector<inputs::Witnessed>& runs, const Request& request,
                     const Services& services) {
  action::Examined examined = services.actions.examine(runs, request.from);
  if (!examined.agrees) {
    work.refusal = reason::kInputChanged;
    return;
  }
  work.witnessed = std::move(examined.all);
  record(work, request, services);
}

}  // namespace hipcache::daemon
