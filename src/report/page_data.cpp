#include "report/page_data.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "hipcache/base/text.h"

namespace hipcache::report {
namespace {

using nlohmann::ordered_json;

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

}  // namespace

PageData page_data_of(const Build& build, const Timeline& timeline) {
  PageData data;
  Texts texts;
  ordered_json tracks = ordered_json::array();
  for (const Track& track : timeline.tracks) {
    ordered_json slices = ordered_json::array();
    for (const Slice& slice : track.slices) {
      const events::RequestEvent& request = slice.request->request;
      if (slice.step != nullptr)
        data.slice_ids[slice.step] = std::to_string(tracks.size()) + "." + std::to_string(slices.size());
      slices.push_back({slice.start_us() - std::min(slice.start_us(), build.begin_us), slice.duration_us(), slice.row,
                        number_of(slice), texts.number(request.object.empty() ? request.source : request.object),
                        texts.number(slice.step == nullptr ? "" : slice.step->label), texts.number(reason_of(slice))});
    }
    tracks.push_back({{"name", readable(track.name)}, {"rows", track.rows}, {"slices", std::move(slices)}});
  }
  const ordered_json root = {
      {"span", build.end_us - build.begin_us}, {"tracks", std::move(tracks)}, {"texts", texts.list()}};
  data.json = within_script(root.dump(-1, ' ', /*ensure_ascii=*/true, ordered_json::error_handler_t::replace));
  return data;
}

}  // namespace hipcache::report
