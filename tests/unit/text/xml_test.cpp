#include "text/xml.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace toccata {
namespace {

// All tags in one line: <a> opens, </a> closes, <a/> does both.
std::string tags(std::string_view text, bool by_another_program = false) {
  XmlTags all(text, by_another_program);
  std::string result;
  for (XmlTags::Tag tag; all.next(tag);) {
    result += std::string(tag.opens ? "<" : "</") + std::string(tag.name);
    for (const auto& [name, value] : tag.attributes)
      result += " " + std::string(name) + "=" + std::string(value);
    result += tag.opens && tag.closes ? "/>" : ">";
  }
  return result;
}

std::string error_of(std::string_view text) {
  try {
    tags(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(XmlTags, AreReadWithTheirAttributes) {
  EXPECT_EQ(tags("<?xml version=\"1.0\"?>\n"), "");
  EXPECT_EQ(tags("<algo name=\"ring\" n=\"4\">\n <!-- a < b -->\n <step s=\"0\"/>\n</algo>"),
            "<algo name=ring n=4><step s=0/></algo>");
}

TEST(XmlTags, OfAnotherProgramMayHaveTextBetween) {
  constexpr std::string_view text = "<!DOCTYPE topology><a>words</a>";
  EXPECT_EQ(tags(text, true), "<a></a>");
  EXPECT_EQ(error_of(text), "line 1: declarations are not allowed");
  EXPECT_EQ(error_of("<a>\nwords</a>"), "line 2: expected a tag; text between tags is not allowed");
}

TEST(XmlTags, NameTheLineOfAnError) {
  EXPECT_EQ(error_of("<a>\n\n<b c=\"1>"), "line 3: an attribute is not closed");
  EXPECT_EQ(error_of("<a b>"), "line 1: expected =\" after an attribute");
  EXPECT_EQ(error_of("< a>"), "line 1: expected the name of a tag");
  EXPECT_EQ(error_of("<!-- never"), "line 1: a comment is not closed");
}

}  // namespace
}  // namespace toccata
