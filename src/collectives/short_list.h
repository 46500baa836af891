#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <ranges>
#include <stdexcept>

namespace toccata {

// A list of up to `most` elements, stored inside its owner. Descriptors consist of such lists,
// because they are created while the library is loaded: a failing allocation would then end the
// program.
template <typename Element, std::size_t most>
class ShortList {
 public:
  constexpr ShortList() = default;
  constexpr ShortList(std::initializer_list<Element> elements) { append(elements); }
  template <std::ranges::input_range Range>
  requires(!std::same_as<std::remove_cvref_t<Range>, ShortList>) constexpr ShortList(
      const Range& elements) {
    append(elements);
  }

  constexpr void push_back(const Element& element) {
    if (size_ == most) throw std::length_error("a descriptor's list is too long; see ShortList");
    elements_[size_++] = element;
  }

  constexpr const Element* begin() const { return elements_.data(); }
  constexpr const Element* end() const { return elements_.data() + size_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const Element& operator[](std::size_t i) const { return elements_[i]; }

 private:
  template <typename Range>
  constexpr void append(const Range& elements) {
    for (const Element& each : elements) push_back(each);
  }

  std::array<Element, most> elements_{};
  std::size_t size_ = 0;
};

}  // namespace toccata
