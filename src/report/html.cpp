#include "hipcache/report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hipcache/base/text.h"
#include "hipcache/stats/hit_rate.h"
#include "hipcache/stats/units.h"

namespace hipcache::report {

// The files of src/report/page, as part of the program: a report needs no file beside hipcache-client.

extern const char* const kPageHtml;  // with places {{name}}
extern const char* const kPageCss;
extern const char* const kPageJs;

namespace {

using nlohmann::ordered_json;
using stats::short_duration;
using stats::size;

// The JSON library replaces bytes that are not UTF-8; the quotes around the text go.
std::string as_utf8(const std::string& text) {
  const nlohmann::json valid =
      nlohmann::json::parse(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return valid.get<std::string>();
}

// As text between tags or in an attribute in double quotes: no byte of it is markup. Control characters are shown as
// "\n" and "\x1b". Bytes that are not UTF-8 are replaced.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char letter : as_utf8(readable(text))) {
    switch (letter) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += letter;
    }
  }
  return safe;
}

// <div class="bar"> with a part for each share, by its class. Empty if all are zero.
struct Share {
  const char* name;
  std::uint64_t amount;
};

std::string bar_of(const std::vector<Share>& shares) {
  std::uint64_t all = 0;
  for (const Share& share : shares) all += share.amount;
  if (all == 0) return "";
  std::string parts;
  for (const Share& share : shares)
    if (share.amount > 0)
      parts += fmt::format(R"(<i class="{}" style="width:{:.2f}%"></i>)", share.name,
                           100.0 * static_cast<double>(share.amount) / static_cast<double>(all));
  return "<div class=\"bar\">" + parts + "</div>";
}

// A table whose columns sort when their titles are clicked.
class HtmlTable {
 public:
  struct Column {
    const char* title;
    bool is_number = false;
    const char* name = "";  // class of its cells
  };
  explicit HtmlTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Begins a row. `slice`: what a click on it shows in the timeline, or "".
  HtmlTable& row(const std::string& slice = "") {
    rows_ += slice.empty() ? "<tr>" : fmt::format("<tr class=\"goes\" data-slice=\"{}\">", escaped(slice));
    column_ = 0;
    return *this;
  }

  HtmlTable& text(std::string_view text) {
    cell("", escaped(text));
    return *this;
  }

  HtmlTable& number(std::uint64_t value) { return number(value, std::to_string(value)); }

  // Sorts by the value.
  HtmlTable& number(std::uint64_t value, const std::string& shown) {
    cell(fmt::format(" data-value=\"{}\"", value), escaped(shown));
    return *this;
  }

  // `html`: made of the pieces above.
  HtmlTable& markup(const std::string& html) {
    cell("", html);
    return *this;
  }

  // A section with its heading; empty without rows. `remark`: text beside the heading; `name`: its class.
  std::string under(std::string_view heading, std::string_view remark = "", const char* name = "") const {
    if (rows_.empty()) return "";
    std::string heads;
    for (const Column& column : columns_)
      heads += fmt::format("<th data-sort{}>{}</th>", column.is_number ? " class=\"number\"" : "", column.title);
    return fmt::format(
        "<section class=\"{}\">\n<h2>{} <small>{}</small></h2>\n<div "
        "class=\"scroll\"><table><thead><tr>{}</tr></thead>\n<tbody>\n{}"
        "</tbody></table></div>\n</section>\n",
        name, heading, escaped(remark), heads, rows_);
  }

 private:
  void cell(const std::string& attributes, const std::string& html) {
    const Column& column = columns_[column_++];
    const std::string names = column.is_number ? "number" : column.name;
    rows_ += "<td" + (names.empty() ? "" : " class=\"" + names + "\"") + attributes + ">" + html + "</td>";
    if (column_ == columns_.size()) rows_ += "</tr>\n";
  }

  std::vector<Column> columns_;
  std::size_t column_ = 0;
  std::string rows_;
};

// In the order of OUTCOMES in page.js. What is not listed was never seen to end.
constexpr std::array<std::string_view, 4> kOutcomes{"hit", "partial", "run", "failed"};

std::size_t number_of(const Slice& slice) {
  const std::string_view outcome = slice.outcome() == "miss" ? "run" : std::string_view(slice.outcome());
  const bool is_failed_request = slice.step == nullptr && outcome == "run" && slice.request->request.exit_code != 0;
  if (is_failed_request) return 3;
  return static_cast<std::size_t>(std::find(kOutcomes.begin(), kOutcomes.end(), outcome) - kOutcomes.begin());
}

