// Why a request is passed through, or a step not stored, for reasons of the service's own; those of the command are in
// command/reason.h, those of a run in inputs/observe.h. All are listed in docs/coverage.md.
#ifndef HIPCACHE_DAEMON_REASON_H
#define HIPCACHE_DAEMON_REASON_H

namespace hipcache::daemon::reason {

// The request.
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
inline constexpr const char* kStoreError = "store-error";

// A step.
inline constexpr const char* kPrintsTemporaryNames = "prints-temporary-names";
inline constexpr const char* kTrace = "trace";
inline constexpr const char* kNotWorthStoring = "not-worth-storing";  // a link or archive, by its size; of requests too
inline constexpr const char* kUnusualMode = "unusual-mode";           // a file that the umask did not shape
inline constexpr const char* kUntraceable = "untraceable-compiler";
inline constexpr const char* kWrapper = "compiler-is-a-wrapper";
inline constexpr const char* kInputChanged = "input-changed";

// Why a device's back end ran within the bundle's step and not in its own.
inline constexpr const char* kWrapperNotUnderstood = "wrapper-not-understood";
inline constexpr const char* kBackEndFailed = "back-end-failed";
inline constexpr const char* kNotAsAnnounced = "not-as-announced";

}  // namespace hipcache::daemon::reason

#endif
