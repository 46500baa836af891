#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace toccata {

// The tags of a file as MSCCL's tools write them: elements with attributes, and comments. Entities,
// declarations and text between tags are rejected, so that a harmful file can do little. In a file
// of another program, such text and declarations are skipped. The caller limits how deep elements
// may be nested.
class XmlTags {
 public:
  explicit XmlTags(std::string_view text, bool by_another_program = false)
      : text_(text), lenient_(by_another_program) {}

  struct Tag {
    std::string_view name;
    bool opens = false, closes = false;  // both if it stands alone: <step .../>
    std::vector<std::pair<std::string_view, std::string_view>> attributes = {};

    // An attribute's value; null if it does not exist.
    const std::string_view* find(std::string_view attribute) const;
  };

  // The next tag; false at the end. std::invalid_argument on anything else.
  bool next(Tag& tag);
  // The line of the last tag.
  std::size_t line() const { return line_; }

 private:
  [[noreturn]] void fail(const std::string& what) const;
  void skip(std::size_t count);
  void skip_blanks();
  std::string_view word(const char* what);

  std::string_view text_;
  std::size_t at_ = 0, line_ = 1;
  bool lenient_;
};

}  // namespace toccata
