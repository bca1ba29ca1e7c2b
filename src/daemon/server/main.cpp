// hipcached: wires the daemon together.
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "daemon/audit/audit.h"
#include "daemon/execute/engine.h"
#include "daemon/remote/remote_cache.h"
#include "daemon/request/wrappers.h"
#include "daemon/server/cache_directory.h"
#include "daemon/server/connection.h"
#include "daemon/server/control_service.h"
#include "daemon/server/digest_file.h"
#include "daemon/server/limits.h"
#include "daemon/server/member_stores.h"
#include "daemon/server/seed_stores.h"
#include "daemon/server/server.h"
#include "daemon/shared/preambles.h"
#include "daemon/shared/services.h"
#include "daemon/shared/split_codegen_worth.h"
#include "hipcache/base/files.h"
#include "hipcache/compiler/iree/iree_command.h"
#include "hipcache/compiler/opaque/opaque_command.h"
#include "hipcache/config/cache_place.h"
#include "hipcache/events/event.h"
#include "hipcache/events/event_log.h"
#include "hipcache/protocol/daemon_socket.h"
#include "hipcache/store/local_store.h"

namespace hipcache::daemon {

namespace {

using namespace std::chrono_literals;

// Adds a line to the event log if the store had to evict results since `told`, so that a report can say what a larger
// store would have kept. `max_size`: the store's limit in bytes.
void tell_evictions(const store::LocalStore& store, std::uint64_t max_size, events::EventLog& events,
                    store::Evicted& told) {
  const store::Evicted now = store.evicted();
  if (now.values == told.values) return;
  events.add(events::to_line(events::EvictionEvent{.time_us = events::now_us(),
                                                   .values = now.values - told.values,
                                                   .bytes = now.bytes - told.bytes,
                                                   .max_size = max_size}));
  told = now;
}

// SIGTERM, SIGINT and SIGHUP end the daemon like --stop-server: no more connections, and running sessions end first. A
// second signal ends the process at once, which is safe because the store tolerates a kill at any time.
//
// A separate thread takes the signals; all others block them.

class StopOnSignal {
 public:
  // Blocks the signals in this thread and in those that it starts. Call it before any other thread starts.
  static sigset_t block();

  StopOnSignal(sigset_t signals, std::function<void()> stop);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

 private:
  void wait_for_signals(sigset_t signals);

  std::function<void()> stop_;
  std::atomic<bool> ending_{false};
  std::thread thread_;  // declared last, because it uses the others
};

constexpr int kEndedBySignal = 128;  // plus the signal's number, as in shells

sigset_t StopOnSignal::block() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

StopOnSignal::StopOnSignal(sigset_t signals, std::function<void()> stop)
    : stop_(std::move(stop)), thread_([this, signals] { wait_for_signals(signals); }) {}

StopOnSignal::~StopOnSignal() {
  ending_ = true;
  pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
}

void StopOnSignal::wait_for_signals(sigset_t signals) {
  for (bool is_first = true;; is_first = false) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0 || ending_) return;
    if (!is_first) _exit(kEndedBySignal + signal);
    stop_();
  }
}

constexpr auto kLockPatience = 2500ms;  // for a daemon that is stopping; less than a client waits for this one

constexpr auto kDrain = 8s;  // for results that wait for shared caches; less than --stop-server waits

constexpr int kArenas = 2;  // of malloc: with one per thread, memory from bursts of sessions would stay allocated

int fail(const std::string& message) {
  std::fprintf(stderr, "hipcached: error: %s\n", message.c_str());
  return 1;
}

// For clients, which say if their settings are not ours (hipcache/config/cache_place.h).
void write_settings(const CacheDirectory& directory, const config::Settings& settings, Log& log) {
  const std::string path = join_path(directory.own().anchored(), config::kDaemonSettingsFile);
  const Status written = replace_file(path, config::daemon_settings_text(settings));
  if (written) return;
  unlink(path.c_str());  // those of an earlier daemon would mislead
  log.warning(directory.own().as_known(written.error().message));
}

