// Reasons of the daemon for passing a request through, or for not storing a step. command/reason.h has those of the
// command, inputs/observe.h those of a run. docs/coverage.md lists all of them.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_REASON_H
#define HIPCACHE_SRC_DAEMON_REQUEST_REASON_H

namespace hipcache::daemon::reason {

// Reasons for passing a request through.
inline constexpr const char* kOtherFileSystemView = "other-file-system-view";  // the client's container or chroot
inline constexpr const char* kNoCommand = "no-command";
inline constexpr const char* kBadConfiguration = "bad-configuration";
inline constexpr const char* kDisabled = "disabled";
inline constexpr const char* kCompilerNotFound = "compiler-not-found";
inline constexpr const char* kOutputNotARegularFile = "output-not-a-regular-file";
inline constexpr const char* kOutputNotWritable = "output-not-writable";
inline constexpr const char* kDepfileIsAnotherFile = "depfile-is-another-file";  // source, header or object
inline constexpr const char* kNoTemporaryDirectory = "no-temporary-directory";
inline constexpr const char* kProbeFailed = "probe-failed";
inline constexpr const char* kPlanNotUnderstood = "plan-not-understood";
inline constexpr const char* kStepFailed = "step-failed";  // other than by the compiler's own errors
inline constexpr const char* kWritesMoreThanKnown = "writes-more-than-known";
inline constexpr const char* kNamesTemporaryFiles = "names-temporary-files";  // in an output
inline constexpr const char* kStoreError = "store-error";

// Reasons for not storing a step.
inline constexpr const char* kPrintsTemporaryNames = "prints-temporary-names";
inline constexpr const char* kPrintsCrashReport = "prints-crash-report";
inline constexpr const char* kTrace = "trace";
inline constexpr const char* kNotWorthStoring = "not-worth-storing";  // a link or archive, by size; also of requests
inline constexpr const char* kUnusualMode = "unusual-mode";           // a mode that no new file gets
inline constexpr const char* kUntraceable = "untraceable-compiler";
inline constexpr const char* kWrapper = "compiler-is-a-wrapper";
inline constexpr const char* kInputChanged = "input-changed";

// Why a device's back end ran within the bundle step and not in its own step.
inline constexpr const char* kWrapperNotUnderstood = "wrapper-not-understood";
inline constexpr const char* kBackEndFailed = "back-end-failed";
inline constexpr const char* kNotAsAnnounced = "not-as-announced";

}  // namespace hipcache::daemon::reason

#endif
