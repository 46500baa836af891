#pragma once

#include <string_view>
#include <vector>

namespace toccata {

// The weights of a grid's dimensions, such as "1,4,1": the bytes that a rank exchanges with a
// neighbour in each dimension, in any unit. ChoiceError if a number is missing or wrong.
std::vector<double> parse_cart_weights(std::string_view text, int dimensions);

}  // namespace toccata
