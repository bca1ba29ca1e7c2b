// Why a command is not cached: the names that statistics count and `--explain` shows.
// docs/coverage.md explains each in one line.
#ifndef HIPCACHE_COMPILER_REASON_H
#define HIPCACHE_COMPILER_REASON_H

namespace hipcache::compiler::reason {

// The command is not a compile of one HIP source into one object.
inline constexpr const char* kNotACompiler = "not-a-compiler";
inline constexpr const char* kBuildHelper = "build-helper";  // the build system's own; nobody counts it
inline constexpr const char* kNotHip = "not-hip";
inline constexpr const char* kLink = "link";
inline constexpr const char* kPreprocessOnly = "preprocess-only";
inline constexpr const char* kOtherOutput = "other-output";
inline constexpr const char* kNoInput = "no-input";
inline constexpr const char* kSeveralInputs = "several-inputs";
inline constexpr const char* kStandardInput = "standard-input";
inline constexpr const char* kOutputNotAFile = "output-not-a-file";
inline constexpr const char* kDriverInformation = "driver-information";

// A kind of HIP compile that is never split.
inline constexpr const char* kLto = "lto";

// The command writes or prints more than object, depfile and diagnostics.
inline constexpr const char* kSplitDwarf = "split-dwarf";
inline constexpr const char* kSaveTemps = "save-temps";
inline constexpr const char* kTimeTrace = "time-trace";
inline constexpr const char* kOptimizationRecord = "optimization-record";
inline constexpr const char* kSerializedDiagnostics = "serialized-diagnostics";
inline constexpr const char* kCompilationDatabase = "compilation-database";
inline constexpr const char* kStatistics = "statistics";
inline constexpr const char* kCoverageNotes = "coverage-notes";
inline constexpr const char* kExtraOutput = "extra-output";
inline constexpr const char* kModules = "modules";
inline constexpr const char* kPrecompiledHeader = "precompiled-header";
inline constexpr const char* kPlugin = "plugin";
inline constexpr const char* kFrontendOption = "frontend-option";
inline constexpr const char* kBackendOption = "backend-option";

// The command links or makes an archive in a way that gives unequal results for equal inputs, or
// does something else.
inline constexpr const char* kLinkerOption = "linker-option";
inline constexpr const char* kArchiveOperation = "archive-operation";
inline constexpr const char* kArchiveTimes = "archive-times";

// The result depends on the machine, on randomness or on the spelling of the command.
inline constexpr const char* kNativeTarget = "native-target";
inline constexpr const char* kRandomCuid = "random-cuid";
inline constexpr const char* kRecordedCommandLine = "recorded-command-line";

// The command cannot be parsed.
inline constexpr const char* kUnknownOption = "unknown-option";
inline constexpr const char* kUnsupportedOption = "unsupported-option";
inline constexpr const char* kMissingArgument = "missing-argument";
inline constexpr const char* kResponseFile = "response-file";

}  // namespace hipcache::compiler::reason

#endif
