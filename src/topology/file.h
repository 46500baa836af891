#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace toccata {

// A file that cannot be read or written; what() begins with its path and says why.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What people and our own commands write has far fewer bytes: tuning files, models, settings.
inline constexpr std::int64_t most_bytes_of_settings = 16 << 20;
// Descriptions of a cluster may be longer, such as what ibnetdiscover prints.
inline constexpr std::int64_t most_bytes_of_topology = 128 << 20;

// The text of a regular file of at most `most_bytes`. Everything else is refused before it is read:
// a pipe or a terminal would be waited for, and every rank reads. FileError.
std::string read_regular_file(const std::string& path, std::int64_t most_bytes);

// "" if a file of some kilobytes can be written there, else why not, with the path. What is there
// stays as it is; missing folders are made if `makes_folders`.
std::string why_not_writable(const std::string& path, bool makes_folders);

// Replaces the file, or makes it: readers find the old text or the new one, never a part. A new
// file of a name that cannot be predicted takes its place, and has the permissions of the old one;
// a symbolic link is replaced, not followed. FileError, and then the old one stays.
void replace_file(const std::string& path, const std::string& text);

// Replaces the file by what `change` makes of its text (null: there is no file). Processes that do
// so at the same time come one after the other, so that no change is lost; after five seconds of
// waiting one goes ahead. What `change` throws leaves the file as it is. FileError.
void update_file(const std::string& path, std::int64_t most_bytes,
                 const std::function<std::string(const std::string* text)>& change);

}  // namespace toccata
