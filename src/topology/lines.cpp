#include "topology/lines.h"

namespace toccata {

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