// Texts by number: most appear often.
class Texts {
 public:
  std::size_t number(const std::string& text) {
    const auto [place, is_new] = numbers_.emplace(text, list_.size());
    if (is_new) list_.push_back(readable(text));
    return place->second;
  }
  ordered_json list() const { return list_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  ordered_json list_ = ordered_json::array();
};

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text.append(text.empty() ? "" : "; ").append(line);
  return text;
}

std::string reason_of(const Slice& slice) {
  if (slice.step != nullptr) return joined(slice.step->why);
  const events::RequestEvent& request = slice.request->request;
  return request.detail.empty() ? request.reason : request.reason + ": " + request.detail;
}

// No text of it ends the element that it stands in.
std::string within_script(const std::string& json) {
  std::string safe;
  for (const char letter : json) {
    if (letter == '<')
      safe += "\\u003c";
    else
      safe += letter;
  }
  return safe;
}

// The data of the timeline, which the page's script draws.
struct PageData {
  std::string json;                              // may stand within <script>
  std::map<const void*, std::string> slice_ids;  // by the step (events::StepEvent): what the page calls its slice
};

PageData page_data_of(const Build& build, const Timeline& timeline) {
  PageData data;
  Texts texts;
  ordered_json tracks = ordered_json::array();
  for (const Track& track : timeline.tracks) {
    ordered_json slices = ordered_json::array();
    for (const Slice& slice : track.slices) {
      if (slice.step != nullptr)
        data.slice_ids[slice.step] = std::to_string(tracks.size()) + "." + std::to_string(slices.size());
      slices.push_back({slice.start_us() - std::min(slice.start_us(), build.begin_us), slice.duration_us(), slice.row,
                        number_of(slice), texts.number(name_of(slice.request->request)),
                        texts.number(slice.step == nullptr ? "" : slice.step->label), texts.number(reason_of(slice))});
    }
    tracks.push_back({{"name", readable(track.name)}, {"rows", track.rows}, {"slices", std::move(slices)}});
  }
  const ordered_json root = {
      {"span", build.end_us - build.begin_us}, {"tracks", std::move(tracks)}, {"texts", texts.list()}};
  data.json = within_script(root.dump(-1, ' ', /*ensure_ascii=*/true, ordered_json::error_handler_t::replace));
  return data;
}

constexpr std::size_t kMostSlices = 20'000;  // about 1 MB of page

std::string percent_of(const stats::HitRate& rate) {
  return rate.look_ups == 0 ? "\xe2\x80\x93" : fmt::format("{:.1f} %", rate.percent());
}

std::string outcome_bar(const Outcomes& outcomes) {
  return bar_of({{"hit", outcomes.hit},
                 {"partial", outcomes.partial},
                 {"miss", outcomes.miss},
                 {"passthrough", outcomes.passthrough + outcomes.aborted}});
}

std::string card(const std::string& value, const std::string& text, const std::string& below = "") {
  return fmt::format("<div class=\"card\"><b>{}</b><span>{}</span>{}</div>\n", escaped(value), escaped(text), below);
}

// "5 hits, 3 passed through, 1 failed"; empty if there is nothing to say.
std::string others(const Outcomes& outcomes) {
  std::string text;
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(outcomes.hit, "hits");
  add(outcomes.partial, "in part");
  add(outcomes.miss - std::min(outcomes.miss, outcomes.failed), "missed");
  add(outcomes.failed, "failed");
  add(outcomes.passthrough, "passed through");
  add(outcomes.aborted, "given up");
  return text;
}

std::string cards(const Summary& summary) {
  const stats::HitRate rate = summary.outcomes.rate();
  const std::string rest = others(summary.outcomes);
  return card(percent_of(rate), "hit rate: " + rate.counts(), outcome_bar(summary.outcomes)) +
         card(std::to_string(summary.outcomes.all()), rest.empty() ? "requests" : "requests: " + rest) +
         card(short_duration(summary.processor_saved_us), "of processor time saved") +
         card(short_duration(summary.run_us), "in steps that ran") +
         (summary.with_header.steps == 0
              ? ""
              : card(short_duration(summary.with_header.saved_us),
                     fmt::format("spared by wrapper headers in {} of them", summary.with_header.steps))) +
         card(short_duration(summary.end_us - summary.begin_us), "from the first request to the last answer");
}

