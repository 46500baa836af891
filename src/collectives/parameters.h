#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace toccata {

// One parameter of an algorithm, as its descriptor states it: a choice among words, or a number.
struct Parameter {
  std::string_view name;
  std::string_view help;
  std::vector<std::string_view> words;  // a choice's words; its value is the word's place
  int least = 0;                        // a number's bounds
  int most = 0;
  int standard = 0;               // the value where none is given
  std::vector<int> samples = {};  // the values that proofs and sweeps go through

  bool is_choice() const { return !words.empty(); }
  // "per_round|per_block" or "2..64"
  std::string accepts() const;
  // A value as the user writes it.
  std::string text(int value) const;

  bool operator==(const Parameter& other) const { return name == other.name; }
};

// A choice among words; the first is the standard.
Parameter choice(std::string_view name, std::string_view help, std::vector<std::string_view> words);
// A whole number from `least` to `most`.
Parameter number(std::string_view name, std::string_view help, int least, int most, int standard,
                 std::vector<int> samples);

// Values for an algorithm's parameters, in the order of its descriptor.
class Parameters {
 public:
  Parameters() = default;
  // All at their standard.
  explicit Parameters(const std::vector<Parameter>& declared);

  // Whether nobody has said whose they are.
  bool empty() const { return declared_ == nullptr; }
  int operator[](const Parameter& parameter) const;
  bool is(const Parameter& parameter, std::string_view word) const;
  void set(const Parameter& parameter, int value);

  // ":messages=per_block", only what differs from the standard; "" where nothing does.
  std::string text() const;

  bool operator==(const Parameters& other) const;

 private:
  const std::vector<Parameter>* declared_ = nullptr;
  std::vector<int> values_;
};

}  // namespace toccata
