// An answer to --explain.
#ifndef HIPCACHE_TESTS_INTEGRATION_SUPPORT_EXPLAINED_H
#define HIPCACHE_TESTS_INTEGRATION_SUPPORT_EXPLAINED_H

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace hipcache::integration {

class Explained {
 public:
  explicit Explained(nlohmann::json json) : json_(std::move(json)) {}

  std::string verdict(const std::string& step) const { return of(step).at("verdict"); }
  std::vector<std::string> lines(const std::string& step) const {
    const nlohmann::json explained = of(step);
    std::vector<std::string> all;
    for (const nlohmann::json& difference : explained.at("differences")) all.push_back(difference.at("text"));
    return all;
  }
  // What keeps the step's result here.
  std::vector<std::string> ties(const std::string& step) const {
    const nlohmann::json explained = of(step);
    std::vector<std::string> all;
    for (const nlohmann::json& tie : explained.at("ties")) all.push_back(tie.at("text"));
    return all;
  }
  // The same of all steps.
  std::vector<std::string> ties() const {
    std::vector<std::string> all;
    for (const nlohmann::json& step : json_.at("steps"))
      for (const std::string& tie : ties(step.at("name")))
        all.push_back(step.at("name").get<std::string>() + ": " + tie);
    return all;
  }
  std::vector<std::string> would_run() const { return with("would run"); }
  std::vector<std::string> not_stored() const {
    std::vector<std::string> all = with("would run");
    for (const std::string& step : with("depends")) all.push_back(step);
    return all;
  }
  std::string text() const { return json_.dump(); }
  const nlohmann::json& json() const { return json_; }

 private:
  nlohmann::json of(const std::string& name) const {
    if (name == "request") return json_.at("request");
    for (const nlohmann::json& step : json_.at("steps"))
      if (step.at("name") == name) return step;
    ADD_FAILURE() << "no step " << name << " in " << json_.dump();
    return {{"verdict", ""}, {"differences", nlohmann::json::array()}, {"ties", nlohmann::json::array()}};
  }
  std::vector<std::string> with(const std::string& verdict) const {
    std::vector<std::string> names;
    for (const nlohmann::json& step : json_.at("steps"))
      if (step.at("verdict") == verdict) names.push_back(step.at("name"));
    return names;
  }

  nlohmann::json json_;
};

}  // namespace hipcache::integration

#endif
