// Whether the settings are valid, known, and do what the user expects.
#ifndef HIPCACHE_SRC_CLI_DOCTOR_CHECK_SETTINGS_H
#define HIPCACHE_SRC_CLI_DOCTOR_CHECK_SETTINGS_H

#include <cstdint>
#include <string>

#include "cli/doctor/findings.h"

namespace hipcache::cli {

// Whether the cache directory can be used, and whether its disk suits it.

// Makes the directory if it is missing. Sets `has_directory`.
void check_directory(Examination& examination);

// REQUIRES: check_daemon has run, for `store_bytes`.
void check_space(Examination& examination);

// A disk, as far as the limit of the store matters.
struct Disk {
  std::uint64_t size = 0;
  std::uint64_t free = 0;  // for this user
};

// What a store of `store_bytes` with that limit finds there.
Finding judge_space(const Disk& disk, std::uint64_t limit, std::uint64_t store_bytes);

// "nfs" for a file system of that number in statfs; "" for a local one.
std::string network_file_system(std::int64_t type);

// What of the machine makes compiles through hipcache faster or slower.

void check_machine(Examination& examination);

// "madvise" in "always [madvise] never", the contents of transparent_hugepage/enabled.
std::string chosen_in(const std::string& choices);

void check_settings(Examination& examination);

}  // namespace hipcache::cli

#endif
