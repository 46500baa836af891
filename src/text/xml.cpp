#include "text/xml.h"

#include <algorithm>
#include <stdexcept>

namespace toccata {

const std::string_view* XmlTags::Tag::find(std::string_view attribute) const {
  const auto found = std::ranges::find(attributes, attribute,
                                       &std::pair<std::string_view, std::string_view>::first);
  return found == attributes.end() ? nullptr : &found->second;
}

void XmlTags::fail(const std::string& what) const {
  throw std::invalid_argument("line " + std::to_string(line_) + ": " + what);
}

void XmlTags::skip(std::size_t count) {
  const std::string_view skipped = text_.substr(at_, count);
  line_ += static_cast<std::size_t>(std::ranges::count(skipped, '\n'));
  at_ += skipped.size();
}

void XmlTags::skip_blanks() {
  const std::size_t end = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
  skip(end - at_);
}

std::string_view XmlTags::word(const char* what) {
  const auto belongs = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  const std::size_t first = at_;
  while (at_ < text_.size() && belongs(text_[at_])) ++at_;
  if (at_ == first) fail(std::string("expected ") + what);
  return text_.substr(first, at_ - first);
}

bool XmlTags::next(Tag& tag) {
  constexpr std::size_t most_attributes = 64;
  while (true) {
    skip_blanks();
    if (lenient_) skip(std::min(text_.find('<', at_), text_.size()) - at_);
    if (at_ == text_.size()) return false;
    const std::string_view rest = text_.substr(at_);
    if (rest.front() != '<') fail("expected a tag; text between tags is not allowed");
    const bool comment = rest.starts_with("<!--"), heading = rest.starts_with("<?");
    const bool declaration = lenient_ && !comment && rest.starts_with("<!");
    if (!comment && !heading && !declaration) break;
    const std::string_view end = comment ? "-->" : heading ? "?>" : ">";
    const std::size_t found = rest.find(end);
    if (found == std::string_view::npos) fail("a comment is not closed");
    skip(found + end.size());
  }
  if (text_.substr(at_).starts_with("<!")) fail("declarations are not allowed");
  ++at_;
  tag = {};
  const bool ends = at_ < text_.size() && text_[at_] == '/';
  if (ends) ++at_;
  tag.opens = !ends;
  tag.closes = ends;
  tag.name = word("the name of a tag");
  while (true) {
    skip_blanks();
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("/>") && !ends) {
      tag.closes = true;
      at_ += 2;
      return true;
    }
    if (rest.starts_with('>')) {
      ++at_;
      return true;
    }
    if (ends || tag.attributes.size() == most_attributes) fail("expected '>'");
    const std::string_view name = word("an attribute, or '>'");
    if (!text_.substr(at_).starts_with("=\"")) fail("expected =\" after an attribute");
    at_ += 2;
    const std::size_t end = text_.find('"', at_);
    if (end == std::string_view::npos) fail("an attribute is not closed");
    tag.attributes.emplace_back(name, text_.substr(at_, end - at_));
    skip(end + 1 - at_);
  }
}

}  // namespace toccata
