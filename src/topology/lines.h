#pragma once

#include <string>
#include <string_view>

#include "topology/error.h"

namespace toccata {

// The text of a file that describes a machine, without a byte order mark. TopologyError.
std::string text_of_topology(const std::string& file);

// The lines of a file, one after the other, without comments (from # on). A \ at the end of a line
// joins it to the next one.
class Lines {
 public:
  Lines(std::string_view contents, std::string file) : rest_(contents), file_(std::move(file)) {}

  // Goes to the next line that is not blank; false at the end.
  bool next();
  const std::string& line() const { return line_; }
  // The text after the # of the line.
  const std::string& comment() const { return comment_; }

  const std::string& file() const { return file_; }
  // "topology.conf:12"
  std::string place() const { return file_ + ":" + std::to_string(number_); }

  // "topology.conf:12: why"
  [[noreturn]] void fail(const std::string& why) const { fail_at(place(), why); }
  // For errors that are found later, at a place of an earlier line.
  [[noreturn]] static void fail_at(const std::string& place, const std::string& why) {
    throw TopologyError(place + ": " + why);
  }
  // For errors of the whole file.
  [[noreturn]] void fail_all(const std::string& why) const { fail_at(file_, why); }
  // Runs `body`; its errors refer to this line.
  template <typename Body>
  auto placed(Body&& body) const {
    try {
      return body();
    } catch (const TopologyError& error) {
      fail(error.what());
    }
  }

 private:
  std::string_view rest_;
  std::string file_;
  std::string line_, comment_;
  int number_ = 0;
  int lines_in_ = 0;  // the number of lines that form the current one
};

}  // namespace toccata
