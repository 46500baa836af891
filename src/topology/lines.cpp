#include "topology/lines.h"

#include "topology/file.h"

namespace toccata {

std::string text_of_topology(const std::string& file) {
  std::string text;
  try {
    text = read_regular_file(file, most_bytes_of_topology);
  } catch (const FileError& error) {
    throw TopologyError(error.what());
  }
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    throw TopologyError(file + ": is in UTF-16; convert it with iconv -f UTF-16 -t UTF-8");
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return text;
}

bool Lines::next() {
  while (!rest_.empty()) {
    number_ += lines_in_;
    if (number_ == 0) number_ = 1;
    lines_in_ = 0;
    line_.clear();
    comment_.clear();
    bool joined = true;
    while (joined && !rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      std::string_view piece = rest_.substr(0, end);
      rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
      ++lines_in_;
      if (const std::size_t hash = piece.find('#'); hash != piece.npos) {
        comment_ += piece.substr(hash + 1);
        piece = piece.substr(0, hash);
      }
      if (piece.ends_with('\r')) piece.remove_suffix(1);
      joined = piece.ends_with('\\');
      if (joined) piece.remove_suffix(1);
      line_ += piece;
    }
    if (line_.find_first_not_of(" \t\r") != line_.npos) return true;
  }
  return false;
}

}  // namespace toccata
