#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/short_list.h"

namespace toccata {

// One parameter of an algorithm, as declared in its descriptor: a choice among words, or a number.
struct Parameter {
  using Words = ShortList<std::string_view, 16>;
  using Samples = ShortList<int, 16>;

  std::string_view name;
  std::string_view help;
  Words words = {};  // the words of a choice, whose value is the index of a word
  int least = 0;     // the bounds of a number
  int most = 0;
  int standard = 0;      // the default
  Samples samples = {};  // the values that proofs and sweeps use
  int flat = 0;          // the value in a flat algorithm that is a part of one by levels

  bool is_choice() const { return !words.empty(); }
  // "per_round|per_block" or "2..64"
  std::string accepts() const;
  // A value as the user writes it.
  std::string text(int value) const;

  bool operator==(const Parameter& other) const { return name == other.name; }
};

// A choice among words; the first is the default. `flat` is the word for a flat algorithm that is a
// part of one by levels; if empty, the default.
Parameter choice(std::string_view name, std::string_view help, const Parameter::Words& words,
                 std::string_view flat = "");
// An integer from `least` to `most`.
Parameter number(std::string_view name, std::string_view help, int least, int most, int standard,
                 const Parameter::Samples& samples);
// "segments": the number of segments into which an algorithm divides its message, up to 1024. A
// flat algorithm that is a part of one by levels has one segment, because that algorithm divides
// it.
Parameter number_of_segments(std::string_view help, const Parameter::Samples& samples,
                             int standard = 16);

// The parameters of an algorithm, each of which is declared before its descriptor:
//
//   .parameters = {radix, segments}
class ParameterList {
 public:
  ParameterList() = default;
  ParameterList(std::initializer_list<std::reference_wrapper<const Parameter>> parameters) {
    for (const Parameter& each : parameters) all_.push_back(&each);
  }
  // Adds a parameter, which must live as long as the list.
  void add(const Parameter& parameter) { all_.push_back(&parameter); }

  class Iterator {
   public:
    using value_type = Parameter;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    explicit Iterator(const Parameter* const* at) : at_(at) {}
    const Parameter& operator*() const { return **at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    bool operator==(const Iterator& other) const = default;

   private:
    const Parameter* const* at_ = nullptr;
  };
  Iterator begin() const { return Iterator(all_.begin()); }
  Iterator end() const { return Iterator(all_.end()); }
  std::size_t size() const { return all_.size(); }
  bool empty() const { return all_.empty(); }
  const Parameter& operator[](std::size_t i) const { return *all_[i]; }

 private:
  ShortList<const Parameter*, 8> all_;
};

// Values for an algorithm's parameters, in the order of its descriptor.
class Parameters {
 public:
  Parameters() = default;
  // All parameters have their default values.
  explicit Parameters(const ParameterList& declared);

  // Whether they do not belong to an algorithm yet.
  bool empty() const { return declared_ == nullptr; }
  int operator[](const Parameter& parameter) const;
  bool is(const Parameter& parameter, std::string_view word) const;
  void set(const Parameter& parameter, int value);

  // ":messages=per_block": only the values that differ from their defaults; "" if all have their
  // defaults.
  std::string text() const;

  bool operator==(const Parameters& other) const;

 private:
  // The index of the parameter among those declared.
  std::size_t place_of(const Parameter& parameter) const;

  const ParameterList* declared_ = nullptr;
  std::vector<int> values_;
};

}  // namespace toccata
