#include "compiler/command_line/driver_rules.h"

#include <llvm/Option/OptTable.h>
#include <llvm/Option/Option.h>

#include <initializer_list>

#include "compiler/frontend/unknown_option.h"
#include "compiler/options/option_table.h"
#include "hipcache/compiler/reason.h"

namespace hipcache::compiler {
namespace {

using namespace options;

struct Refusal {
  const char* reason;
  std::initializer_list<unsigned> options;
};

// Options that their group would accept, or that need a better reason than "unsupported-option". A constexpr C array:
// see OptionRule.
constexpr Refusal kRefusals[] = {
    {reason::kPreprocessOnly, {OPT_E, OPT_M, OPT_MM}},
    {reason::kOtherOutput,
     {OPT_emit_ast, OPT_fsyntax_only, OPT__analyze, OPT__migrate, OPT__precompile, OPT_extract_api,
      OPT_emit_interface_stubs, OPT_emit_merged_ifs, OPT_rewrite_objc, OPT_rewrite_legacy_objc, OPT_verify_pch,
      OPT_emit_symbol_graph, OPT_emit_extension_symbol_graphs, OPT_frewrite_includes, OPT_frewrite_imports,
      OPT_fclangir, OPT_emit_static_lib}},
    {reason::kDriverInformation,
     {OPT_v,
      OPT__HASH_HASH_HASH,
      OPT__version,
      OPT_help,
      OPT__help_hidden,
      OPT__target_help,
      OPT_autocomplete,
      OPT_dumpmachine,
      OPT_dumpspecs,
      OPT_dumpversion,
      OPT_print_diagnostic_options,
      OPT__print_diagnostic_categories,
      OPT_print_effective_triple,
      OPT_print_enabled_extensions,
      OPT_print_file_name_EQ,
      OPT_print_libgcc_file_name,
      OPT_print_std_module_manifest_path,
      OPT_print_multi_directory,
      OPT_print_multi_flags,
      OPT_print_multi_lib,
      OPT_print_multi_os_directory,
      OPT_print_prog_name_EQ,
      OPT_print_resource_dir,
      OPT_print_rocm_search_dirs,
      OPT_print_runtime_dir,
      OPT_print_search_dirs,
      OPT_print_supported_cpus,
      OPT_print_supported_extensions,
      OPT_print_target_triple,
      OPT_print_targets,
      OPT_ccc_print_phases,
      OPT_ccc_print_bindings,
      OPT_time}},
    {reason::kLto,
     {OPT_ffat_lto_objects, OPT_fthinlto_index_EQ, OPT_fthin_link_bitcode_EQ, OPT_funified_lto, OPT_fembed_bitcode_EQ}},
    {reason::kLink, {OPT_offload_link}},
    {reason::kSplitDwarf, {OPT_gsplit_dwarf_EQ}},
    {reason::kSaveTemps, {OPT_save_temps_EQ}},
    {reason::kTimeTrace,
     {OPT_ftime_trace, OPT_ftime_trace_EQ, OPT_ftime_trace_granularity_EQ, OPT_ftime_trace_verbose, OPT_ftime_report,
      OPT_ftime_report_EQ}},
    {reason::kOptimizationRecord,
     {OPT_fsave_optimization_record, OPT_fsave_optimization_record_EQ, OPT_foptimization_record_file_EQ,
      OPT_foptimization_record_passes_EQ}},
    {reason::kSerializedDiagnostics, {OPT__serialize_diags}},
    {reason::kCompilationDatabase, {OPT_MJ, OPT_gen_cdb_fragment_path}},
    {reason::kStatistics, {OPT_save_stats_EQ, OPT_fproc_stat_report, OPT_fproc_stat_report_EQ}},
    {reason::kCoverageNotes, {OPT_coverage, OPT_ftest_coverage, OPT_fprofile_arcs, OPT_fcreate_profile}},
    {reason::kExtraOutput,
     {OPT_H, OPT_dependency_dot, OPT_dependency_file, OPT_module_dependency_dir, OPT_dumpdir, OPT_gen_reproducer_eq,
      OPT_fhip_dump_offload_linker_script, OPT_arcmt_migrate_report_output}},
    {reason::kModules,
     {OPT_fmodules,
      OPT_fcxx_modules,
      OPT_fmodule_file,
      OPT_fmodule_file_deps,
      OPT_fmodule_header,
      OPT_fmodule_header_EQ,
      OPT_fmodule_map_file,
      OPT_fmodule_name_EQ,
      OPT_fmodule_output,
      OPT_fmodule_output_EQ,
      OPT_fmodules_cache_path,
      OPT_fmodules_decluse,
      OPT_fmodules_disable_diagnostic_validation,
      OPT_fmodules_ignore_macro,
      OPT_fmodules_prune_after,
      OPT_fmodules_prune_interval,
      OPT_fmodules_search_all,
      OPT_fmodules_strict_decluse,
      OPT_fmodules_user_build_path,
      OPT_fmodules_validate_input_files_content,
      OPT_fmodules_validate_once_per_build_session,
      OPT_fmodules_validate_system_headers,
      OPT_fimplicit_module_maps,
      OPT_fimplicit_modules,
      OPT_fbuiltin_module_map,
      OPT_fprebuilt_implicit_modules,
      OPT_fprebuilt_module_path,
      OPT_fbuild_session_file,
      OPT_fbuild_session_timestamp,
      OPT_gmodules,
      OPT_modules_reduced_bmi,
      OPT_fforce_check_cxx20_modules_input_files,
      OPT_fsystem_module,
      OPT_fapinotes,
      OPT_fapinotes_modules,
      OPT_iapinotes_modules}},
    {reason::kPrecompiledHeader,
     {OPT_include_pch, OPT_relocatable_pch, OPT_fpch_codegen, OPT_fpch_debuginfo, OPT_fpch_instantiate_templates,
      OPT_fpch_preprocess, OPT_fpch_validate_input_files_content}},
    {reason::kPlugin, {OPT_fplugin_EQ, OPT_fplugin_arg, OPT_fpass_plugin_EQ, OPT_hipspv_pass_plugin_EQ}},
    {reason::kRecordedCommandLine, {OPT_frecord_command_line, OPT_grecord_command_line}},
    {reason::kUnsupportedOption,
     {OPT_fno_integrated_as, OPT_fembed_offload_object_EQ, OPT_filelist, OPT_Xoffload_linker, OPT_fopenmp_targets_EQ,
      OPT_fsycl, OPT_offload_EQ, OPT_specs_EQ, OPT_Xanalyzer, OPT_fincremental_extensions, OPT_emit_codegen_only}},
};

// Accepted options without a group, or in a refused one: none writes, and everything they read is
// traced. The assembler is a part of the front end, and its options are the front end's in the plan.
constexpr std::initializer_list<unsigned> kAccepted = {OPT_INPUT,
                                                       OPT_c,
                                                       OPT_S,
                                                       OPT_emit_llvm,
                                                       OPT_offload_device_only,
                                                       OPT_offload_host_only,
                                                       OPT_offload_host_device,
                                                       OPT_offload_new_driver,
                                                       OPT_no_offload_new_driver,
                                                       OPT_gpu_bundle_output,
                                                       OPT_no_gpu_bundle_output,
                                                       OPT_fhip_emit_relocatable,
                                                       OPT_fno_hip_emit_relocatable,
                                                       OPT_offload_compress,
                                                       OPT_no_offload_compress,
                                                       OPT_offload_compression_level_EQ,
                                                       OPT_flto,
                                                       OPT_flto_EQ,
                                                       OPT_foffload_lto,
                                                       OPT_foffload_lto_EQ,
                                                       OPT_o,
                                                       OPT_x,
                                                       OPT__DASH_DASH,
                                                       OPT_std_EQ,
                                                       OPT_stdlib_EQ,
                                                       OPT_std_default_EQ,
                                                       OPT_B,
                                                       OPT_F,
                                                       OPT_target,
                                                       OPT_target_legacy_spelling,
                                                       OPT__sysroot_EQ,
                                                       OPT_resource_dir,
                                                       OPT_ansi,
                                                       OPT_w,
                                                       OPT_pipe,
                                                       OPT_pthread,
                                                       OPT_pthreads,
                                                       OPT_Qunused_arguments,
                                                       OPT_Qn,
                                                       OPT_Qy,
                                                       OPT_canonical_prefixes,
                                                       OPT_no_canonical_prefixes,
                                                       OPT_config,
                                                       OPT_config_system_dir_EQ,
                                                       OPT_config_user_dir_EQ,
                                                       OPT_no_default_config,
                                                       OPT_gcc_install_dir_EQ,
                                                       OPT_gcc_toolchain,
                                                       OPT_gcc_triple_EQ,
                                                       OPT_start_no_unused_arguments,
                                                       OPT_end_no_unused_arguments,
                                                       OPT_nogpulib,
                                                       OPT_no_offloadlib,
                                                       OPT_offloadlib,
                                                       OPT_nogpulibc,
                                                       OPT_pg,
                                                       OPT_p,
                                                       OPT_Wa_COMMA,
                                                       OPT_Xassembler,
                                                       OPT_rtlib_EQ,
                                                       OPT_unwindlib_EQ,
                                                       OPT_no_pie,
                                                       OPT_nopie,
                                                       OPT_nodefaultlibs,
                                                       OPT_nolibc,
                                                       OPT_nostdlibxx,
                                                       OPT_no_pthread,
                                                       OPT_static_libgcc,
                                                       OPT_shared_libgcc,
                                                       OPT_static_libstdcxx,
                                                       OPT_static_libsan,
                                                       OPT_shared_libsan,
                                                       OPT_static_openmp,
                                                       OPT_frtlib_add_rpath,
                                                       OPT_fno_rtlib_add_rpath,
                                                       OPT__param,
                                                       OPT_mllvm,
                                                       OPT_Xclang,
                                                       OPT_Xarch__,
                                                       OPT_Xarch_host,
                                                       OPT_Xarch_device,
                                                       OPT_Wlarge_by_value_copy_EQ,
                                                       OPT_traditional_cpp,
                                                       OPT_fcheck_new,
                                                       OPT_fno_check_new,
                                                       OPT_fcx_limited_range,
                                                       OPT_fno_cx_limited_range,
                                                       OPT_fcx_fortran_rules,
                                                       OPT_fno_cx_fortran_rules,
                                                       OPT_faligned_new_EQ,
                                                       OPT_fno_unsigned_char,
                                                       OPT_fheinous_gnu_extensions,
                                                       OPT_m3dnow,
                                                       OPT_m3dnowa,
                                                       OPT_mno_3dnow,
                                                       OPT_mno_3dnowa,
                                                       OPT_no_integrated_cpp,
                                                       OPT_fsanitize_system_ignorelist_EQ,
                                                       OPT_fshow_skipped_includes};

// Whether a group's options (-f, -m, -g, -O, -W, -D, -I ...) only select what is compiled and how.
// True also for options of the linker, which does not run.
bool is_accepted_group(unsigned group) {
  switch (group) {
    case OPT_CompileOnly_Group:
    case OPT_Link_Group:
      return true;
    default:
      return false;
  }
}

// Refused groups inside of accepted ones.
bool is_refused_group(unsigned group) {
  switch (group) {
    case OPT_Action_Group:
    case OPT_d_Group:
    case OPT_gfortran_Group:
    case OPT_hlsl_Group:
    case OPT_sycl_Group:
    case OPT_StaticAnalyzer_Group:
    case OPT_internal_Group:
      return true;
    default:
      return false;
  }
}

const char* refusal_by_group(const llvm::opt::Option& option) {
  bool accepted = false;
  for (llvm::opt::Option group = option.getGroup(); group.isValid(); group = group.getGroup()) {
    if (is_refused_group(group.getID())) return reason::kUnsupportedOption;
    accepted = accepted || is_accepted_group(group.getID());
  }
  return accepted ? nullptr : reason::kUnsupportedOption;
}

}  // namespace

DriverRules::DriverRules() {
  const llvm::opt::OptTable& table = option_table();
  refusals_.assign(table.getNumOptions() + 1, reason::kUnknownOption);
  for (unsigned id = 1; id <= table.getNumOptions(); ++id) {
    const llvm::opt::Option option = table.getOption(id);
    if (option.getKind() == llvm::opt::Option::GroupClass || is_unjudged(option)) continue;
    refusals_[id] = refusal_by_group(option);
  }
  for (unsigned id : kAccepted) refusals_[id] = nullptr;
  for (const Refusal& refusal : kRefusals) {
    for (unsigned id : refusal.options) refusals_[id] = refusal.reason;
  }
}

}  // namespace hipcache::compiler
