#include "remote/s3/aws_settings.h"

#include <cstdint>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"

namespace hipcache::remote {
namespace {

constexpr std::uint64_t kFileLimit = 1u << 20;
// "profile name" -> "name" in the configuration file; other sections there (sso-session, services) are no profiles.
std::string_view profile_of_section(std::string_view section, bool is_config) {
  if (!is_config || section == "default") return section;
  constexpr std::string_view kWord = "profile";
  if (!section.starts_with(kWord)) return "";
  const std::string_view name = trimmed(section.substr(kWord.size()));
  return name.size() >= 2 && name.front() == '"' && name.back() == '"' ? name.substr(1, name.size() - 2) : name;
}

std::string first_of(const std::string& one, const std::string& other) { return one.empty() ? other : one; }

}  // namespace

Result<AwsSettings> AwsSettings::read(const Variables& variables, const std::string& profile) {
  AwsSettings settings;
  settings.variables_ = variables;
  settings.is_of_url_ = !profile.empty();
  settings.profile_ = first_of(first_of(profile, variables("AWS_PROFILE")), "default");
  const std::string home = variables("HOME") + "/.aws/";
  const std::string credentials = first_of(variables("AWS_SHARED_CREDENTIALS_FILE"), home + "credentials");
  const std::string config = first_of(variables("AWS_CONFIG_FILE"), home + "config");
  if (Status added = settings.add_file(credentials, false); !added) return added.error();
  if (Status added = settings.add_file(config, true); !added) return added.error();
  return settings;
}

std::string AwsSettings::value(const std::string& key) const {
  const auto known = values_.find(key);
  return known == values_.end() ? "" : known->second;
}

Status AwsSettings::add_file(const std::string& path, bool is_config) {
  const Result<std::string> text = read_file(path, kFileLimit);
  if (!text && text.error().code == ErrorCode::gone) return done();
  if (!text) return text.error();
  bool is_inside = false;
  int number = 0;
  for (std::string_view rest = *text; !rest.empty();) {
    ++number;
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::string_view content = trimmed(line);
    if (content.empty() || content.front() == '#' || content.front() == ';') continue;
    if (content.front() == '[') {
      is_inside = profile_of_section(trimmed(content.substr(1, content.find(']') - 1)), is_config) == profile_;
      exists_ = exists_ || is_inside;
      continue;
    }
    const auto equals = content.find('=');
    // A line that begins with a blank belongs to a value of several lines, of which none is needed here.
    if (!is_inside || kBlanks.find(line.front()) != std::string_view::npos) continue;
    if (equals == std::string_view::npos)
      return Error{path + ":" + std::to_string(number) + ": neither a [section] nor key = value"};
    values_.try_emplace(std::string(trimmed(content.substr(0, equals))), trimmed(content.substr(equals + 1)));
  }
  return done();
}

}  // namespace hipcache::remote