// The client has read the start messages by now. Closing the pipe releases it.
void leave_standard_error() {
  const UniqueFd null(open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (null) dup2(null.get(), STDERR_FILENO);
}

// The parts of the installed tree are found from this program's real directory: the tree may be moved, and linked to.

constexpr const char* kTraceLibrary = "libhipcache-trace.so";

bool is_split_by_the_loader(const std::string& path) { return path.find_first_of(": ") != std::string::npos; }

Result<std::string> own_directory() {
  char self[PATH_MAX] = {};
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) return system_error("cannot read", "/proc/self/exe");
  return std::string(directory_name(std::string_view(self, static_cast<std::size_t>(length))));
}

// hipcache-remote beside this program.
Result<std::string> find_remote_program() {
  const Result<std::string> directory = own_directory();
  if (!directory) return directory.error();
  std::string path = *directory + "/hipcache-remote";
  if (access(path.c_str(), X_OK) != 0) return system_error("cannot use", path);
  return path;
}

Result<std::string> find_trace_library() {
  const Result<std::string> directory = own_directory();
  if (!directory) return directory.error();
  std::string path =
      std::filesystem::path(*directory + "/" HIPCACHE_TRACE_FROM_HELPERS "/" + kTraceLibrary).lexically_normal();
  if (access(path.c_str(), R_OK) != 0) return system_error("cannot use", path);
  return path;
}

// The path by which LD_PRELOAD can name the library. The loader splits LD_PRELOAD at spaces and colons and knows no
// quotes: a path that has one is reached by a link in the directory, which belongs to this daemon.
Result<std::string> preloadable(const std::string& library, const OwnDirectory& directory) {
  if (!is_split_by_the_loader(library)) return library;
  std::string link = join_path(directory.path(), kTraceLibrary);
  if (is_split_by_the_loader(link))
    return Error{"cannot preload " + library +
                 ": its path holds a space or a colon, and so does the cache directory; " +
                 "install hipcache elsewhere, or set HIPCACHE_DIR"};
  if (unlinkat(directory.fd(), kTraceLibrary, 0) != 0 && errno != ENOENT) return system_error("cannot remove", link);
  if (symlinkat(library.c_str(), directory.fd(), kTraceLibrary) != 0) return system_error("cannot make the link", link);
  return link;
}

// Seeds come first, because at most store::kMostLayers are read. None if results are signed here: then none of theirs
// counts (hipcache/cache/remote_results.h).
std::vector<store::Layer> lower_layers(const config::Settings& settings, SeedStores& seeds, MemberStores& members) {
  if (!settings.signing_key.empty()) return {};
  std::vector<store::Layer> layers = seeds.layers();
  for (std::string& directory : members.others()) layers.push_back({.directory = std::move(directory)});
  return layers;
}

// Null if there are no shared caches.
std::unique_ptr<RemoteCache> remote_cache(const config::Settings& settings, store::LocalStore& store, Log& log) {
  if (settings.remote.empty()) return nullptr;
  Result<std::string> program = find_remote_program();
  const protocol::RemoteConfigure configure{
      .urls = settings.remote, .trusted_keys = settings.trusted_keys, .signing_key = settings.signing_key};
  if (program) return std::make_unique<RemoteCache>(std::move(*program), configure, store, log);
  log.error("shared caches are not used: " + program.error().message);
  return nullptr;
}

// Null if no step runs elsewhere.
std::unique_ptr<EngineProcess> engine_process(const config::Settings& settings, Log& log) {
  if (!settings.execute) return nullptr;
  Result<std::string> program = find_remote_program();
  if (program) return std::make_unique<EngineProcess>(std::move(*program), *settings.execute, log);
  log.error("no step is sent to the engine: " + program.error().message);
  return nullptr;
}

