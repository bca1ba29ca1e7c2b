// The kinds of steps of a walk, and how often each is taken: many should be hits, or partial ones.
#include <array>
#include <numeric>

#include "fuzz/oracle/model/compile_edits.h"
#include "fuzz/oracle/model/project.h"
#include "fuzz/oracle/model/sources.h"
#include "fuzz/oracle/model/token_edits.h"
#include "fuzz/oracle/model/tree_edits.h"
#include "fuzz/oracle/walk.h"

namespace hipcache::fuzz {

std::string Walk::change() {
  if (!history_.empty() && !history_.back().good && random_.chance(80)) return mend();
  std::string done = change_once();
  if (random_.chance(20)) done += "; " + change_once();
  return done;
}

std::string Walk::change_once() {
  if (options_.edits_tokens && random_.chance(85)) return edit_comments();
  static constexpr std::array<Kind, 16> kKinds{{{4, &Walk::repeat},
                                                {10, &Walk::edit_comments},
                                                {10, &Walk::leave_as_is},
                                                {3, &Walk::edit_variable},
                                                {20, &Walk::edit_sources},
                                                {18, &Walk::move_sources},
                                                {3, &Walk::edit_libraries},
                                                {12, &Walk::edit_command},
                                                {10, &Walk::edit_targets},
                                                {3, &Walk::break_one},
                                                {14, &Walk::revert},
                                                {2, &Walk::restart_daemon},
                                                {1, &Walk::clear_cache},
                                                {2, &Walk::recache},
                                                {2, &Walk::only_read},
                                                {5, &Walk::two_at_once}}};
  const unsigned all = std::accumulate(kKinds.begin(), kKinds.end(), 0u,
                                       [](unsigned sum, const Kind& kind) { return sum + kind.weight; });
  std::size_t dice = random_.below(all);
  for (const Kind& kind : kKinds) {
    if (dice < kind.weight) return (this->*kind.act)();
    dice -= kind.weight;
  }
  return repeat();
}

Walk::Rehearsal Walk::rehearse() {
  std::vector<std::string> done;
  while (number_ < options_.steps) {
    begin_step();
    done.push_back(done_);
    history_.push_back({tree_.snapshot(), compile_, true});
  }
  return {done, tree_.snapshot(), compile_};
}

std::string Walk::repeat() { return "nothing"; }
std::string Walk::edit_sources() { return edit_text(random_, tree_, compile_.source); }
std::string Walk::edit_comments() { return edit_tokens(random_, tree_, compile_.source); }
std::string Walk::move_sources() { return move_things(random_, tree_, compile_.source); }
std::string Walk::edit_libraries() { return edit_library(random_, tree_); }
std::string Walk::leave_as_is() { return change_nothing(random_, tree_); }
std::string Walk::edit_variable() { return edit_unrelated_variable(random_, compile_); }
std::string Walk::edit_command() { return edit_compile(random_, compile_); }
std::string Walk::edit_targets() { return edit_archs(random_, compile_); }
std::string Walk::break_one() { return break_source(random_, tree_, compile_.source); }

// Back to what compiled last; if nothing did, something that can.
std::string Walk::mend() {
  for (auto moment = history_.rbegin(); moment != history_.rend(); ++moment) {
    if (!moment->good) continue;
    tree_.restore(moment->tree, random_writing(random_));
    compile_ = moment->compile;
    return "back to what compiled";
  }
  for (std::size_t number = 0; number < kHeaders; ++number)
    tree_.write(random_.pick(kHeaderDirectories) + "/" + header_name(number), header_text(random_, number));
  for (const std::string& source : kSources) tree_.write(source, source_text(random_));
  for (const std::string& directory : kHeaderDirectories) compile_.includes.push_back({"-I{" + directory + "}"});
  compile_.flags = {};
  compile_.library = system_libraries();
  return "everything anew";
}

std::string Walk::revert() {
  if (history_.empty()) return repeat();
  const Moment& moment = history_[random_.below(history_.size())];
  const std::size_t what = random_.below(4);
  if (what != 0) tree_.restore(moment.tree, random_writing(random_));
  if (what != 1) compile_ = moment.compile;
  if (what == 0) return "back to an earlier command";
  return what == 1 ? "back to earlier files" : "back to an earlier state";
}

std::string Walk::restart_daemon() {
  cache_.control("--stop-server");
  return "the daemon ended";
}

std::string Walk::clear_cache() {
  cache_.control("--clear");
  ledger_.cleared();
  return "cleared the cache";
}

std::string Walk::recache() {
  settings_["HIPCACHE_RECACHE"] = "1";
  return "with HIPCACHE_RECACHE";
}

std::string Walk::only_read() {
  settings_["HIPCACHE_READONLY"] = "1";
  return "with HIPCACHE_READONLY";
}

// The same, or another with outputs of its own.
std::string Walk::two_at_once() {
  Compile other = compile_;
  if (random_.chance(50)) {
    beside_ = {other};
    return "two at once";
  }
  const std::string edited = random_.chance(50) ? edit_archs(random_, other) : edit_compile(random_, other);
  other.output = "out1/beside.o";
  other.depfile = {};
  beside_ = {other};
  return "two at once, one with " + edited;
}

}  // namespace hipcache::fuzz
