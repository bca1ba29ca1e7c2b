// Why a command is not cached, not split or not stored: the names that statistics count and `--explain` shows.
// docs/coverage.md explains each in one line.
//
// The problem: reasons were texts, so code compared texts, and a name that was mistyped was a new reason. The choice:
// one list of values for all folders, and one table of their texts, which are what statistics, JSON, the event log and
// stored notes have. Rejected: a list in each folder, because a request's reason comes from any of them.
#ifndef HIPCACHE_BASE_REASON_H
#define HIPCACHE_BASE_REASON_H

#include <cstdint>
#include <string_view>

namespace hipcache {

enum class Reason : std::uint8_t {
  none,

  // The command is not a compile of one HIP source into one object.
  not_a_compiler,
  build_helper,  // the build system's own; nobody counts it
  not_hip,
  link,
  preprocess_only,
  other_output,
  no_input,
  several_inputs,
  standard_input,
  output_not_a_file,
  driver_information,

  // A kind of compile for devices that is never split.
  lto,
  offload_model,

  // The command writes or prints more than object, depfile and diagnostics.
  split_dwarf,
  save_temps,
  time_trace,
  optimization_record,
  serialized_diagnostics,
  compilation_database,
  statistics,
  coverage_notes,
  extra_output,
  modules,
  precompiled_header,
  plugin,
  frontend_option,
  backend_option,

  // The command links or makes an archive in a way that gives unequal results for equal inputs, or
  // does something else.
  linker_option,
  archive_operation,
  archive_times,

  // The result depends on the machine, on randomness or on the spelling of the command.
  native_target,
  random_cuid,
  recorded_command_line,

  // The command cannot be parsed.
  unknown_option,
  unsupported_option,
  missing_argument,
  response_file,

  // Reasons for passing a request through.
  other_file_system_view,  // the client's container or chroot
  no_command,
  bad_configuration,
  disabled,
  compiler_not_found,
  output_not_a_regular_file,
  output_not_writable,
  depfile_is_another_file,  // source, header or object
  no_temporary_directory,
  probe_failed,
  plan_not_understood,
  step_failed,  // other than by the compiler's own errors
  writes_more_than_known,
  names_temporary_files,  // in an output
  store_error,

  // Reasons for not storing a step.
  prints_temporary_names,
  prints_crash_report,
  trace,
  not_worth_storing,  // a link or archive, by size; also of requests
  unusual_mode,       // a mode that no new file gets
  untraceable_compiler,
  compiler_is_a_wrapper,
  input_changed,

  // Why a device's back end ran within the bundle step and not in its own step.
  wrapper_not_understood,
  back_end_failed,
  not_as_announced,

  // Of a run, by its trace (inputs/run.h).
  clock,
  network,
  writes_elsewhere,
  reads_own_output,
  prints_mixed,

  // Never shown: the request's program was seen to start a compiler, so it runs each time.
  starts_a_compiler,
};

// "not-a-compiler"; "" for none.
const char* text_of(Reason reason);

// none if no reason has that text.
Reason reason_named(std::string_view text);

}  // namespace hipcache

#endif
