// The counters of which there are several of a kind, once for their JSON and for the texts.
#ifndef HIPCACHE_SRC_STATS_FIELDS_H
#define HIPCACHE_SRC_STATS_FIELDS_H

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "hipcache/stats/counters.h"

namespace hipcache::stats {

struct StepField {
  const char* name;  // in the JSON
  const char* text;  // for people
  HitRun Snapshot::* counts;
  bool is_part_of_device = false;
  bool makes = true;  // something that the user wants: else it only proves or audits
};

// In the order in which people read them. The device steps, which stand before them, are counted by architecture.
inline constexpr std::array kStepFields = std::to_array<StepField>({
    {"steps.front", "Front end", &Snapshot::front, true},
    {"steps.back", "Back end", &Snapshot::back, true},
    {"steps.audit", "Back end audited", &Snapshot::audit, true, false},
    {"steps.host", "Host", &Snapshot::host},
    {"steps.bundle", "Bundle", &Snapshot::bundle},
    {"steps.unbundle", "Unbundle", &Snapshot::unbundle},
    {"steps.link", "Link", &Snapshot::link},
    {"steps.archive", "Archive", &Snapshot::archive},
    {"steps.probe", "Probe", &Snapshot::probe, false, false},
    {"steps.proof", "Proof of deferred fatbin", &Snapshot::proof, false, false},
    {"steps.split_codegen_proof", "Proof of codegen split", &Snapshot::split_codegen_proof, false, false},
});

struct ReasonField {
  const char* name;         // in the JSON
  const char* detail_name;  // the same
  const char* text;         // for people
  std::map<std::string, std::uint64_t> Snapshot::* counts;
  std::map<std::string, std::string> Snapshot::* details;
};

inline constexpr ReasonField kNotCached{"not_cached", "not_cached_detail", "Not cached", &Snapshot::not_cached,
                                        &Snapshot::not_cached_detail};
inline constexpr ReasonField kNotStored{"not_stored", "not_stored_detail", "Run and not stored", &Snapshot::not_stored,
                                        &Snapshot::not_stored_detail};
inline constexpr ReasonField kTied{"tied", "tied_detail", "Stored for one checkout alone", &Snapshot::tied,
                                   &Snapshot::tied_detail};
inline constexpr ReasonField kBundled{"bundled", "bundled_detail", "Back ends within the bundle", &Snapshot::bundled,
                                      &Snapshot::bundled_detail};
inline constexpr ReasonField kNotSplit{"not_split", "not_split_detail", "One step for all architectures",
                                       &Snapshot::not_split, &Snapshot::not_split_detail};
inline constexpr ReasonField kWithoutHeader{"without_wrapper_header", "without_wrapper_header_detail",
                                            "Wrapper header read by the job itself", &Snapshot::without_header,
                                            &Snapshot::without_header_detail};
inline constexpr std::array kReasonFields{kNotCached, kNotStored, kTied, kBundled, kNotSplit, kWithoutHeader};

}  // namespace hipcache::stats

#endif
