#include "hipcache/inputs/token_difference.h"

#include <algorithm>
#include <iterator>

#include "hipcache/base/files.h"
#include "inputs/sources/source_questions.h"
#include "inputs/sources/source_use.h"
#include "inputs/state/file_system_memo.h"
#include "inputs/tokens/scan.h"

namespace hipcache::inputs {
namespace {

// A name in the source that lets the compile see where the source's tokens stand.
std::string why_places_count(const PathSet& set, std::size_t index, const RunContext& from,
                             FileSystemState& file_system) {
  const SourceUse use(set.observations(), from, from.macro_definitions, SourceUse::Command::may_lack_options,
                      file_system.memo());
  const Sight all{.weakest = Question::tokens, .is_cxx = true, .shows_places_of_types = false};
  for (const ReadFile& file : use.files())
    if (file.observation == index) {
      const std::string name = question_about(file, use, all, from).because;
      if (!name.empty()) return name;
    }
  return "";
}

std::string with_reason(const std::string& what, const std::string& name) {
  if (name.empty()) return what + ", and an option, a warning or another source may show where tokens are";
  return what + ", but " + name + " leads to a place or a text of the source";
}

}  // namespace

std::string token_difference(const PathSet& set, std::size_t index, const AnswerFingerprint& was,
                             const RunContext& from, FileSystemState& file_system) {
  const std::string path = from.path_of(set.observations()[index].name);
  const auto then = file_system.memo().sketches.find(was.fingerprint);
  const Result<std::string> bytes = read_file(path, kLargestText);
  if (!then || !bytes) return "they differ";
  std::vector<std::uint64_t> lines;
  const SourceText now = scan_source(*bytes, Wanted::digests, &lines);
  const std::vector<std::uint16_t>& old = (*then)->tokens;
  const auto at = std::mismatch(old.begin(), old.end(), now.tokens.begin(), now.tokens.end()).second;
  const auto place = static_cast<std::size_t>(at - now.tokens.begin());
  if (at != now.tokens.end() || old.size() > now.tokens.size()) {
    if (place == now.tokens.size()) return "the last " + std::to_string(old.size() - place) + " tokens are gone";
    return "token " + std::to_string(place + 1) + " (line " + std::to_string(lines[place]) + ") differs";
  }
  const std::string name = why_places_count(set, index, from, file_system);
  if (now.digests.in_order == (*then)->digests.in_order) return with_reason("only lines moved", name);
  return with_reason("only blanks, columns or remarks in comments differ", name);
}

}  // namespace hipcache::inputs
