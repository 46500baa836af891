#include "collectives/parameters.h"

#include <algorithm>
#include <cassert>

namespace toccata {

std::string Parameter::accepts() const {
  if (!is_choice()) return std::to_string(least) + ".." + std::to_string(most);
  std::string result;
  for (const std::string_view word : words) (result += result.empty() ? "" : "|") += word;
  return result;
}

std::string Parameter::text(int value) const {
  return is_choice() ? std::string(words[value]) : std::to_string(value);
}

Parameter choice(std::string_view name, std::string_view help,
                 std::vector<std::string_view> words) {
  Parameter parameter{name, help, std::move(words)};
  parameter.most = static_cast<int>(parameter.words.size()) - 1;
  for (int i = 0; i <= parameter.most; ++i) parameter.samples.push_back(i);
  return parameter;
}

Parameter number(std::string_view name, std::string_view help, int least, int most, int standard,
                 std::vector<int> samples) {
  return {name, help, {}, least, most, standard, std::move(samples)};
}

Parameters::Parameters(const std::vector<Parameter>& declared) : declared_(&declared) {
  for (const Parameter& parameter : declared) values_.push_back(parameter.standard);
}

int Parameters::operator[](const Parameter& parameter) const {
  const auto found = std::ranges::find(*declared_, parameter);
  assert(found != declared_->end() && "the descriptor must list the parameter");
  return values_[found - declared_->begin()];
}

bool Parameters::is(const Parameter& parameter, std::string_view word) const {
  return parameter.words[(*this)[parameter]] == word;
}

void Parameters::set(const Parameter& parameter, int value) {
  values_[std::ranges::find(*declared_, parameter) - declared_->begin()] = value;
}

std::string Parameters::text() const {
  std::string result;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Parameter& parameter = (*declared_)[i];
    if (values_[i] == parameter.standard) continue;
    result += result.empty() ? ":" : ",";
    result += std::string(parameter.name) + "=" + parameter.text(values_[i]);
  }
  return result;
}

bool Parameters::operator==(const Parameters& other) const { return values_ == other.values_; }

}  // namespace toccata
