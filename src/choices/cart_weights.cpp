#include "choices/cart_weights.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "choices/choice.h"
#include "choices/spelling.h"
#include "topology/words.h"

namespace toccata {

namespace {

constexpr double most = 1e12;  // so that sums of weights are finite

// Negative if the word is not a weight.
double weight_of(std::string_view word) {
  word = trimmed(word);
  double value = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool is_whole = error == std::errc() && end == word.data() + word.size();
  return is_whole && value >= 0 && value <= most ? value : -1;
}

}  // namespace

std::vector<double> parse_cart_weights(std::string_view text, int dimensions) {
  std::vector<double> weights;
  for (const std::string_view word : split(text, ',')) weights.push_back(weight_of(word));
  if (std::ssize(weights) == dimensions && std::ranges::min(weights) >= 0) return weights;
  std::string example = "1";
  for (int i = 1; i < dimensions; ++i) example += i == 1 ? ",4" : ",1";
  throw ChoiceError(quoted(text) + ": expected numbers from 0 to 1e12, one per dimension of the " +
                    "grid, such as " + example);
}

}  // namespace toccata