std::string warning(const std::string& text) { return "<p class=\"warning\">" + escaped(text) + "</p>\n"; }

std::string warnings(const Summary& summary) {
  const Evicted& evicted = summary.evicted;
  std::string text;
  if (evicted.values > 0)
    text +=
        warning(fmt::format("The cache was too small for this build: {} were evicted while it ran. Set "
                            "HIPCACHE_MAX_SIZE={} (now {}).",
                            size(evicted.bytes), evicted.advice, size(evicted.max_size)));
  if (evicted.gone_steps > 0)
    text +=
        warning(fmt::format("{} steps ran again only because their results were not stored any more: {} of "
                            "compiling. A larger HIPCACHE_MAX_SIZE keeps results longer.",
                            evicted.gone_steps, short_duration(evicted.gone_us)));
  if (summary.lost > 0)
    text +=
        warning(fmt::format("The event log lost {} lines since the daemon started, so the report may lack "
                            "requests.",
                            summary.lost));
  if (summary.damaged > 0)
    text += warning(fmt::format("{} damaged lines of the event log were skipped.", summary.damaged));
  if (summary.outcomes.all() == 0) text += warning("No request is in the event log since then.");
  return text;
}

// Reasons under a line that tells what they explain.
std::string why_of(const Miss& miss) {
  std::string html;
  for (const std::string& line : miss.why) html += "<div>" + escaped(line) + "</div>";
  if (miss.more > 0) html += fmt::format("<div>and {} more</div>", miss.more);
  const events::AtEngine& engine = miss.step->engine;
  if (!engine.outcome.empty())
    html += "<div><span class=\"tag\">worker</span> " + escaped(engine.outcome) +
            (engine.reason.empty() ? "" : ": " + escaped(engine.reason + " " + engine.detail)) + "</div>";
  if (!miss.not_stored.empty())
    html += "<div><span class=\"tag\">not stored</span> " + escaped(miss.not_stored) + "</div>";
  return html;
}

std::string misses(const Summary& summary, const PageData& data) {
  HtmlTable table({{"Time", true}, {"Object", false, "name"}, {"Step", false, "step"}, {"Why it ran", false, "why"}});
  for (const Miss& miss : summary.misses) {
    const auto slice = data.slice_ids.find(miss.step);
    const std::string from = miss.source.empty() ? miss.directory : miss.source + " in " + miss.directory;
    table.row(slice == data.slice_ids.end() ? "" : slice->second)
        .number(miss.duration_us, short_duration(miss.duration_us))
        .markup(escaped(miss.object) + "<span class=\"from\">" + escaped(from) + "</span>")
        .text(miss.label)
        .markup(why_of(miss));
  }
  const std::string remark = summary.all_misses > summary.misses.size()
                                 ? fmt::format("the first {} of {}", summary.misses.size(), summary.all_misses)
                                 : "";
  return table.under("Costliest steps that ran", remark, "long");
}

std::string steps(const Summary& summary) {
  HtmlTable table({{"Step", false, "name"},
                   {"Share"},
                   {"From the cache", true},
                   {"Run", true},
                   {"Failed", true},
                   {"Time of runs", true},
                   {"Bytes made", true}});
  for (const StepRow& row : summary.steps)
    table.row()
        .text(row.name)
        .markup(bar_of({{"hit", row.hit}, {"run", row.run}, {"failed", row.failed}}))
        .number(row.hit)
        .number(row.run)
        .number(row.failed)
        .number(row.run_us, short_duration(row.run_us))
        .number(row.bytes, size(row.bytes));
  return table.under("By architecture");
}

std::string directories(const Summary& summary) {
  HtmlTable table({{"Directory of the sources", false, "name"},
                   {"Share"},
                   {"Requests", true},
                   {"Hits", true},
                   {"Hit rate", true},
                   {"Time of runs", true},
                   {"Time spared", true}});
  for (const DirectoryRow& row : summary.directories)
    table.row()
        .text(row.directory)
        .markup(outcome_bar(row.outcomes))
        .number(row.outcomes.all())
        .number(row.outcomes.hit)
        .number(static_cast<std::uint64_t>(row.outcomes.rate().percent() * 100), percent_of(row.outcomes.rate()))
        .number(row.run_us, short_duration(row.run_us))
        .number(row.saved_us, short_duration(row.saved_us));
  return table.under("By directory");
}

