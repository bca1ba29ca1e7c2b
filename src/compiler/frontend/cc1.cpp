#include "hipcache/compiler/cc1.h"

#include <llvm/Option/Arg.h>
#include <llvm/Option/ArgList.h>
#include <llvm/Option/OptTable.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "compiler/frontend/unknown_option.h"
#include "compiler/options/option_table.h"

namespace hipcache::compiler {
namespace {

using namespace options;

// Options without a C++ identifier in the table.
bool is_refused_by_name(std::string_view name) {
  return name.starts_with("coverage-data-file") || name.starts_with("coverage-notes-file");
}

// Frontend options that write, print, load or cache more than object, depfile and diagnostics. Also
// options whose result depends on more than the files that are read.
bool is_refused(unsigned option) {
  switch (option) {
    // These write other files.
    case OPT_dependency_dot:
    case OPT_module_dependency_dir:
    case OPT_header_include_file:
    case OPT_diagnostic_log_file:
    case OPT_diagnostic_serialized_file:
    case OPT_opt_record_file:
    case OPT_opt_record_format:
    case OPT_opt_record_passes:
    case OPT_stats_file:
    case OPT_stats_file_append:
    case OPT_fverify_debuginfo_preserve_export:
    case OPT_ftime_trace_EQ:
    case OPT_ftime_trace_granularity_EQ:
    case OPT_ftime_trace_verbose:
    case OPT_save_temps_EQ:
    case OPT_as_secure_log_file:
    case OPT_fthin_link_bitcode_EQ:
    case OPT_emit_symbol_graph:
    case OPT_emit_extension_symbol_graphs:
    case OPT_symbol_graph_dir_EQ:
    case OPT_arcmt_migrate_report_output:
    case OPT_mt_migrate_directory:
    case OPT_fmodule_output:
    case OPT_fmodule_output_EQ:
    case OPT_fixit:
    case OPT_fixit_EQ:
    case OPT_fixit_recompile:
    case OPT_fixit_to_temp:
    case OPT_analyzer_output:
    case OPT_analyzer_dump_egraph:
    // These print other output on the terminal, or timings.
    case OPT_H:
    case OPT_show_includes:
    case OPT_print_stats:
    case OPT_print_ivar_layout:
    case OPT_print_supported_cpus:
    case OPT_print_supported_extensions:
    case OPT_print_enabled_extensions:
    case OPT_ftime_report:
    case OPT_ftime_report_EQ:
    case OPT_fdebug_pass_manager:
    case OPT_version:
    case OPT_help:
    case OPT_compiler_options_dump:
    case OPT_code_completion_at:
    case OPT_dump_coverage_mapping:
    case OPT_dump_deserialized_pch_decls:
    case OPT_fdump_record_layouts:
    case OPT_fdump_record_layouts_simple:
    case OPT_fdump_record_layouts_complete:
    case OPT_fdump_record_layouts_canonical:
    case OPT_fdump_vtable_layouts:
    case OPT_templight_dump:
    case OPT_ast_dump_filter:
    case OPT_ast_dump_filter_EQ:
    // These load code, which may do anything.
    case OPT_load:
    case OPT_plugin:
    case OPT_add_plugin:
    case OPT_plugin_arg:
    case OPT_fplugin_EQ:
    case OPT_fpass_plugin_EQ:
    // Modules and precompiled headers are validated by modification time, or written into caches.
    case OPT_include_pch:
    case OPT_pch_through_header_EQ:
    case OPT_pch_through_hdrstop_create:
    case OPT_pch_through_hdrstop_use:
    case OPT_building_pch_with_obj:
    case OPT_fmodules:
    case OPT_fcxx_modules:
    case OPT_fmodule_file:
    case OPT_fmodule_map_file:
    case OPT_fmodule_name_EQ:
    case OPT_fmodules_cache_path:
    case OPT_fmodules_user_build_path:
    case OPT_fmodules_embed_all_files:
    case OPT_fmodules_embed_file_EQ:
    case OPT_fimplicit_module_maps:
    case OPT_fprebuilt_module_path:
    case OPT_fprebuilt_implicit_modules:
    case OPT_fbuild_session_timestamp:
    case OPT_fapinotes:
    case OPT_fapinotes_modules:
    case OPT_iapinotes_modules:
    // These allow other inputs or results than a plan does.
    case OPT_ffat_lto_objects:
    case OPT_fthinlto_index_EQ:
    case OPT_fembed_bitcode_EQ:
    case OPT_remap_file:
    case OPT_working_directory:
    case OPT_dwarf_debug_flags:
    case OPT_record_command_line:
    case OPT_fclangir:
    case OPT_fincremental_extensions:
    case OPT_foverride_record_layout_EQ:
      return true;
    default:
      return false;
  }
}

Cc1Role role_of(const llvm::opt::Option& option) {
  switch (option.getID()) {
    case OPT_INPUT:
      return Cc1Role::source;
    case OPT_o:
      return Cc1Role::output;
    case OPT_dependency_file:
      return Cc1Role::depfile;
    case OPT_split_dwarf_output:
      return Cc1Role::split_dwarf;
    case OPT_stack_usage_file:
      return Cc1Role::stack_usage;
    case OPT_MT:
    case OPT_MP:
    case OPT_MV:
    case OPT_sys_header_deps:
      return Cc1Role::dependency;
    case OPT_fcuda_include_gpubinary:
    case OPT_fembed_offload_object_EQ:
      return Cc1Role::fatbin;
    case OPT_fcuda_is_device:
      return Cc1Role::device;
    case OPT_fgpu_rdc:
      return Cc1Role::relocatable;
    case OPT_emit_obj:
    case OPT_emit_llvm_bc:
    case OPT_emit_llvm:
    case OPT_S:
      return Cc1Role::emits;
    case OPT_cuid_EQ:
      return Cc1Role::cuid;
    case OPT_target_cpu:
      return Cc1Role::target_cpu;
    case OPT_main_file_name:
      return Cc1Role::main_file;
    case OPT_fdebug_compilation_dir_EQ:
    case OPT_fcoverage_compilation_dir_EQ:
      return Cc1Role::compilation_dir;
    case OPT_x:
      return Cc1Role::language;
    case OPT_mlink_builtin_bitcode:
    case OPT_mlink_bitcode_file:
      return Cc1Role::device_library;
    case OPT_w:
      return Cc1Role::warning;
    case OPT_fcolor_diagnostics:
    case OPT_fansi_escape_codes:
    case OPT_fmessage_length_EQ:
      return Cc1Role::look;
    case OPT_internal_isystem:
    case OPT_internal_externc_isystem:
      return Cc1Role::search_path;
    default:
      break;
  }
  if (option.matches(OPT_Preprocessor_Group)) return Cc1Role::preprocessing;
  if (option.matches(OPT_O_Group)) return Cc1Role::optimization;
  if (option.matches(OPT_R_Group)) return Cc1Role::remark;
  if (option.matches(OPT_W_Group) || option.matches(OPT_pedantic_Group)) return Cc1Role::warning;
  const std::string_view name = option.getName();
  if (name.find("prefix-map") != name.npos || name.find("ignorelist") != name.npos) return Cc1Role::plain;
  for (const char* prefix : {"fcoverage", "coverage", "fprofile", "fmemory-profile", "fpseudo-probe", "fcs-profile",
                             "ftest-coverage", "fsanitize", "fxray", "funique-internal-linkage-names",
                             "compress-debug-sections", "gz", "fdebug-types-section", "fexperimental-"}) {
    if (name.starts_with(prefix)) return Cc1Role::hashes_names;
  }
  for (const char* prefix : {"g", "debug-info", "dwarf", "fdebug", "femit-debug"}) {
    if (name.starts_with(prefix)) return Cc1Role::records_paths;
  }
  return Cc1Role::plain;
}

// The role of an option that is not judged. A name that may be about profiles or debug information
// is taken to be.
Cc1Role role_of_unjudged(llvm::StringRef option) {
  const llvm::StringRef name = option.ltrim('-').split('=').first;
  for (const char* part : {"coverage", "prof", "sanitize", "xray", "unique", "compress", "hash", "map", "experimental"})
    if (name.contains(part)) return Cc1Role::hashes_names;
  if (name.take_front() == "g" || name.contains("debug") || name.contains("dwarf")) return Cc1Role::records_paths;
  return Cc1Role::plain;
}

// What a word is that may be an unknown option's value instead. The key keeps it.
Cc1Role role_after_unknown(Cc1Role role) {
  return role == Cc1Role::compilation_dir || role == Cc1Role::dependency ? Cc1Role::plain : role;
}

// Whether the option's value is the next argument.
bool is_separate(const llvm::opt::Arg& argument, const std::vector<const char*>& all) {
  const std::size_t next = argument.getIndex() + 1;
  return argument.getNumValues() != 0 && next < all.size() && argument.getValue() == all[next];
}

// Whether the option is judged, or its name is quiet; and nothing says that it writes, prints,
// loads or emits more than the roles account for.
bool is_acceptable(const llvm::opt::Arg& argument, const llvm::opt::ArgList& arguments) {
  const llvm::opt::Option& option = argument.getOption();
  if (is_unjudged(argument.getOption()) && !is_quiet(argument, arguments)) return false;
  if (is_refused(option.getID()) || is_refused_by_name(option.getName())) return false;
  return option.getID() != OPT_mllvm || is_quiet_backend_option(argument.getValue());
}

Error refused(const std::string& argument) { return Error{"the frontend option " + argument + " is not supported"}; }

}  // namespace

Result<std::vector<Cc1Argument>> read_cc1(const std::vector<std::string>& arguments) {
  std::vector<const char*> pointers;
  pointers.reserve(arguments.size());
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());