// For hipcache --doctor, which finds by this the parts that this daemon would use.
int print_version() {
  std::printf("hipcached %s\n", protocol::build_id().c_str());
  const auto print_part = [](const char* name, const Result<std::string>& path) {
    std::printf("%s %s\n", name, path ? path->c_str() : path.error().message.c_str());
  };
  print_part("trace", find_trace_library());
  print_part("remote", find_remote_program());
  return 0;
}

int run() {
  const sigset_t signals = StopOnSignal::block();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit becomes a write error, like a full disk
  raise_limits();
  mallopt(M_ARENA_MAX, kArenas);
  umask(077);

  const Result<unsigned> sessions = allowed_sessions();
  if (!sessions) return fail(sessions.error().message);
  if (Status files = check_allowed_file_size(); !files) return fail(files.error().message);
  const Result<config::Settings> settings = config::load(config::lookup_in_process());
  if (!settings) return fail(settings.error().message);
  umask(settings->umask | S_IWGRP | S_IWOTH);  // a group shares the directory but may not write to its files
  if (Status user = config::check_home(*settings); !user) return fail(user.error().message);
  const Result<std::string> reachable = protocol::socket_path(settings->directory);
  if (!reachable) return fail(reachable.error().message);
  const Result<OwnDirectory> cache = config::open_or_make_cache_directory(*settings);
  if (!cache) return fail(cache.error().message);
  const std::string home = protocol::daemon_directory(settings->directory);
  const Result<CacheDirectory> directory = CacheDirectory::make_and_lock(home, kLockPatience);
  if (!directory) return fail(directory.error().message);
  const Result<std::string> installed = find_trace_library();
  if (!installed) return fail(installed.error().message);
  const Result<std::string> trace_library = preloadable(*installed, directory->own());
  if (!trace_library) return fail(trace_library.error().message);

  Log log(settings->log.empty() ? directory->log() : settings->log,
          settings->log.empty() ? Log::Level::warning : Log::Level::debug);
  write_settings(*directory, *settings, log);
  MemberStores members(*cache, config::group_sharing(*settings, *cache), home, log);
  if (Status usable = members.check(); !usable) return fail(usable.error().message);
  // The socket opens before the store, because a large store opens slowly: the client then waits for a reply and no
  // longer for the socket.
  std::function<void(UniqueFd)> serve;
  std::function<void()> save;
  std::function<bool()> is_busy = [] { return false; };
  std::function<bool()> is_in_place = [&directory] { return directory->is_in_place(); };
  std::function<void()> leaves = [] {};
  // The descriptor's path ensures that the socket is made and removed in the locked directory.
  Server server({.socket_path = join_path(directory->own().anchored(), "daemon.sock"),
                 .idle_timeout = settings->idle_timeout,
                 .max_sessions = *sessions,
                 .serve = [&serve](UniqueFd socket) { serve(std::move(socket)); },
                 .every_second = [&save] { save(); },
                 .is_busy = [&is_busy] { return is_busy(); },
                 .is_in_place = [&is_in_place] { return is_in_place(); },
                 .leaves = [&leaves] { leaves(); }},
                log);
  const StopOnSignal on_signal(signals, [&server] { server.stop(); });
  if (Status opened = server.open(); !opened) return fail(opened.error().message);

  const OuterName outer_name(*cache, protocol::daemon_name());
  outer_name.take_if_free();
  remove_stale_daemons(settings->directory, protocol::daemon_name());
  Result<std::unique_ptr<store::LocalStore>> own = members.open_own(settings->max_size);
  if (!own) {
    log.error(own.error().message);
    return fail(own.error().message);
  }
  SeedStores seeds(settings->seeds, *cache, log);
  const std::unique_ptr<store::LocalStore> store = std::move(*own);
  store->read_too([&] { return lower_layers(*settings, seeds, members); });

  inputs::FileSystemState file_system;
  DigestFile digests(file_system, directory->own(), protocol::own_mount_view(), log);
  const std::unique_ptr<RemoteCache> remote = remote_cache(*settings, *store, log);
  cache::ActionCache actions(*store, file_system, log, remote.get(), result_trust(*settings));
  cache::MissHistory miss_history(*store, log, settings->share_history ? remote.get() : nullptr);
  stats::Counters counters;
  PersistentCounters persistent(counters, *store, log);
  const compiler::Parser parser;
  const compiler::IreeKind iree;
  const compiler::OpaqueKind opaque;
  const std::array<const compiler::Kind*, 3> kinds{&parser, &iree, &opaque};
  SingleFlight single_flight;
  PendingWrites pending_writes;
  RunningSteps running_steps;
  events::EventLog event_log(&directory->own(), settings->event_log, log);
  store::Evicted told;
  StepMemory step_memory;
  JobSlots job_slots(settings->jobs != 0 ? settings->jobs : usable_processors());
  DigestSet doubts;
  DigestSet proofs;
  AuditDraw audit_draw(std::random_device{}());
  AuditEvidence audit_evidence(&directory->own());
  TokenHits token_hits;
  SplitCodegenLedger split_codegen_ledger(*store, log);
  Preambles preambles(*store, log);
  Wrappers wrappers(file_system);
  Failures failures;
  const std::unique_ptr<EngineProcess> engine = engine_process(*settings, log);
  const Services services{.store = *store,
                          .file_system = file_system,
                          .actions = actions,
                          .miss_history = miss_history,
                          .counters = counters,
                          .kinds = kinds,
                          .parser = parser,
                          .single_flight = single_flight,
                          .pending_writes = pending_writes,
                          .job_slots = job_slots,
                          .step_memory = step_memory,
                          .running_steps = running_steps,
                          .doubts = doubts,
                          .proofs = proofs,
                          .audit_draw = audit_draw,
                          .audit_evidence = audit_evidence,
                          .token_hits = token_hits,
                          .split_codegen_ledger = split_codegen_ledger,
                          .preambles = preambles,
                          .wrappers = wrappers,
                          .failures = failures,
                          .event_log = event_log,
                          .log = log,
                          .own_settings = *settings,
                          .engine = engine ? &engine->engine() : nullptr,
                          .temporary_root = directory->temporary(),
                          .trace_library = *trace_library,
                          .mount_view = protocol::own_mount_view()};

  ControlService control(*store, remote.get(), pending_writes, running_steps, event_log, counters, token_hits,
                         persistent, settings->max_size, settings->directory, [&server] { server.stop(); });
  serve = [&](UniqueFd socket) { serve_connection(std::move(socket), services, control); };
  is_in_place = [&] { return directory->is_in_place() && store->is_in_place(); };
  leaves = [&preambles] { preambles.stop_waiting(); };
  is_busy = [&] { return remote && remote->publisher().progress().waiting > 0; };
  save = [&] {
    if (!is_in_place()) return;
    outer_name.take_if_free();
    persistent.save_if_changed();
    digests.save_if_due();
    tell_evictions(*store, settings->max_size, event_log, told);
    event_log.flush();
  };
  log.info("serving " + settings->directory + " with " + members.own());
  if (settings->log != "stderr") leave_standard_error();
  const Status ended = server.run();
  if (remote && !remote->publisher().drain(kDrain))
    log.warning(std::to_string(remote->publisher().progress().waiting_results) +
                " results are not written to shared caches");
  if (is_in_place()) digests.save_if_changed();
  if (!ended) {
    log.error(ended.error().message);
    return 1;
  }
  log.info("ended");
  return 0;
}

}  // namespace

}  // namespace hipcache::daemon

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--version") return hipcache::daemon::print_version();
  if (argc > 1) {
    std::fprintf(stderr, "hipcached: error: takes no arguments, got %s; it is started by hipcache when it is needed\n",
                 argv[1]);
    return 2;
  }
  return hipcache::daemon::run();
}
