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

Parameter choice(std::string_view name, std::string_view help, const Parameter::Words& words,
                 std::string_view flat) {
  Parameter parameter{name, help, words};
  parameter.most = static_cast<int>(parameter.words.size()) - 1;
  for (int i = 0; i <= parameter.most; ++i) {
    parameter.samples.push_back(i);
    if (parameter.words[i] == flat) parameter.flat = i;
  }
  return parameter;
}

Parameter number(std::string_view name, std::string_view help, int least, int most, int standard,
                 const Parameter::Samples& samples) {
  return {name, help, {}, least, most, standard, samples, standard};
}

Parameter number_of_segments(std::string_view help, const Parameter::Samples& samples,
                             int standard) {
  Parameter parameter = number("segments", help, 1, 1024, standard, samples);
  parameter.flat = 1;
  return parameter;
}

Parameters::Parameters(const ParameterList& declared) : declared_(&declared) {
  for (const Parameter& parameter : declared) values_.push_back(parameter.standard);
}

int Parameters::operator[](const Parameter& parameter) const {
  return values_[place_of(parameter)];
}

std::size_t Parameters::place_of(const Parameter& parameter) const {
  std::size_t place = 0;
  while (place < declared_->size() && (*declared_)[place] != parameter) ++place;
  assert(place < declared_->size() && "the descriptor must list the parameter");
  return place;
}

bool Parameters::is(const Parameter& parameter, std::string_view word) const {
  return parameter.words[(*this)[parameter]] == word;
}

void Parameters::set(const Parameter& parameter, int value) {
  values_[place_of(parameter)] = value;
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