  unsigned missing_index = 0;
  unsigned missing_count = 0;
  const llvm::opt::InputArgList parsed = option_table().ParseArgs(pointers, missing_index, missing_count, kCc1);
  if (missing_count != 0) return Error{"the frontend option " + arguments[missing_index] + " lacks its value"};

  const llvm::opt::InputArgList others = other_readings(parsed, pointers, kCc1);
  for (const llvm::opt::Arg* other : others)
    if (!is_acceptable(*other, others)) return refused(arguments[other->getIndex()]);

  std::vector<Cc1Argument> result;
  result.reserve(parsed.size());
  std::size_t seen_action = 0;
  bool after_unknown = false;
  for (const llvm::opt::Arg* argument : parsed) {
    const llvm::opt::Option& option = argument->getOption();
    const std::size_t first = argument->getIndex();
    const std::string& word = arguments[first];
    const bool follows_unknown = std::exchange(after_unknown, is_unknown(*argument));
    if (!is_acceptable(*argument, parsed)) {
      return option.getID() == OPT_mllvm ? refused(std::string("-mllvm ") + argument->getValue()) : refused(word);
    }
    // A job names its source behind -x, so this is a value.
    if (follows_unknown && option.getID() == OPT_INPUT && result.back().first + 1 == first) {
      if (may_be_path(word)) return refused(arguments[first - 1] + " " + word);
      ++result.back().count;
      result.back().value = word;
      continue;
    }
    if (after_unknown) {
      result.push_back({role_of_unjudged(word), first, 1, ""});
      continue;
    }
    if (option.matches(OPT_Action_Group) && (role_of(option) != Cc1Role::emits || ++seen_action > 1)) {
      return refused(word);
    }
    const bool separate = is_separate(*argument, pointers);
    Cc1Role role = is_unjudged(option) ? role_of_unjudged(word) : role_of(option);
    if (follows_unknown && !separate) role = role_after_unknown(role);
    result.push_back({role, first, separate ? std::size_t{2} : std::size_t{1},
                      argument->getNumValues() == 0 ? std::string() : std::string(argument->getValue())});
  }
  return result;
}