std::string engine(const stats::Executed& executed) {
  HtmlTable table({{"Share"},
                   {"Sent", true},
                   {"Taken from workers", true},
                   {"Faster here", true},
                   {"Not proved", true},
                   {"Failed", true},
                   {"Processor time saved", true},
                   {"Queue", true},
                   {"Staging", true},
                   {"Bytes sent", true},
                   {"Received", true}});
  if (executed.sent > 0)
    table.row()
        .markup(bar_of(
            {{"hit", executed.won}, {"partial", executed.lost}, {"failed", executed.not_proved + executed.failed}}))
        .number(executed.sent)
        .number(executed.won)
        .number(executed.lost)
        .number(executed.not_proved)
        .number(executed.failed)
        .number(executed.execution_us, short_duration(executed.execution_us))
        .number(executed.queue_us, short_duration(executed.queue_us))
        .number(executed.staging_us, short_duration(executed.staging_us))
        .number(executed.bytes_sent, size(executed.bytes_sent))
        .number(executed.bytes_received, size(executed.bytes_received));
  return table.under("Remote execution", "bytes and times of the results that were taken");
}

std::string tiers(const Summary& summary) {
  HtmlTable table({{"Shared cache", false, "name"},
                   {"State", false, "name"},
                   {"Found", true},
                   {"Not found", true},
                   {"Failed", true},
                   {"Median", true},
                   {"Read", true},
                   {"Written", true}});
  for (const stats::Tier& tier : summary.remote.tiers)
    table.row()
        .text(tier.url)
        .text(tier.state)
        .number(tier.hits)
        .number(tier.misses)
        .number(tier.errors)
        .number(tier.median_us, stats::milliseconds(tier.median_us))
        .number(tier.bytes_read, size(tier.bytes_read))
        .number(tier.bytes_written, size(tier.bytes_written));
  return table.under("Shared caches", "since the daemon first asked them");
}

std::string reasons(std::string_view heading, const std::map<std::string, std::uint64_t>& counts,
                    const std::map<std::string, std::string>& examples) {
  HtmlTable table({{"Reason", false, "step"}, {"Number", true}, {"Last", false, "name"}});
  for (const auto& [reason, count] : counts) {
    const auto example = examples.find(reason);
    table.row().text(reason).number(count).text(example == examples.end() ? "" : example->second);
  }
  return table.under(heading);
}

// Puts values into the places {{name}} of the page. What was put in is not searched again.
std::string filled(std::string_view page, const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string text;
  for (;;) {
    const std::size_t begin = page.find("{{");
    const std::size_t end = begin == std::string_view::npos ? begin : page.find("}}", begin);
    text += page.substr(0, begin);
    if (end == std::string_view::npos) return text;
    const std::string_view name = page.substr(begin + 2, end - begin - 2);
    const auto value = std::find_if(values.begin(), values.end(), [&](const auto& one) { return one.first == name; });
    if (value != values.end()) text += value->second;
    page.remove_prefix(end + 2);
  }
}

}  // namespace

std::string to_html(const Build& build, const Summary& summary) {
  const Timeline timeline = timeline_of(build, kMostSlices);
  const PageData data = page_data_of(build, timeline);
  const std::string begin = stats::date(summary.begin_us / 1'000'000), end = stats::date(summary.end_us / 1'000'000);
  const bool is_empty = build.requests.empty();
  return filled(
      kPageHtml,
      {{"css", kPageCss},
       {"js", kPageJs},
       {"title", escaped(is_empty ? "no requests" : begin)},
       {"when", escaped(is_empty ? summary.begins : begin + " to " + end + " \xc2\xb7 " + summary.begins)},
       {"warnings", warnings(summary)},
       {"cards", cards(summary)},
       {"leftout", timeline.left_out == 0
                       ? ""
                       : fmt::format(" The {} shortest of the build are left out here.", timeline.left_out)},
       {"sections", steps(summary) + misses(summary, data) + directories(summary) + engine(summary.executed) +
                        reasons("Sent to workers in vain", summary.executed.why, summary.executed.why_detail) +
                        tiers(summary) + reasons("Passed through", summary.bypasses, summary.bypass_example) +
                        reasons("Run and not stored", summary.not_stored, summary.not_stored_example)},
       {"data", data.json}});
}

}  // namespace hipcache::report