namespace {

// LLVM has thousands of backend options and no public table of them. Options that print, write or
// load have one of these words in their names. A false match only means that the compile is not
// cached.
constexpr std::array kLoudWords = {
    "print",  "printing", "debug",  "debugify", "stats",   "stat",   "statistics", "time",       "timer",   "timing",
    "trace",  "tracing",  "dot",    "view",     "dump",    "report", "output",     "file",       "files",   "filename",
    "path",   "dir",      "export", "save",     "write",   "log",    "record",     "remark",     "remarks", "bisect",
    "json",   "html",     "graph",  "plugin",   "plugins", "yaml",   "emit",       "reproducer", "track",   "seed",
    "random", "rng",      "cache",  "verbose",  "summary", "info"};

// Refused as a complete name, harmless in compounds: "-load" against
// "-amdgpu-load-store-vectorizer".
constexpr std::array kLoudAlone = {"load", "help", "version", "o"};

template <typename List>
bool contains(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

bool is_quiet_backend_option(const std::string& option) {
  std::string_view name = option;
  if (name.empty() || name[0] != '-') return false;
  name.remove_prefix(name.starts_with("--") ? 2 : 1);
  name = name.substr(0, name.find('='));
  if (name.empty()) return false;
  if (contains(kLoudAlone, name)) return false;
  while (!name.empty()) {
    const auto end = name.find_first_of("-_");
    const std::string_view word = name.substr(0, end);
    if (contains(kLoudWords, word)) return false;
    name = end == std::string_view::npos ? std::string_view() : name.substr(end + 1);
  }
  return true;
}

}  // namespace hipcache::compiler
